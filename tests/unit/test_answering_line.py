"""Of a text that is heard line by line, the line in which the sentence that answers begins is played."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from saidonce.foundation.model import LineStart, MediaPlace
from saidonce.kb.search.heard import answering_offset

CASES = Path(__file__).parents[1] / "cases" / "heard"


def cases() -> list[Any]:
    found = [(path.stem, case) for path in sorted(CASES.glob("*.toml"))
             for case in tomllib.loads(path.read_text("utf-8"))["case"]]  # fmt: skip
    return [pytest.param(case, id=f"{name}: {case['why']}") for name, case in found]


def joined(case: dict[str, Any]) -> tuple[str, MediaPlace]:
    starts, offset = [], 0
    for second, words in case["lines"]:
        starts.append(LineStart(offset, second))
        offset += len(words) + 1
    seconds = [second for second, _ in case["lines"]]
    place = MediaPlace(start_s=min(seconds), end_s=max(seconds) + 2, lines=tuple(starts))
    return "\n".join(words for _, words in case["lines"]), place


@pytest.mark.parametrize("case", cases())
def test_the_second_that_is_played(case: dict[str, Any]) -> None:
    text, place = joined(case)
    question = dict.fromkeys(case["question"].casefold().replace("?", "").split(), 1.0)
    offset = answering_offset(text, place.lines, question, case.get("language", "en"))
    assert place.from_offset(offset).start_s == case["at"]
