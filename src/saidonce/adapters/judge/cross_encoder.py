"""Adapter: a small cross-encoder, run in process by ONNX Runtime; never uses the network."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from saidonce.adapters.judge.card import FILES, TOKENIZER, TREES, WEIGHTS, JudgeCard, read_card, read_verified
from saidonce.adapters.judge.encoding import Encoded, encode
from saidonce.adapters.onnx_session import open_session
from saidonce.errors import ArtefactError, ModelUnavailableError
from saidonce.foundation.model import Rewording
from saidonce.foundation.wordpiece import WordPiece


class CrossEncoder:
    """The network of an equivalence judge: a folder with `card.json`, `model.onnx`, `tokenizer.json`, `likeness.json`.

    Each pair is run by itself, in one order of its sides whichever comes first: int8 activations share one scale
    per run, so a pair's answer would depend on what it is run with.
    """

    def __init__(self, folder: Path, threads: int = 1) -> None:
        """Check the files of a folder; the model is loaded when it is first asked.

        Args:
            folder: of the judge.
            threads: pairs judged at once.

        Raises:
            ArtefactError: a file is absent or altered, or of another encoding.
        """
        self.card: JudgeCard = read_card(folder)
        self._folder = folder
        self._threads = max(1, threads)
        self._lock = Lock()
        self._tokenizer: WordPiece | None = None
        self._session: Any = None
        for file in FILES:
            read_verified(folder, file, self.card)

    @property
    def name(self) -> str:
        """Fingerprint of the judge: of its files, their weighing, thresholds and margin."""
        return self.card.name

    def logits(self, rewordings: Sequence[Rewording]) -> list[float | None]:
        """Return the model's own answer to each, in input order; see `logit`.

        Raises:
            ModelUnavailableError: the model failed.
            ArtefactError: its files were altered since the judge was opened.
        """
        if len(rewordings) <= 1 or self._threads == 1:
            return [self.logit(r.a, r.b) for r in rewordings]
        self._load()
        with ThreadPoolExecutor(min(self._threads, len(rewordings)), "saidonce-judge") as pool:
            return list(pool.map(lambda r: self.logit(r.a, r.b), rewordings))

    def trees(self) -> Any:
        """Return the judge's trees as they are written.

        Raises:
            ArtefactError: the file was altered, or is not valid JSON.
        """
        try:
            return json.loads(read_verified(self._folder, TREES, self.card))
        except (ValueError, RecursionError) as bad:
            raise ArtefactError(str(self._folder), f"{TREES} is not valid JSON ({bad})") from bad

    def logit(self, a: str, b: str) -> float | None:
        """Return the model's own answer about two sentences of whatever language; None if it cannot read them.

        It cannot read what is too long, and what differs in nothing that it sees.

        Raises:
            ModelUnavailableError: the model failed.
        """
        tokenizer, session = self._load()
        both = encode(tokenizer, a, b)
        return None if both is None else self._run(session, both[0])

    def _run(self, session: Any, encoded: Encoded) -> float:
        feeds = {"ids": np.array([encoded.ids], np.int64), "kinds": np.array([encoded.kinds], np.int64)}
        try:
            logit = float(session.run(None, feeds)[0][0])
        except Exception as failed:  # ONNX Runtime raises many kinds, none of which is public
            raise ModelUnavailableError(self.name, f"it failed: {failed}") from failed
        if not math.isfinite(logit):
            raise ModelUnavailableError(self.name, "its answer is not a number")
        return logit

    def _load(self) -> tuple[WordPiece, Any]:
        with self._lock:
            if self._tokenizer is None or self._session is None:
                self._tokenizer = self._opened_tokenizer()
                self._session = _opened(read_verified(self._folder, WEIGHTS, self.card), self.name)
            return self._tokenizer, self._session

    def _opened_tokenizer(self) -> WordPiece:
        try:
            return WordPiece(read_verified(self._folder, TOKENIZER, self.card))
        except ValueError as bad:
            raise ArtefactError(str(self._folder), f"{TOKENIZER} cannot be used: {bad}") from bad


def _opened(weights: bytes, name: str) -> Any:
    try:
        return open_session(weights)
    except Exception as failed:  # as above: its errors share no base class
        raise ModelUnavailableError(name, f"its weights cannot be loaded: {failed}") from failed
