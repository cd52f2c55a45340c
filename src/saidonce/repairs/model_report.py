"""How often the model that leads conversations could not, and since when nobody has heard of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from saidonce.foundation.model.conversation import Path, Turn
from saidonce.repairs.conversation import ConversationDeps

WINDOW = timedelta(days=1)
_UNAVAILABLE = "unavailable: "


@dataclass(frozen=True, slots=True)
class ModelReport:
    """Turns of the last day for which the model was asked.

    Attributes:
        n_asked: those turns.
        n_fallback: those of them that the cautious rules took, whatever the reason.
        unreachable_since: the first of the latest turns that all had no reply at all; None if the last one had.
    """

    n_asked: int = 0
    n_fallback: int = 0
    unreachable_since: datetime | None = None

    @property
    def share(self) -> float:
        """Share of turns that the cautious rules took; 0 if no turn was asked for."""
        return self.n_fallback / self.n_asked if self.n_asked else 0.0


def model_report(deps: ConversationDeps) -> ModelReport:
    """Return how the model of an organisation did in the last day."""
    asked = [t for t in deps.store.turns_since(deps.clock.now() - WINDOW) if t.model]
    since = None
    for turn in reversed(asked):
        if not _is_without_reply(turn):
            break
        since = turn.at
    return ModelReport(len(asked), sum(t.path is Path.V1_FALLBACK for t in asked), since)


def _is_without_reply(turn: Turn) -> bool:
    return bool(turn.calls) and all(c.refused.startswith(_UNAVAILABLE) for c in turn.calls)
