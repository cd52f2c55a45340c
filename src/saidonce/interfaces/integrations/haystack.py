"""For Haystack: a deduplicator, and a retriever of packed passages; needs the extra `haystack`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from haystack import Document, component, default_from_dict, default_to_dict

from saidonce.adapters.embed import open_embedder
from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.foundation.ports import Embedder
from saidonce.interfaces.integrations.packed import packed_texts
from saidonce.interfaces.integrations.texts import ALSO_IN, THRESHOLD, dedup_texts
from saidonce.kb.packed_context import DEFAULT_TOKENS


@component
class SaidOnceDeduplicator:
    """Removes what a higher document says already; never the order, and never what states another fact.

    Pass more documents than needed: places that repeats leave free are filled from below. A
    kept document's meta lists its twins under "also_in", in ranked order. Documents without text stay.
    """

    def __init__(self, top_k: int | None = None, threshold: float = THRESHOLD, embedder: str = "minilm") -> None:
        """Store the options, and open the embedder.

        Args:
            top_k: maximum number of documents; all by default.
            threshold: similarity from which a lower document repeats a higher one.
            embedder: as the setting `embedder` names it.

        Raises:
            SettingsError: there is no such embedder.
        """
        self.top_k = top_k
        self.threshold = threshold
        self.embedder = embedder
        self._opened: Embedder = open_embedder(embedder)

    def to_dict(self) -> dict[str, Any]:
        """Return the component as a pipeline stores it."""
        data: dict[str, Any] = default_to_dict(self, top_k=self.top_k, threshold=self.threshold, embedder=self.embedder)
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> SaidOnceDeduplicator:
        """Return the component from its stored form."""
        deduplicator: SaidOnceDeduplicator = default_from_dict(cls, data)
        return deduplicator

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document], top_k: int | None = None) -> dict[str, list[Document]]:
        """Return copies of the documents that stay, under "documents"; the input is not changed.

        Raises:
            UsageError: top_k or the threshold makes no sense.
            ModelUnavailableError: the embedder failed.
        """
        texts = [document.content or "" for document in documents]
        k = self.top_k if top_k is None else top_k
        result = dedup_texts(texts, self._opened, k=k, threshold=self.threshold)
        sources = [{"id": document.id, "metadata": document.meta} for document in documents]
        return {"documents": [_with_twins(documents[place], result.also_in(place, sources)) for place in result.kept]}


@component
class SaidOnceRetriever:
    """Gives what a knowledge base holds on a question: within a budget, nothing twice, every source named.

    A document is a passage with what varies it under it. Its meta says where it stands, where it is stated
    again ("also_in"), and what varies it ("variants"). Where nothing in the base answers, there are none.
    The component holds an open base, and a stored pipeline cannot: build it anew where it runs.
    """

    def __init__(self, base: KnowledgeBase, n_tokens: int = DEFAULT_TOKENS, collection: str | None = None) -> None:
        """Store the options.

        Args:
            base: an open knowledge base.
            n_tokens: budget of all documents together.
            collection: only this one; all by default.
        """
        self._base = base
        self._n_tokens = n_tokens
        self._collection = collection

    @component.output_types(documents=list[Document])
    def run(self, query: str, n_tokens: int | None = None) -> dict[str, list[Document]]:
        """Return the packed passages under "documents".

        Raises:
            UsageError: the question is empty or the budget out of range.
            NotFoundError: no such collection.
        """
        budget = self._n_tokens if n_tokens is None else n_tokens
        packed = packed_texts(self._base, query, budget, self._collection)
        return {"documents": [Document(id=p.id, content=p.text, meta=p.metadata) for p in packed]}


def _with_twins(document: Document, also_in: list[dict[str, Any]]) -> Document:
    return replace(document, meta={**document.meta, ALSO_IN: also_in}) if also_in else document
