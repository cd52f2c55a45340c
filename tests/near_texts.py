"""Two extremes: an embedder to which all texts are near, and a judge that bears out all it is asked about."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from saidonce.foundation.model import Equivalence, Rewording, Vector


class Unanimous:
    """Takes every two texts for near, so that only what is said tells them apart."""

    model, dim = "unanimous", 1

    def embed(self, texts: Sequence[str]) -> Vector:
        return np.ones((len(texts), 1), dtype=np.float32)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]


class Credulous:
    """Bears out whatever it is asked about."""

    name = "credulous"

    def judge(self, rewordings: Sequence[Rewording]) -> list[Equivalence]:
        return [Equivalence(True, 0.9, True) for _ in rewordings]
