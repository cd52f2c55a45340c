"""Budgets are maxima; a file is one noun. docs/decisions/0015-file-budgets.md says why."""

from __future__ import annotations

from pathlib import Path

import saidonce

LONGEST_FILE = 600


def test_no_file_is_longer_than_the_budget() -> None:
    lines = {
        file: len(file.read_text(encoding="utf-8").splitlines())
        for file in Path(saidonce.__file__).parent.rglob("*.py")
    }
    assert {file.name: n for file, n in lines.items() if n > LONGEST_FILE} == {}
