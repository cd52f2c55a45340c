"""An issue as people read it: no reprs, who lives there and where."""

from __future__ import annotations

import pytest

from saidonce.errors import UsageError
from saidonce.foundation.model.conversation import Category, Issue, PhotoStatus, Urgency
from saidonce.foundation.model.residents import Home, Property, Resident, Tenancy
from saidonce.interfaces.cli.conversations import issue_fields, only
from saidonce.quality.scenario import NOON

HOME = Home(
    Tenancy("t-ana", "p-1", "r-ana", NOON),
    Property("p-1", "12 Elm Road", "Flat 2", "", "LS6 3AB"),
    Resident("r-ana", "Ana Bell"),
)


def issue(**changes: object) -> Issue:
    given: dict[str, object] = {
        "id": "5a1c", "conversation_id": "c", "turn_id": "t", "tenancy_id": "t-ana", "property_id": "p-1",
        "description": "tap drips", "location": "kitchen", "category": Category.PLUMBING,
        "urgency": Urgency.ROUTINE, "photo": PhotoStatus.NONE, "created_at": NOON,
    }  # fmt: skip
    return Issue(**{**given, **changes})  # type: ignore[arg-type]


def test_an_issue_names_resident_and_address() -> None:
    shown = dict(issue_fields(issue(media=("m1", "m2")), HOME))
    assert (shown["resident"], shown["address"]) == ("Ana Bell", "Flat 2, 12 Elm Road, LS6 3AB")
    assert (shown["media"], shown["also_affected"], shown["needs_call"]) == ("m1, m2", "-", "no")
    assert not any(sign in value for value in shown.values() for sign in ("[", "None", "False"))
    assert dict(issue_fields(issue(needs_call=True), None))["resident"] == "-"


def test_an_empty_id_is_refused() -> None:
    with pytest.raises(UsageError, match="the id is empty; give the first digits of the issue's id"):
        only("issue", "", [issue()])
