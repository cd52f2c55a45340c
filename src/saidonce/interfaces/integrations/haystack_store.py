"""For Haystack: a collection of a base as a document store, with its retriever; needs the extra `haystack`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from haystack import Document, component
from haystack.document_stores.errors import DuplicateDocumentError
from haystack.document_stores.types import DuplicatePolicy
from haystack.errors import FilterError
from haystack.utils.filters import document_matches_filter

from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.errors import UsageError
from saidonce.interfaces.integrations.texts import ALSO_IN
from saidonce.kb.framework_texts import FrameworkHit, FrameworkText, FrameworkTexts, Keeps


class SaidOnceDocumentStore:
    """A collection of a knowledge base as a document store: documents in as they are, out as they were.

    `SaidOnceStoreRetriever` searches it. All documents stay and can be filtered; only a search says nothing twice.
    The store holds an open base, and a stored pipeline cannot: build it anew where it runs.

    Args:
        base: an open knowledge base; it embeds by its own model.
        collection: of this store alone; created if it is new. Beside it stands `NAME.originals`.
    """

    def __init__(self, base: KnowledgeBase, collection: str = "haystack") -> None:
        self._originals = FrameworkTexts(base.base, collection)

    def __repr__(self) -> str:
        return f"SaidOnceDocumentStore(collection={self._originals.collection!r})"

    def to_dict(self) -> dict[str, Any]:
        """Refuse to be stored.

        Raises:
            UsageError: always; an open base cannot be stored.
        """
        raise UsageError(
            "a document store holds an open base and cannot be serialized; build the pipeline where it runs"
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> SaidOnceDocumentStore:
        """Refuse to be read from a stored form.

        Raises:
            UsageError: always; see `to_dict`.
        """
        raise UsageError(f"{data.get('type', cls.__name__)!r} needs an open base; build the pipeline where it runs")

    def count_documents(self) -> int:
        """Return the number of documents."""
        return self._originals.count()

    def filter_documents(self, filters: dict[str, Any] | None = None) -> list[Document]:
        """Return the documents that the filters keep, by id; all of them without filters.

        Raises:
            FilterError: the filters are malformed.
        """
        keeps = _keeps(filters)
        return [_document(each) for each in self._originals.all() if keeps is None or keeps(each)]

    def write_documents(self, documents: list[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE) -> int:
        """Write documents; return how many.

        Args:
            policy: what becomes of one whose id is stored: refused (also by default), passed over, or replacing it.

        Raises:
            ValueError: what is given is no list of documents.
            DuplicateDocumentError: an id is stored, or given twice, and the policy refuses that; nothing is written.
            UsageError: JSON cannot hold what a document carries.
        """
        if not isinstance(documents, list) or not all(isinstance(each, Document) for each in documents):
            raise ValueError("write_documents expects a list of documents")
        latest: dict[str, Document] = {}
        known = set() if policy is DuplicatePolicy.OVERWRITE else self._existing_ids(documents)
        for document in documents:
            if document.id in known or (document.id in latest and policy is not DuplicatePolicy.OVERWRITE):
                if policy is DuplicatePolicy.SKIP:
                    continue
                raise DuplicateDocumentError(f"document {document.id!r} already exists; choose another policy")
            latest[document.id] = document
        self._originals.put([_original(each) for each in latest.values()])
        return len(latest)

    def delete_documents(self, document_ids: list[str]) -> None:
        """Remove documents; those that are not there are passed over."""
        self._originals.delete(document_ids)

    def search(self, query: str, top_k: int = 10, filters: dict[str, Any] | None = None) -> list[Document]:
        """Return the most relevant documents, best first, nothing twice, with their relevance as score.

        Raises:
            UsageError: the query is empty or too long, or top_k is below 1.
            FilterError: the filters are malformed.
        """
        return [_with_score(each) for each in self._originals.search(query, top_k, _keeps(filters))]

    def _existing_ids(self, documents: list[Document]) -> set[str]:
        return {each.id for each in self._originals.get([document.id for document in documents])}


@component
class SaidOnceStoreRetriever:
    """Searches a `SaidOnceDocumentStore`: by meaning and words, best first, nothing twice.

    A document that repeats a higher one does not take a place, but stands in its meta under "also_in" (id, metadata
    and similarity); what states another fact keeps its place.
    """

    def __init__(
        self, document_store: SaidOnceDocumentStore, top_k: int = 10, filters: dict[str, Any] | None = None
    ) -> None:
        """Store the options.

        Args:
            document_store: what is searched.
            top_k: maximum number of documents.
            filters: which documents may be found, where a run names none.

        Raises:
            UsageError: top_k is below 1.
        """
        if top_k < 1:
            raise UsageError(f"top_k must be at least 1, not {top_k}")
        self._store = document_store
        self._top_k = top_k
        self._filters = filters

    @component.output_types(documents=list[Document])
    def run(
        self, query: str, top_k: int | None = None, filters: dict[str, Any] | None = None
    ) -> dict[str, list[Document]]:
        """Return the most relevant documents under "documents".

        Raises:
            UsageError: the query is empty or too long, or top_k is below 1.
        """
        k = self._top_k if top_k is None else top_k
        return {"documents": self._store.search(query, k, self._filters if filters is None else filters)}


def _original(document: Document) -> FrameworkText:
    return FrameworkText(document.id, document.content or "", document.to_dict(flatten=False))


def _document(original: FrameworkText) -> Document:
    return Document.from_dict(dict(original.payload))


def _with_score(one: FrameworkHit) -> Document:
    document = replace(_document(one.original), score=one.relevance)
    if not one.also_in:
        return document
    twins = [
        {"id": twin.id, "metadata": _document(twin).meta, "similarity": similarity} for twin, similarity in one.also_in
    ]
    return replace(document, meta={**document.meta, ALSO_IN: twins})


def _keeps(filters: Mapping[str, Any] | None) -> Keeps | None:
    if not filters:
        return None
    if "operator" not in filters and "conditions" not in filters:
        raise FilterError("filters need an operator and conditions; see Haystack's page on metadata filtering")
    return lambda original: document_matches_filter(dict(filters), _document(original))
