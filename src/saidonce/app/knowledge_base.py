"""Composition root: settings become wired ports, and the flows become one object."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self, Unpack

from saidonce import gate as gating
from saidonce.adapters.clock import SystemClock
from saidonce.adapters.embed import open_embedder
from saidonce.adapters.postgres import open_store
from saidonce.app import metrics
from saidonce.app.adjudicators import Unopened, open_adjudicator, open_for_retry, open_second
from saidonce.app.equivalence import open_judge, workers_of
from saidonce.app.held_list import HeldList
from saidonce.app.opening import certificate_of, chat_of, replica_of, rows_of, sandbox_of, search_copy_of
from saidonce.app.reviewer import Reviewer
from saidonce.app.setting_options import SettingOptions
from saidonce.app.syncing import Syncing
from saidonce.documents import discovery, naming
from saidonce.documents.parse import is_supported
from saidonce.errors import ArtefactError, ModelMismatchError, NotFoundError, PluginError, SettingsError, UsageError
from saidonce.foundation import tracing
from saidonce.foundation.context import Context, Source
from saidonce.foundation.model import (
    ESCAPE_HATCH,
    AskedAgain,
    Decision,
    Filters,
    GateFields,
    GateVerdict,
    Pair,
    PairCounts,
    Receipt,
    StoredDocument,
    Verb,
)
from saidonce.foundation.ports import Adjudicator, Embedder, EquivalenceJudge, Parser, QueueFilter, Store
from saidonce.foundation.resources import Resources
from saidonce.foundation.settings.policy import Settings
from saidonce.foundation.settings.reading import settings_from
from saidonce.kb import answer as answering
from saidonce.kb import explain, ingest, pairs, reembed, review, status
from saidonce.kb import packed_context as packing
from saidonce.kb import propose as proposing
from saidonce.kb import rerank as reranking
from saidonce.kb import search as retrieve
from saidonce.kb import second_opinions as opining
from saidonce.kb.canonical import BlockIndex

GATE_NAME = "main"
"""Default name of a gate."""

_log = logging.getLogger("saidonce")


class KnowledgeBase:
    """A knowledge base that says everything once and loses nothing.

    Use it as a context manager; nothing is started before it is needed.

    >>> with KnowledgeBase(data_dir="./base") as base:  # doctest: +SKIP
    ...     base.ingest(["./handbook"])
    ...     for hit in base.search("how long do we keep backups?").hits:
    ...         print(hit.text, hit.documents)
    """

    def __init__(
        self, settings: Settings | None = None, *, must_exist: bool = False, **overrides: Unpack[SettingOptions]
    ) -> None:
        """Use settings, or read them as the command line does, with overrides.

        With `must_exist`, whatever first needs the store raises `NoBaseError` if there is none, and creates none.

        Raises:
            SettingsError: a value is malformed or a key unknown.
        """
        self.settings = settings if settings is not None else settings_from(None, **overrides)
        self._must_exist = must_exist
        self._lazy = Resources()
        self._lender: KnowledgeBase | None = None

    def __repr__(self) -> str:
        where = "a PostgreSQL server" if self.settings.database_url else str(self.settings.data_dir)
        return f"KnowledgeBase({self.settings.org!r} in {where})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close everything that was opened."""
        self._lazy.close()

    @property
    def base(self) -> Context:
        """The wired ports, for flows.

        Raises:
            ArtefactError: the files of the equivalence judge are absent or altered.
        """
        wired: Context = self._lazy.get("base", lambda: self.context_over(self.store))
        return wired

    @property
    def parser(self) -> Parser:
        """The sandbox that documents are parsed in."""
        s, lender = self.settings, self._lender
        opened: Parser = lender.parser if lender else self._lazy.get("parser", lambda: sandbox_of(s))
        return opened

    @property
    def judge(self) -> EquivalenceJudge | None:
        """The equivalence judge; None if none is installed or it is switched off."""
        s, lender = self.settings, self._lender
        opened: EquivalenceJudge | None = (
            lender.judge if lender else self._lazy.get("judge", lambda: open_judge(s.judge))
        )
        return opened

    def context_over(self, store: Store) -> Context:
        """Return the wired ports over a store, for what has another one than the base's: that is not opened then."""
        s, judge = self.settings, self.judge
        certificate, flaw = certificate_of(s, self.embedder.model, judge.name if judge is not None else "")
        workers = self._lazy.get("workers", lambda: workers_of(s))
        return Context(store, self.embedder, self.parser, SystemClock(), s, certificate, flaw, judge, workers)

    @property
    def embedder(self) -> Embedder:
        """The embedding model, loaded when it first embeds."""
        if self._lender is not None:
            return self._lender.embedder
        s = self.settings
        opened: Embedder = self._lazy.get(
            "embedder", lambda: open_embedder(s.embedder, s.embedder_url, s.embedder_key, s.embed_threads)
        )
        return opened

    @property
    def store(self) -> Store:
        """The opened store of the settings' organisation."""
        s = self.settings
        if (lender := self._lender) is not None:
            lent: Store = self._lazy.get("store", lambda: lender.store.of_org(s.org))
            return lent
        place = s.database_url, s.data_dir.expanduser(), s.org
        store: Store = self._lazy.get("store", lambda: open_store(*place, **replica_of(s), must_exist=self._must_exist))
        return store

    @property
    def _texts(self) -> BlockIndex:
        embedder = self.base.embedder
        texts: BlockIndex = self._lazy.get("texts", lambda: BlockIndex(embedder.model, embedder.dim))
        return texts

    @property
    def _search_index(self) -> retrieve.SearchIndex:
        embedder = self.base.embedder
        parts = self.settings.search_shards, search_copy_of(self.settings, embedder.model), rows_of(self.settings)
        index: retrieve.SearchIndex = self._lazy.get(
            "shelf", lambda: retrieve.SearchIndex(embedder.model, embedder.dim, *parts)
        )
        return index

    @property
    def _near_texts(self) -> pairs.NearTexts:
        embedder = self.base.embedder
        near: pairs.NearTexts = self._lazy.get("near texts", lambda: pairs.NearTexts(embedder.model, embedder.dim))
        return near

    def find(self, paths: str | Path | Sequence[str | Path], name_as: str = "") -> discovery.Discovered:
        """Return the sources under paths that can be ingested; `name_as` is the name of the single path.

        Raises:
            NotFoundError: a path does not exist.
            UsageError: one is neither a file nor a folder, or `name_as` comes with several paths.
        """
        several = [Path(p) for p in ([paths] if isinstance(paths, str | Path) else paths)]
        return discovery.find_sources(several, is_supported, self.settings.max_source_mb * 2**20, name_as)

    def take_in(
        self,
        sources: Iterable[Source],
        collection: str | None = None,
        on_document: ingest.OnDocument | None = None,
        on_step: ingest.OnStep | None = None,
    ) -> ingest.IngestReport:
        """Ingest sources that come one after the other, such as those of a sync; see `ingest`."""
        start = time.perf_counter()
        comparing = pairs.PairsAtIngest(self.base, self._near_texts)

        def note(document: ingest.DocumentReport) -> None:
            if on_document is not None:
                on_document(document)
            if self.settings.pairs_enabled and document.is_written:
                comparing.written(document.n_kept)

        name = collection or self.settings.collection
        with tracing.span("ingest") as span:
            report = ingest.ingest(self.base, sources, name, note, self._texts, on_step)
            comparing.finish()
            review.tell_apart(self.base, name, sorted({d.document_id for d in report.documents} - {""}))
            review.apply_rules(self.base, name)
            span.set(documents=len(report.documents), written=len(report.written), refused=len(report.refused))
        seconds = time.perf_counter() - start
        if self.settings.metrics_enabled:
            metrics.record_ingest(report, seconds)
        if self.settings.log_enabled:
            totals = " ".join(f"{name}={value:g}" for name, value in report.totals.items())
            _log.info("ingest.done collection=%s %s ms=%.0f", report.collection, totals, 1_000 * seconds)
        return report

    def ingest(
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
        items = [paths] if isinstance(paths, str | Path | Source) else paths
        sources = [s for item in items for s in ([item] if isinstance(item, Source) else self.find([item]).sources)]
        return self.take_in(sources, collection, on_document, on_step)

    @property
    def syncs(self) -> Syncing:
        """The sources that collections are kept in step with."""
        return Syncing(self.settings, lambda: self.base, self.take_in)

    def search(
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
        scoped = self._with_stored_names(filters or Filters(), collection)
        start = time.perf_counter()
        with tracing.span("search") as span:
            report = retrieve.search(self.base, self._search_index, query, scoped, k)
            span.set(hits=len(report.hits), repeats=report.n_repeats, pool=report.n_pool)
        seconds = time.perf_counter() - start
        if self.settings.metrics_enabled:
            metrics.record_search(report, seconds)
        if self.settings.log_enabled:
            n = len(report.hits), report.n_pool - report.n_below, report.n_repeats
            _log.info("search.done hits=%d looked_at=%d repeats=%d ms=%.0f", *n, 1_000 * seconds)
        return report

    def _with_stored_names(self, filters: Filters, collection: str | None) -> Filters:
        """Return filters with one more collection, and with documents under their stored names."""
        if collection is not None:
            if filters.collections not in ((), (collection,)):
                raise UsageError(f"collections are passed twice: {collection!r} and {', '.join(filters.collections)!r}")
            filters = replace(filters, collections=(collection,))
        if not filters.documents:
            return filters
        collections = filters.collections or tuple(c.name for c in self.store.collections())
        stored = [d for c in collections for d in self.store.documents(c)]
        names = [d.name for each in filters.documents for d, _ in naming.documents_named(each, stored, Path.cwd())]
        return replace(filters, documents=tuple(dict.fromkeys(names)))

    def context(
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
        packing.check_budget(n_tokens)
        report = self.search(question, filters, packing.LOOK_AT, collection)
        return packing.pack(report, n_tokens, self.base.embedder.count_tokens)

    def ask(
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
        with tracing.span("ask") as span:
            report = self.search(question, filters, packing.LOOK_AT if k is None else k, collection)
            report = answering.without_weak_hits(report, self.settings.answer_from)
            packed = packing.pack(report, self.settings.answer_tokens, self.base.embedder.count_tokens)
            answer = answering.answer(packed, chat_of(self.settings))
            span.set(mode=answer.mode, passages=len(answer.passages))
            return answer

    def rerank(
        self, query: str, documents: Sequence[str], top_n: int | None = None, max_tokens_per_doc: int | None = None
    ) -> reranking.Reranked:
        """Rank documents that somebody else retrieved, those that repeat a higher one last; nothing is stored.

        Raises:
            UsageError: the query is empty, there are no or too many documents, or a number is below 1.
            ModelUnavailableError: the embedder failed.
        """
        s = self.settings
        most = reranking.TOKENS_PER_DOCUMENT if max_tokens_per_doc is None else max_tokens_per_doc
        options = reranking.RerankOptions(top_n, most, s.dedup_from, s.dense_weight, s.same_from)
        return reranking.rerank(query, documents, self.embedder, options)

    def propose(self, text: str | proposing.Proposal, collection: str | None = None) -> proposing.Proposed:
        """Return what would become of a text in a collection; nothing is written.

        Raises:
            UsageError: the text is empty or too long, or its document's name stands for another text.
            NotFoundError: no such collection.
            ModelMismatchError: the collection holds vectors of another model.
            SourceRefusedError: nothing in the text can be kept.
        """
        proposal = text if isinstance(text, proposing.Proposal) else proposing.Proposal(text)
        return proposing.propose(self.base, self._texts, proposal, collection or self.settings.collection)

    @property
    def adjudicator(self) -> Adjudicator | None:
        """Who rules at the gate under the settings; opened on first use, None if nobody does."""
        opened: Adjudicator | None = self._lazy.get(
            "adjudicator",
            lambda: open_adjudicator(self.settings, self.store, lambda: self.embedder, self.base.clock),
        )
        return opened

    def _asked_again(self, order: AskedAgain) -> Adjudicator:
        """Return who rules on what is asked about again, opened on first use."""
        opened: Adjudicator = self._lazy.get(
            f"asked again {order.judge} {order.anew}",
            lambda: open_for_retry(self.settings, self.store, lambda: self.embedder, self.base.clock, order),
        )
        return opened

    def gate(
        self, name: str = GATE_NAME, fields: GateFields | None = None, asked_again: AskedAgain | None = None
    ) -> gating.Gate:
        """Return the gate of a name, created on first use.

        Args:
            name: of the gate; gates know nothing of each other.
            fields: the parts of a submission that a new gate compares; by default those of the settings.
            asked_again: who rules, where held submissions are asked about again; by default as the settings say.

        Raises:
            UsageError: the gate exists and compares other parts than `fields`.
            ModelMismatchError: the gate keeps vectors of another embedding model.
            SettingsError, ArtefactError, PluginError: who rules cannot be opened.
        """
        is_plain = asked_again is None or asked_again == AskedAgain()
        judge = self.adjudicator if is_plain or asked_again is None else self._asked_again(asked_again)
        return self._gate(name, fields, judge)

    def _gate(self, name: str, fields: GateFields | None, judge: Adjudicator | None) -> gating.Gate:
        definition = gating.define(self.base, name, fields)
        gate_name, model, dim = definition.name, definition.model, definition.dim
        if model != self.embedder.model:
            raise ModelMismatchError(gate_name, model, self.embedder.model)
        index: gating.AdmittedIndex = self._lazy.get(
            f"kept {gate_name} {model}", lambda: gating.AdmittedIndex(gate_name, model, dim)
        )
        return gating.Gate(self.base, definition, index, judge, self._note_verdict)

    @property
    def held(self) -> HeldList:
        """What the gates hold for people, and what people decide about it."""
        return HeldList(self.base, self.gate, self.settings.metrics_enabled)

    def _note_verdict(self, verdict: GateVerdict) -> None:
        if self.settings.metrics_enabled:
            metrics.record_verdict(verdict)
        if verdict.override is not None and verdict.override.by == ESCAPE_HATCH:
            _log.warning("gate.escape_hatch verdict=%s gate=%s let_through=1", verdict.id, verdict.gate)
        if self.settings.log_enabled:
            v = verdict
            values = (v.id, v.gate, v.reason or v.state, v.similarity, v.duration_ms)
            _log.info("verdict.reached id=%s gate=%s reason=%s similarity=%.4f ms=%d", *values)

    def rule_pending(self, limit: int = gating.BATCH) -> tuple[GateVerdict, ...]:
        """Have pending submissions of all gates ruled on, longest waiting first; give their verdicts.

        They are claimed for a while: what is left by a worker that dies is due again after that.
        """
        return gating.rule_due(self.base, self._gate_for, limit)

    def _gate_for(self, name: str, order: AskedAgain | None) -> gating.Gate:
        """Return a gate whose adjudicator is that of an order; one that cannot be opened holds what waits for it."""
        try:
            return self.gate(name, asked_again=order)
        except (SettingsError, ArtefactError, PluginError) as failed:
            if order is None:
                raise
            return self._gate(name, None, Unopened(order.judge or self.settings.gate_adjudicator, str(failed)))

    @property
    def second(self) -> Adjudicator:
        """Adjudicator that gives second opinions on open pairs, by the settings; opened on first use.

        Raises:
            SettingsError: an adjudicator is unknown, lacks a setting, or none is set.
            ArtefactError: a trained judge cannot be read, or was trained with another embedder.
        """
        opened: Adjudicator = self._lazy.get(
            "second", lambda: open_second(self.settings, self.store, lambda: self.embedder, self.base.clock)
        )
        return opened

    def opine(self, collections: Sequence[str] = (), again: bool = False, most: int = 0) -> opining.OpineReport:
        """Ask for second opinions on open pairs that lack one, and let those settle that may (setting gray_zone).

        The arguments are those of `OpinionOptions`.

        Raises:
            SettingsError, ArtefactError: as for `second`.
        """
        recorders = (metrics.record_opinion, metrics.record_settled) if self.settings.metrics_enabled else ()
        options = opining.OpinionOptions(tuple(collections), again, most, *recorders)
        report = opining.ask_second_opinions(self.base, self.second, options)
        if self.settings.log_enabled and report.wrote:
            counts = (report.n_asked, report.n_merged, report.n_dismissed, report.stopped or "")
            _log.info("opine.done opinions=%d merged=%d dismissed=%d stopped=%s", *counts)
        return report

    def why(self, id_prefix: str) -> explain.Explanation:
        """Explain a block or segment by its id or the beginning of it.

        Raises:
            NotFoundError: nothing has this id.
            UsageError: the prefix is ambiguous or no id.
            ModelUnavailableError: the judge's files failed.
        """
        return explain.why(self.store, id_prefix, self.base.judge)

    def as_person(self, name: str) -> Reviewer:
        """Return a reviewer who decides about blocks in the name of a person."""
        return Reviewer(lambda: self.base, review.By(name))

    def queue(
        self, filters: QueueFilter | None = None, after: tuple[float, int] | None = None, limit: int = 50
    ) -> tuple[Pair, ...]:
        """Return pairs that wait for a person, by the value of a decision.

        Args:
            filters: which flags; all open ones by default.
            after: (worth, number) of the last flag of the page before.
            limit: maximum number of pairs.
        """
        return review.open_pairs(self.base, filters or QueueFilter(), after, limit)

    def pair(self, flag: int, against: str = "") -> review.PairView:
        """Return a flag with everything that a decision needs.

        Raises:
            NotFoundError: there is no such flag, or one of its blocks is gone.
        """
        return review.pair(self.base, flag, against)

    def decisions(
        self, verbs: Sequence[Verb] = (), before: int | None = None, limit: int = 100
    ) -> tuple[Decision, ...]:
        """Return the log of decisions, newest first."""
        return self.store.ledger.decisions(verbs, before, limit)

    def apply_rules(self) -> int:
        """Keep apart the open pairs that rules of review are about; return their number."""
        return review.apply_rules(self.base)

    def rebuild(self, repair: bool = False) -> review.Rebuild:
        """Rebuild all canonical blocks from the log, and compare them with the stored ones."""
        return review.rebuild(self.base, repair)

    def status(self) -> status.BaseStatus:
        """Sum up the base and its running counters."""
        return status.status(self.store, self.settings, self.pair_counts())

    def pair_counts(self) -> PairCounts:
        """Count the texts and pairs of the pair table, and those that wait."""
        return self.store.pairs.counts(pairs.rule_in_force(self.base))

    def compare_pairs(self, most: int | None = None, on_step: pairs.OnStep | None = None) -> pairs.CaughtUp:
        """List the near texts of all that wait and compare their pairs; can be stopped and begun again at any time.

        Args:
            most: texts listed, and pairs compared, at most each; all by default.
            on_step: called with what is done, how many are done, and of how many.
        """
        return pairs.catch_up(self.base, self._near_texts, most, on_step)

    def rebuild_pairs(self, on_step: pairs.OnStep | None = None) -> pairs.PairRebuild:
        """Drop the pair table and make it again; tell whether it came out the same."""
        return pairs.rebuild_pairs(self.base, self._near_texts, on_step)

    def documents(self, collection: str | None = None) -> list[StoredDocument]:
        """Return the current documents of a collection, by name; raise NotFoundError if there is no such collection."""
        return status.documents(self.store, collection, self.settings.collection)

    def remove(self, name: str, collection: str | None = None) -> Receipt:
        """Take a document's name away, and the document with its last name; by its id, all its names.

        Args:
            name: as it is shown, a path as seen from the working directory, the end of one name, or an id.
            collection: by default that of the settings.

        Raises:
            NotFoundError: no such document; says which names are like it.
            UsageError: several documents are meant; lists them.
        """
        within = collection or self.settings.collection
        ((_, names),) = naming.documents_named(name, self.documents(collection), Path.cwd())
        receipts = [ingest.remove(self.base, within, each) for each in names]
        return receipts[-1]

    def why_document(self, name: str, collection: str | None = None) -> explain.DocumentAccount:
        """Account for a document: what it is, and the blocks that it supports.

        The name is as for `remove`, the collection only this one; all by default.

        Raises:
            NotFoundError, UsageError: as `remove`.
        """
        within = [collection] if collection else [c.name for c in self.store.collections()]
        named = naming.documents_named(name, [d for c in within for d in self.documents(c)], Path.cwd())
        if len(named) > 1:
            places = ", ".join(d.collection for d, _ in named)
            raise UsageError(f"{name!r} is in several collections: {places}; choose one with --collection")
        return explain.account_of_document(self.store, named[0][0])

    def gone(self, discovered: discovery.Discovered, collection: str | None = None) -> list[str]:
        """Return names of stored documents below the discovered roots whose files are gone."""
        stored = self.store.documents(collection or self.settings.collection)
        names = [name for document in stored for name in (document.names or (document.name,))]
        kept = ingest.kept_names(self.base.parser, discovered.sources, names)
        return [n for n in discovery.removed(discovered, names) if n not in kept]

    def reembed(self, collection: str, on_batch: Callable[[int], None] | None = None) -> int:
        """Move a collection to the settings' embedding model; give the number of blocks.

        Raises:
            NotFoundError: no such collection.
        """
        if collection not in {c.name for c in self.store.collections()}:
            raise NotFoundError("collection", collection)
        return reembed.reembed(self.base, collection, on_batch or (lambda _n: None))

    def for_org(self, org: str) -> KnowledgeBase:
        """Return another organisation's base, on this one's connections, model and parser until this one is closed."""
        other = KnowledgeBase(replace_settings(self.settings, org=org))
        other._lender = self
        return other


def replace_settings(settings: Settings, **changes: Any) -> Settings:
    """Return the settings with some changed."""
    return settings.model_copy(update=changes)
