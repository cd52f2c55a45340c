"""Room: which look-alikes that stand side by side are two things, and by which reason."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from saidonce.foundation import text
from saidonce.foundation.model import VALUE_KINDS, FactKind, Kind, Objection
from saidonce.kb.canonical.editions import Coexistence, CoexistenceLevel
from saidonce.kb.canonical.own_lists import (
    are_ages_of_two,
    are_attributes_of_two,
    are_related_pages,
    are_rows_of_two,
    is_name_of_steps,
)
from saidonce.matching.agreement import Accord, Agreement

_STATED = VALUE_KINDS - {FactKind.IDENTIFIER} | {FactKind.FREQUENCY, FactKind.NEGATION, FactKind.OPPOSITE}
"""Kinds in which two pages may contradict each other about one thing."""

_DEGREES = frozenset((FactKind.MODALITY, FactKind.QUANTIFIER))
"""Kinds that contradict where both texts state one."""

_SHAPES = frozenset((FactKind.KIND, FactKind.LANGUAGE, FactKind.TABLE_SHAPE))

_WHO = frozenset((FactKind.NAME, FactKind.ROLE, FactKind.SPEAKER))
"""Kinds in which even two places of one document may contradict each other: who it is, and who does what."""

_NEVER = frozenset((FactKind.DECISION, FactKind.RECOGNISED))
"""Kinds that leave a pair to a person: what one decided, and what a program may have misread."""

_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_SECTION = re.compile(r"(?<=[^\W\d])(?:\.\d[a-z]{0,2}$|\(\d[a-z]{0,2}\))", re.M)

_COUNTED = re.compile(
    r"\b(?:chapter|section|part|step|appendix|page|kapitel|abschnitt|teil|seite|chapitre|partie|cap[i\u00ed]tulo)"
    r"\s+\d+(?:\.\d+)*|^\s*\d+(?:\.\d+)*[.)]?(?=\s+[^\W\d])",
    re.IGNORECASE | re.MULTILINE,
)
_DOCUMENTS = frozenset(
    "guide handbook manual page overview document chapter section notice reference tutorial introduction faq help"
    " article note readme site book wiki summary index".split()
)
"""Words that say what kind of text a passage stands in, and not what it is about."""

_NAMES = re.compile(r"[^\s,;|=\[\](){}<>\"'`]+")
"""Names in a term: "-d", "--rebind", "set"."""

_JOINT = re.compile(r"(?<=\d)[_-](?=\d)")

_COMPOUND = re.compile(r"[^\W_]+(?:[-_][^\W_]+)*")

MOST_IN_COMMON = 0.3
"""Share of all words of two texts that both have, below which they have little in common."""

MOST_REPEATED = 0.8
"""Share of the shorter one's words from which the longer repeats it, however much more it says."""

LONGEST_RUN = 8
"""Words in a row that both have, from which one was written after the other."""


@dataclass(frozen=True, slots=True)
class Side:
    """A passage as its documents show it.

    Attributes:
        around: names of its documents, its title and the headings over it.
        headings: the headings over it alone, the nearest last; what introduces an example is one of them.
        is_of_many: it is a row of values, as its page has them in this form under many headings.
        term: what it describes, if it is the description of one term, such as an option with its names.
        text: the passage itself.
    """

    kind: Kind
    language: str
    around: str
    term: str = ""
    text: str = ""
    headings: tuple[str, ...] = ()
    is_of_many: bool = False

    @property
    def named(self) -> str:
        """What surrounds it, without what only counts: "ssh(1)", "Chapter 8" and "8. Fees" name no number."""
        return _COUNTED.sub("", _SECTION.sub("", self.around))


