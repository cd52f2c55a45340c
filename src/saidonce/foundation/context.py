"""The wired ports passed to every flow."""

from __future__ import annotations

from dataclasses import dataclass

from saidonce.foundation.certificate import Certificate
from saidonce.foundation.model import Source
from saidonce.foundation.ports import Clock, Embedder, EquivalenceJudge, Parser, Store
from saidonce.foundation.settings.policy import Settings

__all__ = ["Context", "Source"]


@dataclass(frozen=True, slots=True)
class Context:
    """Ports and settings of a knowledge base, chosen by the composition root.

    Attributes:
        certificate: bounds the rate of wrong automatic merges; None without one.
        certificate_flaw: reason why it does not hold for this model and these guards; empty if it holds.
        judge: bears out what the guards leave open; None where none is installed.
    """

    store: Store
    embedder: Embedder
    parser: Parser
    clock: Clock
    settings: Settings
    certificate: Certificate | None = None
    certificate_flaw: str = ""
    judge: EquivalenceJudge | None = None
