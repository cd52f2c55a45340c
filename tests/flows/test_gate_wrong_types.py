"""What callers without a type checker give the gate: refused with what is expected, and never authorised."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest

from saidonce.errors import UsageError
from saidonce.foundation.model import GateVerdict, Submission
from saidonce.gate import AdmittedIndex, Gate, authorize, define
from world import world


def gate() -> Gate:
    base = world().base
    definition = define(base, "tasks")
    return Gate(base, definition, AdmittedIndex("tasks", definition.model, definition.dim))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"text": None}, "the text of a submission must be a str, not NoneType"),
        ({"text": 5}, "the text of a submission must be a str, not int"),
        ({"title": None}, "the title of a submission must be a str, not NoneType"),
        ({"key": 7}, "the key of a submission must be a str, not int"),
        ({"fields": {"a": "b"}}, "not dict; pass tuple"),
        ({"fields": None}, "pairs of name and value, not NoneType"),
        ({"fields": "ab"}, "pairs of name and value, not str"),
        ({"fields": ("ab",)}, "pairs of name and value, such as"),
        ({"fields": (("a", "b", "c"),)}, "pairs of name and value, such as"),
        ({"fields": (("a", 1),)}, "the value of the field 'a' must be a str, not int"),
        ({"fields": ((1, "a"),)}, "the name of a field must be a str, not int"),
    ],
)
def test_a_part_of_another_type_is_refused_with_what_is_expected(given: dict[str, Any], says: str) -> None:
    opened = gate()
    wrong = Submission(**{"text": "Count the shirts.", **given})
    with pytest.raises(UsageError, match=says):
        opened.check(wrong)
    with pytest.raises(UsageError, match=says):
        list(opened.import_([wrong]))
    assert opened.stats().n == opened.stats().n_kept == 0


@pytest.mark.parametrize("given", [None, "Count the shirts.", {"text": "Count the shirts."}])
def test_what_is_no_submission_is_refused(given: Any) -> None:
    with pytest.raises(UsageError, match="a submission must be a Submission"):
        gate().check(given)


@pytest.mark.parametrize("given", [None, "gv-1", True, {"authorized": True}, object(), GateVerdict])
def test_what_is_no_verdict_authorises_nothing(given: Any) -> None:
    assert Gate.authorize(given) is False


@pytest.mark.parametrize("wrong", [None, 5, "x", [None]], ids=["none", "number", "text", "list"])
def test_a_verdict_with_a_part_of_another_type_authorises_nothing(wrong: Any) -> None:
    cleared = gate().check(Submission("Count the shirts.", fields=(("shop", "north"),)))
    assert authorize(cleared) is True
    for name in ("id", "submission", "fingerprint", "state", "verdict", "near", "rules", "policy", "override"):
        if not (wrong is None and name == "override"):
            assert authorize(replace(cleared, **{name: wrong})) is False, name
    for part in fields(Submission):
        forged: Any = replace(cleared.submission, **{part.name: wrong})
        if part.name not in ("key", "retry_of", "submitter") and getattr(cleared.submission, part.name) != wrong:
            assert authorize(replace(cleared, submission=forged)) is False, part.name
