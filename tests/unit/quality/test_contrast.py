"""The contrast generator: one fact changed, or none, and always the same."""

import pytest

from near_texts import Credulous, Unanimous
from saidonce.quality.contrast import Contrast, Level, contrasts, judge, report, wrong
from saidonce.quality.excerpts import Meaning

TEXT = """Every tenant must report a leak to Marlow within 30 days. The pump is checked daily by the owner.
If the alarm rings, the guard opens the gate before noon. The lease began on March 3, 2021 in Keldon.

The archive is not public, and the limit is 25 MB. Install version 2.4.1 because it contains additional checks.
The bus runs from town to harbour. It does not stop for example at night."""


def _all(seed: int = 7) -> list[Contrast]:
    return list(contrasts([TEXT], seed))


def test_the_same_seed_gives_the_same_contrasts() -> None:
    assert _all() == _all()
    assert _all(1) != _all(2)


@pytest.mark.parametrize(
    "kind", ["number", "unit", "date", "version", "negation", "modality", "frequency", "opposite", "name", "role"]
)
def test_every_kind_of_fact_is_changed(kind: str) -> None:
    found = [c for c in _all() if c.kind == kind and c.relation is Meaning.CHANGED]
    assert {c.level for c in found} == {Level.SENTENCE, Level.BLOCK}


@pytest.mark.parametrize(
    "kind",
    ["notation", "date notation", "contraction", "synonym", "layout", "case", "punctuation", "clause order"],
)
def test_every_kind_of_rewrite_is_made(kind: str) -> None:
    assert any(c.kind == kind and c.relation is Meaning.REWRITTEN for c in _all())


def test_nothing_is_made_where_the_fact_is_missing() -> None:
    kinds = {c.kind for c in contrasts(["Birds sing in the old garden."], 7) if c.relation is Meaning.CHANGED}
    assert not kinds & {"number", "unit", "date", "version", "modality", "frequency", "negation", "role"}


def test_a_block_alters_one_sentence_only() -> None:
    for c in _all():
        assert c.original != c.altered
        assert c.original in TEXT
        assert (c.level is Level.BLOCK) == (c.original.count(".") > 1 and len(c.original) > 100)


def test_code_and_tables_are_left_alone() -> None:
    assert not list(contrasts(["| a | b |\n| 1 | 2 |", "x = 5", ""], 7))


def test_the_ladder_tells_changed_from_rewritten() -> None:
    judged = judge(_all(), Unanimous(), lambda _n: None)
    changed = [j.is_lost for j in judged if j.contrast.relation is Meaning.CHANGED]
    rewritten = ["repeat" in j.uses for j in judged if j.contrast.relation is Meaning.REWRITTEN]
    assert sum(changed) <= 0.1 * len(changed)
    assert sum(rewritten) >= 0.7 * len(rewritten)


class TestTheReport:
    kinds = (
        Contrast("number", Meaning.CHANGED, "It costs 3 pounds here.", "It costs 4 pounds here.", Level.SENTENCE),
        Contrast("layout", Meaning.REWRITTEN, "It costs 3 pounds here.", "It costs 3  pounds here.", Level.SENTENCE),
        Contrast(
            "synonym", Meaning.REWRITTEN, "The lobby shuts in the evening.", "The foyer shuts in the evening.",
            Level.SENTENCE,
        ),
    )  # fmt: skip

    def test_counts_each_use_and_closes_with_all(self) -> None:
        judged = judge(self.kinds, Unanimous(), lambda _n: None)
        changed, all_changed, layout, synonym, all_rewritten = report(judged)
        assert (changed.kind, all_changed.kind, layout.kind, synonym.kind) == ("number", "all", "layout", "synonym")
        assert (changed.cosine.n, changed.repeat.n, changed.canonical.n, changed.gate.n, changed.any_use.n) == (
            1,
            0,
            0,
            0,
            0,
        )
        assert (layout.repeat.n, layout.canonical.n, synonym.repeat.n) == (1, 1, 0)
        assert (all_rewritten.repeat.n, all_rewritten.repeat.of, all_rewritten.judged) == (1, 2, None)
        assert [row["kind"] for row in wrong(judged)] == ["synonym"]

    def test_shows_what_a_judge_bears_out(self) -> None:
        changed, _, _, synonym, all_rewritten = report(judge(self.kinds, Unanimous(), lambda _n: None, Credulous()))
        assert changed.judged is not None
        assert (changed.judged.n, changed.any_use.n) == (0, 0)
        assert synonym.judged is not None
        assert (synonym.judged.n, synonym.repeat.n, all_rewritten.any_use.n) == (1, 0, 2)

    def test_of_a_member_less_the_longer_text_is_the_candidate(self) -> None:
        longer, shorter = "The bag is for maps, tools and water.", "The bag is for maps and water."
        contrast = Contrast("member missing", Meaning.CHANGED, longer, shorter, Level.SENTENCE, keeps_altered=True)
        (judged,) = judge([contrast], Unanimous(), lambda _n: None)
        assert not judged.is_lost
        assert "tools" in judged.verdict.objections[0].a.text
