"""The review pages: the queue, one pair, and what follows a decision."""

from __future__ import annotations

import math
import secrets
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Form, Query, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse
from pydantic import ValidationError

from saidonce.errors import NotFoundError, UsageError
from saidonce.foundation.model import Decision, Scope
from saidonce.foundation.ports import QueueFilter
from saidonce.interfaces.http.api import ruled
from saidonce.interfaces.http.callers import Seq
from saidonce.interfaces.http.schemas import RulingBody
from saidonce.interfaces.http.site import Caller, allowed, check_form, number_in, site_of
from saidonce.kb import review
from saidonce.kb.review import PairView
from saidonce.matching.diff import DiffRun, marked

pages = APIRouter(include_in_schema=False)

PAGE = 50
LIKELY = "likely"
"""Order of a queue in which the likeliest duplicates stand first."""

AHEAD = 8
"""Pairs sent at once to a page that is worked through by keys."""

VERB_LABELS = {
    "merge": "Merged",
    "keep_apart": "Kept both",
    "conflict": "Marked as a conflict",
    "dismiss": "Dismissed",
    "assign": "Assigned",
    "split": "Split",
    "edit": "Edited",
    "approve": "Approval set",
    "own": "Owner set",
    "audit": "Audited",
    "revert": "Taken back",
    "flag": "Flagged",
}


def _part(collection: str = "", assignee: str = "", because: str = "", order: str = "") -> QueueFilter:
    return QueueFilter((collection,) if collection else (), assignee, because, by_likelihood=order == LIKELY)


QueuePart = Annotated[QueueFilter, Depends(_part)]
"""The part of the queue worked through; it goes along from page to page."""

Reason = Annotated[str, Form(max_length=2_000)]
Key = Annotated[str, Form(max_length=180)]
"""Idempotency key of a form."""


@dataclass(frozen=True, slots=True)
class PairPage:
    """A pair as its page shows it; `a` is the kept block, `b` the candidate; `place` is its place in the queue."""

    view: PairView
    runs_a: tuple[DiffRun, ...]
    runs_b: tuple[DiffRun, ...]
    key: str
    place: float


def render(request: Request, caller: Caller | None, name: str, status: int = 200, **values: Any) -> HTMLResponse:
    """Render a template with what every page needs."""
    site = site_of(request)
    done: Decision | None = None
    if caller is not None and (seq := number_in(request.query_params.get("done", ""))) is not None:
        done = caller.base.store.ledger.decision(seq)
    here = [(name, value) for name, value in request.query_params.multi_items() if name != "done"]
    common = {
        "caller": caller,
        "local": site.local,
        "csrf": caller.csrf if caller is not None else "",
        "done": done,
        "here": request.url.path + (f"?{urlencode(here)}" if here else ""),
        "key": secrets.token_urlsafe(16),
        "verb_labels": VERB_LABELS,
        "may_see_residents": caller is not None and site.repairs.is_on and caller.may(Scope.RESIDENTS),
        "may_administer": caller is not None and caller.may(Scope.ADMIN),
        "may_review": caller is not None and caller.may(Scope.REVIEW),
    }
    return site.templates.TemplateResponse(request, name, {**common, **values}, status_code=status)


@pages.get("/")
def home() -> Response:
    """Begin with what waits."""
    return RedirectResponse("/queue", 303)


@pages.get("/queue")
def queue(request: Request, part: QueuePart, after: str = "") -> Response:
    """List open pairs by what a decision is worth, or by likelihood."""
    caller = allowed(request, Scope.READ)
    pairs = caller.base.queue(part, _cursor(after), PAGE)
    last = review.cursor(caller.base.base, part, pairs[-1].flag) if len(pairs) == PAGE else None
    canonical = [c.name for c in caller.base.store.collections() if c.is_canonical]
    return render(
        request,
        caller,
        "queue.html",
        pairs=pairs,
        n=caller.base.store.ledger.n_flags(part),
        part=part,
        query=_query(part),
        collections=canonical,
        may_propose=any(review.proposes(caller.base.base, name) for name in canonical),
        after=f"{last[0]!r},{last[1]}" if last is not None else "",
    )


@pages.get("/queue/next")
def following(request: Request, part: QueuePart, after: str = "") -> Response:
    """Return the next pairs as pieces of a page, for review by keys."""
    caller = allowed(request, Scope.REVIEW)
    flags = caller.base.store.ledger.queue(part, _cursor(after), AHEAD)
    shown = [page for flag in flags if (page := _shown(caller, part, flag.seq)) is not None]
    return render(request, caller, "pairs.html", shown=shown, query=_query(part))


@pages.get("/queue/bulk")
def bulk(
    request: Request, part: QueuePart, proposed: Annotated[float | None, Query(ge=0, le=1, allow_inf_nan=False)] = None
) -> Response:
    """Show what merging all pairs without an objection would do, or those of them that are proposed."""
    caller = allowed(request, Scope.REVIEW)
    equals = review.mergeable_pairs(caller.base.base, part, proposed)
    return render(
        request, caller, "bulk.html", equals=equals.pairs, is_all=equals.is_all, query=_query(part),
        proposed=proposed, filters=_fields(part),
    )  # fmt: skip


