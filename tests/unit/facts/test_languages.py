"""Languages: what the tables of each read, and that none reaches into another's texts."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from saidonce.foundation.model import Candidate
from saidonce.foundation.text import content_hash
from saidonce.matching.agreement import Agreement, agreement
from saidonce.matching.facts import compare
from saidonce.matching.facts.analyse import analyse, guess, same_in_order
from saidonce.matching.facts.lexicon import (
    CAPABILITIES,
    LANGUAGES,
    TAGS,
    capabilities,
    language_table,
    reads_fully,
    telling,
    word_list,
)
from saidonce.matching.facts.numerals import joined_number

CASES = Path(__file__).resolve().parents[2] / "cases" / "facts" / "languages"
DATA = Path(__file__).resolve().parents[3] / "src" / "saidonce" / "matching" / "facts" / "data" / "languages"


def _cases() -> list[Any]:
    return [
        pytest.param(path.stem, case, id=f"{path.stem}-{n}")
        for path in sorted(CASES.glob("*.toml"))
        for n, case in enumerate(tomllib.loads(path.read_text("utf-8"))["cases"], 1)
    ]


def _agreement(language: str, case: dict[str, Any]) -> Agreement:
    a, b = (Candidate(case[side], content_hash(case[side]), language=language) for side in "ab")
    return agreement(a, b).agreement


@pytest.mark.parametrize(("language", "case"), [p for p in _cases() if "kind" in p.values[1]])
def test_a_changed_fact_is_an_objection_of_its_kind_at_its_place(language: str, case: dict[str, Any]) -> None:
    found = compare(case["a"], case["b"], language).objections
    assert [(o.kind.value, o.a.text, o.b.text) for o in found] == [(case["kind"], *case["at"])]
    assert not same_in_order(case["a"], case["b"], language)
    assert _agreement(language, case) is Agreement.OBJECTED


@pytest.mark.parametrize(("language", "case"), [p for p in _cases() if p.values[1].get("same")])
def test_another_notation_is_no_objection(language: str, case: dict[str, Any]) -> None:
    found = compare(case["a"], case["b"], language)
    assert found.objections == ()
    assert not found.a_adds
    assert not found.b_adds


@pytest.mark.parametrize(("language", "case"), [p for p in _cases() if p.values[1].get("same")])
def test_without_spaces_another_notation_has_the_same_characters_in_order(language: str, case: dict[str, Any]) -> None:
    if language in ("zh", "ja", "ar"):
        assert same_in_order(case["a"], case["b"], language)


@pytest.mark.parametrize(("language", "case"), [p for p in _cases() if p.values[1].get("same") is False])
def test_what_differs_otherwise_is_still_not_the_same(language: str, case: dict[str, Any]) -> None:
    assert not same_in_order(case["a"], case["b"], language)
    assert _agreement(language, case) is not Agreement.SAME


@pytest.mark.parametrize(("language", "case"), _cases())
def test_swapping_the_texts_swaps_the_sides(language: str, case: dict[str, Any]) -> None:
    there, back = compare(case["a"], case["b"], language), compare(case["b"], case["a"], language)
    assert {(o.kind, o.a, o.b) for o in there.objections} == {(o.kind, o.b, o.a) for o in back.objections}
    assert (there.a_adds, there.b_adds) == (back.b_adds, back.a_adds)


def test_every_language_with_a_table_has_cases_both_ways() -> None:
    for tag in set(TAGS) - {"en"}:  # whose cases stand in the folder above
        rows = tomllib.loads((CASES / f"{tag}.toml").read_text("utf-8"))["cases"]
        assert len(rows) >= 12, tag
        assert sum("kind" in row for row in rows) >= 6, tag
        assert sum(row.get("same", False) for row in rows) >= 4, tag


def test_the_list_of_languages_is_that_of_the_tables() -> None:
    assert sorted(TAGS) == sorted(path.stem for path in DATA.glob("*.toml"))
    assert tuple(tag for tag in TAGS if reads_fully(tag)) == LANGUAGES


@pytest.mark.parametrize("tag", TAGS)
def test_a_declared_capability_has_a_table_behind_it(tag: str) -> None:
    rows = language_table(tag)
    assert set(rows["reads"]) <= set(CAPABILITIES)
    behind = {
        "numerals": "numerals",
        "negation": "negation",
        "modality": "modality",
        "quantifiers": "quantifier",
        "months": "months",
        "opposites": "opposites",
        "grammar": "telling",
    }
    for name in capabilities(tag):
        assert rows.get(behind[name]), name
    if "months" in capabilities(tag):
        assert set(rows["months"]) == {str(n) for n in range(1, 13)}
        assert set(rows["weekdays"]) == {str(n) for n in range(1, 8)}


def test_a_language_without_a_table_reads_nothing() -> None:
    assert capabilities("sv") == ()
    assert not reads_fully("sv")
    assert word_list("sv", "takes_back") == frozenset()
    assert telling("sv") == {}


@pytest.mark.parametrize(
    ("language", "text", "word"),
    [
        ("en", "The word kann is foreign", "kann"),
        ("en", "The word doit is foreign", "doit"),
        ("en", "A mil is a thousandth", "mil"),
        ("en", "The die is cast", "die"),
        ("en", "The ship Nie sailed", "nie"),
        ("de", "Er half dem Nachbarn", "half"),
        ("fr", "Le sale type", "sale"),
        ("es", "Quiere caer despacio", "caer"),
        ("it", "Il punto nave", "punto"),
        ("nl", "De man was alle dagen thuis", "thuis"),
    ],
)
def test_a_word_is_no_operator_in_another_language(language: str, text: str, word: str) -> None:
    token = next(t for s in analyse(text, language).sentences for t in s.tokens if t.word == word)
    assert token.kind is None or token.kind.value == "name"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The lease runs for a year.", "en"),
        ("Die Miete ist nicht gestiegen.", "de"),
        ("Le bail est dans la boîte.", "fr"),
        ("La casa está en la calle.", "es"),
        ("Il contratto è nella cassetta della posta.", "it"),
        ("O contrato não está na caixa.", "pt"),
        ("Het contract ligt niet in de la.", "nl"),
        ("Umowa jest w skrzynce i nie została podpisana.", "pl"),
        ("Tá an conradh sa bhosca agus níl sé sínithe.", "ga"),
        ("合同在箱子里。", "zh"),
        ("契約は箱の中にあります。", "ja"),
        ("العقد في الصندوق.", "ar"),
        ("قرارداد چاپ شده است", "und"),
        ("Договор лежит в ящике.", "und"),
    ],
)
def test_a_short_text_tells_its_language_by_its_frequent_words_or_its_script(text: str, language: str) -> None:
    assert guess(text) == language


@pytest.mark.parametrize(
    ("word", "language", "value"),
    [
        ("hundertfünf", "de", 105),
        ("zweitausendeinhundert", "de", 2_100),
        ("neunhundertneunundneunzigtausend", "de", 999_000),
        ("honderdvijf", "nl", 105),
        ("drieduizend", "nl", 3_000),
        ("centocinquanta", "it", 150),
        ("millecinquecento", "it", 1_500),
        ("tausendfach", "de", None),
        ("hundertstel", "de", None),
        ("hundred", "en", None),
    ],
)
def test_numbers_written_as_one_word(word: str, language: str, value: int | None) -> None:
    assert joined_number(word, language) == value
