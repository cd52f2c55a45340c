"""The part of the API that is about people, keys and channels; all of it needs the scope `admin`."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import Field

from saidonce.foundation.model import SCOPES_OF, ChannelKind, Role, Scope
from saidonce.interfaces.http.callers import MayAdmin, MaySeeAdmin
from saidonce.interfaces.http.schemas import Body, Moment, example
from saidonce.interfaces.views.people import ChannelId, ChannelView, KeyView, NewChannelView, NewKeyView, PersonView
from saidonce.platform import access, notifications

admin = APIRouter(tags=["people"])


class NewPerson(Body, json_schema_extra=example({"name": "ann", "email": "ann@example.com", "role": "reviewer"})):
    """A person to add."""

    name: str = Field(min_length=1, max_length=200)
    email: str = Field(default="", max_length=320)
    role: Role = Role.REVIEWER


class NewKey(Body, json_schema_extra=example({"person": "ann", "label": "laptop", "scopes": ["read", "review"]})):
    """A key to create."""

    person: str
    label: str = Field(default="", max_length=200)
    scopes: list[Scope] = Field(default_factory=list, description="all scopes of the person's role by default")
    expires_at: Moment | None = Field(default=None, description="time of expiry; null: never")
    addresses: list[Annotated[str, Field(max_length=50)]] = Field(
        default_factory=list,
        max_length=50,
        description="networks (CIDR) from which the key may be used; all by default",
    )


class NewChannel(
    Body, json_schema_extra=example({"kind": "webhook", "target": "https://example.com/hooks", "digest": "hourly"})
):
    """A channel for notifications of automatic merges and flags."""

    kind: ChannelKind
    target: str = Field(description="URL or e-mail address", max_length=2_000)
    owner: str = Field(default="", description="only blocks of this owner; all by default")
    digest: Literal["now", "hourly", "daily"] = "now"


@admin.get("/people", summary="List people")
def people(caller: MaySeeAdmin) -> list[PersonView]:
    """Return all people, by name."""
    return [PersonView.show(p) for p in caller.base.store.people.people()]


@admin.post("/people", summary="Add a person", status_code=201)
def add(caller: MayAdmin, body: NewPerson) -> PersonView:
    """Add a person; from then on everybody has to sign in."""
    person = access.add_person(caller.base.store, body.name, body.email, body.role, datetime.now(UTC))
    return PersonView.show(person)


@admin.post("/people/{name}/leave", summary="Record that a person has left")
def leave(caller: MayAdmin, name: str) -> PersonView:
    """Record that a person has left: their keys are revoked, and blocks that they own defer to other owners."""
    return PersonView.show(access.leave(caller.base.store, name, datetime.now(UTC)))


@admin.get("/keys", summary="List API keys")
def keys(caller: MaySeeAdmin) -> list[KeyView]:
    """Return all keys without their secrets."""
    api_keys = caller.base.store.people.keys()
    return [KeyView.show(k) for k in api_keys]


@admin.post("/keys", summary="Create an API key", status_code=201)
def make(caller: MayAdmin, body: NewKey) -> NewKeyView:
    """Create a key; `key` is returned only once."""
    store = caller.base.store
    scopes = body.scopes or list(Scope)
    if not body.scopes:
        person = store.people.person(body.person)
        scopes = sorted(SCOPES_OF[person.role]) if person is not None else scopes
    wish = access.KeyWish(body.person, body.label, frozenset(scopes), body.expires_at, tuple(body.addresses))
    key, presented = access.make_limited_key(store, wish, datetime.now(UTC), secrets.token_bytes)
    return NewKeyView.show(key, key=presented)


@admin.delete("/keys/{id}", summary="Revoke an API key")
def revoke(caller: MayAdmin, id: str) -> KeyView:
    """Revoke a key, and end the sessions that were started with it."""
    return KeyView.show(access.revoke(caller.base.store, id, datetime.now(UTC)))


@admin.get("/channels", summary="List channels")
def channels(caller: MaySeeAdmin) -> list[ChannelView]:
    """Return all channels without their secrets."""
    return [ChannelView.show(c) for c in caller.base.store.people.channels()]


@admin.post("/channels", summary="Add a channel", status_code=201)
def add_channel(caller: MayAdmin, body: NewChannel) -> NewChannelView:
    """Add a channel; its `secret`, which signs webhooks, is shown this once."""
    every_s = {"now": notifications.NOW_S, "hourly": notifications.HOURLY_S, "daily": notifications.DAILY_S}[
        body.digest
    ]
    channel = notifications.add_channel(
        caller.base.base, body.kind, body.target, body.owner, every_s, secrets.token_bytes
    )
    return NewChannelView.show(channel)


@admin.delete("/channels/{id}", summary="Remove a channel")
def drop_channel(caller: MayAdmin, id: str) -> ChannelId:
    """Remove a channel, with its notices."""
    notifications.remove_channel(caller.base.base, id)
    return ChannelId(id=id)
