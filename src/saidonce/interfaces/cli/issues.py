"""issues own, propose, book, cancel-visit, assign, revoke."""

from __future__ import annotations

import getpass
from typing import TYPE_CHECKING, Annotated

import typer

from saidonce.errors import UsageError
from saidonce.interfaces.cli.conversations import (
    AsOption,
    IssueArgument,
    _issue,
    deps_of,
    issues_app,
    notification_words,
)
from saidonce.interfaces.cli.lines import clean
from saidonce.interfaces.cli.shared import JsonOption, open_base, out, print_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from saidonce.app.knowledge_base import KnowledgeBase
    from saidonce.foundation.model.conversation import Issue
    from saidonce.foundation.model.progress import TimeSpan
    from saidonce.repairs.conversation import ConversationDeps

SlotArgument = Annotated[
    str,
    typer.Argument(
        help="Time of the visit, such as '2026-02-03 09:00-11:00', in the time zone of `time_zone`.", show_default=False
    ),
]


@issues_app.command()
def own(
    id: IssueArgument,
    owner: Annotated[str, typer.Argument(help="Person in charge; '' for nobody.", show_default=False)],
    actor: AsOption = "",
    as_json: JsonOption = False,
) -> None:
    """Put a person of your team in charge of an issue.

    **Example**: `saidonce issues own 5a1c ann`
    """
    from saidonce.repairs.conversation import own_issue

    _step(id, as_json, lambda deps, issue: own_issue(deps, issue, owner, actor or getpass.getuser()), "owner set")


@issues_app.command()
def propose(
    id: IssueArgument,
    slots: Annotated[
        list[str],
        typer.Argument(
            help="One to three times, such as '2026-02-03 09:00-11:00', in the time zone of `time_zone`.",
            show_default=False,
        ),
    ],
    actor: AsOption = "",
    as_json: JsonOption = False,
) -> None:
    """Offer the resident up to three times for a visit; they pick one by button or in words.

    **Example**: `saidonce issues propose 5a1c "2026-02-03 09:00-11:00" "2026-02-04 14:00-16:00"`
    """
    from saidonce.repairs.conversation import propose_visit

    _step(
        id, as_json,
        lambda deps, issue: propose_visit(deps, issue, [_span(deps, s) for s in slots], actor or getpass.getuser()),
        "times offered",
    )  # fmt: skip


@issues_app.command()
def book(id: IssueArgument, slot: SlotArgument, actor: AsOption = "", as_json: JsonOption = False) -> None:
    """Book a visit whose time was agreed on elsewhere, and notify the resident.

    **Example**: `saidonce issues book 5a1c "2026-02-03 09:00-11:00"`
    """
    from saidonce.repairs.conversation import book_visit

    _step(
        id, as_json, lambda deps, issue: book_visit(deps, issue, _span(deps, slot), actor or getpass.getuser()),
        "visit booked",
    )  # fmt: skip


@issues_app.command(name="cancel-visit")
def cancel_visit(id: IssueArgument, actor: AsOption = "", as_json: JsonOption = False) -> None:
    """Cancel a visit, or withdraw an offer; a resident who has agreed is notified.

    **Example**: `saidonce issues cancel-visit 5a1c`
    """
    from saidonce.repairs import conversation

    _step(
        id, as_json, lambda deps, issue: conversation.cancel_visit(deps, issue, actor or getpass.getuser()),
        "visit cancelled",
    )  # fmt: skip


@issues_app.command()
def assign(
    id: IssueArgument,
    name: Annotated[str, typer.Argument(help="Name of the contractor.", show_default=False)],
    email: Annotated[str, typer.Option(help="E-mail address to send the link to.")] = "",
    phone: Annotated[str, typer.Option(help="Phone number, with its leading +.")] = "",
    access: Annotated[str, typer.Option(help="How to get in; only the contractor sees it.")] = "",
    may_call: Annotated[
        bool, typer.Option("--may-call", help="Show the contractor the resident's name and phone numbers.")
    ] = False,
    actor: AsOption = "",
    as_json: JsonOption = False,
) -> None:
    """Assign an issue to a contractor, who needs no account: print the link to their page, and e-mail it.

    **Example**: `saidonce issues assign 5a1c "Bo Fox Plumbing" --email bo@example.com`
    """
    from saidonce.foundation.model.progress import Contractor
    from saidonce.interfaces.views.repairs import assigned_view
    from saidonce.repairs.conversation import JobTerms, assign_issue

    with open_base() as base:
        deps, link_of = deps_of(base), _link_of(base)
        terms = JobTerms(access, may_call, base.settings.contractor_link_days)
        issue = assign_issue(
            deps, _issue(deps, id).id, Contractor(name, email, phone), terms, link_of, actor or getpass.getuser()
        )  # fmt: skip
    work = issue.progress.assignment
    assert work is not None
    link = link_of(issue.id, work.id)
    if as_json:
        print_json(assigned_view(deps, issue, link))
    else:
        out.print(clean(f"issue {issue.id[:12]} assigned to {work.contractor.name}"))
        out.print(link)


@issues_app.command()
def revoke(id: IssueArgument, actor: AsOption = "", as_json: JsonOption = False) -> None:
    """Revoke the assignment of an issue; the contractor's link stops working at once.

    **Example**: `saidonce issues revoke 5a1c`
    """
    from saidonce.repairs.conversation import revoke_assignment

    _step(
        id, as_json, lambda deps, issue: revoke_assignment(deps, issue, actor or getpass.getuser()),
        "assignment revoked", is_notified=False,
    )  # fmt: skip


def _step(
    id: str, as_json: bool, act: Callable[[ConversationDeps, str], Issue], done: str, is_notified: bool = True
) -> None:
    from saidonce.interfaces.views.repairs import issue_view

    with open_base() as base:
        deps = deps_of(base)
        issue = act(deps, _issue(deps, id).id)
        moves = deps.store.issue_moves(issue.id)
    if as_json:
        print_json(issue_view(deps, issue, moves))
        return
    out.print(clean(f"issue {issue.id[:12]}: {done}"))
    if is_notified and done != "owner set":
        out.print(clean(notification_words(issue)))


def _span(deps: ConversationDeps, written: str) -> TimeSpan:
    from saidonce.repairs.conversation import read_span

    try:
        return read_span(written, deps.rules.office.zone)
    except ValueError as bad:
        raise UsageError(str(bad)) from None


def _link_of(base: KnowledgeBase) -> Callable[[str, str], str]:
    from saidonce.app.repairs_service.session_secret import session_secret
    from saidonce.repairs.job_links import JobLink, job_path

    secret, settings = session_secret(base.settings.data_dir.expanduser()), base.settings
    root = settings.public_url.rstrip("/")
    return lambda issue, assignment: f"{root}{job_path(secret, JobLink(settings.org, issue, assignment))}"
