"""Room: which numbers of sections a passage refers to, and which numbers the headings of a document have."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from types import MappingProxyType

_NUMBER = r"(?:[A-Z]|[A-Z]\.\d{1,3}|\d{1,3})(?:\.\d{1,3})*"
_WORD = re.compile(r"[^\W_]+")
_BEGINS = re.compile(r"[.!?;]\W*|[-*\u2022]|:\s*[-*\u2022]")
"""What stands in front of the first word of a sentence or an item, behind the word before."""

_AROUND = 200
"""Characters before and behind a reference that are looked at; a long list of references takes no longer for each."""


class PartKind(StrEnum):
    """What a number is of, as the word in front of it says."""

    SECTION = "section"
    CHAPTER = "chapter"
    APPENDIX = "appendix"


@dataclass(frozen=True, slots=True)
class Reference:
    """A number that leads to a part of a work."""

    kind: PartKind
    number: str

    def __str__(self) -> str:
        return f"{self.kind} {self.number}"


@cache
def _words() -> Mapping[str, tuple[str, ...]]:
    written = files("saidonce.kb.canonical").joinpath("references.toml").read_text("utf-8")
    return MappingProxyType({use: tuple(words.split()) for use, words in tomllib.loads(written).items()})


@cache
def _words_of(use: str) -> frozenset[str]:
    return frozenset(_words()[use])


@cache
def _behind() -> re.Pattern[str]:
    """Return what may stand behind the number of a section: a line, a part in parentheses, or a word."""
    between = rf"(?P<between>(?:{_any_of(_words()['between'])})\s+)?"
    return re.compile(
        rf"[^\S\n]*(?P<line>[-\u2013\u2014]|\(\w{{1,3}}\))|(?P<sign>,)?\s+{between}(?P<word>[^\W_]+)", re.I
    )


def _any_of(words: Sequence[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


@cache
def _reference() -> re.Pattern[str]:
    """Return what a reference looks like: the word of its kind, then numbers, of which each leads somewhere."""
    kinds = "|".join(f"(?P<{kind}>{_any_of(_words()[kind])})" for kind in PartKind)
    between = rf"(?:, ?(?:(?:{_any_of(_words()['between'])}) )?| (?:{_any_of(_words()['between'])}) )"
    return re.compile(rf"(?<!\w)(?i:{kinds})\s(?P<numbers>{_NUMBER}(?:{between}{_NUMBER}\b)*)(?![\w(\[]|[.,:/]\d)")


@cache
def _numbered() -> re.Pattern[str]:
    """Return what a heading with a number looks like; a mere letter needs the word in front of it."""
    kinds = "|".join(f"(?P<{kind}>{_any_of(_words()[kind])})" for kind in PartKind)
    alone = r"(?:[A-Z]\.)?\d{1,3}(?:\.\d{1,3})*"
    return re.compile(
        rf"(?:(?i:{kinds})\s(?P<number>{_NUMBER})|(?P<alone>{alone}))[.:)]?\s*[-\u2013\u2014]?\s+(?=[^\W\d])"
    )


def without_references(text: str) -> tuple[str, tuple[Reference, ...]]:
    """Return a passage with NUL in place of the numbers of sections it refers to, and these in their order.

    A number that may be one of another work ("section 4 of the act", "RFC 5321, section 4"), that begins a range, or
    that goes on behind it ("4a", "4(b)", "4, paragraph 2") stays where it is; so do all numbers of a passage that
    names a kind of work, such as a law: what "section 4" is of, the words alone do not show.
    """
    references: list[Reference] = []
    words = [word.casefold() for word in _WORD.findall(text)]
    if not _words_of("works").isdisjoint(words) or any(word.endswith(_words()["ends_of_works"]) for word in words):
        return text, ()

    def replaced(hit: re.Match[str]) -> str:
        before, behind = text[max(0, hit.start() - _AROUND) : hit.start()], text[hit.end() : hit.end() + _AROUND]
        if not _may_begin(before) or _goes_on(behind):
            return hit[0]
        kind = next(kind for kind in PartKind if hit[kind])
        references.extend(Reference(kind, number) for number in re.findall(rf"\b{_NUMBER}\b", hit["numbers"]))
        numbers = re.sub(rf"\b{_NUMBER}\b", "\0", hit["numbers"])
        return hit[0].removesuffix(hit["numbers"]) + numbers

    return _reference().sub(replaced, text), tuple(references)


def _may_begin(before: str) -> bool:
    """Return whether a reference to the work itself may stand behind some words, which then name no other one.

    It begins the passage, a sentence or an item; one of some words leads to it ("see", "in"); or it stands in
    parentheses or behind a colon that no name stands in front of.
    """
    words = list(_WORD.finditer(before))
    if not words:
        return True
    last = words[-1]
    sign = before[last.end() :].strip()
    if not sign.strip("\"'\u201c\u201e\u00ab"):
        return last[0].casefold() in _words_of("before")
    return not _is_name(last[0]) if sign in ("(", ":") else _BEGINS.fullmatch(sign) is not None


def _goes_on(behind: str) -> bool:
    """Return whether a number may be of the work that is named behind it, or the first of several, or of a part."""
    hit = _behind().match(behind)
    if hit is None or hit["line"]:
        return hit is not None
    word = hit["word"]
    if word.casefold() in _words_of("parts"):
        return True
    is_next = not hit["sign"] and not hit["between"]
    return is_next and (_is_name(word) or word.casefold() in _words_of("behind"))


def _is_name(word: str) -> bool:
    return word != word.lower() or any(map(str.isdigit, word))


def numbers_of(path: Sequence[str]) -> tuple[Reference, ...]:
    """Return what a path of headings is as a whole, by the number of the last one; nothing without a number.

    A number counts within the part above it: "5.7." under "5." of "Chapter 48" is section 48.5.7. A heading that
    introduces something has no number of its own.
    """
    full = own = ""
    reference: tuple[Reference, ...] = ()
    for heading in path:
        reference = ()
        hit = None if heading.endswith((":", "\uff1a")) else _numbered().match(heading)
        if hit is None:
            continue
        kind = next((kind for kind in PartKind if hit[kind]), PartKind.SECTION)
        number = hit["number"] or hit["alone"]
        if not full or kind is not PartKind.SECTION or number.startswith(f"{full}."):
            full = number
        elif number.startswith(f"{own}."):
            full = full.removesuffix(own) + number
        else:
            full = f"{full}.{number}"
        own, reference = number, (Reference(kind, full),)
    return reference
