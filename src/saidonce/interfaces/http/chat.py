"""The resident's page: a signed link leads to one conversation and no other; it works without JavaScript."""

from __future__ import annotations

import asyncio
import re
import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import APIRouter, File, Form, HTTPException, Request, Response, UploadFile
from fastapi.responses import RedirectResponse
from starlette.concurrency import run_in_threadpool

from saidonce.app.repairs_service import WEB_NUMBER, Visitor, conversation_of, read_link
from saidonce.errors import AccessError, NotFoundError, UsageError
from saidonce.foundation.model.conversation import Conversation, OutboxState
from saidonce.foundation.model.residents import ChannelIdentity, Home, Inbound, InboundKind, Media, Via
from saidonce.interfaces.http.site import site_of
from saidonce.repairs.conversation import ConversationDeps, emergency, take_in
from saidonce.repairs.conversation.filetype import DECODED, sniff
from saidonce.repairs.conversation.heard import dangers_heard
from saidonce.repairs.transcript import MOST_LINES, lines_of

chat = APIRouter(include_in_schema=False)

MAX_TEXT = 4_000
MOST_A_MINUTE = 30
"""Messages of one conversation that are taken in a minute: more is no person. Emergencies are taken beyond it."""

NOT_POSSIBLE, TOO_MANY = 422, 429

ANSWER_WAIT_S = 6.0
"""How long a page without JavaScript waits for the answer to what was just sent."""

GENERAL = frozenset({"999", "911", "112"})
"""Numbers for every danger; a pack has those of single ones too."""

_KEY = re.compile(r"[A-Za-z0-9_-]{8,64}")


@dataclass(frozen=True, slots=True)
class Guest:
    """A visitor by link, with their one conversation."""

    visitor: Visitor
    deps: ConversationDeps
    sender: ChannelIdentity
    conversation: Conversation | None


@dataclass(frozen=True, slots=True)
class ChatPost:
    """A post of the page's form."""

    key: str
    text: str
    button: str
    photo: UploadFile | None


@dataclass(frozen=True, slots=True)
class RejectedPost:
    """A refused post, and why."""

    status: int
    message: str
    text: str


@chat.get("/chat/{token}")
async def page(request: Request, token: str, sent: str = "") -> Response:
    """Show the conversation; just after something was sent, with the answer if it comes soon."""
    guest = await run_in_threadpool(_guest, request, token)
    if sent:
        guest = await _wait_for_answer(request, token, guest)
    return await run_in_threadpool(_shown, request, token, guest, "chat.html")


@chat.get("/chat/{token}/lines")
def lines(request: Request, token: str) -> Response:
    """Return the messages alone, for the page's own script."""
    return _shown(request, token, _guest(request, token), "chat_lines.html")


@chat.post("/chat/{token}")
def write(
    request: Request,
    token: str,
    key: Annotated[str, Form(max_length=64, description="names the message; sent again, it is kept once")] = "",
    text: Annotated[str, Form(max_length=MAX_TEXT)] = "",
    button: Annotated[str, Form(max_length=200)] = "",
    photo: Annotated[UploadFile | None, File()] = None,
    wants: str = "",
) -> Response:
    """Take a message, with or without a photo; a refused one is explained on the page, its text still in the box."""
    check_origin(request)
    guest = _guest(request, token)
    try:
        _take(request, guest, ChatPost(key, "" if button else text.strip(), button, photo))
    except (UsageError, HTTPException) as refused:
        if wants == "lines":
            raise
        return _shown(request, token, _guest(request, token), "chat.html", _refusal(refused, text))
    if wants == "lines":
        return _shown(request, token, _guest(request, token), "chat_lines.html")
    return RedirectResponse(f"/chat/{token}?sent=1#last", 303)


