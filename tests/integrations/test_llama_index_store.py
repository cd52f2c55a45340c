"""The vector store in LlamaIndex's own idioms: an index, an ingestion pipeline with a docstore, filters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from open_base import AGAIN, KEPT, OTHER, new_name, open_base
from saidonce import KnowledgeBase
from saidonce.errors import UsageError

pytest.importorskip("llama_index.core", reason="make integrations installs it")

from llama_index.core import Document, StorageContext, VectorStoreIndex
from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import MetadataMode, NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores.types import (
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
)

from saidonce.interfaces.integrations.llama_index import SaidOnceEmbedding, SaidOnceNodeStore


@pytest.fixture(scope="module")
def kb() -> Iterator[KnowledgeBase]:
    with open_base() as base:
        yield base


@pytest.fixture
def store(kb: KnowledgeBase) -> SaidOnceNodeStore:
    return SaidOnceNodeStore(kb, new_name())


def nodes() -> list[TextNode]:
    rows = (("n1", KEPT, "d1", 2024), ("n2", AGAIN, "d2", 2025), ("n3", OTHER, "d1", 2025))
    return [
        TextNode(
            id_=id_, text=text, metadata={"year": year},
            relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=ref)},
        )
        for id_, text, ref, year in rows
    ]  # fmt: skip


def ask(store: SaidOnceNodeStore, k: int = 5, filters: MetadataFilters | None = None, **more: Any) -> list[str]:
    query = VectorStoreQuery(query_str="how long are backups kept?", similarity_top_k=k, filters=filters, **more)
    return list(store.query(query).ids or ())


def test_nodes_come_back_as_they_were(store: SaidOnceNodeStore) -> None:
    assert store.add(nodes()) == ["n1", "n2", "n3"]
    assert store.get_nodes(["n3", "nowhere", "n1"]) == [nodes()[2], nodes()[0]]
    assert store.get_nodes() == nodes()


def test_an_index_retrieves_everything_once(kb: KnowledgeBase, store: SaidOnceNodeStore) -> None:
    index = VectorStoreIndex(
        nodes(), storage_context=StorageContext.from_defaults(vector_store=store), embed_model=SaidOnceEmbedding(kb)
    )
    results = index.as_retriever(similarity_top_k=3).retrieve("how long are backups kept?")
    assert len(results) == 2
    twins = [twin["id"] for each in results for twin in each.node.metadata.get("also_in", ())]
    assert sorted([*twins, *(each.node.node_id for each in results)]) == ["n1", "n2", "n3"]
    assert "also_in" not in "".join(each.node.get_content(MetadataMode.LLM) for each in results)
    index.delete_ref_doc("d1")
    assert ask(store) == ["n2"]


def test_a_docstore_keeps_its_upserts(kb: KnowledgeBase, store: SaidOnceNodeStore) -> None:
    pipeline = IngestionPipeline(
        transformations=[SentenceSplitter(), SaidOnceEmbedding(kb)], docstore=SimpleDocumentStore(),
        vector_store=store, docstore_strategy=DocstoreStrategy.UPSERTS_AND_DELETE,
    )  # fmt: skip
    first = [Document(id_="a", text=KEPT), Document(id_="b", text="The canteen serves soup on Mondays.")]
    assert len(pipeline.run(documents=first)) == 2
    assert pipeline.run(documents=first) == []
    changed = [Document(id_="a", text=OTHER), first[1]]
    assert len(pipeline.run(documents=changed)) == 1
    assert sorted(node.get_content() for node in store.get_nodes()) == sorted([OTHER, first[1].text])
    pipeline.run(documents=changed[:1])
    assert [node.get_content() for node in store.get_nodes()] == [OTHER]


def test_filters_ids_and_documents_restrict(store: SaidOnceNodeStore) -> None:
    store.add(nodes())
    new = MetadataFilters(filters=[MetadataFilter(key="year", value=2024, operator=FilterOperator.GT)])
    assert sorted(ask(store, filters=new)) == ["n2", "n3"]
    assert ask(store, node_ids=["n3"]) == ["n3"]
    assert sorted(ask(store, doc_ids=["d1"])) == ["n1", "n3"]
    store.delete_nodes(filters=new)
    assert [node.node_id for node in store.get_nodes()] == ["n1"]
    store.clear()
    assert store.get_nodes() == []


def test_what_makes_no_sense_is_refused_by_name(store: SaidOnceNodeStore) -> None:
    with pytest.raises(UsageError, match="by query text"):
        store.query(VectorStoreQuery(query_embedding=[1.0]))
    with pytest.raises(UsageError, match="mmr"):
        ask(store, mode=VectorStoreQueryMode.MMR)
    with pytest.raises(UsageError, match="clear"):
        store.delete_nodes()
