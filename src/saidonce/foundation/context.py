"""The wired ports passed to every flow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from saidonce.foundation.certificate import Certificate
from saidonce.foundation.model import Source
from saidonce.foundation.ports import Clock, Embedder, Engine, EquivalenceJudge, Parser, Store
from saidonce.foundation.settings.policy import Settings

__all__ = ["Context", "Source", "Workers"]


@dataclass(frozen=True, slots=True)
class Workers:
    """Processes that compare texts.

    Attributes:
        engine: hands tasks to them.
        open_judge: opens the context's judge in one of them; it can be pickled, and opens it once in each.
    """

    engine: Engine
    open_judge: Callable[[], EquivalenceJudge | None]

    def close(self) -> None:
        """End them."""
        self.engine.close()


@dataclass(frozen=True, slots=True)
class Context:
    """Ports and settings of a knowledge base, chosen by the composition root.

    Attributes:
        certificate: bounds the rate of wrong automatic merges; None without one.
        certificate_flaw: reason why it does not hold for this model and these guards; empty if it holds.
        judge: bears out what the guards leave open; None where none is installed.
        workers: compare texts where many wait; None for this process alone.
    """

    store: Store
    embedder: Embedder
    parser: Parser
    clock: Clock
    settings: Settings
    certificate: Certificate | None = None
    certificate_flaw: str = ""
    judge: EquivalenceJudge | None = None
    workers: Workers | None = None
