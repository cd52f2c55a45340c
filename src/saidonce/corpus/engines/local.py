"""The engine of one machine: this process, or worker processes that map the files of the run into their memory."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import connection, get_context, parent_process
from typing import Any

from saidonce.corpus.engines.base import AHEAD, MOST_LOST, Task, call, result_of, submit_ahead
from saidonce.errors import EngineError


class LocalEngine:
    """Worker processes on this machine; with one worker, this process."""

    name = "local"

    def __init__(self, n_workers: int) -> None:
        self.n_workers = n_workers
        self._pool: ProcessPoolExecutor | None = None

    def run(self, tasks: Iterable[Task]) -> Iterator[Any]:
        """See the protocol."""
        if self.n_workers == 1:
            for task in tasks:
                yield task()
            return
        for flying, first in submit_ahead(tasks, AHEAD * self.n_workers, self._submit):
            n_lost = 0
            while True:
                try:
                    result = first[1].result()
                    break
                except BrokenProcessPool as lost:
                    n_lost += 1
                    if n_lost > MOST_LOST:
                        raise EngineError(self.name, "its worker processes keep failing") from lost
                    self.close()
                    for piece in flying:
                        piece[1] = self._submit(piece[0])
            yield result_of(result)

    def close(self) -> None:
        """See the protocol."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None

    def _submit(self, task: Task) -> Future[Any]:
        try:
            return self._open_pool().submit(call, task)
        except BrokenProcessPool:
            self.close()
            return self._open_pool().submit(call, task)

    def _open_pool(self) -> ProcessPoolExecutor:
        if self._pool is None:
            # Spawned, since a forked copy of a process with threads may hang.
            self._pool = ProcessPoolExecutor(self.n_workers, get_context("spawn"), initializer=_end_with_the_parent)
        return self._pool


def _end_with_the_parent() -> None:
    """End this worker when the process that started it ends, however it ends."""
    parent = parent_process()
    assert parent is not None, "a worker has a parent"

    def watch() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, name="saidonce-parent", daemon=True).start()
