"""How rows of exports before format 6 are read: their columns become the fields of today's nouns.

Up to format 5 a row of a conversation was flat, nouns within it were JSON in texts, and lists of values stood for
nouns.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from saidonce.foundation.model import Objection, Span
from saidonce.foundation.model.conversation import Button, ModelCall
from saidonce.foundation.model.residents import Media

_NAMES = {
    "use": "embedding_use",
    "gateverdict": "gate_verdict",
    "admissionvector": "admission_vector",
    "gateevent": "gate_event",
    "issuemove": "issue_move",
    "landlordnotice": "landlord_notice",
    "waitingmedia": "waiting_media",
}

_SENDER = {name: f"sender.{name}" for name in ("via", "external_user_id", "phone", "verified")}

_PATHS: dict[str, dict[str, str]] = {
    "gate": {"parts": "fields"},
    "admission": {
        "admission_id": "admission.id", "text": "admission.candidate.text", "shown": "admission.candidate.fields",
        "content_hash": "admission.candidate.content_hash", "language": "admission.candidate.language",
        **{
            name: f"admission.{name}"
            for name in ("gate", "verdict_id", "submission", "partition", "at", "released_at")
        },
    },
    "property": {"property_id": "id"},
    "resident": {"resident_id": "id"},
    "tenancy": {"tenancy_id": "id"},
    "conversation": {
        **_SENDER, "conversation_id": "id", "identity_status": "identity", "gathering_state": "gathering",
        "description": "draft.description.value", "description_quote": "draft.description.quote",
        "location": "draft.location.value", "location_quote": "draft.location.quote", "category": "draft.category",
        "urgency": "draft.urgency", "photo_status": "draft.photo", "photo_quote": "draft.photo_quote",
        "media": "draft.media", "detail_asks": "draft.detail_asks", "draft_since": "draft.since",
    },
    "inbound": _SENDER,
    "turn": {
        "turn_id": "id", "identity_before": "identity.0", "identity_after": "identity.1",
        "gathering_before": "gathering.0", "gathering_after": "gathering.1",
    },
    "issue": {"issue_id": "id", "photo_status": "photo"},
    "issue_move": {"state_before": "before", "state_after": "after"},
    "emergency": {"event_id": "id"},
    "outbox": {
        "message_id": "message.id",
        **{
            name: f"message.{name}"
            for name in (
                "conversation_id", "turn_id", "kind", "text", "made_at", "buttons", "state", "external_id", "n_tries",
                "lease_until",
            )
        },
    },
    "landlord_notice": {
        name: f"notice.{name}" for name in ("dedupe_key", "event", "conversation_id", "at", "issue_id", "detail")
    },
}  # fmt: skip
"""Where the value of a column lies in the noun, by table; other columns are named as its fields."""


def _as(noun: type[Any]) -> Callable[[Any], Any]:
    """Return what turns lists of values into nouns."""
    names = [each.name for each in fields(noun)]
    return lambda lists: [dict(zip(names, values, strict=False)) for values in lists]


def _objections(lists: Any) -> Any:
    span = _as(Span)
    return [{**each, "a": span([each["a"]])[0], "b": span([each["b"]])[0]} for each in _as(Objection)(lists)]


_READ: dict[tuple[str, str], Callable[[Any], Any]] = {
    ("placement", "objections"): _objections,
    ("decision", "detail"): json.loads,
    ("opinion", "ruling"): json.loads,
    ("gate", "parts"): json.loads,
    ("admission", "submission"): json.loads,
    ("admission", "shown"): json.loads,
    ("inbound", "media"): lambda written: _as(Media)(json.loads(written)),
    ("turn", "calls"): lambda written: _as(ModelCall)(json.loads(written)),
    ("outbox", "buttons"): lambda written: _as(Button)(json.loads(written)),
    ("conversation", "category"): lambda value: value or None,
    ("conversation", "urgency"): lambda value: value or None,
    ("turn", "tool"): lambda value: value or None,
}
"""How the values of single columns were written."""

_DERIVED = {"opinion": ("outcome", "likelihood")}
"""Columns that follow from the others."""


def upgrade_row(values: dict[str, Any]) -> dict[str, Any]:
    """Return a row of format 2 to 5 as one of format 6.

    Raises:
        ValueError, TypeError, KeyError: a value is none that its column held.
    """
    table = _NAMES.get(values["row"], values["row"])
    paths = _PATHS.get(table, {})
    tree: dict[str, Any] = {"row": table}
    for name, value in values.items():
        if name == "row" or name in _DERIVED.get(table, ()):
            continue
        *path, last = paths.get(name, name).split(".")
        place = tree
        for part in path:
            place = place.setdefault(part, {})
        place[last] = _READ[table, name](value) if (table, name) in _READ else value
    if table == "conversation":
        for slot in ("description", "location"):
            if None in tree["draft"][slot].values():
                tree["draft"][slot] = None
    if table == "turn":
        for pair in ("identity", "gathering"):
            tree[pair] = [tree[pair]["0"], tree[pair]["1"]]
    return tree
