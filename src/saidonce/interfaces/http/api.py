"""The JSON API of the base and of review, by API key or by a session with its token."""

from __future__ import annotations

from datetime import datetime
from pathlib import PurePosixPath
from typing import Annotated, Literal

from fastapi import APIRouter, File, Path, Query, Response, UploadFile
from fastapi.responses import JSONResponse

from saidonce.app.reviewer import Reviewer
from saidonce.app.translating import named_translations
from saidonce.errors import NotFoundError, UsageError
from saidonce.foundation.context import Source
from saidonce.foundation.model import Decision, Filters, Kind, Verb
from saidonce.foundation.ports import QueueFilter
from saidonce.interfaces.http.callers import Before, Key, MayAsk, MayRead, MayReview, MayWrite, Seq
from saidonce.interfaces.http.schemas import (
    Apart,
    Approve,
    AskBody,
    AuditRuling,
    Because,
    Edit,
    Merge,
    Own,
    RulingBody,
    Split,
)
from saidonce.interfaces.http.site import BIGGEST, Caller
from saidonce.interfaces.views.base import ErrorView
from saidonce.interfaces.views.kb import (
    BlockDetail,
    DecisionView,
    DocumentView,
    ExplanationView,
    IngestRefused,
    IngestView,
    PairDetail,
    QueuedPair,
    QueuePage,
    RemovedView,
    SearchView,
)
from saidonce.interfaces.views.passages import AnswerView, ContextView
from saidonce.interfaces.views.translations import TranslationView
from saidonce.kb import second_opinions
from saidonce.kb.explain import resolve_id
from saidonce.kb.ingest import State
from saidonce.kb.packed_context import LEAST_TOKENS, MOST_TOKENS
from saidonce.kb.review import current_block, cursor
from saidonce.kb.status import BaseStatus

api = APIRouter()

BlockId = Annotated[
    str, Path(description="id of a current or former block", examples=["3f2a9c71d0b84e5f9a6c2d1e8b7f4a30"])
]


def _reviewer(caller: Caller, reason: str, key: str, flag: int | None = None, seen: str = "") -> Reviewer:
    return caller.base.as_person(caller.name).because(reason, key, flag, seen)


@api.get("/search", summary="Search the base", tags=["base"])
def search(
    caller: MayRead,
    q: Annotated[
        str,
        Query(
            min_length=1,
            max_length=10_000,
            description="question in plain words",
            examples=["how long are backups kept?"],
        ),
    ],
    k: Annotated[int, Query(ge=1, le=100)] = 10,
    collection: Annotated[list[str] | None, Query()] = None,
    document: Annotated[list[str] | None, Query()] = None,
    kind: Annotated[list[Kind] | None, Query()] = None,
    language: Annotated[list[str] | None, Query()] = None,
    since: Annotated[
        datetime | None, Query(description="only documents dated on or after this time, with a time zone")
    ] = None,
    tag: Annotated[list[str] | None, Query(description="only blocks with one of these tags")] = None,
) -> SearchView:
    """Return hits, best first, each with its repeats under `also_in` and the parts of its score."""
    named = (tuple(collection or ()), tuple(document or ()), tuple(kind or ()), tuple(language or ()))
    filters = Filters(*named, since, tags=tuple(tag or ()))
    return SearchView.show(caller.base.search(q, filters, k))


@api.get("/context", summary="Pack a context for a language model", tags=["base"])
def context(
    caller: MayRead,
    q: Annotated[
        str,
        Query(
            min_length=1,
            max_length=10_000,
            description="question in plain words",
            examples=["how long are backups kept?"],
        ),
    ],
    tokens: Annotated[int, Query(ge=LEAST_TOKENS, le=MOST_TOKENS, description="token budget of the context")] = 2_000,
    collection: Annotated[list[str] | None, Query()] = None,
    language: Annotated[list[str] | None, Query()] = None,
    tag: Annotated[list[str] | None, Query(description="only blocks with one of these tags")] = None,
) -> ContextView:
    """Return what the base says about a question, nothing twice, within a token budget."""
    filters = Filters(tuple(collection or ()), languages=tuple(language or ()), tags=tuple(tag or ()))
    return ContextView.show(caller.base.context(q, tokens, filters))


@api.post("/ask", summary="Answer a question from the base", tags=["base"])
def ask(caller: MayAsk, body: AskBody) -> AnswerView:
    """Return an answer in which every sentence cites a passage; without a model, passages are quoted verbatim.

    If nothing answers the question, `mode` is `not_in_base`. A model that fails is an error (503), and so is one whose
    citations do not support its sentences (502).
    """
    filters = Filters(tuple(body.collections), languages=tuple(body.languages), tags=tuple(body.tags))
    return AnswerView.show(caller.base.ask(body.question, filters, body.k))


@api.get("/status", summary="Show the status of the base", tags=["base"])
def status(caller: MayRead) -> BaseStatus:
    """Return counts, metrics, counters and warnings."""
    return caller.base.status()


