"""The parts that are mutated exist, and a run that shows nothing fails."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from benchmarks.mutants import PARTS, ROOT, Change, Figures, files_of, names, part
from benchmarks.mutants import _change as change_of


@pytest.mark.parametrize("name", names())
def test_a_part_names_files_that_are_there_and_gives_every_reason(name: str) -> None:
    asked = part(name)
    assert asked.mutate
    assert files_of(asked)
    for path in (*asked.mutate, *asked.tests):
        assert (ROOT / path).exists(), path
    assert all(why.strip() for why in asked.known.values())
    assert len(tomllib.loads((PARTS / f"{name}.toml").read_text(encoding="utf-8")).get("passes", [])) == len(
        asked.known
    )


def test_the_parts_that_must_not_be_wrong_are_there() -> None:
    words = {"agreement", "ladder", "standing", "survivorship"}
    wanted = words | {"access", "alarm", "authorize", "launcher", "one_report", "retention", "signatures"}
    assert wanted <= set(names())


SOME = Change("a.f", "return 1", "return 2")


@pytest.mark.parametrize(
    ("figures", "says"),
    [
        (Figures("p"), ["nothing was changed"]),
        (Figures("p", 10, 10), []),
        (Figures("p", 100, 94, accepted=6), ["94.0%"]),
        (Figures("p", 100, 90, equivalent=10), []),
        (Figures("p", 100, 99, unlisted=[SOME]), ["have no reason"]),
        (Figures("p", 10, 8, waiting=2), ["were not tried"]),
        (Figures("p", 10, 0, waiting=10), ["nothing was changed", "were not tried"]),
    ],
)
def test_a_part_is_proven_only_by_changes_that_are_noticed(figures: Figures, says: list[str]) -> None:
    flaws = figures.flaws()
    assert len(flaws) == len(says)
    assert all(word in flaw for word, flaw in zip(says, flaws, strict=True))


def test_a_change_is_told_by_its_lines() -> None:
    diff = "--- a\n+++ b\n@@ -1,3 +1,3 @@\n def f():\n-    return 1\n+    return 2\n"
    assert change_of("a.x_f__mutmut_3", diff) == SOME
    assert change_of("a.xǁBǁf__mutmut_3", diff).function == "a.B.f"


def test_a_part_that_does_not_exist_is_refused_with_those_that_do() -> None:
    words = [sys.executable, "-m", "benchmarks.mutants", "nothing"]
    done = subprocess.run(words, cwd=Path(ROOT), capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "no part is called 'nothing'; there are access, agreement" in done.stderr