@pages.post("/queue/bulk")
def bulk_merge(
    request: Request,
    part: QueuePart,
    csrf: Annotated[str, Form()],
    typed: Annotated[str, Form()] = "",
    pairs: Annotated[list[str] | None, Form(description="numbers of flags, each with its state after a colon")] = None,
    key: Key = "",
    reason: Reason = "",
) -> Response:
    """Merge the pairs that were shown, if their number was typed."""
    caller = allowed(request, Scope.REVIEW)
    check_form(request, caller, csrf)
    shown = [(number_in(seq), seen) for seq, _, seen in (pair.partition(":") for pair in dict.fromkeys(pairs or []))]
    known = [(seq, seen) for seq, seen in shown if seq is not None]
    back = _with("/queue", _query(part))
    if typed.strip() != str(len(shown)) or not known:
        return render(
            request, caller, "message.html", 422, title="Nothing was merged",
            message=f"Type {len(shown)} to merge these {len(shown)} pairs; you typed {typed!r}.", back=back,
        )  # fmt: skip
    done = caller.base.as_person(caller.name).because(reason, key).merge_equals(known)
    message = f"{done.n_merged} pairs were merged" + (
        f"; {len(done.left)} were left, because they changed in the meantime." if done.left else "."
    )
    return render(request, caller, "message.html", title="Merged", message=message, back=back, left=done.left)


@pages.get("/queue/{seq}")
def pair(request: Request, seq: Seq, part: QueuePart, against: str = "") -> Response:
    """Show one pair side by side."""
    caller = allowed(request, Scope.READ)
    view = caller.base.pair(seq, against)
    n_open = caller.base.store.ledger.n_flags(part)
    return render(request, caller, "pair.html", p=_marked(caller, part, view), n=n_open, query=_query(part))


@pages.post("/queue/{seq}")
def decide(
    request: Request,
    seq: Seq,
    part: QueuePart,
    csrf: Annotated[str, Form()],
    ruling: Annotated[str, Form(description="a verb, or merge:a, merge:b, merge:newest")],
    seen: Annotated[str, Form()] = "",
    key: Key = "",
    against: Annotated[str, Form()] = "",
    to: Annotated[str, Form()] = "",
    reason: Reason = "",
    leave_out: Annotated[list[str] | None, Form()] = None,
    wants: Annotated[str, Query(description="json for our own script")] = "",
) -> Response:
    """Carry out a decision about a pair, and show the next one."""
    caller = allowed(request, Scope.REVIEW)
    check_form(request, caller, csrf)
    after = _next_page(caller, seq, part)
    if ruling == "skip":
        return RedirectResponse(after, 303)
    verb, _, keep = ruling.partition(":")
    leaving = leave_out if leave_out and verb == "merge" else []
    fields = {"verb": verb, "keep": keep or "newest", "against": against, "to": to, "reason": reason, "seen": seen}
    try:
        body = RulingBody.model_validate({**fields, "leave_out": leaving})
    except ValidationError as bad:
        first = bad.errors()[0]
        raise UsageError(f"{first['loc'][0]}: {first['msg']}") from None
    decision = ruled(caller, seq, body, key)
    if wants == "json":
        undo = secrets.token_urlsafe(16)
        return JSONResponse({"seq": decision.seq, "label": VERB_LABELS[decision.verb], "undo": undo})
    return RedirectResponse(_with(after, f"done={decision.seq}"), 303)


@pages.post("/decisions/{seq}/revert")
def revert(
    request: Request,
    seq: Seq,
    csrf: Annotated[str, Form()],
    back: Annotated[str, Form()] = "/queue",
    key: Key = "",
    reason: Reason = "",
    wants: Annotated[str, Query()] = "",
) -> Response:
    """Revert a decision."""
    caller = allowed(request, Scope.REVIEW)
    check_form(request, caller, csrf)
    target = caller.base.store.ledger.decision(seq)
    decision = caller.base.as_person(caller.name).because(reason, key).revert(seq)
    if wants == "json":
        flag = target.flag if target is not None else None
        return JSONResponse({"seq": decision.seq, "label": "Taken back", "flag": flag})
    return RedirectResponse(_with(_own_path(back), f"done={decision.seq}"), 303)


def _shown(caller: Caller, part: QueueFilter, seq: int) -> PairPage | None:
    try:
        return _marked(caller, part, caller.base.pair(seq))
    except NotFoundError:
        return None


def _marked(caller: Caller, part: QueueFilter, view: PairView) -> PairPage:
    runs_a, runs_b = marked(view.kept.text, view.candidate.text, view.objections)
    place, _ = review.cursor(caller.base.base, part, view.flag)
    return PairPage(view, runs_a, runs_b, secrets.token_urlsafe(16), place)


def _next_page(caller: Caller, seq: int, part: QueueFilter) -> str:
    """Return the page of the next pair in this part of the queue, or its end."""
    flag = caller.base.store.ledger.flag(seq)
    after = review.cursor(caller.base.base, part, flag) if flag is not None else None
    following = caller.base.store.ledger.queue(part, after, 1)
    return _with(f"/queue/{following[0].seq}" if following else "/queue", _query(part))


def _query(part: QueueFilter) -> str:
    """Return a filter as a URL's query; empty if it does not restrict."""
    return urlencode(_fields(part))


def _fields(part: QueueFilter) -> list[tuple[str, str]]:
    """Return a filter's restrictions, and its order if not the usual one, as form fields."""
    fields = {"collection": "".join(part.collections), "because": part.because, "assignee": part.assignee}
    fields["order"] = LIKELY if part.by_likelihood else ""
    return [(name, value) for name, value in fields.items() if value]


def _with(path: str, query: str) -> str:
    return f"{path}{'&' if '?' in path else '?'}{query}" if query else path


def _cursor(after: str) -> tuple[float, int] | None:
    worth, _, seq = after.partition(",")
    try:
        place, number = float(worth), number_in(seq)
    except ValueError:
        return None
    return (place, number) if number is not None and math.isfinite(place) else None


def _own_path(path: str) -> str:
    """Return a path on this server, whatever a form holds."""
    return path if path.startswith("/") and not path.startswith(("//", "/\\")) else "/queue"
