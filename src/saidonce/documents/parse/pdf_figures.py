"""Correct the text of a PDF page by character positions: joined numbers, spaced or doubled letters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import Any

from saidonce.documents.parse.pdf_hyphens import BREAK
from saidonce.documents.parse.pdf_lines import characters_of

APART = 0.2
"""Gap between the advances of two figures, in heights of a figure, from which they are two."""

NEAR = 6.0
"""Gap, in heights, up to which two figures of a line may have been run together."""

RAISED = 0.22
"""Height of a figure's foot above that of the one before it, from which it is a raised mark, in heights."""

WORD_GAP = 1.6
"""Gap between letters spaced apart, in medians of their gaps, from which a new word begins."""

MIN_SPACED = 6
MOST_JOINED = 4
_FIGURE = re.compile(r"\d[\d.,]*")
_SPACED = re.compile(r"(?<!\w)(?:[^\W\d_][ \xa0]+){5,}[^\W\d_](?!\w)")
_DOUBLED = re.compile(r"(?:([^\W\d_])\1){3,}")
_ALL_DOUBLED = re.compile(r"(?:(\S)\1)+")
_ALEF_LAM = re.compile("[\u0627\u0622\u0623\u0625]\u0644")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff]")
RTL_SHARE = 0.1
"""Share of letters written from right to left, from which figures are left as they are: their order is not by place."""

SMALL = 0.85
LIFTED = 0.1
"""Height of a mark and that of its foot, in heights of the letter before it, up to and from which it is raised."""

_MARKED = re.compile(r"(?<!\w)(\w*[^\W\d_])(\d{1,3})(?!\w)")
_TOKEN = re.compile(r"\d(?:[\d.,]*\d)?")
_WORD = re.compile(r"\w+")
_NEIGHBOURS = re.compile(r"(?<!\w)([^\W\d_]+)[ \xa0](?=([^\W\d_]+)(?!\w))")
_BROKEN = re.compile("(?<![^\\W\\d_])([^\\W\\d_]++)\ufffe([^\\W\\d_]+)")
_TOKENS = re.compile(r"\S+")
_TYPED = str.maketrans(
    dict.fromkeys("\u201c\u201d\u201e", '"')
    | dict.fromkeys("\u2018\u2019\u201a", "'")
    | dict.fromkeys("\u2010\u2011\u2013\u2014\u2212", "-")
)
"""Quotes and dashes, and what a typewriter has for them."""

_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class _Box:
    left: float
    foot: float
    right: float
    top: float

    @property
    def height(self) -> float:
        return max(self.top - self.foot, 1.0)


@dataclass(frozen=True, slots=True)
class _Figure:
    text: str
    first: _Box
    last: _Box


@dataclass(frozen=True, slots=True)
class PageMending:
    """Wrong stretches of a page's text, and their correct form on the page."""

    figures: Mapping[str, str]
    words: dict[str, str]
    plain: str = ""
    known: frozenset[str] = frozenset()
    signs: Mapping[str, str] = field(default_factory=dict)

    def mended(self, text: str) -> str:
        """Return a text of the page with numbers separated, spaced letters joined and doubled letters single."""
        text = text.replace(BREAK, "")
        if self.figures:
            text = _TOKEN.sub(lambda m: self.figures.get(m.group(), m.group()), text)
        if self.words or self.known:
            text = _WORD.sub(lambda m: self._word(m.group()), text)
            for apart, together in self.words.items():
                if " " in apart and apart in text:
                    text = text.replace(apart, together)
        if self.signs:
            text = _TOKENS.sub(lambda m: self.signs.get(m.group(), m.group()), text)
        return undoubled(_SPACED.sub(self._together, text) if self.plain else text)

    def _word(self, word: str) -> str:
        """Return a word, or the two of the page that were run together: "TrueWith" is "True With"."""
        if word in self.words or word in self.known:
            return self.words.get(word, word)
        for at in range(1, len(word)):
            if word[at].isupper() and word[at - 1].islower() and {word[:at], word[at:]} <= self.known:
                return f"{word[:at]} {word[at:]}"
        return word

    def _together(self, match: re.Match[str]) -> str:
        """Return letter-spaced text joined, if the page's plain text has it joined."""
        letters = _SPACES.sub("", match.group())
        stands = re.search(r"[ \xa0]*".join(map(re.escape, letters)), self.plain)
        return _SPACES.sub(" ", stands.group()) if stands and not _SPACED.search(stands.group()) else match.group()


