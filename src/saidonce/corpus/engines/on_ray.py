"""The engine of a Ray cluster, through the extra `ray`: one started here, or one at an address.

Workers read the files of the run: on a cluster of several machines its work folder lies on a file system that all of
them see under one path.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

from saidonce.corpus.engines.base import AHEAD, MOST_LOST, Task, call, result_of, windowed
from saidonce.errors import EngineError
from saidonce.foundation import extras


class RayEngine:
    """Tasks of a Ray cluster; Ray repeats the ones whose worker was lost."""

    name = "ray"

    def __init__(self, n_workers: int, address: str = "") -> None:
        """Start Ray on this machine, or connect to a cluster.

        Raises:
            MissingExtraError: Ray is not installed.
            EngineError: the cluster cannot be reached.
        """
        extras.need("ray", "the engine 'ray'")
        self._ray: Any = import_module("ray")
        places: dict[str, Any] = {"address": address} if address else {"num_cpus": n_workers, "address": "local"}
        try:
            self._ray.init(
                **places, include_dashboard=None if address else False, log_to_driver=False, logging_level="ERROR"
            )
        except Exception as bad:  # Ray raises plain ones, too, where a node does not start in time
            self._ray.shutdown()
            where = f"there is no cluster at {address!r}" if address else "it did not start on this machine"
            raise EngineError(self.name, f"{where}: {bad}") from bad
        self.n_workers = max(1, int(self._ray.cluster_resources().get("CPU", 1))) if address else n_workers
        self._call = self._ray.remote(max_retries=MOST_LOST)(call)

    def run(self, tasks: Iterable[Task]) -> Iterator[Any]:
        """See the protocol."""
        errors = self._ray.exceptions
        for _, first in windowed(tasks, AHEAD * self.n_workers, self._call.remote):
            try:
                result = self._ray.get(first[1])
            except errors.RayError as lost:
                raise EngineError(self.name, str(lost).strip().splitlines()[-1]) from lost
            yield result_of(result)

    def close(self) -> None:
        """See the protocol."""
        self._ray.shutdown()
