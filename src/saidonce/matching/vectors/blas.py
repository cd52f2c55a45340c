"""Matrix products on one thread."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep the linear algebra of numpy on the calling thread within a `with` block.

    Distributing tiles of this size to threads costs up to ten times the product itself. Results
    do not depend on it: nominated rows are decided by exact sums.
    """
    libraries = _libraries()
    before = [library.num_threads for library in libraries]
    for library in libraries:
        library.set_num_threads(1)
    try:
        yield
    finally:
        for library, n_threads in zip(libraries, before, strict=True):
            library.set_num_threads(n_threads)


@lru_cache(maxsize=1)
def _libraries() -> list[Any]:
    """Look the loaded libraries up once; it takes milliseconds."""
    if find_spec("threadpoolctl") is None:
        return []
    controllers = import_module("threadpoolctl").ThreadpoolController().lib_controllers
    return [library for library in controllers if library.user_api == "blas"]
