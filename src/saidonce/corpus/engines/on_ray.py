"""The engine of a Ray cluster, through the extra `ray`: one started here, or one at an address.

Workers read the files of the run: on a cluster of several machines its work folder lies on a file system that all of
them see under one path.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from saidonce.errors import EngineError
from saidonce.foundation.ports import Task
from saidonce.foundation.workers import AHEAD, MOST_LOST, call, result_of, submit_ahead
from saidonce.matching.vectors.on_ray import RayStartError, started


class RayEngine:
    """Tasks of a Ray cluster; Ray repeats the ones whose worker was lost."""

    name = "ray"

    def __init__(self, n_workers: int, address: str = "") -> None:
        """Start Ray on this machine, or connect to a cluster.

        Raises:
            MissingExtraError: Ray is not installed.
            EngineError: the cluster cannot be reached.
        """
        try:
            self._ray: Any = started(address, n_workers, "the engine 'ray'")
        except RayStartError as failed:
            raise EngineError(self.name, str(failed)) from failed
        self.n_workers = max(1, int(self._ray.cluster_resources().get("CPU", 1))) if address else n_workers
        self._call = self._ray.remote(max_retries=MOST_LOST)(call)

    @property
    def is_running(self) -> bool:
        """See the protocol."""
        return True

    def run(self, tasks: Iterable[Task]) -> Iterator[Any]:
        """See the protocol."""
        errors = self._ray.exceptions
        for _, first in submit_ahead(tasks, AHEAD * self.n_workers, self._call.remote):
            try:
                result = self._ray.get(first[1])
            except errors.RayError as lost:
                raise EngineError(self.name, str(lost).strip().splitlines()[-1]) from lost
            yield result_of(result)

    def close(self) -> None:
        """See the protocol."""
        self._ray.shutdown()
