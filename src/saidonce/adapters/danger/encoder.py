"""Adapter: four layers of MiniLM, trained to read dangers, run in process by ONNX Runtime; never uses the network."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from io import BytesIO
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saidonce.adapters.danger.letters import letter_features
from saidonce.adapters.embed.minilm import MiniLM
from saidonce.adapters.onnx_session import open_session
from saidonce.errors import ModelUnavailableError

LAYERS, LETTERS, CARD = "layers.onnx", "letters.npy", "card.json"

WINDOW = 126
"""Word pieces that are read at once, beside the two special tokens; a longer text is read window by window."""

OVERLAP = 30
"""Word pieces that stand in two neighboring windows, so that no sentence of usual length is cut in both."""

_CLS, _SEP = 101, 102

NAME = "danger"

Shares = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Card:
    """Fingerprint of the encoder, and the SHA-256 of its files."""

    model: str
    sha256: Mapping[str, str]


class DangerEncoder:
    """Tells kinds of danger in texts.

    The rows of the built-in embedder's table of words go through layers of its own; the hashed letters of the text are
    added to what comes out. Each window is run by itself, so a text has the same shares whatever it is read with.

    Args:
        embedder: whose word pieces and table of words it shares.
    """

    def __init__(self, embedder: MiniLM | None = None) -> None:
        self._embedder = embedder or MiniLM(1)

    @property
    def model(self) -> str:
        """Fingerprint: name and the first digits of the SHA-256 of its files.

        Raises:
            ModelUnavailableError: its card is absent or malformed.
        """
        return _card().model

    def shares(self, texts: Sequence[str]) -> Shares:
        """Return the share of each kind in each text: shape (n, kinds) float64, rows sum to 1, the first one harmless.

        Of a text of several windows the one that is least harmless counts.

        Raises:
            ModelUnavailableError: its files or the embedder's are absent or altered.
        """
        session, weights, ids = _session(), _letter_weights(), self._embedder.piece_ids(texts)
        rows = [self._shares(session, weights, text, own) for text, own in zip(texts, ids, strict=True)]
        return np.stack(rows) if rows else np.zeros((0, weights.shape[1]))

    def _shares(self, session: Any, weights: Shares, text: str, ids: list[int]) -> Shares:
        places, values = letter_features(text)
        of_letters = values @ weights[places]
        windows = [ids[at : at + WINDOW] for at in range(0, max(1, len(ids) - OVERLAP), WINDOW - OVERLAP)]
        read = [_softmax(_logits(session, self._embedder.word_rows([_CLS, *w, _SEP])) + of_letters) for w in windows]
        return min(read, key=lambda shares: float(shares[0]))


def _logits(session: Any, rows: NDArray[np.float32]) -> NDArray[np.float64]:
    logits: NDArray[np.float64] = session.run(None, {"rows": rows[None]})[0][0].astype(np.float64)
    return logits


def _softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    raised = np.exp(logits - logits.max())
    shares: NDArray[np.float64] = raised / raised.sum()
    return shares


_LOADING = Lock()
"""Held while files are loaded, so that several threads load them once."""


def _session() -> Any:
    with _LOADING:
        return _loaded_session()


def _letter_weights() -> Any:
    with _LOADING:
        return _loaded_letters()


@cache
def _loaded_session() -> Any:
    return open_session(_content(LAYERS))


@cache
def _loaded_letters() -> Shares:
    weights: Shares = np.load(BytesIO(_content(LETTERS)), allow_pickle=False).astype(np.float64)
    return weights


@cache
def _card() -> _Card:
    content = _read(CARD)
    try:
        row = json.loads(content)
        return _Card(str(row["model"]), {name: str(row["sha256"][name]) for name in (LAYERS, LETTERS)})
    except (ValueError, KeyError, TypeError) as bad:
        raise ModelUnavailableError(NAME, f"{CARD!r} is malformed ({bad!r}); install saidonce again") from bad


def _content(name: str) -> bytes:
    content, expected = _read(name), _card().sha256[name]
    digest = hashlib.sha256(content).hexdigest()
    if digest != expected:
        wrong = f"{name!r} has SHA-256 {digest}, not {expected}"
        raise ModelUnavailableError(_card().model, f"{wrong}; install saidonce again")
    return content


def _read(name: str) -> bytes:
    try:
        return (resources.files("saidonce.adapters.danger") / "data" / name).read_bytes()
    except OSError as bad:
        raise ModelUnavailableError(NAME, f"{name!r} cannot be read; install saidonce again") from bad
