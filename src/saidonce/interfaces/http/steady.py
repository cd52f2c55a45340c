"""What a server does once it listens, so that no request pays for it."""

from __future__ import annotations

import gc
import threading

from saidonce.foundation.text import MIN_LANGUAGE_CHARS, language
from saidonce.matching.guards import guards_name


def steadied() -> None:
    """Read the tables of words, and set apart from garbage collection what a process keeps anyway.

    A full collection walks through every table: 0.1 to 0.2 s in the middle of somebody's request.
    """
    guards_name()  # asks all guards about some pairs, and so reads every table
    language("a" * MIN_LANGUAGE_CHARS)
    gc.collect()
    gc.freeze()


def steady_in_background() -> None:
    """Do the same beside the first requests."""
    threading.Thread(target=steadied, name="steadied", daemon=True).start()
