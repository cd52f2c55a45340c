"""The requirements' own examples, word for word, with the similarities that they name given as vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from saidonce.foundation.model import Equivalence, FactKind, Relation, Rewording, Vector
from saidonce.foundation.ports import EquivalenceJudge, QueueFilter
from saidonce.kb.ingest import DocumentReport
from saidonce.kb.search.repeats import RepeatRule, fates_down_to, front
from saidonce.matching.agreement import says_the_same
from saidonce.matching.guards import candidate
from saidonce.matching.vectors import canonical_cosine
from saidonce.testing import MemoryStore
from world import CountingEmbedder, FixedClock, World, wired

CONTACT = "Contact us at support@example.com"
LEARNING = (
    "Machine learning models require training data",
    "ML systems need data for training",
    "Training data is essential for ML",
)
ENGLISH = (
    "This page is an introduction to the tools that the team has built for its own use, and it is written for all of"
    " those who have just joined and would like to know what is there."
)
"""Tells the language of the document; a line of five words alone does not."""

AUTH = (
    "Authentication is configured via config.yaml...",
    "Configure auth using the config.yaml file...",
    "Set the API key in environment variables...",
)
THRESHOLDS = (
    "| Auto-merge | Investigate | False merges (per 100) | Missed merges (per 100) |",
    "|---|---|---|---|",
    "| 0.90 / 0.78 | 0.78 | 9 | 4 |",
    "| 0.92 / 0.80 | 0.80 | 5 | 6 |",
    "| 0.94 / 0.82 | 0.82 | 2 | 11 |",
    "| 0.96 / 0.85 | 0.85 | 0 | 18 |",
)
DIM = 64


class GivenVectors(CountingEmbedder):
    """Texts of one group have given cosines to the first of it; all others are hashed."""

    def __init__(self, *groups: Mapping[str, float]) -> None:
        super().__init__(DIM)
        self.given: dict[str, Vector] = {}
        for number, group in enumerate(groups):
            for place, (text, cosine) in enumerate(group.items()):
                row = np.zeros(DIM)
                row[8 * number] = cosine
                row[8 * number + place] += np.sqrt(1.0 - cosine**2)
                self.given[text] = row.astype(np.float32)

    def embed(self, texts: Sequence[str]) -> Vector:
        rows = super().embed(texts)
        for place, text in enumerate(texts):
            rows[place] = self.given.get(text, rows[place])
        return rows


class BearsOut:
    """A judge that bears out every pair of some sentences, and nothing else."""

    def __init__(self, *same: str) -> None:
        self.name = "scripted"
        self.same = set(same)

    def judge(self, rewordings: Sequence[Rewording]) -> list[Equivalence]:
        same = [{r.a, r.b} <= self.same for r in rewordings]
        return [Equivalence(is_same, float(is_same)) for is_same in same]


LEARNING_VECTORS = GivenVectors(dict(zip(LEARNING, (1.0, 0.92, 0.91), strict=True)))


def base(embedder: CountingEmbedder, judge: EquivalenceJudge | None = None, **settings: Any) -> World:
    made = World(wired(MemoryStore("north", clock=FixedClock()), embedder, **settings), embedder)
    made.base = replace(made.base, judge=judge)
    return made


def page(*parts: str) -> str:
    return "\n\n".join((f"# Start\n\n{ENGLISH}", *(f"# Part {n}\n\n{part}" for n, part in enumerate(parts, 1))))


class TestExactDuplicate:
    def test_keep_a_drop_b_no_boost(self) -> None:
        made = base(CountingEmbedder())
        report = made.put("page.md", page(CONTACT, CONTACT))
        assert (report.n_exact, report.n_near, report.boosts) == (1, 0, ())
        assert [b.text for b in made.blocks()].count(CONTACT) == 1


class TestNearDuplicate:
    def put(self, judge: EquivalenceJudge | None, **settings: Any) -> tuple[World, DocumentReport]:
        made = base(LEARNING_VECTORS, judge, **settings)
        return made, made.put("page.md", page(*LEARNING))

    def test_the_vectors_have_the_similarities_that_the_example_names(self) -> None:
        first, *others = LEARNING_VECTORS.embed(LEARNING)
        assert [round(canonical_cosine(first, v), 3) for v in others] == [0.92, 0.91]

    def test_a_is_kept_with_30_percent_for_two_near_repeats_in_linear_mode(self) -> None:
        made, report = self.put(BearsOut(*LEARNING), boost_decay="linear")
        assert report.n_near == 2
        assert report.boosts == pytest.approx((0.30,))
        (block,) = (b for b in made.blocks() if b.text in LEARNING)
        assert block.text == LEARNING[0]
        assert [(a.text, a.relation) for a in block.attributions] == [
            (LEARNING[0], Relation.KEPT),
            (LEARNING[1], Relation.NEAR),
            (LEARNING[2], Relation.NEAR),
        ]

    def test_in_logarithmic_mode_they_make_23_8_percent(self) -> None:
        _, report = self.put(BearsOut(*LEARNING))
        assert report.boosts == pytest.approx((0.2377,), abs=1e-4)

    @pytest.mark.parametrize(("decay", "expected"), [("linear", 0.45), ("logarithmic", 0.30)])
    def test_three_near_repeats_make_45_and_30_percent(self, decay: str, expected: float) -> None:
        fourth = "Models in machine learning must have training data"
        texts = (*LEARNING, fourth)
        made = base(GivenVectors(dict(zip(texts, (1.0, 0.92, 0.91, 0.91), strict=True))), BearsOut(*texts))
        made.set(boost_decay=decay)
        report = made.put("page.md", page(*texts))
        assert report.n_near == 3
        assert report.boosts == pytest.approx((expected,))

    def test_without_a_judge_all_three_stay_and_none_is_boosted(self) -> None:
        made, report = self.put(None)
        assert (report.n_near, report.n_held_apart, report.boosts) == (0, 2, ())
        assert {b.text for b in made.blocks()} >= set(LEARNING)


class TestRetrieval:
    """The example's ranking, as it stands: places 1 to 3 by their fused score."""

    def fates(self, judge: EquivalenceJudge | None) -> list[tuple[str, int]]:
        embedder = GivenVectors(dict(zip(AUTH[:2], (1.0, 0.93), strict=True)))
        made = base(embedder)
        made.ingest({"a.md": page(AUTH[0], AUTH[2]), "b.md": page(AUTH[1])})
        by_text = {b.text: b for b in made.blocks()}
        ranked = [replace(candidate(by_text[text]), language="en") for text in AUTH]
        found = fates_down_to(3, front(ranked, list(embedder.embed(AUTH))), RepeatRule(0.90, (says_the_same(judge),)))
        return [(AUTH[f.of], f.index) for f in found if f.relation is Relation.KEPT]

    def test_the_lower_of_two_passages_that_say_the_same_is_dropped(self) -> None:
        assert self.fates(BearsOut(*AUTH[:2])) == [(AUTH[0], 0), (AUTH[2], 2)]

    def test_without_a_judge_all_three_are_shown(self) -> None:
        assert self.fates(None) == [(text, place) for place, text in enumerate(AUTH)]


