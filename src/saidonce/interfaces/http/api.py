"""The JSON API: every verb of the base and of review, by API key or by a session's token."""

from __future__ import annotations

from datetime import datetime
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

from fastapi import APIRouter, File, Header, Path, Query, Request, Response, UploadFile

from saidonce.app.reviewer import Reviewer
from saidonce.errors import NotFoundError, UsageError
from saidonce.foundation.context import Source
from saidonce.foundation.model import Decision, Filters, Kind, Scope, Verb
from saidonce.foundation.ports import QueueFilter
from saidonce.interfaces.http.schemas import (
    Apart,
    Approve,
    AuditRuling,
    Because,
    Edit,
    Merge,
    Own,
    RulingBody,
    Split,
)
from saidonce.interfaces.http.site import BIGGEST, Caller, allowed, check_form
from saidonce.interfaces.views.kb import (
    account_json,
    decision_json,
    document_json,
    ingest_json,
    pair_json,
    search_json,
    status_json,
    view_json,
    whole_block_json,
)
from saidonce.kb import second_opinions
from saidonce.kb.review import current_block, cursor

api = APIRouter(prefix="/api/v1")

Key = Annotated[str, Header(alias="Idempotency-Key", max_length=200, description="a repeated request is done once")]
Token = Annotated[str, Header(alias="X-CSRF-Token", description="the session's token, instead of an API key")]
BlockId = Annotated[str, Path(description="id of a block, present or former")]
Seq = Annotated[int, Path(ge=1, le=BIGGEST, description="number of a decision")]
Before = Annotated[int | None, Query(ge=0, le=BIGGEST, description="only decisions with smaller numbers")]
Json = dict[str, Any]


def _asked(request: Request, scope: Scope, token: str = "") -> Caller:
    """Tell who asks; whatever changes something and comes with a session must carry its token."""
    caller = allowed(request, scope)
    if caller.csrf and scope is not Scope.READ:
        check_form(request, caller, token)
    return caller


def _reviewer(caller: Caller, reason: str, key: str, flag: int | None = None, seen: str = "") -> Reviewer:
    return caller.base.as_person(caller.name).because(reason, key, flag, seen)


@api.get("/search", summary="Search the base", tags=["base"])
def search(
    request: Request,
    q: Annotated[str, Query(min_length=1, max_length=10_000, description="the question, in words")],
    k: Annotated[int, Query(ge=1, le=100)] = 10,
    collection: Annotated[list[str] | None, Query()] = None,
    document: Annotated[list[str] | None, Query()] = None,
    kind: Annotated[list[Kind] | None, Query()] = None,
    language: Annotated[list[str] | None, Query()] = None,
    since: Annotated[datetime | None, Query(description="with a time zone")] = None,
    tag: Annotated[list[str] | None, Query(description="only blocks with one of these tags")] = None,
) -> Json:
    """Give hits, best first, each with its twins under `also_in` and the parts of its score."""
    caller = _asked(request, Scope.READ)
    named = (tuple(collection or ()), tuple(document or ()), tuple(kind or ()), tuple(language or ()))
    filters = Filters(*named, since, tags=tuple(tag or ()))
    return search_json(caller.base.search(q, filters, k))


@api.get("/status", summary="How much the base holds", tags=["base"])
def status(request: Request) -> Json:
    """Give counts, seed metrics, counters and warnings."""
    return status_json(_asked(request, Scope.READ).base.status())


@api.get("/documents", summary="List documents", tags=["base"])
def documents(request: Request, collection: str | None = None) -> list[Json]:
    """Give the present documents of a collection, by name."""
    return [document_json(d) for d in _asked(request, Scope.READ).base.documents(collection)]


@api.post(
    "/documents", summary="Ingest a file", tags=["base"], status_code=201,
    responses={422: {"description": "nothing of it was taken; the report says why"}},
)  # fmt: skip
def ingest(
    request: Request,
    response: Response,
    file: Annotated[UploadFile, File(description="the document; its name tells its format")],
    name: Annotated[str, Query(max_length=1_000, description="name to keep it under; the file's by default")] = "",
    collection: str | None = None,
    tag: Annotated[list[str] | None, Query(description="tags, in place of former ones")] = None,
    token: Token = "",
) -> Json:
    """Ingest one file and say what became of it; 422 if all that it holds was refused, with why in the report."""
    caller = _asked(request, Scope.WRITE, token)
    content = file.file.read(caller.base.settings.max_source_mb * 1024 * 1024 + 1)
    known = name or PurePosixPath((file.filename or "upload").replace("\\", "/")).name
    report = caller.base.ingest([Source(known, lambda: content, tuple(tag or ()))], collection)
    told = ingest_json(report, (), [])
    refused = [d for d in told["documents"] if d["state"] == "refused"]
    if len(refused) < len(told["documents"]) or not refused:
        return told
    response.status_code = 422
    return {**told, "error": "SourceRefused", "message": f"{refused[0]['name']!r}: {refused[0]['detail']}"}


