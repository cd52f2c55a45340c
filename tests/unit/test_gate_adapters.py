"""Generators ask the gate before they create: a decorator, and the real libraries' own kinds of step."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import saidonce
from saidonce import KnowledgeBase
from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.errors import NotCreatedError, UsageError
from saidonce.foundation.model import Submission
from saidonce.interfaces.integrations import GateAnswer, gate_answers, submission_of
from saidonce.testing import MemoryStore

COUNT = "Count the winter coats in the stock room and explain every difference from the ledger."
AGAIN = "Count the winter coats in the stock room, and explain every difference from the ledger."
OTHER = "Write a letter to the tenants about the new opening hours of the laundry."
MISSING = "is not installed: its adapter is NOT tested; uv sync --group integrations"


@pytest.fixture
def base() -> Iterator[KnowledgeBase]:
    with KnowledgeBase() as opened:
        opened._lazy.get("store", lambda: MemoryStore("test"))
        opened._lazy.get("embedder", lambda: HashedEmbedder(256))
        yield opened


def hold(base: KnowledgeBase, create: Callable[[str], str]) -> str:
    """Have a gate hold a text that differs from a kept one in a word; return it."""
    create(COUNT)
    text = COUNT.replace("winter", "summer")
    with pytest.raises(NotCreatedError, match="held, objection"):
        create(text)
    assert base.held.n(base.held.part("tasks")) == 1
    return text


class TestAnswers:
    def test_new_repeated_and_named(self, base: KnowledgeBase) -> None:
        new, again, same, other = gate_answers(base, "tasks", [Submission(t) for t in (COUNT, AGAIN, COUNT, OTHER)])
        assert [a.state for a in (new, again, same, other)] == ["new", "repeat", "repeat", "new"]
        assert (again.existing, same.existing) == (COUNT, COUNT)
        assert again.as_sentence().startswith("REPEAT: do not create it.")
        assert json.loads(json.dumps(new.as_dict()))["may_create"] is True
        assert gate_answers(base, "tasks", []) == []

    @pytest.mark.parametrize(
        ("thing", "submission"),
        [
            ("a", Submission("a")),
            ({"text": "a", "title": "t", "key": "k"}, Submission("a", "t", (), "k")),
            ({"page_content": "a", "fields": {"topic": 3}}, Submission("a", "", (("topic", "3"),))),
            ({"text": "a", "persona": "p", "none": None}, Submission("a", "", (("persona", "p"),))),
        ],
    )
    def test_what_is_handed_on_is_read(self, thing: Any, submission: Submission) -> None:
        assert submission_of(thing) == submission

    @pytest.mark.parametrize("thing", [None, 7, {}, {"text": 7}, {"text": "a", "fields": [1]}, ["a"]])
    def test_what_holds_no_text_is_refused(self, thing: Any) -> None:
        with pytest.raises(UsageError):
            submission_of(thing)


class TestOnce:
    def test_a_function_runs_once_for_one_thing(self, base: KnowledgeBase) -> None:
        created: list[str] = []

        @saidonce.once(gate="tasks", base=base)
        def create(text: str, persona: str = "clerk") -> int:
            """Create a task."""
            created.append(f"{persona}: {text}")
            return len(created)

        assert create(COUNT) == 1
        with pytest.raises(NotCreatedError, match="repeat") as refused:
            create(text=AGAIN)
        assert (refused.value.state, len(created)) == ("repeat", 1)
        assert refused.value.verdict.startswith("gv-")
        assert create(OTHER, persona="writer") == 2
        assert create.__doc__ == "Create a task."

    def test_what_failed_may_be_tried_again(self, base: KnowledgeBase) -> None:
        works = [False, True]

        @saidonce.once(gate="tasks", base=base)
        def create(text: str) -> str:
            if not works.pop(0):
                raise OSError(f"no room for {text}")
            return text

        with pytest.raises(OSError, match="no room"):
            create(COUNT)
        assert create(COUNT) == COUNT

    def test_a_result_in_place_of_an_error(self, base: KnowledgeBase) -> None:
        def existing(answer: GateAnswer) -> str:
            return answer.existing

        @saidonce.once(gate="tasks", base=base, text=lambda task: Submission(task["body"]), on_repeat=existing)
        def create(task: dict[str, str]) -> str:
            return "created"

        assert create({"body": COUNT}) == "created"
        assert create({"body": AGAIN}) == COUNT

    def test_coroutines(self, base: KnowledgeBase) -> None:
        @saidonce.once(gate="tasks", base=base, fields=())
        async def create(text: str, n: int) -> int:
            if n < 0:
                raise ValueError(n)
            return n

        async def all_of_it() -> list[Any]:
            with pytest.raises(ValueError, match="-1"):
                await create(COUNT, -1)
            return [await create(COUNT, 5), await asyncio.gather(create(AGAIN, 6), return_exceptions=True)]

        first, (second,) = asyncio.run(all_of_it())
        assert first == 5
        assert isinstance(second, NotCreatedError)

    def test_a_method(self, base: KnowledgeBase) -> None:
        class Board:
            @saidonce.once(gate="tasks", base=base)
            def add(self, text: str) -> str:
                return text

        assert Board().add(COUNT) == COUNT
        with pytest.raises(NotCreatedError):
            Board().add(COUNT)

    def test_what_is_held_waits_once_and_is_created_once_after_a_person_let_it_through(
        self, base: KnowledgeBase
    ) -> None:
        created: list[str] = []

        @saidonce.once(gate="tasks", base=base)
        def create(text: str) -> str:
            created.append(text)
            return text

        held = hold(base, create)
        with pytest.raises(NotCreatedError, match="held, objection"):
            create(held)
        assert base.held.n(base.held.part("tasks")) == 1, "the same again does not wait twice"
        (verdict,) = base.held.page()
        base.gate("tasks").override(verdict.id, "ann", "another shop")
        assert create(held) == held
        with pytest.raises(NotCreatedError, match="repeat"):
            create(held)
        assert created.count(held) == 1

    def test_what_a_person_let_through_may_be_tried_again_if_it_failed(self, base: KnowledgeBase) -> None:
        fails = [False, True, False]

        @saidonce.once(gate="tasks", base=base)
        def create(text: str) -> str:
            if fails.pop(0):
                raise OSError(text)
            return text

        held = hold(base, create)
        (verdict,) = base.held.page()
        base.gate("tasks").override(verdict.id, "ann", "another shop")
        with pytest.raises(OSError, match="Count"):
            create(held)
        assert create(held) == held

    def test_of_many_at_once_one_creates(self, base: KnowledgeBase) -> None:
        created: list[str] = []

        @saidonce.once(gate="tasks", base=base, on_repeat=lambda answer: answer.state)
        def create(text: str) -> str:
            created.append(text)
            return "created"

        with ThreadPoolExecutor(4) as pool:
            ends = list(pool.map(create, [COUNT] * 8))
        assert sorted(ends) == ["created", *["repeat"] * 7]
        assert created == [COUNT]

    def test_a_repeat_of_what_was_released_is_created(self, base: KnowledgeBase) -> None:
        @saidonce.once(gate="tasks", base=base)
        def create(text: str) -> str:
            return text

        create(COUNT)
        with pytest.raises(NotCreatedError) as refused:
            create(AGAIN)
        gate = base.gate("tasks")
        (kept,) = [v for v in base.store.gates.verdicts("tasks") if v.admitted]
        gate.release(kept.id, "ann")
        assert refused.value.state == "repeat"
        assert create(AGAIN) == AGAIN

    def test_a_function_without_such_a_parameter_is_refused_at_once(self, base: KnowledgeBase) -> None:
        with pytest.raises(UsageError, match="no parameter 'body'"):
            saidonce.once(base=base, text="body")(lambda text: text)
        with pytest.raises(UsageError, match="compares texts"):
            saidonce.once(base=base)(lambda text: text)(3)


class TestLangChain:
    @pytest.fixture(autouse=True)
    def _installed(self) -> None:
        pytest.importorskip("langchain_core.runnables", reason=f"langchain-core {MISSING}")

    def test_a_step_of_a_chain(self, base: KnowledgeBase) -> None:
        from langchain_core.runnables import RunnableLambda

        from saidonce.interfaces.integrations.langchain import SaidOnceGate

        chain: Any = SaidOnceGate(base=base, gate="tasks") | RunnableLambda(lambda out: (out["state"], out["input"]))
        assert chain.invoke(COUNT) == ("new", COUNT)
        assert asyncio.run(chain.ainvoke({"text": AGAIN})) == ("repeat", {"text": AGAIN})
        states = SaidOnceGate(base=base, gate="others").batch([COUNT, AGAIN, OTHER])
        assert [s["state"] for s in states] == ["new", "repeat", "new"]

    def test_a_tool(self, base: KnowledgeBase) -> None:
        from saidonce.interfaces.integrations.langchain import SaidOnceTool

        tool = SaidOnceTool(base=base, gate="tasks")
        assert tool.invoke({"text": COUNT, "fields": {"persona": "clerk"}}).startswith("NEW")
        call = {"name": tool.name, "args": {"text": AGAIN}, "id": "1", "type": "tool_call"}
        message = asyncio.run(tool.ainvoke(call))
        assert message.content.startswith("REPEAT")
        assert message.artifact["existing"] == COUNT
        assert set(tool.args) == {"text", "title", "fields"}

    def test_a_filter_in_a_chain_with_the_embeddings_of_the_ecosystem(self) -> None:
        from langchain_core.documents import Document
        from langchain_core.embeddings import DeterministicFakeEmbedding, Embeddings
        from langchain_core.runnables import RunnableLambda

        from saidonce.interfaces.integrations.langchain import SaidOnceCompressor, SaidOnceFilter

        class Ours(Embeddings):
            def embed_documents(self, texts: list[str]) -> list[list[float]]:
                return [[3 * x for x in row] for row in HashedEmbedder(256).embed(texts).tolist()]

            def embed_query(self, text: str) -> list[float]:
                return self.embed_documents([text])[0]

        documents = [Document(page_content=text, id=str(n)) for n, text in enumerate((COUNT, AGAIN, OTHER))]
        chain: Any = RunnableLambda(lambda _question: documents) | SaidOnceFilter(top_n=2, embedder=Ours())
        assert [d.id for d in chain.invoke("what is there to do?")] == ["0", "2"]
        assert [d.id for d in asyncio.run(chain.ainvoke("what?"))] == ["0", "2"]
        alike = SaidOnceCompressor(top_n=3, embedder=DeterministicFakeEmbedding(size=8))
        assert [d.id for d in alike.compress_documents(documents, "?")] == ["0", "1", "2"]

    @pytest.mark.parametrize(
        "options", [{"threshold": 0}, {"threshold": 1.2}, {"k": 0}, {"top_n": 0}, {"k": 1, "top_n": 2}]
    )
    def test_options_are_checked_at_construction(self, options: dict[str, Any]) -> None:
        from saidonce.interfaces.integrations.langchain import SaidOnceCompressor, SaidOnceFilter

        adapters: tuple[Any, ...] = (SaidOnceCompressor, SaidOnceFilter)
        for made in adapters:
            with pytest.raises(ValueError, match=r"must be|pass only"):
                made(**options)
            with pytest.raises(ValueError, match="Extra inputs"):
                made(**{"limit": 3})


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
class TestLlamaIndex:
    @pytest.fixture(autouse=True)
    def _installed(self) -> None:
        pytest.importorskip("llama_index.core.schema", reason=f"llama-index-core {MISSING}")

    def test_an_ingestion_pipeline(self, base: KnowledgeBase) -> None:
        from llama_index.core.ingestion import IngestionPipeline
        from llama_index.core.schema import TextNode

        from saidonce.interfaces.integrations.llama_index import SaidOnceGateTransform

        gate = SaidOnceGateTransform(base=base, gate="tasks", fields=("topic",))
        nodes = [TextNode(text=t, id_=f"n{n}", metadata={"topic": "x"}) for n, t in enumerate((COUNT, AGAIN, OTHER))]
        found = IngestionPipeline(transformations=[gate], disable_cache=True).run(nodes=nodes)
        assert [n.node_id for n in found] == ["n0", "n2"]
        assert [(n.node_id, n.metadata["gate_state"]) for n in gate.held_back] == [("n1", "repeat")]
        assert [n.node_id for n in gate(nodes)] == ["n0", "n2"], "the same nodes have the same verdicts"
        assert "gate_verdict" not in nodes[0].metadata

    def test_embeddings_and_names_of_the_ecosystem(self) -> None:
        from llama_index.core.embeddings import MockEmbedding
        from llama_index.core.schema import NodeWithScore, TextNode

        from saidonce.interfaces.integrations.llama_index import SaidOncePostprocessor

        nodes = [NodeWithScore(node=TextNode(text=t, id_=f"n{n}")) for n, t in enumerate((COUNT, COUNT, OTHER))]
        once = SaidOncePostprocessor(top_n=1, embedder=MockEmbedding(embed_dim=4))
        assert [n.node.node_id for n in once.postprocess_nodes(nodes)] == ["n0"]
        for options in ({"threshold": 2}, {"top_n": 0}, {"limit": 3}):
            with pytest.raises(ValueError, match=r"must be|pass only|Extra"):
                SaidOncePostprocessor(**options)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
class TestHaystack:
    @pytest.fixture(autouse=True)
    def _installed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(os.environ, "HAYSTACK_TELEMETRY_ENABLED", "False")
        pytest.importorskip("haystack", reason=f"haystack-ai {MISSING}")

    def test_a_writer_writes_what_is_new(self, base: KnowledgeBase) -> None:
        from haystack import Document, Pipeline
        from haystack.components.writers import DocumentWriter
        from haystack.document_stores.in_memory import InMemoryDocumentStore

        from saidonce.interfaces.integrations.haystack import SaidOnceWriterPolicy

        store = InMemoryDocumentStore()
        pipeline = Pipeline()
        pipeline.add_component("once", SaidOnceWriterPolicy(base, "tasks"))
        pipeline.add_component("writer", DocumentWriter(store))
        pipeline.connect("once.documents", "writer.documents")
        documents = [Document(content=t, id=f"h{n}") for n, t in enumerate((COUNT, AGAIN, OTHER, None))]
        found = pipeline.run({"once": {"documents": documents}})
        assert [d.id for d in found["once"]["repeats"]] == ["h1"]
        assert sorted(d.id for d in store.filter_documents()) == ["h0", "h2", "h3"]
        again = asyncio.run(SaidOnceWriterPolicy(base, "tasks").run_async(documents))
        assert [d.id for d in again["documents"]] == ["h0", "h2", "h3"]

    def test_embeddings_that_documents_bring(self) -> None:
        from haystack import Document

        from saidonce.interfaces.integrations.haystack import SaidOnceDeduplicator

        rows = HashedEmbedder(256).embed([COUNT, AGAIN, OTHER]).tolist()
        documents = [Document(content=t, id=f"h{n}", embedding=row)
                     for n, (t, row) in enumerate(zip((COUNT, AGAIN, OTHER), rows, strict=True))]  # fmt: skip
        once = SaidOnceDeduplicator(top_n=2, use_embeddings=True)
        assert [d.id for d in asyncio.run(once.run_async(documents))["documents"]] == ["h0", "h2"]
        assert SaidOnceDeduplicator.from_dict(once.to_dict()).use_embeddings
        with pytest.raises(UsageError, match="has no embedding"):
            once.run([Document(content=COUNT)])
        for options in ({"threshold": 0.0}, {"top_k": 0}, {"top_k": 1, "top_n": 2}):
            with pytest.raises(UsageError):
                SaidOnceDeduplicator(use_embeddings=True, **options)
