"""Notices of new decisions."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from saidonce.foundation import text
from saidonce.foundation.context import Context
from saidonce.foundation.model import Channel, Notice
from saidonce.platform.notifications.audience import decisions_for


def create_notices(context: Context) -> list[Notice]:
    """Create one notice for each due channel with new decisions; return the notices.

    A notice and the channel's place in the log are written in one transaction, inside the organisation's
    lock: no decision is skipped, and none is in two notices of a channel.
    """
    notices = []
    with context.store.ledger.exclusive():
        newest = context.store.ledger.decisions(limit=1)
        last = newest[0].seq if newest else 0
        now = context.clock.now()
        for channel in context.store.people.channels():
            if channel.seen >= last or not _is_due(channel, now):
                continue
            if decisions_for(context, channel, channel.seen, last):
                notice = Notice(
                    id=text.digest(context.store.org, "notice", channel.id, str(channel.seen), str(last))[:32],
                    channel=channel.id, after=channel.seen, up_to=last, made_at=now,
                )  # fmt: skip
                context.store.people.put_notice(notice)
                context.store.people.put_channel(replace(channel, seen=last, told_at=now))
                notices.append(notice)
            else:
                context.store.people.put_channel(replace(channel, seen=last))
    return notices


def _is_due(channel: Channel, now: datetime) -> bool:
    return now - (channel.told_at or channel.added_at) >= timedelta(seconds=channel.every_s)
