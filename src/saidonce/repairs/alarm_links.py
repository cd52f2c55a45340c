"""Signed links by which the receiver of a notice acknowledges one alarm, without a sign-in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from itsdangerous import BadData

from saidonce.repairs.link_signing import link_signer

SALT = "saidonce.alarm"
GOOD_FOR = timedelta(days=3)
"""How long a link is good from its notice on; every further call brings a new one."""

MAX_LINK_CHARS = 1_000


@dataclass(frozen=True, slots=True)
class AlarmPass:
    """What a link is good for: one alarm, by the receiver of one channel, until a moment."""

    org: str
    alarm_id: str
    channel: str
    until: datetime


def alarm_path(secret: str, held: AlarmPass) -> str:
    """Return the path of an alarm's page for one receiver."""
    until = int(held.until.timestamp())
    return f"/alarms/{link_signer(secret, SALT).dumps([held.org, held.alarm_id, held.channel, until])}"


def read_alarm_pass(secret: str, token: str) -> AlarmPass | None:
    """Read the last part of such a path; None without a valid signature. Whether it is still good is not checked."""
    if len(token) > MAX_LINK_CHARS:
        return None
    try:
        org, alarm_id, channel, until = link_signer(secret, SALT).loads(token)
        return AlarmPass(str(org), str(alarm_id), str(channel), datetime.fromtimestamp(until, UTC))
    except (BadData, ValueError, TypeError, OverflowError, OSError):
        return None
