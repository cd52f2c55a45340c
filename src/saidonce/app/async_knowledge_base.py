"""The knowledge base for asynchronous programs. Written by docs/build_library.py (`make reference`)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import ParamSpec, Self, TypeVar, Unpack

from saidonce import gate as gating
from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.app.setting_options import SettingOptions
from saidonce.documents import discovery
from saidonce.foundation.context import Source
from saidonce.foundation.model import Decision, Filters, GateVerdict, Pair, PairCounts, Receipt, StoredDocument, Verb
from saidonce.foundation.ports import QueueFilter
from saidonce.foundation.settings.policy import Settings
from saidonce.kb import answer as answering
from saidonce.kb import explain, ingest, pairs, review, status
from saidonce.kb import packed_context as packing
from saidonce.kb import propose as proposing
from saidonce.kb import rerank as reranking
from saidonce.kb import search as retrieve
from saidonce.kb import second_opinions as opining

_Args = ParamSpec("_Args")
_Result = TypeVar("_Result")


class AsyncKnowledgeBase:
    """A knowledge base whose methods are awaited; each runs on a thread, and the event loop goes on.

    Use it as an asynchronous context manager. `sync` is the base behind; `run` runs anything else of it on a thread.
    A cancelled call is no longer waited for, and its thread ends by itself; what it writes is written whole or not.

    >>> async with AsyncKnowledgeBase(data_dir="./base") as kb:  # doctest: +SKIP
    ...     await kb.ingest(["./handbook"])
    ...     report = await kb.search("how long do we keep backups?")
    """

    def __init__(self, settings: Settings | None = None, **overrides: Unpack[SettingOptions]) -> None:
        """Use settings, or read them as the command line does, with overrides.

        Raises:
            SettingsError: a value is malformed or a key unknown.
        """
        self.sync = KnowledgeBase(settings, **overrides)

    @classmethod
    def of(cls, base: KnowledgeBase) -> Self:
        """Return the asynchronous form of an open base; closing one closes both."""
        awaited = cls.__new__(cls)
        awaited.sync = base
        return awaited

    def __repr__(self) -> str:
        return f"Async{self.sync!r}"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close everything that was opened."""
        await asyncio.to_thread(self.sync.close)

    async def run(self, call: Callable[_Args, _Result], /, *args: _Args.args, **kwargs: _Args.kwargs) -> _Result:
        """Run a function on a thread, such as `kb.sync.gate("tasks").check`; return its result."""
        return await asyncio.to_thread(call, *args, **kwargs)

    async def find(self, paths: str | Path | Sequence[str | Path], name_as: str = "") -> discovery.Discovered:
        """Return the sources under paths that can be ingested; `name_as` is the name of the single path.

        Raises:
            NotFoundError: a path does not exist.
            UsageError: one is neither a file nor a folder, or `name_as` comes with several paths.
        """
        return await asyncio.to_thread(self.sync.find, paths, name_as)

    async def take_in(
        self,
        sources: Iterable[Source],
        collection: str | None = None,
        on_document: ingest.OnDocument | None = None,
        on_step: ingest.OnStep | None = None,
    ) -> ingest.IngestReport:
        """Ingest sources that come one after the other, such as those of a sync; see `ingest`."""
        return await asyncio.to_thread(self.sync.take_in, sources, collection, on_document, on_step)

    async def ingest(
        self,
        paths: str | Path | Source | Sequence[str | Path] | Sequence[Source],
        collection: str | None = None,
        on_document: ingest.OnDocument | None = None,
        on_step: ingest.OnStep | None = None,
    ) -> ingest.IngestReport:
        """Ingest files and folders, or ready sources, into a collection.

        Args:
            paths: files and folders, or sources; one or several.
            collection: by default that of the settings.
            on_document: called with each document's report as soon as it is committed.
            on_step: called with the number of texts embedded and to be embedded, within long documents too.

        Raises:
            NotFoundError: a path does not exist.
            ModelMismatchError: the collection holds vectors of another model.
        """
        return await asyncio.to_thread(self.sync.ingest, paths, collection, on_document, on_step)

    async def search(
        self, query: str, filters: Filters | None = None, k: int | None = None, collection: str | None = None
    ) -> retrieve.SearchReport:
        """Search the base; hits come best first, each with its twins.

        Args:
            query: the question, in words.
            filters: which blocks may be found; documents may be named as they are shown.
            k: hits wanted; the settings' by default.
            collection: only this one; the same as `Filters(collections=(collection,))`.

        Raises:
            UsageError: the query is empty or too long, or collections are given twice.
            NotFoundError: a collection, a document or a language in the filters does not exist.
            ModelMismatchError: a searched collection holds vectors of another model.
        """
        return await asyncio.to_thread(self.sync.search, query, filters, k, collection)

    async def context(
        self,
        question: str,
        n_tokens: int = packing.DEFAULT_TOKENS,
        filters: Filters | None = None,
        collection: str | None = None,
    ) -> packing.PackedContext:
        """Pack what the base says about a question into a context for a language model, nothing twice.

        Args:
            question: the question, in words.
            n_tokens: budget, counted with the embedder's tokenizer.
            filters: which blocks may be found.
            collection: only this one; the same as `Filters(collections=(collection,))`.

        Raises:
            UsageError: as `search`, or the budget is out of range.
            NotFoundError: as `search`.
            ModelMismatchError: as `search`.
        """
        return await asyncio.to_thread(self.sync.context, question, n_tokens, filters, collection)

    async def ask(
        self, question: str, filters: Filters | None = None, k: int | None = None, collection: str | None = None
    ) -> answering.Answer:
        """Answer with citations from the packed hits, by the configured model or else verbatim.

        Args:
            k: hits that are packed at most; as many as `context` looks at by default.

        The other arguments are those of `search`; the setting `answer_tokens` bounds what a model reads.

        Raises:
            ReplyError: the model's reply breaks its contract, or a citation does not support its sentence.
            ModelUnavailableError: the model failed.
        """
        return await asyncio.to_thread(self.sync.ask, question, filters, k, collection)

    async def rerank(
        self, query: str, documents: Sequence[str], top_n: int | None = None, max_tokens_per_doc: int | None = None
    ) -> reranking.Reranked:
        """Rank documents that somebody else retrieved, those that repeat a higher one last; nothing is stored.

        Raises:
            UsageError: the query is empty, there are no or too many documents, or a number is below 1.
            ModelUnavailableError: the embedder failed.
        """
        return await asyncio.to_thread(self.sync.rerank, query, documents, top_n, max_tokens_per_doc)

    async def propose(self, text: str | proposing.Proposal, collection: str | None = None) -> proposing.Proposed:
        """Return what would become of a text in a collection; nothing is written.

        Raises:
            UsageError: the text is empty or too long, or its document's name stands for another text.
            NotFoundError: no such collection.
            ModelMismatchError: the collection holds vectors of another model.
            SourceRefusedError: nothing in the text can be kept.
        """
        return await asyncio.to_thread(self.sync.propose, text, collection)

    async def rule_pending(self, limit: int = gating.BATCH) -> tuple[GateVerdict, ...]:
        """Have pending submissions of all gates ruled on, longest waiting first; give their verdicts.

        They are claimed for a while: what is left by a worker that dies is due again after that.
        """
        return await asyncio.to_thread(self.sync.rule_pending, limit)

    async def opine(self, collections: Sequence[str] = (), again: bool = False, most: int = 0) -> opining.OpineReport:
        """Ask for second opinions on open pairs that lack one, and let those settle that may (setting gray_zone).

        The arguments are those of `OpinionOptions`.

        Raises:
            SettingsError, ArtefactError: as for `second`.
        """
        return await asyncio.to_thread(self.sync.opine, collections, again, most)

    async def why(self, id_prefix: str) -> explain.Explanation:
        """Explain a block or segment by its id or the beginning of it.

        Raises:
            NotFoundError: nothing has this id.
            UsageError: the prefix is ambiguous or no id.
            ModelUnavailableError: the judge's files failed.
        """
        return await asyncio.to_thread(self.sync.why, id_prefix)

    async def queue(
        self, filters: QueueFilter | None = None, after: tuple[float, int] | None = None, limit: int = 50
    ) -> tuple[Pair, ...]:
        """Return pairs that wait for a person, by the value of a decision.

        Args:
            filters: which flags; all open ones by default.
            after: (worth, number) of the last flag of the page before.
            limit: maximum number of pairs.
        """
        return await asyncio.to_thread(self.sync.queue, filters, after, limit)

    async def pair(self, flag: int, against: str = "") -> review.PairView:
        """Return a flag with everything that a decision needs.

        Raises:
            NotFoundError: there is no such flag, or one of its blocks is gone.
        """
        return await asyncio.to_thread(self.sync.pair, flag, against)

    async def decisions(
        self, verbs: Sequence[Verb] = (), before: int | None = None, limit: int = 100
    ) -> tuple[Decision, ...]:
        """Return the log of decisions, newest first."""
        return await asyncio.to_thread(self.sync.decisions, verbs, before, limit)

    async def apply_rules(self) -> int:
        """Keep apart the open pairs that rules of review are about; return their number."""
        return await asyncio.to_thread(self.sync.apply_rules)

    async def rebuild(self, repair: bool = False) -> review.Rebuild:
        """Rebuild all canonical blocks from the log, and compare them with the stored ones."""
        return await asyncio.to_thread(self.sync.rebuild, repair)

    async def status(self) -> status.BaseStatus:
        """Sum up the base and its running counters."""
        return await asyncio.to_thread(self.sync.status)

    async def pair_counts(self) -> PairCounts:
        """Count the texts and pairs of the pair table, and those that wait."""
        return await asyncio.to_thread(self.sync.pair_counts)

    async def compare_pairs(self, most: int | None = None, on_step: pairs.OnStep | None = None) -> pairs.CaughtUp:
        """List the near texts of all that wait and compare their pairs; can be stopped and begun again at any time.

        Args:
            most: texts listed, and pairs compared, at most each; all by default.
            on_step: called with what is done, how many are done, and of how many.
        """
        return await asyncio.to_thread(self.sync.compare_pairs, most, on_step)

    async def rebuild_pairs(self, on_step: pairs.OnStep | None = None) -> pairs.PairRebuild:
        """Drop the pair table and make it again; tell whether it came out the same."""
        return await asyncio.to_thread(self.sync.rebuild_pairs, on_step)

    async def documents(self, collection: str | None = None) -> list[StoredDocument]:
        """Return the current documents of a collection, by name; raise NotFoundError if there is no such collection."""
        return await asyncio.to_thread(self.sync.documents, collection)

    async def remove(self, name: str, collection: str | None = None) -> Receipt:
        """Take a document's name away, and the document with its last name; by its id, all its names.

        Args:
            name: as it is shown, a path as seen from the working directory, the end of one name, or an id.
            collection: by default that of the settings.

        Raises:
            NotFoundError: no such document; says which names are like it.
            UsageError: several documents are meant; lists them.
        """
        return await asyncio.to_thread(self.sync.remove, name, collection)

    async def why_document(self, name: str, collection: str | None = None) -> explain.DocumentAccount:
        """Account for a document: what it is, and the blocks that it supports.

        The name is as for `remove`, the collection only this one; all by default.

        Raises:
            NotFoundError, UsageError: as `remove`.
        """
        return await asyncio.to_thread(self.sync.why_document, name, collection)

    async def gone(self, discovered: discovery.Discovered, collection: str | None = None) -> list[str]:
        """Return names of stored documents below the discovered roots whose files are gone."""
        return await asyncio.to_thread(self.sync.gone, discovered, collection)

    async def reembed(self, collection: str, on_batch: Callable[[int], None] | None = None) -> int:
        """Move a collection to the settings' embedding model; give the number of blocks.

        Raises:
            NotFoundError: no such collection.
        """
        return await asyncio.to_thread(self.sync.reembed, collection, on_batch)
