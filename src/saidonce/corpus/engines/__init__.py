"""Engines: where the independent pieces of a deduplication are worked off. None decides anything."""

from __future__ import annotations

from saidonce.errors import UsageError
from saidonce.foundation.ports import Engine
from saidonce.foundation.workers import LocalEngine

__all__ = ["ENGINES", "open_engine"]

ENGINES = ("local", "ray")


def open_engine(name: str, n_workers: int, address: str = "") -> Engine:
    """Open an engine by its name.

    Args:
        n_workers: workers on this machine; on a cluster its processors count.
        address: of a Ray cluster; empty starts one on this machine and ends it.

    Raises:
        UsageError: no such engine, or its package is not installed.
        EngineError: the cluster cannot be reached.
    """
    if name == "ray":
        from saidonce.corpus.engines.on_ray import RayEngine  # noqa: PLC0415 - needs an extra

        return RayEngine(n_workers, address)
    if name != "local":
        raise UsageError(f"unknown engine {name!r}; choose from {', '.join(ENGINES)}")
    if address:
        raise UsageError("a cluster address needs the engine 'ray'")
    return LocalEngine(n_workers)
