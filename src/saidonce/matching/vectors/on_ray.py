"""Ray, through the extra `ray`: started here or found at an address; and rows of an exact index in one of its actors.

Actors compute what the index here would compute, by the same code, so that the answers are the same bits. What an actor
held is lost with it; whoever asked learns so, and never gets an answer without its rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saidonce.errors import ShardError
from saidonce.foundation import extras
from saidonce.foundation.model import Vector
from saidonce.matching.vectors.index import ExactIndex

STARTS = 4
"""Ray gives up a start of its own after half a minute, which a busy machine takes now and then."""

ANSWERS_WITHIN_S = 120.0
"""Longest wait for an actor; a machine that was lost may say nothing for ever."""


class RayStartError(Exception):
    """Ray cannot be started, or there is no cluster at the address; the message says which."""


def started(address: str, n_cpus: int, purpose: str) -> Any:
    """Return the module of Ray, connected.

    Args:
        address: of a cluster; empty starts one on this machine.
        n_cpus: workers of one that is started.
        purpose: what needs it, as the beginning of a sentence.

    Raises:
        MissingExtraError: Ray is not installed.
        RayStartError: it does not start.
    """
    extras.need("ray", purpose)
    ray: Any = import_module("ray")
    places: dict[str, Any] = {"address": address} if address else {"num_cpus": n_cpus, "address": "local"}
    places["include_dashboard"] = None if address else False
    for left in reversed(range(1 if address else STARTS)):
        try:
            ray.init(**places, log_to_driver=False, logging_level="ERROR")
        except Exception as bad:  # Ray raises plain ones, too, where a node does not start in time
            ray.shutdown()
            where = f"there is no cluster at {address!r}" if address else "it did not start on this machine"
            if not left:
                raise RayStartError(f"{where}: {bad}") from bad
        else:
            break
    return ray


class HeldRows(ExactIndex):
    """What an actor holds; its attributes are asked as methods."""

    def size(self) -> tuple[int, int]:
        """Return the number of rows, and of slots."""
        return len(self), self.n_slots


class RemoteRows(ExactIndex):
    """An exact index whose rows are in an actor.

    Every method may raise ShardError: the actor was lost, and its rows with it.
    """

    def __init__(self, dim: int, ray: Any) -> None:
        super().__init__(dim)
        self._ray = ray
        # No share of a processor is set aside for it: rows are held for long, and searched now and then.
        self._actor = ray.remote(num_cpus=0, scheduling_strategy="SPREAD")(HeldRows).remote(dim)

    def _ask(self, method: str, *arguments: Any) -> Any:
        try:
            return self._ray.get(getattr(self._actor, method).remote(*arguments), timeout=ANSWERS_WITHIN_S)
        except self._ray.exceptions.RayTaskError as raised:
            raise raised.cause from raised
        except self._ray.exceptions.RayError as lost:
            raise ShardError(str(lost).strip().splitlines()[0]) from lost

    def __len__(self) -> int:
        return int(self._ask("size")[0])

    def __contains__(self, id: str) -> bool:
        return id in self.ids()

    @property
    def n_slots(self) -> int:
        """See above."""
        return int(self._ask("size")[1])

    def ids(self) -> list[str]:
        """See above."""
        ids: list[str] = self._ask("ids")
        return ids

    def slots(self, ids: Sequence[str]) -> NDArray[np.intp]:
        """See above."""
        slots: NDArray[np.intp] = self._ask("slots", list(ids))
        return slots

    def vectors(self, ids: Sequence[str]) -> Vector:
        """See above."""
        rows: Vector = self._ask("vectors", list(ids))
        return rows

    def add(self, ids: Sequence[str], vectors: Vector) -> NDArray[np.intp]:
        """See above."""
        slots: NDArray[np.intp] = self._ask("add", list(ids), vectors)
        return slots

    def remove(self, ids: Sequence[str]) -> None:
        """See above."""
        self._ask("remove", list(ids))

    def nearest(
        self, query: Vector, k: int, threshold: float | None = None, mask: NDArray[np.bool_] | None = None
    ) -> list[tuple[str, float]]:
        """See above."""
        hits: list[tuple[str, float]] = self._ask("nearest", query, k, threshold, mask)
        return hits


def rows_on_ray(address: str, n_cpus: int) -> Callable[[int], ExactIndex]:
    """Return what makes an exact index in an actor; Ray is started with the first one.

    Args:
        address: of a cluster; empty starts one on this machine.
        n_cpus: of one that is started.
    """

    def make(dim: int) -> ExactIndex:
        ray: Any = import_module("ray") if extras.is_installed("ray") else None
        if ray is None or not ray.is_initialized():
            try:
                ray = started(address, n_cpus, "search_engine = 'ray'")
            except RayStartError as failed:
                raise ShardError(str(failed)) from failed
        return RemoteRows(dim, ray)

    return make
