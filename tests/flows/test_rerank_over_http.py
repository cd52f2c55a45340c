"""The reranker over HTTP, asked exactly as stock clients ask: what each of them sends, and what it reads."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from saidonce import KnowledgeBase
from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.foundation.model import Role, Scope
from saidonce.interfaces.http import create_app
from saidonce.interfaces.http.middleware import FORM_BYTES
from saidonce.kb.rerank import MOST_DOCUMENTS
from saidonce.platform import access
from saidonce.testing import MemoryStore

QUERY = "How long are backups kept?"
MENU = "The canteen serves soup and salad on Mondays."
KEPT = "Backups are kept for 30 days and then removed from all servers."
AGAIN = "Backups are kept for 30 days, and then removed from all servers."
OTHER = "Backups are kept for 90 days and then removed from all servers."
DOCUMENTS = [MENU, KEPT, AGAIN, OTHER]
PATHS = ("/v1/rerank", "/v2/rerank", "/api/v1/rerank")


class Asked:
    """A server with one reader, who has a key."""

    def __init__(self, folder: Path) -> None:
        base = KnowledgeBase(data_dir=folder)
        self.store = MemoryStore("default")
        base._lazy.opened |= {"store": self.store, "embedder": HashedEmbedder()}
        now = base.base.clock.now()
        access.add_person(self.store, "ann", "", Role.READER, now)
        _, self.key = access.make_key(self.store, "ann", "reranker", [Scope.READ], now, secrets.token_bytes)
        self.client = TestClient(create_app(base, local=False), "http://127.0.0.1")

    def __call__(self, body: Any, path: str = "/v1/rerank", **headers: str) -> Any:
        return self.client.post(path, json=body, headers={"Authorization": f"Bearer {self.key}", **headers})


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    asked = Asked(tmp_path_factory.mktemp("rerank"))
    with asked.client:
        yield asked


CLIENTS: dict[str, tuple[str, dict[str, Any]]] = {
    "cohere 5, version 1": ("/v1/rerank", {
        "model": "rerank-v3.5", "query": QUERY, "documents": DOCUMENTS, "top_n": 4, "return_documents": False}),
    "cohere 5, version 1, objects": ("/v1/rerank", {
        "query": QUERY, "documents": [{"text": t} for t in DOCUMENTS], "max_chunks_per_doc": 10}),
    "cohere 5, version 2; LlamaIndex CohereRerank": ("/v2/rerank", {
        "model": "rerank-v3.5", "query": QUERY, "documents": DOCUMENTS, "top_n": 4}),
    "langchain-cohere": ("/v2/rerank", {
        "model": "rerank-v3.5", "query": QUERY, "documents": DOCUMENTS, "top_n": 4, "max_tokens_per_doc": None}),
    "Jina; LlamaIndex JinaRerank; RAGFlow; LightRAG": ("/v1/rerank", {
        "model": "jina-reranker-v2-base-multilingual", "query": QUERY, "documents": DOCUMENTS, "top_n": 4}),
    "Jina, objects": ("/v1/rerank", {
        "model": "jina-reranker-m0", "query": {"text": QUERY}, "documents": [{"text": t} for t in DOCUMENTS],
        "return_documents": True, "truncation": True}),
    "Dify, OpenAI-API-compatible": ("/v1/rerank", {
        "model": "saidonce", "query": QUERY, "documents": DOCUMENTS, "top_n": 4, "return_documents": True,
        "score_threshold": 0.05}),
    "RAGFlow, Xinference": ("/v1/rerank", {
        "model": "saidonce", "query": QUERY, "documents": DOCUMENTS, "return_documents": "true",
        "return_len": "true"}),
    "Open WebUI, external": ("/v1/rerank", {
        "model": "saidonce", "query": QUERY, "documents": DOCUMENTS, "top_n": 4}),
}  # fmt: skip


@pytest.mark.parametrize("client", CLIENTS)
def test_a_stock_client_gets_what_it_reads(ask: Asked, client: str) -> None:
    path, body = CLIENTS[client]
    answer = ask(body, path)
    assert answer.status_code == 200, answer.text
    results = answer.json()["results"]
    assert [r["index"] for r in results[2:]] == [0, 2]  # what says something else, then the repeat
    assert {r["index"] for r in results[:2]} == {1, 3}
    scores = [r["relevance_score"] for r in results]
    assert scores == sorted(scores, reverse=True)
    assert all(isinstance(score, float) for score in scores)
    assert scores[2] > scores[3] == 0.0


def test_a_repeat_names_what_it_repeats_and_a_conflict_both_sides(ask: Asked) -> None:
    answer = ask({"query": QUERY, "documents": DOCUMENTS}).json()
    by_index = {r["index"]: r for r in answer["results"]}
    assert by_index[2]["also_in"] == 1
    assert by_index[1]["repeated_by"] == [2]
    assert "also_in" not in by_index[1]
    (conflict,) = answer["conflicts"]
    assert {conflict["index"], conflict["of"]} == {1, 3}
    (fact,) = conflict["facts"]
    values = {1: "30 days", 3: "90 days"}
    assert (fact["here"], fact["there"]) == (values[conflict["index"]], values[conflict["of"]])


def test_documents_come_back_as_each_api_has_it(ask: Asked) -> None:
    body = {"query": QUERY, "documents": [KEPT]}

    def has_document(path: str, **more: bool) -> bool:
        return "document" in ask({**body, **more}, path).json()["results"][0]

    assert has_document("/v1/rerank")  # Jina's default
    assert not has_document("/v1/rerank", return_documents=False)
    assert not has_document("/v2/rerank")
    assert has_document("/v2/rerank", return_documents=True)
    assert ask(body).json()["results"][0]["document"] == {"text": KEPT}


def test_meta_is_of_the_version_that_was_asked(ask: Asked) -> None:
    for path, version in (("/v1/rerank", "1"), ("/v2/rerank", "2"), ("/api/v1/rerank", "1")):
        answer = ask({"query": QUERY, "documents": [KEPT]}, path).json()
        assert answer["meta"]["api_version"] == {"version": version}
        assert answer["usage"]["total_tokens"] > 0
        assert answer["id"]


def test_the_same_request_has_the_same_answer(ask: Asked) -> None:
    first, second = (ask({"query": QUERY, "documents": DOCUMENTS}).content for _ in range(2))
    assert first == second


def test_rank_fields_choose_what_is_read(ask: Asked) -> None:
    documents = [{"title": "Backups", "text": MENU}, {"title": "Menu", "text": KEPT}]
    asked = {"query": "backups", "documents": documents}
    assert ask(asked).json()["results"][0]["index"] == 1
    assert ask({**asked, "rank_fields": ["title"]}).json()["results"][0]["index"] == 0


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ({"documents": [KEPT]}, "query"),
        ({"query": QUERY}, "documents"),
        ({"query": QUERY, "documents": []}, "no documents"),
        ({"query": "  ", "documents": [KEPT]}, "query is empty"),
        ({"query": QUERY, "documents": [KEPT, {"image": "x"}]}, "document 1 has no text in 'text'"),
        ({"query": QUERY, "documents": [7]}, "documents"),
        ({"query": QUERY, "documents": [KEPT], "top_n": 0}, "top_n"),
        ({"query": QUERY, "documents": ["a"] * (MOST_DOCUMENTS + 1)}, "1001 documents"),
        ({"query": QUERY, "documents": ["a " * 60_000]}, "document 0 has 120000 characters"),
        ({"query": QUERY, "documents": ["a " * 45_000] * 5}, "225000 words"),
    ],
)
def test_what_cannot_be_ranked_is_refused_in_words_that_every_client_shows(ask: Asked, body: Any, names: str) -> None:
    answer = ask(body)
    assert answer.status_code == 422
    shown = answer.json()
    assert names in shown["message"]
    assert shown["detail"] == shown["message"]


@pytest.mark.parametrize("path", PATHS)
def test_without_a_key_nothing_is_ranked(ask: Asked, path: str) -> None:
    body = {"query": QUERY, "documents": [KEPT]}
    for headers in ({}, {"Authorization": "Bearer unused"}):
        answer = ask.client.post(path, json=body, headers=headers)
        assert answer.status_code == 401, answer.text
        assert answer.headers["content-type"] == "application/json"
        assert "key" in answer.json()["message"] or "signed in" in answer.json()["message"]


@pytest.mark.parametrize(
    ("content", "kind", "says"),
    [
        ("nonsense", "application/json", "the body is not JSON: Expecting value"),
        ("[]", "application/json", "the body must be a JSON object, {...}"),
        ("", "application/json", "the body must be a JSON object, {...}"),
        (
            '{"query": "q", "documents": ["a"]}', "application/x-www-form-urlencoded",
            "the body must be a JSON object, sent with the header 'Content-Type: application/json', not"
            " 'application/x-www-form-urlencoded'",
        ),
    ],
)  # fmt: skip
def test_a_body_that_is_no_object_says_what_to_send(ask: Asked, content: str, kind: str, says: str) -> None:
    headers = {"Authorization": f"Bearer {ask.key}", "Content-Type": kind}
    answer = ask.client.post("/v1/rerank", content=content, headers=headers)
    assert (answer.status_code, answer.json()["message"]) == (422, says)


def test_a_wrong_method_or_path_is_named_with_what_to_use(ask: Asked) -> None:
    headers = {"Authorization": f"Bearer {ask.key}"}
    read = ask.client.get("/v1/rerank", headers=headers)
    assert (read.status_code, read.json()["message"]) == (405, "/v1/rerank does not take GET; use POST")
    lost = ask.client.post("/v1/rerank/more", json={}, headers=headers)
    assert (lost.status_code, lost.json()["message"]) == (
        404, "there is nothing at /v1/rerank/more; /docs lists the API"
    )  # fmt: skip


def test_a_request_without_a_key_is_told_how_to_send_one(ask: Asked) -> None:
    for headers in ({}, {"Authorization": "Basic YTpi"}):
        refused = ask.client.post("/v1/rerank", json={"query": "q", "documents": ["a"]}, headers=headers)
        assert refused.status_code == 401
        assert "needed: an API key, sent as 'Authorization: Bearer so1_...'" in refused.json()["message"]


def test_a_body_that_is_too_long_is_refused_by_its_bytes(ask: Asked) -> None:
    answer = ask({"query": QUERY, "documents": ["x" * FORM_BYTES]})
    assert answer.status_code == 413
    assert str(FORM_BYTES) in answer.json()["message"]


def test_nothing_is_stored(ask: Asked) -> None:
    before = ask.store.rev()
    assert ask({"query": QUERY, "documents": DOCUMENTS}).status_code == 200
    assert ask.store.rev() == before
    assert KEPT not in json.dumps([str(c) for c in ask.store.collections()])
