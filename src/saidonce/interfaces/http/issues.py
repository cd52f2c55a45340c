"""The landlord's page of one issue: its timeline, the visit, the contractor, and what can be done next."""

from __future__ import annotations

from datetime import tzinfo
from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import RedirectResponse

from saidonce.errors import UsageError
from saidonce.foundation.model import Scope
from saidonce.foundation.model.conversation import IssueState
from saidonce.foundation.model.progress import Contractor, TimeSpan
from saidonce.interfaces.http.repairs import deps_of, render_repairs
from saidonce.interfaces.http.site import authorise, check_form, site_of
from saidonce.repairs import conversation as converse
from saidonce.repairs.conversation import ConversationDeps, JobTerms, LinkOf
from saidonce.repairs.issue_file import issue_file
from saidonce.repairs.job_links import JobLink, job_path

issues_pages = APIRouter(include_in_schema=False)

Words = Annotated[str, Form(max_length=1_000)]
MORE_TIMES = 3


def job_link(request: Request, deps: ConversationDeps) -> LinkOf:
    """Return what makes the address of a contractor's page."""
    root = (site_of(request).base.settings.public_url or str(request.base_url)).rstrip("/")
    secret = site_of(request).secret
    return lambda issue, assignment: f"{root}{job_path(secret, JobLink(deps.store.org, issue, assignment))}"


@issues_pages.get("/repairs/issues/{id}")
def issue(request: Request, id: str) -> Response:
    """Show an issue with everything about it."""
    caller = authorise(request, Scope.RESIDENTS)
    deps = deps_of(request)
    file = issue_file(deps, id)
    work = file.issue.progress.assignment
    may_see_link = caller.may(Scope.REVIEW) and work is not None
    return render_repairs(
        request, caller, "repairs_issue.html", f=file, i=file.issue, states=list(IssueState), now=deps.clock.now(),
        n_times=range(MORE_TIMES),
        link=job_link(request, deps)(id, work.id) if may_see_link and work is not None else "",
    )  # fmt: skip


@issues_pages.post("/repairs/issues/{id}/owner")
def own(request: Request, id: str, csrf: Annotated[str, Form()], owner: Words = "") -> Response:
    """Put somebody in charge."""
    deps, by = _reviewer_deps(request, csrf)
    converse.own_issue(deps, id, owner, by)
    return _back(id)


@issues_pages.post("/repairs/issues/{id}/visit")
def visit(
    request: Request,
    id: str,
    csrf: Annotated[str, Form()],
    day: Annotated[list[str], Form()],
    start: Annotated[list[str], Form()],
    end: Annotated[list[str], Form()],
    is_agreed: Annotated[str, Form()] = "",
) -> Response:
    """Offer times for a visit, or book one that is agreed on."""
    deps, by = _reviewer_deps(request, csrf)
    rows = [row for row in zip(day, start, end, strict=False) if any(row)]
    spans = [read_form_span(*row, deps.rules.office.zone) for row in rows]
    if is_agreed and len(spans) == 1:
        converse.book_visit(deps, id, spans[0], by)
    elif is_agreed:
        raise UsageError("only one time can be booked; leave the other lines empty")
    else:
        converse.propose_visit(deps, id, spans, by)
    return _back(id)


@issues_pages.post("/repairs/issues/{id}/visit/offer")
def offer(request: Request, id: str, csrf: Annotated[str, Form()]) -> Response:
    """Offer the time that the contractor proposed to the resident."""
    deps, by = _reviewer_deps(request, csrf)
    work = deps.store.issue(id).progress.assignment
    if work is None or work.proposed is None:
        raise UsageError("the contractor has not proposed a time")
    converse.propose_visit(deps, id, (work.proposed,), by)
    return _back(id)


@issues_pages.post("/repairs/issues/{id}/visit/cancel")
def cancel(request: Request, id: str, csrf: Annotated[str, Form()]) -> Response:
    """Call off the visit, or take the offer back."""
    deps, by = _reviewer_deps(request, csrf)
    converse.cancel_visit(deps, id, by)
    return _back(id)


@issues_pages.post("/repairs/issues/{id}/contractor")
def assign(
    request: Request, id: str, csrf: Annotated[str, Form()], name: Words = "", email: Words = "", phone: Words = "",
    access: Words = "", may_call: Words = "",
) -> Response:  # fmt: skip
    """Return the issue to a contractor; their link is shown on the page, and e-mailed."""
    deps, by = _reviewer_deps(request, csrf)
    terms = JobTerms(access, bool(may_call), site_of(request).base.settings.contractor_link_days)
    converse.assign_issue(deps, id, Contractor(name, email, phone), terms, job_link(request, deps), by)
    return _back(id)


@issues_pages.post("/repairs/issues/{id}/contractor/revoke")
def revoke(request: Request, id: str, csrf: Annotated[str, Form()]) -> Response:
    """Take the issue back from its contractor."""
    deps, by = _reviewer_deps(request, csrf)
    converse.revoke_assignment(deps, id, by)
    return _back(id)


def read_form_span(day: str, start: str, end: str, zone: tzinfo) -> TimeSpan:
    """Read a day and two times of a form as wall-clock times.

    Raises:
        UsageError: one is missing or malformed.
    """
    if not (day and start and end):
        raise UsageError("a visit needs a day, a start time and an end time")
    try:
        return converse.read_span(f"{day} {start[:5]}-{end[:5]}", zone)
    except ValueError as bad:
        raise UsageError(str(bad)) from None


def _reviewer_deps(request: Request, csrf: str) -> tuple[ConversationDeps, str]:
    caller = authorise(request, Scope.REVIEW, Scope.RESIDENTS)
    check_form(request, caller, csrf)
    return deps_of(request), caller.name


def _back(id: str) -> Response:
    return RedirectResponse(f"/repairs/issues/{id}", 303)
