"""What the rows of a table or the points of a list state, told in lines or in a sentence.

In Chinese, Japanese and Korean. A line tells a row if it names the row's first cell and then each other one together
with the heading of its column, and nothing else. Points are members of a sentence that names all of them, in their
order, as things that belong together: none is one of several to choose from.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from saidonce.matching.facts.plain.listed import IN_ORDER
from saidonce.matching.facts.plain.notation import in_one_notation
from saidonce.matching.facts.plain.tables import ways

_TABLE = re.compile(r"(?:^[ \t]*\|[^\n]*\|[ \t]*(?:\n|\Z)){3,}", re.MULTILINE)
_RULE = re.compile(r"[\s|:-]+")
_UNIT = re.compile(r"[^\n\u3002]*[^\s\u3002][^\n\u3002]*\u3002?(?:[ \t]*\n)?")
_BULLET = re.compile(r"^[ \t]*(?:(?:[-*\u2022\u25cf\u25a0\u30fb]|\d{1,2}\.(?!\d))[ \t]*)?")
_BETWEEN_PARTS = re.compile(r"[\u3001\uff0c;\uff1b/\uff0f\u00b7]|,(?!\d{3})")
_AFTER_LABEL = r"[ \t]*[:\uff1a\uff0c\u3001,]?[ \t]*"
_MOST_ROWS = 20

Cells = tuple[str, ...]


def as_rows_of(text: str, other: str, language: str) -> str:
    """Write lines that tell the rows of the other text's only table as that table."""
    tables = list(_TABLE.finditer(other))
    if len(tables) != 1 or "|" in text:
        return text
    head, *rows = (_cells(line, language) for line in tables[0][0].splitlines() if not _RULE.fullmatch(line))
    if not 0 < len(rows) <= _MOST_ROWS or any(len(row) != len(head) for row in rows) or len(set(head)) < len(head):
        return text
    lines: dict[int, re.Match[str]] = {}
    for unit in _UNIT.finditer(text):
        n = next((n for n, row in enumerate(rows) if _tells(unit[0], head, row, language)), None)
        if n is not None and n in lines:
            return text
        if n is not None:
            lines[n] = unit
    if len(lines) < len(rows):
        return text
    units = sorted(lines.values(), key=lambda unit: unit.start())
    gaps = (text[one.end() : two.start()] for one, two in pairwise(units))
    if any(gap.strip() for gap in gaps):
        return text
    return f"{text[: units[0].start()]}{tables[0][0].rstrip()}\n{text[units[-1].end() :]}"


def _cells(line: str, language: str) -> Cells:
    return tuple(_noted(cell, language) for cell in line.strip().strip("|").split("|"))


def _noted(text: str, language: str) -> str:
    """Return a cell with its times and numbers in one notation, without blanks and emphasis."""
    written = re.sub(
        r"(?<!\d)0(?=\d)", "", in_one_notation(re.sub(r"\*\*|(?<=\d) (?=[^\W\d])", "", text), "", language)
    )
    return re.sub(r"\s+", "", written)


def _tells(unit: str, head: Cells, row: Cells, language: str) -> bool:
    """Return whether a line or sentence states each cell of a row with the heading of its column, and nothing more."""
    line = _BULLET.sub("", unit.strip()).replace("**", "")
    parted = re.match(
        rf"(?P<label>{_spaced(row[0])}){_AFTER_LABEL}(?:(?:{ways(language)['topic']})[ \t]*)?(?=\S)", line
    )
    if parted is None:
        return False
    parts = [p for p in _BETWEEN_PARTS.split(line[parted.end() :].rstrip("\u3002. ")) if p.strip()]
    if len(parts) != len(row) - 1:
        return False
    left = list(zip(head[1:], row[1:], strict=True))
    for part in parts:
        pair = next((pair for pair in left if _is_cell(part.strip(), *pair, language)), None)
        if pair is None:
            return False
        left.remove(pair)
    return True


