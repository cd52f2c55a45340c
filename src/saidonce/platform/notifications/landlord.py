"""Landlord notices of residents' conversations, sent to the channels: each notice once per channel."""

from __future__ import annotations

from collections.abc import Sequence

from saidonce.foundation import text
from saidonce.foundation.context import Context
from saidonce.foundation.model import Channel, Notice
from saidonce.foundation.model.conversation import Issue, LandlordEvent, LandlordNotice
from saidonce.foundation.ports.sending import Message

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
    LandlordEvent.ESCALATED: "A resident wants a person",
    LandlordEvent.IDENTITY_ASKED: "Somebody wants to be known as a resident",
    LandlordEvent.IDENTITY_UNDONE: "A resident says that they are somebody else",
    LandlordEvent.DRAFT_INCOMPLETE: "A report was left incomplete",
    LandlordEvent.MESSAGE_WHILE_HANDED_OFF: "A message came in a conversation that a person has",
    LandlordEvent.MESSAGE_FAILED: "A message did not reach its resident",
    LandlordEvent.ISSUE_CORRECTED: "A resident corrected a repair issue",
    LandlordEvent.ISSUE_WITHDRAWN: "A resident took a repair issue back",
    LandlordEvent.ISSUE_REOPENED: "A resident says that a repair is not done; its issue is open again",
    LandlordEvent.ISSUE_ASKED_AFTER: "A resident asked after a repair issue",
    LandlordEvent.RESIDENT_NOTE: "A resident wrote something for a person",
}


def create_landlord_notices(context: Context) -> int:
    """Create a notice for each channel of every landlord notice since the channel was added; return their number.

    These wait for no digest, since an emergency may be among them. Channels restricted to one owner's blocks get none.
    Repeating creates nothing twice: channel and key make the id of a notice.
    """
    channels = [c for c in context.store.people.channels() if not c.owner]
    if not channels:
        return 0
    landlord_notices = context.store.conversations.notices()
    missing = [(c, n) for c in channels for n in _missing(context, c, landlord_notices)]
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


def landlord_message(context: Context, channel: Channel, channel_notice: Notice) -> Message | None:
    """Render a landlord notice; None if it no longer exists. It contains no words of residents."""
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
    fields: dict[str, object] = {
        "notice": channel_notice.id, "org": org, "made_at": channel_notice.made_at.isoformat(),
        "event": notice.event.value, "key": notice.dedupe_key, "at": notice.at.isoformat(), "detail": notice.detail,
        "where": where,
        "conversation": notice.conversation_id, "issue": notice.issue_id,
        "urgency": issue.urgency.value if issue else "", "category": issue.category.value if issue else "", "url": link,
    }  # fmt: skip
    return Message(channel_notice.id, org, channel_notice.made_at, f"saidonce: {what}", "\n".join(lines) + "\n", fields)


def _missing(context: Context, channel: Channel, notices: Sequence[LandlordNotice]) -> list[LandlordNotice]:
    """Return landlord notices not yet sent to the channel, oldest first, back to ENOUGH present ones in a row."""
    missing: list[LandlordNotice] = []
    n_present = 0
    for notice in reversed(notices):
        if n_present >= ENOUGH:
            break
        if notice.at < channel.added_at:
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
    return " ".join("".join(c if c.isprintable() else " " for c in line).split())
