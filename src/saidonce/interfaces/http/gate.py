"""The gate over HTTP: submit one or many, poll a verdict, override, release; and its page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Form, Path, Query, Request, Response
from fastapi.responses import PlainTextResponse, RedirectResponse
from pydantic import Field

from saidonce.app.knowledge_base import GATE_NAME
from saidonce.errors import NotFoundError, UsageError
from saidonce.foundation.model import GateFields, GateState, GateVerdict, Scope, Submission, reasons_named
from saidonce.gate import (
    CAUSES,
    GateStats,
    account,
    check_asks,
    held_throughput,
    held_without_ruling,
    reopen,
    reopening,
)
from saidonce.gate.rules import prepare_new
from saidonce.interfaces.http import charts, gate_charts
from saidonce.interfaces.http.callers import Key, MayRead, MayReview, MayWrite
from saidonce.interfaces.http.gate_bounds import within_bounds
from saidonce.interfaces.http.pages import render
from saidonce.interfaces.http.schemas import Body, example
from saidonce.interfaces.http.site import Caller, authorise, check_form
from saidonce.interfaces.views.base import ErrorView
from saidonce.interfaces.views.gate import GateAccountView, GateEventView, GateStatsView, GateVerdictView

gate_api = APIRouter(prefix="/gate", tags=["gate"])
gate_pages = APIRouter(include_in_schema=False)

MOST_AT_ONCE = 200
PAGE = 50

VerdictId = Annotated[str, Path(max_length=100, description="id of a verdict, or its first digits")]
GateName = Annotated[str, Query(alias="gate", min_length=1, max_length=200, description="name of the gate")]


class Submitted(Body):
    """Something that is to be created."""

    text: str = Field(default="", max_length=200_000)
    title: str = Field(default="", max_length=200_000)
    fields: dict[str, str] = Field(default_factory=dict, max_length=50)
    key: str = Field(default="", max_length=200, description="idempotency key; that of the header by default")
    retry_of: str = Field(
        default="", max_length=100, description="id of the verdict that held or blocked an earlier wording"
    )


class SubmittedOne(
    Submitted, json_schema_extra=example({"text": "Count the shirts.", "fields": {"place": "Leeds"}, "key": "task-17"})
):
    """One submission, and its gate."""

    gate: str = Field(default=GATE_NAME, min_length=1, max_length=200)
    reserve: bool = Field(default=True, description="keep it if it is cleared, so that a repeat of it is not cleared")


class SubmittedMany(
    Body, json_schema_extra=example({"gate": "tasks", "submissions": [{"text": "Count shirts."}, {"text": "Sail."}]})
):
    """Submissions that are compared with each other too, in their order."""

    gate: str = Field(default=GATE_NAME, min_length=1, max_length=200)
    reserve: bool = True
    submissions: list[Submitted] = Field(min_length=1, max_length=MOST_AT_ONCE)


class Why(Body, json_schema_extra=example({"why": "another shop"})):
    """The reason of an override or a release."""

    why: str = Field(min_length=1, max_length=2_000)


class Again(
    Body, json_schema_extra=example({"gate": "tasks", "failed": ["canary", "contradiction"], "judge": "local"})
):
    """Held submissions to ask about again, and the adjudicator to ask."""

    gate: str = Field(default=GATE_NAME, min_length=1, max_length=200)
    failed: list[str] = Field(
        default=["away"], min_length=1, max_length=20, description=f"causes to ask again about: {', '.join(CAUSES)}"
    )
    judge: str = Field(
        default="",
        max_length=200,
        description="adjudicator to ask: one of those in the settings, or local; all of the settings by default",
    )
    limit: int = Field(default=MOST_AT_ONCE, ge=1, le=MOST_AT_ONCE)


def _submission(body: Submitted, caller: Caller, key: str = "") -> Submission:
    fields = tuple(body.fields.items())
    return Submission(body.text, body.title, fields, body.key or key, body.retry_of, caller.name)


def _status(verdicts: tuple[GateVerdict, ...]) -> int:
    return 202 if any(v.state is GateState.PENDING for v in verdicts) else 200


_ANSWERS: dict[int | str, dict[str, Any]] = {
    202: {"description": "pending: poll the verdict until there is a ruling"},
    409: {"model": ErrorView, "description": "the idempotency key was used for another submission"},
    413: {"model": ErrorView, "description": "too many words in one request"},
    429: {
        "model": ErrorView,
        "description": "the API key has used up its work allowance of this minute; retry after Retry-After seconds",
    },
}


@gate_api.post("/submissions", summary="Check one submission", responses=_ANSWERS)
def submit(
    request: Request, caller: MayWrite, response: Response, body: SubmittedOne, key: Key = ""
) -> GateVerdictView:
    """Return the verdict; 202 with a pending one if an adjudicator has to rule, which a worker takes care of."""
    submission = _submission(body, caller, key)
    with within_bounds(request, caller, [submission]):
        verdicts = caller.base.gate(body.gate).submit_many([submission], body.reserve)
    response.status_code = _status(verdicts)
    return GateVerdictView.show(verdicts[0])


@gate_api.post("/batches", summary="Check many submissions", responses=_ANSWERS)
def submit_many(
    request: Request, caller: MayWrite, response: Response, body: SubmittedMany, key: Key = ""
) -> list[GateVerdictView]:
    """Return the verdicts, in order; 202 if one is pending. The header's key is extended by each one's position."""
    submissions = [
        _submission(each, caller, f"{key}#{place}"[-200:] if key else "") for place, each in enumerate(body.submissions)
    ]
    gate = caller.base.gate(body.gate)
    try:
        with within_bounds(request, caller, submissions):
            verdicts = gate.submit_many(submissions, body.reserve)
    except UsageError:
        _name_refused(submissions, gate.definition.fields)
        raise
    response.status_code = _status(verdicts)
    return [GateVerdictView.show(v) for v in verdicts]


def _name_refused(submissions: Sequence[Submission], fields: GateFields) -> None:
    """Name the refused one of many.

    Raises:
        UsageError: the first that cannot be compared, by its place, counted from 0.
    """
    for place, each in enumerate(submissions):
        try:
            prepare_new(each, fields)
        except UsageError as bad:
            raise UsageError(f"submissions[{place}]: {bad}") from bad


@gate_api.get("/verdicts", summary="List verdicts")
def verdicts(
    caller: MayRead,
    gate: Annotated[str, Query(max_length=200, description="only this gate; all by default")] = "",
    state: GateState | None = None,
    reason: Annotated[list[str] | None, Query()] = None,
    before: Annotated[int | None, Query(ge=0, le=2**62, description="only verdicts with smaller revisions")] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> list[GateVerdictView]:
    """Return verdicts, newest first."""
    rows = caller.base.store.gates.verdicts(gate, state, reasons_named(reason or ()), before, limit)
    return [GateVerdictView.show(v) for v in rows]


@gate_api.get("/verdicts/{id}", summary="Get a verdict")
def verdict(caller: MayRead, id: VerdictId) -> GateAccountView:
    """Return a verdict with its trail, what it was compared with, the ruling, and later events."""
    return GateAccountView.show(account(caller.base.store, id))


@gate_api.post("/verdicts/{id}/override", summary="Let a blocked submission through")
def override(caller: MayReview, id: VerdictId, body: Why) -> GateVerdictView:
    """Let a submission through in the caller's name; it is admitted like a cleared one."""
    held = account(caller.base.store, id).verdict
    return GateVerdictView.show(caller.base.gate(held.gate).override(held.id, caller.name, body.why))


