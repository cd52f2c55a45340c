"""The ingest flow, step by step."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from types import MappingProxyType
from typing import TypeAlias

from saidonce.documents import salience
from saidonce.documents.segment import segment
from saidonce.errors import (
    ModelMismatchError,
    ModelUnavailableError,
    Refusal,
    SaidonceError,
    SourceRefusedError,
    StaleWriteError,
    StoreUnavailableError,
    is_full,
    where,
)
from saidonce.foundation import text, tracing
from saidonce.foundation.context import Context, Source
from saidonce.foundation.model import (
    BlockDraft,
    Collection,
    Document,
    DocumentWrite,
    Receipt,
    Relation,
    Segment,
    SegmentFate,
    StoredDocument,
    Vector,
    WriteState,
)
from saidonce.foundation.ports import Awaited, Parser, SideParser
from saidonce.foundation.settings.policy import SEGMENT_POLICIES, SegmentPolicy, SegmentStyle, Settings
from saidonce.kb.canonical import BlockIndex, cut_as_kept, embedding_key
from saidonce.kb.ingest.collections import expected_collection, store_collection
from saidonce.kb.ingest.containers import members
from saidonce.kb.ingest.merging import Merging, put_canonical
from saidonce.kb.ingest.originals import may_be_kept, originals_of, shows_evidence
from saidonce.kb.ingest.removal import remove
from saidonce.kb.ingest.repeats import Repeats, remove_repeats, says_nothing_else
from saidonce.kb.ingest.report import DocumentReport, IngestReport, State, counters, document_warnings

PIPELINE = "17"
"""Version of parsing and segmenting; counts up when the same source gives other segments than before."""

FORMAT_VERSIONS: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(("subtitles", "sound", "video", "cards", "eml"), "2")
)
"""Versions of single formats; count up when documents of one format alone are stored otherwise than before, so that no
other is read again. Version 2 of what is heard stores the second of each line; of cards it names people, and of
messages it reads the names of files."""

BATCH_TOKENS = 32_768
"""Tokens of the documents embedded together; bounds memory."""

BATCH_BYTES = 64 * 1024 * 1024
"""Originals of the documents embedded together; bounds memory."""

PUT_OFF = 16
"""Sources whose words are recognised while others are read; more wait for the first of them."""

TRIES = 4

PROBE = "a test of whether the model answers"
"""Text embedded after a failure: a model that embeds it failed at a text of one document."""

_FATAL = (StoreUnavailableError, ModelMismatchError, ModelUnavailableError)
"""Errors that end an ingest: the next document would fail in the same way."""

EMBEDDED_AT_ONCE = 64
"""Texts embedded between two reports of progress."""

OnDocument = Callable[[DocumentReport], None]
OnStep = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class _Arrival:
    """A source with bytes new to the collection, on its way to the parser.

    Attributes:
        leaves: the name stands for a document with other names, too, and is taken from it when this
            one is written.
        is_known: the document has a version already.
        tags: tags for the document.
        content: its bytes, as long as it may be that they are kept; empty otherwise.
    """

    name: str
    fingerprint: str
    document_id: str
    leaves: bool = False
    is_known: bool = False
    tags: tuple[str, ...] = ()
    content: bytes = field(default=b"", repr=False)


_Parsed: TypeAlias = tuple[_Arrival, Document | SourceRefusedError]


@dataclass(frozen=True, slots=True)
class _SegmentedDocument:
    """A parsed document with its rated segments."""

    arrival: _Arrival
    document: Document
    segments: tuple[Segment, ...]


def ingest(
    context: Context,
    sources: Iterable[Source],
    name: str,
    on_document: OnDocument | None = None,
    index: BlockIndex | None = None,
    on_step: OnStep | None = None,
) -> IngestReport:
    """Ingest sources into a collection, one transaction per document; committed documents stay committed.

    A source whose bytes the collection has only adds its name to the stored document. A refused source is
    reported, and the others are ingested; so is any failure except of the store, the disk or the model. An archive or
    a mailbox stands for its members.
    Running the same ingest again completes an interrupted one.

    Args:
        context: wired ports and settings.
        sources: read one after the other, each in its turn.
        name: collection; if it is new, created with the settings' segment style, unless all its documents are refused.
        on_document: called with each document's report as soon as it is committed.
        index: cache of kept texts that outlives one ingest; a new one by default.
        on_step: called with the numbers of texts embedded and to be embedded, several times for a long document.

    Raises:
        ModelMismatchError: the collection holds vectors of another model.
        ModelUnavailableError: the embedding model failed, at any text.
        StaleWriteError: somebody created the collection meanwhile, with another use or segment style.
        StoreUnavailableError: the database failed, or the disk is full.
    """
    collection = expected_collection(context, name)
    stored = cache(lambda: store_collection(context, collection))
    block_index = index if index is not None else BlockIndex(context.embedder.model, context.embedder.dim)
    report_document = on_document or (lambda _report: None)
    done: list[DocumentReport] = []

    def note(report: DocumentReport) -> None:
        done.append(report)
        report_document(report)

    places: dict[str, int] = {}
    passed_over: list[str] = []
    each = members(context.parser, sources, passed_over.append)
    parsed = _parse_new(context, collection, _number_sources(each, places), note)
    for batch in _batches(context, collection, parsed, note):
        for cut, vectors in _with_vectors(context, batch, note, on_step or (lambda _done, _all: None)):
            stored()
            note(_ingest_one(context, block_index, collection, cut, vectors))
    if not done:  # nothing was refused either: whoever ingests nothing wants the collection
        stored()
    report = IngestReport(collection.name, tuple(sorted(done, key=lambda d: places[d.name])), tuple(passed_over))
    if context.settings.metrics_enabled:
        context.store.add_counters(counters(d for d in report.documents if not d.is_written))
    return report


def settings_hash(context: Context, collection: Collection, tags: tuple[str, ...] = (), format: str = "") -> str:
    """Return the name of all that shapes a document's segments, fates, vectors and blocks beside its bytes."""
    shaping = context.settings.model_dump_json(
        include={
            "repeat_enabled", "repeat_from", "same_from", "salience_floor", "boost_enabled", "boost_per_repeat",
            "boost_decay", "boost_log_base", "salience_cap",
        }
    )  # fmt: skip
    judge = () if context.judge is None else (f"judge {context.judge.name}",)
    versions = [f"format {version}" for version in [FORMAT_VERSIONS.get(format)] if version]
    return text.digest(PIPELINE, collection.segment_style, collection.model, shaping, *judge, *versions, *tags)


