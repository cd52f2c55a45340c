"""Reranking: relevance orders, repeats stand last with what they repeat, conflicting facts are named."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saidonce.adapters.embed import open_embedder
from saidonce.errors import UsageError
from saidonce.foundation.ports import Embedder
from saidonce.foundation.text import terms, words
from saidonce.kb.rerank import MOST_DOCUMENTS, Reranked, RerankOptions, _AskedTerms, rerank

QUERY = "how long are backups kept?"
MENU = "The canteen serves soup and salad on Mondays."
KEPT = "Backups are kept for 30 days and then removed from all servers."
AGAIN = "Backups are kept for 30 days, and then removed from all servers."
OTHER = "Backups are kept for 90 days and then removed from all servers."


@pytest.fixture(scope="module")
def minilm() -> Embedder:
    return open_embedder("minilm")


def ranked(query: str, documents: list[str], embedder: Embedder, **changes: object) -> Reranked:
    return rerank(query, documents, embedder, RerankOptions(**changes))  # type: ignore[arg-type]


def places(result: Reranked) -> list[int]:
    return [each.index for each in result.documents]


def test_what_answers_stands_before_what_does_not(minilm: Embedder) -> None:
    result = ranked(QUERY, [MENU, KEPT], minilm)
    assert places(result) == [1, 0]
    best, last = result.documents
    assert 1.0 >= best.score > 0.5 > last.score >= 0.0


def test_a_repeat_stands_last_with_what_it_repeats(minilm: Embedder) -> None:
    result = ranked(QUERY, [KEPT, AGAIN, MENU], minilm)
    first, second, third = result.documents
    assert second.index == 2  # what says something else, however little it answers, stands before a repeat
    assert (third.score, third.also_in) == (0.0, first.index)
    assert first.repeated_by == (third.index,)
    assert {first.index, third.index} == {0, 1}
    assert result.conflicts == ()


def test_another_period_is_no_repeat_and_is_named(minilm: Embedder) -> None:
    result = ranked(QUERY, [KEPT, OTHER], minilm)
    assert [each.also_in for each in result.documents] == [None, None]
    (conflict,) = result.conflicts
    assert {conflict.index, conflict.of} == {0, 1}
    texts = {(o.a.text, o.b.text) for o in conflict.objections}
    assert texts & {("30 days", "90 days"), ("90 days", "30 days"), ("30", "90"), ("90", "30")}


def test_a_negation_is_no_repeat(minilm: Embedder) -> None:
    result = ranked(
        "may guests park here?", ["Guests may park in the yard.", "Guests may not park in the yard."], minilm
    )
    assert [each.also_in for each in result.documents] == [None, None]
    assert len(result.conflicts) == 1


def test_a_longer_text_is_no_repeat_of_a_shorter_one(minilm: Embedder) -> None:
    longer = f"{KEPT} Restoring one costs 25 euros."
    result = ranked(QUERY, [KEPT, longer], minilm)
    dropped = [each for each in result.documents if each.also_in is not None]
    assert all(each.index == 0 for each in dropped)  # at most the shorter one, whose content the longer one has


def test_of_exact_copies_the_first_stays(minilm: Embedder) -> None:
    result = ranked(QUERY, [MENU, KEPT, KEPT, KEPT], minilm)
    assert places(result) == [1, 0, 2, 3]
    assert [each.also_in for each in result.documents] == [None, None, 1, 1]
    assert result.documents[0].repeated_by == (2, 3)


def test_two_runs_and_any_company_give_the_same_scores(minilm: Embedder) -> None:
    once, again = (ranked(QUERY, [KEPT, MENU, OTHER], minilm) for _ in range(2))
    assert once == again


def test_blank_documents_answer_nothing_and_repeat_nothing(minilm: Embedder) -> None:
    result = ranked(QUERY, ["", "  \n", KEPT], minilm)
    assert places(result) == [2, 0, 1]
    assert [each.also_in for each in result.documents] == [None, None, None]
    assert [each.score for each in result.documents[1:]] == [0.0, 0.0]


def test_top_n_cuts_repeats_first(minilm: Embedder) -> None:
    result = ranked(QUERY, [KEPT, AGAIN, MENU], minilm, top_n=2)
    assert 2 in places(result)
    assert all(each.also_in is None for each in result.documents)
    assert len(result.documents[0].repeated_by) == 1


def test_what_lies_past_the_cut_of_tokens_is_still_no_repeat(minilm: Embedder) -> None:
    # Only the beginning is read for relevance; facts are compared in the whole texts.
    long = " ".join(f"Rule {n} of the house says that door {n} stays shut." for n in range(80))
    result = ranked("which door stays shut?", [f"{long} The fee is 20 euros.", f"{long} The fee is 35 euros."], minilm,
                    max_tokens_per_doc=40)  # fmt: skip
    assert [each.also_in for each in result.documents] == [None, None]


def test_a_cut_changes_what_is_read_for_relevance(minilm: Embedder) -> None:
    late = f"{MENU} " * 20 + KEPT
    whole, cut = (ranked(QUERY, [late], minilm, max_tokens_per_doc=n).documents[0].score for n in (4_096, 30))
    assert whole > cut


def test_words_alone_lift_a_document(minilm: Embedder) -> None:
    result = ranked("error ZX-4471", ["Error ZX-4472 means a worn belt.", "Error ZX-4471 means a worn belt."], minilm)
    assert places(result) == [1, 0]


@pytest.mark.parametrize(
    ("query", "documents", "changes", "message"),
    [
        (" ", [KEPT], {}, "query is empty"),
        (QUERY, [], {}, "no documents"),
        (QUERY, [KEPT] * (MOST_DOCUMENTS + 1), {}, str(MOST_DOCUMENTS)),
        (QUERY, [KEPT], {"top_n": 0}, "top_n"),
        (QUERY, [KEPT], {"max_tokens_per_doc": 0}, "max_tokens_per_doc"),
        ("x" * 5_000, [KEPT], {}, "5000 characters"),
        (QUERY, [KEPT, "word " * 200_000], {}, "document 1"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(
    query: str, documents: list[str], changes: dict[str, int], message: str, minilm: Embedder
) -> None:
    with pytest.raises(UsageError, match=message):
        ranked(query, documents, minilm, **changes)


WORDS = st.lists(st.sampled_from(["a", "an", "ab", "abs", "backups", "backup", "Bäcker", "x-ray", "3.5", "3", "don't"]))


@given(WORDS, WORDS.filter(any), st.sampled_from(["en", "de", "fr"]))
def test_what_is_counted_of_a_text_is_what_all_its_terms_say(text: list[str], query: list[str], tag: str) -> None:
    """Only words that begin as one of the query are stemmed; no term of the query is missed by that."""
    written, asked = " ".join(text), Counter(words(" ".join(query)))
    counts, n_words = _AskedTerms(list(asked), tag).counts(written)
    assert n_words == len(words(written))
    stems = [next(iter(terms(word, tag)), word) for word in asked]
    assert counts == tuple(terms(written, tag)[stem] for stem in stems)
