"""The contractor's page: a signed link leads to one job and no other; it works without JavaScript and an account."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, File, Form, HTTPException, Request, Response, UploadFile
from fastapi.responses import RedirectResponse

from saidonce.errors import NotFoundError, UsageError
from saidonce.foundation.model.board import IssueMove
from saidonce.foundation.model.conversation import Issue
from saidonce.foundation.model.progress import Assignment
from saidonce.interfaces.http.chat import MAX_TEXT, NOT_POSSIBLE, TOO_MANY, check_origin, file_answer
from saidonce.interfaces.http.issues import read_form_span
from saidonce.interfaces.http.site import site_of
from saidonce.repairs import conversation as converse
from saidonce.repairs.conversation import ConversationDeps, JobAnswer, JobVerb
from saidonce.repairs.issue_file import IssueFile, issue_file
from saidonce.repairs.job_links import read_job_link

jobs = APIRouter(include_in_schema=False)

Words = Annotated[str, Form(max_length=MAX_TEXT)]


@dataclass(frozen=True, slots=True)
class Job:
    """What a link opens."""

    org: str
    deps: ConversationDeps
    issue: Issue
    work: Assignment


@jobs.get("/jobs/{token}")
def page(request: Request, token: str, taken: str = "") -> Response:
    """Show a contractor's job: problem, address, access, and answers so far."""
    return _render_job(request, token, _job(request, token), "Thank you, your answer is recorded." if taken else "")


@jobs.post("/jobs/{token}")
def answer(
    request: Request, token: str, verb: Words = "", text: Words = "", day: Words = "", start: Words = "",
    end: Words = "", photo: Annotated[UploadFile | None, File()] = None,
) -> Response:  # fmt: skip
    """Take an answer; a refused one is explained on the page."""
    check_origin(request)
    job = _job(request, token)
    if converse.is_too_fast(job.deps, job.issue, job.work):
        raise HTTPException(TOO_MANY, "too many answers in a minute; wait a moment")
    if verb not in list(JobVerb):
        raise UsageError(f"action must be one of {', '.join(JobVerb)}, not {verb[:40]!r}")
    try:
        wants_slot = verb == JobVerb.PROPOSE
        slot = read_form_span(day, start, end, job.deps.rules.office.zone) if wants_slot else None
        media = _photo(request, job, photo)
        converse.answer_job(job.deps, job.issue.id, job.work.id, JobAnswer(JobVerb(verb), text, slot, media))
    except UsageError as refused:
        return _render_job(request, token, job, str(refused), NOT_POSSIBLE, text)
    return RedirectResponse(f"/jobs/{token}?taken=1", 303)


@jobs.get("/jobs/{token}/media/{sha256}")
def media(request: Request, token: str, sha256: str) -> Response:
    """Return a photo of this job: the resident's, or the contractor's own."""
    job = _job(request, token)
    file = issue_file(job.deps, job.issue.id)
    allowed = {s for m in file.photos for s in (m.sha256, m.thumbnail)} | {s for m in _mine(file) for s in m.media}
    if sha256 not in allowed:
        raise NotFoundError("file", sha256[:64])
    return file_answer(site_of(request).repairs.media(job.org).get(sha256), sha256)


def _job(request: Request, token: str) -> Job:
    """Read a link.

    Raises:
        NotFoundError: we did not make it, or it has ended.
    """
    site = site_of(request)
    link = read_job_link(site.secret, token)
    if link is None:
        raise NotFoundError("job behind this link", "", "ask the landlord's team for a new one")
    deps = site.repairs.deps(link.org)
    try:
        issue, work = converse.job_of(deps, link.issue, link.assignment)
    except NotFoundError:
        raise NotFoundError(
            "job behind this link", "", "it has expired; ask the landlord's team for a new one"
        ) from None
    return Job(link.org, deps, issue, work)


def _render_job(
    request: Request, token: str, job: Job, message: str = "", status: int = 200, text: str = ""
) -> Response:  # fmt: skip
    file = issue_file(job.deps, job.issue.id)
    issue, work = file.issue, file.issue.progress.assignment or job.work
    description = issue.description if work.may_call else converse.without_numbers(issue.description)
    values = {
        "i": issue, "work": work, "home": file.home, "photos": file.photos, "mine": _mine(file), "text": text,
        "description": description, "location": converse.without_numbers(issue.location),
        "path": f"/jobs/{token}", "org_name": job.deps.voice.org_name, "zone": job.deps.rules.office.zone,
        "message": message, "is_refused": status != 200, "span": converse.span_words,
        "is_open": converse.takes_answers(issue, work),
    }  # fmt: skip
    return site_of(request).templates.TemplateResponse(request, "job.html", values, status)


def _mine(file: IssueFile) -> tuple[IssueMove, ...]:
    """Return the present contractor's own answers, oldest first."""
    work = file.issue.progress.assignment
    since = work.assigned_at if work is not None else file.issue.created_at
    return tuple(m for m in file.moves if m.step in converse.JOB_STEPS and m.at >= since)


def _photo(request: Request, job: Job, photo: UploadFile | None) -> tuple[str, ...]:
    if photo is None or not photo.filename:
        return ()
    return (site_of(request).repairs.keep_photo(photo.file.read(), job.org).sha256,)
