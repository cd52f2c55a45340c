"""The pages of the held list: what waits, one submission side by side with a kept one, and decisions about many."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Form, Request, Response
from fastapi.responses import RedirectResponse

from saidonce.errors import NotFoundError, SaidonceError, StaleWriteError, UsageError
from saidonce.foundation.model import Admission, GateVerdict, HeldChoice, HeldState, Near, Scope
from saidonce.foundation.ports import HeldFilter
from saidonce.gate import (
    HeldItem,
    HeldOrder,
    HeldPair,
    HeldResult,
    HeldUndo,
    check_asks,
    held_without_ruling,
    reopen,
    reopening,
)
from saidonce.gate.audits import is_decision_drawn
from saidonce.gate.held import state_of
from saidonce.interfaces.http.pages import render
from saidonce.interfaces.http.site import Caller, authorise, check_form
from saidonce.interfaces.views.held import REASONS, age_of, cursor_of, cursor_to, reason_in_words
from saidonce.matching.diff import DiffRun, marked

held_pages = APIRouter(include_in_schema=False)

PAGE = 50

DONE: Mapping[str, str] = {
    "repeat": "marked as a repeat",
    "let_through": "let through",
    "link": "linked as another wording",
    "audited": "audited",
    "assigned": "assigned",
    "noted": "note added",
    "asked": "queued for the adjudicator; a worker (saidonce worker) asks it",
}

ASKED_AGAIN: Mapping[str, tuple[str, ...]] = {
    "away": ("away",),
    "overtaken": ("away",),
    "unsure": ("unsure",),
    "canary": ("canary",),
    "contradiction": ("contradiction",),
    "malformed": ("malformed",),
}
"""Causes for which what is held for a reason can be asked about again."""

MOST_AGAIN = 500
"""Submissions that one press asks about again, oldest first."""

TABS: Mapping[str, tuple[HeldState, ...]] = {
    "open": (HeldState.OPEN,),
    "audit": (HeldState.AUDIT,),
    "ruled": (HeldState.RULED,),
    "decided": (HeldState.REPEAT, HeldState.LINKED, HeldState.LET_THROUGH),
}


@dataclass(frozen=True, slots=True)
class HeldPart:
    """The part of the list that is worked through, as the address of a page names it."""

    gate: str = ""
    reason: str = ""
    judge: str = ""
    assignee: str = ""
    age: str = ""
    tab: str = "open"

    @property
    def query(self) -> str:
        """As the query of an address; empty if it does not restrict."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        usual = {"tab": "open"}
        return urlencode([(name, value) for name, value in fields.items() if value and value != usual.get(name)])


def _part(
    gate: str = "", reason: str = "", judge: str = "", assignee: str = "", age: str = "", tab: str = "open"
) -> HeldPart:
    return HeldPart(gate[:200], reason[:40], judge[:200], assignee[:200], age[:20], tab if tab in TABS else "open")


Part = Annotated[HeldPart, Depends(_part)]
Short = Annotated[str, Form(max_length=200)]
Why = Annotated[str, Form(max_length=2_000)]


@dataclass(frozen=True, slots=True)
class HeldRow:
    """A line of the list: a verdict, the nearest kept one, and when it was tried again.

    Attributes:
        is_drawn: the decision on it, somebody else's, waits for an audit.
    """

    verdict: GateVerdict
    kept: Admission | None
    seen: str
    age: str
    retries: tuple[GateVerdict, ...]
    is_drawn: bool


@dataclass(frozen=True, slots=True)
class HeldSide:
    """The kept one that a held submission is compared with, and both texts as runs."""

    near: Near
    kept: Admission
    runs_kept: tuple[DiffRun, ...]
    runs_mine: tuple[DiffRun, ...]