def reason_apart(accord: Accord, coexistence: Coexistence, sides: tuple[Side, Side], *, is_below: bool) -> str:
    """Return the reason for which two near passages are two things; empty where a person has to look.

    Two that say the same, or of which one says more, are never told apart, nor are two that were borne out by a judge.

    Args:
        accord: how the texts agree.
        coexistence: where they stand side by side.
        sides: both, in the order of the accord.
        is_below: their similarity is below the one from which texts merge.
    """
    objections = accord.objections
    if accord.agreement not in (Agreement.OPEN, Agreement.OBJECTED) or any(o.kind in _NEVER for o in objections):
        return ""
    reasons = [
        (_have_little_in_common(objections, sides), "they have few words in common"),
        (_lead_to_pages(objections, coexistence, sides), "each names what its own page leads to"),
    ]
    if coexistence.level is not CoexistenceLevel.TWO_PAGES:
        reasons += [
            *_by_names(accord, coexistence, sides),
            *_by_place(objections, coexistence, sides, is_below=is_below),
        ]
    because = next((reason for holds, reason in reasons if holds), "")
    return f"{coexistence.in_words}; {because}" if because else ""


def _by_names(accord: Accord, coexistence: Coexistence, sides: tuple[Side, Side]) -> list[tuple[bool, str]]:
    """Return reasons that lie in what the passages name and what surrounds them, wherever the two stand."""
    of_two = _of_two_entries(coexistence, sides)
    names = named_apart(accord.objections, sides) or _worded_apart(accord, sides) or _own_names(sides)
    return [
        (bool(names), f"what surrounds them names the difference, {' and '.join(names)}"),
        (_are_two_terms(accord.objections, sides), "they describe two terms"),
        (bool(of_two), f"{of_two} {' and '.join(''.join(side.headings[-1:]) for side in sides)}"),
    ]


def _of_two_entries(coexistence: Coexistence, sides: tuple[Side, Side]) -> str:
    """Return what two passages say, each of the entry whose name stands over it; empty if they say something else."""
    paths, texts = (sides[0].headings, sides[1].headings), (sides[0].text, sides[1].text)
    is_one = coexistence.level is CoexistenceLevel.ONE_DOCUMENT
    are_kept = coexistence.level >= CoexistenceLevel.BOTH_EDITIONS
    are_of_many = all(side.is_of_many for side in sides)
    if are_attributes_of_two(paths, texts, is_one_document=is_one):
        return "they list the attributes of"
    if all(side.kind is Kind.TABLE for side in sides) and are_rows_of_two(
        paths, texts, is_one_document=is_one, are_kept=are_kept, are_of_many=are_of_many
    ):
        return "they are a row each of the attributes of"
    return "they say the age of" if are_ages_of_two(paths, texts, is_one_document=is_one, are_kept=are_kept) else ""


def _by_place(
    objections: Sequence[Objection], coexistence: Coexistence, sides: tuple[Side, Side], *, is_below: bool
) -> list[tuple[bool, str]]:
    """Return reasons that ask for more the less it takes for two passages to stand beside each other so."""
    is_in_both = coexistence.level is CoexistenceLevel.BOTH_EDITIONS
    kinds = {o.kind for o in objections}
    return [
        *_in_one_document(objections, coexistence, sides, is_below=is_below),
        (is_in_both and _is_code(sides), "two examples of code"),
        (_is_code(sides) and _are_introduced_apart(sides) and not _state_both(objections), "two examples of code"),
        (_are_kept(coexistence) and is_below and not objections, "nothing contradicts, and each says something else"),
        (_are_kept(coexistence) and bool(kinds) and kinds <= _SHAPES, "they are of two kinds or languages"),
        (is_in_both and is_below and any(not _contradicts(o) for o in objections), "they were kept beside each other"),
    ]


