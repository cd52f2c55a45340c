"""How a sentence stands to the letter: which words are quoted, where they stand, and what is no objection."""

from __future__ import annotations

import pytest

from saidonce.foundation.model import FactKind, Objection
from saidonce.matching.facts import standing
from saidonce.matching.facts.standing import other_standing

MODALITY, DATE, QUANTIFIER = FactKind.MODALITY, FactKind.DATE, FactKind.QUANTIFIER
TENSE = FactKind.TENSE
ROLE, IDENTIFIER, NEGATION = FactKind.ROLE, FactKind.IDENTIFIER, FactKind.NEGATION

OBJECTIONS = [
    ("en", MODALITY, "Frost [appears to] have cracked the basin.", "Frost cracked the basin.[]"),
    (
        "en",
        MODALITY,
        "The hall is open. Frost [appears to] have cracked it. Go.",
        "The hall is open. Frost cracked it.[]",
    ),
    ("de", MODALITY, "Das Seil wurde [angeblich] gekappt.", "Das Seil wurde gekappt.[]"),
    ("en", MODALITY, "The clerk [tried to] mend the sash.", "The clerk mended the sash.[]"),
    ("fr", MODALITY, "Il n'est [pas nécessaire] de fermer la porte.", "Il ne doit pas fermer la porte.[]"),
    ("nl", MODALITY, "De deur [hoeft] niet dicht.", "De deur mag niet dicht.[]"),
    ("en", QUANTIFIER, "All the hatches [but] one are shut.", "All the hatches are shut.[]"),
    ("en", DATE, "Send the form [within ten days].", "Send the form [in ten days]."),
    ("en", DATE, "Send the form [before 3 May].", "Send the form [on 3 May]."),
    ("en", DATE, "Send the form [until 3 May].", "Send the form [by 3 May]."),
    ("en", DATE, "Send the form [from 3 May].", "Send the form [until 3 May]."),
    ("en", DATE, "Wait [for ten days].", "Wait [within ten days]."),
    ("en", DATE, "From 1 May you may call; send it [before 3 May].", "From 1 May you may call; send it [after 3 May]."),
    ("fr", DATE, "Rendez la clé [dans les dix jours].", "Rendez la clé [dans dix jours]."),
    ("it", DATE, "Paga [nei dieci giorni].", "Paga [in dieci giorni]."),
    ("en", DATE, "The fee rose [last year].", "The fee rose [this year]."),
    ("en", DATE, "The fee rose [Last Year].", "The fee rose [this year]."),
    ("en", DATE, "Last week was wet and [next year] is dry.", "Last week was wet and [this year] is dry."),
    ("en", QUANTIFIER, "[Hundreds] of tiles fell.", "[Thousands] of tiles fell."),
    ("en", QUANTIFIER, "Of tiles, [tens of thousands] fell.", "Of tiles, [hundreds of thousands] fell."),
    ("en", TENSE, "The firm [mended] the gate.", "The company [mends] the gate."),
    ("en", TENSE, "The firm [repaired] the gate.", "The firm [repairs] the gate."),
    ("en", TENSE, "The firm [was quickly mending] the gate.", "The firm [had just mended] the gate."),
    ("en", ROLE, "The [lid of the box] is red.", "The [box with the lid] is red."),
    ("en", ROLE, "The [Lid of a box] is red.", "A [box with its lid] is red."),
    ("en", IDENTIFIER, "Set [`a`] before you set `b`.", "Set [`b`] before you set `a`."),
    ("en", IDENTIFIER, "Set `a` before you set [`b`], `c`.", "Set `a` before you set [`c`], `b`."),
    ("de", NEGATION, "Er beschloss[, heute nicht zu] gehen.", "Er beschloss [nicht, heute zu] gehen."),
]


def quoted(marked: str) -> tuple[str, tuple[int, int, str]]:
    """Return a text without its brackets, and the place that they frame; `[]` is the end of the text."""
    start, end = marked.index("["), marked.index("]") - 1
    bare = marked.replace("[", "", 1).replace("]", "", 1)
    return bare.replace("[]", ""), (start, end, bare[start:end])


def places(objection: Objection) -> tuple[tuple[int, int, str], ...]:
    return tuple((span.start, span.end, span.text) for span in (objection.a, objection.b))


@pytest.mark.parametrize(("language", "kind", "marked_a", "marked_b"), OBJECTIONS)
def test_the_words_that_differ_are_quoted_where_they_stand(
    language: str, kind: FactKind, marked_a: str, marked_b: str
) -> None:
    (a, place_a), (b, place_b) = quoted(marked_a), quoted(marked_b)
    (objection,) = other_standing(a, b, language)
    assert (objection.kind, places(objection)) == (kind, (place_a, place_b))
    (turned,) = other_standing(b, a, language)
    assert (turned.kind, places(turned)) == (kind, (place_b, place_a))


