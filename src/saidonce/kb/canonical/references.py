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
_END_OF_SENTENCE = re.compile(r"[.!?:;]\W*$")


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
    """Return a passage with a sign in place of the numbers of sections it refers to, and these in their order.

    A number that may be one of another work ("section 4 of the act", "RFC 5321, section 4"), that begins a range, or
    that goes on behind it ("4a", "4(b)") stays where it is.
    """
    references: list[Reference] = []

    def replaced(hit: re.Match[str]) -> str:
        if _is_of_another(text[: hit.start()], text[hit.end() :]):
            return hit[0]
        kind = next(kind for kind in PartKind if hit[kind])
        references.extend(Reference(kind, number) for number in re.findall(rf"\b{_NUMBER}\b", hit["numbers"]))
        numbers = re.sub(rf"\b{_NUMBER}\b", "#", hit["numbers"])
        return hit[0].removesuffix(hit["numbers"]) + numbers

    return _reference().sub(replaced, text), tuple(references)


def _is_of_another(before: str, behind: str) -> bool:
    """Return whether a number may be of another work, or the first of a range.

    A name or a figure in front of it may name that work, unless a sentence begins there.
    """
    follows = _WORD.match(behind.lstrip())
    if behind.lstrip()[:1] in tuple("-\u2013\u2014") or (follows and follows[0].casefold() in _words()["behind"]):
        return True
    names = _WORD.findall(before)
    is_name = bool(names) and (names[-1] != names[-1].lower() or any(map(str.isdigit, names[-1])))
    lead = before[: before.rfind(names[-1])] if names else ""
    return is_name and bool(lead.strip()) and _END_OF_SENTENCE.search(lead) is None


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