def _in_one_document(
    objections: Sequence[Objection], coexistence: Coexistence, sides: tuple[Side, Side], *, is_below: bool
) -> list[tuple[bool, str]]:
    """Return reasons for two passages of one document.

    Of two values or people for one thing one may be wrong even there. Two commands or paths are two examples.
    """
    if coexistence.level is not CoexistenceLevel.ONE_DOCUMENT:
        return []
    is_elsewhere = _folded(sides[0].headings) != _folded(sides[1].headings)
    names = next(
        ((o.a.text, o.b.text) for o in objections if o.kind is FactKind.IDENTIFIER and o.a.text and o.b.text), ()
    )
    may_contradict = any(_contradicts(o) or o.kind in _WHO for o in objections)
    return [
        (is_below, "it states both"),
        (is_elsewhere and _is_code(sides), "two examples of code"),
        (is_elsewhere and not may_contradict, "it states both, in two places"),
        (bool(names) and not may_contradict, f"it states both, of {' and '.join(names)}"),
    ]


def named_apart(objections: Sequence[Objection], sides: tuple[Side, Side]) -> tuple[str, ...]:
    """Return the two values or names that differ and that the surroundings of each passage name; empty without any.

    Each stands around its own passage, and one of them not around the other.
    """
    around = [_terms(side.named, side.language) for side in sides]
    for o in objections:
        one, two = (_terms(span.text, side.language) for span, side in zip((o.a, o.b), sides, strict=True))
        mine, theirs = (one - two) & around[0], (two - one) & around[1]
        if mine and theirs and (mine - around[1] or theirs - around[0]):
            return o.a.text, o.b.text
    return ()


def _worded_apart(accord: Accord, sides: tuple[Side, Side]) -> tuple[str, ...]:
    """Return the two words of passages that nothing contradicts, if all of each is named around its own passage alone.

    "The name of this plug-in is custom" under "Custom", and the same with "wheel" under "Wheel". The nearest headings
    count by themselves, too: "the transaction" under "List of transactions" of a page about accounts.
    """
    if accord.agreement is not Agreement.OPEN:
        return ()
    nearest = ["".join(side.headings[-1:]) for side in sides]
    surroundings = [
        [_terms(content, side.language) for content, side in zip(contents, sides, strict=True)]
        for contents in ([side.named for side in sides], nearest)
    ]
    for o in accord.unaccounted:
        one, two = (_terms(span.text, side.language) for span, side in zip((o.a, o.b), sides, strict=True))
        mine, theirs = one - two, two - one
        for here, there in surroundings:
            if mine and theirs and mine <= here - there and theirs <= there - here:
                return o.a.text, o.b.text
    return ()


def _own_names(sides: tuple[Side, Side]) -> tuple[str, ...]:
    """Return two words in the same place of both passages that each name what surrounds its own passage alone.

    "The log level of ssh(1)" under "ssh_config", and the same of sshd(8) under "sshd_config": whatever else differs,
    they are about two things. Neither passage has the other's word.
    """
    of_words = [(text.words(side.text), text.words(side.named.replace("_", " "))) for side in sides]
    of_compounds = [(_compounds(side.text), _compounds(side.named)) for side in sides]
    return _in_one_place(of_words) or _in_one_place(of_compounds)


def _in_one_place(sides: Sequence[tuple[Sequence[str], Sequence[str]]]) -> tuple[str, ...]:
    """Return such words of two passages, each by its own words and those around it."""
    (a, _), (b, _) = sides
    around = [set(words) for _, words in sides]
    if not ((around[0] - around[1]) & set(a) and (around[1] - around[0]) & set(b)):
        return ()
    for op, a_start, a_end, b_start, b_end in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if op != "replace":
            continue
        for one, two in zip(a[a_start:a_end], b[b_start:b_end], strict=False):
            is_own = one in around[0] - around[1] and two in around[1] - around[0]
            if is_own and one not in b and two not in a and _is_name(one) and _is_name(two):
                return one, two
    return ()


def _compounds(content: str) -> list[str]:
    """Return the words of a text, those with hyphens whole: "aws-queue-streams" and "aws-queue" are two names."""
    return _COMPOUND.findall(content.casefold())