@api.get("/documents", summary="List documents", tags=["base"])
def documents(caller: MayRead, collection: str | None = None) -> list[DocumentView]:
    """Return the current documents of a collection, by name."""
    return [DocumentView.show(d) for d in caller.base.documents(collection)]


@api.post(
    "/documents", summary="Ingest a file", tags=["base"], status_code=201, response_model=IngestView,
    responses={422: {"model": IngestRefused | ErrorView, "description": "nothing was ingested; the report says why"}},
)  # fmt: skip
def ingest(
    caller: MayWrite,
    file: Annotated[UploadFile, File(description="the document; the format follows from its file name")],
    name: Annotated[
        str, Query(max_length=1_000, description="name to store it under; that of the file by default")
    ] = "",
    collection: str | None = None,
    tag: Annotated[list[str] | None, Query(description="tags, replacing earlier ones")] = None,
) -> IngestView | Response:
    """Ingest one file and return the report; 422 if all of its content was refused, with the reasons in the report."""
    content = file.file.read(caller.base.settings.max_source_mb * 1024 * 1024 + 1)
    known = name or PurePosixPath((file.filename or "upload").replace("\\", "/")).name
    report = caller.base.ingest([Source(known, lambda: content, tuple(tag or ()))], collection)
    refused = [d for d in report.documents if d.state is State.REFUSED]
    if len(refused) < len(report.documents) or not refused:
        return IngestView.show(report, passed_over=report.passed_over, removed=())
    message = f"{refused[0].name!r}: {refused[0].detail}"
    failed = IngestRefused.show(
        report, passed_over=report.passed_over, removed=(), error="SourceRefused", message=message
    )
    return JSONResponse(failed.data(), 422)


@api.delete("/documents", summary="Remove a document", tags=["base"])
def remove(caller: MayWrite, name: str, collection: str | None = None) -> RemovedView:
    """Remove a document and everything that no other document supports."""
    return RemovedView.show(caller.base.remove(name, collection))


@api.get("/blocks/{id}", summary="Read a block", tags=["blocks"])
def block(caller: MayRead, id: BlockId) -> BlockDetail:
    """Return the current block of an id, or of the beginning of one, with everything that supports it."""
    store = caller.base.store
    return BlockDetail.show(current_block(store, resolve_id(store, id)))


@api.get("/blocks/{id}/why", summary="Explain a block", tags=["blocks"])
def why(caller: MayRead, id: BlockId) -> ExplanationView:
    """Return where a block came from, what it absorbed, and every decision about it."""
    return ExplanationView.show(caller.base.why(id))


@api.post("/blocks/{id}/split", summary="Split members from a block", tags=["blocks"])
def split(caller: MayReview, id: BlockId, body: Split, key: Key = "") -> DecisionView:
    """Move members of a block into a block of their own."""
    return DecisionView.show(_reviewer(caller, body.reason, key).split(id, body.leaving, body.edits, body.copies))


@api.post("/blocks/{id}/edit", summary="Edit a block's text", tags=["blocks"])
def edit(caller: MayReview, id: BlockId, body: Edit, key: Key = "") -> DecisionView:
    """Replace the text of a block; earlier texts stay in the block."""
    return DecisionView.show(_reviewer(caller, body.reason, key).edit(id, body.text))


@api.post("/blocks/{id}/approve", summary="Set a block's approval", tags=["blocks"])
def approve(caller: MayReview, id: BlockId, body: Approve, key: Key = "") -> DecisionView:
    """Set the approval of a block; it lapses when its texts change."""
    return DecisionView.show(_reviewer(caller, body.reason, key).approve(id, body.approval))


@api.post("/blocks/{id}/own", summary="Set a block's owner", tags=["blocks"])
def own(caller: MayReview, id: BlockId, body: Own, key: Key = "") -> DecisionView:
    """Set the person responsible for a block."""
    return DecisionView.show(_reviewer(caller, body.reason, key).own(id, body.owner))


@api.post("/merges", summary="Merge two blocks", tags=["blocks"])
def merge(caller: MayReview, body: Merge, key: Key = "") -> DecisionView:
    """Merge two blocks into one; nothing of either is lost."""
    return DecisionView.show(_reviewer(caller, body.reason, key).merge(body.a, body.b, body.keep))


@api.post("/apart", summary="Keep blocks apart, or mark them as contradicting each other", tags=["blocks"])
def apart(caller: MayReview, body: Apart, key: Key = "") -> DecisionView:
    """Record that blocks are not the same; their texts are not queued again."""
    reviewer = _reviewer(caller, body.reason, key)
    decide_apart = reviewer.conflict if body.is_conflict else reviewer.keep_apart
    return DecisionView.show(decide_apart(body.a, *body.others))


