"""The feed of automatic merges and flags, with audits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import RedirectResponse

from saidonce.foundation.model import Block, Decision, Scope, Verb
from saidonce.foundation.ports import Store
from saidonce.interfaces.http.callers import Before, Seq
from saidonce.interfaces.http.pages import Key, Reason, own_path, render, with_query
from saidonce.interfaces.http.site import MAY_LAG, authorise, check_form
from saidonce.platform import notifications

feed = APIRouter(include_in_schema=False)

PAGE = 50


@feed.get("/feed", dependencies=MAY_LAG)
def page(request: Request, before: Before = None, mine: bool = False) -> Response:
    """Show automatic merges and flags, newest first, each with one-click split."""
    caller = authorise(request, Scope.READ)
    store = caller.base.store
    shown = notifications.feed(caller.base.base, caller.name if mine else "", before, PAGE)
    rows = _with_blocks(store, shown.decisions)
    audited = {d.flag for d in store.ledger.rulings_on([d.seq for d in shown.decisions]) if d.verb is Verb.AUDIT}
    return render(request, caller, "feed.html", rows=rows, before=shown.before, mine=mine, audited=audited)


@feed.post("/decisions/{seq}/audit")
def audit(
    request: Request,
    seq: Seq,
    csrf: Annotated[str, Form()],
    wrong: Annotated[
        str,
        Form(description="yes: split the automatic merge at once; note: only record that it is wrong; no: it is right"),
    ],
    back: Annotated[str, Form()] = "/feed",
    key: Key = "",
    reason: Reason = "",
) -> Response:
    """Record whether an automatic merge was right; a wrong one is split at once."""
    caller = authorise(request, Scope.REVIEW)
    check_form(request, caller, csrf)
    reviewer = caller.base.as_person(caller.name).because(reason, key)
    decision = reviewer.disown(seq) if wrong == "yes" else reviewer.audit(seq, wrong == "note")
    return RedirectResponse(with_query(own_path(back), f"done={decision.seq}"), 303)


def _with_blocks(store: Store, decisions: Sequence[Decision]) -> list[tuple[Decision, Block | None]]:
    """Return decisions, each with the block that its candidate is in now."""
    members = store.ledger.members([d.members[0] for d in decisions])
    blocks = store.blocks(sorted({m.block_id for m in members.values()} - {""}))
    where = {id_: m.block_id for id_, m in members.items()}
    return [(d, blocks.get(where.get(d.members[0], ""))) for d in decisions]
