"""A pair whose candidate was kept apart from its nearest text: what is shown belongs to the texts that are shown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from in_process import in_process
from open_pairs import ALMOST, FORTY, THIRTY, block, doubting, flag_of
from saidonce.foundation.model import Pair
from saidonce.foundation.ports import QueueFilter
from saidonce.interfaces.cli import app
from saidonce.kb import review
from saidonce.kb.review import By
from world import World


@pytest.fixture
def w() -> World:
    """The candidate says the same as its nearest text, and another number than the second."""
    w = doubting(merge_from=1.0)
    w.put("0.md", FORTY)
    w.put("1.md", ALMOST)
    review.keep_apart(w.base, By("ann"), block(w, FORTY).id, [block(w, ALMOST).id])
    w.put("2.md", THIRTY)
    review.keep_apart(w.base, By("ann"), block(w, THIRTY).id, [block(w, ALMOST).id])
    return w


def open_pair(w: World) -> Pair:
    (pair,) = review.open_pairs(w.base, QueueFilter())
    assert (pair.candidate.text, pair.kept.text) == (THIRTY, FORTY)
    return pair


def test_its_objections_are_those_of_the_two_texts(w: World) -> None:
    nearest, second = flag_of(w).near
    assert (nearest.id, nearest.objections) == (block(w, ALMOST).id, ())
    pair = open_pair(w)
    assert pair.flag.comparison == second
    assert [(o.a.text, o.b.text) for o in pair.objections] == [("thirty days", "forty days")]


def test_without_a_comparison_of_the_two_all_objections_of_the_shortlist_count(w: World) -> None:
    pair = open_pair(w)
    uncompared = replace(pair, flag=replace(pair.flag, of="elsewhere"))
    assert uncompared.flag.comparison is None
    assert uncompared.objections == pair.objections


def test_the_queue_in_a_terminal_shows_their_similarity_and_facts(
    w: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_process(w, tmp_path, monkeypatch)
    compared = open_pair(w).flag.comparison
    assert compared is not None
    done = CliRunner().invoke(app, ["--data-dir", str(tmp_path), "queue"], catch_exceptions=False)
    first = done.stdout.splitlines()[0]
    assert f"similarity {compared.similarity:.4f}" in first
    assert "number 'forty days' / 'thirty days'" in first, "in the order of the texts below, the kept one first"
