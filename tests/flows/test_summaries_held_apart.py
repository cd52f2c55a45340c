"""Summaries that no judge was trained on: how guards and the shipped judge read their changes and re-wordings."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from saidonce.app.equivalence import open_judge
from saidonce.foundation.model import Candidate
from saidonce.foundation.ports import EquivalenceJudge
from saidonce.foundation.text import content_hash
from saidonce.matching.agreement import Agreement, agreement, borne_out

CASES = Path(__file__).parents[1] / "cases" / "judge" / "summaries.toml"


def joined(judge: EquivalenceJudge | None, label: str) -> list[tuple[str, str]]:
    """The pairs of a label that are taken for the same."""
    pairs = []
    for original in tomllib.loads(CASES.read_text(encoding="utf-8"))["original"]:
        one = Candidate(original["text"], content_hash(original["text"]), language="en")
        for text in original[label]:
            other = Candidate(text, content_hash(text), language="en")
            accord = borne_out(one, other, agreement(one, other), judge)
            if accord.agreement is Agreement.SAME:
                pairs.append((one.text, text))
    return pairs


@pytest.mark.parametrize("choice", ["none", "auto"])
def test_no_change_is_joined(choice: str) -> None:
    assert joined(open_judge(choice), "changed") == []


def test_a_judge_bears_out_rewordings_that_guards_leave_open() -> None:
    assert len(joined(None, "same")) >= 3
    assert len(joined(open_judge("auto"), "same")) >= 50