def _spaced(label: str) -> str:
    return r"[ \t]*".join(map(re.escape, label))


def _is_cell(part: str, heading: str, value: str, language: str) -> bool:
    """Return whether a part of a line is the heading of a column with its value, or the value with the heading."""
    topic, closes, at = (ways(language)[name] for name in ("topic", "closes", "at"))
    named = _spaced(heading)
    hit = re.fullmatch(rf"{named}[ \t]*(?:[:\uff1a]|(?:{topic})(?![:\uff1a]))?(?P<value>.+?)(?:{closes})?", part)
    if hit and _noted(hit["value"], language) == value:
        return True
    hit = re.fullmatch(rf"(?P<value>.+?)(?:{at})?[ \t]*{named}(?:{closes})?", part)
    return hit is not None and _noted(hit["value"], language) == value


# -- Labels with their values --

_LABELLED = re.compile(
    r"^[ \t]*(?:[-*\u2022\u25cf\u30fb][ \t]*)?(?P<label>[^\n:\uff1a|\u3002]{1,20}?)[ \t]*[:\uff1a][ \t]*"
    r"(?P<value>[^\n\u3002:\uff1a|]{1,60}?)[ \t]*"
    r"(?P<end>[\u3002;\uff1b.]?)[ \t]*$",
    re.MULTILINE,
)


def as_sentences_of(text: str, other: str, language: str) -> str:
    """Write a line of a label and its value as the other text says that the one is the other."""
    topic, closes = (ways(language)[name] for name in ("topic", "closes"))

    def written(hit: re.Match[str]) -> str:
        says = (
            rf"{_spaced(hit['label'])}[ \t]*(?:{topic})[ \t]*{_spaced(re.sub(r'[ ]', '', hit['value']))}(?:{closes})?"
        )
        stretches = re.findall(rf"(?<![^\W_]){says}(?=[\s\u3002\uff0c\u3001;\uff1b,.]|\Z)", other)
        return f"{stretches[0]}{'.' if language == 'ko' else chr(0x3002)}" if len(stretches) == 1 else hit[0]

    return _LABELLED.sub(written, text)


# -- Points of a list as members of a sentence --

_LISTED = re.compile(
    r"(?P<lead>^[^\n|]{1,60})(?P<end>[:\uff1a\u3002.])[ \t]*\n+"
    r"(?P<items>(?:[ \t]*(?:[-*\u2022\u25cf\u30fb]|\d{1,2}\.)[ \t]*[^\n]+(?:\n|\Z)){2,12})",
    re.MULTILINE,
)
_STOPS = re.compile(r"[\u3002\uff0c\u3001;\uff1b,.\s]+$")
_NO_MEMBER = re.compile(r"[\u3002\uff0c\u3001,:\uff1a]")
_LONGEST_MEMBER = 20


class _List(NamedTuple):
    """A list that a line leads up to, and its members."""

    hit: re.Match[str]
    members: Sequence[str]


@cache
def _joints(language: str) -> str:
    return rf"[ \t]*(?:[\u3001\uff0c,;\uff1b]|{ways(language)['joins_members']})[ \t]*"


def in_one_enumeration(text: str, other: str, language: str) -> str:
    """Write the members of a list in one way where one of the texts has them as points and the other in a sentence."""
    mine, theirs = _list_of(text), _list_of(other)
    if mine is not None and theirs is None and (there := _enumerated(mine.members, other, language)):
        return _as_a_sentence(text, mine, other, there, language)
    if theirs is not None and mine is None and (here := _enumerated(theirs.members, text, language)):
        return f"{text[: here.start()]}{_together(theirs.members)}{text[here.end() :]}"
    return text


def _list_of(text: str) -> _List | None:
    hit = _LISTED.search(text)
    if hit is None:
        return None
    members = [_STOPS.sub("", _BULLET.sub("", line)) for line in hit["items"].strip().splitlines()]
    if any(not m or len(m) > _LONGEST_MEMBER or _NO_MEMBER.search(m) for m in members):
        return None
    return _List(hit, members)


