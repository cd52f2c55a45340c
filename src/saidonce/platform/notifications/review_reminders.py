"""Reminders of assigned pairs whose day has come: one notice a day for each channel that is concerned."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from saidonce.foundation import text
from saidonce.foundation.context import Context
from saidonce.foundation.model import Channel, Decision, Flag, Notice, Verb
from saidonce.foundation.ports.sending import Message

REVIEW = "review-"
"""Prefix of the ids of these notices."""

MOST_ASSIGNED = 5_000
"""Newest assignments that are looked at."""

MOST_LISTED = 50
SNIPPET = 120


@dataclass(frozen=True, slots=True)
class DuePair:
    """An open pair with the person and the day of its newest assignment; `is_late` once the day has passed."""

    flag: Flag
    person: str
    due: str
    is_late: bool


def due_pairs(context: Context, today: date) -> tuple[DuePair, ...]:
    """Return the open pairs whose day is close or past, earliest day first, ties by number.

    The setting `review_due_before_days` says how close.
    """
    ledger = context.store.ledger
    until = (today + timedelta(days=context.settings.review_due_before_days)).isoformat()
    newest: dict[int, Decision] = {}
    for d in ledger.decisions([Verb.ASSIGN], limit=MOST_ASSIGNED):
        if d.live and d.flag is not None:
            newest.setdefault(d.flag, d)
    due = [
        DuePair(flag, d.detail.owner, d.detail.due, d.detail.due < today.isoformat())
        for seq, d in newest.items()
        if d.detail.due and d.detail.due <= until and (flag := ledger.flag(seq)) is not None and flag.open
    ]
    return tuple(sorted(due, key=lambda p: (p.due, p.flag.seq)))


def create_review_reminders(context: Context) -> int:
    """Create the day's notice for each channel that an assigned pair concerns; return their number.

    A channel of one owner gets the pairs assigned to them. Repeating creates nothing twice: channel and day make the
    id of a notice.
    """
    channels = context.store.people.channels()
    today = context.clock.now().date()
    if not channels or not (due := due_pairs(context, today)):
        return 0
    n_created = 0
    with context.store.ledger.exclusive():
        for channel in channels:
            id_ = f"{REVIEW}{text.digest(context.store.org, 'due', channel.id, today.isoformat())}"
            if _of(channel, due) and context.store.people.notice(id_) is None:
                context.store.people.put_notice(Notice(id_, channel.id, 0, 0, context.clock.now()))
                n_created += 1
    return n_created


def reminder_message(context: Context, channel: Channel, notice: Notice) -> Message | None:
    """Render the reminder of a day, with the pairs as they stand now; None if all were decided since."""
    due = _of(channel, due_pairs(context, notice.made_at.date()))
    if not due:
        return None
    n_late = sum(pair.is_late for pair in due)
    late = f", {n_late} of them late" if n_late else ""
    subject = (
        f"saidonce: {len(due)} pair{'s' if len(due) != 1 else ''} to decide{late} ({text.one_line(context.store.org)})"
    )
    rows = [_row(context, pair) for pair in due[:MOST_LISTED]]
    lines = [f"Assigned pairs that are due{late}:", ""]
    for row in rows:
        where = row["url"] or f"flag {row['flag']}"
        lines += [f"* due {row['due']}, {row['person'] or 'nobody'}: {row['what']}", f"  {where}", ""]
    if n_more := len(due) - len(rows):
        lines += [f"And {n_more} more; 'saidonce queue' lists them.", ""]
    fields = {
        "notice": notice.id, "org": context.store.org, "made_at": notice.made_at.isoformat(), "subject": subject,
        "n_due": len(due), "n_late": n_late, "pairs": rows,
    }  # fmt: skip
    return Message(notice.id, context.store.org, notice.made_at, subject, "\n".join(lines), fields)


def _of(channel: Channel, due: tuple[DuePair, ...]) -> tuple[DuePair, ...]:
    return tuple(pair for pair in due if channel.owner in ("", pair.person))


def _row(context: Context, pair: DuePair) -> dict[str, object]:
    block = context.store.blocks([pair.flag.candidate]).get(pair.flag.candidate)
    words = text.one_line(block.text) if block is not None else "a text whose document was removed"
    home = context.settings.public_url.rstrip("/")
    return {
        "flag": pair.flag.seq, "due": pair.due, "late": pair.is_late, "person": text.one_line(pair.person),
        "what": words[:SNIPPET], "url": f"{home}/queue/{pair.flag.seq}" if home else "",
    }  # fmt: skip
