"""Notices of what the gate did with a submission: each event once per channel, at once, without its text."""

from __future__ import annotations

from collections.abc import Iterator

from saidonce.foundation import text
from saidonce.foundation.context import Context
from saidonce.foundation.model import Channel, GateAct, GateEvent, Notice
from saidonce.foundation.ports.sending import Message

VERDICTS = "verdict-"
"""Prefix of the ids of these notices."""

MOST_EVENTS = 500
"""Newest events of a gate that are examined; a worker that was away for longer skips the older ones."""

SUBJECTS = {
    GateAct.CLEARED: "The gate cleared a submission",
    GateAct.HELD: "The gate holds a submission",
    GateAct.LET_THROUGH: "The escape hatch let a submission through",
    GateAct.OVERRIDDEN: "A person let a submission through",
    GateAct.RELEASED: "A submission was released",
    GateAct.RETRACTED: "A judge retracted its clear",
}
"""Events that may be told, by what the setting `gate_notices` names."""


def create_verdict_notices(context: Context) -> list[Notice]:
    """Create a notice for each event of a gate that `gate_notices` names, for each channel without an owner.

    They wait for no digest: a generator may wait for them. Repeating creates nothing twice, since channel and event
    make the id of a notice.

    Returns:
        the new notices, oldest event first.
    """
    acts = frozenset(act.strip() for act in context.settings.gate_notices.split(",") if act.strip())
    channels = [c for c in context.store.people.channels() if not c.owner] if acts else []
    missing = [(c, e) for c in channels for e in _missing_events(context, c, acts)]
    if not missing:
        return []
    created: list[Notice] = []
    with context.store.ledger.exclusive():
        for channel, event in missing:
            id_ = notice_id(context.store.org, channel, event)
            if context.store.people.notice(id_) is None:
                notice = Notice(id_, channel.id, event.seq, event.seq, context.clock.now())
                context.store.people.put_notice(notice)
                created.append(notice)
    return created


def notice_id(org: str, channel: Channel, event: GateEvent) -> str:
    """Return the id of a channel's notice of an event."""
    return f"{VERDICTS}{text.digest(org, 'verdict', channel.id, str(event.seq))}"


def _missing_events(context: Context, channel: Channel, acts: frozenset[str]) -> list[GateEvent]:
    """Return the events that the channel has no notice of yet, oldest first."""
    present = context.store.people
    fresh = [
        event
        for event in _events(context)
        if event.act in SUBJECTS and event.act in acts and event.at >= channel.added_at
        and present.notice(notice_id(context.store.org, channel, event)) is None
    ]  # fmt: skip
    return sorted(fresh, key=lambda event: event.seq)


def _events(context: Context) -> Iterator[GateEvent]:
    for gate in context.store.gates.gates():
        yield from context.store.gates.events(gate.name, limit=MOST_EVENTS)


def verdict_message(context: Context, notice: Notice) -> Message | None:
    """Render a notice of an event; None if the event or its verdict is there no more. It holds no submitted text."""
    event = next((event for event in _events(context) if event.seq == notice.after), None)
    verdict = context.store.gates.verdict(event.verdict_id) if event is not None else None
    if event is None or verdict is None:
        return None
    fields: dict[str, object] = {
        "notice": notice.id, "org": context.store.org, "made_at": notice.made_at.isoformat(),
        "event": f"verdict_{event.act}", "at": event.at.isoformat(), "gate": event.gate, "verdict": verdict.id,
        "key": verdict.submission.key, "state": str(verdict.state), "is_through": verdict.is_through,
        "reason": str(verdict.reason or ""), "of": verdict.of, "similarity": verdict.similarity,
        "by": event.actor, "detail": event.detail,
    }  # fmt: skip
    subject = SUBJECTS[event.act]
    about = f" under the key {verdict.submission.key!r}" if verdict.submission.key else ""
    lines = [f"{subject}{about}: {verdict.reason or verdict.state}.", "", f"saidonce gate verdict {verdict.id}"]
    return Message(
        notice.id, context.store.org, notice.made_at, f"saidonce: {subject}", "\n".join(lines) + "\n", fields
    )
