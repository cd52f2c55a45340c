"""Batches sent to several endpoints at once, limited by the tokens that are under way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Generic, TypeVar

Result = TypeVar("Result")

REQUESTS = 8
"""Requests to one endpoint at once, at most."""

CHARS_A_TOKEN = 4


@dataclass(slots=True)
class _Place:
    """What is under way to an endpoint."""

    tokens: int = 0
    requests: int = 0


@dataclass(frozen=True, slots=True)
class _Sent:
    number: int
    endpoint: int
    tokens: int


class InFlight(Generic[Result]):
    """Sends batches to the endpoint that has the least to do; results stand in the order of the batches.

    Args:
        n_endpoints: that all do the same.
        most_tokens: under way to one endpoint; a larger batch is sent alone.
        send: sends a batch to an endpoint, with retries of its own; called from several threads.
    """

    def __init__(self, n_endpoints: int, most_tokens: int, send: Callable[[int, list[str]], Result]) -> None:
        self._most = most_tokens
        self._send = send
        self._places = [_Place() for _ in range(n_endpoints)]

    def results(self, batches: Sequence[list[str]]) -> list[Result]:
        """Return the result of each batch.

        Raises:
            Exception: the error of the first batch, in their order, that failed; nothing more is sent after a failure.
        """
        if len(batches) < 2:
            return [self._send(0, batch) for batch in batches]
        results: dict[int, Result] = {}
        flying: dict[Future[Result], _Sent] = {}
        waiting = list(enumerate(batches))[::-1]
        failed: dict[int, BaseException] = {}
        with ThreadPoolExecutor(min(len(batches), REQUESTS * len(self._places))) as threads:
            while flying or (waiting and not failed):
                while waiting and not failed and (endpoint := self._free(waiting[-1][1])) is not None:
                    number, batch = waiting.pop()
                    sent = self._depart(number, endpoint, batch)
                    flying[threads.submit(self._send, endpoint, batch)] = sent
                for done in wait(flying, return_when=FIRST_COMPLETED).done:
                    sent = self._arrive(flying.pop(done))
                    error = done.exception()
                    if error is None:
                        results[sent.number] = done.result()
                    else:
                        failed[sent.number] = error
        if failed:
            raise failed[min(failed)]
        return [results[number] for number in range(len(batches))]

    def _free(self, batch: list[str]) -> int | None:
        """Return the endpoint with the least under way that takes a batch now, the first of equals; None if none does."""
        endpoint = min(range(len(self._places)), key=lambda at: self._places[at].tokens)
        place = self._places[endpoint]
        if not place.requests:
            return endpoint
        fits = place.tokens + tokens_of(batch) <= self._most and place.requests < REQUESTS
        return endpoint if fits else None

    def _depart(self, number: int, endpoint: int, batch: list[str]) -> _Sent:
        sent = _Sent(number, endpoint, tokens_of(batch))
        self._places[endpoint].tokens += sent.tokens
        self._places[endpoint].requests += 1
        return sent

    def _arrive(self, sent: _Sent) -> _Sent:
        self._places[sent.endpoint].tokens -= sent.tokens
        self._places[sent.endpoint].requests -= 1
        return sent


def tokens_of(batch: Sequence[str]) -> int:
    """Estimate the tokens of a batch, at least one a text."""
    return sum(1 + len(text) // CHARS_A_TOKEN for text in batch)
