"""What docs/how-to/integrations.md shows for LangChain, LlamaIndex and Haystack is executed, block by block."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "integrations.md"
KEPT = "Backups are kept for 30 days and then removed from all servers."
TEXTS = [KEPT, KEPT.replace(" and", ", and"), KEPT.replace("30", "90")]
QUESTION = "how long are backups kept?"


def blocks() -> list[str]:
    """The examples that need one of the three libraries."""
    found = re.findall(r"^```text\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.S | re.M)
    return [block for block in found if "interfaces.integrations." in block]


@pytest.fixture
def kb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    from saidonce import KnowledgeBase

    monkeypatch.setenv("SAIDONCE_DATA_DIR", str(tmp_path / "base"))
    (tmp_path / "backups.md").write_text(f"# Backups\n\n{KEPT}\n", "utf-8")
    with KnowledgeBase() as base:
        base.ingest([str(tmp_path / "backups.md")], collection="handbook")
        yield base


def langchain() -> dict[str, Any]:
    """What the page takes for granted of LangChain."""
    pytest.importorskip("langchain_core", reason="make integrations installs it")
    from langchain_core.documents import Document
    from langchain_core.indexing import InMemoryRecordManager, index
    from langchain_core.runnables import RunnableLambda

    manager = InMemoryRecordManager("snippets")
    manager.create_schema()
    documents = [Document(page_content=text, metadata={"source": "s", "lang": "en"}) for text in TEXTS]
    return {"retriever": RunnableLambda(lambda _: documents), "record_manager": manager, "index": index}


def llama_index() -> dict[str, Any]:
    """What the page takes for granted of LlamaIndex."""
    pytest.importorskip("llama_index.core", reason="make integrations installs it")
    from llama_index.core import MockEmbedding, Settings, VectorStoreIndex
    from llama_index.core.ingestion import IngestionPipeline
    from llama_index.core.llms import MockLLM
    from llama_index.core.node_parser import SentenceSplitter
    from llama_index.core.schema import TextNode
    from llama_index.core.storage.docstore import SimpleDocumentStore

    Settings.llm = MockLLM()
    index = VectorStoreIndex([TextNode(text=text) for text in TEXTS], embed_model=MockEmbedding(8))
    return {
        "index": index, "IngestionPipeline": IngestionPipeline, "SentenceSplitter": SentenceSplitter,
        "VectorStoreIndex": VectorStoreIndex, "docstore": SimpleDocumentStore(),
    }  # fmt: skip


def haystack() -> dict[str, Any]:
    """What the page takes for granted of Haystack."""
    pytest.importorskip("haystack", reason="make integrations installs it")
    from haystack import Document, Pipeline
    from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
    from haystack.components.writers import DocumentWriter
    from haystack.document_stores.in_memory import InMemoryDocumentStore
    from haystack.document_stores.types import DuplicatePolicy

    documents = InMemoryDocumentStore()
    documents.write_documents([Document(content=text) for text in TEXTS])
    pipeline = Pipeline()
    pipeline.add_component("retriever", InMemoryBM25Retriever(documents))
    return {
        "pipeline": pipeline, "indexing": Pipeline(), "querying": Pipeline(), "DocumentWriter": DocumentWriter,
        "DuplicatePolicy": DuplicatePolicy,
    }  # fmt: skip


def test_the_examples_run_as_they_stand(kb: Any) -> None:
    names: dict[str, Any] = {"kb": kb, "question": QUESTION}
    settings = {"langchain": langchain(), "llama_index": llama_index(), "haystack": haystack()}
    for block in blocks():
        (library,) = set(re.findall(r"interfaces\.integrations\.(\w+) import", block))
        own = {**names, **settings[library]}
        exec(compile(block, str(PAGE), "exec"), own)
        if library == "langchain" and "documents" in own:
            assert own["documents"], block
            names["documents"] = own["documents"]
        if "engine" in own:
            assert len(own["engine"].query(QUESTION).source_nodes) == len(TEXTS) - 1
        if "once.documents" in block:
            answer = own["pipeline"].run({"retriever": {"query": QUESTION}})
            assert len(answer["once"]["documents"]) == len(TEXTS) - 1
            text = own["pipeline"].dumps()
            own["pipeline"].loads(text, allowed_modules=["saidonce.interfaces.integrations.haystack"])
    assert len(blocks()) == 7
