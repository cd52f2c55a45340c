"""The log of decisions in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

from saidonce.adapters.postgres.clean import clean, clean_draft, clean_vectors
from saidonce.adapters.postgres.records import (
    FlagRow,
    MemberRow,
    append_decision,
    compose,
    golden_row,
    present,
    segment_of,
)
from saidonce.errors import NotFoundError, StoreCorruptError
from saidonce.foundation.model import JOINING, UNKNOWN, Candidate, Decision, DecisionDraft, Flag, Kept, Member, Verb
from saidonce.foundation.ports import Clock, QueueFilter, Settlement
from saidonce.testing.memory_search import block
from saidonce.testing.memory_state import OrgState

_BINDING = frozenset({Verb.MERGE, Verb.SPLIT, Verb.EDIT, Verb.APPROVE, Verb.OWN})


class MemoryLedger:
    """Keeps the decisions of one organisation in memory; see `saidonce.foundation.ports.Ledger`.

    Args:
        now: gives the organisation's state.
        writing: gives a copy of it that takes its place on leaving.
        exclusive: holds the lock, and puts the state back on an error.
        clock: dates decisions.
    """

    def __init__(
        self,
        now: Callable[[], OrgState],
        writing: Callable[[], AbstractContextManager[OrgState]],
        exclusive: Callable[[float | None], AbstractContextManager[None]],
        clock: Clock,
    ) -> None:
        self._now = now
        self._writing = writing
        self._exclusive = exclusive
        self._clock = clock

    def exclusive(self, wait_s: float | None = None) -> AbstractContextManager[None]:
        """Hold the lock; writes inside take place as one."""
        return self._exclusive(wait_s)

    def append(self, drafts: Sequence[DecisionDraft]) -> tuple[Decision, ...]:
        """Append decisions in order."""
        decisions: list[Decision] = []
        with self._writing() as state:
            known = {row.key: row for row in state.decisions.values() if row.key}
            for draft in map(clean_draft, drafts):
                if draft.collection not in state.collections:
                    raise NotFoundError("collection", draft.collection)
                if draft.key not in known:
                    last = state.decisions.get(len(state.decisions))
                    row = append_decision(draft, len(state.decisions) + 1, self._clock.now(), last.hash if last else "")
                    state.decisions[row.seq] = row
                    known |= {row.key: row} if row.key else {}
                    state.changed = True
                    _turn(state, row.reverts)
                    decisions.append(row)
                else:
                    decisions.append(known[draft.key])
        return tuple(decisions)

    def stand(self, live: Mapping[int, bool]) -> None:
        """Write down whether some decisions hold."""
        with self._writing() as state:
            for seq, holds in live.items():
                state.decisions[seq] = replace(state.decisions[seq], live=holds)
                state.changed = True

    def decision(self, seq: int) -> Decision | None:
        """Return one decision, or None."""
        return self._now().decisions.get(seq)

    def chosen(self, seqs: Sequence[int]) -> tuple[Decision, ...]:
        """Return those of some decisions that are there, oldest first."""
        rows = self._now().decisions
        return _of(rows[seq] for seq in sorted(set(seqs)) if seq in rows)

    def by_key(self, key: str) -> Decision | None:
        """Return the decision of an idempotency key, or None."""
        return next((row for row in self._now().decisions.values() if key and row.key == clean(key)), None)

    def decisions(
        self, verbs: Sequence[Verb] = (), before: int | None = None, limit: int = 100
    ) -> tuple[Decision, ...]:
        """Return decisions, newest first."""
        rows = [
            row
            for row in sorted(self._now().decisions.values(), key=lambda row: -row.seq)
            if (not verbs or row.verb in verbs) and (before is None or row.seq < before)
        ]
        return tuple(rows[:limit])

    def log(self) -> Iterator[Decision]:
        """Yield all decisions, oldest first."""
        for _, row in sorted(self._now().decisions.items()):
            yield row

    def family(self, ids: Sequence[str]) -> tuple[Decision, ...]:
        """Return the live decisions about who shares a block with some members, and about those."""
        rows = self._now().decisions.values()
        joining = [set(row.members) for row in rows if row.live and row.verb in JOINING]
        reached: set[str] = set()
        waiting = set(ids)
        while waiting:
            reached |= waiting
            waiting = set().union(*(named for named in joining if named & waiting)) - reached
        return _of(
            row
            for row in rows
            if (row.verb is Verb.EDIT or (row.live and row.verb in _BINDING)) and reached.intersection(row.members)
        )

    def concerning(self, ids: Sequence[str]) -> tuple[Decision, ...]:
        """Return all decisions that name one of some members, oldest first."""
        return _of(row for row in self._now().decisions.values() if set(ids).intersection(row.members))

    def put_members(self, document_id: str, members: Sequence[Member]) -> tuple[str, ...]:
        """Make these the members of a document's present version; return the ids of those that were and are not."""
        ids = {m.id for m in members}
        with self._writing() as state:
            gone = sorted(
                m.segment_id for m in state.members.values() if m.document_id == document_id and m.segment_id not in ids
            )
            for segment_id in gone:
                del state.members[segment_id]
            for m in members:
                fresh = compose(
                    MemberRow, m, m.segment, segment_id=m.id, document_id=document_id, salience=float(m.salience),
                    boost=float(m.boost), block_id="", similarity=1.0,
                )  # fmt: skip
                kept = state.members.get(m.id, fresh)
                state.members[m.id] = replace(kept, salience=fresh.salience, boost=fresh.boost, owner=fresh.owner)
            state.changed = bool(gone or members)
        return tuple(gone)

    def members(self, ids: Sequence[str]) -> dict[str, Member]:
        """Return those of the members that are live."""
        state = self._now()
        return {each: _member(state, state.members[each]) for each in sorted(set(ids)) if each in state.members}

    def members_of(self, *, documents: Sequence[str] = (), blocks: Sequence[str] = ()) -> tuple[str, ...]:
        """Return the ids of the live members of documents, or of blocks, by id."""
        rows = self._now().members.values()
        return tuple(sorted(m.segment_id for m in rows if m.document_id in documents or m.block_id in blocks))

    def settle(self, settlement: Settlement) -> None:
        """Put the blocks of some members in place of those that they had."""
        with self._writing() as state:
            collection = state.collections.get(settlement.collection)
            if collection is None:
                raise NotFoundError("collection", settlement.collection)
            vectors = clean_vectors(settlement.embeddings, collection.dim)
            rows = [golden_row(g, s, collection, state.rev + 1) for g, s in settlement.blocks]
            needed = {(row.document_id, key) for row in rows for key in (row.text_key, row.context_key) if key}
            if absent := {key for _, key in needed} - vectors.keys() - state.embeddings.keys():
                raise StoreCorruptError(
                    f"{len(absent)} embeddings are neither given nor stored, such as {min(absent)!r}"
                )
            for _, key in needed:
                if key not in state.embeddings:
                    state.embeddings[key] = vectors[key]
            state.uses |= needed
            touched = set(settlement.touched)
            before = touched | {state.members[each].block_id for each in touched if each in state.members}
            state.replace_blocks({b: state.blocks[b] for b in before if b in state.blocks}, rows)
            for each in touched.intersection(state.members):
                state.members[each] = replace(state.members[each], block_id="")
            for golden, _ in settlement.blocks:
                for m in golden.members:
                    state.members[m.id] = replace(
                        state.members[m.id], block_id=golden.id, similarity=float(m.similarity)
                    )
            state.changed = True

    def kept(self, ids: Sequence[str]) -> dict[str, Kept]:
        """Return live blocks of canonical collections as the ladder sees them."""
        state = self._now()
        return {each: _kept(state, each) for each in ids if each in state.blocks and each in state.members}

    def same_content(self, collection: str, hashes: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Return the blocks that a member of a content hash supports."""
        groups: dict[str, set[str]] = {}
        for m in self._now().members.values():
            if m.collection == collection and m.content_hash in hashes and m.block_id:
                groups.setdefault(m.content_hash, set()).add(m.block_id)
        return {content_hash: tuple(sorted(ids)) for content_hash, ids in groups.items()}

    def apart(self, collection: str, hashes: Sequence[str]) -> frozenset[tuple[str, str]]:
        """Return the pairs of content hashes kept apart that name one of these."""
        distinct = set(hashes)
        rows = [row for row in self._now().decisions.values() if row.live and row.collection == collection]
        pairs = [(low, high) for row in rows for low, high in row.detail.pairs]
        return frozenset(pair for pair in pairs if distinct.intersection(pair))

    def flags_of(self, ids: Sequence[str]) -> tuple[Decision, ...]:
        """Return the live flags that name one of some members, oldest first."""
        rows = self._now().decisions.values()
        return _of(row for row in rows if row.verb is Verb.FLAG and row.live and set(ids).intersection(row.members))

    def rulings_on(self, flags: Sequence[int]) -> tuple[Decision, ...]:
        """Return the live decisions that settle or assign some flags, oldest first."""
        return _of(row for row in self._now().decisions.values() if row.live and row.flag in flags)

    def within(self, seqs: Sequence[int]) -> tuple[Decision, ...]:
        """Return all decisions that are parts of some others, oldest first."""
        return _of(row for row in self._now().decisions.values() if row.detail.within in seqs)

    def open_on(self, blocks: Sequence[str]) -> tuple[Flag, ...]:
        """Return the open flags about some blocks, by number."""
        state = self._now()
        flags = [_flag(state, row) for _, row in sorted(state.flags.items()) if row.is_open]
        return tuple(flag for flag in flags if {flag.candidate, flag.of}.intersection(blocks))

    def put_flags(self, states: Sequence[Flag]) -> None:
        """Note what flags have come to."""
        with self._writing() as state:
            for f in states:
                fresh = compose(FlagRow, f, is_open=f.open)
                kept = state.flags.get(f.seq, fresh)
                state.flags[f.seq] = replace(
                    fresh, collection=kept.collection, candidate=kept.candidate, because=kept.because
                )
                state.changed = True

    def queue(self, criteria: QueueFilter, after: tuple[float, int] | None = None, limit: int = 50) -> tuple[Flag, ...]:
        """Return flags by worth or by likelihood, highest first, ties by number."""
        state = self._now()
        likelihoods = (
            {o.flag: o.likelihood for _, o in sorted(state.opinions.items())} if criteria.by_likelihood else {}
        )

        def place(f: FlagRow) -> tuple[float, int]:
            likelihood = likelihoods.get(f.seq)
            rank = likelihood if likelihood is not None else UNKNOWN
            return -(rank if criteria.by_likelihood else f.worth), f.seq

        rows = sorted((f for f in state.flags.values() if _passes(f, criteria)), key=place)
        if after is not None:
            rows = [f for f in rows if place(f) > (-after[0], after[1])]
        return tuple(_flag(state, row) for row in rows[:limit])

    def flag(self, seq: int) -> Flag | None:
        """Return one flag, or None."""
        state = self._now()
        return _flag(state, state.flags[seq]) if seq in state.flags else None

    def n_flags(self, criteria: QueueFilter) -> int:
        """Count flags."""
        return sum(_passes(f, criteria) for f in self._now().flags.values())


def _of(rows: Iterable[Decision]) -> tuple[Decision, ...]:
    return tuple(row for row in sorted(rows, key=lambda row: row.seq))


def _turn(state: OrgState, seq: int | None) -> None:
    """Tell anew whether a decision holds that a revert names, and then what that one takes back, and so on."""
    while seq is not None:
        if seq not in state.decisions:
            raise NotFoundError("decision", str(seq))
        holds = not any(row.reverts == seq and row.live for row in state.decisions.values())
        state.decisions[seq] = replace(state.decisions[seq], live=holds)
        seq = state.decisions[seq].reverts


def _member(state: OrgState, row: MemberRow) -> Member:
    document = state.present(row.document_id)
    segment = segment_of(state.segments[row.segment_id], state.placed(row.document_id)[row.segment_id])
    return compose(Member, row, document, segment=segment, document=document.name)


def _kept(state: OrgState, block_id: str) -> Kept:
    m = _member(state, state.members[block_id])
    s = m.segment
    rows = [row for row in state.members.values() if row.block_id == block_id]
    of = (s.text, s.content_hash, s.kind, s.language, s.section_role, s.rows, m.dated_at)
    return Kept(
        block_id,
        Candidate(*of, place=s.place, section=s.section, sender=m.sender, also_under=_headings(state, block_id)),
        frozenset(row.document_id for row in rows),
        frozenset(row.content_hash for row in rows),
        state.blocks[block_id].owner,
    )


def _headings(state: OrgState, block_id: str) -> tuple[str, ...]:
    """Return the headings over all that a block stands for, sorted."""
    return tuple(sorted({a.section for a in block(state, state.blocks[block_id]).attributions} - {""}))


def _flag(state: OrgState, row: FlagRow) -> Flag:
    now = {m.segment_id: m.block_id for m in state.members.values() if m.block_id}
    near = state.decisions[row.seq].detail.near
    return present(compose(Flag, row, open=row.is_open, near=near), now)


def _passes(flag: FlagRow, criteria: QueueFilter) -> bool:
    return (
        (criteria.is_open is None or flag.is_open is criteria.is_open)
        and (not criteria.collections or flag.collection in criteria.collections)
        and criteria.assignee in ("", flag.assignee)
        and criteria.because in ("", flag.because)
    )
