"""The review pages: the queue, one pair, and what follows a decision."""

from __future__ import annotations

import math
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Form, Query, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse
from pydantic import ValidationError

from saidonce.errors import NotFoundError, UsageError
from saidonce.foundation.model import SCOPES_OF, Pair, Scope, Verb
from saidonce.foundation.ports import QueueFilter
from saidonce.interfaces.http.api import decide_flag
from saidonce.interfaces.http.callers import Seq
from saidonce.interfaces.http.schemas import RulingBody
from saidonce.interfaces.http.site import Caller, authorise, check_form, number_in, site_of
from saidonce.interfaces.views.malformed import in_words
from saidonce.kb import review
from saidonce.kb.review import PairView
from saidonce.matching.diff import DiffRun, marked

pages = APIRouter(include_in_schema=False)

SERVER_FAILED = 500
"""Status from which a page says that the server failed."""

PAGE = 200
MOST_DOCUMENTS = 30
"""Pairs of documents that the queue names; the others are counted."""
MOST_CHANGES = 10
"""Changes that the queue names."""
LIKELY, JUDGE, WORTH = "likely", "judge", "worth"
"""Orders of a queue: by second opinions, by the equivalence judge, by what a decision is worth."""

AHEAD = 8
"""Pairs sent at once to a page that is worked through by keys."""


def _part(
    collection: str = "",
    assignee: str = "",
    because: str = "",
    order: str = "",
    differs: str = "",
    documents: Annotated[list[str] | None, Query(max_length=2)] = None,
) -> review.QueuePart:
    kind = review.Differs(differs) if differs in set(review.Differs) else None
    names = tuple(sorted(documents or ()))
    filters = QueueFilter((collection,) if collection else (), assignee, because, by_likelihood=order == LIKELY)
    return review.QueuePart(filters, kind, names * 2 if len(names) == 1 else names, by_judge=order == JUDGE)


def _chosen(part: Annotated[review.QueuePart, Depends(_part)], change: str = "") -> review.QueuePart:
    return replace(part, change=change)


ChosenPart = Annotated[review.QueuePart, Depends(_chosen)]
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
    number = request.query_params.get("done", "") if status < SERVER_FAILED else ""  # the database may be away
    done = _done_note(caller, number) if caller is not None else None
    here = [(name, value) for name, value in request.query_params.multi_items() if name != "done"]
    common = {
        "caller": caller,
        "local": site.local,
        "csrf": caller.csrf if caller is not None else "",
        "done": done,
        "here": request.url.path + (f"?{urlencode(here)}" if here else ""),
        "key": secrets.token_urlsafe(16),
        "verb_labels": review.VERB_LABELS,
        "may_see_residents": caller is not None and site.repairs.is_on and caller.may(Scope.RESIDENTS),
        "may_administer": caller is not None and caller.may(Scope.ADMIN),
        "may_review": caller is not None and caller.may(Scope.REVIEW),
        "replica": site.base.store.replica() if getattr(request.state, "may_lag", False) else None,
    }
    return site.templates.TemplateResponse(request, name, {**common, **values}, status_code=status)


@dataclass(frozen=True, slots=True)
class DoneNote:
    """What was just done, in words, with the rule that it suggests."""

    seq: int
    words: str
    offer: review.RuleOffer | None
    offer_url: str


def _done_note(caller: Caller, number: str) -> DoneNote | None:
    seq = number_in(number)
    decision = caller.base.store.ledger.decision(seq) if seq is not None else None
    if decision is None:
        return None
    (account,) = review.accounts(caller.base.base, [decision])
    offer = review.rule_offer(caller.base.base, decision) if decision.actor == caller.name else None
    return DoneNote(decision.seq, account.what, offer, rule_url(offer) if offer is not None else "")