@api.get("/queue", summary="List the review queue", tags=["review"])
def queue(
    caller: MayRead,
    collection: Annotated[list[str] | None, Query()] = None,
    assignee: str = "",
    because: str = "",
    is_open: bool = True,
    order: Annotated[
        Literal["worth", "likely"],
        Query(description="worth: most valuable decisions first; likely: most likely duplicates first"),
    ] = "worth",
    after_worth: Annotated[
        float | None,
        Query(
            allow_inf_nan=False,
            description="worth of the last pair of the previous page, or its `place` with order=likely",
        ),
    ] = None,
    after_seq: Annotated[int | None, Query(ge=0, le=BIGGEST)] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> QueuePage:
    """Return pairs by the value of a decision or by likelihood, and how many there are in all."""
    chosen = QueueFilter(tuple(collection or ()), assignee, because, is_open, order == "likely")
    after = (after_worth, after_seq) if after_worth is not None and after_seq is not None else None
    pairs = caller.base.queue(chosen, after, limit)
    rows = tuple(QueuedPair.show(p, place=cursor(caller.base.base, chosen, p.flag)[0]) for p in pairs)
    return QueuePage(n=caller.base.store.ledger.n_flags(chosen), pairs=rows)


@api.get("/translations", summary="List possible translations", tags=["review"])
def translations(caller: MayRead, collection: str = "") -> list[TranslationView]:
    """Return pairs of texts that may be translations of each other, highest score first; nothing is changed.

    The setting `translation_embedder` names the model; if it or the extra of that model is missing, the error message
    says what to do.
    """
    return [TranslationView.show(twin) for twin in named_translations(caller.base, collection or None)]


@api.get("/queue/{seq}", summary="Get a pair", tags=["review"])
def pair(caller: MayRead, seq: Seq, against: str = "") -> PairDetail:
    """Return both blocks, their differing facts, the shortlist, and a preview of the merge."""
    return PairDetail.show(caller.base.pair(seq, against))


@api.post("/queue/{seq}", summary="Decide a pair", tags=["review"])
def decide(caller: MayReview, seq: Seq, body: RulingBody, key: Key = "") -> DecisionView:
    """Decide a pair; an outdated `seen` is refused with 409."""
    return DecisionView.show(decide_flag(caller, seq, body, key))


@api.get("/decisions", summary="List decisions", tags=["review"])
def decisions(
    caller: MayRead,
    verb: Annotated[list[Verb] | None, Query()] = None,
    before: Before = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> list[DecisionView]:
    """Return decisions, newest first."""
    return [DecisionView.show(d) for d in caller.base.decisions(tuple(verb or ()), before, limit)]


@api.get("/settled", summary="List pairs settled by second opinions", tags=["review"])
def settled(
    caller: MayRead, before: Before = None, limit: Annotated[int, Query(ge=1, le=500)] = 100
) -> list[DecisionView]:
    """Return the merges and dismissals made by second opinions, newest first, including reverted ones."""
    return [DecisionView.show(d) for d in second_opinions.settled_by_opinions(caller.base.base, limit, before)]


@api.post("/decisions/{seq}/revert", summary="Revert a decision", tags=["review"])
def revert(caller: MayReview, seq: Seq, body: Because, key: Key = "") -> DecisionView:
    """Revert a decision; the blocks become as if it had never been made."""
    return DecisionView.show(_reviewer(caller, body.reason, key).revert(seq))


@api.post("/decisions/{seq}/audit", summary="Audit an automatic merge", tags=["review"])
def audit(caller: MayReview, seq: Seq, body: AuditRuling, key: Key = "") -> DecisionView:
    """Record whether an automatic merge was right; enough wrong ones stop automatic merging."""
    return DecisionView.show(_reviewer(caller, body.reason, key).audit(seq, body.wrong))


def decide_flag(caller: Caller, seq: int, body: RulingBody, key: str) -> Decision:
    """Carry out what a reviewer decides about a flag.

    Raises:
        NotFoundError: there is no such flag.
        StaleWriteError: somebody decided in the meantime.
    """
    flag = caller.base.store.ledger.flag(seq)
    if flag is None:
        raise NotFoundError("pair", str(seq))
    reviewer = _reviewer(caller, body.reason, key, seq, body.seen)
    against = body.against or flag.of
    if body.leave_out and body.verb != "merge":
        raise UsageError("leave_out is valid with the verb merge only")
    if body.leave_out:
        return reviewer.merge_without(against, flag.candidate, body.leave_out, body.keep)
    if body.verb == "merge":
        return reviewer.merge(against, flag.candidate, body.keep)
    if body.verb == "dismiss":
        return _reviewer(caller, body.reason, key).dismiss(seq)
    if body.verb == "assign":
        return _reviewer(caller, body.reason, key).assign(seq, body.to, body.due)
    if body.verb == "conflict":
        return reviewer.conflict(flag.candidate, against)
    blocks = caller.base.store.blocks([n.id for n in flag.near])
    rest = [id_ for id_ in blocks if id_ not in (against, flag.candidate)]
    return reviewer.keep_apart(flag.candidate, against, *dict.fromkeys(rest))