def _is_name(word: str) -> bool:
    return word[0].isalpha() and bool(text.terms(word)) and word not in _DOCUMENTS


def _are_two_terms(objections: Sequence[Objection], sides: tuple[Side, Side]) -> bool:
    """Return whether two passages describe terms without a common name, and contradict each other in these alone.

    "-d, --rebind" and "set rebind" are an option and a setting, which may be described in the same words; a value that
    differs below them may be wrong at one of the two.
    """
    one, two = (frozenset(_NAMES.findall(side.term.casefold())) for side in sides)
    if not one or not two or one & two:
        return False
    ends = [len(side.term) + len("- ") for side in sides]
    return all(not _contradicts(o) or (o.a.end <= ends[0] and o.b.end <= ends[1]) for o in objections)


def _terms(content: str, language: str) -> set[str]:
    """Return the words of a text by their stems, and its numbers, in which 4_1 and 4-1 are 4.1."""
    plain = _JOINT.sub(".", content)
    words = {t for t in text.terms(plain.replace("_", " "), language) if not any(c.isdigit() for c in t)}
    return words | set(_NUMBER.findall(plain))


def _contradicts(o: Objection) -> bool:
    return o.kind in _STATED or (o.kind in _DEGREES and bool(o.a.text and o.b.text))


def _state_both(objections: Sequence[Objection]) -> bool:
    """Return whether both passages state something of which one may contradict the other."""
    stated = [o for o in objections if _contradicts(o)]
    return any(o.a.text for o in stated) and any(o.b.text for o in stated)


def _lead_to_pages(objections: Sequence[Objection], coexistence: Coexistence, sides: tuple[Side, Side]) -> bool:
    """Return whether two lists of two pages name the pages that each of these leads to; steps may be turned round."""
    if coexistence.level is CoexistenceLevel.ONE_DOCUMENT or not all(side.headings for side in sides):
        return False
    headings = sides[0].headings[-1], sides[1].headings[-1]
    if any(map(is_name_of_steps, headings)) and any(map(_contradicts, objections)):
        return False
    return are_related_pages(headings, (sides[0].text, sides[1].text))


def _have_little_in_common(objections: Sequence[Objection], sides: tuple[Side, Side]) -> bool:
    """Return whether two passages merely are about something near: few words of both are the same.

    Where both state a value, one may contradict the other in words of its own; that one has "may" and the other "all"
    shows nothing between other words. One that the other repeats whole, or of which it has a stretch, is no such pair.
    """
    if _state_both([o for o in objections if o.kind not in _DEGREES]):
        return False
    one, two = (set(text.terms(side.text, side.language)) for side in sides)
    common = len(one & two)
    if not one or not two or common >= MOST_IN_COMMON * len(one | two):
        return False
    a, b = (text.words(side.text) for side in sides)
    run = SequenceMatcher(None, a, b, autojunk=False).find_longest_match().size
    return common < MOST_REPEATED * min(len(one), len(two)) and run < LONGEST_RUN


def _are_introduced_apart(sides: tuple[Side, Side]) -> bool:
    """Return whether sentences introduce two passages that differ in most words; what is outdated keeps its own."""
    nearest = ["".join(side.headings[-1:]) for side in sides]
    one, two = (set(text.terms(s, side.language)) for s, side in zip(nearest, sides, strict=True))
    is_led_in = all(s.endswith((":", "\uff1a")) for s in nearest)
    return is_led_in and bool(one and two) and len(one & two) * 2 < len(one | two)


def _folded(headings: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(heading.casefold() for heading in headings)


def _is_code(sides: tuple[Side, Side]) -> bool:
    return all(side.kind is Kind.CODE for side in sides)


def _are_kept(coexistence: Coexistence) -> bool:
    return coexistence.level in (CoexistenceLevel.KEPT_PAGES, CoexistenceLevel.BOTH_EDITIONS)
