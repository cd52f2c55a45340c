"""For LlamaIndex: a collection of a base as a vector store, and the base's model; needs the extra `llama-index`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.schema import BaseNode, MetadataMode
from llama_index.core.vector_stores.types import (
    BasePydanticVectorStore,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
    VectorStoreQueryResult,
)
from llama_index.core.vector_stores.utils import (
    build_metadata_filter_fn,
    metadata_dict_to_node,
    node_to_metadata_dict,
)
from pydantic import PrivateAttr

from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.errors import UsageError
from saidonce.foundation.ports import Embedder
from saidonce.interfaces.integrations.texts import ALSO_IN
from saidonce.kb.framework_texts import FrameworkHit, FrameworkText, FrameworkTexts, Keeps

MODES = (VectorStoreQueryMode.DEFAULT, VectorStoreQueryMode.HYBRID, VectorStoreQueryMode.TEXT_SEARCH)
"""Query modes that are answered, all of them by meaning and words together."""


class SaidOnceEmbedding(BaseEmbedding):
    """The embedding model of a base, for pipelines and indexes: nodes reach a store only with an embedding."""

    _embedder: Embedder = PrivateAttr()

    def __init__(self, base: KnowledgeBase, **options: Any) -> None:
        """Use the model of a base.

        Args:
            base: an open knowledge base.
            options: those of every embedding model of LlamaIndex.
        """
        super().__init__(model_name=base.embedder.model, **options)
        self._embedder = base.embedder

    @classmethod
    def class_name(cls) -> str:
        """Return the name for LlamaIndex."""
        return "SaidOnceEmbedding"

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        rows: list[list[float]] = self._embedder.embed(texts).tolist()
        return rows

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)


class SaidOnceNodeStore(BasePydanticVectorStore):
    """A collection of a knowledge base as a vector store: nodes in as they are, out as they were, nothing said twice.

    A query returns the most relevant nodes; one that repeats a higher one does not take a place, but stands in its
    metadata under "also_in" (id, metadata and similarity), hidden from models, and what states another fact keeps its
    place. The same node id again replaces a node, and `delete` removes all nodes of a document, so that an
    `IngestionPipeline` with a docstore (upserts) works as with other stores. The base searches by its own model: the
    embeddings of nodes and queries are not read.
    """

    stores_text: bool = True
    is_embedding_query: bool = False

    _embedder: Embedder = PrivateAttr()
    _originals: FrameworkTexts = PrivateAttr()

    def __init__(self, base: KnowledgeBase, collection: str = "llama-index") -> None:
        """Open or create the collection.

        Args:
            base: an open knowledge base.
            collection: of this store alone; beside it stands `NAME.originals`.

        Raises:
            UsageError: the collection holds documents that were ingested otherwise.
        """
        super().__init__(stores_text=True, is_embedding_query=False)
        self._originals = FrameworkTexts(base.base, collection)

    @classmethod
    def class_name(cls) -> str:
        """Return the name for LlamaIndex."""
        return "SaidOnceNodeStore"

    def __repr__(self) -> str:
        return f"SaidOnceNodeStore(collection={self._originals.collection!r})"

    @property
    def client(self) -> FrameworkTexts:
        """What is behind."""
        return self._originals

    def add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
        """Add nodes, in place of those with their ids; return the ids.

        Raises:
            UsageError: JSON cannot hold a node's metadata.
        """
        del kwargs
        self._originals.put([_original(node) for node in nodes])
        return [node.node_id for node in nodes]

    def delete(self, ref_doc_id: str, **delete_kwargs: Any) -> None:
        """Remove all nodes of a document."""
        del delete_kwargs
        self._originals.delete_group(ref_doc_id)

    def get_nodes(self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None) -> list[BaseNode]:
        """Return the nodes of these ids that there are, all of them by default, that the filters keep."""
        originals = list(self._originals.all()) if node_ids is None else self._originals.get(node_ids)
        keeps = _keeps(filters)
        return [_node(each) for each in originals if keeps is None or keeps(each)]

    def delete_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None, **delete_kwargs: Any
    ) -> None:
        """Remove the nodes of these ids, or of all, that the filters keep.

        Raises:
            UsageError: there are neither ids nor filters; `clear` removes all.
        """
        del delete_kwargs
        if node_ids is None and not (filters and filters.filters):
            raise UsageError("pass node_ids or filters of the nodes to delete; clear() deletes all")
        self._originals.delete([node.node_id for node in self.get_nodes(node_ids, filters)])

    def clear(self) -> None:
        """Remove all nodes."""
        self._originals.delete([each.id for each in self._originals.all()])

    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        """Return the most relevant nodes, best first, nothing twice, with their relevance, 0..1.

        Raises:
            UsageError: the query has no text, or its mode is none that is answered.
        """
        del kwargs
        if query.mode not in MODES:
            raise UsageError(f"this store supports the query modes {', '.join(MODES)}, not {query.mode!r}")
        if not query.query_str:
            raise UsageError("this store searches by query text, but the query has none")
        results = self._originals.search(query.query_str, query.similarity_top_k, _keeps(query.filters, query))
        return VectorStoreQueryResult(
            nodes=[_with_also_in(each) for each in results],
            similarities=[each.relevance for each in results],
            ids=[each.original.id for each in results],
        )


def _original(node: BaseNode) -> FrameworkText:
    text = node.get_content(metadata_mode=MetadataMode.NONE)
    return FrameworkText(node.node_id, text, node_to_metadata_dict(node), node.ref_doc_id or "")


def _node(original: FrameworkText) -> BaseNode:
    return metadata_dict_to_node(dict(original.payload))


def _with_also_in(one: FrameworkHit) -> BaseNode:
    node = _node(one.original)
    if one.also_in:
        node.metadata[ALSO_IN] = [
            {"id": twin.id, "metadata": _node(twin).metadata, "similarity": similarity}
            for twin, similarity in one.also_in
        ]
        node.excluded_llm_metadata_keys = [*node.excluded_llm_metadata_keys, ALSO_IN]
        node.excluded_embed_metadata_keys = [*node.excluded_embed_metadata_keys, ALSO_IN]
    return node


def _keeps(filters: MetadataFilters | None, query: VectorStoreQuery | None = None) -> Keeps | None:
    """Return whether an original passes the filters, and is among the nodes and documents that a query names."""
    ids = set(query.node_ids) if query and query.node_ids else None
    groups = set(query.doc_ids) if query and query.doc_ids else None
    if not (filters and filters.filters) and ids is None and groups is None:
        return None

    def keeps(original: FrameworkText) -> bool:
        passes = build_metadata_filter_fn(lambda _id: _node(original).metadata, filters)
        is_named = (ids is None or original.id in ids) and (groups is None or original.group in groups)
        return is_named and passes(original.id)

    return keeps
