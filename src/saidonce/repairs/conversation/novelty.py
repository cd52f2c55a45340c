"""What a conversation has not told yet: the ladder's use for repeats, over what was said and what could be."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from saidonce.foundation.model import Outcome
from saidonce.foundation.ports import Embedder
from saidonce.foundation.settings.policy import REPEAT
from saidonce.repairs.conversation.similar_texts import candidate, compared


def unsaid(embedder: Embedder, said: Sequence[str], texts: Sequence[str]) -> tuple[bool, ...]:
    """Tell of each text whether it says more than what was said already.

    A text that states another fact than all it resembles is no repeat. Costs an embedding of each text.
    """
    told = [t for t in dict.fromkeys(said) if t.strip()]
    if not told or not texts:
        return (True,) * len(texts)
    kept = [(str(n), candidate(t)) for n, t in enumerate(told)]
    vectors = embedder.embed([*told, *texts])
    rows = vectors[: len(told)]
    return tuple(
        compared(candidate(one), kept, np.vstack([vector, rows]), REPEAT).outcome is not Outcome.DUPLICATE
        for one, vector in zip(texts, vectors[len(told) :], strict=True)
    )
