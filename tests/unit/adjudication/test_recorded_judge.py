"""The parts of `benchmarks.adjudication_model` that neither ask nor read."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from pathlib import Path

import pytest
from benchmarks.adjudication_model import MODEL, SECRET, Kept, figures_line, read, recording, unprotected

from injections import perfect
from injections import read as taken_apart
from saidonce.adjudication.prompt import TEXT_CHARS, Order
from saidonce.adjudication.prompt_sheet import sheet
from saidonce.foundation.model import Candidate, Failure, Match, Opinion, Question, Shown

KEPT = Kept("p", True, 0.8, "unsure", "canary", "distinct", 1_000, 2_000, 1, "m/judge-1")


def test_blocked_and_let_through_are_counted_with_what_is_left_to_a_person() -> None:
    said = ["distinct", "unsure", "duplicate", "distinct", "duplicate"]
    assert figures_line([True, True, False, False, False], said).split() == ["67", "(21-94)", "50", "(9-91)", "20"]


def test_rulings_are_read_by_pair_and_by_known_pairs_in_the_prompt(tmp_path: Path) -> None:
    file = tmp_path / "rulings.jsonl"
    assert read(file, 1) == {}
    file.write_text("".join(json.dumps({**asdict(KEPT), "known": known}) + "\n" for known in (0, 1)), encoding="utf-8")
    assert read(file, 1) == {"p": KEPT}
    assert read(file, 0)["p"].known == 0
    assert read(file, 2) == {}


@pytest.mark.parametrize("known", [0, 1])
def test_without_protections_the_first_order_is_believed(known: int) -> None:
    question = Question(Candidate("Count boots.", "a"), (Shown(Match("m", 0.9, Candidate("Count shoes.", "b"))),))
    asked = sheet(SECRET, question, Order.CANDIDATE_FIRST, TEXT_CHARS, known)
    assert asked is not None
    reply = perfect(taken_apart(asked.text))
    blind = json.dumps({**json.loads(reply), "answers": {
        label: {**a, "differs": ""} for label, a in json.loads(reply)["answers"].items()}})  # fmt: skip
    assert unprotected(question, {asked.text: blind}, known) == "distinct"
    assert unprotected(question, {asked.text: "distinct"}, known) == "unsure"
    assert unprotected(question, {}, known) == "unsure"


def test_the_recording_holds_rulings_and_no_text() -> None:
    lines = recording(MODEL).read_text(encoding="utf-8").splitlines()
    assert lines
    for line in lines:
        row = json.loads(line)
        assert set(row) == set(asdict(KEPT))
        words = {row[name] for name in ("opinion", "first", "failure") if row[name]}
        assert words <= {*Opinion, *Failure}
        assert re.fullmatch(r"[0-9a-f]{32}", row["pair"])
        assert re.fullmatch(r"[\w.:-]+/judge-[0-9a-f]{8}", row["judge"])
