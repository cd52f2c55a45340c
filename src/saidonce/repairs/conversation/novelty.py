"""Novelty of texts against earlier ones of a conversation, by the ladder for repeats."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from saidonce.foundation.model import Outcome
from saidonce.foundation.ports import Embedder
from saidonce.foundation.settings.policy import REPEAT
from saidonce.repairs.conversation.similar_texts import candidate, compare


def are_new(embedder: Embedder, earlier: Sequence[str], texts: Sequence[str]) -> tuple[bool, ...]:
    """Return for each text whether it adds anything to the earlier ones.

    A text with another fact than all similar ones is new. Costs an embedding of each text.
    """
    known = [t for t in dict.fromkeys(earlier) if t.strip()]
    if not known or not texts:
        return (True,) * len(texts)
    candidates = [(str(n), candidate(t)) for n, t in enumerate(known)]
    vectors = embedder.embed([*known, *texts])
    rows = vectors[: len(known)]
    return tuple(
        compare(candidate(one), candidates, np.vstack([vector, rows]), REPEAT).outcome is not Outcome.DUPLICATE
        for one, vector in zip(texts, vectors[len(known) :], strict=True)
    )
