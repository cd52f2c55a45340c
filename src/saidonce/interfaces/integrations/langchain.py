"""For LangChain: repeats removed, packed passages, the gate as a step and as a tool; needs the extra `langchain`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from langchain_core.callbacks import CallbackManagerForRetrieverRun, Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.embeddings import Embeddings
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableConfig, RunnableSerializable
from langchain_core.tools import BaseTool
from pydantic import BaseModel, ConfigDict, Field, model_validator

from saidonce.app.knowledge_base import GATE_NAME, KnowledgeBase
from saidonce.interfaces.integrations.gated import gate_answers, submission_of
from saidonce.interfaces.integrations.langchain_store import SaidOnceEmbeddings, SaidOnceVectorStore
from saidonce.interfaces.integrations.packed import packed_texts
from saidonce.interfaces.integrations.texts import ALSO_IN, THRESHOLD, Vectors, check_options, dedup_texts, one_of_both
from saidonce.kb.packed_context import DEFAULT_TOKENS

__all__ = [
    "SaidOnceCompressor",
    "SaidOnceEmbeddings",
    "SaidOnceFilter",
    "SaidOnceGate",
    "SaidOnceRetriever",
    "SaidOnceTool",
    "SaidOnceVectorStore",
    "ToBeCreated",
]


class SaidOnceCompressor(BaseDocumentCompressor):
    """Removes what a higher document says already; never the order, and never what states another fact.

    Pass more documents than needed: places that repeats leave free are filled from below. A
    kept document's metadata lists its twins under "also_in", in ranked order.

    Attributes:
        k: maximum number of documents; all by default.
        top_n: the same, as other compressors name it.
        threshold: similarity from which a lower document repeats a higher one, checked at once. It is that of one
            model: measure it anew for embeddings of another.
        embedder: LangChain `Embeddings`, or any `saidonce.foundation.ports.Embedder`; the built-in model by default.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    k: int | None = None
    top_n: int | None = None
    threshold: float = THRESHOLD
    embedder: Any = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        check_options(one_of_both(self.k, self.top_n), self.threshold)
        return self

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> Sequence[Document]:
        """Return copies of the documents that stay; the input is not changed.

        Raises:
            ModelUnavailableError: the embedder failed.
        """
        del query, callbacks
        texts = [document.page_content for document in documents]
        k = one_of_both(self.k, self.top_n)
        result = dedup_texts(texts, _vectors(self.embedder), k=k, threshold=self.threshold)
        sources = [{"id": document.id, "metadata": document.metadata} for document in documents]
        return [_with_repeats(documents[place], result.also_in(place, sources)) for place in result.kept]


class SaidOnceFilter(RunnableSerializable[Sequence[Document], list[Document]]):
    """`SaidOnceCompressor` as a step of a chain: `retriever | SaidOnceFilter(top_n=10)`.

    The attributes are those of the compressor.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    k: int | None = None
    top_n: int | None = None
    threshold: float = THRESHOLD
    embedder: Any = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        check_options(one_of_both(self.k, self.top_n), self.threshold)
        return self

    def invoke(self, input: Sequence[Document], config: RunnableConfig | None = None, **kwargs: Any) -> list[Document]:
        """Return copies of the documents that stay; the input is not changed.

        Raises:
            ModelUnavailableError: the embedder failed.
        """
        del kwargs
        compressor = SaidOnceCompressor(k=self.k, top_n=self.top_n, threshold=self.threshold, embedder=self.embedder)

        def kept(documents: Sequence[Document]) -> list[Document]:
            return list(compressor.compress_documents(documents, ""))

        return self._call_with_config(kept, input, config)


class SaidOnceRetriever(BaseRetriever):
    """Gives what a knowledge base holds on a question: within a budget, nothing twice, every source named.

    A document is a passage with what varies it under it. Its metadata say where it stands, where it is
    stated again ("also_in"), and what varies it ("variants"). Where nothing in the base answers, there are none.

    Attributes:
        base: an open knowledge base.
        n_tokens: budget of all documents together.
        collection: only this one; all by default.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    base: KnowledgeBase
    n_tokens: int = DEFAULT_TOKENS
    collection: str | None = None

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun | None = None
    ) -> list[Document]:
        del run_manager
        packed = packed_texts(self.base, query, self.n_tokens, self.collection)
        return [Document(page_content=p.text, id=p.id, metadata=p.metadata) for p in packed]


