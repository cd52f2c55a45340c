"""The endpoint adapter against a real HTTP server that follows a script."""

from __future__ import annotations

import gzip
import json
import logging
import time
from collections.abc import Callable, Iterator
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import numpy as np
import pytest

from saidonce.adapters.embed import openai_compatible
from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.adapters.embed.openai_compatible import OpenAICompatible
from saidonce.errors import ModelUnavailableError, SettingsError

KEY = "sk-verysecret123"
Reply = tuple[int, dict[str, str], bytes]
Step = Callable[[dict[str, Any]], Reply]


class Script:
    """What the server answers, one step a request (the last one again and again), and what it was asked."""

    def __init__(self) -> None:
        self.url = ""
        self.steps: list[Step] = [good]
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []


def entries(asked: dict[str, Any], dim: int = 8) -> list[dict[str, Any]]:
    rows = HashedEmbedder(dim).embed(asked["input"]) * 5
    return [{"object": "embedding", "index": at, "embedding": row.tolist()} for at, row in enumerate(rows)]


def good(asked: dict[str, Any]) -> Reply:
    return 200, {}, json.dumps({"data": entries(asked)}).encode()


def status(code: int, body: bytes = b"", **headers: str) -> Step:
    return lambda asked: (code, {name.replace("_", "-"): value for name, value in headers.items()}, body)


def data(change: Callable[[list[dict[str, Any]]], Any]) -> Step:
    return lambda asked: (200, {}, json.dumps({"data": change(entries(asked))}).encode())


