"""Where channels post what residents write: the signature is checked, all is kept, and then they hear yes."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse
from starlette.concurrency import run_in_threadpool

from saidonce.errors import AccessError, NotFoundError
from saidonce.foundation.settings.channels import settings_for
from saidonce.foundation.settings.policy import Settings
from saidonce.interfaces.http.site import site_of
from saidonce.repairs import conversation
from saidonce.repairs.channels import ChannelPost, Received, channel_of
from saidonce.repairs.channels.received import NOT_YET, NUMBER_OF_ANOTHER, TOO_OLD, is_of_another
from saidonce.repairs.conversation import ConversationDeps

webhooks = APIRouter(include_in_schema=False)

_log = logging.getLogger("saidonce")


@webhooks.get("/webhooks/{channel}/{org}")
def handshake(request: Request, channel: str, org: str) -> Response:
    """Answer a channel's verification of this address."""
    answer = channel_of(channel).handshake(dict(request.query_params), settings_for(_settings(request), org))
    _deps(request, org)
    return PlainTextResponse(answer)


@webhooks.post("/webhooks/{channel}/{org}")
async def receive(request: Request, channel: str, org: str) -> Response:
    """Keep what a channel posts."""
    body, settings = await request.body(), settings_for(_settings(request), org)
    post = ChannelPost(org, str(request.url), request.url.query, request.headers, body, datetime.now(UTC))

    def read() -> Received:
        return channel_of(channel).read(post, settings, _is_foreign(request, org))

    return await run_in_threadpool(keep_post, request, org, read)


def keep_post(request: Request, org: str, read: Callable[[], Received]) -> Response:
    """Store a post, then accept it; posting it again after a failure changes nothing.

    Raises:
        AccessError: it is about numbers of other organisations, or repeats what is old, and holds nothing else.
    """
    received = read()  # The signature first: without one, no organisation is revealed.
    deps = _deps(request, org)
    is_others = any(r.reason == NUMBER_OF_ANOTHER for r in received.refused)
    is_empty = not received.inbounds and not received.statuses
    if is_others and is_empty:
        raise AccessError(
            "a number of this organisation", "the webhook is for a number of another organisation", is_known=True
        )
    old = [r.reason for r in received.refused if r.reason in (TOO_OLD, NOT_YET)]
    if old and is_empty:
        _log.warning("webhook.replay_refused org=%s messages=%d", org, len(old))
        raise AccessError("a current message", f"the message is {old[0]}", is_known=True)
    conversation.take_in(deps, received.inbounds)
    for status in received.statuses:
        # A status may be about a message of another program with the same number.
        with suppress(NotFoundError):
            conversation.record_status(deps, status.callback, status.state, status.external_id, status.reason)
    for refused in received.refused:
        _log.info("webhook.not_taken id=%s reason=%s", refused.id, refused.reason)
    return Response(status_code=200)


def _is_foreign(request: Request, org: str) -> Callable[[str], bool]:
    settings = _settings(request)
    return lambda number: is_of_another(settings, org, settings.org, number)


def _deps(request: Request, org: str) -> ConversationDeps:
    """Return what conversations of an existing organisation work with; a post creates none.

    Raises:
        NotFoundError: it is not.
    """
    repairs = site_of(request).repairs
    if not repairs.has(org):
        raise NotFoundError("organisation", org[:100])
    return repairs.deps(org)


def _settings(request: Request) -> Settings:
    return site_of(request).base.settings
