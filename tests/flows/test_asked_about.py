"""What guards leave to a judge: words moved for a reason, modal verbs in other words; never exchanged roles."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from saidonce.app.equivalence import open_judge
from saidonce.foundation.model import Candidate, FactKind
from saidonce.foundation.text import content_hash
from saidonce.matching.agreement import Accord, Agreement, agreement, borne_out

FOLDER = Path(__file__).parents[1] / "cases" / "asked"
JOINED = (Agreement.SAME, Agreement.REPEATS_A, Agreement.REPEATS_B)


def pairs(name: str, label: str) -> list[tuple[str, str]]:
    """The pairs of a label in one file."""
    cases = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))["cases"]
    return [(case["a"], case["b"]) for case in cases if case["label"] == label]


def accord(a: str, b: str, language: str = "en") -> Accord:
    """How two texts agree by the guards alone."""
    one, two = (Candidate(text, content_hash(text), language=language) for text in (a, b))
    return agreement(one, two)


def joined(choice: str, found: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The pairs that are taken for the same or for a repeat by guards and a judge."""
    judge = open_judge(choice)
    candidates = [tuple(Candidate(text, content_hash(text), language="en") for text in pair) for pair in found]
    accords = (borne_out(a, b, agreement(a, b), judge) for a, b in candidates)
    return [pair for pair, of in zip(found, accords, strict=True) if of.agreement in JOINED]


@pytest.mark.parametrize("choice", ["none", "auto"])
@pytest.mark.parametrize("name", ["word_order", "modality", "word_order_after", "word_order_holes", "modality_holes"])
def test_no_change_is_joined(name: str, choice: str) -> None:
    assert joined(choice, pairs(name, "changed")) == []


@pytest.mark.parametrize(
    ("name", "alone", "with_judge"), [("word_order", 2, 22), ("word_order_after", 5, 13), ("modality", 2, 16)]
)
def test_a_judge_bears_out_what_is_left_open(name: str, alone: int, with_judge: int) -> None:
    rewordings = pairs(name, "same")
    assert len(joined("none", rewordings)) >= alone
    assert len(joined("auto", rewordings)) >= with_judge


EXCHANGED = [
    ("The mediator calls the lawyer if talks fail.", "If the negotiations fail, the lawyer phones the mediator."),
    ("A dog chased the fox across the field.", "Across the field, the dog was pursued by a fox."),
    ("Owing to low demand, the plant was shut.", "Demand was low because the plant had been closed."),
    ("The bank checks the broker before it signs.", "Checking of the bank by the broker takes place before signature."),
    (
        "On Monday the mayor announced that the bridge would close.",
        "The mayor said that the bridge would be shut on Monday.",
    ),
]


@pytest.mark.parametrize(("a", "b"), EXCHANGED)
def test_exchanged_roles_object_however_much_is_worded_otherwise(a: str, b: str) -> None:
    for one, two in ((a, b), (b, a)):
        found = accord(one, two)
        assert found.agreement is Agreement.OBJECTED
        quoted = [o for o in found.objections if o.kind is FactKind.ROLE]
        assert quoted
        assert all(o.a.text in one and o.b.text in two and o.a.text and o.b.text for o in quoted)


MOVED = [
    ("The ferry was cancelled because there was a strong wind.", "Owing to a strong wind, the ferry was cancelled."),
    ("Requests for holidays are addressed to Ms Lund.", "Holiday requests are directed to Ms Lund."),
    ("The bakery gives unsold bread to the shelter.", "Unsold bread is donated to the shelter by the bakery."),
    ("The printer can hold 500 sheets.", "The printer is capable of holding 500 sheets."),
    ("Owners must register their boats.", "Owners have a duty to register their boats."),
]


@pytest.mark.parametrize(("a", "b"), MOVED)
def test_what_moved_for_a_reason_is_open_and_joined_by_nobody_but_a_judge(a: str, b: str) -> None:
    for one, two in ((a, b), (b, a)):
        assert accord(one, two).agreement is Agreement.OPEN
    assert joined("none", [(a, b)]) == []
    assert joined("auto", [(a, b)]) == [(a, b)]


SWAPPED = [
    ("de", "Der Vermieter ruft den Mieter an.", "Der Mieter ruft den Vermieter an."),
    ("fr", "Le bailleur appelle le locataire.", "Le locataire appelle le bailleur."),
    ("es", "El casero llama al inquilino.", "El inquilino llama al casero."),
]


@pytest.mark.parametrize(("language", "a", "b"), SWAPPED)
def test_other_languages_are_read_as_before(language: str, a: str, b: str) -> None:
    """No judge reads them: what is open there stays apart."""
    one, two = (Candidate(text, content_hash(text), language=language) for text in (a, b))
    guarded = agreement(one, two)
    assert guarded.agreement not in JOINED
    assert borne_out(one, two, guarded, open_judge("auto")).agreement not in JOINED
