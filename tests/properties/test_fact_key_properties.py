"""The proof of the fact key: to whatever no guard objects states no figure, unit, date, version or name that is new."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import examples
from saidonce.foundation.model import Candidate, Equivalence, Relation, Rewording
from saidonce.foundation.text import content_hash, languages
from saidonce.matching import facts
from saidonce.matching.agreement import Agreement, agreement, says_the_same
from saidonce.matching.guards import REPEAT_GUARDS
from saidonce.matching.ladder import FactKey, Guard, first_objection, keep_first
from shared_data import shared

PARTS = (
    "The ladder of house {} is kept in the yard.",
    "The ladder of the {} house is kept in the yard",
    "Backups are kept for {} days in two regions.",
    "Backups are kept for {} days in 2 regions",
    "Files older than {} weeks are removed, from version {}.1 on.",
    "Since 3 March {} the office in Bremen is open until {} o'clock.",
    "The office in Bremen is open until {} pm since March {}.",
    "Das Büro ist seit {} Jahren bis {} Uhr geöffnet.",
    "Run `git pull origin v{}` and wait {} seconds.",
    "- step {}: pour {} ml of water",
    "备份保留{}天。",
)
VALUES = ("2", "two", "3", "30", "thirty", "30.0", "2.0", "2024", "1,000", "1000", "zwei", "10 km", "half")
PAIRS_A_SET = 250
LABELLED = ("doc_pairs", "coexisting_pairs", "kb_nist_pairs", "kb_citizens_pairs", "summedits")


class YesMan:
    """A judge that bears out everything; what it is asked must therefore be safe."""

    name = "yes"

    def judge(self, rewordings: Sequence[Rewording]) -> list[Equivalence]:
        return [Equivalence(is_same=True, score=1.0) for _ in rewordings]


GUARDS: dict[str, tuple[Guard, ...]] = {
    "repeats": REPEAT_GUARDS,
    "in a document": (says_the_same(None),),
    "in a document, judged": (says_the_same(YesMan()),),
}


@st.composite
def texts(draw: st.DrawFn) -> str:
    """One to three sentences with figures in several notations."""
    parts = draw(st.lists(st.sampled_from(PARTS), min_size=1, max_size=3))
    return " ".join(part.format(draw(st.sampled_from(VALUES)), draw(st.sampled_from(VALUES))) for part in parts)


def adds_figures(a: Candidate, b: Candidate) -> bool:
    return not FactKey(facts.figures).may_win(a, b)


def tagged(written: Sequence[str]) -> list[Candidate]:
    tags = languages(written)
    return [Candidate(text, content_hash(text), language=tag) for text, tag in zip(written, tags, strict=True)]


@pytest.mark.parametrize("use", GUARDS)
@settings(max_examples=examples(33, 100), deadline=None)
@given(st.lists(texts(), min_size=2, max_size=2), st.sampled_from(["en", "de", "und", None]))
def test_what_passes_the_guards_states_no_new_figure(use: str, written: list[str], language: str | None) -> None:
    a, b = tagged(written)
    if language is not None:
        a, b = (Candidate(c.text, c.content_hash, language=language) for c in (a, b))
    if a.content_hash != b.content_hash and adds_figures(a, b):
        assert first_objection(GUARDS[use], a, b)


def labelled() -> Iterator[tuple[Candidate, Candidate]]:
    for name in LABELLED:
        with gzip.open(shared(f"{name}.jsonl.gz"), "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        sides = tagged([row[side] for row in rows[:: max(1, len(rows) // PAIRS_A_SET)] for side in "ab"])
        yield from zip(sides[::2], sides[1::2], strict=True)


@pytest.mark.parametrize("use", GUARDS)
def test_neither_does_any_labelled_pair_that_passes(use: str) -> None:
    """Real texts, in both directions; only pairs with a new figure are asked about, so none may pass."""
    wrong = [
        (one.text, other.text)
        for a, b in labelled()
        for one, other in ((a, b), (b, a))
        if one.content_hash != other.content_hash
        and adds_figures(one, other)
        and not first_objection(GUARDS[use], one, other)
    ]
    assert wrong == []


@pytest.mark.parametrize("use", GUARDS)
@settings(max_examples=examples(20, 60), deadline=None)
@given(st.lists(texts(), max_size=12))
def test_with_guards_and_judge_the_key_changes_nothing(use: str, written: list[str]) -> None:
    """Every pair near, all as similar: what brute force keeps is kept."""
    ranked = tagged(written)
    pairs = [(i, j, 0.95) for j in range(len(ranked)) for i in range(j)]
    with_key = keep_first(ranked, pairs, GUARDS[use], key=FactKey(facts.figures))
    assert with_key == keep_first(ranked, pairs, GUARDS[use])
    kept: list[int] = []
    for fate in with_key:
        a = ranked[fate.index]
        same = [i for i in kept if ranked[i].content_hash == a.content_hash]
        free = [i for i in kept if not first_objection(GUARDS[use], a, ranked[i])]
        assert fate.of == next(iter((*same, *free, fate.index)))
        assert (fate.relation is Relation.KEPT) is not bool(same or free)
        kept += [fate.index] * (fate.relation is Relation.KEPT)


def test_a_judge_is_not_asked_to_lift_what_is_objected_to() -> None:
    a, b = tagged(["Backups of the archive are kept for 30 days.", "Backups of the archive are kept for 90 days."])
    assert agreement(a, b).agreement is Agreement.OBJECTED
    assert says_the_same(YesMan())(a, b)
