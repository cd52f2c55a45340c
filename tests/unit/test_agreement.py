"""How two texts agree, whatever their similarity."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saidonce.foundation.model import Candidate, Equivalence, FactKind, Kind, Rewording
from saidonce.foundation.text import content_hash
from saidonce.matching.agreement import Accord, Agreement, agreement, borne_out

RULE = "Visitors sign the book at the front desk."
MORE = f"{RULE} They hand in their badge when they leave the building."

CASES = [
    (RULE, RULE, Agreement.SAME),
    (RULE, "Visitors  sign the book at the front desk", Agreement.SAME),
    (MORE, RULE, Agreement.REPEATS_A),
    (RULE, MORE, Agreement.REPEATS_B),
    ("The lease runs for 12 months.", "The lease runs for 18 months.", Agreement.OBJECTED),
    ("Guests may use the pool.", "Guests may not use the pool.", Agreement.OBJECTED),
    ("Call the office before the visit.", "Call the office after the visit.", Agreement.OBJECTED),
    ("The caretaker mends broken lamps.", "Broken lights are repaired by the janitor.", Agreement.OPEN),
    ("Open `main.toml` first.", "Open `site.toml` first.", Agreement.OBJECTED),
]


def text(content: str, language: str = "en") -> Candidate:
    return Candidate(content, content_hash(content), language=language)


@pytest.mark.parametrize(("a", "b", "agrees"), CASES)
def test_how_two_texts_agree(a: str, b: str, agrees: Agreement) -> None:
    assert agreement(text(a), text(b)).agreement is agrees


@pytest.mark.parametrize(
    ("a", "b", "is_same"),
    [
        ("rate = total + n", "rate = total - n", False),
        ("if a == b: stop()", "if a != b: stop()", False),
        ("grep -v ok | sort", "grep -v ok > sort", False),
        ("if not (a and b): go()", "if not a and b: go()", False),
        ('log.debug("%s" % (path))', 'log.debug("%s", path)', False),
        ("git branch -d old", "git branch -D old", False),
        ("from queue import Task", "from queue import task", False),
        ("rate = total + n", "rate  =  total +\n    n", True),
    ],
)
def test_code_has_the_same_words_and_signs_in_the_same_order(a: str, b: str, is_same: bool) -> None:
    one, other = (replace(text(side), kind=Kind.CODE, content_hash=content_hash(side, True)) for side in (a, b))
    assert (agreement(one, other).agreement is Agreement.SAME) == is_same


@pytest.mark.parametrize(("a", "b"), [("Set x = a + b first.", "Set x = a - b first."), ("a == b here", "a != b here")])
def test_another_sign_between_two_words_is_quoted(a: str, b: str) -> None:
    accord = agreement(text(a), text(b))
    assert accord.agreement is Agreement.OBJECTED
    assert next(len(o.a.text) and len(o.b.text) for o in accord.objections) in (1, 2)


def test_a_contradiction_quotes_both_values() -> None:
    accord = agreement(text("The lease runs for 12 months."), text("The lease runs for 18 months."))
    assert [(o.a.text, o.b.text) for o in accord.objections] == [("12 months", "18 months")]
    assert all(o.kind is not FactKind.TERM for o in accord.objections)


def test_what_nothing_bears_out_is_quoted() -> None:
    accord = agreement(text(MORE), text(RULE))
    assert accord.unaccounted[0].a.text
    assert accord.unaccounted[0].a.text in MORE


def test_of_two_sentences_what_one_says_in_another_form_is_no_reason_and_the_other_is_quoted() -> None:
    a = text("Empty the drawer every evening. The pump stops if the tank is empty. Keep the lid shut.")
    b = text("The drawer has to be emptied every evening. The pump stops if the tank is hot. Keep the lid shut.")
    accord = agreement(a, b)
    assert accord.agreement is Agreement.OPEN
    assert [(o.a.text, o.b.text) for o in accord.unaccounted] == [("empty", "hot")]


def test_a_sentence_that_says_the_same_hides_no_contradiction_of_another() -> None:
    a = text("Empty the drawer every evening. The filter is kept for 30 days.")
    b = text("The drawer has to be emptied every evening. The filter is kept for 90 days.")
    accord = agreement(a, b)
    assert accord.agreement is Agreement.OBJECTED
    assert [o.kind for o in accord.objections] == [FactKind.NUMBER]


def test_a_language_that_nobody_reads_is_open_unless_its_words_are_equal() -> None:
    one, other = "Kopi simpan selama tiga puluh hari.", "Kopi simpan selama sembilan puluh hari."
    assert agreement(text(one, "id"), text(other, "id")).agreement is Agreement.OPEN
    assert agreement(text(one, "id"), text(f" {one}", "id")).agreement is Agreement.SAME


FOLDER = Path(__file__).parent.parent / "cases" / "agreement"
TABLES: list[dict[str, Any]] = [
    case for file in sorted(FOLDER.glob("*.toml")) for case in tomllib.loads(file.read_text("utf-8"))["case"]
]
APART = {Agreement.OPEN, Agreement.OBJECTED}


@pytest.mark.parametrize("case", TABLES, ids=lambda case: f"{case['kind']}: {case['b'][:40]}")
def test_each_kind_of_difference_both_ways(case: dict[str, Any]) -> None:
    a, b = (text(case[side], case.get("language", "en")) for side in "ab")
    wanted = APART if case["agreement"] == "apart" else {Agreement(case["agreement"])}
    accord, turned = agreement(a, b), agreement(b, a)
    assert accord.agreement in wanted, accord
    assert turned.mirrored.agreement is accord.agreement
    assert all(o.a.text or o.b.text for o in (*accord.objections, *accord.unaccounted)), "an objection quotes a place"


class ScriptedJudge:
    """Bears out the rewordings that it was given, and notes what it was asked."""

    name = "scripted"

    def __init__(self, *same: str) -> None:
        self.same, self.asked = same, list[Rewording]()

    def judge(self, rewordings: Sequence[Rewording]) -> list[Equivalence]:
        self.asked += rewordings
        return [Equivalence(r.b in self.same, 0.99 if r.b in self.same else 0.01) for r in rewordings]


LAMPS, LIGHTS = "The caretaker mends broken lamps.", "Broken lights are repaired by the janitor."


def judged(a: str, b: str, judge: ScriptedJudge) -> Accord:
    one, two = text(a), text(b)
    return borne_out(one, two, agreement(one, two), judge)


def test_a_judge_bears_out_what_is_open() -> None:
    judge = ScriptedJudge(LIGHTS)
    accord = judged(LAMPS, LIGHTS, judge)
    assert accord.agreement is Agreement.SAME
    assert [(r.a, r.b, answer.is_same) for r, answer in accord.judged] == [(LAMPS, LIGHTS, True)]
    assert accord.judge == "scripted"
    assert judged(LAMPS, LIGHTS, ScriptedJudge()).agreement is Agreement.OPEN


def test_equal_sentences_are_not_asked_about() -> None:
    judge = ScriptedJudge(LIGHTS)
    assert judged(f"{RULE} {LAMPS}", f"{RULE} {LIGHTS}", judge).agreement is Agreement.SAME
    assert [r.b for r in judge.asked] == [LIGHTS]


def test_a_sentence_more_makes_a_repeat_unless_it_takes_something_back() -> None:
    more = "The stairs are swept and mopped every single Monday."
    assert judged(LAMPS, f"{LIGHTS} {more}", ScriptedJudge(LIGHTS)).agreement is Agreement.REPEATS_B
    assert judged(f"{LAMPS} {more}", LIGHTS, ScriptedJudge(LIGHTS)).agreement is Agreement.REPEATS_A
    limited = "However, lamps in cellars are excluded from this."
    assert judged(LAMPS, f"{LIGHTS} {limited}", ScriptedJudge(LIGHTS)).agreement is Agreement.OPEN


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The lease runs for 12 months.", "The tenancy lasts 18 months."),
        ("The caretaker mends broken lamps before noon.", "Broken lights are repaired by the janitor after noon."),
        ("Open `main.toml` to change the port.", "Edit `site.toml` to set the port."),
        ("You mend broken lamps.", "We repair broken lights."),
        ("Visitors sign the book.", "The book signs visitors."),
    ],
)
def test_no_judge_lifts_an_objection(a: str, b: str) -> None:
    assert judged(a, b, ScriptedJudge(b)).agreement in APART


def test_nobody_is_asked_in_a_language_that_is_not_read() -> None:
    one, other = text("Kopi simpan selama bulan ini.", "id"), text("Kopi disimpan dalam bulan ini.", "id")
    judge = ScriptedJudge(other.text)
    assert borne_out(one, other, agreement(one, other), judge).agreement is Agreement.OPEN
    assert not judge.asked


SENTENCES = st.lists(
    st.sampled_from(
        [RULE, "The book lies open.", "Keys cost 30 euro.", "Keys cost 90 euro.", "Nobody may smoke here.", "Ask Ann."]
    ),
    min_size=1,
    max_size=4,
).map(" ".join)
MIRROR = {Agreement.REPEATS_A: Agreement.REPEATS_B, Agreement.REPEATS_B: Agreement.REPEATS_A}


@given(SENTENCES, SENTENCES)
def test_swapping_the_texts_swaps_the_answer(a: str, b: str) -> None:
    one, other = agreement(text(a), text(b)), agreement(text(b), text(a))
    assert other.agreement is MIRROR.get(one.agreement, one.agreement)
    assert isinstance(one, Accord)


@given(SENTENCES)
def test_a_text_agrees_with_itself(a: str) -> None:
    assert agreement(text(a), text(f"{a} ")).agreement is Agreement.SAME


@pytest.mark.parametrize("mark", ["{}. ", "  {}) ", "({}) "])
def test_whole_statements_of_a_numbered_list_keep_their_places(mark: str) -> None:
    one, two = "Backups are used to restore the wiki.", "Mirrors are used to spread the load."
    here, there = (
        "\n".join(mark.format(n) + line for n, line in enumerate(order, 1)) for order in ((one, two), (two, one))
    )
    assert agreement(text(here), text(there)).agreement is Agreement.OPEN
    assert agreement(text(f"{one} {two}"), text(f"{two} {one}")).agreement is Agreement.SAME


@pytest.mark.parametrize(
    ("longer", "shorter", "added"),
    [
        ("Oil is kept in zone D, unless open food is stored there.", "Oil is kept in zone D.",
         "unless open food is stored there"),
        ("Where it is dry, oil is kept in zone D.", "Oil is kept in zone D.", "Where it is dry"),
        ("Oil is kept in zone D while it rains.", "Oil is kept in zone D.", "while it rains"),
    ],
)  # fmt: skip
def test_what_one_text_adds_is_quoted_whole(longer: str, shorter: str, added: str) -> None:
    accord = agreement(text(longer), text(shorter))
    assert [(o.a.text, o.b.text) for o in accord.unaccounted or accord.objections] == [(added, "")]
    turned = agreement(text(shorter), text(longer))
    assert [(o.a.text, o.b.text) for o in turned.unaccounted or turned.objections] == [("", added)]
