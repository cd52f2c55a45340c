"""A selection in bands, of which only the nearest pairs are listed, is the selection over all pairs."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from saidonce.foundation.model import Candidate, FactKind, Fate, Objection, Relation, Span, Vector
from saidonce.matching import selection
from saidonce.matching.guards import REPEAT_GUARDS
from saidonce.matching.ladder import FactKey, Guard, keep_first
from saidonce.matching.selection import SelectionOptions, fact_key, select_first
from saidonce.matching.vectors import Join, Pairs, near_pairs

OBJECTION = Objection(FactKind.NUMBER, Span(0, 0, ""), Span(0, 0, ""))
THRESHOLD = 0.90


def digits(content: str, _language: str) -> frozenset[str]:
    return frozenset(sign for sign in content if sign.isdigit())


def adds_digits(a: Candidate, b: Candidate) -> Sequence[Objection]:
    return (OBJECTION,) if digits(a.text, "") - digits(b.text, "") else ()


def adds_letters(a: Candidate, b: Candidate) -> Sequence[Objection]:
    return (OBJECTION,) if set(a.text) - set(b.text) else ()


@st.composite
def crowds(draw: st.DrawFn) -> tuple[list[Candidate], Vector]:
    """Texts of a few signs around one or two centres, so that most are near each other; some have one vector."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    texts = draw(st.lists(st.text("12345ab", max_size=4), min_size=1, max_size=60))
    centres = rng.standard_normal((draw(st.integers(1, 2)), 16))
    noise = rng.choice([0.0, 0.05, 0.2], (len(texts), 1)) * rng.standard_normal((len(texts), 16))
    rows = centres[rng.integers(0, len(centres), len(texts))] + noise
    vectors: Vector = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return [Candidate(f"{t} {n}" if n % 7 == 0 else t, f"hash {n // 2}") for n, t in enumerate(texts)], vectors


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    crowds(),
    st.integers(1, 40),
    st.integers(1, 5),
    st.booleans(),
    st.sampled_from([(2, 0.0), (5, 0.97), (1_000, 0.97)]),
)
def test_it_is_what_a_comparison_of_all_pairs_gives(
    monkeypatch: pytest.MonkeyPatch,
    crowd: tuple[list[Candidate], Vector],
    band: int,
    n_listed: int,
    keyed: bool,
    bounds: tuple[int, float],
) -> None:
    most, one_way_from = bounds
    texts, vectors = crowd
    guards: tuple[Guard, ...] = (adds_digits, adds_letters)
    monkeypatch.setattr(selection, "LISTED", n_listed)
    options = SelectionOptions(THRESHOLD, guards, most, band, one_way_from=one_way_from)
    keys = [FactKey(digits) if keyed else None for _ in range(2)]
    whole = keep_first(texts, near_pairs(vectors, THRESHOLD), guards, most, keys[0], one_way_from)
    assert select_first(texts.__getitem__, vectors, options, keys[1]) == whole


@settings(max_examples=50, deadline=None)
@given(crowds())
def test_a_key_changes_nothing_where_no_bound_is_met(crowd: tuple[list[Candidate], Vector]) -> None:
    texts, vectors = crowd
    options = SelectionOptions(THRESHOLD, (adds_digits, adds_letters), band=16)
    with_key = select_first(texts.__getitem__, vectors, options, FactKey(digits))
    assert with_key == select_first(texts.__getitem__, vectors, options)


def test_a_true_copy_is_found_behind_hundreds_of_nearer_rows_of_its_template() -> None:
    """The nearest rows are all held apart; the one that states its figure is the farthest of all."""
    n = 1_500
    turned = np.linspace(0.0, 0.4, n, dtype=np.float64)
    rows = [*turned, -0.02]
    vectors: Vector = np.stack([np.cos(rows), np.sin(rows)], axis=1).astype(np.float32)
    asked = 0

    def counted(a: Candidate, b: Candidate) -> Sequence[Objection]:
        nonlocal asked
        asked += 1
        return () if a.text.split()[0] == b.text.split()[0] else (OBJECTION,)

    def names(content: str, _language: str) -> frozenset[str]:
        return frozenset(content.split()[:1])

    texts = [*(Candidate(f"row{i}", f"hash {i}") for i in range(n)), Candidate(f"row{n - 1} again", "hash again")]
    fates = select_first(texts.__getitem__, vectors, SelectionOptions(THRESHOLD, (counted,), band=256), FactKey(names))
    assert (fates[-1].relation, fates[-1].of) == (Relation.NEAR, n - 1)
    assert asked < 3 * n


def test_memory_does_not_grow_with_the_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that are all near each other and all held apart: pairs are listed a band at a time, the nearest only."""
    most_listed = 0
    pairs_of = Join.pairs

    def counted(self: Join, start: int, stop: int) -> Pairs:
        nonlocal most_listed
        found = pairs_of(self, start, stop)
        most_listed = max(most_listed, len(found))
        return found

    monkeypatch.setattr(Join, "pairs", counted)
    n, band = 600, 50
    vectors: Vector = np.tile(np.array([[1.0, 0.0]], dtype=np.float32), (n, 1))
    options = SelectionOptions(THRESHOLD, (adds_digits,), band=band)
    fates = select_first(lambda i: Candidate(f"{i % 10}", f"{i}"), vectors, options, FactKey(digits))
    assert sum(f.relation is Relation.KEPT for f in fates) == 10
    held = SelectionOptions(THRESHOLD, (lambda _a, _b: (OBJECTION,),), most_asked=1, band=band)
    assert all(f.relation is Relation.KEPT for f in select_first(lambda i: Candidate(f"{i}", f"{i}"), vectors, held))
    assert most_listed <= band * (band // 2 + selection.LISTED)


def test_without_guards_the_nearest_kept_text_always_wins() -> None:
    rows = np.radians([0.0, 25.0, 50.0])
    vectors: Vector = np.stack([np.cos(rows), np.sin(rows)], axis=1).astype(np.float32)
    fates = select_first(lambda i: Candidate(f"{i}", f"{i}"), vectors, SelectionOptions(THRESHOLD, (), band=1))
    assert [f.of for f in fates] == [0, 0, 2]


def test_threads_change_nothing() -> None:
    rng = np.random.default_rng(4)
    rows = rng.standard_normal((3, 64))[rng.integers(0, 3, 300)] + 0.05 * rng.standard_normal((300, 64))
    vectors: Vector = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)

    def candidate_at(place: int) -> Candidate:
        return Candidate(f"{place % 20}", f"{place}")

    alone = select_first(candidate_at, vectors, SelectionOptions(THRESHOLD, (adds_digits,), band=50))
    with ThreadPoolExecutor(3) as pool:
        options = SelectionOptions(THRESHOLD, (adds_digits,), band=50, run=pool.map)
        assert select_first(candidate_at, vectors, options) == alone


def test_nothing_gives_nothing() -> None:
    none: tuple[Fate, ...] = ()
    empty: Vector = np.empty((0, 4), dtype=np.float32)
    assert select_first(lambda _i: Candidate("", ""), empty, SelectionOptions(THRESHOLD, ())) == none


def test_only_guards_that_object_to_every_added_figure_have_a_key() -> None:
    assert fact_key(REPEAT_GUARDS) is not None
    assert fact_key((adds_digits,)) is None
