"""The pages of many pairs at once: a preview, the decision, and the rules that follow from equal decisions."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query, Request, Response
from fastapi.responses import RedirectResponse

from saidonce.errors import UsageError
from saidonce.foundation.model import Decision, ReviewRule, Scope, Verb
from saidonce.foundation.ports import Ledger
from saidonce.interfaces.http.callers import Before
from saidonce.interfaces.http.pages import (
    ChosenPart,
    Key,
    Reason,
    fields_of,
    query_of,
    render,
    with_query,
)
from saidonce.interfaces.http.site import MAY_LAG, Caller, authorise, check_form, number_in
from saidonce.kb import review

bulk_pages = APIRouter(include_in_schema=False)

PAGE = 50
MOST_READ = 40
"""Pages of the log that are read for one that is shown."""

VERBS = {Verb.KEEP_APART: "Keep both", Verb.MERGE: "Merge", Verb.DISMISS: "Dismiss", Verb.ASSIGN: "Assign"}
"""What people read before they decide."""

Pairs = Annotated[list[str] | None, Form(description="numbers of flags, each with its state after a colon")]


@bulk_pages.post("/queue/bulk/preview")
def preview(
    request: Request,
    part: ChosenPart,
    csrf: Annotated[str, Form()],
    verb: Annotated[str, Form()],
    pairs: Annotated[list[str] | None, Form(description="numbers of flags, of an entry all, with spaces")] = None,
    everything: Annotated[bool, Form(description="all pairs of the filter instead of those ticked")] = False,
    to: Annotated[str, Form(max_length=200)] = "",
    due: Annotated[str, Form(max_length=10)] = "",
) -> Response:
    """Show what a bulk decision would do; nothing is written."""
    caller = authorise(request, Scope.REVIEW)
    check_form(request, caller, csrf)
    chosen = [seq for each in pairs or () for one in each.split() if (seq := number_in(one)) is not None]
    if everything:
        chosen = [g.pair.flag.seq for g in review.list_pairs(caller.base.base, part).pairs]
    if not chosen:
        back = with_query("/queue", query_of(part))
        message = "Tick the pairs that you want to decide, or choose all of the filter."
        return render(request, caller, "message.html", 422, title="Nothing is ticked", message=message, back=back)
    bulk_request = review.BulkRequest(_verb(verb), to.strip(), review.checked_day(due))
    return _preview(request, caller, part, bulk_request, chosen)


@bulk_pages.get("/queue/bulk")
def mergeable(
    request: Request,
    part: ChosenPart,
    proposed: Annotated[float | None, Query(ge=0, le=1, allow_inf_nan=False)] = None,
) -> Response:
    """Show what merging all pairs without an objection would do, or those of them that are proposed."""
    caller = authorise(request, Scope.REVIEW)
    equals = review.mergeable_pairs(caller.base.base, part.queue, proposed)
    chosen = [e.pair.flag.seq for e in equals.pairs]
    bulk_request = review.BulkRequest(Verb.MERGE)
    return _preview(
        request, caller, part, bulk_request, chosen, proposed=proposed, is_all=equals.is_all, is_equals=True
    )


def _preview(
    request: Request,
    caller: Caller,
    part: review.QueuePart,
    bulk_request: review.BulkRequest,
    chosen: Sequence[int],
    **values: Any,
) -> Response:
    items = review.bulk_preview(caller.base.base, chosen[: review.MOST_IN_BULK])
    merges = bulk_request.verb is Verb.MERGE
    return render(
        request, caller, "bulk.html", verb=bulk_request.verb, title=VERBS[bulk_request.verb], asked=bulk_request,
        labels=review.LABELS,
        ready=[i for i in items if not (merges and i.is_doubtful)],
        objected=[i for i in items if merges and i.is_doubtful],
        n_more=max(0, len(chosen) - review.MOST_IN_BULK), most=review.MOST_IN_BULK, query=query_of(part),
        filters=fields_of(part), form_key=secrets.token_urlsafe(16), **values,
    )  # fmt: skip


@bulk_pages.post("/queue/bulk")
def decide(
    request: Request,
    part: ChosenPart,
    csrf: Annotated[str, Form()],
    verb: Annotated[str, Form()] = "merge",
    typed: Annotated[str, Form()] = "",
    pairs: Pairs = None,
    key: Key = "",
    to: Annotated[str, Form(max_length=200)] = "",
    due: Annotated[str, Form(max_length=10)] = "",
    reason: Reason = "",
) -> Response:
    """Decide about the pairs that were ticked in the preview; a merge only if their number was typed."""
    caller = authorise(request, Scope.REVIEW)
    check_form(request, caller, csrf)
    shown = [(number_in(seq), seen) for seq, _, seen in (pair.partition(":") for pair in dict.fromkeys(pairs or []))]
    known = [(seq, seen) for seq, seen in shown if seq is not None]
    back = with_query("/queue", query_of(part))
    bulk_request = review.BulkRequest(
        _verb(verb), to.strip(), review.checked_day(due), part.differs, with_objections=True
    )
    if not known or (bulk_request.verb is Verb.MERGE and typed.strip() != str(len(shown))):
        these = "this pair" if len(shown) == 1 else f"these {len(shown)} pairs"
        return render(
            request, caller, "message.html", 422, title="Nothing decided", back=back,
            message=f"Type {len(shown)} to merge {these}; you typed {typed!r}." if known
            else "No pairs were ticked in the preview.",
        )  # fmt: skip
    done = caller.base.as_person(caller.name).because(reason, key).decide_in_bulk(bulk_request, known)
    if done.decision is not None and not done.left:
        return RedirectResponse(with_query(back, f"done={done.decision.seq}"), 303)
    on = with_query(back, f"done={done.decision.seq}") if done.decision is not None else back
    return render(
        request, caller, "message.html", title=f"{VERBS[bulk_request.verb]}: {done.n_decided}", back=on, left=done.left,
        message=f"{done.n_decided} pairs decided, {len(done.left)} left open:",
    )  # fmt: skip


@bulk_pages.get("/decisions", dependencies=MAY_LAG)
def decisions(
    request: Request, before: Before = None, verb: str = "", actor: Annotated[str, Query(max_length=200)] = "",
    parts: bool = False,
) -> Response:  # fmt: skip
    """Show the log of decisions in words, newest first, and what people get done.

    Of what was decided at once the whole stands alone, unless its parts are asked for: they would hide all before them.
    """
    caller = authorise(request, Scope.READ)
    ledger = caller.base.store.ledger
    verbs = [Verb(verb)] if verb in set(Verb) else []
    shown, last = _log_page(ledger, verbs, before, lambda d: actor in ("", d.actor) and (parts or not d.detail.within))
    audited = {d.flag: d for d in ledger.rulings_on([d.seq for d in shown]) if d.verb is Verb.AUDIT}
    return render(
        request, caller, "decisions.html", accounts=review.accounts(caller.base.base, shown), before=last,
        throughput=review.throughput(caller.base.base), verb=verb, parts=parts, actor=actor,
        verbs=list(Verb), audited=audited,
        may_audit={d.seq for d in shown if d.actor not in (caller.name, "policy") and d.verb in review.AUDITED},
    )  # fmt: skip


def _log_page(
    ledger: Ledger, verbs: Sequence[Verb], before: int | None, is_shown: Callable[[Decision], bool]
) -> tuple[list[Decision], int | None]:
    """Return one page of the log, and the number before which the next one begins; None after the last."""
    shown: list[Decision] = []
    for _ in range(MOST_READ):
        rows = ledger.decisions(verbs, before, PAGE)
        shown += [d for d in rows if is_shown(d)]
        if len(rows) < PAGE:
            return shown, None
        before = rows[-1].seq
        if len(shown) >= PAGE:
            break
    return shown, before


@bulk_pages.get("/review/rules")
def rules(request: Request) -> Response:
    """List the rules in force."""
    caller = authorise(request, Scope.READ)
    canonical = [c.name for c in caller.base.store.collections() if c.is_canonical]
    return render(
        request, caller, "rules.html", rules=review.rules(caller.base.base), collections=canonical,
        kinds=[(kind, review.LABELS[kind]) for kind in review.Differs if kind in review.RULABLE],
    )  # fmt: skip


@bulk_pages.get("/review/rules/new")
def new_rule(
    request: Request,
    collection: str,
    differs: str,
    documents: Annotated[list[str] | None, Query(max_length=2)] = None,
) -> Response:
    """Show what a rule would decide now; nothing is written."""
    caller = authorise(request, Scope.REVIEW)
    if differs not in set(review.RULABLE):
        raise UsageError(f"a rule cannot be about {differs[:40]!r}; choose from {', '.join(sorted(review.RULABLE))}")
    rule = ReviewRule(differs, tuple(sorted(documents or ())))
    pairs = review.pairs_of_rule(caller.base.base, collection, rule)
    words = review.rule_in_words(collection, rule)
    return render(request, caller, "rule_new.html", rule=rule, collection=collection, pairs=pairs, words=words)


@bulk_pages.post("/review/rules")
def add_rule(
    request: Request,
    csrf: Annotated[str, Form()],
    collection: Annotated[str, Form()],
    differs: Annotated[str, Form()],
    documents: Annotated[list[str] | None, Form()] = None,
    key: Key = "",
    reason: Reason = "",
) -> Response:
    """Make a rule, and decide the open pairs that it is about."""
    caller = authorise(request, Scope.REVIEW)
    check_form(request, caller, csrf)
    rule = ReviewRule(differs, tuple(documents or ()))
    decision, _ = caller.base.as_person(caller.name).because(reason, key).add_rule(collection, rule)
    return RedirectResponse(f"/review/rules?done={decision.seq}", 303)


def _verb(name: str) -> Verb:
    if name not in set(review.BULK_VERBS):
        raise UsageError(f"a bulk decision must be one of {', '.join(review.BULK_VERBS)}, not {name[:40]!r}")
    return Verb(name)