@held_pages.get("/gate/held")
def held_page(request: Request, part: Part, after: str = "") -> Response:
    """List what is held, oldest first."""
    caller = authorise(request, Scope.READ)
    held = caller.base.held
    known = _filter(caller, part)
    rows = held.page(known, cursor_of(after), PAGE)
    counts = held.counts(part.gate)
    tabs = {name: sum(c.n for c in counts if c.state in states) for name, states in TABS.items()}
    mine = [c for c in counts if c.state in TABS[part.tab]]
    reasons = Counter({name: sum(c.n for c in mine if c.reason == name) for name in {c.reason for c in mine}})
    return render(
        request, caller, "held.html", rows=_rows(caller, rows), part=part, tabs=tabs, words=REASONS, n=held.n(known),
        reasons=reasons.most_common(), judges=sorted({c.judge for c in mine} - {""}), query=part.query,
        people=_people(caller), gates=[g.name for g in caller.base.store.gates.gates()], **_banner(request),
        after=cursor_to(rows[-1] if len(rows) == PAGE else None), asks=caller.base.settings.gate_llm_enabled,
        again=_retryable(part, reasons), n_pending=caller.base.store.gates.n_pending(part.gate),
        happened=reason_in_words,
    )  # fmt: skip


@held_pages.get("/gate/held/{id}")
def held_pair_page(request: Request, id: str, part: Part, against: str = "") -> Response:
    """Show one held submission beside its neighbours."""
    caller = authorise(request, Scope.READ)
    pair = caller.base.held.pair(id)
    side = _side(pair, against)
    known = _filter(caller, part)
    return render(
        request, caller, "held_pair.html", p=pair, v=pair.verdict, side=side, part=part, query=part.query,
        words=REASONS, n=caller.base.held.n(known), age=_age(caller, pair.verdict.at), people=_people(caller),
        looked_at=",".join(pair.fresh), happened=reason_in_words, may_ask=_may_ask(caller, pair.verdict),
        **_banner(request),
    )  # fmt: skip


@held_pages.post("/gate/held")
def held_bulk(
    request: Request,
    part: Part,
    csrf: Short,
    choice: Short,
    items: Annotated[list[str] | None, Form(description="ids, each with its state after a colon")] = None,
    why: Why = "",
    to: Short = "",
) -> Response:
    """Decide the selected submissions, or assign them."""
    caller = authorise(request, Scope.REVIEW)
    check_form(request, caller, csrf)
    chosen = [HeldItem(id_, seen) for id_, _, seen in (item.partition(":") for item in dict.fromkeys(items or []))]
    if not chosen:
        return _message(request, caller, "Nothing was selected", "Select submissions first, then decide.", part)
    if choice == "assign":
        assigned = caller.base.held.assign([item.id for item in chosen], to, caller.name)
        return _back(part, {"did": "assigned", "n": str(len(assigned))})
    result = caller.base.held.decide(chosen, HeldOrder(_choice(choice), caller.name, why))
    if result.left:
        return render(
            request, caller, "held_result.html", result=result, choice=choice, query=part.query, done_words=DONE,
            left=_skipped_rows(caller, result),
        )  # fmt: skip
    return _back(part, {"did": choice, "n": str(len(result.done)), "decision": result.decision})


@held_pages.post("/gate/held/again")
def held_again_page(request: Request, part: Part, csrf: Short, reason: Short) -> Response:
    """Send submissions that are held for a reason to the adjudicator again, oldest first."""
    caller = authorise(request, Scope.REVIEW)
    check_form(request, caller, csrf)
    if reason not in ASKED_AGAIN:
        raise UsageError(f"submissions held for {reason[:40]!r} cannot be sent to the adjudicator again")
    base, n = caller.base.base, 0
    how = reopening(caller.name, ASKED_AGAIN[reason])
    names = [part.gate] if part.gate else [gate.name for gate in base.store.gates.gates()]
    for name in names:
        held = held_without_ruling(base, name, how.causes)[: MOST_AGAIN - n]
        if held:
            check_asks(caller.base.gate(name))
            n += len(reopen(base, held, how, base.clock.now()))
    return _back(part, {"did": "asked", "n": str(n)})


@held_pages.post("/gate/held/undo/{decision}")
def held_undo_page(request: Request, decision: str, part: Part, csrf: Short, why: Why = "") -> Response:
    """Take a decision back."""
    caller = authorise(request, Scope.REVIEW)
    check_form(request, caller, csrf)
    was = next((v.decision.choice for v in caller.base.store.gates.decided(decision) if v.decision is not None), "")
    try:
        undone = caller.base.held.undo(decision, caller.name, why)
    except NotFoundError as gone:
        return _message(request, caller, "Nothing to undo", str(gone), part)
    if undone.left or undone.leaning:
        return render(request, caller, "held_undone.html", undone=undone, query=part.query)
    if len(undone.undone) == 1:
        return _back(part, {"did": "undone", "was": was, "n": "1"}, undone.undone[0].id)
    return _back(part, {"did": "undone", "was": was, "n": str(_n_undone(undone))})