@pages.get("/queue")
def queue(request: Request, part: ChosenPart, after: str = "", order: str = "") -> Response:
    """List open pairs by kind of difference, by documents and by change, likeliest repeats first or as chosen."""
    caller = authorise(request, Scope.READ)
    base = caller.base.base
    n_all = caller.base.store.ledger.n_flags(part.queue)
    if not order and n_all <= review.MOST_GROUPED:
        part = replace(part, by_judge=True)
    whole = review.list_pairs(base, replace(part, differs=None, documents=(), change=""))
    chosen = [g for g in whole.pairs if part.has(g)]
    entries = review.entries(chosen, part)
    shown = entries[_start(entries, after) :][:PAGE]
    by_kind, _ = review.groups(_narrowed(whole, replace(part, differs=None)))
    _, by_documents = review.groups(_narrowed(whole, replace(part, documents=())))
    by_change = review.changes(_narrowed(whole, replace(part, change="")))
    canonical = [c.name for c in caller.base.store.collections() if c.is_canonical]
    last = shown[-1].first if shown and shown[-1] is not entries[-1] else None
    return render(
        request, caller, "queue.html", entries=shown, n=len(chosen), n_entries=len(entries), n_all=n_all,
        is_all=whole.is_all, part=part, query=query_of(part), collections=canonical, by_kind=by_kind,
        by_documents=by_documents[:MOST_DOCUMENTS], by_change=by_change[:MOST_CHANGES], n_documents=len(by_documents),
        labels=review.LABELS, people=assignable(caller), narrowed=_links(part),
        due=due_days(caller, [e.first.pair.flag.seq for e in shown]),
        mine=next(iter(review.throughput(base, caller.name)), None),
        may_propose=any(review.proposes(base, name) for name in canonical),
        after=f"{last.place!r},{last.pair.flag.seq}" if last is not None else "",
    )  # fmt: skip


@pages.get("/queue/next")
def following(request: Request, part: ChosenPart, after: str = "") -> Response:
    """Return the next pairs as pieces of a page, for review by keys."""
    caller = authorise(request, Scope.REVIEW)
    rows = review.after_place(caller.base.base, part, _cursor(after), AHEAD)
    shown = [page for seq, _ in rows if (page := _pair_page(caller, part, seq)) is not None]
    return render(request, caller, "pairs.html", shown=shown, query=query_of(part), people=assignable(caller))


@pages.get("/queue/{seq}")
def pair(request: Request, seq: Seq, part: ChosenPart, against: str = "") -> Response:
    """Show one pair side by side."""
    caller = authorise(request, Scope.READ)
    view = caller.base.pair(seq, against)
    n_open = caller.base.store.ledger.n_flags(part.queue)
    if part.differs is not None or part.documents or part.change:
        n_open = len(review.list_pairs(caller.base.base, part).pairs)
    return render(
        request, caller, "pair.html", p=_marked_page(caller, part, view), n=n_open, query=query_of(part),
        people=assignable(caller), due=due_days(caller, [seq]).get(seq, ""),
    )  # fmt: skip


@pages.post("/queue/{seq}")
def decide(
    request: Request,
    seq: Seq,
    part: ChosenPart,
    csrf: Annotated[str, Form()],
    ruling: Annotated[str, Form(description="a verb, or merge:a, merge:b, merge:newest")],
    seen: Annotated[str, Form()] = "",
    key: Key = "",
    against: Annotated[str, Form()] = "",
    to: Annotated[str, Form()] = "",
    due: Annotated[str, Form(max_length=10)] = "",
    reason: Reason = "",
    leave_out: Annotated[list[str] | None, Form()] = None,
    wants: Annotated[str, Query(description="json for our own script")] = "",
) -> Response:
    """Carry out a decision about a pair, and show the next one."""
    caller = authorise(request, Scope.REVIEW)
    check_form(request, caller, csrf)
    after = _next_page(caller, seq, part)
    if ruling == "skip":
        return RedirectResponse(after, 303)
    verb, _, keep = ruling.partition(":")
    leaving = leave_out if leave_out and verb == "merge" else []
    fields = {
        "verb": verb,
        "keep": keep or "newest",
        "against": against,
        "to": to,
        "due": due,
        "reason": reason,
        "seen": seen,
    }
    try:
        body = RulingBody.model_validate({**fields, "leave_out": leaving})
    except ValidationError as bad:
        raise UsageError(in_words(bad.errors()[0])) from None
    decision = decide_flag(caller, seq, body, key)
    if wants == "json":
        undo = secrets.token_urlsafe(16)
        offer = review.rule_offer(caller.base.base, decision)
        rule = {"words": offer.words, "url": rule_url(offer)} if offer is not None else None
        label = review.VERB_LABELS[decision.verb]
        return JSONResponse({"seq": decision.seq, "label": label, "undo": undo, "rule": rule})
    return RedirectResponse(with_query(after, f"done={decision.seq}"), 303)


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
    caller = authorise(request, Scope.REVIEW)
    check_form(request, caller, csrf)
    target = caller.base.store.ledger.decision(seq)
    decision = caller.base.as_person(caller.name).because(reason, key).revert(seq)
    if wants == "json":
        flag = target.flag if target is not None else None
        label = review.undo_in_words(caller.base.base, decision)
        return JSONResponse({"seq": decision.seq, "label": label, "flag": flag})
    return RedirectResponse(with_query(own_path(back), f"done={decision.seq}"), 303)


