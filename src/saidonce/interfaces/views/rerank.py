"""A reranking in the shape of Cohere's and Jina's APIs, with what repeats and what conflicts beside it."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from saidonce.foundation.text import digest
from saidonce.interfaces.views.base import View
from saidonce.kb.rerank import DocumentConflict, Reranked, RerankedDocument


class RankedText(View):
    """The text of a document, as it was sent."""

    text: str


class RerankResult(View):
    """One document in its place of the ranking."""

    index: int
    """place in the request, from 0"""
    relevance_score: float
    """0..1, higher first; 0 of a repeat"""
    document: RankedText | None = None
    """the document, if it is to be returned"""
    also_in: int | None = None
    """for a repeat: place in the request of the document that says everything it says"""
    similarity: float | None = None
    """for a repeat: the canonical cosine of both"""
    repeated_by: tuple[int, ...] = ()
    """places in the request of the documents that repeat this one, also those that top_n cuts off"""

    @model_serializer(mode="wrap")
    def _without_empty(self, write: SerializerFunctionWrapHandler) -> dict[str, object]:
        """Leave out what says nothing: clients with a strict shape see what they know."""
        return {name: value for name, value in write(self).items() if value is not None and value not in ((), [])}


class DifferingFact(View):
    """A fact that two documents state differently."""

    kind: str
    """number, date, negation and the like"""
    here: str
    """words in the lower ranked document; empty if it has none"""
    there: str
    """words in the higher ranked document"""


class RerankConflict(View):
    """Two documents that say the same with another fact; both stay in the ranking."""

    index: int
    """place in the request of the lower ranked one"""
    of: int
    """place in the request of the higher ranked one"""
    facts: tuple[DifferingFact, ...]


class RerankApiVersion(View):
    """Version of the API whose shape this is."""

    version: str


class RerankMeta(View):
    """What Cohere's clients read beside the results."""

    api_version: RerankApiVersion
    billed_units: dict[str, int] = Field(default_factory=lambda: {"search_units": 0})
    """nothing is billed"""
    tokens: dict[str, int]


class RerankUsage(View):
    """What Jina's clients read beside the results."""

    total_tokens: int
    prompt_tokens: int


class RerankView(View):
    """Documents by relevance, best first; those that repeat a higher one stand last, with score 0."""

    id: str
    """hash of the request: the same request has the same id"""
    model: str
    """the model that ranked, whichever was requested"""
    results: tuple[RerankResult, ...]
    conflicts: tuple[RerankConflict, ...]
    """by rank of the lower document"""
    meta: RerankMeta
    usage: RerankUsage


def rerank_view(
    query: str, texts: Sequence[str], ranked: Reranked, model: str, version: str, with_texts: bool
) -> RerankView:
    """Show a reranking.

    Args:
        texts: the documents of the request.
        model: fingerprint of the model that ranked.
        version: of the API whose shape is wanted, 1 or 2.
        with_texts: return the documents.
    """
    return RerankView(
        id=digest(query, *texts),
        model=model,
        results=tuple(_result(d, texts[d.index] if with_texts else None) for d in ranked.documents),
        conflicts=tuple(_conflict(c) for c in ranked.conflicts),
        meta=RerankMeta(api_version=RerankApiVersion(version=version), tokens={"input_tokens": ranked.n_tokens}),
        usage=RerankUsage(total_tokens=ranked.n_tokens, prompt_tokens=ranked.n_tokens),
    )


def _result(ranked: RerankedDocument, text: str | None) -> RerankResult:
    is_repeat = ranked.also_in is not None
    return RerankResult(
        index=ranked.index,
        relevance_score=ranked.score,
        document=None if text is None else RankedText(text=text),
        also_in=ranked.also_in,
        similarity=ranked.similarity if is_repeat else None,
        repeated_by=ranked.repeated_by,
    )


def _conflict(conflict: DocumentConflict) -> RerankConflict:
    differing = tuple(DifferingFact(kind=o.kind, here=o.a.text, there=o.b.text) for o in conflict.objections)
    return RerankConflict(index=conflict.index, of=conflict.of, facts=differing)
