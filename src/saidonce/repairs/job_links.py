"""Signed links to a contractor's page; each names one issue and one assignment, and ends with it."""

from __future__ import annotations

from dataclasses import dataclass

from itsdangerous import BadData

from saidonce.repairs.link_signing import link_signer

SALT = "saidonce.job"
"""Another one than the chat page's: a link to one page opens no other."""

MAX_LINK_CHARS = 1_000


@dataclass(frozen=True, slots=True)
class JobLink:
    """What a contractor's link names."""

    org: str
    issue: str
    assignment: str


def job_path(secret: str, link: JobLink) -> str:
    """Return the path of a contractor's page."""
    return f"/jobs/{link_signer(secret, SALT).dumps([link.org, link.issue, link.assignment])}"


def read_job_link(secret: str, token: str) -> JobLink | None:
    """Read the last part of such a path; None without a valid signature."""
    if len(token) > MAX_LINK_CHARS:
        return None
    try:
        org, issue, assignment = link_signer(secret, SALT).loads(token)
    except (BadData, ValueError, TypeError):
        return None
    return JobLink(str(org), str(issue), str(assignment))
