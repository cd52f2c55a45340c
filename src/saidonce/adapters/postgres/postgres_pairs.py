"""The pair table in PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from saidonce.adapters.postgres.codec import to_json
from saidonce.adapters.postgres.connection import Database
from saidonce.adapters.postgres.postgres_write import Writer
from saidonce.foundation.model import (
    MOST_NEAR,
    Equivalence,
    Listed,
    NearBlock,
    NearText,
    Objection,
    PairCounts,
    PairRule,
    Rewording,
    TextPair,
)

BATCH = 5_000


class PostgresPairs:
    """Keeps the pair table of one organisation in PostgreSQL; see `saidonce.foundation.ports.PairTable`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def n_texts(self) -> int:
        """Count the different texts of live blocks."""
        return int(self._database.rows("count_texts")[0][0])

    def unlisted(self, model: str, similarity_from: float) -> tuple[int, tuple[str, ...]]:
        """Return the number of the last write of lists, and the texts of a model that wait for a list."""
        steps = self._database.rows("pair_step")
        rows = self._database.rows("unlisted", model=model, similarity_from=similarity_from)
        return int(steps[0][0]) if steps else 0, tuple(name for (name,) in rows)

    def full(self) -> dict[str, float]:
        """Return the similarity of the farthest text in each full list."""
        return dict(self._database.rows("full_lists", most=MOST_NEAR))

    def put_lists(
        self, owners: Sequence[str], near: Sequence[NearText], similarity_from: float, after: int
    ) -> Listed | None:
        """Add near texts to lists; None if somebody else has written meanwhile."""
        with self._database.turn() as turn:
            writer = Writer(turn)
            if writer.run("pair_step") != [(after,)]:
                return None
            named = sorted({*owners, *(n.owner for n in near), *(n.other for n in near)})
            known = {name for (name,) in writer.run("known_texts", texts=named)}
            short = {n.owner for n in near if n.other not in known}
            entries = [n for n in near if n.owner in known and n.other in known]
            _change(writer, "put_pairs", {(n.owner, n.other): n.similarity for n in entries})
            full = _trim(writer, sorted({n.owner for n in entries}))
            writer.run("set_listed", texts=sorted(known.intersection(owners) - short), similarity_from=similarity_from)
            ((step,),) = writer.run("count_step")
        return Listed(int(step), full)

    def unjudged(self, rule: PairRule, limit: int) -> tuple[TextPair, ...]:
        """Return pairs that were not compared, or compared under another rule."""
        return tuple(self._database.nouns(TextPair, "unjudged", guards=rule.guards, judge=rule.judge, limit=limit))

    def texts(self, names: Sequence[str]) -> dict[str, str]:
        """Return the words of some texts, by name."""
        return dict(self._database.rows("words", texts=sorted(set(names)))) if names else {}

    def put_answers(self, answered: Sequence[TextPair]) -> None:
        """Note what the comparison of listed pairs found."""
        if not answered:
            return
        ordered = sorted(answered, key=lambda pair: (pair.a, pair.b))
        with self._database.turn() as turn:
            Writer(turn).run(
                "put_answers",
                a=[p.a for p in ordered], b=[p.b for p in ordered], guards=[p.guards for p in ordered],
                agreement=[p.agreement for p in ordered], objections=[_json(p.objections) for p in ordered],
                unaccounted=[_json(p.unaccounted) for p in ordered], judge=[p.judge for p in ordered],
                judged=[p.judged for p in ordered],
                answers=[to_json(p.answers, tuple[tuple[Rewording, Equivalence], ...]) for p in ordered],
            )  # fmt: skip

    def among(self, names: Sequence[str]) -> tuple[TextPair, ...]:
        """Return the listed pairs both of whose texts are among some."""
        return tuple(self._database.nouns(TextPair, "pairs_among", texts=sorted(set(names)))) if names else ()

    def near_block(self, block_id: str) -> tuple[NearBlock, ...]:
        """Return the blocks near a live one."""
        return tuple(self._database.nouns(NearBlock, "near_block", block_id=block_id))

    def counts(self, rule: PairRule) -> PairCounts:
        """Count texts and pairs, and those that wait."""
        values = {"similarity_from": rule.similarity_from, "guards": rule.guards, "judge": rule.judge}
        return self._database.nouns(PairCounts, "pair_counts", **values)[0]

    def listed(self) -> Iterator[Sequence[TextPair]]:
        """Yield batches of all pairs."""
        yield from self._database.stream_nouns(TextPair, "all_pairs", BATCH)

    def drop(self) -> None:
        """Drop all pairs; every text waits for its list again."""
        with self._database.turn() as turn:
            writer = Writer(turn)
            writer.run("drop_pairs")
            writer.run("unlist_all")
            writer.run("count_step")


def _change(writer: Writer, query: str, entries: Mapping[tuple[str, str], float | None]) -> None:
    """Run a query over entries of lists, which are given by owner and other text."""
    sides: dict[tuple[str, str], list[bool]] = {}
    for owner, other in entries:
        sides.setdefault((min(owner, other), max(owner, other)), [False, False])[owner > other] = True
    pairs = sorted(sides)
    if not pairs:
        return
    values = {
        "a": [a for a, _ in pairs], "b": [b for _, b in pairs],
        "in_a": [sides[pair][0] for pair in pairs], "in_b": [sides[pair][1] for pair in pairs],
    }  # fmt: skip
    if query == "put_pairs":
        values["similarities"] = [entries.get((a, b), entries.get((b, a))) for a, b in pairs]
    writer.run(query, **values)


def _trim(writer: Writer, owners: Sequence[str]) -> dict[str, float]:
    """Shorten lists to their nearest texts; give the similarity of the farthest in each that is full then."""
    full: dict[str, float] = {}
    leaving: dict[tuple[str, str], float | None] = {}
    rows = writer.run("lists", owners=list(owners)) if owners else []
    for owner, group in groupby(rows, key=lambda row: str(row[0])):
        entries = list(group)
        if len(entries) >= MOST_NEAR:
            full[owner] = entries[MOST_NEAR - 1][2]
        leaving |= {(owner, other): None for _, other, _ in entries[MOST_NEAR:]}
    if leaving:
        _change(writer, "leave_lists", leaving)
        pairs = sorted({(min(pair), max(pair)) for pair in leaving})
        writer.run("drop_unlisted", a=[a for a, _ in pairs], b=[b for _, b in pairs])
    return full


def _json(objections: tuple[Objection, ...]) -> str:
    return to_json(objections, tuple[Objection, ...])
