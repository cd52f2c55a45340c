"""Parsing processes, models and certificates that all of a test process share: each costs up to a second, else."""

from __future__ import annotations

import os
import ssl
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import pytest

from saidonce.adapters.embed import WHOLE, open_embedder
from saidonce.adapters.judge import AUTO
from saidonce.adjudication.equivalence import StackedJudge
from saidonce.app.equivalence import open_judge
from saidonce.app.opening import limits_of
from saidonce.documents.parse import Limits, Sandbox
from saidonce.documents.parse.wire import PASSED_ON
from saidonce.foundation.ports import Embedder
from saidonce.foundation.settings.policy import Settings


class SharedSandbox(Sandbox):
    """A sandbox that outlives the bases that use it, as the one of a server outlives its requests."""

    def close(self) -> None:
        """Leave the processes to the next base."""

    def end(self) -> None:
        """Stop them."""
        super().close()


def _trusting(new: Callable[..., ssl.SSLContext]) -> Callable[..., ssl.SSLContext]:
    """Have clients share the certificates that everybody trusts, unless the environment names others."""
    common = cache(new)

    def context(*purpose: ssl.Purpose, **wanted: Any) -> ssl.SSLContext:
        is_common = (
            not purpose and set(wanted) <= {"cafile"} and not os.environ.keys() & {"SSL_CERT_FILE", "SSL_CERT_DIR"}
        )
        return (common if is_common else new)(*purpose, **wanted)

    return context


@contextmanager
def opened_once() -> Iterator[None]:
    """Have every base that is opened in this process take the parsing processes and models that are there already."""
    sandboxes: dict[object, SharedSandbox] = {}

    def sandbox_of(settings: Settings) -> Sandbox:
        limits = limits_of(settings)
        if limits != Limits():
            return Sandbox(limits)
        inherited = (tuple(sys.path), *(os.environ.get(name) for name in PASSED_ON))
        return sandboxes.setdefault(inherited, SharedSandbox(limits))

    open_same = cache(open_embedder)

    def opened(name: str, url: str = "", key: str = "", threads: int = 0) -> Embedder:
        return (open_same if name in WHOLE else open_embedder)(name, url, key, threads)

    judge_same = cache(open_judge)

    def judge(choice: str) -> StackedJudge | None:
        return (judge_same if choice == AUTO else open_judge)(choice)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ssl.create_default_context", _trusting(ssl.create_default_context))
        patch.setattr("saidonce.app.knowledge_base.sandbox_of", sandbox_of)
        patch.setattr("saidonce.app.knowledge_base.open_judge", judge)
        patch.setattr("saidonce.app.knowledge_base.open_embedder", opened)
        yield
    for sandbox in sandboxes.values():
        sandbox.end()