NONE = [
    ("en", "The crane reportedly failed its test.", "The crane may have failed its test."),
    ("en", "The crane reportedly failed its test.", "The maker says the crane failed its test."),
    ("en", "The crane reportedly failed its test.", "The crane apparently failed its test."),
    ("en", "The clerk tried to mend the sash.", "The clerk was eager to mend the sash."),
    ("en", "The clerk tried to mend the sash.", "The clerk may mend the sash."),
    ("fr", "Il n'est pas nécessaire de fermer la porte.", "Il doit fermer la porte."),
    ("fr", "Il n'est pas nécessaire de fermer la porte.", "Il ne ferme pas la porte."),
    ("en", "All the hatches but one are shut.", "All the hatches except one are shut."),
    ("de", "All the hatches but one sind zu.", "All the hatches sind zu."),
    ("en", "Send the form from 3 May.", "Send the form since 3 May."),
    ("en", "Pay after 3 May and before 3 May.", "Pay before 3 May."),
    ("fr", "Rendez la clé dans les dix jours.", "Rendez la clé dans les dix jours, merci."),
    ("fr", "Rendez la clé dans les dix jours.", "Rendez la clé."),
    ("en", "The fee rises next year.", "The fee rises the following year."),
    ("en", "The fee rose Last Year.", "The fee rose past year."),
    ("en", "hundreds of tiles fell.", "Hundreds of tiles fell."),
    ("en", "Hundreds of tiles fell.", "Tiles fell."),
    ("en", "Who mended the gate?", "Who mends the gate?"),
    ("en", "The firm mended the gate?", "The company mends the gate?"),
    ("de", "The firm mended the gate.", "The company mends the gate."),
    ("en", "Fill in 5 litres of oil.", "Fill for 5 litres of oil."),
    ("en", "The firm is going to mend the gate.", "The firm has mended the gate."),
    ("en", "The firm is mending the gate and has painted it.", "The firm has mended the gate."),
    ("en", "The firm is mending the gate.", "The firm is mending what has opened."),
    ("en", "The firm pass the gate.", "The firm passed the gate."),
    ("en", "Set `a`, `b` and `c`.", "Set `c`, `b` and `a`."),
    ("en", "Set `a`, or `b`.", "Set `b`, or `a`."),
    ("en", "Set `a` before you set `b`.", "First set `a` before you set `b`."),
    ("en", "Set `a` before you set `b`.", "Set `b` before you set `c`."),
    ("en", "Press `a` now.", "Press `b` now."),
    ("de", "Er beschloss nicht, nicht zu gehen.", "Er beschloss, nicht zu gehen."),
]


@pytest.mark.parametrize(("language", "a", "b"), NONE)
def test_what_claims_the_same_has_no_objection(language: str, a: str, b: str) -> None:
    assert other_standing(a, b, language) == ()
    assert other_standing(b, a, language) == ()


@pytest.mark.parametrize(("n", "is_read"), [(standing.LONGEST, True), (standing.LONGEST + 1, False)])
def test_a_sentence_is_read_up_to_a_length(n: int, is_read: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standing, "_RULES", ((DATE, lambda a, b, _language: (None, None)),))
    long = "The fee rose " + "a" * (n - 14) + "."
    short = "The fee rose " + "a" * (n - 15) + "."
    assert (len(long), len(short)) == (n, n - 1)
    for a, b in ((long, short), (short, long)):
        assert bool(other_standing(a, b, "en")) is is_read


def test_what_stands_in_one_text_alone_is_no_matter_of_how_it_stands() -> None:
    a = "The hall is open. Apparently the crane failed its test."
    assert other_standing(a, "The hall is open.", "en") == ()
    assert other_standing("The hall is open.", a, "en") == ()


def test_a_later_sentence_is_read_behind_equal_ones_and_ones_without_an_objection() -> None:
    a = "The hall is open. The door is red. The fee rose last year."
    b = "The hall is open. The gate is red. The fee rose this year."
    (objection,) = other_standing(a, b, "en")
    assert objection.a.text == "last year"
    assert places(objection) == ((48, 57, "last year"), (48, 57, "this year"))


def test_the_language_is_known_by_frequent_words() -> None:
    a, b = "Das Seil wurde angeblich in der Nacht gekappt.", "Das Seil wurde in der Nacht gekappt."
    (objection,) = other_standing(a, b)
    assert objection.a.text == "angeblich"
    assert other_standing(a, b, "en") == ()


def test_a_sentence_that_is_too_long_ends_no_reading() -> None:
    long = "The door " + "a" * standing.LONGEST
    (objection,) = other_standing(f"{long}. The fee rose last year.", f"{long}b. The fee rose this year.", "en")
    assert objection.a.text == "last year"


def test_a_question_is_one_whatever_follows_it() -> None:
    assert standing._other_time("The firm mended the gate? ", "The company mends the gate? ", "en") is None


def test_of_two_finite_verbs_only_is_one_past_and_the_other_present() -> None:
    a, b = "The firm signs letters.", "Signed letters go to the firm."
    assert standing._other_time(a, b, "en") is standing._other_time(b, a, "en") is None


def test_a_window_is_a_word_before_a_date_or_a_span_of_time() -> None:
    read = standing._windows.__wrapped__  # type: ignore[attr-defined]  # what is remembered is read anew
    windows = read("Call in 2 days, by 3 May or in 5 litres; at 7 May and for 7 May.")
    assert [(place.start, place.end, place.text) for _, (_, place) in windows] == [
        (5, 14, "in 2 days"), (16, 24, "by 3 May"),
    ]  # fmt: skip
    assert len({key for key, _ in windows}) == len({n for _, (n, _) in windows}) == 2