def vector(value: Any) -> Step:
    return data(lambda found: [{**entry, "embedding": value} for entry in found])


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Iterator[Script]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(openai_compatible, "FIRST_PAUSE_S", 0.001)
    made = Script()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            made.asked.append(asked)
            made.headers.append(dict(self.headers))
            made.paths.append(self.path)
            step = made.steps.pop(0) if len(made.steps) > 1 else made.steps[0]
            code, headers, body = step(asked)
            try:
                self.send_response(code)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: object, client_address: object) -> None:
            """Stay silent about clients that hang up."""

    with Server(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        server.block_on_close = False
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        made.url = f"http://127.0.0.1:{server.server_port}/v1"
        yield made
        server.shutdown()


def opened(script: Script, **options: Any) -> OpenAICompatible:
    return OpenAICompatible(script.url, KEY, "m", **options)


def test_it_asks_as_the_protocol_has_it_and_scales_rows_to_one(script: Script) -> None:
    model = opened(script)
    rows = model.embed(["b", "a", "b"])
    assert rows.shape == (3, 8)
    assert np.abs(np.linalg.norm(rows, axis=1) - 1).max() < 1e-6
    assert rows[0].tobytes() == rows[2].tobytes()
    assert script.asked == [{"model": "m", "input": ["b", "a"], "encoding_format": "float"}]
    assert script.paths == ["/v1/embeddings"]
    assert script.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert model.model == f"openai:m@{script.url.split('/')[2]}:8"


def test_without_a_key_no_authorization_is_sent(script: Script) -> None:
    OpenAICompatible(script.url + "/", "", "m").embed(["a"])
    assert "Authorization" not in script.headers[0]
    assert script.paths == ["/v1/embeddings"]


def test_replies_in_another_order_are_put_in_order(script: Script) -> None:
    expected = opened(script).embed(["a", "b", "c"])
    script.steps = [data(lambda found: found[::-1])]
    assert opened(script).embed(["a", "b", "c"]).tobytes() == expected.tobytes()


def test_the_dimension_is_asked_for_if_given_and_learnt_if_not(script: Script) -> None:
    assert opened(script).dim == 8
    opened(script, dim=8).embed(["a"])
    assert [asked.get("dimensions") for asked in script.asked] == [None, 8]
    with pytest.raises(ModelUnavailableError, match="dimension 8, not 16"):
        opened(script, dim=16).embed(["a"])
    model = opened(script)
    model.embed(["a"])
    script.steps = [lambda asked: (200, {}, json.dumps({"data": entries(asked, dim=9)}).encode())]
    with pytest.raises(ModelUnavailableError, match="dimension 9, not 8"):
        model.embed(["a"])


def test_batches_are_limited_in_texts_and_characters(script: Script) -> None:
    texts = [f"text {number} " + "x" * 3_000 for number in range(100)]
    rows = opened(script).embed(texts)
    assert rows.shape == (100, 8)
    assert sorted(len(asked["input"]) for asked in script.asked) == [22, 39, 39], "sent beside each other"
    batches = sorted((asked["input"] for asked in script.asked), key=lambda batch: texts.index(batch[0]))
    assert [text for batch in batches for text in batch] == texts


def test_long_texts_go_in_pieces_and_empty_ones_as_a_space(script: Script) -> None:
    opened(script).embed(["", "y" * 13_000])
    assert [len(piece) for piece in script.asked[0]["input"]] == [1, 6_000, 6_000, 1_000]
    assert script.asked[0]["input"][0] == " "


@pytest.mark.parametrize("code", [429, 500, 502, 503, 408])
def test_it_tries_again_after_a_passing_failure(script: Script, code: int) -> None:
    script.steps = [status(code), status(code), good]
    assert opened(script).embed(["a"]).shape == (1, 8)
    assert len(script.asked) == 3


@pytest.mark.parametrize("code", [400, 401, 403, 404, 422])
def test_it_does_not_try_again_after_a_lasting_failure(script: Script, code: int) -> None:
    body = json.dumps({"error": {"message": f"bad key {KEY} for text secret-text", "code": "some_code"}}).encode()
    script.steps = [status(code, body)]
    with pytest.raises(ModelUnavailableError, match=rf"status {code} \(some_code\)$"):
        opened(script).embed(["secret-text"])
    assert len(script.asked) == 1


@pytest.mark.parametrize("code", [KEY + " ", "a" * 100, "two words", 7, None])
def test_only_plain_error_codes_are_repeated(script: Script, code: Any) -> None:
    script.steps = [status(400, json.dumps({"error": {"code": code, "type": None}}).encode())]
    with pytest.raises(ModelUnavailableError, match=r"status 400$"):
        opened(script).embed(["a"])


def test_attempts_run_out(script: Script) -> None:
    script.steps = [status(500, b"<html>oops</html>")]
    with pytest.raises(ModelUnavailableError, match=r"status 500$"):
        opened(script).embed(["a"])
    assert len(script.asked) == openai_compatible.ATTEMPTS


@pytest.mark.parametrize("late", ["0.2", "date", "nonsense", "-5", "inf", "9" * 400])
def test_retry_after_is_followed_and_capped(script: Script, late: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_compatible, "LONGEST_PAUSE_S", 0.3)
    header = formatdate(time.time() + 3600, usegmt=True) if late == "date" else late
    script.steps = [status(429, Retry_After=header), good]
    start = time.monotonic()
    assert opened(script).embed(["a"]).shape == (1, 8)
    waited = time.monotonic() - start
    assert waited >= {"0.2": 0.2, "date": 0.3}.get(late, 0.0)


def test_a_pause_beyond_the_deadline_is_not_taken(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_compatible, "DEADLINE_S", 1.0)
    script.steps = [status(429, Retry_After="15")]
    with pytest.raises(ModelUnavailableError, match="status 429"):
        opened(script).embed(["a"])
    assert len(script.asked) == 1


BROKEN: dict[str, Step] = {
    "html": status(200, b"<html>welcome</html>"),
    "empty": status(200, b""),
    "not utf-8": status(200, b'{"data": "\xff"}'),
    "deep": status(200, b"[" * 100_000),
    "list": status(200, b"[]"),
    "no data": status(200, b"{}"),
    "null": status(200, b'{"data": null}'),
    "gzip": lambda asked: (200, {"Content-Encoding": "gzip"}, gzip.compress(good(asked)[2])),
    "too few": data(lambda found: found[:1]),
    "too many": data(lambda found: [*found, {**found[0], "index": 2}]),
    "index twice": data(lambda found: [found[0], {**found[1], "index": 0}]),
    "index from 1": data(lambda found: [{**entry, "index": entry["index"] + 1} for entry in found]),
    "index a list": data(lambda found: [{**entry, "index": []} for entry in found]),
    "no index": data(lambda found: [{"embedding": entry["embedding"]} for entry in found]),
    "nan": vector([float("nan")] * 8),
    "infinite": vector([float("inf")] * 8),
    "huge": vector([10**400] * 8),
    "zero": vector([0.0] * 8),
    "no numbers": vector(["1"] * 8),
    "booleans": vector([True] * 8),
    "base64": vector("AACAPwAAgD8="),
    "no vector": vector(None),
    "dimension 0": vector([]),
    "dimension above all": vector([1.0] * 20_000),
    "ragged": data(lambda found: [found[0], {**found[1], "embedding": [1.0]}]),
    "redirect": status(302, Location="http://127.0.0.1:9/"),
    "no content": status(204),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_broken_replies_are_refused_at_once(script: Script, broken: str) -> None:
    script.steps = [BROKEN[broken]]
    with pytest.raises(ModelUnavailableError):
        opened(script).embed(["a", "b"])
    assert len(script.asked) == 1


def test_a_reply_above_the_size_limit_is_refused(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_compatible, "REPLY_BYTES", 1_000)
    script.steps = [status(200, b" " * 100_000)]
    with pytest.raises(ModelUnavailableError, match="larger than 1000 bytes"):
        opened(script).embed(["a"])


def test_a_silent_endpoint_ends_at_the_deadline(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_compatible, "DEADLINE_S", 0.3)

    def silent(asked: dict[str, Any]) -> Reply:
        time.sleep(1.5)
        return good(asked)

    script.steps = [silent]
    with pytest.raises(ModelUnavailableError, match=r"no reply within 0.3 s"):
        opened(script).embed(["a"])


def test_a_closed_port_is_tried_again_and_then_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_compatible, "FIRST_PAUSE_S", 0.001)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with pytest.raises(ModelUnavailableError, match="ConnectError"):
        OpenAICompatible("http://127.0.0.1:9/v1", KEY, "m").embed(["a"])


def test_the_key_and_the_texts_are_nowhere_to_be_read(script: Script, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    model = opened(script)
    model.embed(["secret-text"])
    script.steps = [status(401, f"invalid {KEY} for secret-text".encode())]
    with pytest.raises(ModelUnavailableError) as refused:
        model.embed(["secret-text 2"])
    seen = caplog.text + repr(model) + str(model) + repr(vars(model)) + repr(refused.value) + model.model
    assert KEY not in seen
    assert "secret-text" not in seen
    assert refused.value.__cause__ is None


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:11434",
        "ftp://h/v1",
        "http://",
        "http://u:p@h/v1",
        "https://h/v1?key=x",
        "http://h:x/",
        "http://[::1",
    ],
)
def test_malformed_urls_are_refused_without_showing_secrets(url: str) -> None:
    with pytest.raises(SettingsError, match="embedder_url") as refused:
        OpenAICompatible(url, "", "m")
    assert "u:p" not in str(refused.value)
    assert "key=x" not in str(refused.value)


@pytest.mark.parametrize("key", ["two words", "käse", "line\nbreak"])
def test_keys_that_cannot_be_sent_are_refused_unseen(key: str) -> None:
    with pytest.raises(SettingsError, match="embedder_key") as refused:
        OpenAICompatible("http://h/v1", key, "m")
    assert key not in str(refused.value)


def test_tokens_are_estimated_from_words() -> None:
    assert OpenAICompatible("http://h/v1", "", "m").count_tokens(["", "one", "one two three"]) == [0, 2, 4]
