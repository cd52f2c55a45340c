"""Adapter: an embeddings endpoint that speaks OpenAI's protocol, such as OpenAI, Ollama, vLLM or TEI."""

from __future__ import annotations

import itertools
import json
import math
import re
import time
from collections.abc import Callable, Iterator, Sequence
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saidonce.adapters.embed.in_flight import InFlight
from saidonce.adapters.embed.rows import distinct, unit_rows
from saidonce.errors import ModelUnavailableError
from saidonce.foundation.http import HttpClient, HttpReply, NoReplyError, ReplyTooLargeError, base_url, bearer, host_of
from saidonce.foundation.model import Vector

PIECE_CHARS = 6_000
"""Longer texts are sent in pieces: below the 8,191 tokens of common endpoints in any language."""

BATCH_PIECES = 64
BATCH_CHARS = 120_000
TOKENS_IN_FLIGHT = 60_000
"""Estimated tokens that are under way to one endpoint at once: two of the largest batches, or many small ones."""

REPLY_BYTES = 32 * 1024 * 1024
"""Largest reply that is read."""

DEADLINE_S = 60.0
"""Time for one batch, retries included."""

ATTEMPTS = 5
FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 20.0
MAX_DIM = 16_384

_WORD = re.compile(r"\w+|[^\w\s]")
_SAFE_CODE = re.compile(r"[\w.:-]{1,60}")


class _FailedError(Exception):
    """One attempt failed; carries a reason without secrets and, if another attempt may help, a pause."""

    def __init__(self, reason: str, retry: bool = False, pause_s: float | None = None) -> None:
        self.reason = reason
        self.retry = retry
        self.pause_s = pause_s
        super().__init__(reason)


class OpenAICompatible:
    """Embeds by `POST {url}/embeddings`, at one endpoint or a pool of them that serve the same model.

    Batches are sent at once, to the endpoint with the fewest tokens under way. A passing failure is tried again, in a
    pool at the next endpoint.

    The endpoint is not trusted: replies are limited in size and time, and every vector is checked
    and scaled to length one. Redirects are not followed. Texts are never written to logs or
    errors, nor is the key. Texts above 6,000 characters are sent in pieces and their vectors
    averaged by length. Same bytes for the same text hold as far as the endpoint holds them.
    """

    def __init__(self, url: str, key: str, model: str, dim: int | None = None) -> None:
        """Prepare an endpoint; nothing is sent yet.

        Args:
            url: base URL, such as "https://api.openai.com/v1"; several, separated by commas, are a pool, and the first
                one names the model's vectors.
            key: API key, or empty.
            dim: dimension to ask for; None takes what the endpoint gives, learnt by one request.

        Raises:
            SettingsError: the URL is malformed, or the key cannot be sent.
        """
        bases = [base_url("embedder_url", one) for one in url.split(",")]
        self._host = host_of(bases[0])
        self._endpoints = [(host_of(base), f"{base}/embeddings") for base in dict.fromkeys(bases)]
        self._name = model
        self._asked_dim = dim
        self._dim = dim
        self._lock = Lock()
        headers = {"Accept": "application/json", **bearer("embedder_key", key)}
        self._http = HttpClient(DEADLINE_S, headers, keeps_connections=True)

    def __repr__(self) -> str:
        return f"OpenAICompatible(model={self._name!r}, host={self._host!r})"

    @property
    def model(self) -> str:
        """Fingerprint: model, host and dimension; it does not show a change behind the same name.

        Raises:
            ModelUnavailableError: the dimension was not given and the endpoint did not tell it.
        """
        return f"openai:{self._name}@{self._host}:{self.dim}"

    @property
    def dim(self) -> int:
        """Length of a vector.

        Raises:
            ModelUnavailableError: it was not given and the endpoint did not tell it.
        """
        if self._dim is None:
            self._embed_batch(0, ["dimension"])
        assert self._dim is not None
        return self._dim

    def embed(self, texts: Sequence[str]) -> Vector:
        """Embed texts: shape (n, dim) float32, unit rows, in input order.

        Raises:
            ModelUnavailableError: the endpoint failed, or its reply breaks the contract.
        """
        unique, back = distinct(texts)
        if not unique:
            return np.zeros((0, self.dim), dtype=np.float32)
        pieces = [(place, piece) for place, text in enumerate(unique) for piece in _pieces(text)]
        batches = list(_batches([piece for _, piece in pieces]))
        if self._dim is None:  # it is learnt once, and by all
            batches, first = batches[1:], [self._embed_batch(0, batches[0])]
        else:
            first = []
        flights = InFlight(len(self._endpoints), TOKENS_IN_FLIGHT, self._embed_batch)
        rows = [row for part in (*first, *flights.results(batches)) for row in part]
        totals = np.zeros((len(unique), self.dim))
        for (place, piece), row in zip(pieces, rows, strict=True):
            totals[place] += row.astype(np.float64) * len(piece)
        return unit_rows(totals, self._name)[back]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Estimate tokens as 4/3 of the words and punctuation marks; the endpoint's tokenizer is not known."""
        return [math.ceil(len(_WORD.findall(text)) * 4 / 3) for text in texts]

    def _embed_batch(self, endpoint: int, batch: list[str]) -> Vector:
        """Embed a batch, at an endpoint first and after a passing failure at the next one."""
        body: dict[str, Any] = {"model": self._name, "input": batch, "encoding_format": "float"}
        if self._asked_dim is not None:
            body["dimensions"] = self._asked_dim
        deadline = time.monotonic() + DEADLINE_S
        order = self._endpoints[endpoint:] + self._endpoints[:endpoint]
        turns = itertools.cycle(order)
        host = order[0][0]

        def attempt() -> NDArray[np.float64]:
            nonlocal host
            host, url = next(turns)
            return _rows(self._post(url, body, deadline), len(batch))

        try:
            rows = _with_retries(attempt, deadline)
        except _FailedError as failed:
            raise ModelUnavailableError(self._name, f"{host}: {failed.reason}") from None
        with self._lock:
            if self._dim is None:
                self._dim = rows.shape[1]
        if rows.shape[1] != self._dim:
            reason = f"{host}: it returned vectors of dimension {rows.shape[1]}, not {self._dim}"
            raise ModelUnavailableError(self._name, reason)
        return unit_rows(rows, self._name)

    def _post(self, url: str, body: dict[str, Any], deadline: float) -> bytes:
        """Send one request and read its reply within size and time."""
        try:
            reply = self._http.ask("POST", url, REPLY_BYTES, deadline, json=body)
        except NoReplyError as failed:
            if failed.is_late:
                raise _FailedError(f"no reply within {DEADLINE_S:g} s") from None
            raise _FailedError(failed.reason, retry=True) from None
        except ReplyTooLargeError:
            raise _FailedError(f"the reply is larger than {REPLY_BYTES} bytes") from None
        _refuse_status(reply)
        return reply.body


