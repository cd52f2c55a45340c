"""The pages of blocks: search, and one block with its history and what may be decided about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Form, HTTPException, Request, Response
from fastapi.responses import RedirectResponse

from saidonce.errors import UsageError
from saidonce.foundation import text
from saidonce.foundation.model import Approval, Block, Copies, Decision, Filters, Scope, Verb
from saidonce.interfaces.http.documents import found_in
from saidonce.interfaces.http.evidence import evidence_of
from saidonce.interfaces.http.pages import Key, Reason, render
from saidonce.interfaces.http.site import MAY_LAG, Caller, authorise, check_form
from saidonce.kb import review

blocks = APIRouter(include_in_schema=False)

NAMING = frozenset({Verb.MERGE, Verb.KEEP_APART, Verb.CONFLICT, Verb.SPLIT})
"""Verbs of people in whose history the other blocks are named."""


@blocks.get("/search", dependencies=MAY_LAG)
def search(request: Request, q: str = "", collection: str = "", k: int = 10) -> Response:
    """Search; show hits with the query's words marked, and the places that repeat a hit."""
    caller = authorise(request, Scope.READ)
    report = None
    words: list[str] = []
    conflicts: dict[str, tuple[Block, ...]] = {}
    if q.strip():
        filters = Filters((collection,) if collection else ())
        report = caller.base.search(q[:10_000], filters, max(1, min(k, 50)))
        words = [*text.terms(" ".join((q, *report.corrected.values())))]
        conflicts = review.conflicts(caller.base.store, [hit.block for hit in report.hits])
    return render(
        request, caller, "search.html", q=q, report=report, hits=report.hits if report else (), conflicts=conflicts,
        collection=collection, words=words, found_in=found_in(report) if report else {},
        collections=[c.name for c in caller.base.store.collections()],
    )  # fmt: skip


@blocks.get("/blocks/{id}", dependencies=MAY_LAG)
def block(request: Request, id: str, at: float | None = None) -> Response:
    """Show a block, what supports it, and every decision about it; a recording is played from a line's second."""
    caller = authorise(request, Scope.READ)
    account = caller.base.why(id)
    store = caller.base.store
    members = store.ledger.members(list(account.block.members)) if account.block is not None else {}
    conflicts = review.conflicts(store, [account.block]) if account.block is not None else {}
    named = {d.seq: _other_ids(d, account.id) for d in account.decisions if d.verb in NAMING and not d.detail.near}
    return render(
        request, caller, "block.html", account=account, block=account.block, members=members,
        approvals=list(Approval), has_copies=len({m.segment.content_hash for m in members.values()}) < len(members),
        copies=_splits(account.decisions), conflicts=[b for others in conflicts.values() for b in others], named=named,
        evidence=evidence_of(store, account.histories, at),
    )  # fmt: skip


@blocks.post("/blocks/{id}/{verb}")
def change(
    request: Request,
    id: str,
    verb: str,
    csrf: Annotated[str, Form()],
    key: Key = "",
    leaving: Annotated[list[str] | None, Form()] = None,
    edits: Annotated[str, Form()] = "",
    copies: Annotated[str, Form()] = "",
    written: Annotated[str, Form(max_length=100_000)] = "",
    approval: Annotated[str, Form()] = "",
    owner: Annotated[str, Form(max_length=200)] = "",
    reason: Reason = "",
) -> Response:
    """Split, edit, approve or own a block."""
    caller = authorise(request, Scope.REVIEW)
    check_form(request, caller, csrf)
    reviewer = caller.base.as_person(caller.name).because(reason, key)
    match verb:
        case "split":
            if copies not in ("", *Copies):
                raise UsageError(f"copies must be one of {', '.join(Copies)}, not {copies[:40]!r}")
            decision = reviewer.split(id, leaving or [], edits, _copies(caller, id, leaving or [], copies))
        case "edit":
            decision = reviewer.edit(id, written)
        case "approve":
            if approval not in list(Approval):
                raise UsageError(f"approval must be one of {', '.join(Approval)}, not {approval[:40]!r}")
            decision = reviewer.approve(id, approval)
        case "own":
            decision = reviewer.own(id, owner)
        case _:
            raise HTTPException(404)
    return RedirectResponse(f"/blocks/{id}?done={decision.seq}", 303)


COPY_WORDS = {
    Copies.ASK: "waits in the queue",
    Copies.STAY: "joins the texts that stayed",
    Copies.GO: "joins the texts that were split out",
    Copies.ALONE: "gets a block of its own",
}
"""What happens to a later copy of a text that was split."""


def _splits(decisions: Sequence[Decision]) -> list[str]:
    """Return what live splits of equal texts say about later copies, newest first."""
    live = [d for d in reversed(decisions) if d.verb is Verb.SPLIT and d.live and d.detail.copies is not None]
    return [COPY_WORDS[d.detail.copies] for d in live if d.detail.copies is not None][:1]


def _copies(caller: Caller, id: str, leaving: list[str], copies: str) -> Copies | None:
    """Return where later copies go, if some text stands on both sides of a split; the form asks in any case."""
    members = caller.base.store.ledger.members(list(review.current_block(caller.base.store, id).members))
    sides = [{m.segment.content_hash for n, m in members.items() if (n in leaving) is going} for going in (True, False)]
    return Copies(copies) if copies and sides[0] & sides[1] else None


def _other_ids(decision: Decision, id: str) -> tuple[str, ...]:
    """Return the other ids that a decision names."""
    return tuple(m for m in dict.fromkeys(decision.members) if m != id)