def _enumerated(members: Sequence[str], text: str, language: str) -> re.Match[str] | None:
    hits = list(re.finditer(_joints(language).join(map(re.escape, members)), text))
    return hits[0] if len(hits) == 1 else None


def _together(members: Sequence[str]) -> str:
    return "\u3001".join(members)


def _as_a_sentence(text: str, mine: _List, other: str, there: re.Match[str], language: str) -> str:
    """Return a text with its list in the sentence that leads up to it, where the other names the members."""
    lead, listed = mine.hit["lead"], _together(mine.members)
    stands = re.search(ways(language)["the_following"], lead)
    before = re.sub(r"\W", "", other[: there.start()])
    if stands is not None and not before.endswith(re.sub(r"\W", "", lead)):
        particle = _particle(mine.members[-1], stands["particle"]) if language == "ko" else ""
        sentence = f"{lead[: stands.start()]}{listed}{particle}{lead[stands.end() :]}\u3002"
    else:
        sentence = f"{lead}{mine.hit['end']}{listed}\u3002"
    if language == "ko":
        sentence = sentence.replace("\u3002", ".")
    rest = text[mine.hit.end() :]
    return f"{text[: mine.hit.start()]}{sentence}\n{rest}".rstrip("\n")


_PARTICLES = ("\uc774\uac00", "\uc744\ub97c", "\uc740\ub294", "\uacfc\uc640")
"""Korean particles behind a closed and an open syllable."""

_HANGUL, _FINALS = 0xAC00, 28


def _particle(word: str, particle: str) -> str:
    """Return the particle in its form behind a word."""
    pair = next((p for p in _PARTICLES if particle in p), "")
    if not pair or not "\uac00" <= word[-1] <= "\ud7a3":
        return particle
    return pair[0] if (ord(word[-1]) - _HANGUL) % _FINALS else pair[1]


# -- Lists of things --

_POINTS = re.compile(
    r"(?P<lead>^[^\n|]{1,60})\n+(?P<items>(?:[ \t]*[-*\u2022\u25cf\u30fb][ \t]*[^\n]+(?:\n|\Z)){2,20})", re.MULTILINE
)


def in_the_turn_of(text: str, other: str, language: str) -> str:
    """Write the points of a list of things to have in one order, where the other text has the same ones in another.

    What stands over both says that they are things, and nothing that their order counts; none is a sentence.
    """
    here, there = _POINTS.search(text), _POINTS.search(other)
    both = f"{text}\n{other}"
    if here is None or there is None or IN_ORDER.search(both) or _NAMED_BY_PLACE.search(both):
        return text
    things, is_a_sentence = (re.compile(ways(language)[name]) for name in ("things_to_have", "is_a_sentence"))
    mine, theirs = (_points(hit["items"]) for hit in (here, there))
    is_turned = mine != theirs and sorted(mine) == sorted(theirs) and len(set(mine)) == len(mine)
    if not is_turned or not all(things.search(hit["lead"]) for hit in (here, there)):
        return text
    if any(is_a_sentence.search(point) for point in mine):
        return text
    listed = "".join(f"- {point}\n" for point in sorted(mine))
    return f"{text[: here.start('items')]}{listed}{text[here.end('items') :]}"


_NAMED_BY_PLACE = re.compile(
    "[前后後]者|[前后後上下]一?[个個项項]|最[后後初先]|第[一二三四五\\d][个個项項]|[一二三四五\\d]つ目|[次上下前後]の(?:もの|項目|物)"
    "|[전후]자(?=[는가의를])|(?:다음|앞의|마지막|첫 ?번째|두 ?번째|세 ?번째) (?:것|항목|물품)|마지막|첫째|둘째"
)
"""What names one of several by its place among them."""


def _points(items: str) -> list[str]:
    return [re.sub(r"\s+", "", _STOPS.sub("", _BULLET.sub("", line))) for line in items.strip().splitlines()]
