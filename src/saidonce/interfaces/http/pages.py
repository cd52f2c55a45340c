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
"""Pairs given at once to a page that works through the queue by keys."""

VERBS_SAID = {
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


def _wanted(collection: str = "", assignee: str = "", because: str = "", order: str = "") -> QueueFilter:
    return QueueFilter((collection,) if collection else (), assignee, because, by_likelihood=order == LIKELY)


Wanted = Annotated[QueueFilter, Depends(_wanted)]
"""The part of the queue that somebody works through; it goes along from page to page."""

Reason = Annotated[str, Form(max_length=2_000)]
Key = Annotated[str, Form(max_length=180)]
"""Names a form that was sent; sent again, it is done once."""


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
        "verbs_said": VERBS_SAID,
        "may_review": caller is not None and caller.may(Scope.REVIEW),
    }
    return site.templates.TemplateResponse(request, name, {**common, **values}, status_code=status)


@pages.get("/")
def home() -> Response:
    """Begin with what waits."""
    return RedirectResponse("/queue", 303)


@pages.get("/queue")
def queue(request: Request, wanted: Wanted, after: str = "") -> Response:
    """List open pairs by what a decision is worth, or by likelihood."""
    caller = allowed(request, Scope.READ)
    pairs = caller.base.queue(wanted, _cursor(after), PAGE)
    last = review.cursor(caller.base.base, wanted, pairs[-1].flag) if len(pairs) == PAGE else None
    canonical = [c.name for c in caller.base.store.collections() if c.is_canonical]
    return render(
        request,
        caller,
        "queue.html",
        pairs=pairs,
        n=caller.base.store.ledger.n_flags(wanted),
        wanted=wanted,
        asked=_asked(wanted),
        collections=canonical,
        may_propose=any(review.proposes(caller.base.base, name) for name in canonical),
        after=f"{last[0]!r},{last[1]}" if last is not None else "",
    )


@pages.get("/queue/next")
def following(request: Request, wanted: Wanted, after: str = "") -> Response:
    """Give the next pairs as pieces of a page, for a reviewer who works by keys."""
    caller = allowed(request, Scope.REVIEW)
    flags = caller.base.store.ledger.queue(wanted, _cursor(after), AHEAD)
    shown = [found for flag in flags if (found := _shown(caller, wanted, flag.seq)) is not None]
    return render(request, caller, "pairs.html", shown=shown, asked=_asked(wanted))


@pages.get("/queue/bulk")
def bulk(
    request: Request, wanted: Wanted, proposed: Annotated[float | None, Query(ge=0, le=1, allow_inf_nan=False)] = None
) -> Response:
    """Show what merging all pairs without an objection would do, or those of them that are proposed."""
    caller = allowed(request, Scope.REVIEW)
    equals = review.equals(caller.base.base, wanted, proposed)
    return render(
        request, caller, "bulk.html", equals=equals.found, is_all=equals.is_all, asked=_asked(wanted),
        proposed=proposed, filters=_given(wanted),
    )  # fmt: skip


@pages.post("/queue/bulk")
def bulk_merge(
    request: Request,
    wanted: Wanted,
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
    back = _with("/queue", _asked(wanted))
    if typed.strip() != str(len(shown)) or not known:
        return render(
            request, caller, "message.html", 422, title="Nothing was merged",
            told=f"Type {len(shown)} to merge these {len(shown)} pairs; you typed {typed!r}.", back=back,
        )  # fmt: skip
    done = caller.base.as_person(caller.name).because(reason, key).merge_equals(known)
    told = f"{done.n_merged} pairs were merged" + (
        f"; {len(done.left)} were left, because they changed in the meantime." if done.left else "."
    )
    return render(request, caller, "message.html", title="Merged", told=told, back=back, left=done.left)


@pages.get("/queue/{seq}")
def pair(request: Request, seq: Seq, wanted: Wanted, against: str = "") -> Response:
    """Show one pair side by side."""
    caller = allowed(request, Scope.READ)
    view = caller.base.pair(seq, against)
    n_open = caller.base.store.ledger.n_flags(wanted)
    return render(request, caller, "pair.html", p=_marked(caller, wanted, view), n=n_open, asked=_asked(wanted))


@pages.post("/queue/{seq}")
def decide(
    request: Request,
    seq: Seq,
    wanted: Wanted,
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
    after = _next_page(caller, seq, wanted)
    if ruling == "skip":
        return RedirectResponse(after, 303)
    verb, _, keep = ruling.partition(":")
    leaving = leave_out if leave_out and verb == "merge" else []
    given = {"verb": verb, "keep": keep or "newest", "against": against, "to": to, "reason": reason, "seen": seen}
    try:
        body = RulingBody.model_validate({**given, "leave_out": leaving})
    except ValidationError as bad:
        first = bad.errors()[0]
        raise UsageError(f"{first['loc'][0]}: {first['msg']}") from None
    decision = ruled(caller, seq, body, key)
    if wants == "json":
        undo = secrets.token_urlsafe(16)
        return JSONResponse({"seq": decision.seq, "said": VERBS_SAID[decision.verb], "undo": undo})
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
    """Take a decision back."""
    caller = allowed(request, Scope.REVIEW)
    check_form(request, caller, csrf)
    target = caller.base.store.ledger.decision(seq)
    decision = caller.base.as_person(caller.name).because(reason, key).revert(seq)
    if wants == "json":
        flag = target.flag if target is not None else None
        return JSONResponse({"seq": decision.seq, "said": "Taken back", "flag": flag})
    return RedirectResponse(_with(_own_path(back), f"done={decision.seq}"), 303)


def _shown(caller: Caller, wanted: QueueFilter, seq: int) -> PairPage | None:
    try:
        return _marked(caller, wanted, caller.base.pair(seq))
    except NotFoundError:
        return None


def _marked(caller: Caller, wanted: QueueFilter, view: PairView) -> PairPage:
    runs_a, runs_b = marked(view.kept.text, view.candidate.text, view.objections)
    place, _ = review.cursor(caller.base.base, wanted, view.flag)
    return PairPage(view, runs_a, runs_b, secrets.token_urlsafe(16), place)


def _next_page(caller: Caller, seq: int, wanted: QueueFilter) -> str:
    """The pair that follows in this part of the queue, or its end."""
    flag = caller.base.store.ledger.flag(seq)
    after = review.cursor(caller.base.base, wanted, flag) if flag is not None else None
    following = caller.base.store.ledger.queue(wanted, after, 1)
    return _with(f"/queue/{following[0].seq}" if following else "/queue", _asked(wanted))


def _asked(wanted: QueueFilter) -> str:
    """A filter as the query of an address; empty if it does not restrict."""
    return urlencode(_given(wanted))


def _given(wanted: QueueFilter) -> list[tuple[str, str]]:
    """What a filter restricts, and its order if it is not the usual one, as fields of a form."""
    given = {"collection": "".join(wanted.collections), "because": wanted.because, "assignee": wanted.assignee}
    given["order"] = LIKELY if wanted.by_likelihood else ""
    return [(name, value) for name, value in given.items() if value]


def _with(path: str, query: str) -> str:
    return f"{path}{'&' if '?' in path else '?'}{query}" if query else path


def _cursor(after: str) -> tuple[float, int] | None:
    worth, _, seq = after.partition(",")
    try:
        found, number = float(worth), number_in(seq)
    except ValueError:
        return None
    return (found, number) if number is not None and math.isfinite(found) else None


def _own_path(path: str) -> str:
    """A path on this server, whatever a form says."""
    return path if path.startswith("/") and not path.startswith(("//", "/\\")) else "/queue"
