"""The held list over HTTP: list and compare what gates hold, decide about one or many, undo, assign, note, audit."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import Field

from saidonce.foundation.model import HeldChoice, HeldState
from saidonce.gate import HeldItem, HeldOrder, held_throughput
from saidonce.gate.held import MOST_AT_ONCE
from saidonce.interfaces.http.callers import MayRead, MayReview
from saidonce.interfaces.http.schemas import Body, example
from saidonce.interfaces.views.base import ErrorView
from saidonce.interfaces.views.gate import GateVerdictView
from saidonce.interfaces.views.held import (
    HeldCountView,
    HeldEntryView,
    HeldListView,
    HeldPairView,
    HeldResultView,
    HeldThroughputView,
    HeldUndoView,
    age_of,
    cursor_of,
    cursor_to,
)

held_api = APIRouter(prefix="/gate/held", tags=["gate"])

HeldId = Annotated[str, Path(max_length=100, description="id of a verdict, or its first digits")]
DecisionId = Annotated[str, Path(max_length=100, description="id of a decision, hd- and 32 digits")]
_EXAMPLE_ID = "gv-3f2a9c71d0b84e5f9a6c2d1e8b7f4a30"

_REFUSED: dict[int | str, dict[str, Any]] = {
    409: {"model": ErrorView, "description": "its state has changed; the message says how, by whom and when"},
}


class HeldRef(Body):
    """A held submission that a decision concerns."""

    id: str = Field(max_length=100)
    seen: str = Field(default="", max_length=64, description="state as shown; refused if it has changed")
    looked_at: list[str] = Field(
        default_factory=list, max_length=100, description="ids of near submissions kept since then that were also shown"
    )


class HeldDecisionBody(
    Body,
    json_schema_extra=example({"choice": "repeat", "items": [{"id": _EXAMPLE_ID}], "why": "the same round"}),
):
    """What a person decides about held submissions."""

    choice: HeldChoice
    items: list[HeldRef] = Field(min_length=1, max_length=MOST_AT_ONCE)
    why: str = Field(default="", max_length=2_000)
    of: str = Field(
        default="", max_length=100, description="admitted submission that they repeat; the nearest by default"
    )


class HeldAssignment(Body, json_schema_extra=example({"ids": [_EXAMPLE_ID], "to": "ann"})):
    """Held submissions, and the person to assign them to."""

    ids: list[str] = Field(min_length=1, max_length=MOST_AT_ONCE)
    to: str = Field(default="", max_length=200, description="person to assign to; empty: unassign")


class HeldNote(Body, json_schema_extra=example({"text": "asked the shop"})):
    """A note on a held submission."""

    text: str = Field(min_length=1, max_length=2_000)


class HeldWhy(Body, json_schema_extra=example({"why": "decided too quickly"})):
    """The reason of an undo."""

    why: str = Field(default="", max_length=2_000)


class AuditBody(Body, json_schema_extra=example({"right": True, "why": "another shop"})):
    """What an audit of a clear, or of another person's decision, found."""

    right: bool = Field(description="for a clear: it is not a repeat; for a decision: you would have decided the same")
    why: str = Field(default="", max_length=2_000)


@held_api.get("", summary="List held submissions")
def held_list(
    caller: MayRead,
    gate: Annotated[str, Query(max_length=200, description="only this gate; all by default")] = "",
    reason: Annotated[
        list[str] | None, Query(description="only these reasons; ruled_duplicate lists settled ones")
    ] = None,
    judge: Annotated[
        str,
        Query(
            max_length=200,
            description="only submissions that this adjudicator was asked about; or a prefix of its name",
        ),
    ] = "",
    assignee: Annotated[
        str | None, Query(max_length=200, description="only those assigned to this person; empty: unassigned ones")
    ] = None,
    age: Annotated[str, Query(max_length=20, description="only those older than this: 90m, 12h, 3d, 2w")] = "",
    state: Annotated[list[HeldState] | None, Query(description="only these states; open by default")] = None,
    after: Annotated[str, Query(max_length=200, description="`after` of the previous page")] = "",
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> HeldListView:
    """Return the submissions held for a person, oldest first, and counts by state and reason."""
    held = caller.base.held
    part = held.part(gate, tuple(reason or ()), judge, assignee, age_of(age), tuple(state or ()))
    rows = held.page(part, cursor_of(after), limit)
    return HeldListView(
        n=held.n(part),
        held=tuple(HeldEntryView.show(v) for v in rows),
        after=cursor_to(rows[-1] if len(rows) == limit else None),
        counts=tuple(HeldCountView.show(c) for c in held.counts(gate)),
    )


@held_api.get("/throughput", summary="Show each person's throughput")
def throughput(
    caller: MayRead,
    gate: Annotated[str, Query(max_length=200, description="only this gate; all by default")] = "",
) -> list[HeldThroughputView]:
    """Return how much each person decided and audited, busiest first, how much was undone, and found right."""
    return [HeldThroughputView.show(row) for row in held_throughput(caller.base.store.gates, gate)]


@held_api.get("/{id}", summary="Compare a held submission with its neighbours")
def held_pair(caller: MayRead, id: HeldId) -> HeldPairView:
    """Return a submission beside its current neighbours, with earlier and later attempts and its log."""
    return HeldPairView.show(caller.base.held.pair(id))


@held_api.post("/decisions", summary="Decide held submissions", responses=_REFUSED)
def held_decide(caller: MayReview, body: HeldDecisionBody) -> HeldResultView:
    """Decide one or many submissions in one transaction, which a single undo reverses.

    For one, a decision that cannot be carried out is refused; of many, those are skipped, with the reason.
    """
    order = HeldOrder(body.choice, caller.name, body.why, body.of)
    items = [HeldItem(each.id, each.seen, tuple(each.looked_at)) for each in body.items]
    held = caller.base.held
    result = held.decide_one(items[0], order) if len(items) == 1 else held.decide(items, order)
    return HeldResultView.show(result)


@held_api.post("/decisions/{decision}/undo", summary="Undo a decision")
def held_undo(caller: MayReview, decision: DecisionId, body: HeldWhy) -> HeldUndoView:
    """Undo a decision for all its submissions: those that it let through or linked are no longer kept."""
    return HeldUndoView.show(caller.base.held.undo(decision, caller.name, body.why))


@held_api.post("/assignments", summary="Assign held submissions", responses=_REFUSED)
def held_assign(caller: MayReview, body: HeldAssignment) -> list[GateVerdictView]:
    """Assign submissions to a person, or to nobody."""
    return [GateVerdictView.show(v) for v in caller.base.held.assign(body.ids, body.to, caller.name)]


@held_api.post("/{id}/notes", summary="Add a note to a submission")
def held_note(caller: MayReview, id: HeldId, body: HeldNote) -> HeldPairView:
    """Append a note to the log of a submission."""
    verdict = caller.base.held.note(id, body.text, caller.name)
    return HeldPairView.show(caller.base.held.pair(verdict.id))


@held_api.post("/{id}/audit", summary="Audit a clear or another person's decision", responses=_REFUSED)
def held_audit(caller: MayReview, id: HeldId, body: AuditBody) -> GateVerdictView:
    """Record whether a clear drawn for an audit, or another person's decision, was right.

    A wrong clear stays kept until it is released, a wrong decision stands until it is undone.
    """
    return GateVerdictView.show(caller.base.held.audit(id, body.right, caller.name, body.why))
