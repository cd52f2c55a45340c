"""No regular expression of the program costs more than in proportion to its text, and the proof of it sees them all."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from benchmarks.pattern_sites import ROOT, Found
from benchmarks.pattern_texts import hard_texts
from benchmarks.patterns import LEAST_PATTERNS, judged, worst

from saidonce.documents.parse.markdown_forms import common
from saidonce.foundation.model import Candidate
from saidonce.foundation.text import content_hash
from saidonce.matching.compared import compared
from saidonce.matching.guards import reasons_of
from saidonce.repairs.conversation import lexicon
from saidonce.repairs.conversation.emergency import find_dangers, named_pack
from saidonce.repairs.conversation.foreign_dangers import find_foreign
from saidonce.repairs.conversation.problems import without

RUNS_ON = {
    "a repeat in a repeat": r"(a+)+$",
    "alternatives that overlap": r"(?:a|aa)+$",
    "spaces before the end": r"\s+$",
    "two parts that take the same": r"^\s*a?\s*$x?y",
    "a beginning without its end": r"<b>(?:.|\n)*?</b>",
    "a quote among letters": r"smell[\w']*\W+gas",
    "a choice that is two others": r"x(?: has been| has| been)* done",
}
GOES = {
    "words": r"\w+",
    "a repeat that gives nothing back": r"(?:a++)+b",
    "spaces from their beginning": r"(?<!\s)\s++$",
    "a word of so many letters": r"\ba\w{0,20} b",
    "an end of a sentence": r"(?<![.!?])[.!?]++(?=\s)",
}


@pytest.mark.slow  # processor time is measured
@pytest.mark.parametrize("name", RUNS_ON)
def test_what_runs_on_is_noticed(name: str) -> None:
    grown = worst(Found(re.compile(RUNS_ON[name]), "x.py", 1))
    assert grown is not None
    assert grown.is_steep


@pytest.mark.slow  # processor time is measured
@pytest.mark.parametrize("name", GOES)
def test_what_goes_in_proportion_is_let_pass(name: str) -> None:
    grown = worst(Found(re.compile(GOES[name]), "x.py", 1))
    assert grown is None or not grown.is_steep


def test_hard_texts_hold_what_an_expression_repeats_behind_what_leads_there() -> None:
    texts = [text.of(40) for text in hard_texts(re.compile(r"note:\s*(?:[^\]]|\\.)*\]"))]
    assert any(text.startswith("note:") and " " * 30 in text for text in texts)
    assert any(text.count("note:") > 3 for text in texts)


def test_what_was_judged_harmless_says_why_and_is_there() -> None:
    rows = judged()
    assert all(row.why and (ROOT / row.file).is_file() for row in rows)
    assert len({(row.file, row.begins, row.is_asked) for row in rows}) == len(rows)


def of(text: str) -> Candidate:
    return Candidate(text, content_hash(text), language="en")


ATTACKS: dict[str, Callable[[], Any]] = {
    "quotes behind a danger": lambda: find_dangers(named_pack("uk"), "smell" + "'" * 16_000),
    "a danger again and again": lambda: find_dangers(named_pack("uk"), "pipe'" * 3_000),
    "words with quotes in them": lambda: find_foreign("zatrzasnelam " + "a'" * 8_000),
    "quotes behind a danger in Spanish": lambda: find_foreign("llam" + "'" * 16_000),
    "has been, and has been": lambda: lexicon._CLEAR.search("it" + " has been" * 2_000),
    "joints at the end": lambda: without("the tap drips " + "& " * 8_000 + "!", ["the tap"]),
    "spaces behind colons": lambda: common((":::" + " " * 400 + "{\n") * 20),
    "boxes without an end": lambda: common(":::{note}\n" * 8_000),
    "boxes of another kind": lambda: common(":::{other}\n" * 8_000 + ":::"),
    "boxes in boxes": lambda: common("\n".join(" " * 4 * depth + "!!! note" for depth in range(700))),
    "a list on one line": lambda: reasons_of(compared(of("x:\n-" + " - a" * 40), of("y:\n-" + " - a" * 40))),
}


@pytest.mark.slow  # processor time is measured
@pytest.mark.parametrize("name", ATTACKS)
def test_no_text_of_a_stranger_holds_the_program(name: str) -> None:
    ATTACKS[name]()
    begun = time.process_time()
    ATTACKS[name]()
    assert time.process_time() - begun < 3.0


@pytest.mark.slow  # minutes
@pytest.mark.timeout(3_600)
def test_every_expression_of_the_program_is_met_and_none_runs_on() -> None:
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.patterns", "--json"], cwd=root, capture_output=True, text=True, check=False
    )
    figures = json.loads(done.stdout)
    assert figures["flaws"] == []
    assert figures["met"] >= LEAST_PATTERNS
    assert done.returncode == 0
