"""How long an alarm stands. A person ends it; time ends only what a person has acknowledged."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from saidonce.foundation.model.conversation import EmergencyEvent, Issue, LandlordEvent, LandlordNotice, Path, Turn
from saidonce.repairs.conversation.emergency import unhandled


def open_alarms(
    events: Sequence[EmergencyEvent], issues: Sequence[Issue], turns: Sequence[Turn], now: datetime, alarm_s: float
) -> tuple[EmergencyEvent, ...]:
    """Return the alarms of a conversation to which its messages go, oldest first.

    An alarm that nobody has acknowledged is among them whatever time has passed; an acknowledged one until a person
    ends it, or until nothing was heard of the alarm for `alarm_s`.
    """
    alarms = unhandled(events, issues)
    if not alarms:
        return ()
    signs = sorted([*(e.at for e in events), *(t.at for t in turns if t.path is Path.EMERGENCY), now])
    return tuple(e for e in alarms if not _is_silent(e, signs, alarm_s))


def claims(notices: Sequence[LandlordNotice]) -> dict[str, datetime]:
    """Return when residents last said that it is over, by conversation."""
    return {n.conversation_id: n.at for n in notices if n.event is LandlordEvent.ALL_CLEAR_SAID}


def _is_silent(event: EmergencyEvent, signs: Sequence[datetime], alarm_s: float) -> bool:
    """Return whether an acknowledged alarm was once without a sign for so long."""
    if event.acknowledged_at is None:
        return False
    last = event.acknowledged_at
    for at in (each for each in signs if each > event.acknowledged_at):
        if at - last >= timedelta(seconds=alarm_s):
            return True
        last = at
    return False
