"""One table of words that say little: lists that are well formed, and apart where they have to be."""

from __future__ import annotations

import tomllib
from importlib.resources import files

import pytest

from saidonce.foundation.stop_words import stop_words
from saidonce.foundation.text import terms
from saidonce.repairs.conversation import lexicon

TABLE = tomllib.loads((files("saidonce.foundation") / "data" / "stop_words.toml").read_text("utf-8"))


@pytest.mark.parametrize("name", TABLE)
def test_a_list_holds_each_word_once_in_lower_case(name: str) -> None:
    written = TABLE[name]["words"].split()
    assert written == [word.lower() for word in written]
    assert len(written) == len(set(written)) == len(stop_words()[name])


def test_a_search_finds_what_a_report_calls_vague_and_skips_words_of_grammar() -> None:
    assert set(terms("how do we fix the leak")) == {"fix", "leak"}
    assert {"fix", "leak", "the"} <= lexicon.VAGUE
    assert not lexicon.VAGUE & {"how", "do"}


def test_no_two_lists_are_one() -> None:
    lists = list(stop_words().values())
    assert len(set(lists)) == len(lists)
    assert stop_words()["phrase"] < stop_words()["search"]
