"""The log of decisions in PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from saidonce.adapters.postgres.clean import clean, clean_draft, clean_vectors
from saidonce.adapters.postgres.connection import Database
from saidonce.adapters.postgres.postgres_write import Writer
from saidonce.adapters.postgres.records import FlagRow, MemberRow, append_decision, compose, golden_row, present
from saidonce.adapters.postgres.tables import rows_to_json
from saidonce.errors import NotFoundError, StoreCorruptError
from saidonce.foundation.model import JOINING, Decision, DecisionDraft, Flag, Kept, Member, Verb
from saidonce.foundation.ports import Clock, QueueFilter, Settlement

BATCH = 2_000


class PostgresLedger:
    """Keeps the decisions of one organisation in PostgreSQL; see `saidonce.foundation.ports.Ledger`."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def exclusive(self, wait_s: float | None = None) -> AbstractContextManager[None]:
        """Hold the organisation's row lock; writes inside commit as one."""
        return self._database.exclusive(wait_s)

    def append(self, drafts: Sequence[DecisionDraft]) -> tuple[Decision, ...]:
        """Append decisions in order."""
        if not drafts:
            return ()
        cleaned = [clean_draft(draft) for draft in drafts]
        with self._database.turn() as turn:
            writer = Writer(turn)
            keys = [d.key for d in cleaned]
            known = {row.key: row for row in writer.nouns(Decision, "decisions_by_key", keys=keys)}
            last = writer.run("last_decision")
            seq, previous = last[0] if last else (0, "")
            fresh: list[Decision] = []
            decisions: list[Decision] = []
            for draft in cleaned:
                if draft.key not in known:
                    row = append_decision(draft, seq := seq + 1, self._clock.now(), previous)
                    previous = row.hash
                    fresh.append(row)
                    known |= {row.key: row} if row.key else {}
                decisions.append(known.get(draft.key) or fresh[-1])
            put_decisions(writer, fresh)
            for row in fresh:
                if row.reverts is not None:
                    _turn(writer, row.reverts)
            if fresh:
                writer.finish()
        return tuple(decisions)

    def stand(self, live: Mapping[int, bool]) -> None:
        """Write down whether some decisions hold."""
        if live:
            with self._database.turn() as turn:
                writer = Writer(turn)
                writer.run("stand", seqs=list(live), live=list(live.values()))
                for seq in sorted(live):
                    _turn(writer, seq)
                writer.finish()

    def decision(self, seq: int) -> Decision | None:
        """Return one decision, or None."""
        decisions = self._decisions("decisions_by_seq", seqs=[seq])
        return decisions[0] if decisions else None

    def chosen(self, seqs: Sequence[int]) -> tuple[Decision, ...]:
        """Return those of some decisions that are there, oldest first."""
        return self._decisions("decisions_by_seq", seqs=list(seqs)) if seqs else ()

    def by_key(self, key: str) -> Decision | None:
        """Return the decision of an idempotency key, or None."""
        decisions = self._decisions("decisions_by_key", keys=[clean(key)])
        return decisions[0] if decisions else None

    def decisions(
        self, verbs: Sequence[Verb] = (), before: int | None = None, limit: int = 100
    ) -> tuple[Decision, ...]:
        """Return decisions, newest first."""
        return self._decisions("recent", verbs=[v.value for v in verbs] or None, before=before, limit=limit)

    def log(self) -> Iterator[Decision]:
        """Yield all decisions, oldest first."""
        for batch in self._database.stream_nouns(Decision, "dump_decision", BATCH):
            yield from batch

    def family(self, ids: Sequence[str]) -> tuple[Decision, ...]:
        """Return the live decisions about who shares a block with some members, and about those."""
        return self._decisions("family", ids=list(ids)) if ids else ()

    def concerning(self, ids: Sequence[str]) -> tuple[Decision, ...]:
        """Return all decisions that name one of some members, oldest first."""
        return self._decisions("concerning", ids=list(ids)) if ids else ()

    def put_members(self, document_id: str, members: Sequence[Member]) -> tuple[str, ...]:
        """Make these the members of a document's present version; give the ids of those that were and are not."""
        with self._database.turn() as turn:
            writer = Writer(turn)
            gone = writer.run("drop_members", document_id=document_id, ids=[m.id for m in members])
            if members:
                of = {"document_id": document_id, "collection": members[0].collection}
                rows = [
                    compose(MemberRow, m, m.segment, segment_id=m.id, block_id="", similarity=1.0, **of)
                    for m in members
                ]
                writer.run("put_members", rows=rows_to_json(rows))
            if gone or members:
                writer.finish()
        return tuple(sorted(segment_id for (segment_id,) in gone))

    def members(self, ids: Sequence[str]) -> dict[str, Member]:
        """Return those of the members that are live."""
        rows = self._database.nouns(Member, "members", ids=list(ids)) if ids else []
        return {member.id: member for member in rows}

    def members_of(self, *, documents: Sequence[str] = (), blocks: Sequence[str] = ()) -> tuple[str, ...]:
        """Return the ids of the live members of documents, or of blocks, by id."""
        rows = self._database.rows("member_ids", documents=list(documents), blocks=list(blocks))
        return tuple(segment_id for (segment_id,) in rows)

    def settle(self, settlement: Settlement) -> None:
        """Put the blocks of some members in place of those that they had."""
        with self._database.turn() as turn:
            writer = Writer(turn)
            collection = writer.collection(settlement.collection)
            if collection is None:
                raise NotFoundError("collection", settlement.collection)
            _put_embeddings(writer, settlement, collection.dim)
            rows = [golden_row(golden, search, collection, writer.rev) for golden, search in settlement.blocks]
            before: dict[str, str] = dict(writer.run("blocks_before", ids=list(settlement.touched)))
            writer.replace_blocks(before, rows, collection.model)
            held = {m.id for golden, _ in settlement.blocks for m in golden.members}
            writer.run("retire_members", ids=sorted(set(settlement.touched) - held))
            placed = [(m.id, golden.id, m.similarity) for golden, _ in settlement.blocks for m in golden.members]
            ids, blocks, similarities = zip(*placed, strict=True) if placed else ((), (), ())
            writer.run("place_members", ids=list(ids), blocks=list(blocks), similarities=list(similarities))
            writer.finish()

    def kept(self, ids: Sequence[str]) -> dict[str, Kept]:
        """Return live blocks of canonical collections as the ladder sees them."""
        rows = self._database.nouns(Kept, "kept", ids=list(ids)) if ids else []
        return {kept.id: kept for kept in rows}

    def same_content(self, collection: str, hashes: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Return the blocks that a member of a content hash supports."""
        groups: dict[str, tuple[str, ...]] = {}
        for content_hash, block_id in self._database.rows("same_content", collection=collection, hashes=list(hashes)):
            groups[content_hash] = (*groups.get(content_hash, ()), block_id)
        return groups

    def apart(self, collection: str, hashes: Sequence[str]) -> frozenset[tuple[str, str]]:
        """Return the pairs of content hashes kept apart that name one of these."""
        return frozenset((a, b) for a, b in self._database.rows("apart", collection=collection, hashes=list(hashes)))

    def flags_of(self, ids: Sequence[str]) -> tuple[Decision, ...]:
        """Return the live flags that name one of some members, oldest first."""
        return self._decisions("flags_of", ids=list(ids)) if ids else ()

    def rulings_on(self, flags: Sequence[int]) -> tuple[Decision, ...]:
        """Return the live decisions that settle or assign some flags, oldest first."""
        return self._decisions("rulings_on", flags=list(flags)) if flags else ()

    def within(self, seqs: Sequence[int]) -> tuple[Decision, ...]:
        """Return all decisions that are parts of some others, oldest first."""
        return self._decisions("within", seqs=list(seqs)) if seqs else ()

    def open_on(self, blocks: Sequence[str]) -> tuple[Flag, ...]:
        """Return the open flags about some blocks, by number."""
        return self._flags("open_on", blocks=list(blocks)) if blocks else ()

    def put_flags(self, states: Sequence[Flag]) -> None:
        """Note what flags have come to."""
        if not states:
            return
        with self._database.turn() as turn:
            writer = Writer(turn)
            writer.run("put_flags", rows=rows_to_json([compose(FlagRow, f, is_open=f.open) for f in states]))
            writer.finish()

    def queue(self, criteria: QueueFilter, after: tuple[float, int] | None = None, limit: int = 50) -> tuple[Flag, ...]:
        """Return flags by worth or by likelihood, highest first, ties by number."""
        worth, seq = after if after is not None else (None, None)
        named = "queue_by_likelihood" if criteria.by_likelihood else "queue"
        return self._flags(named, **_filter(criteria), worth=worth, seq=seq, limit=limit)

    def flag(self, seq: int) -> Flag | None:
        """Return one flag, or None."""
        flags = self._flags("one_flag", seq=seq)
        return flags[0] if flags else None

    def n_flags(self, criteria: QueueFilter) -> int:
        """Count flags."""
        return int(self._database.rows("n_flags", **_filter(criteria))[0][0])

    def _decisions(self, query: str, **values: Any) -> tuple[Decision, ...]:
        return tuple(self._database.nouns(Decision, query, **values))

    def _flags(self, query: str, **values: Any) -> tuple[Flag, ...]:
        flags = self._database.nouns(Flag, query, **values)
        ids = {n.id for f in flags for n in f.near} | {each for f in flags for each in (f.candidate, f.of)}
        now: dict[str, str] = dict(self._database.rows("present_blocks", ids=sorted(ids))) if ids else {}
        return tuple(present(flag, now) for flag in flags)


def put_decisions(writer: Writer, rows: Sequence[Decision]) -> None:
    """Write decisions with what finds them."""
    writer.insert(rows)
    concerns = [(id_, row.seq, row.verb in JOINING) for row in rows for id_ in dict.fromkeys(row.members)]
    writer.insert_values("concern", {"segment_id": "text", "seq": "int8", "joins": "bool"}, concerns)
    for row in rows:
        if row.live:
            _keep_apart(writer, row)


def _keep_apart(writer: Writer, row: Decision) -> None:
    if row.detail.pairs:
        lows, highs = zip(*row.detail.pairs, strict=True)
        writer.run("add_apart", collection=row.collection, seq=row.seq, lows=list(lows), highs=list(highs))


def _turn(writer: Writer, seq: int) -> None:
    """Tell anew whether a decision holds that a revert names, and then what that one takes back, and so on."""
    target: int | None = seq
    while target is not None:
        turned = writer.run("turn", seq=target)
        if not turned:
            raise NotFoundError("decision", str(target))
        (row,) = writer.nouns(Decision, "decisions_by_seq", seqs=[target])
        writer.run("drop_apart", seq=target)
        if row.live:
            _keep_apart(writer, row)
        target = row.reverts


def _put_embeddings(writer: Writer, settlement: Settlement, dim: int) -> None:
    needed: dict[str, set[str]] = {}
    for golden, search in settlement.blocks:
        keys = {key for key in (search.text_key, search.context_key) if key}
        needed.setdefault(golden.text_of.document_id, set()).update(keys)
    vectors = clean_vectors(settlement.embeddings, dim)
    missing = writer.missing_keys({key for keys in needed.values() for key in keys})
    if absent := missing - vectors.keys():
        raise StoreCorruptError(f"{len(absent)} embeddings are neither given nor stored, such as {min(absent)!r}")
    writer.add_embeddings(vectors, missing)
    for document_id, keys in sorted(needed.items()):
        writer.run("add_uses", document_id=document_id, keys=sorted(keys))


def _filter(criteria: QueueFilter) -> dict[str, Any]:
    return {
        "open": criteria.is_open,
        "collections": list(criteria.collections) or None,
        "assignee": criteria.assignee,
        "because": criteria.because,
    }
