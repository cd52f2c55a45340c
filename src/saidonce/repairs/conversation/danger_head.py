"""The second channel of danger, a trained encoder over a message's words and letters; it needs no language model.

The encoder gives each text a share of `harmless` and of each class of danger. What is read of a message, and from which
share a question is due, is decided here.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from saidonce.errors import SettingsError

HARMLESS = "harmless"
"""First class of the head; all others are classes of the packs."""

MAX_PARTS = 4
"""Most readings of one message: the whole of it, and its sentences in at most this many less one groups."""

MOST_KEPT = 4
"""Messages whose shares are kept: as written and in English words, with and without what is everyday."""

MAX_CHARS = 1_200
"""Longer messages are read from their beginning and their end only, half each."""

_TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_SENTENCE = re.compile(r"(?<=[.!?\u3002\uff01\uff1f\u061f])\s+|\n+")


Shares = NDArray[np.float64]
"""Share of each class in each text: shape (n, classes), rows sum to 1, the first one harmless."""


class SortsDangers(Protocol):
    """What the head needs of an encoder."""

    @property
    def model(self) -> str:
        """Fingerprint of the encoder."""
        ...

    def shares(self, texts: Sequence[str]) -> Shares:
        """Return the share of each class in each text, in input order.

        Raises:
            ModelUnavailableError: its files are absent or altered.
        """
        ...


@dataclass(frozen=True, slots=True)
class HeadCard:
    """What belongs to an encoder; `packs/head.toml`.

    Attributes:
        encoder: fingerprint of the encoder.
        classes: of its shares, `harmless` first.
        asks_from: certainty of danger from which a question is due.
        sure_from: certainty from which the safety text is.
    """

    encoder: str
    classes: tuple[str, ...]
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


class DangerHead:
    """The head over the encoder that it belongs to; it keeps the readings of the last messages.

    Raises:
        SettingsError: the card is of another encoder.
    """

    def __init__(self, encoder: SortsDangers) -> None:
        self.card = _card()
        if encoder.model != self.card.encoder:
            raise SettingsError("encoder", encoder.model, self.card.encoder)
        self._shares = lru_cache(maxsize=MOST_KEPT)(encoder.shares)

    def read(self, message: str) -> DangerReading:
        """Return the most dangerous reading of a message and of its sentences; an empty one is harmless.

        Raises:
            ModelUnavailableError: the encoder's files are absent or altered.
        """
        texts = parts(message)
        if not texts:
            return DangerReading(HARMLESS, 0.0)
        shares = self._shares(texts)
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


@cache
def _card() -> HeadCard:
    file = resources.files("saidonce.repairs.conversation") / "packs" / "head.toml"
    row = tomllib.loads(file.read_text(encoding="utf-8"))
    return HeadCard(str(row["encoder"]), tuple(row["classes"]), float(row["asks_from"]), float(row["sure_from"]))
