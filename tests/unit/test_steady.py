"""A server reads its tables once it listens, and keeps them out of garbage collection."""

from __future__ import annotations

import subprocess
import sys

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
