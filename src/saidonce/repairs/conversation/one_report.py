"""A report begun on one channel goes on over the resident's other one, where each of both was proved by itself.

The open report stands in the conversation that its resident wrote in last. It goes there with what was said of it, and
comes back, without what was said there, if that conversation turns out not to be the resident's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from saidonce.foundation.model.conversation import (
    Alarm,
    Conversation,
    Gathering,
    Issue,
    IssueDraft,
    OutboxMessage,
    Path,
    PhotoStatus,
    ReportMove,
    ReportPart,
    Turn,
)
from saidonce.foundation.model.residents import Inbound
from saidonce.foundation.text import digest
from saidonce.repairs.conversation.alarm_life import open_alarms
from saidonce.repairs.conversation.deps import ConversationDeps
from saidonce.repairs.conversation.emergency import unanswered
from saidonce.repairs.conversation.gloss import Gloss
from saidonce.repairs.conversation.heard import hear
from saidonce.repairs.conversation.one_person import joined
from saidonce.repairs.conversation.problems import texts_of
from saidonce.repairs.conversation.timers import next_wake

REPORT_FROM = "report_from:"
"""Effect of the turn that takes a report from another conversation, which it names."""

MOVED = "report_moved"
"""Reason of the turn in the record of the other conversation."""


@dataclass(frozen=True, slots=True)
class OneReport:
    """A conversation with its resident's open report, on whichever channel it was begun.

    Attributes:
        conversation: with the report, as the turn begins.
        before: as it is stored.
        taken_from: the conversation that the report stands in so far; None if it stands here, or if there is none.
        elsewhere: its messages on other channels, as English words, in the order of arrival.
        replies: ours to those, in the order in which they were written.
        glosses: of those messages.
        is_with_a_person: another channel of the resident was handed to a person, which holds here from now on.
    """

    conversation: Conversation
    before: Conversation
    taken_from: Conversation | None = None
    elsewhere: tuple[Inbound, ...] = ()
    replies: tuple[OutboxMessage, ...] = ()
    glosses: tuple[Gloss, ...] = ()
    is_with_a_person: bool = False


def one_report(deps: ConversationDeps, of: Conversation, written: Sequence[Inbound]) -> OneReport:
    """Return a conversation with the open report of its resident; nothing moves before the turn is written.

    Args:
        deps: the organisation's wired ports.
        of: the conversation, as it is stored.
        written: its messages; without an unread one nothing moves.
    """
    if not of.identity.is_known or not of.tenancy_id:
        return OneReport(of, of)
    is_written_to = any(i.seq > of.seen or i.seq in of.parked for i in written)
    others = _others(deps, of) if is_written_to and of.handed_off_at is None else ()
    person = next((c.handed_off_at for c in others if c.handed_off_at is not None), None)
    if person is not None:
        return OneReport(replace(of, handed_off_at=person), of, is_with_a_person=True)
    source = next((c for c in others if not _has_report(of) and _may_leave(deps, c)), None)
    if source is None:
        return _with_messages(deps, OneReport(_with_last_issue(of, others), of))
    parts = (*(p for p in source.told_on if p.conversation_id != of.id), ReportPart(source.id, source.seen))
    after = replace(
        of, gathering=source.gathering, draft=source.draft, draft_expires_at=source.draft_expires_at,
        is_nudged=source.is_nudged, more_drafts=source.more_drafts, told_on=parts,
        language=of.language if of.seen else source.language,
    )  # fmt: skip
    return _with_messages(deps, OneReport(after, of, source))


def waits_elsewhere(deps: ConversationDeps, of: Conversation) -> bool:
    """Return whether the resident of a conversation has a report, or a person who answers, on another channel.

    Args:
        deps: the organisation's wired ports.
        of: the conversation, recognised in this very turn.
    """
    others = (c for c in deps.store.conversations_of(of.tenancy_id) if c.id != of.id and c.identity.is_known)
    return any(_has_report(c) or c.handed_off_at is not None or _has_issue(c) for c in others)


def settled(
    deps: ConversationDeps, report: OneReport, after: Conversation
) -> tuple[Conversation, ReportMove | None, tuple[str, ...]]:
    """Return a conversation after its turn with its report, what becomes of the other one, and the effects.

    A report goes on only where its resident is still known and reads what we write. Otherwise it stays where it was,
    or comes back to where it was told last.
    """
    is_known = after.identity.is_known
    is_left = after.opted_out_at is not None and report.before.opted_out_at is None
    if report.before is not report.conversation and (not is_known or (is_left and report.taken_from is not None)):
        return _restored(report.before, after), None, ()
    if report.taken_from is not None:
        move = _departure(deps, report.taken_from, report.before.id)
        return _tidy(after), move, (f"{REPORT_FROM}{report.taken_from.id}",)
    return with_report_back(deps, report.before, _tidy(after))


def with_report_back(
    deps: ConversationDeps, before: Conversation, after: Conversation
) -> tuple[Conversation, ReportMove | None, tuple[str, ...]]:
    """Return a conversation that is not its resident's any more without their report, which comes back to its place.

    What was said of it here is left out: it was not said by the resident, as far as we know.
    """
    if after.identity.is_known or not before.identity.is_known or not after.told_on:
        return after, None, ()
    bare = _bare(after)
    places = {c.id: c for c in deps.store.conversations_of(before.tenancy_id) if c.identity.is_known}
    part = next((p for p in reversed(after.told_on) if p.conversation_id in places), None)
    to = places[part.conversation_id] if part is not None else None
    if to is None or _has_report(to) or to.handed_off_at is not None:
        return bare, None, ("report_dropped",)
    drafts = _proved_there(deps, before)
    if not drafts:
        return bare, None, ("report_dropped",)
    return bare, _return(deps, to, drafts, after), (f"report_back_to:{to.id}",)


def places_of(deps: ConversationDeps, issue: Issue) -> tuple[str, ...]:
    """Return the ids of the conversations in which an issue was told: its own, then those its report came from.

    A place stays one after its identity has lapsed; one whose writer said, or of whom the landlord said, that this is
    not their home is none any more.
    """
    ids = [issue.conversation_id]
    for id_ in ids:
        effects = (e for turn in deps.store.turns(id_) for e in turn.effects)
        named = dict.fromkeys(e.removeprefix(REPORT_FROM) for e in effects if e.startswith(REPORT_FROM))
        ids += [other for other in named if other not in ids]
    return tuple(id_ for id_ in ids if issue.tenancy_id not in deps.store.conversation(id_).excluded)


def _others(deps: ConversationDeps, of: Conversation) -> tuple[Conversation, ...]:
    return tuple(c for c in joined(deps, of) if c.id != of.id)


def _may_leave(deps: ConversationDeps, of: Conversation) -> bool:
    """Return whether a conversation has an open report that can go on elsewhere: no alarm or question stands there."""
    if not _has_report(of):
        return False
    events = deps.store.events(of.id)
    if not events:
        return True
    alarms = open_alarms(events, deps.store.issues(), deps.store.turns(of.id), deps.clock.now(), deps.rules.alarm_s)
    return not alarms and not unanswered(events)


def _has_report(of: Conversation) -> bool:
    """Return whether a report is open: words that tell of no repair begin none, and stay where they were written."""
    return bool(of.draft.since) and of.gathering is not Gathering.IDLE


def _has_issue(of: Conversation) -> bool:
    return of.gathering is Gathering.ISSUE_CREATED and of.issue_at is not None


def _with_last_issue(of: Conversation, others: Sequence[Conversation]) -> Conversation:
    """Return the conversation with the issue that its resident filed last, unless a report is open here."""
    newest = max((c for c in others if _has_issue(c)), key=lambda c: (c.issue_at, c.id), default=None)
    is_free = not of.draft.since and of.gathering in (Gathering.IDLE, Gathering.ISSUE_CREATED)
    if newest is None or not is_free or newest.issue_at is None:
        return of
    if of.gathering is Gathering.ISSUE_CREATED and of.issue_at is not None and of.issue_at >= newest.issue_at:
        return of
    return replace(of, gathering=Gathering.ISSUE_CREATED, issue_id=newest.issue_id, issue_at=newest.issue_at)


def _with_messages(deps: ConversationDeps, report: OneReport) -> OneReport:
    """Return the report with what was said of it on other channels."""
    of = report.conversation
    if not of.told_on or not of.draft.since:
        return report
    known = {c.id: c for c in _others(deps, of)}
    messages: list[Inbound] = []
    replies: list[OutboxMessage] = []
    glosses: tuple[Gloss, ...] = ()
    for part in (p for p in of.told_on if p.conversation_id in known):
        english, heard_there = _messages_there(deps, known[part.conversation_id], of.draft.since, part.upto)
        messages += english
        glosses = (*heard_there, *glosses)
        first = min((i.received_at for i in english), default=None)
        replies += [m for m in deps.store.outbox(part.conversation_id) if first is not None and m.made_at >= first]
    messages.sort(key=lambda i: i.seq)
    return replace(report, elsewhere=tuple(messages), replies=tuple(replies), glosses=glosses)


def _messages_there(
    deps: ConversationDeps, of: Conversation, since: int, upto: int
) -> tuple[tuple[Inbound, ...], tuple[Gloss, ...]]:
    """Return the messages of a report in one conversation as English words, without those of alarms."""
    english, heard = hear(deps.store.inbounds(of.id), set(), of.language)
    alarmed = {e.inbound_seq for e in deps.store.events(of.id) if e.state is not Alarm.DISMISSED}
    return tuple(i for i in english if since <= i.seq <= upto and i.seq not in alarmed), heard.glosses


def _tidy(after: Conversation) -> Conversation:
    """Return a conversation without the places of a report that is not open any more."""
    return after if after.draft.since or after.more_drafts or not after.told_on else replace(after, told_on=())


def _restored(before: Conversation, after: Conversation) -> Conversation:
    """Return a conversation after a turn in which the report of another channel had no place."""
    return replace(
        after, gathering=before.gathering, draft=before.draft, draft_expires_at=before.draft_expires_at,
        is_nudged=before.is_nudged, more_drafts=before.more_drafts, told_on=before.told_on, issue_id=before.issue_id,
        issue_at=before.issue_at, handed_off_at=before.handed_off_at,
    )  # fmt: skip


def _bare(of: Conversation) -> Conversation:
    """Return a conversation without any report."""
    is_open = of.gathering in (Gathering.GATHERING_DETAILS, Gathering.AWAITING_PHOTO)
    return replace(
        of, draft=IssueDraft(), more_drafts=(), told_on=(), draft_expires_at=None, is_nudged=False,
        gathering=Gathering.IDLE if is_open else of.gathering,
    )  # fmt: skip


def _departure(deps: ConversationDeps, source: Conversation, to: str) -> ReportMove:
    """Return what becomes of a conversation whose report goes on in another one."""
    after = _bare(source)
    return _move(deps, source, replace(after, wake_at=next_wake(after, deps.rules)), f"report_to:{to}")


def _return(deps: ConversationDeps, to: Conversation, drafts: Sequence[IssueDraft], after: Conversation) -> ReportMove:
    """Return what becomes of a conversation that gets its report back; photos sent there without a report join it."""
    first, *rest = drafts
    if to.draft.media:
        first = replace(first, media=(*first.media, *to.draft.media), photo=PhotoStatus.PROVIDED)
    is_full = first.is_full
    life = deps.rules.photo_ttl_s if is_full else deps.rules.details_ttl_s
    parts = tuple(p for p in after.told_on if p.conversation_id != to.id)
    back = replace(
        to, draft=first, more_drafts=tuple(rest), told_on=parts, is_nudged=False,
        gathering=Gathering.AWAITING_PHOTO if is_full else Gathering.GATHERING_DETAILS,
        draft_expires_at=deps.clock.now() + timedelta(seconds=life),
    )  # fmt: skip
    return _move(deps, to, replace(back, wake_at=next_wake(back, deps.rules)), f"report_back_from:{after.id}")


def _move(deps: ConversationDeps, before: Conversation, after: Conversation, effect: str) -> ReportMove:
    now: datetime = deps.clock.now()
    id_ = digest("turn", before.id, str(before.version + 1))
    effects = (effect, f"gathering:{before.gathering}>{after.gathering}")
    turn = Turn(
        id_, before.id, before.version + 1, now, Path.SILENT, (), (before.identity, after.identity),
        (before.gathering, after.gathering), reason=MOVED, effects=effects,
    )  # fmt: skip
    return ReportMove(after, before.version, turn)


def _proved_there(deps: ConversationDeps, here: Conversation) -> tuple[IssueDraft, ...]:
    """Return the drafts of a conversation with no more than what was said of them in other places of the resident."""
    places = {c.id: c for c in deps.store.conversations_of(here.tenancy_id) if c.identity.is_known and c.id != here.id}
    messages: list[Inbound] = []
    for part in (p for p in here.told_on if p.conversation_id in places):
        messages += _messages_there(deps, places[part.conversation_id], 0, part.upto)[0]
    media = {m.id for i in messages for m in i.media}
    own = min((i.seq for i in messages if i.seq >= here.draft.since), default=0)
    drafts = (_as_reported(d, messages, media, own) for d in (here.draft, *here.more_drafts))
    return tuple(d for d in drafts if d is not None)


def _as_reported(draft: IssueDraft, messages: Sequence[Inbound], media: set[str], since: int) -> IssueDraft | None:
    """Return a draft with what some messages bear out of it; None if they tell nothing of it."""
    texts = [i.text for i in messages]

    def is_reported(quote: str) -> bool:
        return any(quote and quote in text for text in texts)

    own = tuple(part for part in draft.own if is_reported(part))
    photos = tuple(m for m in draft.media if m in media)
    is_declined = draft.photo in (PhotoStatus.DECLINED, PhotoStatus.LATER) and is_reported(draft.photo_quote)
    photo = PhotoStatus.PROVIDED if photos else draft.photo if is_declined else PhotoStatus.NONE
    described = draft.description if draft.description and is_reported(draft.description.quote) else None
    place = draft.location if draft.location and is_reported(draft.location.quote) else None
    is_open = bool(draft.since and since)
    words_of_it = texts_of(own, draft.not_mine, [i.text for i in messages if is_open and i.seq >= since])
    if described is None and not words_of_it and not photos:
        return None
    if photo is PhotoStatus.NONE and described is not None and place is not None:
        photo = PhotoStatus.ASKED
    return replace(
        draft, description=described, location=place, own=own, media=photos, photo=photo,
        since=since if is_open else draft.since,
        photo_quote=draft.photo_quote if is_declined else "",
    )  # fmt: skip
