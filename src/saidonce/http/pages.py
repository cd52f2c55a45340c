"""The review pages: the queue, one pair, and what follows a decision."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse

from saidonce.differences import Run, marked
from saidonce.errors import NotFoundError
from saidonce.http.api import ruled
from saidonce.http.shapes import Ruling
from saidonce.http.site import Caller, allowed, check_form, site_of
from saidonce.model import Decision, Scope
from saidonce.ports import QueueFilter
from saidonce.review import PairView

pages = APIRouter(include_in_schema=False)

PAGE = 50
AHEAD = 8
"""Pairs given at once to a page that works through the queue by keys."""

BULK = 500

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


@dataclass(frozen=True, slots=True)
class Shown:
    """A pair as its page shows it; `a` is the kept block, `b` the candidate."""

    view: PairView
    runs_a: tuple[Run, ...]
    runs_b: tuple[Run, ...]
    key: str


def render(request: Request, caller: Caller | None, name: str, status: int = 200, **values: Any) -> HTMLResponse:
    """Render a template with what every page needs."""
    site = site_of(request)
    done: Decision | None = None
    if caller is not None and (seq := request.query_params.get("done", "")).isdecimal():
        done = caller.base.store.ledger.decision(int(seq))
    common = {
        "caller": caller,
        "local": site.local,
        "csrf": caller.csrf if caller is not None else "",
        "done": done,
        "verbs_said": VERBS_SAID,
        "may_review": caller is not None and caller.may(Scope.REVIEW),
    }
    return site.templates.TemplateResponse(request, name, {**common, **values}, status_code=status)


@pages.get("/")
def home() -> Response:
    """Begin with what waits."""
    return RedirectResponse("/queue", 303)


@pages.get("/queue")
def queue(
    request: Request,
    collection: str = "",
    assignee: str = "",
    because: str = "",
    after: str = "",
) -> Response:
    """List open pairs by what a decision is worth."""
    caller = allowed(request, Scope.READ)
    wanted = _filter(collection, assignee, because)
    pairs = caller.base.queue(wanted, _cursor(after), PAGE)
    last = pairs[-1].flag if len(pairs) == PAGE else None
    return render(
        request,
        caller,
        "queue.html",
        pairs=pairs,
        n=caller.base.store.ledger.n_flags(wanted),
        wanted=wanted,
        collections=[c.name for c in caller.base.store.collections() if c.is_canonical],
        after=f"{last.worth!r},{last.seq}" if last is not None else "",
    )


@pages.get("/queue/next")
def following(
    request: Request, after: str = "", collection: str = "", assignee: str = "", because: str = ""
) -> Response:
    """Give the next pairs as pieces of a page, for a reviewer who works by keys."""
    caller = allowed(request, Scope.REVIEW)
    wanted = _filter(collection, assignee, because)
    flags = caller.base.store.ledger.queue(wanted, _cursor(after), AHEAD)
    shown = [found for flag in flags if (found := _shown(caller, flag.seq)) is not None]
    return render(request, caller, "pairs.html", shown=shown)


@pages.get("/queue/bulk")
def bulk(request: Request, collection: str = "", assignee: str = "", because: str = "") -> Response:
    """Show what merging all pairs without an objection would do."""
    caller = allowed(request, Scope.REVIEW)
    wanted = _filter(collection, assignee, because)
    equals = _equals(caller, wanted)
    return render(request, caller, "bulk.html", pairs=equals, wanted=wanted, limit=BULK)


@pages.post("/queue/bulk")
def bulk_merge(
    request: Request,
    csrf: Annotated[str, Form()],
    typed: Annotated[str, Form()] = "",
    flags: Annotated[list[int] | None, Form()] = None,
) -> Response:
    """Merge the pairs that were shown, if their number was typed."""
    caller = allowed(request, Scope.REVIEW)
    check_form(request, caller, csrf)
    wanted = list(dict.fromkeys(flags or []))
    if typed.strip() != str(len(wanted)) or not wanted:
        return render(
            request, caller, "message.html", 422, title="Nothing was merged",
            told=f"Type {len(wanted)} to merge these {len(wanted)} pairs; you typed {typed!r}.", back="/queue",
        )  # fmt: skip
    done, left = 0, 0
    for seq in wanted:
        try:
            ruled(caller, seq, Ruling(verb="merge"), "")
            done += 1
        except (NotFoundError, ValueError, OSError):
            left += 1
    told = f"{done} pairs were merged" + (f"; {left} were decided about in the meantime." if left else ".")
    return render(request, caller, "message.html", title="Merged", told=told, back="/queue")


@pages.get("/queue/{seq}")
def pair(request: Request, seq: int, against: str = "") -> Response:
    """Show one pair side by side."""
    caller = allowed(request, Scope.READ)
    view = caller.base.pair(seq, against)
    return render(request, caller, "pair.html", p=_marked(view), n=caller.base.store.ledger.n_flags(QueueFilter()))


@pages.post("/queue/{seq}")
def decide(
    request: Request,
    seq: int,
    csrf: Annotated[str, Form()],
    ruling: Annotated[str, Form(description="a verb, or merge:a, merge:b, merge:newest")],
    seen: Annotated[str, Form()] = "",
    key: Annotated[str, Form(max_length=200)] = "",
    against: Annotated[str, Form()] = "",
    to: Annotated[str, Form()] = "",
    reason: Annotated[str, Form(max_length=2_000)] = "",
    leave_out: Annotated[list[str] | None, Form()] = None,
    wants: Annotated[str, Query(description="json for our own script")] = "",
) -> Response:
    """Carry out a decision about a pair, and show the next one."""
    caller = allowed(request, Scope.REVIEW)
    check_form(request, caller, csrf)
    if ruling == "skip":
        return RedirectResponse(_next_page(caller, seq), 303)
    verb, _, keep = ruling.partition(":")
    body = Ruling(verb=verb, keep=keep or "newest", against=against, to=to, reason=reason, seen=seen)  # type: ignore[arg-type]
    if leave_out and body.verb == "merge":
        _leave_out(caller, body, leave_out, seq)
    after = _next_page(caller, seq)
    decision = ruled(caller, seq, body, key)
    if wants == "json":
        return JSONResponse({"seq": decision.seq, "said": VERBS_SAID[decision.verb]})
    return RedirectResponse(f"{after}{'&' if '?' in after else '?'}done={decision.seq}", 303)


@pages.post("/decisions/{seq}/revert")
def revert(
    request: Request,
    seq: int,
    csrf: Annotated[str, Form()],
    back: Annotated[str, Form()] = "/queue",
    wants: Annotated[str, Query()] = "",
) -> Response:
    """Take a decision back."""
    caller = allowed(request, Scope.REVIEW)
    check_form(request, caller, csrf)
    target = caller.base.store.ledger.decision(seq)
    decision = caller.base.as_person(caller.name).revert(seq)
    if wants == "json":
        flag = target.flag if target is not None else None
        return JSONResponse({"seq": decision.seq, "said": "Taken back", "flag": flag})
    return RedirectResponse(f"{_own_path(back)}?done={decision.seq}", 303)


def _leave_out(caller: Caller, body: Ruling, leaving: list[str], seq: int) -> None:
    """Take texts out of the kept block before the candidate joins it."""
    flag = caller.base.store.ledger.flag(seq)
    kept = body.against or (flag.of if flag is not None else "")
    caller.base.as_person(caller.name).because(body.reason, seen="").split(kept, leaving, "stay")
    body.seen = ""


def _shown(caller: Caller, seq: int) -> Shown | None:
    try:
        return _marked(caller.base.pair(seq))
    except NotFoundError:
        return None


def _marked(view: PairView) -> Shown:
    runs_a, runs_b = marked(view.kept.text, view.candidate.text, view.objections)
    return Shown(view, runs_a, runs_b, secrets.token_urlsafe(16))


def _equals(caller: Caller, wanted: QueueFilter) -> list[Any]:
    pairs = caller.base.queue(wanted, None, BULK)
    return [p for p in pairs if p.flag.near and not p.flag.near[0].objections]


def _next_page(caller: Caller, seq: int) -> str:
    """The pair that follows in the queue, or the queue's end."""
    flag = caller.base.store.ledger.flag(seq)
    after = (flag.worth, flag.seq) if flag is not None else None
    following = caller.base.store.ledger.queue(QueueFilter(), after, 1)
    return f"/queue/{following[0].seq}" if following else "/queue"


def _filter(collection: str, assignee: str, because: str) -> QueueFilter:
    return QueueFilter((collection,) if collection else (), assignee, because)


def _cursor(after: str) -> tuple[float, int] | None:
    worth, _, seq = after.partition(",")
    try:
        return float(worth), int(seq)
    except ValueError:
        return None


def _own_path(path: str) -> str:
    """A path on this server, whatever a form says."""
    return path if path.startswith("/") and not path.startswith(("//", "/\\")) and "?" not in path else "/queue"
