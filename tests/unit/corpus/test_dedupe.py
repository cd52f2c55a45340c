"""What becomes of a corpus: nothing lost, drops point to kept rows, one digest however it is done."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conftest import examples
from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.corpus.dedupe import Deduped, DedupeOptions, KeepBy, dedupe, summary
from saidonce.corpus.dedupe.ranking import rank
from saidonce.errors import UsageError
from saidonce.foundation.model import Candidate, CorpusRow, Ending, Vector
from saidonce.foundation.text import content_hash, languages
from saidonce.matching.guards import REPEAT_GUARDS
from saidonce.matching.vectors import canonical_cosine

SAYS = (
    "Deleted files are kept for {} days and then removed from all backups.",
    "Deleted files are kept for {} days, and then removed from all backups!",
    "deleted files  are kept for {} days and then removed from all backups.",
    "The gate to the yard is open until {} in the evening.",
    "Residents may borrow the ladder of house {} from the caretaker.",
)
EMBEDDER = HashedEmbedder(64)


def row(number: int, text: str | None, trouble: str = "", dated_at: float | None = None) -> CorpusRow:
    return CorpusRow(number, f"{text}|{trouble}|{dated_at}", text, f"id {number}", dated_at, trouble)


@st.composite
def corpora(draw: st.DrawFn) -> list[CorpusRow]:
    """Texts that repeat each other word for word, in layout, nearly, or but for one number; some rows are broken."""
    rows = []
    for number in range(1, draw(st.integers(0, 20)) + 1):
        text = draw(st.sampled_from(SAYS)).format(draw(st.sampled_from([3, 9])))
        kind = draw(st.integers(0, 9))
        dated_at = draw(st.sampled_from([None, 1.0, 2.0]))
        rows.append(
            row(number, None, "broken") if kind == 0 else row(number, None if kind == 1 else text, "", dated_at)
        )
    return rows


def check(rows: list[CorpusRow], found: Deduped, threshold: float) -> None:
    assert [d.place for d in found.decisions] == list(range(len(rows)))
    vectors = EMBEDDER.embed([r.text or "-" for r in rows])
    for d in found.decisions:
        if d.ending in (Ending.EXACT, Ending.NEAR):
            assert d.of is not None
            assert found.decisions[d.of].ending.is_kept
            assert d.ending is Ending.NEAR or rows[d.of].text is not None
        if d.ending is Ending.NEAR:
            assert d.of is not None
            assert d.similarity >= threshold
            assert canonical_cosine(vectors[d.place], vectors[d.of]) == d.similarity
        if d.ending is Ending.HELD_APART:
            assert d.objections
        assert (d.ending is Ending.UNREADABLE) is bool(rows[d.place].trouble)


@settings(deadline=None, max_examples=examples(13, 40))
@given(corpora(), st.sampled_from(list(KeepBy)), st.booleans())
def test_every_row_ends_and_drops_point_to_kept_rows(rows: list[CorpusRow], keep_by: KeepBy, guarded: bool) -> None:
    wanted = DedupeOptions(0.9, keep_by) if guarded else DedupeOptions(0.9, keep_by, ())
    found = dedupe(rows, EMBEDDER, wanted)
    check(rows, found, 0.9)
    texts = {r.text for r in rows if r.text}
    assert bool(texts) is any(d.ending in (Ending.KEPT, Ending.HELD_APART) for d in found.decisions)


@settings(deadline=None, max_examples=examples(10, 30))
@given(corpora(), st.sampled_from(list(KeepBy)))
def test_threads_and_bands_decide_nothing(rows: list[CorpusRow], keep_by: KeepBy) -> None:
    plain = DedupeOptions(0.9, keep_by)
    expected = dedupe(rows, EMBEDDER, plain)
    for n_threads, band in ((2, 1_024), (1, 1), (2, 3)):
        assert dedupe(rows, EMBEDDER, replace(plain, n_threads=n_threads, band=band)) == expected


@settings(deadline=None, max_examples=examples(13, 40))
@given(corpora(), st.sampled_from([KeepBy.LONGEST, KeepBy.NEWEST]), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_decides_nothing_where_the_rows_say_which_to_keep(
    rows: list[CorpusRow], keep_by: KeepBy, chance: Random
) -> None:
    wanted = DedupeOptions(0.9, keep_by)
    expected = dedupe(rows, EMBEDDER, wanted)
    shuffled = chance.sample(rows, len(rows))
    found = dedupe(shuffled, EMBEDDER, wanted)
    assert found.digest == expected.digest
    assert sorted(r.identity for r, k in zip(rows, expected.kept, strict=True) if k) == sorted(
        r.identity for r, k in zip(shuffled, found.kept, strict=True) if k
    )


def test_first_keeps_what_comes_first_and_longest_what_says_most() -> None:
    rows = [row(1, SAYS[0].format(30)), row(2, SAYS[1].format(30)), row(3, SAYS[2].format(30))]
    first = dedupe(rows, EMBEDDER, DedupeOptions(0.8, KeepBy.FIRST))
    assert [d.ending for d in first.decisions] == [Ending.KEPT, Ending.NEAR, Ending.EXACT]
    longest = dedupe(rows, EMBEDDER, DedupeOptions(0.8, KeepBy.LONGEST))
    assert [(d.ending, d.of) for d in longest.decisions] == [(Ending.NEAR, 1), (Ending.KEPT, None), (Ending.NEAR, 1)]


def test_newest_keeps_the_latest_date_and_undated_rows_last() -> None:
    text = SAYS[0].format(30)
    rows = [row(1, text), row(2, text, dated_at=1.0), row(3, text, dated_at=2.0)]
    found = dedupe(rows, EMBEDDER, DedupeOptions(0.9, KeepBy.NEWEST))
    assert [(d.ending, d.of) for d in found.decisions] == [(Ending.EXACT, 2), (Ending.EXACT, 2), (Ending.KEPT, None)]


def test_another_fact_is_held_apart_with_both_spans_and_dropped_without_guards() -> None:
    rows = [row(1, SAYS[0].format(30)), row(2, SAYS[0].format(90))]
    held = dedupe(rows, EMBEDDER, DedupeOptions(0.8, KeepBy.FIRST)).decisions[1]
    assert (held.ending, held.of) == (Ending.HELD_APART, 0)
    assert [(o.a.text, o.b.text) for o in held.objections] == [("90 days", "30 days")]
    vectors = EMBEDDER.embed([r.text or "" for r in rows])
    assert held.similarity == canonical_cosine(vectors[0], vectors[1])
    assert dedupe(rows, EMBEDDER, DedupeOptions(0.8, KeepBy.FIRST, ())).decisions[1].ending is Ending.NEAR


def brute_force(rows: list[CorpusRow], threshold: float, keep_by: KeepBy) -> list[int]:
    """For each row the place that stands for it, by asking all guards about every kept row, nearest first."""
    texts = [r.text or "" for r in rows]
    ranked = rank(rows, keep_by)
    order = ranked.places
    vectors = EMBEDDER.embed(texts)
    pieces = [Candidate(t, content_hash(t), language=tag) for t, tag in zip(texts, languages(texts), strict=True)]
    stands: dict[int, int] = {}
    for place in order:
        kept = [p for p, of in stands.items() if p == of]
        near = [(-canonical_cosine(vectors[place], vectors[p]), order.index(p), p) for p in kept]
        same = [p for p in kept if pieces[p].content_hash == pieces[place].content_hash]
        free = [
            p
            for negative, _, p in sorted(near)
            if -negative >= threshold and not any(guard(pieces[place], pieces[p]) for guard in REPEAT_GUARDS)
        ]
        stands[place] = next(iter([*same, *free, place]))
    return [stands[order[ranked.of[place]]] for place in range(len(rows))]


def standing(found: Deduped) -> list[int | None]:
    return [d.place if d.ending.is_kept else d.of for d in found.decisions]


def test_a_copy_is_found_among_hundreds_of_rows_of_one_template() -> None:
    template = "The ladder of house {} may be borrowed from the caretaker on weekdays, for {} days at a time."
    rows = [row(n, template.format(n, n % 7 + 2)) for n in range(1, 401)]
    copies = [row(400 + n, template.format(n * 17, n * 17 % 7 + 2).replace("may be", "can be")) for n in range(1, 21)]
    found = dedupe([*rows, *copies], EMBEDDER, DedupeOptions(0.5, KeepBy.FIRST))
    assert [d.of for d in found.decisions[400:]] == [n * 17 - 1 for n in range(1, 21)]
    assert not any(d.undecided for d in found.decisions)


TOWNS = "Bremen Lisbon Ghent Turin Malmö Graz Lyon Cork Bern Oslo Riga Split Zadar Porto Siena".split()


def test_what_the_bound_on_questions_leaves_open_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("saidonce.corpus.dedupe.flow.MOST_ASKED", 3)
    rows = [row(n, f"The gate to the yard in {town} is open in the evening.") for n, town in enumerate(TOWNS[:7], 1)]
    found = dedupe(rows, EMBEDDER, DedupeOptions(0.5))
    assert [d.ending.is_kept for d in found.decisions] == [True] * 7
    assert [d.undecided for d in found.decisions if d.undecided] == [True] * 3
    assert all(d.ending is Ending.HELD_APART for d in found.decisions if d.undecided)
    assert summary(rows, found)["undecided"] == 3


def test_rows_that_state_another_figure_count_towards_no_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("saidonce.corpus.dedupe.flow.MOST_ASKED", 2)
    rows = [row(n, f"The gate of yard {n} is open until nine in the evening.") for n in range(2, 9)]
    found = dedupe([*rows, row(9, "The gate of yard 5 is open until 9 in the evening!")], EMBEDDER, DedupeOptions(0.5))
    assert not any(d.undecided for d in found.decisions)
    assert found.decisions[3].ending is Ending.NEAR or found.decisions[7].of == 3


@st.composite
def template_corpora(draw: st.DrawFn) -> list[CorpusRow]:
    """Rows of few templates, with and without figures, most of them near each other; some repeat an earlier one."""
    templates = (
        "The ladder of house {n} may be borrowed from the caretaker in {town} on weekdays.",
        "The ladder of the house in {town} may be borrowed from the caretaker on weekdays.",
        "On weekdays the ladder of house {n} may be borrowed from the caretaker in {town}.",
        "The ladder of the house in {town} can be borrowed from the caretaker on weekdays!",
        "The ladder of house {n} may be borrowed from the caretaker in {town} on weekdays. Ask at the desk for it.",
    )
    return [
        row(
            number,
            draw(st.sampled_from(templates)).format(n=draw(st.integers(2, 4)), town=draw(st.sampled_from(TOWNS[:3]))),
        )
        for number in range(1, draw(st.integers(1, 30)) + 1)
    ]


@settings(deadline=None, max_examples=examples(13, 40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(template_corpora(), st.integers(1, 4), st.integers(1, 9), st.sampled_from([KeepBy.LONGEST, KeepBy.FIRST]))
def test_with_guards_it_is_what_brute_force_gives(
    monkeypatch: pytest.MonkeyPatch, rows: list[CorpusRow], n_listed: int, band: int, keep_by: KeepBy
) -> None:
    """However few of the nearest rows are listed at first, and however the rows fall into bands."""
    monkeypatch.setattr("saidonce.matching.selection.LISTED", n_listed)
    found = dedupe(rows, EMBEDDER, DedupeOptions(0.4, keep_by, band=band))
    assert standing(found) == brute_force(rows, 0.4, keep_by)
    assert not any(d.undecided for d in found.decisions)


def test_a_true_copy_is_found_though_the_five_nearest_rows_state_something_else() -> None:
    """Without a figure: rows of one template, each copy far from its own original."""
    n = len(TOWNS)
    rows = [row(place, f"The office in {town} is open on weekdays.") for place, town in enumerate(TOWNS, 1)]
    copies = [row(n + place, f"The office in {town} is open on weekdays!!") for place, town in enumerate(TOWNS, 1)]
    turned = np.radians([*range(n), *((place + 7.4) % n for place in range(n))])
    vectors: Vector = np.stack([np.cos(turned), np.sin(turned)], axis=1).astype(np.float32)
    found = dedupe([*rows, *copies], vectors, DedupeOptions(0.9, KeepBy.FIRST))
    assert [d.of for d in found.decisions[n:]] == list(range(n))


@settings(deadline=None, max_examples=examples(8, 25))
@given(corpora())
def test_guards_are_asked_about_every_kept_row_that_is_near_enough(rows: list[CorpusRow]) -> None:
    told = [replace(r, trouble="") for r in rows if r.text]
    found = dedupe(told, EMBEDDER, DedupeOptions(0.6))
    assert standing(found) == brute_force(told, 0.6, KeepBy.LONGEST)


def test_a_command_with_one_word_less_is_another_command() -> None:
    rows = [
        row(1, "Run git pull origin master in the folder of the site."),
        row(2, "Run git pull origin in the folder of the site."),
    ]
    assert all(d.ending.is_kept for d in dedupe(rows, EMBEDDER, DedupeOptions(0.5)).decisions)


def test_a_chain_of_near_rows_never_drops_one_for_a_dropped_one() -> None:
    angles = np.radians([0.0, 25.0, 50.0])
    vectors: Vector = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    rows = [row(n, f"text {n}") for n in (1, 2, 3)]
    found = dedupe(rows, vectors, DedupeOptions(0.9, KeepBy.FIRST, ()))
    assert [(d.ending, d.of) for d in found.decisions] == [(Ending.KEPT, None), (Ending.NEAR, 0), (Ending.KEPT, None)]


def test_a_row_is_judged_by_its_own_vector_also_where_another_row_has_its_text() -> None:
    vectors: Vector = np.array([[1.0, 0.0], [0.96, 0.28], [0.0, 1.0]], dtype=np.float32)
    rows = [row(1, "a text"), row(2, "some text"), row(3, "some text")]
    found = dedupe(rows, vectors, DedupeOptions(0.9, KeepBy.FIRST, ()))
    assert [d.ending for d in found.decisions] == [Ending.KEPT, Ending.NEAR, Ending.KEPT]
    again = dedupe([rows[2], rows[1], rows[0]], vectors[::-1], DedupeOptions(0.9, KeepBy.FIRST, ()))
    assert [(d.ending, d.of) for d in again.decisions] == [(Ending.KEPT, None), (Ending.EXACT, 0), (Ending.KEPT, None)]


def test_the_digest_tells_decisions_apart() -> None:
    rows = [row(1, SAYS[0].format(30)), row(2, SAYS[0].format(90)), row(3, SAYS[3].format(9))]
    digests = {
        dedupe(rows, EMBEDDER, DedupeOptions(0.8, KeepBy.FIRST, guards)).digest
        for guards in (DedupeOptions().guards, ())
    }
    assert len(digests) == 2
    assert dedupe([], EMBEDDER).digest not in digests


def test_a_summary_counts_what_became_of_the_rows() -> None:
    rows = [row(1, SAYS[0].format(30)), row(2, SAYS[0].format(30)), row(3, None), row(4, None, "broken")]
    told = summary(rows, dedupe(rows, EMBEDDER))
    assert (told["rows"], told["kept"], told["dropped"]) == (4, 2, 1)
    assert told["by_ending"] == {"kept": 1, "held_apart": 0, "no_text": 1, "exact": 1, "near": 0, "unreadable": 1}
    assert [one["repeats"] for one in told["most_repeated"]] == [1]


@pytest.mark.parametrize("threshold", [0.0, -0.5, 1.01])
def test_a_threshold_that_makes_no_sense_is_refused(threshold: float) -> None:
    with pytest.raises(UsageError, match="threshold"):
        DedupeOptions(threshold)


def test_vectors_that_are_not_one_a_row_are_refused() -> None:
    with pytest.raises(UsageError, match="do not match 1 rows"):
        dedupe([row(1, "a")], np.eye(2, dtype=np.float32))


def test_copies_of_a_dropped_row_are_told_among_the_near_ones() -> None:
    """An ending says what a row is to the kept row; that it is a copy of another dropped one is told beside."""
    kept, other = SAYS[1].format(3), SAYS[0].format(3)
    rows = [row(n, text) for n, text in enumerate((other, kept, other, kept), 1)]
    found = dedupe(rows, EMBEDDER, DedupeOptions(threshold=0.5, keep_by=KeepBy.LONGEST))
    told = summary(rows, found)
    assert {name: n for name, n in told["by_ending"].items() if n} == {"kept": 1, "exact": 1, "near": 2}
    assert told["near_copies"] == 1
    assert summary(rows[:2], dedupe(rows[:2], EMBEDDER, DedupeOptions(threshold=0.5)))["near_copies"] == 0