class SaidOnceGate(RunnableSerializable[Any, dict[str, Any]]):
    """The gate as a step of a chain: what is to be created in, what the gate says of it out.

    The input is a text, a document, or a mapping with `text`, and optionally `title`, `key` and fields. The output
    holds `may_create`, which alone permits the creation, `state` (new, repeat, held, pending), `verdict`, `reason`,
    `of`, `existing`, `similarity`, and the input under `input`. A batch is checked in its order, each input also
    against those before it.

    Attributes:
        base: an open knowledge base.
        gate: its name.
        reserve: keep what may be created, so that nobody else creates the same.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    base: KnowledgeBase
    gate: str = GATE_NAME
    reserve: bool = True

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> dict[str, Any]:
        """Return the gate's verdict on one input.

        Raises:
            UsageError: the input holds no text, or is too long.
        """
        del kwargs
        return self._call_with_config(self._answer_of, input, config)

    def batch(
        self,
        inputs: list[Any],
        config: RunnableConfig | list[RunnableConfig] | None = None,
        *,
        return_exceptions: bool = False,
        **kwargs: Any,
    ) -> list[dict[str, Any]]:
        """Return the gate's verdicts on many inputs, in order.

        Raises:
            UsageError: one holds no text, or is too long; none is checked then.
        """
        del config, return_exceptions, kwargs
        answers = gate_answers(self.base, self.gate, [submission_of(_plain(i)) for i in inputs], self.reserve)
        return [{**answer.as_dict(), "input": one} for answer, one in zip(answers, inputs, strict=True)]

    def _answer_of(self, thing: Any) -> dict[str, Any]:
        (answer,) = gate_answers(self.base, self.gate, [submission_of(_plain(thing))], self.reserve)
        return {**answer.as_dict(), "input": thing}


class ToBeCreated(BaseModel):
    """What a model hands to the gate's tool."""

    text: str = Field(description="Full text of what is to be created.")
    title: str = Field(default="", description="Title, if there is one.")
    fields: dict[str, str] = Field(default_factory=dict, description="Further properties, such as persona or topic.")


class SaidOnceTool(BaseTool):
    """The gate as a tool of an agent: asked before something is created, it says in words whether to.

    Attributes:
        base: an open knowledge base.
        gate: its name.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    name: str = "check_before_creating"
    description: str = (
        "Check whether something already exists before you create it. Create it only if the answer begins with NEW."
    )
    args_schema: Any = ToBeCreated
    response_format: Any = "content_and_artifact"
    base: KnowledgeBase
    gate: str = GATE_NAME

    def _run(self, text: str, title: str = "", fields: dict[str, str] | None = None) -> tuple[str, dict[str, Any]]:
        thing = submission_of({"text": text, "title": title, "fields": fields or {}})
        (answer,) = gate_answers(self.base, self.gate, [thing])
        return answer.as_sentence(), answer.as_dict()


def _plain(thing: Any) -> Any:
    return {"text": thing.page_content, "fields": thing.metadata} if isinstance(thing, Document) else thing


def _vectors(embedder: Any) -> Vectors | None:
    if isinstance(embedder, Embeddings):
        return lambda texts: embedder.embed_documents(list(texts))
    vectors: Vectors | None = embedder
    return vectors


def _with_repeats(document: Document, also_in: list[dict[str, Any]]) -> Document:
    return document.model_copy(update={"metadata": {**document.metadata, ALSO_IN: also_in}}) if also_in else document
