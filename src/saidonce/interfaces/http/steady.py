"""What a server does once it listens, so that no request pays for it."""

from __future__ import annotations

import gc
import threading
from typing import Self

from saidonce.foundation.text import MIN_LANGUAGE_CHARS, language
from saidonce.matching.guards import guards_name, probe_answers
from saidonce.matching.vectors.blas import one_thread

COLLECTED_AFTER = 10_000, 20, 20
"""Objects that are new before the young are collected, and collections of one generation before one of the next."""


STOP_S = 5.0
"""Most seconds that the end of a server waits for what it reads; it looks between two pairs whether to go on."""


def steadied(stopping: threading.Event | None = None) -> None:
    """Read the tables of words, and set apart from garbage collection what a process keeps anyway.

    A full collection walks through every table: 0.1 to 0.2 s in the middle of somebody's request. What is read in texts
    is kept, too, in hundreds of thousands of tuples, so that collections are made less often than Python makes them.

    Args:
        stopping: once it is set, the rest is left out.
    """
    for _ in probe_answers():  # asks all guards about some pairs, and so reads every table
        if stopping is not None and stopping.is_set():
            return
    guards_name()  # of answers that are remembered by now
    language("a" * MIN_LANGUAGE_CHARS)
    with one_thread():
        pass
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTED_AFTER)


class Steadying:
    """The same in a thread beside the first requests, which ends before the server does; use it as a context manager.

    Python ends a daemon thread that outlives the interpreter wherever it waits for it. In C++ code that catches
    everything, as that of `rapidfuzz.process.cdist` under the guards does, this aborts the whole program.
    """

    def __init__(self) -> None:
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=steadied, args=(self._stopping,), name="steadied", daemon=True)

    def start(self) -> None:
        """Begin, once the server listens."""
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        if self._thread.ident is not None:
            self._thread.join(STOP_S)
