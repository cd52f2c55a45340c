"""Matrix products on one thread."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any


def one_thread() -> AbstractContextManager[Any]:
    """Keep the linear algebra of numpy on the calling thread within a `with` block.

    Distributing tiles of this size to threads costs up to ten times the product itself. Results
    do not depend on it: nominated rows are decided by exact sums.
    """
    controller = _controller()
    return nullcontext() if controller is None else _limit(controller)


def _limit(controller: Any) -> AbstractContextManager[Any]:
    limit: AbstractContextManager[Any] = controller.limit(limits=1, user_api="blas")
    return limit


@lru_cache(maxsize=1)
def _controller() -> Any:
    """Look the loaded libraries up once; it takes milliseconds."""
    if find_spec("threadpoolctl") is None:
        return None
    return import_module("threadpoolctl").ThreadpoolController()
