"""For Haystack: repeats removed, packed passages, and the gate before a writer; needs the extra `haystack`."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from haystack import Document, component, default_from_dict, default_to_dict

from saidonce.adapters.embed import open_embedder
from saidonce.app.knowledge_base import GATE_NAME, KnowledgeBase
from saidonce.errors import UsageError
from saidonce.foundation.ports import Embedder
from saidonce.interfaces.integrations.gated import gate_answers, named_submission
from saidonce.interfaces.integrations.haystack_store import SaidOnceDocumentStore, SaidOnceStoreRetriever
from saidonce.interfaces.integrations.packed import packed_texts
from saidonce.interfaces.integrations.texts import ALSO_IN, THRESHOLD, Vectors, check_options, dedup_texts, one_of_both
from saidonce.kb.packed_context import DEFAULT_TOKENS

__all__ = [
    "SaidOnceDeduplicator",
    "SaidOnceDocumentRetriever",
    "SaidOnceDocumentStore",
    "SaidOnceStoreRetriever",
    "SaidOnceWriterPolicy",
]


@component
class SaidOnceDeduplicator:
    """Removes what a higher document says already; never the order, and never what states another fact.

    Pass more documents than needed: places that repeats leave free are filled from below. A
    kept document's meta lists its twins under "also_in", in ranked order. Documents without text stay.
    """

    def __init__(
        self,
        top_k: int | None = None,
        threshold: float = THRESHOLD,
        embedder: str = "minilm",
        top_n: int | None = None,
        use_embeddings: bool = False,
    ) -> None:
        """Store the options, and open the embedder.

        Args:
            top_k: maximum number of documents; all by default.
            threshold: similarity from which a lower document repeats a higher one.
            embedder: as the setting `embedder` names it.
            top_n: the same as top_k, as other components name it.
            use_embeddings: compare by the embeddings that the documents bring, of whatever model; the threshold is
                that of the built-in one, so measure it anew.

        Raises:
            SettingsError: there is no such embedder.
            UsageError: top_k or the threshold makes no sense.
        """
        self.top_k = one_of_both(top_k, top_n)
        check_options(self.top_k, threshold)
        self.threshold = threshold
        self.embedder = embedder
        self.use_embeddings = use_embeddings
        self._opened: Embedder | None = None if use_embeddings else open_embedder(embedder)

    def to_dict(self) -> dict[str, Any]:
        """Return the component as a pipeline stores it."""
        data: dict[str, Any] = default_to_dict(
            self,
            top_k=self.top_k,
            threshold=self.threshold,
            embedder=self.embedder,
            use_embeddings=self.use_embeddings,
        )
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> SaidOnceDeduplicator:
        """Return the component from its stored form."""
        deduplicator: SaidOnceDeduplicator = default_from_dict(cls, data)
        return deduplicator

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document], top_k: int | None = None) -> dict[str, list[Document]]:
        """Return copies of the documents that stay, under "documents"; the input is not changed.

        Raises:
            UsageError: top_k makes no sense, or a document brings no embedding where those are to be used.
            ModelUnavailableError: the embedder failed.
        """
        texts = [document.content or "" for document in documents]
        k = self.top_k if top_k is None else top_k
        vectors = self._opened if self._opened is not None else _own_embeddings(documents)
        result = dedup_texts(texts, vectors, k=k, threshold=self.threshold)
        sources = [{"id": document.id, "metadata": document.meta} for document in documents]
        return {"documents": [_with_repeats(documents[place], result.also_in(place, sources)) for place in result.kept]}

    @component.output_types(documents=list[Document])
    async def run_async(self, documents: list[Document], top_k: int | None = None) -> dict[str, list[Document]]:
        """Return the same as `run`, which works in a thread of its own meanwhile."""
        return await asyncio.to_thread(self.run, documents, top_k)


@component
class SaidOnceDocumentRetriever:
    """Gives what a knowledge base holds on a question: within a budget, nothing twice, every source named.

    A document is a passage with what varies it under it. Its meta says where it stands, where it is stated
    again ("also_in"), and what varies it ("variants"). Where nothing in the base answers, there are none.
    The component holds an open base, and a stored pipeline cannot: build it anew where it runs.
    """

    def __init__(self, base: KnowledgeBase, n_tokens: int = DEFAULT_TOKENS, collection: str | None = None) -> None:
        """Store the options.

        Args:
            base: an open knowledge base.
            n_tokens: budget of all documents together.
            collection: only this one; all by default.
        """
        self._base = base
        self._n_tokens = n_tokens
        self._collection = collection

    @component.output_types(documents=list[Document])
    def run(self, query: str, n_tokens: int | None = None) -> dict[str, list[Document]]:
        """Return the packed passages under "documents".

        Raises:
            UsageError: the question is empty or the budget out of range.
            NotFoundError: no such collection.
        """
        budget = self._n_tokens if n_tokens is None else n_tokens
        packed = packed_texts(self._base, query, budget, self._collection)
        return {"documents": [Document(id=p.id, content=p.text, meta=p.metadata) for p in packed]}

    @component.output_types(documents=list[Document])
    async def run_async(self, query: str, n_tokens: int | None = None) -> dict[str, list[Document]]:
        """Return the same as `run`, which works in a thread of its own meanwhile."""
        return await asyncio.to_thread(self.run, query, n_tokens)


@component
class SaidOnceWriterPolicy:
    """The gate before a `DocumentWriter`: only documents that say something new are written.

    Each document is checked in its order, also against those before it. Under "documents" stand those to be written,
    under "repeats" those that repeat something kept, under "held" those that wait for a person or a judge; the meta of
    each name the verdict ("gate_verdict", "gate_state", "gate_of"). The same document in a second run has the same
    verdict: let the writer skip or overwrite. Documents without text are written unchecked.
    """

    def __init__(self, base: KnowledgeBase, gate: str = GATE_NAME, fields: list[str] | None = None) -> None:
        """Store the options.

        Args:
            base: an open knowledge base.
            gate: its name.
            fields: names of meta that are fields of the submission; the rest the gate does not see.
        """
        self._base = base
        self._gate = gate
        self._fields = fields or []

    @component.output_types(documents=list[Document], repeats=list[Document], held=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Return copies of the documents, grouped by verdict; the input is not changed.

        Raises:
            UsageError: a document is too long.
        """
        written: dict[str, list[Document]] = {"documents": [], "repeats": [], "held": []}
        full = [document for document in documents if (document.content or "").strip()]
        things = [
            named_submission(d.id, d.content or "", {name: d.meta[name] for name in self._fields if name in d.meta})
            for d in full
        ]
        answers = dict(zip(map(id, full), gate_answers(self._base, self._gate, things), strict=True))
        for document in documents:
            answer = answers.get(id(document))
            if answer is None:
                written["documents"].append(document)
                continue
            marks = {"gate_verdict": answer.verdict, "gate_state": answer.state, "gate_of": answer.of}
            where = {"new": "documents", "repeat": "repeats"}.get(answer.state, "held")
            written[where].append(replace(document, meta={**document.meta, **marks}))
        return written

    @component.output_types(documents=list[Document], repeats=list[Document], held=list[Document])
    async def run_async(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Return the same as `run`, which works in a thread of its own meanwhile."""
        return await asyncio.to_thread(self.run, documents)


def _own_embeddings(documents: list[Document]) -> Vectors:
    """Return what gives the embeddings that documents with text bring, in their order.

    Raises:
        UsageError: one brings none.
    """
    full = [document for document in documents if (document.content or "").strip()]
    bare = next((document.id for document in full if document.embedding is None), None)
    if bare is not None:
        raise UsageError(f"document {bare!r} has no embedding; run a document embedder first, or drop use_embeddings")
    return lambda _texts: [document.embedding or [] for document in full]


def _with_repeats(document: Document, also_in: list[dict[str, Any]]) -> Document:
    return replace(document, meta={**document.meta, ALSO_IN: also_in}) if also_in else document