@api.delete("/documents", summary="Remove a document", tags=["base"])
def remove(request: Request, name: str, collection: str | None = None, token: Token = "") -> Json:
    """Remove a document, and with it what nothing else supports."""
    receipt = _asked(request, Scope.WRITE, token).base.remove(name, collection)
    return {"document_id": receipt.document_id, "n_removed": receipt.n_removed, "rev": receipt.rev}


@api.get("/blocks/{id}", summary="Give a block", tags=["blocks"])
def block(request: Request, id: BlockId) -> Json:
    """Give the block that an id stands for now, with everything that supports it."""
    return whole_block_json(current_block(_asked(request, Scope.READ).base.store, id))


@api.get("/blocks/{id}/why", summary="Give a block's whole history", tags=["blocks"])
def why(request: Request, id: BlockId) -> Json:
    """Tell where a block came from, what it absorbed, and every decision about it."""
    return account_json(_asked(request, Scope.READ).base.why(id))


@api.post("/blocks/{id}/split", summary="Take members out of a block", tags=["blocks"])
def split(request: Request, id: BlockId, body: Split, key: Key = "", token: Token = "") -> Json:
    """Take members out of a block into one of their own."""
    caller = _asked(request, Scope.REVIEW, token)
    return decision_json(_reviewer(caller, body.reason, key).split(id, body.leaving, body.edits))


@api.post("/blocks/{id}/edit", summary="Give a block another text", tags=["blocks"])
def edit(request: Request, id: BlockId, body: Edit, key: Key = "", token: Token = "") -> Json:
    """Give a block a text that a person wrote; the texts before stay in it."""
    caller = _asked(request, Scope.REVIEW, token)
    return decision_json(_reviewer(caller, body.reason, key).edit(id, body.text))


@api.post("/blocks/{id}/approve", summary="Say how far a block is approved", tags=["blocks"])
def approve(request: Request, id: BlockId, body: Approve, key: Key = "", token: Token = "") -> Json:
    """Say how far a block is approved; this lapses when its texts change."""
    caller = _asked(request, Scope.REVIEW, token)
    return decision_json(_reviewer(caller, body.reason, key).approve(id, body.approval))


@api.post("/blocks/{id}/own", summary="Say who answers for a block", tags=["blocks"])
def own(request: Request, id: BlockId, body: Own, key: Key = "", token: Token = "") -> Json:
    """Say who answers for a block."""
    caller = _asked(request, Scope.REVIEW, token)
    return decision_json(_reviewer(caller, body.reason, key).own(id, body.owner))


@api.post("/merges", summary="Make one block of two", tags=["blocks"])
def merge(request: Request, body: Merge, key: Key = "", token: Token = "") -> Json:
    """Make one block of two; nothing of either is lost."""
    caller = _asked(request, Scope.REVIEW, token)
    return decision_json(_reviewer(caller, body.reason, key).merge(body.a, body.b, body.keep))


@api.post("/apart", summary="Keep blocks apart, or say that they contradict each other", tags=["blocks"])
def apart(request: Request, body: Apart, key: Key = "", token: Token = "") -> Json:
    """Say that blocks are not the same; their texts are not asked about again."""
    reviewer = _reviewer(_asked(request, Scope.REVIEW, token), body.reason, key)
    said = reviewer.conflict if body.is_conflict else reviewer.keep_apart
    return decision_json(said(body.a, *body.others))