@chat.get("/chat/{token}/media/{sha256}")
def media(request: Request, token: str, sha256: str) -> Response:
    """Return a file of this conversation."""
    guest = _guest(request, token)
    mine = guest.deps.store.inbounds(guest.conversation.id) if guest.conversation is not None else ()
    if not any(sha256 in (m.sha256, m.thumbnail) for i in mine for m in i.media):
        raise NotFoundError("file", sha256[:64])
    return file_answer(site_of(request).repairs.media(guest.visitor.org).get(sha256), sha256)


def file_answer(file: tuple[bytes, str] | None, sha256: str) -> Response:
    """Return a stored file; only pictures are shown, anything else is downloaded.

    Raises:
        NotFoundError: there is no such file.
    """
    if file is None:
        raise NotFoundError("file", sha256[:64])
    content, _ = file
    kind = sniff(content)
    shown = kind if kind in DECODED else ""
    headers = {"Content-Security-Policy": "default-src 'none'; sandbox", "Cache-Control": "private, max-age=86400"}
    if not shown:
        headers["Content-Disposition"] = f'attachment; filename="{sha256[:16]}"'
    return Response(content, media_type=shown or "application/octet-stream", headers=headers)


def check_origin(request: Request) -> None:
    """Refuse a form that another site's page sent; the link itself is the secret that it would need.

    Raises:
        AccessError: it was.
    """
    origin = request.headers.get("origin")
    if origin and origin != "null" and urlsplit(origin).netloc != request.headers.get("host"):
        raise AccessError("a form of this site", "this form was sent from another site", is_known=True)


def _guest(request: Request, token: str) -> Guest:
    """Read a link.

    Raises:
        NotFoundError: we did not make it, or it has been replaced by another.
    """
    site = site_of(request)
    visitor = read_link(site.secret, token)
    if visitor is None:
        raise NotFoundError("conversation behind this link", "", "ask your landlord for a new one")
    deps = site.repairs.deps(visitor.org)
    key = f"{Via.WEB}:{visitor.name}"
    known = bool(deps.store.homes_of([key], None, deps.clock.now())) or (not visitor.is_guest and _is_known(deps, key))
    if not known and not visitor.is_guest:
        raise NotFoundError("conversation behind this link", "", "ask your landlord for a new one")
    sender = ChannelIdentity(Via.WEB, visitor.name, None, verified=known)
    return Guest(visitor, deps, sender, conversation_of(deps, sender))


def _is_known(deps: ConversationDeps, key: str) -> bool:
    """Return whether a resident of an ended or future tenancy has this name; they may still write."""
    return any(key in home.resident.external_ids for home in deps.store.homes())


def _shown(request: Request, token: str, guest: Guest, template: str, refused: RejectedPost | None = None) -> Response:
    deps, of = guest.deps, guest.conversation
    transcript = lines_of(deps, of)[-MOST_LINES:]
    for line in transcript:
        if not line.is_resident and line.state not in (OutboxState.DELIVERED, OutboxState.READ, OutboxState.FAILED):
            deps.store.mark_outbox(line.id, OutboxState.DELIVERED)
    home = _home(deps, guest)
    values = {
        "lines": transcript,
        "path": f"/chat/{token}",
        "key": secrets.token_urlsafe(12),
        "first_name": home.resident.name.split()[0] if home is not None and home.resident.name.split() else "",
        "org_name": deps.voice.org_name,
        "waits": of is not None and of.due_at is not None and of.handed_off_at is None,
        "handed_off": of is not None and of.handed_off_at is not None,
        "danger": next((n for n in deps.pack.numbers if n in GENERAL), ""),
        "refused": refused,
        "zone": deps.rules.office.zone,
    }
    status = refused.status if refused is not None else 200
    return site_of(request).templates.TemplateResponse(request, template, values, status)


def _home(deps: ConversationDeps, guest: Guest) -> Home | None:
    """Return the home of the link's resident; of a guest only once they are confirmed."""
    if guest.conversation is not None and guest.conversation.tenancy_id:
        return deps.store.home(guest.conversation.tenancy_id)
    return next(iter(deps.store.homes_of([guest.sender.key], None, deps.clock.now())), None)


