"""Timers of a conversation: one nudge, the end of a draft, the end of an issue's day, long silence."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from saidonce.foundation.model.conversation import (
    Conversation,
    Gathering,
    IdentityStatus,
    IssueDraft,
    LandlordEvent,
    OutboxKind,
    Path,
    PhotoStatus,
)
from saidonce.repairs.conversation import identity, wording
from saidonce.repairs.conversation.executor import create_issue
from saidonce.repairs.conversation.rules import Rules
from saidonce.repairs.conversation.view import NoticeDraft, Plan, ResidentReply, TurnView


def next_wake(of: Conversation, rules: Rules) -> datetime | None:
    """Return the time of the next timer of a conversation; None without one, and for conversations of a person."""
    if of.handed_off_at is not None or not of.identity.is_known:
        return None
    times = [_nudge_at(of, rules), of.draft_expires_at, _settled_at(of, rules), _silent_at(of, rules)]
    return min((at for at in times if at is not None), default=None)


def due_plan(view: TurnView) -> Plan | None:
    """Return the plan of the expired timers, the most final first; None if none has expired."""
    of, now = view.conversation, view.now
    if of.handed_off_at is not None or not of.identity.is_known:
        return None
    if of.draft_expires_at is not None and of.draft_expires_at <= now:
        return _expired(view)
    settled = _settled_at(of, view.rules)
    if settled is not None and settled <= now:
        after = replace(of, gathering=Gathering.IDLE, issue_at=None)
        return Plan(after, Path.TIMER, reason="issue_settled", effects=("gathering:issue_created>idle",))
    nudge = _nudge_at(of, view.rules)
    if nudge is not None and nudge <= now:
        text = wording.NUDGE_PHOTO if of.gathering is Gathering.AWAITING_PHOTO else wording.NUDGE_DETAILS
        silent = of.opted_out_at is not None
        replies = () if silent else (ResidentReply(OutboxKind.NUDGE, text),)
        return Plan(replace(of, is_nudged=True), Path.TIMER, reason="nudge", replies=replies)
    silent_at = _silent_at(of, view.rules)
    if silent_at is not None and silent_at <= now:
        after = identity.undo(of, identity.Event.LONG_SILENT)
        return Plan(after, Path.TIMER, reason="long_silent", effects=("identity:active>identified",))
    return None


def _expired(view: TurnView) -> Plan:
    """Report a full draft without its photo; hand any other draft to the landlord as it is.

    A draft that was told on another channel of its resident was told by somebody whom we know well.
    """
    if view.conversation.identity is IdentityStatus.CONFIRMED and view.conversation.told_on:
        view = replace(view, conversation=identity.activate(view.conversation))
    of, draft = view.conversation, view.conversation.draft
    if draft.is_full and view.home is not None and of.identity is IdentityStatus.ACTIVE:
        settled = draft.photo in (PhotoStatus.PROVIDED, PhotoStatus.DECLINED)
        final = draft if settled else replace(draft, photo=PhotoStatus.NONE)
        plan = create_issue(view, final, "photo_expired")
        return replace(plan, path=Path.TIMER)
    after = replace(
        of, gathering=Gathering.IDLE, draft=IssueDraft(), draft_expires_at=None, is_nudged=False
    )  # fmt: skip
    notice = NoticeDraft(LandlordEvent.DRAFT_INCOMPLETE, f"{of.id}:{draft.since}", detail="draft_expired")
    return Plan(after, Path.TIMER, reason="draft_expired", notices=(notice,),
                effects=(f"gathering:{of.gathering}>{Gathering.IDLE}",))  # fmt: skip


def _nudge_at(of: Conversation, rules: Rules) -> datetime | None:
    if of.draft_expires_at is None or of.is_nudged:
        return None
    is_photo = of.gathering is Gathering.AWAITING_PHOTO
    life = rules.photo_ttl_s if is_photo else rules.details_ttl_s
    return of.draft_expires_at - timedelta(seconds=life - rules.nudge_s)


def _settled_at(of: Conversation, rules: Rules) -> datetime | None:
    if of.gathering is not Gathering.ISSUE_CREATED or of.issue_at is None:
        return None
    return of.issue_at + timedelta(seconds=rules.settle_s)


def _silent_at(of: Conversation, rules: Rules) -> datetime | None:
    if of.identity is not IdentityStatus.ACTIVE or of.last_inbound_at is None:
        return None
    return of.last_inbound_at + timedelta(seconds=rules.identity_ttl_s)
