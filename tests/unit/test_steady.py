"""A server reads its tables once it listens, and keeps them out of garbage collection."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from saidonce.interfaces.http import steady

PROGRAM = """
import gc
from saidonce.interfaces.http.steady import steadied
from saidonce.matching.facts.lexicon import grammar
assert not gc.get_freeze_count()
steadied()
n_frozen, n_read = gc.get_freeze_count(), grammar.cache_info().misses
assert n_frozen > 100_000, n_frozen
assert gc.isenabled() and gc.get_threshold() > (700, 10, 10), gc.get_threshold()
grammar("en")
assert grammar.cache_info().misses == n_read > 0, n_read
"""


def test_tables_are_read_and_frozen_and_garbage_is_collected_less_often() -> None:
    ended = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


def test_what_is_read_beside_requests_is_left_out_once_the_server_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = threading.Event()

    def without_end() -> Iterator[str]:
        while True:
            begun.set()
            yield ";"

    monkeypatch.setattr(steady, "probe_answers", without_end)
    monkeypatch.setattr(steady, "guards_name", lambda: pytest.fail("it went on"))
    with steady.Steadying() as steadying:
        steadying.start()
        assert begun.wait(60)
    assert "steadied" not in [thread.name for thread in threading.enumerate()]


def test_a_server_that_never_listened_ends_too() -> None:
    with steady.Steadying():
        pass
    assert "steadied" not in [thread.name for thread in threading.enumerate()]
