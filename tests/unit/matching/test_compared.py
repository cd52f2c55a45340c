"""Two texts as they are compared: what is read in a pair is shown where it stands in the two texts as they were."""

import tomllib
from pathlib import Path

import pytest

from saidonce.foundation.model import Candidate, FactKind, Kind, Objection, Span
from saidonce.foundation.text import content_hash
from saidonce.matching.agreement import Agreement, agreement
from saidonce.matching.compared import ComparedPair, compared
from saidonce.matching.facts.plain import both
from saidonce.matching.guards import REPEAT_GUARDS, first_objection_to
from saidonce.matching.ladder import first_objection

PLAIN = tomllib.loads((Path(__file__).parents[2] / "cases" / "plain_words" / "pairs.toml").read_text(encoding="utf-8"))[
    "cases"
]


def of(text: str, kind: Kind = Kind.PARAGRAPH, language: str = "en") -> Candidate:
    return Candidate(text, content_hash(text), kind, language)


HELD = of("Hold `Ctrl+D` for 5 seconds."), of("Hold Ctrl + D for 9 seconds.")


def test_a_pair_is_in_one_markup_and_knows_its_places_from_either_side() -> None:
    pair = compared(*HELD)
    assert pair.a.text == pair.b.text.replace("9", "5")
    at = pair.a.text.index("5"), pair.b.text.index("9")
    digits = Objection(FactKind.NUMBER, Span(at[0], at[0] + 1, "5"), Span(at[1], at[1] + 1, "9"))
    (placed,) = pair.in_place([digits])
    assert (placed.a.start, placed.b.start) == (HELD[0].text.index("5"), HELD[1].text.index("9"))
    assert pair.mirrored.in_place([digits.mirrored]) == (placed.mirrored,)


def test_texts_in_one_markup_are_a_pair_as_they_are() -> None:
    assert compared(of("Hold it."), of("Hold it twice.")) == ComparedPair(of("Hold it."), of("Hold it twice."))


def test_guards_object_to_a_pair_as_to_its_texts() -> None:
    pair = compared(*HELD)
    assert pair.in_place(first_objection_to(pair)) == first_objection(REPEAT_GUARDS, *HELD) != ()


def test_what_an_objection_quotes_of_a_whole_text_stays() -> None:
    """A kind stands nowhere in the text, in whatever markup that is."""
    a, b = of("- Press `Ctrl+D`.\n- Wait.", Kind.LIST), of("Press Ctrl + D for a minute.", Kind.CAPTION)
    kinds = [(o.a.text, o.b.text) for o in agreement(a, b).objections if o.kind is FactKind.KIND]
    assert kinds == [("list", "caption")]


ROWS = (("Room", "Seats", "Projector"), ("Oak", "12", "yes"), ("Elm", "30", "no"))
TABLE = Candidate("\n".join(map(" | ".join, ROWS)), "rows", Kind.TABLE, "en", rows=ROWS)


def test_a_table_says_what_sentences_state_of_each_cell() -> None:
    stated = of("The room Oak has 12 seats and a projector. The room Elm has 30 seats and no projector.")
    assert agreement(TABLE, stated).agreement is agreement(stated, TABLE).agreement is Agreement.SAME


@pytest.mark.parametrize(
    "text",
    [
        "The room Oak has 30 seats and a projector. The room Elm has 12 seats and no projector.",
        "Room Seats Projector Oak 12 yes Elm 30 no",
        "The room Oak has 12 seats and a projector.",
    ],
)
def test_a_table_beside_other_words_is_another_kind(text: str) -> None:
    objections = agreement(TABLE, of(text)).objections
    assert (FactKind.KIND, "table", "paragraph") in [(o.kind, o.a.text, o.b.text) for o in objections]


def test_a_language_of_two_is_that_of_both() -> None:
    assert compared(of("Rot."), of("Red.")).language == "en"
    assert compared(of("Rot.", language="de"), of("Red.")).language == "und"


@pytest.mark.parametrize("case", PLAIN, ids=lambda case: case["b"])
def test_plain_words_that_are_one_both_ways_are(case: dict[str, str]) -> None:
    """Where it is shown, two texts are written the same if the other one of them comes first."""
    a, b, language = case["a"], case["b"], case["language"]
    one, two = (both._written(*texts, language, both._REASONS) for texts in ((a, b), (b, a)))
    assert one.is_one_both_ways is two.is_one_both_ways
    if one.is_one_both_ways:
        assert one.reasons == two.reasons
        assert not one.reasons or (one.a, one.b) == (two.b, two.a)