def hash_of_documents(context: Context, collection: Collection) -> Callable[[StoredDocument], str]:
    """Return what names the settings that would shape a stored document now; made once for each set of tags."""
    named = cache(lambda tags, format: settings_hash(context, collection, tags, format))
    return lambda document: named(document.tags, document.format)


def _number_sources(sources: Iterable[Source], places: dict[str, int]) -> Iterator[Source]:
    """Yield the sources, noting the place of each name, since refusals are reported early."""
    for source in sources:
        places.setdefault(source.name, len(places))
        yield source


def _parse_new(
    context: Context, collection: Collection, sources: Iterable[Source], note: OnDocument
) -> Iterator[_Parsed | None]:
    """Yield the sources with new bytes, parsed: in input order, but those in which words are recognised last.

    These are recognised beside the others. Only so many are put off; then the first of them is waited for. Before each
    wait stands None: whoever holds documents back may write them. One name keeps its order.
    """
    waiting: deque[tuple[_Arrival, int]] = deque()
    put_off: deque[tuple[_Arrival, int, Awaited]] = deque()

    def fresh() -> Iterator[tuple[str, bytes]]:
        for source in sources:
            looked_up = _read_and_look_up(context, collection, source)
            if isinstance(looked_up, DocumentReport):
                note(looked_up)
                continue
            arrival, content = looked_up
            is_kept = may_be_kept(content, context.settings)
            waiting.append((replace(arrival, content=content) if is_kept else arrival, len(content)))
            yield source.name, content

    def first_put_off() -> Iterator[_Parsed | None]:
        arrival, _, awaited = put_off.popleft()
        yield None
        yield _lean(arrival, awaited.result())

    for _, result in _parse_each(context.parser, fresh()):
        arrival, n_bytes = waiting.popleft()
        while any(each.name == arrival.name for each, *_ in put_off):
            yield from first_put_off()
        if isinstance(result, Document | SourceRefusedError):
            yield _lean(arrival, result)
            continue
        put_off.append((arrival, n_bytes, result))
        while len(put_off) > PUT_OFF or (len(put_off) > 1 and sum(n for _, n, _ in put_off) > BATCH_BYTES):
            yield from first_put_off()
    while put_off:
        yield from first_put_off()


