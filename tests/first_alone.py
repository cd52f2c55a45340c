"""In a fresh clone one worker collects alone: else each of them compiles every module at the same time."""

from __future__ import annotations

import fcntl
import os
import sys
from pathlib import Path
from typing import TextIO

TESTS = Path(__file__).parent
MARK = "not-compiled"
"""A file that says that one must be first; whoever has its lock is."""

_held: list[TextIO] = []


def mark(folder: Path) -> None:
    """Have one worker go first if no module of tests was ever compiled; asked before the workers start."""
    is_compiled = any(TESTS.rglob("__pycache__/*-pytest-*.pyc"))
    if not is_compiled and not sys.dont_write_bytecode:
        (folder / MARK).touch()


def take_turn(folder: Path) -> None:
    """In a worker: be the first, or wait until the first has collected. Whoever dies gives the turn to another."""
    if "PYTEST_XDIST_WORKER" not in os.environ or not (folder / MARK).exists():
        return
    turn = (folder / f"{MARK}.lock").open("w")
    fcntl.flock(turn, fcntl.LOCK_EX)
    if (folder / MARK).exists():
        _held.append(turn)
    else:
        turn.close()


def end_turn(folder: Path) -> None:
    """Let all others collect, at once, from what is compiled."""
    while _held:
        (folder / MARK).unlink(missing_ok=True)
        _held.pop().close()
