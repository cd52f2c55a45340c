"""Rerank what somebody else retrieved, in the shape that clients of Cohere and Jina send."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from saidonce.errors import UsageError
from saidonce.interfaces.http.callers import MayAsk
from saidonce.interfaces.http.schemas import example
from saidonce.interfaces.http.site import Caller
from saidonce.interfaces.views.rerank import RerankView, rerank_view

RERANK_ROOTS = ("/v1/", "/v2/")
"""Beginnings of the paths that clients of Cohere and Jina call, beside those of our own API."""

COHERE_1, COHERE_2 = "1", "2"

reranker = APIRouter(tags=["base"])
"""Included under our own API, and under `/v1`."""

reranker_2 = APIRouter(tags=["base"])
"""Included under `/v2`."""


class RerankBody(
    BaseModel,
    json_schema_extra=example(
        {"query": "how long are backups kept?", "documents": ["Backups are kept for 30 days."], "top_n": 3}
    ),
):
    """What is to be ranked. Other fields are ignored, as stock clients send their own."""

    model_config = ConfigDict(extra="ignore")

    model: str | None = Field(default=None, max_length=200, description="ignored; the ranker is that of the settings")
    query: str | dict[str, Any] = Field(description="question, as a string or an object with `text`")
    documents: list[str | dict[str, Any]] = Field(description="strings, or objects with `text`")
    top_n: int | None = Field(default=None, description="maximum number of results; all by default")
    return_documents: bool | None = Field(
        default=None, description="return the documents; by default true on /v1 as with Jina, false on /v2"
    )
    rank_fields: list[str] | None = Field(
        default=None, max_length=50, description="object fields to read, in this order, instead of `text`"
    )
    max_tokens_per_doc: int | None = Field(
        default=None,
        description="tokens of a document used for its relevance, 4096 by default; repeats and conflicts use all of it",
    )


@reranker.post("/rerank", summary="Rank documents, repeats last")
def rerank(caller: MayAsk, body: RerankBody) -> RerankView:
    """Return the documents by relevance, repeats last with score 0, and which facts conflict; nothing is stored."""
    return _rank(caller, body, COHERE_1, body.return_documents is not False)


@reranker_2.post("/rerank", summary="Rank documents, repeats last, as version 2 of Cohere's API")
def rerank_2(caller: MayAsk, body: RerankBody) -> RerankView:
    """Return the documents by relevance, repeats last with score 0, and which facts conflict; nothing is stored."""
    return _rank(caller, body, COHERE_2, body.return_documents is True)


def _rank(caller: Caller, body: RerankBody, version: str, with_texts: bool) -> RerankView:
    query = _text_of(body.query, "the query", None)
    texts = [_text_of(each, f"document {place}", body.rank_fields) for place, each in enumerate(body.documents)]
    ranked = caller.base.rerank(query, texts, body.top_n, body.max_tokens_per_doc)
    return rerank_view(query, texts, ranked, caller.base.embedder.model, version, with_texts)


def _text_of(sent: str | Mapping[str, Any], name: str, fields: list[str] | None) -> str:
    """Return the text of a document, or of the fields of one.

    Raises:
        UsageError: it has none, or one that is no Unicode.
    """
    if isinstance(sent, str):
        return _whole(sent, name)
    texts = [sent.get(field) for field in fields or ["text"]]
    named = [text for text in texts if isinstance(text, str)]
    if not named:
        names = " or ".join(map(repr, fields or ["text"]))
        raise UsageError(f"{name} has no text in {names}; send a text, or an object like {{'text': '...'}}")
    return _whole("\n".join(named), name)


def _whole(text: str, name: str) -> str:
    """Refuse halves of surrogate pairs, which JSON can hold and no answer."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as bad:
        raise UsageError(f"{name} contains half a surrogate pair at character {bad.start}") from None
    return text