def _parse_each(
    parser: Parser, sources: Iterable[tuple[str, bytes]]
) -> Iterator[tuple[str, Document | SourceRefusedError | Awaited]]:
    return parser.map_beside(sources) if isinstance(parser, SideParser) else parser.map(sources)


def _lean(arrival: _Arrival, result: Document | SourceRefusedError) -> _Parsed:
    """Return a result with its source, whose bytes are dropped if they are not kept."""
    has_places = isinstance(result, Document) and shows_evidence(result)
    return (arrival if has_places else replace(arrival, content=b"")), result


def _read_and_look_up(
    context: Context, collection: Collection, source: Source
) -> tuple[_Arrival, bytes] | DocumentReport:
    """Read a source and look up its bytes in the collection."""
    name = source.name
    try:
        content = source.read()
    except OSError as failed:
        return _refusal_report(name, SourceRefusedError(name, Refusal.UNREADABLE, failed.strerror or str(failed)))
    except Exception as failed:  # noqa: BLE001  the fail-closed point for one document: the others go on
        return _refusal_report(name, failed)
    try:
        arrival = _look_up(context, collection, source, text.fingerprint(content))
    except Exception as failed:  # noqa: BLE001  the fail-closed point, as above
        _raise_if_fatal(failed)
        return _refusal_report(name, failed)
    return arrival if isinstance(arrival, DocumentReport) else (arrival, content)


def _look_up(
    context: Context, collection: Collection, source: Source | _Arrival, fingerprint: str, n_before: int = 0
) -> _Arrival | DocumentReport:
    """Look up whether the collection has these bytes, and under which names.

    A name that shares its document with others leaves it to them and begins a new one. A new document's id
    depends on the number of earlier look-ups by its writer: a document that began under this name with
    these bytes may live on under another name.
    """
    store, name = context.store, source.name
    present = store.document(collection.name, name)
    twin = next(iter(store.same_source(collection.name, fingerprint)), None)
    if twin is not None:
        with store.ledger.exclusive():  # a name that cannot be given is not taken either
            if present is not None and present.id != twin.id:
                remove(context, collection.name, name)
            store.add_name(collection.name, twin.id, name)
        tags = source.tags or twin.tags
        if twin.settings_hash != settings_hash(context, collection, tags, twin.format):
            return _Arrival(name, fingerprint, twin.id, is_known=True, tags=tags)
        state = State.UNCHANGED if name == twin.name else State.SAME_SOURCE
        same_as = "" if name == twin.name else twin.name
        return DocumentReport(
            name, state, twin.format, twin.id, twin.version, same_as, n_segments=twin.n_segments, n_kept=twin.n_blocks
        )
    if present is not None and len(present.names) == 1:
        return _Arrival(name, fingerprint, present.id, is_known=True, tags=source.tags or present.tags)
    fresh_id = text.digest(store.org, collection.name, name, fingerprint, *[str(n_before)] * (n_before > 0))
    return _Arrival(name, fingerprint, fresh_id, leaves=present is not None, tags=source.tags)


