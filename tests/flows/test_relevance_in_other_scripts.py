"""Questions in scripts that the built-in model does not read find what answers them, and nothing where nothing does."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from saidonce.adapters.embed.minilm import MiniLM
from saidonce.foundation.context import Context
from saidonce.foundation.model import Filters
from saidonce.kb.ingest import ingest
from saidonce.kb.search import SearchIndex, SearchReport, search
from saidonce.testing.memory import MemoryStore
from world import source, wired

CASES = Path(__file__).parents[1] / "cases" / "relevance"


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (CASES / name).read_text(encoding="utf-8").splitlines()]


PAGES, QUESTIONS = lines("other_scripts_pages.jsonl"), lines("other_scripts.jsonl")
LANGUAGES = sorted({question["id"].partition("-")[0] for question in QUESTIONS})
ALL = "all"


@cache
def base(language: str) -> tuple[Context, SearchIndex]:
    """A base of the pages of one language, or of all."""
    embedder = MiniLM()
    context = wired(MemoryStore("org"), embedder)
    pages = [page for page in PAGES if language in (ALL, page["language"])]
    ingest(context, [source(page["name"], page["text"]) for page in pages], "main", None)
    return context, SearchIndex(embedder.model, embedder.dim)


def ask(language: str, query: str) -> SearchReport:
    context, index = base(language)
    return search(context, index, query, Filters(), 5)


def each(is_answered: bool) -> list[Any]:
    return [
        pytest.param(language, question, id=f"{question['id']}-in-{language}")
        for question in QUESTIONS
        if (question["answer"] is not None) is is_answered
        for language in (question["id"].partition("-")[0], ALL)
    ]


@pytest.mark.parametrize(("language", "question"), each(is_answered=True))
def test_a_question_finds_its_answer_first(language: str, question: dict[str, Any]) -> None:
    hits = ask(language, question["text"]).hits
    assert [hit.block.document for hit in hits][:1] == [question["answer"]]


@pytest.mark.parametrize(("language", "question"), each(is_answered=False))
def test_nothing_answers_what_is_not_there(language: str, question: dict[str, Any]) -> None:
    assert ask(language, question["text"]).hits == ()


def test_a_hit_says_that_its_cosine_did_not_count() -> None:
    (hit, *_) = ask(ALL, "押金什么时候退还？").hits
    assert hit.evidence is not None
    assert hit.evidence.held == ("押金", "退还")
    assert hit.evidence.in_words.startswith("the model does not read the query's script; holds 押金, 退还 (100%")


def test_a_question_of_small_words_alone_finds_nothing() -> None:
    assert ask(ALL, "这是什么？").hits == ()


def test_names_of_latin_letters_are_found_in_another_script() -> None:
    context = wired(MemoryStore("org"), (embedder := MiniLM()))
    ingest(context, [source("gp.md", "GP-400 的保修期为自购买之日起二十四个月。")], "main", None)
    index = SearchIndex(embedder.model, embedder.dim)
    assert search(context, index, "GP-400 保修多久？", Filters()).hits != ()


YARD = {
    "visitors.md": "访客可以在院子里停车。",
    "fee.md": "院子里的停车费每月二十元。",
    "bicycles.md": "自行车不可以在院子里的停车位停放。",
    "deliveries.md": "送货车可以在门口停车十分钟。",
    "deposit.md": "押金是三个月的租金，退房后两个月内退还。",
    "moving.md": "退房时要检查房间，然后退还押金。",
    "dogs.md": "养狗需要付押金。",
    "laundry.md": "洗衣房在地下室，晚上十点关门。",
}
PARKING = {"visitors.md", "fee.md", "bicycles.md", "deliveries.md"}
DEPOSIT = {"deposit.md", "moving.md", "dogs.md"}


@pytest.fixture(scope="module")
def yard() -> tuple[Context, SearchIndex]:
    embedder = MiniLM()
    context = wired(MemoryStore("org"), embedder)
    ingest(context, [source(name, text) for name, text in YARD.items()], "main", None)
    return context, SearchIndex(embedder.model, embedder.dim)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("停车 押金", PARKING | DEPOSIT),
        ("停车和押金", PARKING | DEPOSIT),
        ("停车", PARKING),
        ("停车 火星", set()),  # a word that nothing holds
        ("火星 飞机", set()),
        ("车 房", set()),  # single characters are parts of many words
        ("停车 火星 押金", set()),  # a third
        ("洗衣 地下室", {"laundry.md"}),  # in one block together
    ],
)
def test_two_words_of_a_query_that_stand_in_no_block_together_find_each(
    yard: tuple[Context, SearchIndex], query: str, found: set[str]
) -> None:
    context, index = yard
    hits = search(context, index, query, Filters(), 10).hits
    assert {twin.document for hit in hits for twin in (hit.block, *(t.block for t in hit.also_in))} == found
