"""For LangChain: a collection of a base as a vector store; needs the extra `langchain`."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Self

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore

from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.errors import UsageError
from saidonce.foundation.ports import Embedder
from saidonce.interfaces.integrations.texts import ALSO_IN
from saidonce.kb.framework_texts import FrameworkHit, FrameworkText, FrameworkTexts, Keeps

Condition = Mapping[str, Any] | Callable[[Document], bool]
"""Values that metadata must have, or a function of the document."""


class SaidOnceEmbeddings(Embeddings):
    """The embedding model of a base, for whatever of LangChain asks for one.

    Args:
        embedder: of the base.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return a unit vector for each text."""
        rows: list[list[float]] = self._embedder.embed(texts).tolist()
        return rows

    def embed_query(self, text: str) -> list[float]:
        """Return the unit vector of a question."""
        return self.embed_documents([text])[0]


class SaidOnceVectorStore(VectorStore):
    """A collection of a knowledge base: documents in as they are, out as they were, and nothing said twice.

    A search returns the k most relevant documents; one that repeats a higher one does not take a place, but stands
    in its metadata under "also_in" (id, metadata and similarity), and what states another fact keeps its place. All
    documents stay, and can be read by their ids. The same id again replaces a document, so that `indexing.index`
    with any cleanup works as with other stores.

    Args:
        base: an open knowledge base; it embeds by its own model.
        collection: of this store alone; created if it is new. Beside it stands `NAME.originals`.
    """

    def __init__(self, base: KnowledgeBase, collection: str = "langchain") -> None:
        self._embedder = base.embedder
        self._originals = FrameworkTexts(base.base, collection)

    def __repr__(self) -> str:
        return f"SaidOnceVectorStore(collection={self._originals.collection!r})"

    @property
    def embeddings(self) -> Embeddings:
        """The model of the base."""
        return SaidOnceEmbeddings(self._embedder)

    def add_texts(
        self,
        texts: Iterable[str],
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        **kwargs: Any,
    ) -> list[str]:
        """Add texts, in place of those with their ids; return the ids.

        Raises:
            UsageError: there is not one id or one set of metadata for each text, or JSON cannot hold the metadata.
        """
        listed = list(texts)
        for name, values in (("metadatas", metadatas), ("ids", ids)):
            if values is not None and len(values) != len(listed):
                raise UsageError(f"{len(values)} {name} for {len(listed)} texts; pass one for each")
        sets = metadatas or [{} for _ in listed]
        documents = [Document(page_content=text, metadata=own) for text, own in zip(listed, sets, strict=True)]
        return self.add_documents(documents, ids=ids, **kwargs)

    def add_documents(self, documents: list[Document], **kwargs: Any) -> list[str]:
        """Add documents, in place of those with their ids; return the ids. The documents are not changed.

        Args:
            ids: one for each document; by default each one's own, or a new one.

        Raises:
            UsageError: there is not one id for each document, or JSON cannot hold the metadata.
        """
        kwargs.pop("batch_size", None)  # indexing says how many it sends
        ids: Sequence[str | None] = kwargs.pop("ids", None) or [document.id for document in documents]
        _refuse(kwargs)
        if len(ids) != len(documents):
            raise UsageError(f"{len(ids)} ids for {len(documents)} documents; pass one for each")
        named = [id_ or document.id or str(uuid.uuid4()) for id_, document in zip(ids, documents, strict=True)]
        self._originals.put(
            [FrameworkText(id_, d.page_content, d.metadata) for id_, d in zip(named, documents, strict=True)]
        )
        return named

    def delete(self, ids: list[str] | None = None, **kwargs: Any) -> bool | None:
        """Remove documents, all of them without ids; those that are not there are passed over."""
        _refuse(kwargs)
        self._originals.delete([each.id for each in self._originals.all()] if ids is None else ids)
        return True

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        """Return the documents of these ids that there are."""
        return [_document(each) for each in self._originals.get(ids)]

    def similarity_search(
        self, query: str, k: int = 4, filter: Condition | None = None, **kwargs: Any
    ) -> list[Document]:
        """Return the k most relevant documents, best first, nothing twice.

        Args:
            filter: values that metadata must have, or a function of the document.

        Raises:
            UsageError: the query is empty or too long, or k is below 1.
        """
        return [document for document, _ in self.similarity_search_with_score(query, k, filter, **kwargs)]

    def similarity_search_with_score(
        self, query: str, k: int = 4, filter: Condition | None = None, **kwargs: Any
    ) -> list[tuple[Document, float]]:
        """Return the k most relevant documents with their relevance, 0..1, best first by rank, nothing twice."""
        _refuse(kwargs)
        results = self._originals.search(query, k, _keeps(filter))
        return [(_with_also_in(each), each.relevance) for each in results]

    def _select_relevance_score_fn(self) -> Callable[[float], float]:
        return lambda score: score

    @classmethod
    def from_texts(
        cls,
        texts: list[str],
        embedding: Embeddings | None = None,
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        base: KnowledgeBase | None = None,
        collection: str = "langchain",
        **kwargs: Any,
    ) -> Self:
        """Return a store with these texts.

        Args:
            embedding: None, or the `embeddings` of such a store: a base embeds by its own model.
            base: an open knowledge base; needed.

        Raises:
            UsageError: there is no base, another model is given, or an argument is unknown.
        """
        _refuse(kwargs)
        if base is None:
            raise UsageError("a store needs an open base; pass it, as in from_texts(texts, base=kb)")
        if embedding is not None and not isinstance(embedding, SaidOnceEmbeddings):
            raise UsageError("the base embeds with its own model (setting embedder); pass None as embedding")
        store = cls(base, collection)
        store.add_texts(texts, metadatas, ids=ids)
        return store


def _refuse(kwargs: Mapping[str, Any]) -> None:
    """Refuse arguments that would have no effect.

    Raises:
        UsageError: there are some.
    """
    if kwargs:
        raise UsageError(f"this store does not support {' or '.join(sorted(kwargs))}")


def _document(original: FrameworkText) -> Document:
    return Document(id=original.id, page_content=original.text, metadata=dict(original.payload))


def _with_also_in(one: FrameworkHit) -> Document:
    document = _document(one.original)
    if one.also_in:
        document.metadata[ALSO_IN] = [
            {"id": twin.id, "metadata": dict(twin.payload), "similarity": similarity}
            for twin, similarity in one.also_in
        ]
    return document


def _keeps(condition: Condition | None) -> Keeps | None:
    if condition is None:
        return None
    if callable(condition):
        return lambda original: bool(condition(_document(original)))
    return lambda original: all(
        name in original.payload and original.payload[name] == value for name, value in condition.items()
    )
