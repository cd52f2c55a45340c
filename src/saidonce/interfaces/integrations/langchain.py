"""For LangChain: a document compressor, and a retriever of packed passages; needs the extra `langchain`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun, Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict

from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.interfaces.integrations.packed import packed_texts
from saidonce.interfaces.integrations.texts import ALSO_IN, THRESHOLD, dedup_texts
from saidonce.kb.packed_context import DEFAULT_TOKENS


class SaidOnceCompressor(BaseDocumentCompressor):
    """Removes what a higher document says already; never the order, and never what states another fact.

    Pass more documents than needed: places that repeats leave free are filled from below. A
    kept document's metadata lists its twins under "also_in", in ranked order.

    Attributes:
        k: maximum number of documents; all by default.
        threshold: similarity from which a lower document repeats a higher one.
        embedder: any `saidonce.foundation.ports.Embedder`; the built-in model by default.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    k: int | None = None
    threshold: float = THRESHOLD
    embedder: Any = None

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> Sequence[Document]:
        """Return copies of the documents that stay; the input is not changed.

        Raises:
            UsageError: k or the threshold makes no sense.
            ModelUnavailableError: the embedder failed.
        """
        del query, callbacks
        texts = [document.page_content for document in documents]
        result = dedup_texts(texts, self.embedder, k=self.k, threshold=self.threshold)
        sources = [{"id": document.id, "metadata": document.metadata} for document in documents]
        return [_with_twins(documents[place], result.also_in(place, sources)) for place in result.kept]


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


def _with_twins(document: Document, also_in: list[dict[str, Any]]) -> Document:
    return document.model_copy(update={"metadata": {**document.metadata, ALSO_IN: also_in}}) if also_in else document
