"""Landlord notices of residents' conversations, sent to the channels: each notice once per channel."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from saidonce.foundation import text
from saidonce.foundation.context import Context
from saidonce.foundation.model import Channel, Notice
from saidonce.foundation.model.conversation import Issue, LandlordEvent, LandlordNotice
from saidonce.foundation.ports.sending import Message

LinkOf = Callable[[LandlordNotice, Channel], str]
"""(landlord notice, receiver) -> the link by which that receiver acknowledges the notice's alarm."""

REPAIRS = "repairs-"
"""Prefix of the ids of these notices."""

ENOUGH = 50
"""Present notices in a row after which older ones are not examined: concurrent writers may have stored theirs in
another order than they began."""

SUBJECTS = {
    LandlordEvent.ISSUE_CREATED: "A new repair issue",
    LandlordEvent.ISSUE_EXTENDED: "Something was added to a repair issue",
    LandlordEvent.EMERGENCY_UNVERIFIED: "EMERGENCY, not verified",
    LandlordEvent.EMERGENCY_VALIDATED: "EMERGENCY",
    LandlordEvent.EMERGENCY_UNACKNOWLEDGED: "EMERGENCY, not acknowledged",
    LandlordEvent.ALARM_MESSAGE: "Unknown sender wrote more about an emergency",
    LandlordEvent.ALL_CLEAR_SAID: "A resident says that an emergency is over; please confirm",
    LandlordEvent.ESCALATED: "A resident wants a person",
    LandlordEvent.IDENTITY_ASKED: "An unknown sender claims to be a resident",
    LandlordEvent.IDENTITY_UNDONE: "A resident says that they are somebody else",
    LandlordEvent.DRAFT_INCOMPLETE: "A report was left incomplete",
    LandlordEvent.MESSAGE_WHILE_HANDED_OFF: "A message arrived in a conversation that a person has taken over",
    LandlordEvent.MESSAGE_FAILED: "A message to a resident was not delivered",
    LandlordEvent.QUESTION_UNANSWERED: "A resident asked a question that no document answers",
    LandlordEvent.VISIT_AGREED: "A resident picked a time for a visit",
    LandlordEvent.VISIT_DECLINED: "None of the offered times suits a resident",
    LandlordEvent.VISIT_CANCELLED: "A resident cancelled a visit",
    LandlordEvent.ANSWER_UNCLEAR: "A resident's answer about a visit was not clear",
    LandlordEvent.ISSUE_REOPENED: "A resident says that it is not fixed",
    LandlordEvent.CONTRACTOR_ANSWERED: "A contractor answered",
    LandlordEvent.LETTER_FAILED: "An e-mail to a contractor could not be sent",
    LandlordEvent.SLA_MISSED: "An issue is late",
    LandlordEvent.VOICE_NOTE: "A voice message without a transcript",
    LandlordEvent.ERASURE_ASKED: "A resident wants their data deleted",
    LandlordEvent.ISSUE_CORRECTED: "A resident corrected a repair issue",
    LandlordEvent.ISSUE_WITHDRAWN: "A resident withdrew a repair issue",
    LandlordEvent.ISSUE_ASKED_AFTER: "A resident asked after a repair issue",
    LandlordEvent.RESIDENT_NOTE: "A resident wrote something that needs a person",
}


def create_landlord_notices(context: Context) -> int:
    """Create a notice for each channel of every landlord notice since the channel was added; return their number.

    These wait for no digest, since an emergency may be among them. Channels restricted to one owner's blocks get none,
    except calls of a call-out list that names them.
    Repeating creates nothing twice: channel and key make the id of a notice.
    """
    channels = context.store.people.channels()
    if not channels:
        return 0
    landlord_notices = context.store.conversations.notices()
    missing = [(c, n) for c in channels for n in _missing_notices(context, c, channels, landlord_notices)]
    if not missing:
        return 0
    with context.store.ledger.exclusive():
        fresh = [(c, n) for c, n in missing if not _exists(context, c, n)]
        for channel, notice in fresh:
            created = Notice(notice_id(context.store.org, channel, notice), channel.id, 0, 0, context.clock.now())
            context.store.people.put_notice(created)
    return len(fresh)


