"""One step of an issue: read, changed, told to its resident within the channel's rules, written if unchanged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from saidonce.errors import StaleWriteError
from saidonce.foundation.model.conversation import (
    Button,
    Conversation,
    Issue,
    IssueAdvance,
    IssueState,
    LandlordEvent,
    LandlordNotice,
    OutboxKind,
    OutboxMessage,
)
from saidonce.foundation.model.progress import IssueProgress, IssueStep, ResidentNotice
from saidonce.foundation.text import digest
from saidonce.repairs.conversation.deps import ConversationDeps
from saidonce.repairs.conversation.issue_clock import next_wake
from saidonce.repairs.conversation.one_person import PASSABLE
from saidonce.repairs.conversation.rendering import in_their_language

MAX_TRIES = 5


@dataclass(frozen=True, slots=True)
class ResidentNews:
    """A message to the resident of an issue; `about` says in a word what it tells."""

    about: str
    text: str
    buttons: tuple[Button, ...] = ()


@dataclass(frozen=True, slots=True)
class IssueChange:
    """What a step does to an issue.

    Attributes:
        state: where it stands then; None as before.
        is_looked_at: its reason for a look is taken away.
        step, note, media: for its history; see `IssueAdvance`.
        news: what the resident is told.
        event: what the landlord is told, once for `subject`.
    """

    progress: IssueProgress
    state: IssueState | None = None
    is_looked_at: bool = False
    step: IssueStep | None = None
    note: str = ""
    media: tuple[str, ...] = ()
    news: ResidentNews | None = None
    event: LandlordEvent | None = None
    subject: str = ""
    detail: str = ""


def step_issue(
    deps: ConversationDeps, id: str, by: str, change: Callable[[Issue, datetime], IssueChange | None]
) -> Issue:
    """Take one step of an issue, again if it has changed meanwhile; return it as it is then.

    Args:
        deps: the organisation's wired ports.
        id: of the issue.
        by: who acts.
        change: returns what the step does to the issue as it is; None for nothing.

    Raises:
        NotFoundError: there is no such issue.
        StaleWriteError: it keeps changing.
    """
    for _ in range(MAX_TRIES):
        issue, now = deps.store.issue(id), deps.clock.now()
        effect = change(issue, now)
        if effect is None:
            return issue
        progress, outbox = _with_news(deps, issue, effect, now)
        after = replace(
            issue, state=effect.state or issue.state, progress=progress,
            review="" if effect.is_looked_at else issue.review,
        )  # fmt: skip
        after = replace(after, progress=replace(progress, wake_at=next_wake(after, deps.rules)))
        advance = IssueAdvance(issue, after, now, by, effect.step, str(effect.note), effect.media)
        try:
            return deps.store.advance_issue(advance, outbox, _notices(issue, effect, now))
        except StaleWriteError:
            continue
    raise StaleWriteError(f"issue {id!r} keeps changing")


def addressee(deps: ConversationDeps, issue: Issue, now: datetime) -> tuple[Conversation | None, str]:
    """Return the conversation in which the resident of an issue is told of it, or why there is none.

    It is the one on the channel that they used last, of those that proved to be of this home.
    """
    home = deps.store.home(issue.tenancy_id)
    if home is None or (home.tenancy.ends_at is not None and home.tenancy.ends_at <= now):
        return None, "tenancy_ended"
    first = ""
    for conversation in deps.store.conversations_of(issue.tenancy_id):
        if not conversation.identity.is_known:
            continue
        obstacle = _obstacle(deps, conversation, now)
        if not obstacle:
            return conversation, ""
        if obstacle not in PASSABLE:
            return None, obstacle
        first = first or obstacle
    return None, first or "no_conversation"


def _obstacle(deps: ConversationDeps, to: Conversation, now: datetime) -> str:
    if to.opted_out_at is not None:
        return "opted_out"
    return deps.outlets.obstacle(to, now) if deps.outlets is not None else ""


def _with_news(
    deps: ConversationDeps, issue: Issue, effect: IssueChange, now: datetime
) -> tuple[IssueProgress, tuple[OutboxMessage, ...]]:
    news = effect.news
    if news is None:
        return effect.progress, ()
    to, obstacle = addressee(deps, issue, now)
    if to is None:
        return replace(effect.progress, told=ResidentNotice(now, news.about, obstacle=obstacle)), ()
    id_ = digest("news", issue.id, news.about, now.isoformat(), news.text)
    message = OutboxMessage(id_, to.id, "", OutboxKind.PROGRESS, news.text, now, news.buttons)
    message = in_their_language(message, to.language, str)
    return replace(effect.progress, told=ResidentNotice(now, news.about, id_)), (message,)


def _notices(issue: Issue, effect: IssueChange, now: datetime) -> tuple[LandlordNotice, ...]:
    if effect.event is None:
        return ()
    key = f"{effect.event}:{issue.id}:{effect.subject or now.isoformat()}"
    return (LandlordNotice(key, effect.event, issue.conversation_id, now, issue.id, str(effect.detail)),)