def undoubled(text: str) -> str:
    """Return a text without the doubled letters of fake bold: "MMuunniicciippaall" is "Municipal"."""
    if not _DOUBLED.search(text):
        return text
    lines = []
    for line in text.split("\n"):
        words = line.split(" ")
        doubled = [bool(_DOUBLED.fullmatch(word.strip(".,:;!?()"))) for word in words]
        n_pairs = sum(1 for word in words if _ALL_DOUBLED.fullmatch(word))
        is_line = any(doubled) and n_pairs * 2 > len(words)
        undo = [(is_line and _ALL_DOUBLED.fullmatch(word)) or d for word, d in zip(words, doubled, strict=True)]
        lines.append(" ".join(_once(word) if u else word for word, u in zip(words, undo, strict=True)))
    return "\n".join(lines)


def _once(word: str) -> str:
    return re.sub(r"(.)\1", r"\1", word)


def is_right_to_left(text: str) -> bool:
    """Return whether much of a text is written from right to left, so that positions do not give its order."""
    return len(_RIGHT_TO_LEFT.findall(text)) >= max(RTL_SHARE * len(text), 1)


def mending(page: Any) -> PageMending:
    """Compare the text of a page with the positions of its characters."""
    text = characters_of(page)
    figures: dict[str, str] = {}
    if sum(map(str.isdigit, text)) > 1 and not is_right_to_left(text):
        figures = _joined(list(_figures(page, text)))
    words = {**_apart(text), **_spaced(page, text), **_ligatures(page, text), **_raised(page, text)}
    return PageMending(figures, words, text, frozenset(_WORD.findall(text)), _printed(text))


def _printed(text: str) -> dict[str, str]:
    """Return words with the quotes and dashes of a typewriter, mapped to those of the page, if it has one for each.

    A layout writes typographic signs as plain ones.
    """
    tokens = set(_TOKENS.findall(text.replace(BREAK, "")))
    printed: dict[str, set[str]] = {}
    for token in tokens:
        printed.setdefault(token.translate(_TYPED), set()).add(token)
    return {typed: next(iter(of)) for typed, of in sorted(printed.items()) if len(of) == 1 and typed not in of}


def _box(page: Any, at: int) -> _Box:
    """Return the box of a character: its advance width horizontally, its ink vertically."""
    left, _, right, _ = page.get_charbox(at, loose=True)
    _, foot, _, top = page.get_charbox(at)
    return _Box(left, foot, right, top)


def _figures(page: Any, text: str) -> Iterator[_Figure]:
    """Yield the numbers of a page by position: a gap or a vertical step ends a number."""
    for match in _FIGURE.finditer(text):
        held: list[tuple[int, _Box]] = []
        for at in range(match.start(), match.end()):
            box = _box(page, at)
            if held and text[at].isdigit() and _ends(held[-1][1], _last_digit(held, text), box):
                yield _figure(held, text)
                held = []
            held.append((at, box))
        yield _figure(held, text)


def _last_digit(held: Sequence[tuple[int, _Box]], text: str) -> _Box:
    return next(box for at, box in reversed(held) if text[at].isdigit())


def _figure(held: Sequence[tuple[int, _Box]], text: str) -> _Figure:
    return _Figure("".join(text[at] for at, _ in held).rstrip(".,"), held[0][1], _last_digit(held, text))


def _ends(edge: _Box, before: _Box, box: _Box) -> bool:
    """Return whether a digit begins another number, given the last character and the last digit before it."""
    height = max(before.height, box.height)
    is_raised = box.foot - before.foot > RAISED * before.height
    return box.left - edge.right > APART * height or is_raised or box.right < before.left - height