@held_pages.post("/gate/held/{id}")
def held_decide_page(
    request: Request,
    id: str,
    part: Part,
    csrf: Short,
    choice: Short,
    seen: Short = "",
    of: Short = "",
    looked_at: Annotated[str, Form(max_length=4_000)] = "",
    why: Why = "",
    to: Short = "",
) -> Response:
    """Carry out a decision about one submission, and show the next."""
    caller = authorise(request, Scope.REVIEW)
    check_form(request, caller, csrf)
    held = caller.base.held
    verdict = held.pair(id).verdict
    following = _next(caller, part, verdict)
    if choice == "skip":
        return _back(part, {}, following)
    if choice in ("assign", "note"):
        if choice == "assign":
            held.assign([verdict.id], to, caller.name)
        else:
            held.note(verdict.id, why, caller.name)
        return _back(part, {"did": f"{choice}ed" if choice == "assign" else "noted", "n": "1"}, verdict.id)
    if choice == "again":
        return _asked_again(caller, part, verdict)
    try:
        if choice in ("right", "wrong"):
            audited = held.audit(verdict.id, choice == "right", caller.name, why)
            decision = audited.audit.id if audited.decision is None and audited.audit is not None else ""
            return _back(part, {"did": "audited", "n": "1", "decision": decision}, following)
        item = HeldItem(verdict.id, seen, tuple(each for each in looked_at.split(",") if each))
        result: HeldResult = held.decide_one(item, HeldOrder(_choice(choice), caller.name, why, of))
    except (StaleWriteError, UsageError) as refused:
        return _message(request, caller, "Not decided", str(refused), part, (verdict.id, following), refused)
    return _back(part, {"did": choice, "n": "1", "decision": result.decision}, following)


@dataclass(frozen=True, slots=True)
class LeftRow:
    """A submission that a decision about many left as it was; its page does what a command would be needed for."""

    id: str
    snippet: str
    why: str


def _skipped_rows(caller: Caller, result: HeldResult) -> list[LeftRow]:
    verdicts = {each.id: caller.base.store.gates.verdict(each.id) for each in result.left}
    texts = {id_: v.submission.title or v.submission.text for id_, v in verdicts.items() if v is not None}
    return [LeftRow(one.id, texts.get(one.id, "")[:120], _COMMAND.sub("", one.why)) for one in result.left]


_COMMAND = re.compile(r" \('saidonce [^']*'\)|(?<=\b[0-9a-f]{8})[0-9a-f]{24}\b")
"""A command in a reason, and the rest of a long id."""


def _may_ask(caller: Caller, verdict: GateVerdict) -> bool:
    """Return whether the adjudicator can be asked again about a held submission."""
    asks = caller.base.settings.gate_llm_enabled
    return asks and verdict.held is HeldState.OPEN and str(verdict.reason) in ASKED_AGAIN


def _asked_again(caller: Caller, part: HeldPart, verdict: GateVerdict) -> Response:
    if not _may_ask(caller, verdict):
        raise UsageError(f"{verdict.id} cannot be sent to the adjudicator again")
    base = caller.base.base
    check_asks(caller.base.gate(verdict.gate))
    n = len(reopen(base, [verdict], reopening(caller.name, ASKED_AGAIN[str(verdict.reason)]), base.clock.now()))
    return _back(part, {"did": "asked", "n": str(n)}, _next(caller, part, verdict))


def _choice(choice: str) -> HeldChoice:
    try:
        return HeldChoice(choice)
    except ValueError:
        raise UsageError(f"choice must be one of {', '.join(HeldChoice)}, not {choice[:40]!r}") from None


def _filter(caller: Caller, part: HeldPart) -> HeldFilter:
    return caller.base.held.part(
        part.gate, (part.reason,) if part.reason else (), part.judge, part.assignee or None, age_of(part.age),
        TABS[part.tab],
    )  # fmt: skip


