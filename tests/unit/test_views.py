"""Views: read off nouns, written with offsets and without secrets, shortened for agents, described by docstrings."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import ClassVar

import pytest
from pydantic import ValidationError

from saidonce.foundation.model import Channel, ChannelKind
from saidonce.interfaces.mcp.size_budget import MAX_CUTS, MAX_RESULT_CHARS, fitted
from saidonce.interfaces.views.base import At, View
from saidonce.interfaces.views.docstrings import spread
from saidonce.interfaces.views.mcp import MAX_TEXT_CHARS, McpText, McpWhy
from saidonce.interfaces.views.people import ChannelView, NewChannelView

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@dataclass(frozen=True)
class Part:
    name: str
    size: int


@dataclass(frozen=True)
class Whole:
    name: str
    part: Part
    at: datetime


class WholeView(View):
    PARTS = ("part",)
    DERIVED: ClassVar = {"loud": lambda whole: whole.name.upper()}

    name: str
    size: int
    loud: str
    at: At


class Outer(View):
    inner: WholeView


def test_a_field_is_the_nouns_own_or_of_its_part_or_derived() -> None:
    view = WholeView.show(Whole("whole", Part("part", 3), NOON))
    assert view.data() == {"name": "whole", "size": 3, "loud": "WHOLE", "at": "2026-03-01T12:00:00+00:00"}


def test_values_stand_before_the_noun() -> None:
    assert WholeView.show(Whole("whole", Part("part", 3), NOON), name="other", loud="!").data()["name"] == "other"


def test_nouns_inside_are_read_alike() -> None:
    @dataclass(frozen=True)
    class Holder:
        inner: Whole

    assert Outer.show(Holder(Whole("whole", Part("part", 3), NOON))).inner.size == 3


def test_what_neither_noun_nor_part_has_is_an_error() -> None:
    with pytest.raises(ValidationError, match="size"):
        WholeView.show(Whole("whole", "no part", NOON))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "target", "shown"),
    [
        (ChannelKind.WEBHOOK, "https://user:pw@hooks.example.com/T0/secret?key=1", "https://hooks.example.com/..."),
        (ChannelKind.EMAIL, "ann@example.com", "ann@example.com"),
    ],
)
def test_a_channel_keeps_its_secrets(kind: ChannelKind, target: str, shown: str) -> None:
    channel = Channel("c1", kind, target, "", 0, "signing secret", 0, NOON)
    data = ChannelView.show(channel).data()
    assert "secret" not in data
    assert data["target"] == shown
    assert NewChannelView.show(channel).secret == "signing secret"


def why_with(*texts: str) -> McpWhy:
    shown = tuple(McpText(id=str(n), text=text) for n, text in enumerate(texts))
    data = {
        "id": "0",
        "kept_by": "",
        "block": None,
        "histories": (),
        "decisions": (),
        "texts": shown,
        "cut": ("before",),
    }
    return McpWhy.model_validate(data)


def test_texts_are_shortened_to_their_limit_and_each_cut_is_named() -> None:
    fit = fitted(why_with("x" * (MAX_TEXT_CHARS + 5), "short"))
    assert [len(each.text) for each in fit.texts] == [MAX_TEXT_CHARS, 5]
    assert fit.cut == ("before", f"texts[0].text: the first {MAX_TEXT_CHARS} of {MAX_TEXT_CHARS + 5} characters")


def test_a_result_has_a_limit_of_its_own() -> None:
    fit = fitted(why_with(*["x" * MAX_TEXT_CHARS] * 12))
    assert sum(len(each.text) for each in fit.texts) == MAX_RESULT_CHARS
    assert fit.cut[-1] == "texts: the first 7 of 12"


def test_very_many_cuts_are_counted() -> None:
    fit = fitted(why_with(*["x" * (MAX_TEXT_CHARS + 1)] * 3))
    assert len(fit.cut) <= MAX_CUTS + 2
    assert fitted(fit.model_copy(update={"cut": ()})).cut == ()


def test_limits_stand_in_the_schema() -> None:
    properties = McpText.model_json_schema(mode="serialization")["properties"]
    assert properties["text"]["maxLength"] == MAX_TEXT_CHARS


def test_docstrings_describe_the_fields_that_they_name() -> None:
    says = "A noun.\n\nAttributes:\n    a, b: of both,\n        in two lines.\n    c: own.\n\nSource: a book."
    definitions = {"Noun": {"description": says, "properties": {"a": {}, "b": {"description": "kept"}, "c": {}}}}
    spread(definitions)
    assert definitions["Noun"]["description"] == "A noun."
    assert definitions["Noun"]["properties"] == {
        "a": {"description": "of both, in two lines."}, "b": {"description": "kept"}, "c": {"description": "own."},
    }  # fmt: skip
