"""Two texts written in plain words, with the reasons why that changes nothing of what they say."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from saidonce.foundation.remembering import remembered
from saidonce.foundation.text import sentences
from saidonce.matching.facts.plain import clauses, parties
from saidonce.matching.facts.plain.clause_numbers import with_clauses_alike
from saidonce.matching.facts.plain.clauses import with_bare_participle
from saidonce.matching.facts.plain.clitics import with_objects
from saidonce.matching.facts.plain.deeds import in_the_form_of
from saidonce.matching.facts.plain.figures import in_the_figures_of
from saidonce.matching.facts.plain.german import with_compounds
from saidonce.matching.facts.plain.in_full import in_full
from saidonce.matching.facts.plain.joins import as_one_sentence, in_sentences_of_one_subject, joined, step_by_step
from saidonce.matching.facts.plain.korean import in_forms_of
from saidonce.matching.facts.plain.layouts import in_the_layout_of, with_shared_put_by
from saidonce.matching.facts.plain.notation import in_one_notation
from saidonce.matching.facts.plain.order import in_the_order_of, with_fronts_of
from saidonce.matching.facts.plain.page import on_a_plain_page, with_addresses, with_the_same_code, without_one_number
from saidonce.matching.facts.plain.places import with_adverbs_of, with_compounds_of, with_members_of, with_particles_of
from saidonce.matching.facts.plain.pronouns import with_names
from saidonce.matching.facts.plain.quantified import each_for_all
from saidonce.matching.facts.plain.ranges import in_the_ranges_of
from saidonce.matching.facts.plain.restated import as_restated
from saidonce.matching.facts.plain.styles import in_one_style
from saidonce.matching.facts.plain.tables import LONGEST_SENTENCE, in_simplified, ways
from saidonce.matching.facts.plain.words import (
    in_one_mood,
    in_one_wording,
    in_running_text,
    spelled_out,
    spelled_right,
    with_denials_in_one_word,
    without_courtesy,
)


class InPlainWords(NamedTuple):
    """Two texts in plain words, and by which rules either came to be written so, in their order."""

    a: str
    b: str
    reasons: tuple[str, ...]


Rule = Callable[[str, str, str], str]


def _in_one_form(text: str, other: str, language: str) -> str:
    """Write each English sentence in one form of several that say the same."""
    if language != "en":
        return text
    parts, start = [], 0
    for span in sentences(text):
        parts += [text[start : span.start], _formed(span.text, other)]
        start = span.end
    return "".join((*parts, text[start:]))


def _with_bare_participles(text: str, other: str, language: str) -> str:
    return with_bare_participle(text, other) if language == "en" else text


def _formed(sentence: str, other: str) -> str:
    if len(sentence) > LONGEST_SENTENCE:
        return sentence
    for form in (*parties.FORMS, *clauses.FORMS):
        sentence = form(sentence, other)
    return sentence


_ORDER = "only the order of a sentence differs"
_PHRASES = "phrases of one meaning are one"
_FORM = "two forms of a sentence say the same"
_NAMED = "a pronoun stands for the only thing that it can mean"
_LAYOUT = "a table, a list and a sentence state the same"
_NOTATION = "times and numbers are written in one way"
_STYLE = "a style or script says nothing else"

_REASONS: tuple[tuple[str, Rule], ...] = (
    ("marks before lines and the width of characters say nothing", on_a_plain_page),
    ("an abbreviation is the word that the other text has in full", in_full),
    ("a misspelled word is the word that was meant", spelled_right),
    ("an abbreviation that one of the texts defines is written out", spelled_out),
    (_NOTATION, in_the_ranges_of),
    (_NOTATION, in_the_figures_of),
    (_NOTATION, in_one_notation),
    (_LAYOUT, in_the_layout_of),
    ("a list is one sentence", in_running_text),
    (_NAMED, with_objects),
    ("a compound says what its parts do", with_compounds),
    ("what is done is said in one of several forms", in_the_form_of),
    ("one thing is said in two constructions", as_restated),
    (_ORDER, with_particles_of),
    (_PHRASES, in_one_wording),
    (_ORDER, with_adverbs_of),
    (_ORDER, with_members_of),
    (_PHRASES, with_compounds_of),
    ("a word with a negating prefix is a denial", with_denials_in_one_word),
    (_STYLE, in_one_style),
    ("courtesy states nothing", without_courtesy),
    ("an infinitive that bids is an imperative", in_one_mood),
    ("what all of several have each of them has", each_for_all),
    ("a participle stands for its clause", _with_bare_participles),
    (_ORDER, with_fronts_of),
    ("a clause is a sentence of its own", in_sentences_of_one_subject),
    (_NAMED, with_names),
    ("steps are sentences of their own", step_by_step),
    ("a sentence goes on with the subject of the one before", joined),
    ("a sentence goes on in the next one", as_one_sentence),
    (_FORM, in_forms_of),
    (_FORM, _in_one_form),
    (_ORDER, with_particles_of),
    (_ORDER, in_the_order_of),
)

_BY_ITSELF: dict[str, Rule] = {
    rule.__name__: rule
    for rule in (
        on_a_plain_page, in_running_text, in_one_wording, without_courtesy, in_one_mood, in_sentences_of_one_subject,
        step_by_step, joined,
    )
}  # fmt: skip
"""Rules that do not look at the other text, so that what they write of one text is remembered."""


@remembered(16_384)
def _by_itself(rule: str, text: str, language: str) -> str:
    return _BY_ITSELF[rule](text, "", language)


def _applied(rule: Rule, text: str, other: str, language: str) -> str:
    name = rule.__name__
    return _by_itself(name, text, language) if name in _BY_ITSELF else rule(text, other, language)


_OF_ORDER = (
    in_the_ranges_of,
    in_the_layout_of,
    in_the_form_of,
    as_restated,
    with_fronts_of,
    with_members_of,
    with_names,
    as_one_sentence,
    in_the_order_of,
)
"""Rules that write one text as the other one is."""

_ADDRESSES = "a link's address stands behind its words"
_NUMBER = "both are the clause, or the clauses, of one number"

_PHRASED = (in_full, spelled_right, in_the_ranges_of, in_the_figures_of, in_one_notation, in_one_wording)
_OF_PHRASES = tuple(each for each in _REASONS if each[1] in _PHRASED)

_KEPT = re.compile(
    r"`[^`\n]*`|\"[^\"\n]*\"|\u201c[^\u201d\n]*+\u201d?|\u201e[^\u201c\n]*+\u201c?|\u00ab[^\u00bb\n]*+\u00bb?"
    r"|\u300c[^\u300d\n]*+\u300d?|(?<![^\s`\"\u201d\u201c\u00bb\u300d])\S+?(?:://|@)[^\s\u3001-\u9fff\uff01-\uff1f]+"
)
_FIGURE = re.compile("(?<![\ue0000-9.,])[0-9]{2,}+(?![.,]?[0-9])")
_MARK = re.compile("(?P<before> ?)\ue000(?P<n>\\d+)\ue001(?P<behind>(?:\\. ?)?)")


def in_plain_words(a: str, b: str, language: str) -> InPlainWords | None:
    """Write two texts of one language in plain words; None where neither comes to be written otherwise.

    What stands in quotation marks or is code stays as it is. Callers bound the length of the texts.
    """
    if a > b and (turned := _in_plain_words(b, a, language)).is_one_both_ways:
        return InPlainWords(turned.b, turned.a, turned.reasons) if turned.reasons else None
    written = _in_plain_words(a, b, language)
    return InPlainWords(written.a, written.b, written.reasons) if written.reasons else None


def in_plain_phrases(a: str, b: str, language: str) -> InPlainWords | None:
    """Write only phrases, numbers and times of two texts in one way, and leave their sentences as they are built."""
    written = _written(a, b, language, _OF_PHRASES)
    return InPlainWords(written.a, written.b, written.reasons) if written.reasons else None


class _Written(NamedTuple):
    """Two texts as rules come to write them.

    Attributes:
        reasons: none if neither text comes to be written otherwise, or no more is said of them.
        is_one_both_ways: whether the two come to be written so whichever of them is the first: it is not shown where
            each would be written as the other one is, where what is put by is counted in another order, and where a
            rule looks at both at once.
    """

    a: str
    b: str
    reasons: tuple[str, ...]
    is_one_both_ways: bool


@remembered(4_096)
def _in_plain_words(a: str, b: str, language: str) -> _Written:
    return _written(a, b, language, _REASONS)


def _written(a: str, b: str, language: str, rules: Sequence[tuple[str, Rule]]) -> _Written:
    if not ways(language):
        return _Written(a, b, (), is_one_both_ways=True)
    one, two, reasons = _on_one_page(a, b)
    quoted: list[str] = []
    one, two = (_KEPT.sub(lambda m: _put_by(m[0], quoted), text) for text in (one, two))
    is_one = _NUMBER not in reasons and _marks_in(one) == _marks_in(two)
    if language == "zh":
        simple = in_simplified(one, two), in_simplified(two, one)
        reasons += [_STYLE] if (simple[0] == one) != (simple[1] == two) else []
        one, two = simple
    for reason, rule in rules:
        written = _applied(rule, one, two, language), _applied(rule, two, one, language)
        if rule in _OF_ORDER and written[0] != one:
            is_one = is_one and written[1] == two
            written = written[0], two
        if written != (one, two):
            reasons += [] if reason in reasons else [reason]
            one, two = written
        if rule is in_the_layout_of and "\n" in one and "\n" in two:
            is_one = False
            one, two = with_shared_put_by(
                one, two, lambda stretch: _put_by(f"\n{_restored(stretch, quoted)}\n", quoted)
            )
        if rule is in_one_notation and _state_other_figures(one, two):
            return _Written(a, b, (), is_one)
    one, two = (_restored(text, quoted) for text in (one, two))
    return _Written(one, two, tuple(reasons), is_one)


def _marks_in(text: str) -> list[str]:
    """Return what stands for the stretches of a text that are put by, in their order."""
    return [*dict.fromkeys(hit["n"] for hit in _MARK.finditer(text))]


def _state_other_figures(one: str, two: str) -> bool:
    """Return whether each text has a whole number that the other lacks, which no later rule accounts for.

    Most near texts differ so. A number of one digit may count a step, and one with a mark be written otherwise.
    """
    ours, theirs = set(_FIGURE.findall(one)), set(_FIGURE.findall(two))
    return not (ours <= theirs or theirs <= ours)


def _on_one_page(a: str, b: str) -> tuple[str, str, list[str]]:
    """Write code between fences and addresses of links, which no rule for words may touch, in one way.

    The number of the clause that both are is left out.
    """
    one, two = with_the_same_code(a, b), with_the_same_code(b, a)
    linked = with_addresses(one), with_addresses(two)
    bare = with_clauses_alike(*without_one_number(*linked))
    shown = (
        ("code between fences is the same code", (one, two) != (a, b)),
        (_ADDRESSES, linked != (one, two)),
        (_NUMBER, bare != linked),
    )
    return *bare, [reason for reason, is_shown in shown if is_shown]


def _restored(text: str, quoted: Sequence[str]) -> str:
    """Write what was put by in its place again: lines as lines, and not as the sentence that stood for them."""

    def written(hit: re.Match[str]) -> str:
        kept = quoted[int(hit["n"])]
        return kept if kept.startswith("\n") else f"{hit['before']}{kept}{hit['behind']}"

    return _MARK.sub(written, text).strip("\n") if "\ue000" in text else text


def _put_by(text: str, quoted: list[str]) -> str:
    """Put a stretch by, and return the mark that stands for it: equal stretches have one mark."""
    if text not in quoted:
        quoted.append(text)
    return f"\ue000{quoted.index(text)}\ue001"