def _joined(figures: Sequence[_Figure]) -> dict[str, str]:
    """Return the joined form of neighbours on a line, mapped to their separate form."""
    texts = {figure.text for figure in figures}
    joined: dict[str, str] = {}
    for at, figure in enumerate(figures):
        together, apart, last = figure.text, figure.text, figure.last
        for following in figures[at + 1 : at + MOST_JOINED]:
            step = following.first.foot - last.foot
            gap = following.first.left - last.right
            if abs(step) > last.height or not -0.5 * last.height < gap < NEAR * last.height:
                break
            is_mark = step > RAISED * last.height and following.first.height < last.height * 0.95
            together += following.text
            apart += f"^{following.text}" if is_mark else f" {following.text}"
            last = following.last
            if together not in texts:
                joined.setdefault(together, apart)
    return joined


def _apart(text: str) -> dict[str, str]:
    """Return the joined form of neighbouring words on a line, mapped to their separate form.

    The parts of a word hyphenated at the end of a line stay together.
    """
    page_words = set(_WORD.findall(text))
    words = {}
    for match in _NEIGHBOURS.finditer(text):
        a, b = match.group(1), match.group(2)
        if a + b not in page_words and not (a + b).isdigit():
            words[a + b] = f"{a} {b}"
    for match in _BROKEN.finditer(text):
        words[f"{match.group(1)}- {match.group(2)}"] = match.group(1) + match.group(2)
    return words


def _spaced(page: Any, text: str) -> dict[str, str]:
    """Return letter-spaced text, mapped to the words that their gaps separate."""
    words: dict[str, str] = {}
    for match in _SPACED.finditer(text):
        places = [at for at in range(match.start(), match.end()) if not text[at].isspace()]
        boxes = [_box(page, at) for at in places]
        gaps = [max(b.left - a.right, 0.0) for a, b in pairwise(boxes)]
        if len(places) < MIN_SPACED or not gaps:
            continue
        wide = WORD_GAP * median(gaps)
        joined = text[places[0]] + "".join(
            f" {text[at]}" if gap > wide else text[at] for at, gap in zip(places[1:], gaps, strict=True)
        )
        words[_SPACES.sub(" ", match.group())] = joined
    return words


def _ligatures(page: Any, text: str) -> dict[str, str]:
    """Return right-to-left words in reversed order: found by their positions, or by a lam-alef ligature.

    Characters that share a position belong to one glyph, and keep their order when a word is reversed.
    """
    words: dict[str, str] = {}
    for match in _WORD.finditer(text):
        if not _RIGHT_TO_LEFT.search(match.group()):
            continue
        boxes = [_box(page, at) for at in range(match.start(), match.end())]
        letters = list(match.group())
        if len(letters) > 1 and boxes[0].left < boxes[-1].left:
            signs: list[str] = []
            for at, letter in enumerate(letters):
                if at and boxes[at] == boxes[at - 1]:
                    signs[-1] += letter
                else:
                    signs.append(letter)
            letters = list("".join(reversed(signs)))
        else:
            for pair in _ALEF_LAM.finditer(match.group()):
                if boxes[pair.start()] == boxes[pair.start() + 1]:
                    letters[pair.start() : pair.end()] = reversed(letters[pair.start() : pair.end()])
        if (right := "".join(letters)) != match.group():
            words[match.group()] = right
    return words


def _raised(page: Any, text: str) -> dict[str, str]:
    """Return words with a superscript number, such as m^3, if they never occur without it."""
    marked: dict[str, str] = {}
    plain: set[str] = set()
    for match in _MARKED.finditer(text):
        _, foot, _, top = page.get_charbox(match.start(2) - 1, loose=True)
        _, mark_foot, _, mark_top = page.get_charbox(match.start(2), loose=True)
        height = max(top - foot, 1.0)
        if mark_top - mark_foot < SMALL * height and mark_foot > foot + LIFTED * height:
            marked[match.group()] = f"{match.group(1)}^{match.group(2)}"
        else:
            plain.add(match.group())
    return {word: right for word, right in marked.items() if word not in plain}
