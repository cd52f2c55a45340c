"""The contrast generator: one fact changed, or none, and always the same."""

import pytest

from saidonce.matching.facts import compare
from saidonce.quality.contrast import Contrast, Level, Meaning, contrasts

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


def test_the_guard_tells_changed_from_rewritten() -> None:
    found = [(c, bool(compare(c.original, c.altered).objections)) for c in _all()]
    changed = [objects for c, objects in found if c.relation is Meaning.CHANGED]
    rewritten = [objects for c, objects in found if c.relation is Meaning.REWRITTEN]
    assert sum(changed) >= 0.97 * len(changed)
    assert sum(rewritten) <= 0.2 * len(rewritten)