def _rows(caller: Caller, verdicts: Sequence[GateVerdict]) -> list[HeldRow]:
    gates = caller.base.store.gates
    nearest = {v.id: v.near[0].id for v in verdicts if v.near}
    kept = gates.admissions(sorted(set(nearest.values())))
    retries = gates.retries([v.id for v in verdicts])
    return [
        HeldRow(
            v,
            kept.get(nearest.get(v.id, "")),
            state_of(v),
            _age(caller, v.at),
            retries.get(v.id, ()),
            _waits_for_audit(caller, v),
        )
        for v in verdicts
    ]


def _waits_for_audit(caller: Caller, verdict: GateVerdict) -> bool:
    decision = verdict.decision
    if decision is None or decision.audit is not None or decision.by == caller.name:
        return False
    return is_decision_drawn(decision, verdict.id, caller.base.settings.gate_audit_share)


def _side(pair: HeldPair, against: str) -> HeldSide | None:
    """Return the kept one to compare with: the one named, or the one that a ruling means, or the nearest."""
    there = {n.id: n for n in pair.near if n.id in pair.kept}
    ruled_id = pair.verdict.ruling.of if pair.verdict.ruling is not None else ""
    chosen = next((there[id_] for id_ in (against, ruled_id) if id_ in there), next(iter(there.values()), None))
    if chosen is None:
        return None
    kept = pair.kept[chosen.id]
    mine, other = marked(pair.text, kept.candidate.text, chosen.objections)
    return HeldSide(chosen, kept, other, mine)


def _retryable(part: HeldPart, reasons: Mapping[str, int]) -> tuple[str, int]:
    """Return the reason that the adjudicator can be asked about again, and how many there are; none with other filters.

    It is the reason that is filtered for, or else that the adjudicator was away.
    """
    reason = part.reason or "away"
    is_all = part.tab == "open" and not (part.judge or part.assignee or part.age)
    return (reason, reasons.get(reason, 0)) if is_all and reason in ASKED_AGAIN else ("", 0)


def _people(caller: Caller) -> list[str]:
    return [p.name for p in caller.base.store.people.people() if p.left_at is None] or [caller.name]


def _age(caller: Caller, at: datetime) -> str:
    waited = max(caller.base.base.clock.now() - at, timedelta())
    if waited >= timedelta(days=1):
        return f"{waited.days} d"
    hours, rest = divmod(int(waited.total_seconds()), 3_600)
    return f"{hours} h" if hours else f"{rest // 60} min"


def _next(caller: Caller, part: HeldPart, verdict: GateVerdict) -> str:
    """Return the id of the next one in this part of the list, else of its first; empty if no other waits."""
    held, known = caller.base.held, _filter(caller, part)
    rows = held.page(known, (verdict.at, verdict.id), 1) or held.page(known, None, 2)
    return next((v.id for v in rows if v.id != verdict.id), "")


def _banner(request: Request) -> dict[str, Any]:
    """Return what the last step did, as the address says."""
    named = request.query_params
    did, n, decision = named.get("did", ""), named.get("n", "")[:6], named.get("decision", "")[:60]
    words = DONE.get(did, "")
    if did == "undone":
        was = DONE.get(named.get("was", ""), "")
        words = f"undone, previously {was}: held again" if was else "undone"
    return {"did_words": words, "did_n": n if n.isdecimal() else "1", "did_decision": decision}


def _back(part: HeldPart, did: dict[str, str], id_: str = "") -> Response:
    path = f"/gate/held/{id_}" if id_ else "/gate/held"
    query = "&".join(each for each in (part.query, urlencode(did)) if each)
    return RedirectResponse(f"{path}?{query}" if query else path, 303)


def _message(
    request: Request, caller: Caller, title: str, message: str, part: HeldPart, ids: tuple[str, str] = ("", ""),
    refused: SaidonceError | None = None,
) -> Response:  # fmt: skip
    status = 409 if isinstance(refused, StaleWriteError) else 422
    again, following = ids
    return render(
        request, caller, "held_message.html", status, title=title, message=message, query=part.query, again=again,
        following=following,
    )  # fmt: skip


def _n_undone(undone: HeldUndo) -> int:
    return len(undone.undone)
