"""The document store under Haystack's own contract suite, and in a pipeline."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from open_base import AGAIN, KEPT, OTHER, new_name, open_base
from saidonce import KnowledgeBase
from saidonce.errors import UsageError

pytest.importorskip("haystack", reason="make integrations installs it")

from haystack import Document, Pipeline
from haystack.components.writers import DocumentWriter
from haystack.document_stores.errors import DuplicateDocumentError
from haystack.document_stores.types import DuplicatePolicy
from haystack.testing.document_store import DocumentStoreBaseTests

from saidonce.interfaces.integrations.haystack import SaidOnceDocumentStore, SaidOnceStoreRetriever


@pytest.fixture(scope="module")
def kb() -> Iterator[KnowledgeBase]:
    with open_base() as base:
        yield base


@pytest.fixture
def document_store(kb: KnowledgeBase) -> SaidOnceDocumentStore:
    return SaidOnceDocumentStore(kb, new_name())


class TestContract(DocumentStoreBaseTests):
    """Haystack's suite; documents come by id, and without a policy a stored id is refused."""

    @pytest.fixture
    def document_store(self, kb: KnowledgeBase) -> SaidOnceDocumentStore:
        return SaidOnceDocumentStore(kb, new_name())

    @staticmethod
    def assert_documents_are_equal(received: list[Document], expected: list[Document]) -> None:
        assert received == sorted(expected, key=lambda each: each.id)

    def test_write_documents(self, document_store: SaidOnceDocumentStore) -> None:
        one = Document(content="test doc")
        assert document_store.write_documents([one]) == 1
        with pytest.raises(DuplicateDocumentError):
            document_store.write_documents([one])


def documents() -> list[Document]:
    texts = {"a": KEPT, "b": AGAIN, "c": OTHER}
    return [Document(id=id_, content=text, meta={"source": f"{id_}.md"}) for id_, text in texts.items()]


def test_a_pipeline_writes_and_retrieves_everything_once(document_store: SaidOnceDocumentStore) -> None:
    writing = Pipeline()
    writing.add_component("writer", DocumentWriter(document_store, DuplicatePolicy.OVERWRITE))
    assert writing.run({"writer": {"documents": documents()}}) == {"writer": {"documents_written": 3}}
    asking = Pipeline()
    asking.add_component("retriever", SaidOnceStoreRetriever(document_store, top_k=3))
    results = asking.run({"retriever": {"query": "how long are backups kept?"}})["retriever"]["documents"]
    assert len(results) == 2
    twins = [twin["id"] for each in results for twin in each.meta.get("also_in", ())]
    assert sorted([*twins, *(each.id for each in results)]) == ["a", "b", "c"]
    assert all(0.0 <= each.score <= 1.0 for each in results)
    assert document_store.count_documents() == 3


def test_filters_restrict_a_search(document_store: SaidOnceDocumentStore) -> None:
    document_store.write_documents(documents())
    only_b = {"field": "meta.source", "operator": "==", "value": "b.md"}
    assert [each.id for each in document_store.search("backups", filters=only_b)] == ["b"]


def test_a_store_says_that_it_cannot_be_stored(document_store: SaidOnceDocumentStore) -> None:
    with pytest.raises(UsageError, match="open base"):
        document_store.to_dict()
    with pytest.raises(UsageError, match="top_k must be at least 1"):
        SaidOnceStoreRetriever(document_store, top_k=0)
