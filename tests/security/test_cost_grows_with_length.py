"""What a text costs grows as it does, whatever it is made of: no pattern and no reader takes more than its share."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import pytest

from saidonce.documents.parse.reading import parse
from saidonce.foundation.model import Candidate
from saidonce.foundation.text import content_hash, folded, normalise, words
from saidonce.interfaces.http.rich_text import rich
from saidonce.matching.compared import compared
from saidonce.matching.diff import marked
from saidonce.matching.facts.compare import compare
from saidonce.matching.guards import reasons_of
from saidonce.repairs.conversation.emergency import calms, find_dangers, named_pack
from saidonce.repairs.conversation.foreign_dangers import find_foreign

pytestmark = pytest.mark.slow  # processor time is measured, which other work in the same process disturbs

SHORT, LONG = 4_000, 16_000
MOST_GROWTH = 9.0
LEAST_S = 0.4
"""Ten thousand characters in a quarter of a second are nobody's trouble."""

TEXTS: dict[str, str] = {
    "one letter": "a",
    "one capital": "A",
    "spaces": " ",
    "line ends": "\n",
    "digits": "7",
    "numbers": "1,",
    "dots": ".",
    "dates": "1/1/",
    "hyphens": "a-",
    "quotes": "\"'",
    "brackets": "(",
    "pairs of brackets": "([{<",
    "slashes": "a/",
    "at signs": "a@",
    "stars": "*",
    "double stars": "**a",
    "underscores": "_a_",
    "ticks": "`",
    "hashes": "# ",
    "bars": "| a ",
    "quotes of lines": "> ",
    "lists": "- a\n",
    "links": "[a](",
    "pictures": "![",
    "entities": "&amp;",
    "elements": "<a>",
    "denials": "not no never ",
    "one word": "boiler ",
    "words that differ": "boiler1 ",
    "units": "5 m ",
    "money": "\u00a35,",
    "questions": "why? ",
    "gas": "gas ",
    "gas with a gap": "smell of ",
    "calm words": "not a fire ",
    "names": "Ann Bo ",
    "compounds": "schiff",
    "Chinese": "\u4e2d",
    "Arabic": "\u0633\u0644\u0627\u0645 ",
    "Thai": "\u0e01\u0e32",
    "marks": "\u0301",
    "pictures of fire": "\U0001f525",
    "abbreviations": "e.g. ",
    "sentences": "It is so. ",
    "clauses": "if a, b; ",
    "equal signs": "=",
    "backslashes": "\\",
    "math": "$x$ ",
    "tabs": "a\t",
    "rows": "a | b\n",
    "fenced boxes": ":::{note}\n",
    "indented boxes": "!!! note\n    ",
    "keys": "a: b\n",
}


def of(text: str) -> Candidate:
    return Candidate(text, content_hash(text), language="en")


def parsed(ending: str, text: str) -> object:
    return parse(f"a.{ending}", text.encode())


READERS: dict[str, Callable[[str], Any]] = {
    "normalise": normalise,
    "folded": folded,
    "words": words,
    "comparison with one letter more": lambda t: compare(t, t + "a", "en"),
    "comparison with its half": lambda t: compare(t, t[: len(t) // 2], "en"),
    "comparison with its end moved": lambda t: compare(t + " the roof", "the roof " + t, "en"),
    "plain words": lambda t: reasons_of(compared(of(t), of(t + " now"))),
    "difference shown": lambda t: marked(t, t[::2], ()),
    "dangers": lambda t: find_dangers(named_pack("uk"), t),
    "dangers in any language": find_foreign,
    "calm": calms,
    "a page": lambda t: str(rich(t)),
    "a page of Markdown": lambda t: str(rich("| a | b |\n|---|---|\n" + t)),
    **{
        name: partial(parsed, name)
        for name in (
            "md",
            "txt",
            "html",
            "csv",
            "json",
            "yaml",
            "xml",
            "rst",
            "adoc",
            "rtf",
            "eml",
            "srt",
            "py",
            "toml",
            "tex",
        )
    },
}


def cost(read: Callable[[str], Any], pump: str, n: int) -> float:
    begun = time.process_time()
    with suppress(Exception):  # what is refused has cost what it has cost
        read((pump * n)[:n])
    return time.process_time() - begun


@pytest.mark.parametrize("reader", READERS)
def test_four_times_the_text_costs_no_more_than_in_proportion(reader: str) -> None:
    read = READERS[reader]
    cost(read, "The boiler is checked. ", 500)
    wrong = []
    for name, pump in TEXTS.items():
        short = cost(read, pump, SHORT)
        long = cost(read, pump, LONG) if short < 3 else 99.0
        if long > LEAST_S and (long > MOST_GROWTH * short or short > 2):
            wrong.append(f"{name}: {short:.2f} s, then {long:.2f} s")
    assert wrong == []
