"""What a server does once it listens, so that no request pays for it."""

from __future__ import annotations

import gc
import threading

from saidonce.foundation.text import MIN_LANGUAGE_CHARS, language
from saidonce.matching.guards import guards_name
from saidonce.matching.vectors.blas import one_thread

COLLECTED_AFTER = 10_000, 20, 20
"""Objects that are new before the young are collected, and collections of one generation before one of the next."""


def steadied() -> None:
    """Read the tables of words, and set apart from garbage collection what a process keeps anyway.

    A full collection walks through every table: 0.1 to 0.2 s in the middle of somebody's request. What is read in texts
    is kept, too, in hundreds of thousands of tuples, so that collections are made less often than Python makes them.
    """
    guards_name()  # asks all guards about some pairs, and so reads every table
    language("a" * MIN_LANGUAGE_CHARS)
    with one_thread():
        pass
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTED_AFTER)


def steady_in_background() -> None:
    """Do the same beside the first requests."""
    threading.Thread(target=steadied, name="steadied", daemon=True).start()