def _batches(
    context: Context,
    collection: Collection,
    parsed: Iterable[_Parsed | None],
    note: OnDocument,
) -> Iterator[list[_SegmentedDocument]]:
    policy = SEGMENT_POLICIES[SegmentStyle(collection.segment_style)]
    batch: list[_SegmentedDocument] = []
    n_tokens = n_bytes = 0
    for each in parsed:
        if each is None:
            if batch:
                yield batch
            batch, n_tokens, n_bytes = [], 0, 0
            continue
        arrival, result = each
        if isinstance(result, SourceRefusedError):
            note(_refusal_report(arrival.name, result))
            continue
        try:
            with tracing.span("ingest", "segment", format=result.format):
                segments = _segment(context, result, arrival.document_id, policy)
        except Exception as failed:  # noqa: BLE001  the fail-closed point, as above
            _raise_if_fatal(failed)
            note(_refusal_report(arrival.name, failed))
            continue
        batch.append(_SegmentedDocument(arrival, result, segments))
        n_tokens += sum(s.n_tokens for s in segments)
        n_bytes += len(arrival.content) + sum(len(p.content) for p in result.pictures)
        if n_tokens >= BATCH_TOKENS or n_bytes >= BATCH_BYTES:
            yield batch
            batch, n_tokens, n_bytes = [], 0, 0
    if batch:
        yield batch


def _segment(context: Context, document: Document, document_id: str, policy: SegmentPolicy) -> tuple[Segment, ...]:
    """Cut a document into rated segments."""
    return salience.rated(segment(document, document_id, policy, context.embedder.count_tokens, says_nothing_else))


def _with_vectors(
    context: Context, batch: list[_SegmentedDocument], note: OnDocument, step: OnStep
) -> Iterator[tuple[_SegmentedDocument, Mapping[str, Vector]]]:
    """Embed a batch; after a failure, document by document, to refuse only the failing ones."""
    try:
        together = _embed(context, batch, step)
    except Exception as failed:  # noqa: BLE001  whose failure it is shows below
        _probe(context, failed)
    else:
        yield from ((cut, together) for cut in batch)
        return
    for cut in batch:
        try:
            vectors = _embed(context, [cut], step)
        except Exception as failed:  # noqa: BLE001  the fail-closed point, as above
            _probe(context, failed)
            note(_refusal_report(cut.arrival.name, failed))
            continue
        yield cut, vectors


def _probe(context: Context, failed: Exception) -> None:
    """Raise a failure of the store, or of a model that fails at a harmless text, too."""
    if isinstance(failed, ModelUnavailableError):
        context.embedder.embed([PROBE])
    else:
        _raise_if_fatal(failed)


def _embed(context: Context, batch: Iterable[_SegmentedDocument], step: OnStep) -> dict[str, Vector]:
    """Return the vectors of all texts and contexts of a batch, by key; embed only unknown ones."""
    model = context.embedder.model
    texts: dict[str, str] = {}
    for cut in batch:
        for part in cut.segments:
            texts[embedding_key(model, part.text)] = part.text
            if part.context:
                texts[embedding_key(model, part.context)] = part.context
    vectors = context.store.known_vectors(list(texts))
    missing = [key for key in texts if key not in vectors]
    for at in range(0, len(missing), EMBEDDED_AT_ONCE):
        keys = missing[at : at + EMBEDDED_AT_ONCE]
        with tracing.span("ingest", "embed", texts=len(keys)):
            vectors.update(zip(keys, context.embedder.embed([texts[key] for key in keys]), strict=True))
        step(at + len(keys), len(missing))
    return vectors


def _ingest_one(
    context: Context, index: BlockIndex, collection: Collection, cut: _SegmentedDocument, vectors: Mapping[str, Vector]
) -> DocumentReport:
    """Remove a document's repeats and write it; refuse it if that fails."""
    with tracing.span("ingest", "document", format=cut.document.format) as span:
        try:
            if collection.is_canonical and collection.segment_style != SegmentStyle.WHOLE:
                cut, vectors = _cut_as_kept(context, index, collection, cut, vectors)
            ingested = _written(context, index, collection, cut, vectors)
        except Exception as failed:  # noqa: BLE001  the fail-closed point, as above
            _raise_if_fatal(failed)
            ingested = _refusal_report(cut.arrival.name, failed)
        span.set(state=ingested.state, segments=ingested.n_segments, kept=ingested.n_kept)
        return ingested


