"""Port: what calls tasks, here or elsewhere, any number of times, and returns their results in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

Task = Callable[[], Any]
"""A task: it can be pickled, and its result depends on itself and on files that nobody changes meanwhile."""


class Engine(Protocol):
    """Works off tasks."""

    name: str
    n_workers: int

    @property
    def is_running(self) -> bool:
        """Whether workers stand ready, so that a task costs no start."""
        ...

    def run(self, tasks: Iterable[Task]) -> Iterator[Any]:
        """Return the result of each task, in the order of the tasks; a task whose worker ended is done again.

        Raises:
            EngineError: workers end again and again.
        """
        ...

    def close(self) -> None:
        """End all workers."""
        ...
