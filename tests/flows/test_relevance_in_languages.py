"""Questions in languages that the built-in model reads badly or not at all, in a base of five and in one of each.

The numbers are those of `python -m benchmarks.relevance_languages`, with room for a few questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial

import pytest
from benchmarks.relevance import K
from benchmarks.relevance_languages import ALL, GARDEN, Figures, figures, passages, questions, sources

from saidonce.adapters.embed.minilm import MiniLM
from saidonce.foundation.context import Context
from saidonce.foundation.model import Filters
from saidonce.kb.ingest import ingest
from saidonce.kb.search import Hit, SearchIndex, search
from saidonce.testing.memory import MemoryStore
from world import wired


@cache
def base(language: str) -> tuple[Context, SearchIndex]:
    """A base of the passages of one language, or of all."""
    embedder = MiniLM()
    context = wired(MemoryStore("org"), embedder)
    among = passages(GARDEN if language == GARDEN else "questions")
    ingest(context, sources([one for one in among if language in (ALL, GARDEN, one.language)]), "main", None)
    return context, SearchIndex(embedder.model, embedder.dim)


def ask(language: str, query: str) -> Sequence[Hit]:
    context, index = base(language)
    return search(context, index, query, Filters(), K).hits


@cache
def measured(language: str, where: str) -> Figures:
    texts = {one.id: one.text for one in passages()}
    return figures([one for one in questions() if one.language == language], texts, partial(ask, where))


LEAST_SHOWN = {"zh": 19, "ja": 14, "de": 6, "es": 13, "fr": 13}
"""Of 25; the German ones share hardly a word with their passages."""

MOST_ANSWERED = {"zh": 1, "ja": 2, "de": 3, "es": 6, "fr": 9}
"""Of 15 that nothing answers."""

EACH = [pytest.param(one, where, id=f"{one}-in-{where}") for one in LEAST_SHOWN for where in (one, ALL)]


@pytest.mark.parametrize(("language", "where"), EACH)
def test_questions_find_their_passage(language: str, where: str) -> None:
    assert measured(language, where).n_shown >= LEAST_SHOWN[language]


@pytest.mark.parametrize(("language", "where"), EACH)
def test_most_questions_that_nothing_answers_find_nothing(language: str, where: str) -> None:
    assert measured(language, where).n_answered <= MOST_ANSWERED[language]


@pytest.mark.parametrize(("language", "where"), EACH)
def test_few_wrong_first_hits_are_said_to_be_surely_relevant(language: str, where: str) -> None:
    assert sum(relevance >= 0.9 for relevance in measured(language, where).wrong_first) <= 3


def test_a_text_that_is_only_alike_in_its_letters_stays_out() -> None:
    hits = ask("zh", "E5是什么意思？")
    assert [hit.block.text for hit in hits] == ["显示屏闪烁E5表示温度传感器接触不良，应送修。"]
    assert all(not hit.also_in for hit in hits)


LEAST_OF_GARDEN = {"ja": 4, "ko": 5, "zh": 5, "ar": 3, "it": 5, "pt": 5, "nl": 5, "pl": 5}
"""Of 5. What is missing shares a root with its passage, and no form."""


@pytest.mark.parametrize("language", sorted(LEAST_OF_GARDEN))
def test_questions_find_their_passage_by_forms_and_parts_of_its_words(language: str) -> None:
    texts = {one.id: one.text for one in passages(GARDEN)}
    asked = [one for one in questions(GARDEN) if one.language == language]
    measure = figures(asked, texts, partial(ask, GARDEN))
    assert measure.n_shown >= LEAST_OF_GARDEN[language]
    assert measure.n_answered <= 2
