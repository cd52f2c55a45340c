"""Progress of issues over HTTP: who is in charge, visits, contractors."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from pydantic import Field

from saidonce.errors import UsageError
from saidonce.foundation.model.progress import Contractor, TimeSpan
from saidonce.interfaces.http.callers import MayReview
from saidonce.interfaces.http.issues import job_link
from saidonce.interfaces.http.repairs import deps_of
from saidonce.interfaces.http.schemas import Body, Moment, example
from saidonce.interfaces.http.site import site_of
from saidonce.interfaces.views.repairs import AssignedView, IssueView, assigned_view, issue_view
from saidonce.repairs import conversation as converse
from saidonce.repairs.conversation import ConversationDeps, JobTerms

issues_api = APIRouter(tags=["repairs"])

Deps = Annotated[ConversationDeps, Depends(deps_of)]


class Owner(Body, json_schema_extra=example({"owner": "ann"})):
    """Who is in charge of an issue."""

    owner: str = Field(max_length=100, description="person in charge; empty for nobody")


class VisitTime(Body):
    """A time for a visit."""

    starts_at: Moment
    ends_at: Moment


class VisitBody(
    Body,
    json_schema_extra=example(
        {"slots": [{"starts_at": "2026-02-03T09:00:00+00:00", "ends_at": "2026-02-03T11:00:00+00:00"}]}
    ),
):
    """Times for a visit."""

    slots: list[VisitTime] = Field(min_length=1, max_length=3)
    is_agreed: bool = Field(default=False, description="the time is already agreed on: book it and notify the resident")


class ContractorBody(Body, json_schema_extra=example({"name": "Bo Fox Plumbing", "email": "bo@example.com"})):
    """Contractor who does the work, and what they may see."""

    name: str = Field(min_length=1, max_length=100)
    email: str = Field(default="", max_length=254)
    phone: str = Field(default="", max_length=40)
    access: str = Field(default="", max_length=1_000, description="how to get in; only the contractor sees it")
    may_call: bool = Field(default=False, description="show the contractor the resident's name and phone numbers")


@issues_api.post("/issues/{id}/owner", summary="Set an issue's owner")
def own(caller: MayReview, deps: Deps, id: str, body: Owner) -> IssueView:
    """Set the person of the team who is in charge of an issue."""
    return issue_view(deps, converse.own_issue(deps, id, body.owner, caller.name), deps.store.issue_moves(id))


@issues_api.post("/issues/{id}/visit", summary="Offer times for a visit, or book one")
def visit(caller: MayReview, deps: Deps, id: str, body: VisitBody) -> IssueView:
    """Offer the resident up to three times, or book a time that is already agreed on."""
    spans = [TimeSpan(s.starts_at, s.ends_at) for s in body.slots]
    if body.is_agreed and len(spans) == 1:
        issue = converse.book_visit(deps, id, spans[0], caller.name)
    elif body.is_agreed:
        raise UsageError("only one time can be booked")
    else:
        issue = converse.propose_visit(deps, id, spans, caller.name)
    return issue_view(deps, issue, deps.store.issue_moves(id))


@issues_api.post("/issues/{id}/visit/cancel", summary="Cancel a visit")
def cancel(caller: MayReview, deps: Deps, id: str) -> IssueView:
    """Cancel a visit, or withdraw the offer; a resident who has agreed is notified."""
    return issue_view(deps, converse.cancel_visit(deps, id, caller.name), deps.store.issue_moves(id))


@issues_api.post("/issues/{id}/contractor", summary="Assign an issue to a contractor")
def assign(request: Request, caller: MayReview, deps: Deps, id: str, body: ContractorBody) -> AssignedView:
    """Assign an issue, e-mail the contractor their link, and return it; a previous contractor's link ends."""
    link_of = job_link(request, deps)
    terms = JobTerms(body.access, body.may_call, site_of(request).base.settings.contractor_link_days)
    who = Contractor(body.name, body.email, body.phone)
    issue = converse.assign_issue(deps, id, who, terms, link_of, caller.name)
    work = issue.progress.assignment
    assert work is not None
    return assigned_view(deps, issue, link_of(issue.id, work.id))


@issues_api.post("/issues/{id}/contractor/revoke", summary="Revoke an issue's assignment")
def revoke(caller: MayReview, deps: Deps, id: str) -> IssueView:
    """End the contractor's link at once."""
    return issue_view(deps, converse.revoke_assignment(deps, id, caller.name), deps.store.issue_moves(id))