def notice_id(org: str, channel: Channel, notice: LandlordNotice) -> str:
    """Return the id of a channel's notice of one landlord notice."""
    return f"{REPAIRS}{text.digest(org, 'landlord', channel.id, notice.dedupe_key)}"


def landlord_notice(context: Context, id: str) -> LandlordNotice | None:
    """Return the landlord notice behind a channel's notice; None for notices of other kinds."""
    channel_notice = context.store.people.notice(id) if id.startswith(REPAIRS) else None
    channel = next(
        (c for c in context.store.people.channels() if channel_notice is not None and c.id == channel_notice.channel),
        None,
    )
    return _find(context, channel, id) if channel is not None else None


def _find(context: Context, channel: Channel, id: str) -> LandlordNotice | None:
    org = context.store.org
    return next((n for n in context.store.conversations.notices() if notice_id(org, channel, n) == id), None)


def landlord_message(
    context: Context, channel: Channel, channel_notice: Notice, link_of: LinkOf | None = None
) -> Message | None:
    """Render a landlord notice; None if it no longer exists. It contains no words of residents.

    Args:
        context: wired ports.
        channel: its receiver.
        channel_notice: the channel's notice of it.
        link_of: makes the link by which this receiver acknowledges an alarm; empty text for none.
    """
    org = context.store.org
    notice = _find(context, channel, channel_notice.id)
    if notice is None:
        return None
    issue = next((i for i in context.store.conversations.issues() if i.id == notice.issue_id), None)
    where = _where(context, issue)
    what = SUBJECTS[notice.event]
    root = context.settings.public_url.rstrip("/")
    link = f"{root}/repairs/conversations/{notice.conversation_id}" if root else ""
    detail = notice.detail.replace("_", " ")
    about = [f"{issue.urgency} {issue.category}" if issue else "", detail, where]
    lines = [f"{what}: {', '.join(filter(None, about))}".rstrip(": "), ""]
    lines.append(link or f"saidonce conversations show {notice.conversation_id[:12]}")
    acknowledge = link_of(notice, channel) if link_of is not None and notice.alarm_id else ""
    if notice.alarm_id:
        lines += ["", "Further people are called until a person acknowledges it:"]
        lines.append(acknowledge or f"saidonce alarms acknowledge {notice.alarm_id[:12]}")
    fields: dict[str, object] = {
        "notice": channel_notice.id, "org": org, "made_at": channel_notice.made_at.isoformat(),
        "event": notice.event.value, "key": notice.dedupe_key, "at": notice.at.isoformat(), "detail": notice.detail,
        "where": where,
        "conversation": notice.conversation_id, "issue": notice.issue_id,
        "urgency": issue.urgency.value if issue else "", "category": issue.category.value if issue else "", "url": link,
        "alarm": notice.alarm_id, "acknowledge_url": acknowledge,
    }  # fmt: skip
    return Message(channel_notice.id, org, channel_notice.made_at, f"saidonce: {what}", "\n".join(lines) + "\n", fields)


def is_for(notice: LandlordNotice, channel: Channel, channels: Sequence[Channel]) -> bool:
    """Return whether a landlord notice goes to a channel.

    One of a call-out goes to the channels that the list names, or, if none of them is there any more, to all.
    """
    named = {c.id for c in channels} & set(notice.channels) if notice.channels else set()
    return channel.id in named if named else not channel.owner


def _missing_notices(
    context: Context, channel: Channel, channels: Sequence[Channel], notices: Sequence[LandlordNotice]
) -> list[LandlordNotice]:
    """Return landlord notices not yet sent to the channel, oldest first, back to ENOUGH present ones in a row."""
    missing: list[LandlordNotice] = []
    n_present = 0
    for notice in reversed(notices):
        if n_present >= ENOUGH:
            break
        if notice.at < channel.added_at or not is_for(notice, channel, channels):
            continue
        exists = _exists(context, channel, notice)
        n_present = n_present + 1 if exists else 0
        if not exists:
            missing.append(notice)
    return missing[::-1]


def _exists(context: Context, channel: Channel, notice: LandlordNotice) -> bool:
    return context.store.people.notice(notice_id(context.store.org, channel, notice)) is not None


def _where(context: Context, issue: Issue | None) -> str:
    home = context.store.conversations.home(issue.tenancy_id) if issue else None
    line = home.property.line if home else ""
    return text.one_line(line)
