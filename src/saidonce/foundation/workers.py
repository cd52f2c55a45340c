"""Worker processes of this machine, and how engines hand tasks out and take their results back."""

from __future__ import annotations

import gc
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import connection, get_context, parent_process
from typing import Any

from saidonce.errors import EngineError
from saidonce.foundation.ports import Task

AHEAD = 4
"""Tasks handed out per worker before their results are taken."""

MOST_LOST = 5
"""Times in a row that workers may end before a result comes; more often, something kills each of them."""


def n_cores() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class LocalEngine:
    """Worker processes on this machine, started when the first task comes; with one worker, this process.

    Workers import the main module of the program: one that starts some needs `if __name__ == "__main__":`. Garbage is
    collected in them as it is here.
    """

    name = "local"

    def __init__(self, n_workers: int) -> None:
        self.n_workers = n_workers
        self._pool: ProcessPoolExecutor | None = None

    @property
    def is_running(self) -> bool:
        """See the protocol."""
        return self.n_workers == 1 or self._pool is not None

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
            begin = (gc.get_threshold(),)
            self._pool = ProcessPoolExecutor(self.n_workers, get_context("spawn"), initializer=_begin, initargs=begin)
        return self._pool


def _begin(collected_after: tuple[int, int, int]) -> None:
    """Let an interruption be the parent's to act on, and end this worker when the parent ends, however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(*collected_after)
    parent = parent_process()
    assert parent is not None, "a worker has a parent"

    def watch() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, name="saidonce-parent", daemon=True).start()


def submit_ahead(tasks: Iterable[Task], most: int, submit: Callable[[Task], Any]) -> Iterator[tuple[deque[Any], Any]]:
    """Submit tasks, at most so many ahead, and yield those in flight beside the next one to take.

    What is in flight are [task, handle] lists, so that a handle can be replaced.
    """
    flying: deque[Any] = deque()
    for task in tasks:
        flying.append([task, submit(task)])
        if len(flying) >= most:
            yield flying, flying[0]
            flying.popleft()
    while flying:
        yield flying, flying[0]
        flying.popleft()


@dataclass(frozen=True, slots=True)
class Raised:
    """An error of a task on its way back; errors with values of their own do not survive being pickled."""

    kind: type[BaseException]
    args: tuple[Any, ...]
    values: Mapping[str, Any]


def call(task: Task) -> Any:
    """Call a task in a worker; an error becomes a result."""
    try:
        return task()
    except Exception as failed:  # noqa: BLE001 - it is raised again by `result_of`
        return Raised(type(failed), failed.args, vars(failed))


def result_of(returned: Any) -> Any:
    """Return a worker's result, or raise its error here."""
    if not isinstance(returned, Raised):
        return returned
    error = returned.kind.__new__(returned.kind)
    error.args = returned.args
    vars(error).update(returned.values)
    raise error
