"""Several endpoints share the work of embedding: same rows, limited load, and a dead one stops nobody."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from responding import respond
from saidonce.adapters.embed import openai_compatible
from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.adapters.embed.in_flight import REQUESTS, InFlight, tokens_of
from saidonce.adapters.embed.openai_compatible import OpenAICompatible
from saidonce.errors import ModelUnavailableError, SettingsError

TEXTS = [f"text number {n} of a pool" for n in range(1_000)]


class Endpoint:
    """One endpoint: what it was asked, and how it answers the n-th request."""

    def __init__(self) -> None:
        self.url = ""
        self.batches: list[list[str]] = []
        self.status: Callable[[int], int] = lambda _n: 200


@pytest.fixture
def endpoints(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Endpoint]]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(openai_compatible, "FIRST_PAUSE_S", 0.001)
    servers, made = [], [Endpoint(), Endpoint()]
    for endpoint in made:

        class Handler(BaseHTTPRequestHandler):
            served = endpoint

            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
                self.served.batches.append(asked)
                rows = HashedEmbedder(8).embed(asked).tolist()
                data = [{"index": at, "embedding": row} for at, row in enumerate(rows)]
                respond(self, self.served.status(len(self.served.batches)), json.dumps({"data": data}).encode())

            def log_message(self, format: str, *args: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        endpoint.url = f"http://127.0.0.1:{server.server_port}/v1"
        servers.append(server)
    yield made
    for server in servers:
        server.shutdown()
        server.server_close()


def pool(*urls: str) -> OpenAICompatible:
    return OpenAICompatible(", ".join(urls), "", "m")


def test_both_work_and_the_rows_are_those_of_one(endpoints: list[Endpoint]) -> None:
    alone = pool(endpoints[0].url).embed(TEXTS)
    for endpoint in endpoints:
        endpoint.batches.clear()
    embedder = pool(*(e.url for e in endpoints))
    assert embedder.embed(TEXTS).tobytes() == alone.tobytes()
    assert embedder.model == pool(endpoints[0].url).model
    assert all(len(e.batches) >= 3 for e in endpoints)
    assert sorted(text for e in endpoints for batch in e.batches for text in batch if text != "dimension") == sorted(
        TEXTS
    )


def test_an_endpoint_that_is_down_or_overloaded_hands_its_work_to_the_other(endpoints: list[Endpoint]) -> None:
    expected = pool(endpoints[0].url).embed(TEXTS)
    endpoints[1].status = lambda n: 503 if n % 3 else 429
    assert pool(*(e.url for e in endpoints)).embed(TEXTS).tobytes() == expected.tobytes()
    nobody = "http://127.0.0.1:9/v1"
    assert pool(endpoints[0].url, nobody).embed(TEXTS[:200]).tobytes() == expected[:200].tobytes()


def test_a_lasting_failure_names_its_endpoint_and_ends_the_work(endpoints: list[Endpoint]) -> None:
    endpoints[1].status = lambda _n: 401
    with pytest.raises(ModelUnavailableError, match="401") as failed:
        pool(*(e.url for e in endpoints)).embed(TEXTS)
    assert endpoints[1].url.removeprefix("http://").removesuffix("/v1").split(":")[0] in str(failed.value)


def test_one_malformed_url_of_several_is_refused() -> None:
    with pytest.raises(SettingsError):
        pool("http://localhost:1/v1", "nowhere")


def test_no_more_tokens_are_under_way_than_allowed_but_for_one_large_batch() -> None:
    lock, now, most = threading.Lock(), [[0, 0], [0, 0]], [0, 0]
    both = threading.Barrier(2, timeout=20)

    def send(endpoint: int, batch: list[str]) -> str:
        with lock:
            now[endpoint][0] += tokens_of(batch)
            now[endpoint][1] += 1
            assert now[endpoint][0] <= 40 or now[endpoint][1] == 1
            assert now[endpoint][1] <= REQUESTS
            most[endpoint] = max(most[endpoint], now[endpoint][0])
        if batch[0] in {"first", "second"}:
            both.wait()  # passes only where two are sent at once
        with lock:
            now[endpoint][0] -= tokens_of(batch)
            now[endpoint][1] -= 1
        return batch[0]

    batches = [["first"], ["second"], *(["x" * n] for n in (40, 400, 4, 0, 60, 80, 39)), *([["y"]] * 30)]
    assert InFlight(2, 40, send).results(batches) == [batch[0] for batch in batches]
    assert max(most) == 101


def test_the_first_failed_batch_is_the_one_that_is_raised() -> None:
    sent: list[str] = []

    def send(_endpoint: int, batch: list[str]) -> np.ndarray:
        sent.append(batch[0])
        if batch[0] != "0":
            raise ValueError(batch[0])
        return np.zeros(1)

    with pytest.raises(ValueError, match=r"^1$"):
        InFlight(1, 3, send).results([[str(n)] for n in range(50)])
    assert len(sent) < 20
