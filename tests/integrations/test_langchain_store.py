"""The vector store under LangChain's own contract suite and its indexing, in the idioms of LangChain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from saidonce import KnowledgeBase
from saidonce.errors import UsageError

pytest.importorskip("langchain_tests", reason="make integrations installs it")

from langchain_core.documents import Document
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_core.vectorstores import VectorStore
from langchain_tests.integration_tests import VectorStoreIntegrationTests

from open_base import AGAIN, KEPT, OTHER, new_name, open_base
from saidonce.interfaces.integrations.langchain import SaidOnceVectorStore


@pytest.fixture(scope="module")
def kb() -> Iterator[KnowledgeBase]:
    with open_base() as base:
        yield base


@pytest.fixture
def name() -> str:
    return new_name()


class TestContract(VectorStoreIntegrationTests):
    """LangChain's suite, sync and async."""

    @pytest.fixture
    def vectorstore(self, kb: KnowledgeBase, name: str) -> VectorStore:
        return SaidOnceVectorStore(kb, name)


@pytest.fixture
def store(kb: KnowledgeBase, name: str) -> SaidOnceVectorStore:
    return SaidOnceVectorStore(kb, name)


def documents() -> list[Document]:
    return [
        Document(page_content=KEPT, metadata={"source": "a.md"}),
        Document(page_content=AGAIN, metadata={"source": "b.md"}),
        Document(page_content=OTHER, metadata={"source": "c.md"}),
    ]


def test_a_retriever_says_everything_once(store: SaidOnceVectorStore) -> None:
    store.add_documents(documents(), ids=["a", "b", "c"])
    results = store.as_retriever(search_kwargs={"k": 3}).invoke("how long are backups kept?")
    assert len(results) == 2
    twins = [twin["id"] for document in results for twin in document.metadata.get("also_in", ())]
    assert sorted([*twins, *(str(d.id) for d in results)]) == ["a", "b", "c"]
    assert len(twins) == 1


def test_indexing_keeps_its_semantics(store: SaidOnceVectorStore, kb: KnowledgeBase) -> None:
    records = InMemoryRecordManager(namespace="test")
    records.create_schema()

    def run(docs: list[Document], cleanup: Any = "full") -> dict[str, Any]:
        result = index(docs, records, store, cleanup=cleanup, source_id_key="source", key_encoder="sha256")
        return {name: n for name, n in result.items() if n}

    assert run(documents()) == {"num_added": 3}
    assert run(documents()) == {"num_skipped": 3}
    changed = [*documents()[:2], Document(page_content="Backups are kept for a year.", metadata={"source": "c.md"})]
    assert run(changed, "incremental") == {"num_added": 1, "num_skipped": 2, "num_deleted": 1}
    assert run(documents()[:1]) == {"num_skipped": 1, "num_deleted": 2}
    assert [d.page_content for d in store.similarity_search("backups", k=5)] == [KEPT]
    assert run([]) == {"num_deleted": 1}
    assert store.similarity_search("backups", k=5) == []


def test_filters_take_values_and_functions(store: SaidOnceVectorStore) -> None:
    store.add_documents(documents(), ids=["a", "b", "c"])
    assert [d.id for d in store.similarity_search("backups", filter={"source": "b.md"})] == ["b"]
    assert [d.id for d in store.similarity_search("backups", filter=lambda d: "90" in d.page_content)] == ["c"]
    assert store.similarity_search("backups", filter={"nowhere": None}) == []


def test_scores_are_relevances(store: SaidOnceVectorStore) -> None:
    store.add_documents(documents())
    scored = store.similarity_search_with_relevance_scores("how long are backups kept?", k=2)
    assert all(0.0 <= score <= 1.0 for _, score in scored)


def test_what_makes_no_sense_is_refused_by_name(kb: KnowledgeBase, store: SaidOnceVectorStore) -> None:
    with pytest.raises(UsageError, match="1 ids for 3 documents"):
        store.add_documents(documents(), ids=["a"])
    with pytest.raises(UsageError, match="2 metadatas for 1 texts"):
        store.add_texts(["a"], [{}, {}])
    with pytest.raises(UsageError, match="an open base"):
        SaidOnceVectorStore.from_texts(["a"])
    with pytest.raises(UsageError, match="its own model"):
        SaidOnceVectorStore.from_texts(["a"], TestContract.get_embeddings(), base=kb)


def test_from_texts_and_another_opening_see_the_same(kb: KnowledgeBase, name: str) -> None:
    made = SaidOnceVectorStore.from_texts([KEPT], None, [{"n": 1}], ids=["a"], base=kb, collection=name)
    again = SaidOnceVectorStore(kb, name)
    assert again.get_by_ids(["a"]) == made.get_by_ids(["a"]) == [Document(id="a", page_content=KEPT, metadata={"n": 1})]
    assert repr(again) == f"SaidOnceVectorStore(collection={name!r})"