@gate_api.post("/verdicts/{id}/release", summary="Release an admitted submission")
def release(caller: MayWrite, id: VerdictId, body: Why) -> GateVerdictView:
    """Withdraw the admission of a submission; its verdict no longer authorises anything."""
    held = account(caller.base.store, id).verdict
    return GateVerdictView.show(caller.base.gate(held.gate).release(held.id, caller.name, body.why))


@gate_api.post("/retry", summary="Ask again about held submissions", status_code=202)
def retry(caller: MayReview, body: Again) -> list[GateVerdictView]:
    """Make submissions that are held without a ruling pending again, oldest first; a worker asks about them."""
    settings = caller.base.settings
    written = f"{settings.gate_adjudicator},{settings.gray_zone_adjudicator},local"
    allowed_judges = sorted({name.strip() for name in written.split(",") if name.strip()})
    if body.judge and body.judge not in allowed_judges:
        raise UsageError(f"judge must be one of {', '.join(allowed_judges)}")
    _check_there(caller, body.gate)
    how = reopening(caller.name, body.failed, body.judge)
    check_asks(caller.base.gate(body.gate, asked_again=how.order))
    base = caller.base.base
    held = held_without_ruling(base, body.gate, how.causes)[: body.limit]
    return [GateVerdictView.show(v) for v in reopen(base, held, how, base.clock.now())]


