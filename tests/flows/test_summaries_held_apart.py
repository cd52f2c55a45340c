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


@pytest.mark.parametrize(("uses_judge", "most"), [(False, 0), (True, 0)])
def test_changes_are_joined_by_nobody(uses_judge: bool, most: int) -> None:
    pairs = joined(open_judge("auto") if uses_judge else None, "changed")
    assert len(pairs) <= most, pairs


@pytest.mark.parametrize(("uses_judge", "least"), [(False, 0), (True, 0)])
def test_rewordings_are_joined_more_often_with_a_judge(uses_judge: bool, least: int) -> None:
    assert len(joined(open_judge("auto") if uses_judge else None, "same")) >= least
