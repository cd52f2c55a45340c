"""What residents' conversations tell the landlord goes to the channels too: each notice once to each channel."""

from __future__ import annotations

from collections.abc import Sequence

from saidonce.foundation import text
from saidonce.foundation.context import Context
from saidonce.foundation.model import Channel, Notice
from saidonce.foundation.model.conversation import Issue, LandlordEvent, LandlordNotice
from saidonce.foundation.ports.sending import Message

REPAIRS = "repairs-"
"""How the ids of these notices begin."""

ENOUGH = 50
"""Notices in a row that a channel has, after which older ones are not looked at: several writers at once may have put
theirs in another order than they began."""

WORDS = {
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
}


def gather_landlord(context: Context) -> int:
    """Make a notice for each channel of everything that the landlord was told since the channel was added.

    These wait for no digest, since an emergency may be among them. A channel of one owner's blocks is told nothing of
    it. Again makes nothing twice: a notice is named by channel and key.
    """
    channels = [c for c in context.store.people.channels() if not c.owner]
    if not channels:
        return 0
    told = context.store.conversations.notices()
    missing = [(c, n) for c in channels for n in _missing(context, c, told)]
    if not missing:
        return 0
    with context.store.ledger.exclusive():
        fresh = [(c, n) for c, n in missing if not _is_made(context, c, n)]
        for channel, notice in fresh:
            made = Notice(notice_id(context.store.org, channel, notice), channel.id, 0, 0, context.clock.now())
            context.store.people.put_notice(made)
    return len(fresh)


def notice_id(org: str, channel: Channel, notice: LandlordNotice) -> str:
    """Name what a channel is told of one notice."""
    return f"{REPAIRS}{text.digest(org, 'landlord', channel.id, notice.dedupe_key)}"


def landlord_notice(context: Context, id: str) -> LandlordNotice | None:
    """Return what a notice of a channel is about; None of one that tells of something else than residents."""
    made = context.store.people.notice(id) if id.startswith(REPAIRS) else None
    channel = next((c for c in context.store.people.channels() if made is not None and c.id == made.channel), None)
    return _found(context, channel, id) if channel is not None else None


def _found(context: Context, channel: Channel, id: str) -> LandlordNotice | None:
    org = context.store.org
    return next((n for n in context.store.conversations.notices() if notice_id(org, channel, n) == id), None)


def landlord_message(context: Context, channel: Channel, made: Notice) -> Message | None:
    """Put a landlord's notice in words; None if it is not there any more. No resident's words stand in it."""
    org = context.store.org
    found = _found(context, channel, made.id)
    if found is None:
        return None
    issue = next((i for i in context.store.conversations.issues() if i.id == found.issue_id), None)
    where = _where(context, issue)
    what = WORDS[found.event]
    root = context.settings.public_url.rstrip("/")
    link = f"{root}/repairs/conversations/{found.conversation_id}" if root else ""
    detail = found.detail.replace("_", " ")
    about = [f"{issue.urgency} {issue.category}" if issue else "", detail, where]
    lines = [f"{what}: {', '.join(filter(None, about))}".rstrip(": "), ""]
    lines.append(link or f"saidonce conversations show {found.conversation_id[:12]}")
    fields: dict[str, object] = {
        "notice": made.id, "org": org, "made_at": made.made_at.isoformat(), "event": found.event.value,
        "key": found.dedupe_key, "at": found.at.isoformat(), "detail": found.detail, "where": where,
        "conversation": found.conversation_id, "issue": found.issue_id,
        "urgency": issue.urgency.value if issue else "", "category": issue.category.value if issue else "", "url": link,
    }  # fmt: skip
    return Message(made.id, org, made.made_at, f"saidonce: {what}", "\n".join(lines) + "\n", fields)


def _missing(context: Context, channel: Channel, told: Sequence[LandlordNotice]) -> list[LandlordNotice]:
    """What a channel has no notice of, oldest first: from the newest back, until enough in a row has one."""
    missing: list[LandlordNotice] = []
    n_made = 0
    for notice in reversed(told):
        if n_made >= ENOUGH:
            break
        if notice.at < channel.added_at:
            continue
        is_made = _is_made(context, channel, notice)
        n_made = n_made + 1 if is_made else 0
        if not is_made:
            missing.append(notice)
    return missing[::-1]


def _is_made(context: Context, channel: Channel, notice: LandlordNotice) -> bool:
    return context.store.people.notice(notice_id(context.store.org, channel, notice)) is not None


def _where(context: Context, issue: Issue | None) -> str:
    home = context.store.conversations.home(issue.tenancy_id) if issue else None
    line = home.property.line if home else ""
    return " ".join("".join(c if c.isprintable() else " " for c in line).split())
