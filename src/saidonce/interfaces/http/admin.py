"""The part of the API that is about people, keys and channels; all of it needs the scope `admin`."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Request
from pydantic import Field

from saidonce.foundation.model import SCOPES_OF, ChannelKind, Role, Scope
from saidonce.interfaces.http.schemas import Body
from saidonce.interfaces.http.site import Caller, allowed, check_form
from saidonce.interfaces.views.kb import channel_json, key_json, person_json
from saidonce.platform import access, notifications

admin = APIRouter(prefix="/api/v1", tags=["people"])

Token = Annotated[str, Header(alias="X-CSRF-Token", description="the session's token, instead of an API key")]
Json = dict[str, Any]


class NewPerson(Body):
    """Somebody to add."""

    name: str = Field(min_length=1, max_length=200)
    email: str = Field(default="", max_length=320)
    role: Role = Role.REVIEWER


class NewKey(Body):
    """A key to make."""

    person: str
    label: str = Field(default="", max_length=200)
    scopes: list[Scope] = Field(default_factory=list, description="all that the person's role allows by default")


class NewChannel(Body):
    """Where to tell of automatic merges and flags."""

    kind: ChannelKind
    target: str = Field(description="a URL, or an e-mail address", max_length=2_000)
    owner: str = Field(default="", description="only of blocks of this owner")
    digest: Literal["now", "hourly", "daily"] = "now"


def _asked(request: Request, token: str) -> Caller:
    caller = allowed(request, Scope.ADMIN)
    if caller.csrf and request.method != "GET":
        check_form(request, caller, token)
    return caller


@admin.get("/people", summary="List people")
def people(request: Request) -> list[Json]:
    """Give all people, by name."""
    return [person_json(p) for p in _asked(request, "").base.store.people.people()]


@admin.post("/people", summary="Add a person", status_code=201)
def add(request: Request, body: NewPerson, token: Token = "") -> Json:
    """Add somebody; from then on everybody signs in."""
    store = _asked(request, token).base.store
    return person_json(access.add_person(store, body.name, body.email, body.role, datetime.now(UTC)))


@admin.post("/people/{name}/leave", summary="Note that a person left")
def leave(request: Request, name: str, token: Token = "") -> Json:
    """Note that somebody left: their keys end, and blocks they own defer to other owners."""
    return person_json(access.leave(_asked(request, token).base.store, name, datetime.now(UTC)))


@admin.get("/keys", summary="List API keys")
def keys(request: Request) -> list[Json]:
    """Give all keys without their secrets."""
    api_keys = _asked(request, "").base.store.people.keys()
    return [key_json(k) for k in api_keys]


@admin.post("/keys", summary="Make an API key", status_code=201)
def make(request: Request, body: NewKey, token: Token = "") -> Json:
    """Make a key; `key` is shown this once."""
    store = _asked(request, token).base.store
    scopes = body.scopes or list(Scope)
    if not body.scopes:
        person = store.people.person(body.person)
        scopes = sorted(SCOPES_OF[person.role]) if person is not None else scopes
    key, presented = access.make_key(store, body.person, body.label, scopes, datetime.now(UTC), secrets.token_bytes)
    return {**key_json(key), "key": presented}


@admin.delete("/keys/{id}", summary="Revoke an API key")
def revoke(request: Request, id: str, token: Token = "") -> Json:
    """Revoke a key; sessions that it began end too."""
    return key_json(access.revoke(_asked(request, token).base.store, id, datetime.now(UTC)))


@admin.get("/channels", summary="List channels")
def channels(request: Request) -> list[Json]:
    """Give all channels without their secrets."""
    return [channel_json(c) for c in _asked(request, "").base.store.people.channels()]


@admin.post("/channels", summary="Add a channel", status_code=201)
def add_channel(request: Request, body: NewChannel, token: Token = "") -> Json:
    """Add a channel; its `secret`, which signs webhooks, is shown this once."""
    every_s = {"now": notifications.NOW_S, "hourly": notifications.HOURLY_S, "daily": notifications.DAILY_S}[
        body.digest
    ]
    base = _asked(request, token).base.base
    channel = notifications.add_channel(base, body.kind, body.target, body.owner, every_s, secrets.token_bytes)
    return {**channel_json(channel), "secret": channel.secret}


@admin.delete("/channels/{id}", summary="Take a channel away")
def drop_channel(request: Request, id: str, token: Token = "") -> Json:
    """Take a channel away, with its notices."""
    notifications.remove_channel(_asked(request, token).base.base, id)
    return {"id": id}