def _cut_as_kept(
    context: Context, index: BlockIndex, collection: Collection, cut: _SegmentedDocument, vectors: Mapping[str, Vector]
) -> tuple[_SegmentedDocument, Mapping[str, Vector]]:
    """Return a document cut as kept ones are, and the vectors of all its texts."""
    document = cut.arrival.document_id, cut.document
    parts = cut_as_kept(context, index, collection.name, document, cut.segments, vectors)
    if parts == cut.segments:
        return cut, vectors
    cut = replace(cut, segments=parts)
    return cut, {**vectors, **_embed(context, [cut], lambda _done, _all: None)}


def _written(
    context: Context, index: BlockIndex, collection: Collection, cut: _SegmentedDocument, vectors: Mapping[str, Vector]
) -> DocumentReport:
    """Write a document; look it up again after a write by somebody else."""
    for n_before in range(1, TRIES + 1):
        keys = [embedding_key(context.embedder.model, s.text) for s in cut.segments]
        with tracing.span("ingest", "repeats", segments=len(cut.segments)):
            repeats = remove_repeats(cut.segments, [vectors[k] for k in keys], context.settings, context.judge)
        draft = _draft_report(cut, repeats)
        write = _write(context, collection, cut, repeats, vectors)
        if context.settings.metrics_enabled:
            write = replace(write, counts=counters([draft]))
        try:
            return _report(context.settings, cut, draft, *_put_version(context, index, collection, cut, write, vectors))
        except StaleWriteError:
            arrival = _look_up(context, collection, cut.arrival, cut.arrival.fingerprint, n_before)
            if isinstance(arrival, DocumentReport):
                return arrival
            cut = _with_new_id(context, collection, cut, arrival)
    raise StaleWriteError(
        f"document {cut.arrival.name!r} was changed by other writers {TRIES} times in a row; try again"
    )


def _put_version(
    context: Context,
    index: BlockIndex,
    collection: Collection,
    cut: _SegmentedDocument,
    write: DocumentWrite,
    vectors: Mapping[str, Vector],
) -> tuple[Receipt, Merging]:
    """Write a version; a name that leaves another document does so in the same transaction, or stays there."""
    if not cut.arrival.leaves:
        return _version(context, index, collection, write, vectors)
    try:
        with context.store.ledger.exclusive():
            remove(context, collection.name, cut.arrival.name)
            return _version(context, index, collection, write, vectors)
    except BaseException:  # an interruption, too, rolls back what the index may have read
        index.forget()
        raise


def _version(
    context: Context, index: BlockIndex, collection: Collection, write: DocumentWrite, vectors: Mapping[str, Vector]
) -> tuple[Receipt, Merging]:
    if collection.is_canonical:
        return put_canonical(context, index, write, vectors)
    return context.store.put_document(write), Merging()


def _with_new_id(
    context: Context, collection: Collection, cut: _SegmentedDocument, arrival: _Arrival
) -> _SegmentedDocument:
    """Return the document under another id, with the segment ids that follow from it."""
    policy = SEGMENT_POLICIES[SegmentStyle(collection.segment_style)]
    return replace(cut, arrival=arrival, segments=_segment(context, cut.document, arrival.document_id, policy))


def _write(
    context: Context, collection: Collection, cut: _SegmentedDocument, repeats: Repeats, vectors: Mapping[str, Vector]
) -> DocumentWrite:
    kept = {f.segment_id for f in repeats.fates if f.relation is Relation.KEPT}
    contexts = _contexts(cut.segments, repeats.fates)
    blocks = tuple(_block(context, part, repeats, contexts[part.id]) for part in cut.segments if part.id in kept)
    needed = {key for b in blocks for key in (b.text_key, b.context_key) if key}
    needed |= {embedding_key(context.embedder.model, s.text) for s in cut.segments}
    return DocumentWrite(
        document_id=cut.arrival.document_id,
        collection=collection.name,
        name=cut.arrival.name,
        fingerprint=cut.arrival.fingerprint,
        settings_hash=settings_hash(context, collection, cut.arrival.tags, cut.document.format),
        document=replace(cut.document, elements=(), pictures=(), tags=cut.arrival.tags),
        originals=originals_of(cut.document, cut.arrival.fingerprint, cut.arrival.content, context.settings),
        segments=cut.segments,
        fates=repeats.fates,
        blocks=blocks,
        embeddings={key: vectors[key] for key in sorted(needed)},
    )


