"""Other people's pipelines get each thing said once: one function, and the real libraries over it."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from saidonce import KnowledgeBase
from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.errors import SettingsError, UsageError
from saidonce.foundation.model import Ending, Vector
from saidonce.interfaces.integrations import dedup_texts, dedupe_rows, packed_texts
from saidonce.testing import MemoryStore

TEXTS = [
    "Deleted files are kept for 30 days and then removed from all backups.",
    "Deleted files are kept for 30 days, and then removed from all backups.",
    "Deleted files are kept for 90 days and then removed from all backups.",
    "The gate to the yard is open until nine in the evening.",
    "",
    "DELETED files are kept for 30 days and then removed from all backups.",
]
EMBEDDER = HashedEmbedder(256)
MISSING = "is not installed: its adapter is NOT tested; uv sync --group integrations"


def test_twins_are_listed_under_the_higher_text_and_other_facts_stay() -> None:
    found = dedup_texts(TEXTS, EMBEDDER)
    assert found.kept == (0, 2, 3, 4)
    assert [twin.place for twin in found.twins[0]] == [1, 5]
    assert found.twins[3] == ()
    of, objections = found.held_apart[2]
    assert of == 0
    assert [(o.a.text, o.b.text) for o in objections] == [("90 days", "30 days")]


def test_places_that_repeats_leave_free_are_filled_from_below() -> None:
    many = [*(f"{' ' * n}{TEXTS[0]}" for n in range(120)), *TEXTS[2:4]]
    assert dedup_texts(many, EMBEDDER, k=2).kept == (0, 120)
    assert dedup_texts(many, EMBEDDER, k=3).kept == (0, 120, 121)
    assert dedup_texts(many, EMBEDDER, k=9).kept == (0, 120, 121)


def test_vectors_of_ones_own_and_no_guards() -> None:
    vectors: Vector = EMBEDDER.embed(TEXTS)
    assert dedup_texts(TEXTS, vectors) == dedup_texts(TEXTS, EMBEDDER)
    assert dedup_texts(TEXTS, vectors, guarded=False).kept == (0, 3, 4)
    assert dedup_texts([], EMBEDDER).kept == ()
    assert dedup_texts(TEXTS[:2], EMBEDDER, threshold=1.0).kept == (0, 1)


@pytest.mark.parametrize(
    ("given", "says"),
    [({"k": 0}, "at least 1"), ({"threshold": 0.0}, "threshold"), ({"threshold": 2.0}, "threshold")],
)
def test_what_makes_no_sense_is_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        dedup_texts(TEXTS, EMBEDDER, **given)
    with pytest.raises(UsageError, match="do not match"):
        dedup_texts(TEXTS, np.eye(2, dtype=np.float32))


@pytest.mark.parametrize("as_mappings", [False, True])
def test_rows_in_rows_out(as_mappings: bool) -> None:
    rows: Sequence[Any] = [{"text": text, "n": n} for n, text in enumerate(TEXTS)] if as_mappings else TEXTS
    found = dedupe_rows(rows, "text", EMBEDDER, keep="first")
    assert found.kept_places == (0, 2, 3, 4)
    assert found.kept == tuple(rows[place] for place in found.kept_places)
    assert [(d.row, d.of, d.reason) for d in found.dropped] == [
        (rows[1], 0, Ending.NEAR),
        (rows[5], 0, Ending.EXACT),
    ]
    assert found.held_apart[2][0] == 0


def test_rows_that_make_no_sense_are_refused() -> None:
    with pytest.raises(UsageError, match="longest, newest, first"):
        dedupe_rows(TEXTS, "text", EMBEDDER, keep="shortest")
    with pytest.raises(UsageError, match="field 'body'"):
        dedupe_rows([{"text": "a"}], "body", EMBEDDER)


RULE = "Backups of the archive are written every night by the operations team."
EDITIONS = {
    "one.md": f"{RULE} They are kept for 30 days in two regions.",
    "two.md": f"{RULE} They are kept for 90 days in two regions.",
    "copy.md": f"{RULE}  They are kept for 30 days in two regions.",
    "garden.md": "Whoever waters the garden in summer writes the amount on the list in the shed.",
}
QUESTION = "how long are backups of the archive kept?"


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    folder = tmp_path_factory.mktemp("editions")
    for name, text in EDITIONS.items():
        (folder / name).write_text(text, encoding="utf-8")
    with KnowledgeBase(min_relevance=0.0) as opened:
        opened._lazy.get("store", lambda: MemoryStore("test"))
        opened._lazy.get("embedder", lambda: EMBEDDER)
        opened.ingest([folder])
        yield opened


class TestPackedTexts:
    def test_a_text_holds_what_varies_it_and_metadata_name_every_source(self, base: KnowledgeBase) -> None:
        first = packed_texts(base, QUESTION)[0]
        assert first.text.count(RULE) == 1
        assert all(f"{days} days" in first.text for days in (30, 90))
        (variant,) = first.metadata["variants"]
        again = (*first.metadata["also_in"], *variant["also_in"])
        named = {source["source"] for source in (first.metadata, variant, *again)}
        assert {name.rsplit("/")[-1] for name in named} == {"one.md", "two.md", "copy.md"}
        assert variant["differs"] in (['"90 days" here, "30 days" there'], ['"30 days" here, "90 days" there'])

    def test_metadata_are_plain_values(self, base: KnowledgeBase) -> None:
        assert all(json.loads(json.dumps(each.metadata)) == each.metadata for each in packed_texts(base, QUESTION))

    def test_the_budget_bounds_all_texts_together(self, base: KnowledgeBase) -> None:
        assert len(packed_texts(base, QUESTION, 50)) < len(packed_texts(base, QUESTION))
        with pytest.raises(UsageError, match="tokens"):
            packed_texts(base, QUESTION, 1)


class TestLangChain:
    @pytest.fixture
    def made(self) -> tuple[Any, Any]:
        documents = pytest.importorskip("langchain_core.documents", reason=f"langchain-core {MISSING}")
        from saidonce.interfaces.integrations.langchain import SaidOnceCompressor

        return documents.Document, SaidOnceCompressor

    def test_documents(self, made: tuple[Any, Any]) -> None:
        document, compressor = made
        given = [document(page_content=text, id=f"d{n}", metadata={"source": n}) for n, text in enumerate(TEXTS)]
        found = compressor(k=3, embedder=EMBEDDER).compress_documents(given, "how long?")
        assert [d.id for d in found] == ["d0", "d2", "d3"]
        assert [twin["metadata"] for twin in found[0].metadata["also_in"]] == [{"source": 1}, {"source": 5}]
        assert found[0].metadata["also_in"][0]["similarity"] > 0.9
        assert found[1] is given[2]
        assert all(set(d.metadata) == {"source"} for d in given)
        again = asyncio.run(compressor(k=3, embedder=EMBEDDER).acompress_documents(given, "how long?"))
        assert again == found

    def test_a_retriever_gives_the_packed_passages(self, base: KnowledgeBase) -> None:
        pytest.importorskip("langchain_core.retrievers", reason=f"langchain-core {MISSING}")
        from saidonce.interfaces.integrations.langchain import SaidOnceRetriever

        retriever = SaidOnceRetriever(base=base, n_tokens=400)
        found = retriever.invoke(QUESTION)
        packed = packed_texts(base, QUESTION, 400)
        assert [(d.id, d.page_content, d.metadata) for d in found] == [(p.id, p.text, p.metadata) for p in packed]
        assert asyncio.run(retriever.ainvoke(QUESTION)) == found

    def test_settings_that_it_does_not_know_are_refused(self, made: tuple[Any, Any]) -> None:
        with pytest.raises(ValueError, match="Extra inputs"):
            made[1](limit=3)


class TestLlamaIndex:
    @pytest.mark.filterwarnings("ignore::DeprecationWarning")
    def test_nodes(self) -> None:
        schema = pytest.importorskip("llama_index.core.schema", reason=f"llama-index-core {MISSING}")
        from saidonce.interfaces.integrations.llama_index import SaidOncePostprocessor

        nodes = [
            schema.NodeWithScore(
                node=schema.TextNode(text=text, id_=f"n{n}", metadata={"source": n}), score=1.0 - n / 10
            )
            for n, text in enumerate(TEXTS)
        ]
        found = SaidOncePostprocessor(k=3, embedder=EMBEDDER).postprocess_nodes(nodes, query_str="how long?")
        assert [(one.node.node_id, one.score) for one in found] == [("n0", 1.0), ("n2", 0.8), ("n3", 0.7)]
        first = found[0].node
        assert [twin["id"] for twin in first.metadata["also_in"]] == ["n1", "n5"]
        assert "also_in" not in first.get_content(metadata_mode=schema.MetadataMode.LLM)
        assert nodes[0].node.metadata == {"source": 0}

    @pytest.mark.filterwarnings("ignore::DeprecationWarning")
    def test_a_retriever_gives_the_packed_passages(self, base: KnowledgeBase) -> None:
        schema = pytest.importorskip("llama_index.core.schema", reason=f"llama-index-core {MISSING}")
        from saidonce.interfaces.integrations.llama_index import SaidOnceNodeRetriever

        found = SaidOnceNodeRetriever(base, n_tokens=400).retrieve(QUESTION)
        packed = packed_texts(base, QUESTION, 400)
        assert [(one.node.node_id, one.node.metadata) for one in found] == [(p.id, p.metadata) for p in packed]
        assert [one.node.get_content(metadata_mode=schema.MetadataMode.LLM) for one in found] == [
            p.text for p in packed
        ]


class TestHaystack:
    @pytest.mark.filterwarnings("ignore::DeprecationWarning")
    def test_a_retriever_gives_the_packed_passages(self, base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(os.environ, "HAYSTACK_TELEMETRY_ENABLED", "False")
        haystack = pytest.importorskip("haystack", reason=f"haystack-ai {MISSING}")
        from saidonce.interfaces.integrations.haystack import SaidOnceDocumentRetriever

        pipeline = haystack.Pipeline()
        pipeline.add_component("once", SaidOnceDocumentRetriever(base, n_tokens=400))
        found = pipeline.run({"once": {"query": QUESTION}})["once"]["documents"]
        packed = packed_texts(base, QUESTION, 400)
        assert [(d.id, d.content, d.meta) for d in found] == [(p.id, p.text, p.metadata) for p in packed]
        assert len(pipeline.run({"once": {"query": QUESTION, "n_tokens": 50}})["once"]["documents"]) < len(found)

    @pytest.mark.filterwarnings("ignore::DeprecationWarning")
    def test_documents_in_a_pipeline_that_was_written_down(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(os.environ, "HAYSTACK_TELEMETRY_ENABLED", "False")
        haystack = pytest.importorskip("haystack", reason=f"haystack-ai {MISSING}")
        from saidonce.interfaces.integrations.haystack import SaidOnceDeduplicator

        pipeline = haystack.Pipeline()
        pipeline.add_component("once", SaidOnceDeduplicator(top_k=3))
        again = haystack.Pipeline.loads(pipeline.dumps(), allowed_modules=["saidonce.interfaces.integrations.haystack"])
        given = [
            haystack.Document(content=text or None, id=f"h{n}", meta={"source": n}) for n, text in enumerate(TEXTS)
        ]
        found = again.run({"once": {"documents": given}})["once"]["documents"]
        assert [d.id for d in found] == ["h0", "h2", "h3"]
        assert [twin["id"] for twin in found[0].meta["also_in"]] == ["h1", "h5"]
        assert given[0].meta == {"source": 0}
        assert len(again.run({"once": {"documents": given, "top_k": 1}})["once"]["documents"]) == 1
        with pytest.raises(SettingsError):
            SaidOnceDeduplicator(embedder="none")