def _pair_page(caller: Caller, part: review.QueuePart, seq: int) -> PairPage | None:
    try:
        return _marked_page(caller, part, caller.base.pair(seq))
    except NotFoundError:
        return None


def _marked_page(caller: Caller, part: review.QueuePart, view: PairView) -> PairPage:
    runs_a, runs_b = marked(view.kept.text, view.candidate.text, view.objections)
    place = review.place_of(caller.base.base, part, Pair(view.flag, view.candidate, view.kept))
    return PairPage(view, runs_a, runs_b, secrets.token_urlsafe(16), place)


def _next_page(caller: Caller, seq: int, part: review.QueuePart) -> str:
    """Return the page of the next pair in this part of the queue, or its end."""
    base = caller.base.base
    flag = caller.base.store.ledger.flag(seq)
    after = None
    if flag is not None:
        blocks = caller.base.store.blocks([flag.candidate, flag.of])
        if len(blocks) == 2:
            after = review.place_of(base, part, Pair(flag, blocks[flag.candidate], blocks[flag.of])), seq
    following = review.after_place(base, part, after, 1)
    return with_query(f"/queue/{following[0][0]}" if following else "/queue", query_of(part))


def assignable(caller: Caller) -> list[str]:
    """Return whom a pair can be assigned to, by name: everybody who is there and may review, and oneself."""
    people = caller.base.store.people.people()
    names = {p.name for p in people if p.left_at is None and Scope.REVIEW in SCOPES_OF[p.role]}
    return sorted({*names, caller.name})


def due_days(caller: Caller, seqs: Sequence[int]) -> dict[int, str]:
    """Return the days by which decisions about flags are wanted, by flag; flags without one are left out."""
    rulings = caller.base.store.ledger.rulings_on(list(seqs))
    days = {d.flag: d.detail.due for d in rulings if d.verb is Verb.ASSIGN and d.flag is not None}
    return {seq: day for seq, day in days.items() if day}


def rule_url(offer: review.RuleOffer) -> str:
    """Return the page on which an offered rule is looked at before it is made."""
    fields = [("collection", offer.collection), ("differs", offer.rule.differs)]
    fields += [("documents", name) for name in offer.rule.documents]
    return f"/review/rules/new?{urlencode(fields)}"


def _narrowed(whole: review.QueueListing, part: review.QueuePart) -> review.QueueListing:
    return review.QueueListing(tuple(g for g in whole.pairs if part.has(g)))


def _start(entries: Sequence[review.QueueEntry], after: str) -> int:
    """Return the place in a list that follows a cursor; the beginning where it names none of its pairs."""
    cursor = _cursor(after)
    places = {seq: n for n, entry in enumerate(entries) for seq in entry.seqs}
    return places.get(cursor[1], -1) + 1 if cursor is not None else 0


def _links(part: review.QueuePart) -> dict[str, str]:
    """Return the queries of this part's page without its kind of difference, its documents and its change."""
    return {
        "differs": query_of(replace(part, differs=None)),
        "change": query_of(replace(part, change="")),
        "documents": query_of(replace(part, documents=())),
    }


def query_of(part: review.QueuePart) -> str:
    """Return a filter as a URL's query; empty if it does not restrict."""
    return urlencode(fields_of(part))


def fields_of(part: review.QueuePart) -> list[tuple[str, str]]:
    """Return a filter's restrictions, and its order if not the usual one, as form fields."""
    fields = {"collection": "".join(part.queue.collections), "because": part.queue.because}
    fields["assignee"] = part.queue.assignee
    fields["order"] = JUDGE if part.by_judge else LIKELY if part.queue.by_likelihood else ""
    fields["differs"] = part.differs or ""
    fields["change"] = part.change
    rows = [(name, value) for name, value in fields.items() if value]
    return rows + [("documents", name) for name in part.documents]


def with_query(path: str, query: str) -> str:
    """Return a path with a query added to its own."""
    return f"{path}{'&' if '?' in path else '?'}{query}" if query else path


def _cursor(after: str) -> tuple[float, int] | None:
    worth, _, seq = after.partition(",")
    try:
        place, number = float(worth), number_in(seq)
    except ValueError:
        return None
    return (place, number) if number is not None and math.isfinite(place) else None


def own_path(path: str) -> str:
    """Return a path on this server, ignoring host and scheme in form values."""
    return path if path.startswith("/") and not path.startswith(("//", "/\\")) else "/queue"