@gate_api.get("/stats", summary="Get the statistics of a gate")
def stats(caller: MayRead, gate: GateName = GATE_NAME) -> GateStatsView:
    """Return shares, bands, causes of failure and latencies."""
    return GateStatsView.show(_stats(caller, gate))


@gate_api.get("/events", summary="List the log of the gates")
def events(
    caller: MayRead,
    gate: Annotated[str, Query(max_length=200)] = "",
    limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
) -> list[GateEventView]:
    """Return entries of the log, newest first."""
    return [GateEventView.show(e) for e in caller.base.store.gates.events(gate, limit=limit)]


def _stats(caller: Caller, gate: str) -> GateStats:
    """Return the figures of an existing gate; none is created by looking."""
    _check_there(caller, gate)
    return caller.base.gate(gate).stats()


def _check_there(caller: Caller, gate: str) -> None:
    """Refuse a gate that nobody has asked anything.

    Raises:
        NotFoundError: there is none of that name.
    """
    if gate not in {g.name for g in caller.base.store.gates.gates()}:
        raise NotFoundError("gate", gate)


@gate_pages.get("/gate")
def page(request: Request, gate: str = "", before: Annotated[int | None, Query(ge=0, le=2**62)] = None) -> Response:
    """Show a gate's statistics and its newest verdicts."""
    caller = authorise(request, Scope.READ)
    names = [g.name for g in caller.base.store.gates.gates()]
    usual = GATE_NAME if GATE_NAME in names else next(iter(names), "")
    name = gate if gate in names else usual
    figures = _stats(caller, name) if name else None
    rows = caller.base.store.gates.verdicts(name, before=before, limit=PAGE) if name else ()
    return render(
        request, caller, "gate.html", gates=names, named=name, s=figures, verdicts=rows, charts=gate_charts.NAMES,
        before=rows[-1].rev if len(rows) == PAGE else None, hatch=caller.base.settings.gate_escape_hatch,
        asks=caller.base.settings.gate_llm_enabled, adjudicator=caller.base.settings.gate_adjudicator,
        lenient=caller.base.settings.gate_lenient,
        people=held_throughput(caller.base.store.gates, name) if name else (),
    )  # fmt: skip


@gate_pages.get("/gate/charts/{name}.svg")
def chart(request: Request, name: str, gate: str = "", theme: str = "light") -> Response:
    """Draw one chart of a gate."""
    caller = authorise(request, Scope.READ)
    if name not in gate_charts.NAMES:
        return PlainTextResponse("no such chart", 404)
    drawn = gate_charts.draw(name, _stats(caller, gate), dark=theme == "dark")
    headers = {"Content-Security-Policy": f"default-src 'none'; style-src {charts.styles(drawn)}; sandbox"}
    return Response(drawn, media_type="image/svg+xml; charset=utf-8", headers=headers)


@gate_pages.get("/gate/{id}")
def verdict_page(request: Request, id: str) -> Response:
    """Show one verdict with everything that it depends on."""
    caller = authorise(request, Scope.READ)
    return render(request, caller, "gate_verdict.html", a=account(caller.base.store, id))


@gate_pages.post("/gate/{id}/{verb}")
def change(
    request: Request,
    id: str,
    verb: str,
    csrf: Annotated[str, Form()],
    why: Annotated[str, Form(max_length=2_000)] = "",
) -> Response:
    """Override or release from the page."""
    caller = authorise(request, Scope.REVIEW)
    check_form(request, caller, csrf)
    held = account(caller.base.store, id).verdict
    at = caller.base.gate(held.gate)
    match verb:
        case "override":
            at.override(held.id, caller.name, why)
        case "release":
            at.release(held.id, caller.name, why)
        case _:
            raise UsageError(f"a verdict can be overridden or released, not {verb[:40]!r}")
    return RedirectResponse(f"/gate/{held.id}", 303)