def _contexts(segments: Sequence[Segment], fates: Sequence[SegmentFate]) -> dict[str, str]:
    """Return titles and headings over each kept segment and over those that repeat it, by its id.

    What stands under two headings is kept once and has to be searchable by both.
    """
    stands_for = {f.segment_id: f.of for f in fates if f.relation is not None}
    contexts: dict[str, dict[str, None]] = {}
    for part in sorted(segments, key=lambda s: stands_for.get(s.id) != s.id):
        contexts.setdefault(stands_for.get(part.id, part.id), {})[part.context] = None
    return {kept: "\n".join(over) for kept, over in contexts.items()}


def _block(context: Context, part: Segment, repeats: Repeats, contexts: str) -> BlockDraft:
    boost = repeats.boosts.get(part.id, 0.0)
    model = context.embedder.model
    return BlockDraft(
        segment_id=part.id,
        salience=salience.boosted(part.salience, boost, context.settings.salience_cap),
        boost=boost,
        terms=dict(sorted(text.terms(f"{contexts}\n{part.text}", part.language).items())),
        text_key=embedding_key(model, part.text),
        context_key=embedding_key(model, part.context) if part.context else "",
    )


def _draft_report(cut: _SegmentedDocument, repeats: Repeats) -> DocumentReport:
    """Return the report of a document as far as known before the write."""

    def count(relation: Relation | None) -> int:
        return sum(f.relation is relation for f in repeats.fates)

    return DocumentReport(
        name=cut.arrival.name,
        state=State.CHANGED if cut.arrival.is_known else State.NEW,
        format=cut.document.format,
        n_segments=len(cut.segments),
        n_kept=count(Relation.KEPT),
        n_exact=count(Relation.EXACT),
        n_near=count(Relation.NEAR),
        n_set_aside=count(None),
        n_held_apart=sum(_is_held_apart(f) for f in repeats.fates),
        n_undecided=repeats.n_undecided,
        boosts=tuple(b for b in repeats.boosts.values() if b > 0),
    )


def _report(
    settings: Settings, cut: _SegmentedDocument, draft: DocumentReport, receipt: Receipt, merging: Merging
) -> DocumentReport:
    states = {
        WriteState.NEW: State.NEW,
        WriteState.CHANGED: State.CHANGED,
        WriteState.UNCHANGED: State.UNCHANGED,
    }
    return replace(
        draft,
        state=states[receipt.state],
        document_id=receipt.document_id,
        version=receipt.version,
        n_added=receipt.n_added,
        n_unchanged=receipt.n_unchanged,
        n_removed=receipt.n_removed,
        n_merged=merging.n_merged,
        n_flagged=merging.n_flagged,
        warnings=(*cut.document.warnings, *document_warnings(draft, settings)),
    )


def _is_held_apart(fate: SegmentFate) -> bool:
    return fate.relation is Relation.KEPT and bool(fate.objections)


def _refusal_report(name: str, failed: Exception) -> DocumentReport:
    """Report a document as refused, by its parser or by any other error that concerns it alone."""
    if isinstance(failed, SourceRefusedError):
        return DocumentReport(name, State.REFUSED, reason=failed.reason, detail=failed.detail)
    # The message of an error that is not ours may hold what the document says.
    detail = str(failed) if isinstance(failed, SaidonceError) else f"it cannot be ingested; {where(failed)}"
    return DocumentReport(name, State.REFUSED, reason=Refusal.FAILED, detail=detail)


def _raise_if_fatal(failed: Exception) -> None:
    """Raise a failure that the next document would meet too."""
    if isinstance(failed, _FATAL) or is_full(failed):
        raise failed
