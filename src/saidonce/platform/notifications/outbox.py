"""New decisions become notices."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from saidonce.foundation import text
from saidonce.foundation.context import Context
from saidonce.foundation.model import Channel, Notice
from saidonce.platform.notifications.audience import told_of


def gather(context: Context) -> list[Notice]:
    """Make one notice for each channel that is due and has something to be told; give those made.

    A notice and the channel's place in the log are written in one transaction, inside the organisation's
    lock: no decision is passed over, and none stands in two notices of a channel.
    """
    made = []
    with context.store.ledger.exclusive():
        newest = context.store.ledger.decisions(limit=1)
        last = newest[0].seq if newest else 0
        now = context.clock.now()
        for channel in context.store.people.channels():
            if channel.seen >= last or not _is_due(channel, now):
                continue
            if told_of(context, channel, channel.seen, last):
                notice = Notice(
                    id=text.digest(context.store.org, "notice", channel.id, str(channel.seen), str(last))[:32],
                    channel=channel.id, after=channel.seen, up_to=last, made_at=now,
                )  # fmt: skip
                context.store.people.put_notice(notice)
                context.store.people.put_channel(replace(channel, seen=last, told_at=now))
                made.append(notice)
            else:
                context.store.people.put_channel(replace(channel, seen=last))
    return made


def _is_due(channel: Channel, now: datetime) -> bool:
    return now - (channel.told_at or channel.added_at) >= timedelta(seconds=channel.every_s)