@api.get("/queue", summary="What waits for a person", tags=["review"])
def queue(
    request: Request,
    collection: Annotated[list[str] | None, Query()] = None,
    assignee: str = "",
    because: str = "",
    is_open: bool = True,
    order: Annotated[Literal["worth", "likely"], Query(description="likely: likeliest duplicates first")] = "worth",
    after_worth: Annotated[
        float | None, Query(allow_inf_nan=False, description="worth of the last pair before, or `place` if likely")
    ] = None,
    after_seq: Annotated[int | None, Query(ge=0, le=BIGGEST)] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> Json:
    """Give pairs by what a decision is worth or by how likely they are duplicates, and how many there are."""
    caller = _asked(request, Scope.READ)
    wanted = QueueFilter(tuple(collection or ()), assignee, because, is_open, order == "likely")
    after = (after_worth, after_seq) if after_worth is not None and after_seq is not None else None
    pairs = caller.base.queue(wanted, after, limit)
    told = [{**pair_json(p), "place": cursor(caller.base.base, wanted, p.flag)[0]} for p in pairs]
    return {"n": caller.base.store.ledger.n_flags(wanted), "pairs": told}


@api.get("/queue/{seq}", summary="A pair with everything that a decision needs", tags=["review"])
def pair(request: Request, seq: Seq, against: str = "") -> Json:
    """Give both blocks, their differing facts, the shortlist, and what merging would make of them."""
    return view_json(_asked(request, Scope.READ).base.pair(seq, against))


@api.post("/queue/{seq}", summary="Decide about a pair", tags=["review"])
def decide(request: Request, seq: Seq, body: RulingBody, key: Key = "", token: Token = "") -> Json:
    """Decide about a pair; an outdated `seen` is refused with 409."""
    caller = _asked(request, Scope.REVIEW, token)
    return decision_json(ruled(caller, seq, body, key))


@api.get("/decisions", summary="The log of decisions", tags=["review"])
def decisions(
    request: Request,
    verb: Annotated[list[Verb] | None, Query()] = None,
    before: Before = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> list[Json]:
    """Give decisions, newest first."""
    found = _asked(request, Scope.READ).base.decisions(tuple(verb or ()), before, limit)
    return [decision_json(d) for d in found]


@api.get("/settled", summary="What second opinions settled", tags=["review"])
def settled(request: Request, before: Before = None, limit: Annotated[int, Query(ge=1, le=500)] = 100) -> list[Json]:
    """Give merges and dismissals that an opinion brought about, newest first, taken back ones too."""
    found = second_opinions.settled_by_opinions(_asked(request, Scope.READ).base.base, limit, before)
    return [decision_json(d) for d in found]


@api.post("/decisions/{seq}/revert", summary="Take a decision back", tags=["review"])
def revert(request: Request, seq: Seq, body: Because, key: Key = "", token: Token = "") -> Json:
    """Take a decision back; blocks are as if it had never been made."""
    caller = _asked(request, Scope.REVIEW, token)
    return decision_json(_reviewer(caller, body.reason, key).revert(seq))


@api.post("/decisions/{seq}/audit", summary="Say whether an automatic merge was right", tags=["review"])
def audit(request: Request, seq: Seq, body: AuditRuling, key: Key = "", token: Token = "") -> Json:
    """Say whether an automatic merge was right; feeds the audit that may stop automatic merging."""
    caller = _asked(request, Scope.REVIEW, token)
    return decision_json(_reviewer(caller, body.reason, key).audit(seq, body.wrong))


def ruled(caller: Caller, seq: int, body: RulingBody, key: str) -> Decision:
    """Carry out what a reviewer decides about a flag.

    Raises:
        NotFoundError: there is no such flag.
        StaleWriteError: somebody decided in the meantime.
    """
    flag = caller.base.store.ledger.flag(seq)
    if flag is None:
        raise NotFoundError("flag", str(seq))
    reviewer = _reviewer(caller, body.reason, key, seq, body.seen)
    kept = body.against or flag.of
    if body.leave_out and body.verb != "merge":
        raise UsageError("leave_out goes with the verb merge only")
    if body.leave_out:
        return reviewer.merge_without(kept, flag.candidate, body.leave_out, body.keep)
    if body.verb == "merge":
        return reviewer.merge(kept, flag.candidate, body.keep)
    if body.verb == "dismiss":
        return _reviewer(caller, body.reason, key).dismiss(seq)
    if body.verb == "assign":
        return _reviewer(caller, body.reason, key).assign(seq, body.to)
    if body.verb == "conflict":
        return reviewer.conflict(flag.candidate, kept)
    blocks = caller.base.store.blocks([n.id for n in flag.near])
    rest = [id_ for id_ in blocks if id_ not in (kept, flag.candidate)]
    return reviewer.keep_apart(flag.candidate, kept, *dict.fromkeys(rest))
