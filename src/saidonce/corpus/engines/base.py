"""What an engine does: call tasks anywhere, any number of times, and return their results in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

Task = Callable[[], Any]
"""A task of the run: it can be pickled, and its result depends on itself and the files of the run only."""

AHEAD = 4
"""Tasks handed out per worker before their results are taken."""

MOST_LOST = 5
"""Times in a row that workers may end before a result comes; more often, something kills each of them."""


class Engine(Protocol):
    """Works off tasks."""

    name: str
    n_workers: int

    def run(self, tasks: Iterable[Task]) -> Iterator[Any]:
        """Return the result of each task, in the order of the tasks; a task whose worker ended is done again.

        Raises:
            EngineError: workers end again and again.
        """
        ...

    def close(self) -> None:
        """End all workers."""
        ...


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
