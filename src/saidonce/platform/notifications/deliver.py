"""Delivery of a notice to its receiver, once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum

from saidonce.errors import DeliveryError, NotFoundError
from saidonce.foundation.context import Context
from saidonce.foundation.model import Channel, ChannelKind, Notice
from saidonce.foundation.ports.sending import Message, Sender
from saidonce.platform.notifications.audience import decisions_for
from saidonce.platform.notifications.channels import find_channel
from saidonce.platform.notifications.landlord import REPAIRS, LinkOf, landlord_message
from saidonce.platform.notifications.review_reminders import REVIEW, reminder_message
from saidonce.platform.notifications.templates import render_notice
from saidonce.platform.notifications.verdicts import VERDICTS, verdict_message

MOST_PENDING = 1_000
"""Newest notices examined for each channel; older undelivered ones wait in the job queue."""

NOTHING_LEFT = "nothing left to report: the decisions were reverted or now concern another owner"


class Delivery(StrEnum):
    """Outcome of a delivery."""

    SENT = "sent"
    SENT_BEFORE = "sent_before"
    NOTHING_LEFT = "nothing_left"


def pending(context: Context) -> list[Notice]:
    """Return the undelivered notices that are not given up, oldest first by channel."""
    people = context.store.people
    return [
        notice
        for channel in people.channels()
        for notice in sorted(people.notices(channel.id, MOST_PENDING), key=lambda n: n.after)
        if notice.delivered_at is None and notice.n_tries < context.settings.notify_tries
    ]


def deliver(
    context: Context, senders: Mapping[ChannelKind, Sender], notice_id: str, link_of: LinkOf | None = None
) -> Delivery:
    """Send a notice unless it was delivered before, and record the outcome.

    With `link_of` a notice of an alarm holds the link by which its receiver acknowledges. That a receiver accepts a
    notice acknowledges nothing, whatever it answers: a program's word is no person's.

    A crash between the receiver's acknowledgement and its record leads to a second delivery under the same id, by which
    the receiver can drop it.

    Raises:
        NotFoundError: there is no such notice; its channel may have been removed.
        DeliveryError: the receiver did not take it; `n_tries` counts the failures.
    """
    notice = _notice(context, notice_id)
    if notice.delivered_at is not None:
        return Delivery.SENT_BEFORE
    channel = find_channel(context, notice.channel)
    message = _message(context, channel, notice, link_of)
    if message is None:
        _note_done(context, notice_id, NOTHING_LEFT)
        return Delivery.NOTHING_LEFT
    try:
        senders[channel.kind].send(channel, message)
    except DeliveryError as failed:
        n_tries = _note_failure(context, notice_id, failed.reason)
        raise DeliveryError(channel.id, failed.reason, n_tries) from None
    _note_done(context, notice_id, "")
    return Delivery.SENT


def _message(context: Context, channel: Channel, notice: Notice, link_of: LinkOf | None) -> Message | None:
    if notice.id.startswith(REPAIRS):
        return landlord_message(context, channel, notice, link_of)
    if notice.id.startswith(VERDICTS):
        return verdict_message(context, notice)
    if notice.id.startswith(REVIEW):
        return reminder_message(context, channel, notice)
    decisions = decisions_for(context, channel, notice.after, notice.up_to)
    return render_notice(context, notice, decisions) if decisions else None


def _notice(context: Context, id: str) -> Notice:
    notice = context.store.people.notice(id)
    if notice is None:
        raise NotFoundError("notice", id, "its channel may have been removed")
    return notice


def _note_done(context: Context, id: str, error: str) -> None:
    with context.store.ledger.exclusive():
        notice = context.store.people.notice(id)
        if notice is not None and notice.delivered_at is None:
            context.store.people.put_notice(replace(notice, delivered_at=context.clock.now(), error=error))


def _note_failure(context: Context, id: str, reason: str) -> int:
    with context.store.ledger.exclusive():
        notice = _notice(context, id)
        n_tries = notice.n_tries + 1
        context.store.people.put_notice(replace(notice, n_tries=n_tries, error=reason))
    return n_tries
