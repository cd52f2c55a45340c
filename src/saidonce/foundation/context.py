"""The wired ports that every flow takes."""

from __future__ import annotations

from dataclasses import dataclass

from saidonce.foundation.certificate import Certificate
from saidonce.foundation.model import Source
from saidonce.foundation.ports import Clock, Embedder, Parser, Store
from saidonce.foundation.settings.policy import Settings

__all__ = ["Context", "Source"]


@dataclass(frozen=True, slots=True)
class Context:
    """A knowledge base as flows see it: ports and settings, chosen by the composition root.

    Attributes:
        certificate: what bounds the rate of wrong automatic merges; None without one.
        certificate_flaw: why it does not hold for this model and these guards; empty if it does.
    """

    store: Store
    embedder: Embedder
    parser: Parser
    clock: Clock
    settings: Settings
    certificate: Certificate | None = None
    certificate_flaw: str = ""