async def _wait_for_answer(request: Request, token: str, guest: Guest) -> Guest:
    """Wait until no message waits for a turn, at most `ANSWER_WAIT_S`."""
    until = guest.deps.clock.now() + timedelta(seconds=ANSWER_WAIT_S)
    while guest.conversation is not None and guest.conversation.due_at is not None and guest.deps.clock.now() < until:
        await asyncio.sleep(0.25)
        guest = await run_in_threadpool(_guest, request, token)
    return guest


def _take(request: Request, guest: Guest, written: ChatPost) -> None:
    """Store a resident's message; an emergency's words are stored and answered whatever else is wrong with it.

    Raises:
        HTTPException: 429, too many messages in a minute.
        UsageError: the file is too large, or none of those taken; or nothing was written.
    """
    before = guest.conversation.language if guest.conversation is not None else "en"
    kinds = [hit.kind for hit in dangers_heard(guest.deps.pack, written.text, before, guest.deps.dangers)]
    is_danger = bool(kinds)
    if not _is_to_be_answered(guest, kinds):
        _check_pace(guest, written)
    try:
        media = () if written.button else _store_upload(request, guest, written.photo)
    except UsageError as bad:
        if not is_danger:
            raise UsageError(f"{bad}; choose another file, or send your message without it") from bad
        _keep(guest, written, ())
        raise UsageError(f"your message was sent, but the file was not: {bad}") from bad
    if not (written.text or written.button or media):
        raise UsageError("write something, or choose a photo or a voice message")
    _keep(guest, written, media)


def _is_to_be_answered(guest: Guest, kinds: list[str]) -> bool:
    """Return whether a safety text is due for one of these emergencies: then no limit applies."""
    deps = guest.deps
    known = deps.store.events(guest.conversation.id) if guest.conversation is not None else ()
    now = deps.clock.now()
    return any(not emergency.was_warned(known, kind, now, deps.rules.safety_again_s) for kind in kinds)


def _keep(guest: Guest, written: ChatPost, media: tuple[Media, ...]) -> None:
    now = guest.deps.clock.now()
    kind = InboundKind.BUTTON if written.button else InboundKind.MEDIA if media else InboundKind.TEXT
    named = written.key if _KEY.fullmatch(written.key) else secrets.token_urlsafe(12)
    inbound = Inbound(guest.sender, WEB_NUMBER, named, kind, now, now, written.text, media, written.button)
    take_in(guest.deps, (inbound,))


def _check_pace(guest: Guest, written: ChatPost) -> None:
    """Refuse what is more than a person writes; what came before and is sent again is no more.

    Raises:
        HTTPException: 429, it is.
    """
    if guest.conversation is None:
        return
    since = guest.deps.clock.now() - timedelta(minutes=1)
    lately = [i.message_id for i in guest.deps.store.inbounds(guest.conversation.id) if i.received_at >= since]
    if len(lately) >= MOST_A_MINUTE and written.key not in lately:
        message = f"more than {MOST_A_MINUTE} messages in a minute; wait a moment and send it again"
        raise HTTPException(TOO_MANY, message)


def _refusal(refused: UsageError | HTTPException, text: str) -> RejectedPost:
    if isinstance(refused, HTTPException):
        return RejectedPost(refused.status_code, str(refused.detail), text)
    return RejectedPost(NOT_POSSIBLE, str(refused), text)


def _store_upload(request: Request, guest: Guest, photo: UploadFile | None) -> tuple[Media, ...]:
    """Keep a photo or a voice message that was sent along.

    Raises:
        UsageError: it is too large, or neither.
    """
    if photo is None or not photo.filename:
        return ()
    kept = site_of(request).repairs.keep_file(photo.file.read(), photo.content_type or "", guest.visitor.org)
    return (kept,)
