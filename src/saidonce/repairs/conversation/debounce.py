"""The wait for further messages before a turn."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from saidonce.foundation.model.residents import Inbound, InboundKind
from saidonce.repairs.conversation.rules import Rules


def debounce_rule(rules: Rules) -> Callable[[datetime | None, datetime | None, Inbound], datetime]:
    """Return the rule as stores take it: (waiting_since, due_at so far, inbound) -> time of the turn.

    Each message waits for its kind (a button not at all), never past `longest_wait_s` after the oldest unseen one,
    and never shortens the wait of another.
    """

    def at(waiting_since: datetime | None, due_at: datetime | None, inbound: Inbound) -> datetime:
        came = inbound.received_at
        last = (waiting_since or came) + timedelta(seconds=rules.longest_wait_s)
        wait_end = came + timedelta(seconds=_wait_s(rules, inbound))
        return min(last, max(wait_end, due_at or wait_end))

    return at


def _wait_s(rules: Rules, inbound: Inbound) -> float:
    if inbound.kind is InboundKind.BUTTON:
        return 0.0
    if inbound.text.strip() and any(not m.stored for m in inbound.media):
        return rules.file_wait_s
    return rules.media_wait_s if inbound.media else rules.text_wait_s
