"""The second channel of danger, a trained head over a message's meaning and letters; it needs no language model.

A sentence becomes the built-in embedder's vector beside hashed words, word pairs and pieces of words, which carry the
languages that the embedder was not made for. A softmax over that gives a share to `harmless` and to each class.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from io import BytesIO
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from saidonce.errors import SettingsError
from saidonce.foundation.model import Vector
from saidonce.foundation.text import folded

OWN_HEADS = ("it",)
"""Languages with weights of their own, read beside the shared ones: `head_LANGUAGE.npy` and its card."""

HARMLESS = "harmless"
"""First class of the head; all others are classes of the packs."""

N_LETTERS = 8_192
"""Places of hashed words and pieces of words; two may share one."""

PIECES = (3, 4, 5)
"""Lengths of the pieces of a word, its ends marked."""

MAX_PARTS = 4
"""Most readings of one message: the whole of it, and its sentences in at most this many less one groups."""

MOST_KEPT = 4
"""Messages whose vectors are kept: as written and in English words, with and without what is everyday."""

MAX_CHARS = 1_200
"""Longer messages are read from their beginning and their end only, half each."""

_TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_SENTENCE = re.compile(r"(?<=[.!?\u3002\uff01\uff1f\u061f])\s+|\n+")

Weights = NDArray[np.float64]


class Embeds(Protocol):
    """What the head needs of an embedder."""

    @property
    def model(self) -> str:
        """Fingerprint of the model."""
        ...

    def embed(self, texts: Sequence[str]) -> Vector:
        """Embed texts: shape (n, dim) float32, unit rows, in input order."""
        ...


@dataclass(frozen=True, slots=True)
class HeadCard:
    """What belongs to the weights; `head.toml` beside them.

    Attributes:
        embedder: fingerprint of the embedder that they were trained with.
        classes: of the columns, `harmless` first.
        sha256: of the file of weights.
        asks_from: certainty of danger from which a question is due.
        sure_from: certainty from which the safety text is.
    """

    embedder: str
    classes: tuple[str, ...]
    sha256: str
    asks_from: float
    sure_from: float


@dataclass(frozen=True, slots=True)
class DangerReading:
    """What the head makes of a message.

    Attributes:
        kind: likeliest class of danger.
        certainty: that there is any danger, 0 to 1: of the most dangerous part of the message.
    """

    kind: str
    certainty: float


class LastEmbedded:
    """An embedder that keeps the vectors of the last messages, which several heads read."""

    def __init__(self, embedder: Embeds) -> None:
        self.model = embedder.model
        self._vectors = lru_cache(maxsize=MOST_KEPT)(embedder.embed)

    def embed(self, texts: Sequence[str]) -> Vector:
        """Embed texts: shape (n, dim) float32, unit rows, in input order."""
        return self._vectors(tuple(texts))


class DangerHead:
    """The trained head over one embedder.

    Args:
        embedder: the one that the weights were trained with.
        language: one of `OWN_HEADS` for its own weights; empty for the shared ones.

    Raises:
        SettingsError: the weights were trained with another embedder, or are not those of the card.
    """

    def __init__(self, embedder: Embeds, language: str = "") -> None:
        self.card, self._weights = _shipped(language)
        if embedder.model != self.card.embedder:
            raise SettingsError("embedder", embedder.model, self.card.embedder)
        self._embedder = embedder if isinstance(embedder, LastEmbedded) else LastEmbedded(embedder)

    def of_language(self, language: str) -> DangerHead | None:
        """Return the head with a language's own weights; None if it has none."""
        return DangerHead(self._embedder, language) if language in OWN_HEADS else None

    def read(self, message: str) -> DangerReading:
        """Return the most dangerous reading of a message and of its sentences; an empty one is harmless.

        Raises:
            ModelUnavailableError: the embedder's files are absent or altered.
        """
        texts = parts(message)
        if not texts:
            return DangerReading(HARMLESS, 0.0)
        shares = softmax(features(texts, self._embedder.embed(texts)) @ self._weights)
        worst = shares[int(shares[:, 0].argmin())]
        return DangerReading(self.card.classes[1 + int(worst[1:].argmax())], round(float(1.0 - worst[0]), 4))


def parts(message: str) -> tuple[str, ...]:
    """Return what is read of a message: the whole, and if it has several sentences, those in up to three groups."""
    text = " ".join(message.split())
    if len(text) > MAX_CHARS:
        text = f"{text[: MAX_CHARS // 2]} {text[-MAX_CHARS // 2 :]}"
    if not _TOKEN.search(text):
        return ()
    sentences = [s for s in _SENTENCE.split(message[:MAX_CHARS]) if _TOKEN.search(s)]
    if len(sentences) < 2:
        return (text,)
    size = -(-len(sentences) // (MAX_PARTS - 1))
    groups = (" ".join(" ".join(sentences[at : at + size]).split()) for at in range(0, len(sentences), size))
    return tuple(dict.fromkeys((text, *groups)))


def features(texts: Sequence[str], vectors: Vector) -> Weights:
    """Return the head's features: shape (n, dim + N_LETTERS + 1), the last one always 1."""
    letters = np.zeros((len(texts), N_LETTERS))
    for at, text in enumerate(texts):
        for place, n in Counter(map(_place, _pieces(text))).items():
            letters[at, place] = 1.0 + np.log(n)
    letters /= np.maximum(np.linalg.norm(letters, axis=1, keepdims=True), 1e-9)
    return np.hstack([vectors.astype(np.float64), letters, np.ones((len(texts), 1))])


def softmax(scores: Weights) -> Weights:
    """Return shares of the classes by row: shape as given, rows sum to 1."""
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: Weights = raised / raised.sum(axis=1, keepdims=True)
    return shares


def _pieces(text: str) -> Iterator[str]:
    tokens = _TOKEN.findall(folded(text))
    for token in tokens:
        marked = f"<{token}>"
        yield "w" + marked
        for n in PIECES:
            yield from (marked[at : at + n] for at in range(len(marked) - n + 1))
    yield from (f"b{a} {b}" for a, b in pairwise(tokens))


@lru_cache(maxsize=65_536)
def _place(piece: str) -> int:
    return zlib.crc32(piece.encode()) % N_LETTERS


@lru_cache(maxsize=1 + len(OWN_HEADS))
def _shipped(language: str) -> tuple[HeadCard, Weights]:
    """Return the card and the weights of the package: a language's own, or the shared ones without a language.

    Raises:
        SettingsError: they do not belong together.
    """
    folder = resources.files("saidonce.repairs.conversation") / "packs"
    name = f"head_{language}" if language else "head"
    row = tomllib.loads((folder / f"{name}.toml").read_text(encoding="utf-8"))
    asks_from, sure_from = float(row["asks_from"]), float(row["sure_from"])
    card = HeadCard(str(row["embedder"]), tuple(row["classes"]), str(row["sha256"]), asks_from, sure_from)
    content = (folder / f"{name}.npy").read_bytes()
    sha256 = hashlib.sha256(content).hexdigest()
    if sha256 != card.sha256:
        raise SettingsError(f"{name}.npy", sha256, card.sha256)
    weights: Weights = np.load(BytesIO(content), allow_pickle=False).astype(np.float64)
    return card, weights