def parsed(table: Sequence[str]) -> str:
    """The text of a table's segment: cells with bars between them, without the rule below the header."""
    return "\n".join(row.strip("| ") for row in table if not row.startswith("|--"))


class TestBlocks:
    """What the second requirement's table and conflicts come to in a canonical collection."""

    def put(self, old: str, new: str, similarity: float) -> World:
        shown = [parsed(t.split("\n")) for t in (old, new)]
        embedder = GivenVectors(dict(zip(shown, (1.0, similarity), strict=True)))
        made = base(embedder, collection_use="canonical", salience_floor=0.0)
        made.ingest({"old.md": old, "new.md": new})
        return made

    @pytest.mark.parametrize("similarity", [0.83, 0.97, 1.0])
    @pytest.mark.parametrize(
        ("old", "new", "kind"),
        [
            ("30-day retention", "90-day retention", FactKind.NUMBER),
            ("we support X", "we do not support X", FactKind.NEGATION),
            ("\n".join(THRESHOLDS[:-1]), "\n".join(THRESHOLDS), FactKind.TABLE_SHAPE),
            ("\n".join(THRESHOLDS), "\n".join(THRESHOLDS).replace("| 2 | 11 |", "| 3 | 11 |"), FactKind.NUMBER),
        ],
        ids=["retention", "support", "a row added", "a figure changed"],
    )
    def test_what_differs_is_flagged_for_a_person_and_both_stay(
        self, old: str, new: str, kind: FactKind, similarity: float
    ) -> None:
        made = self.put(old, new, similarity)
        assert len(made.blocks()) == 2
        (flag,) = made.base.store.ledger.queue(QueueFilter())
        assert {o.kind for o in flag.near[0].objections} == {kind}

    def test_the_same_table_twice_is_one_block_with_both_sources(self) -> None:
        table = "\n".join(THRESHOLDS)
        made = self.put(f"{table}\n\n{ENGLISH}", table, 1.0)
        (block,) = (b for b in made.blocks() if b.rows)
        assert sorted(a.document for a in block.attributions) == ["new.md", "old.md"]
        assert block.rows[1:] == tuple(tuple(c.strip() for c in r.strip("|").split("|")) for r in THRESHOLDS[2:])