def _with_retries(attempt: Callable[[], NDArray[np.float64]], deadline: float) -> NDArray[np.float64]:
    """Try until it succeeds, a failure is final, attempts run out or the next pause would miss the deadline."""
    for number in range(ATTEMPTS):
        try:
            return attempt()
        except _FailedError as failed:
            asked = failed.pause_s if failed.pause_s is not None else FIRST_PAUSE_S * 2.0**number
            pause_s = min(LONGEST_PAUSE_S, max(0.0, asked))
            last = number == ATTEMPTS - 1 or time.monotonic() + pause_s >= deadline
            if last or not failed.retry:
                raise
            time.sleep(pause_s)
    raise AssertionError("the last attempt returns or raises")


def _refuse_status(reply: HttpReply) -> None:
    status = reply.status
    if status != 200:
        retry = status in {408, 409, 429} or status >= 500
        raise _FailedError(f"status {status}{_code(reply.body)}", retry, reply.retry_after_s)


def _code(content: bytes) -> str:
    """Return the error code of a reply, if it is a plain word; messages may repeat the key or the texts."""
    try:
        error = json.loads(content)["error"]
        code = error.get("code") or error.get("type")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return ""
    return f" ({code})" if isinstance(code, str) and _SAFE_CODE.fullmatch(code) else ""


def _rows(content: bytes, n_rows: int) -> NDArray[np.float64]:
    """Return the vectors of a reply in the order of the request: shape (wanted, dim) float64, finite."""
    try:
        entries = json.loads(content)["data"]
        by_index = {entry["index"]: entry["embedding"] for entry in entries}
        whole = len(entries) == n_rows and sorted(by_index) == list(range(n_rows))
    except (ValueError, TypeError, KeyError, RecursionError):
        raise _FailedError("the reply is not a list of embeddings") from None
    if not whole:
        raise _FailedError(f"the reply does not contain exactly one embedding for each of {n_rows} texts")
    vectors = [by_index[place] for place in range(n_rows)]
    if not all(isinstance(vector, list) and _are_numbers(vector) for vector in vectors):
        raise _FailedError("an embedding is not a list of numbers")
    if len({len(vector) for vector in vectors}) != 1 or not 1 <= len(vectors[0]) <= MAX_DIM:
        raise _FailedError("the embeddings differ in dimension, or it is out of range")
    try:
        rows = np.array(vectors, dtype=np.float64)
    except OverflowError:
        raise _FailedError("an embedding is out of range") from None
    if not np.isfinite(rows).all():
        raise _FailedError("an embedding is not finite")
    return rows


def _are_numbers(vector: list[Any]) -> bool:
    return all(type(number) in {float, int} for number in vector)


def _pieces(text: str) -> Iterator[str]:
    # Endpoints refuse empty input; a space stands for it.
    for at in range(0, max(1, len(text)), PIECE_CHARS):
        piece = text[at : at + PIECE_CHARS]
        yield piece if piece.strip() else " "


def _batches(pieces: list[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    chars = 0
    for piece in pieces:
        if batch and (len(batch) == BATCH_PIECES or chars + len(piece) > BATCH_CHARS):
            yield batch
            batch, chars = [], 0
        batch.append(piece)
        chars += len(piece)
    if batch:
        yield batch
