"""Headings of plain text in scripts without capitals: a short line with a number before it, over a text."""

from __future__ import annotations

import re
import unicodedata

_FIGURE = r"(?:[\d\uff10-\uff19]{1,2}(?:[.\uff0e][\d\uff10-\uff19]{1,2}){0,4})"
_CHINESE = "[一二三四五六七八九十百]{1,4}"
_NUMBERED = re.compile(
    rf"({_FIGURE})[.)\uff0e\uff09、]\s*\S"  # 3. 병가, ２．水やり
    rf"|{_CHINESE}[、.\uff0e]\s*\S"  # 二、洗衣
    rf"|[(\uff08](?:{_CHINESE}|{_FIGURE})[)\uff09]\s*\S"  # （二）洗衣
    rf"|第\s*(?:{_CHINESE}|\d{{1,3}})\s*[章節节条條編编部回款]\s*\S"  # 第三章 清潔
    r"|제\s*\d{1,3}\s*[장절조편부관]\s*\S"  # 제2장 경조휴가
    r"|[가나다라마바사아자차카타파하]\.\s+\S"  # 가. 신청 방법
    r"|[①-⑳]\s*\S"
)
_MARK = re.compile(r"[.,;:!?…。，、：；！？؛،؟।॥]$")
_KOREAN_SENTENCE = re.compile(r"(?:다|요|오|까)$")

MOST_WORDS = 6
"""Words of such a heading, its number among them, in a script that writes them apart."""

MOST_CHARACTERS = 24
"""Characters of one in a script that does not."""

MOST_OF_TITLE = 12
"""Characters of a title without a number in such a script."""

_ENDED = re.compile(r"[。！？]|[。！？」』”]$")
LEAST_PROSE = 12
"""Characters of a text of such a script that is prose."""


def ordinal_level(line: str, below: list[str]) -> int:
    """Return the level of a heading: 1, or 2 for "1.2"; 0 if the line is text.

    Args:
        line: the only one between two empty ones.
        below: the lines between the next two; a list whose items stand apart has one more of it there.
    """
    line = line.strip()
    numbered = _NUMBERED.match(line)
    if not numbered or not _is_short(line) or _MARK.search(line) or not _has_caseless(line):
        return 0
    if _KOREAN_SENTENCE.search(line) and len(line.split()) > 3:
        return 0
    text = " ".join(below)
    is_item = len(below) == 1 and _NUMBERED.match(text.strip()) and _MARK.search(text.strip()) is None
    if not below or (is_item and not _is_deeper(numbered[1], text)):
        return 0
    if len(text) <= len(line) and not _MARK.search(text):
        return 0
    return (numbered[1] or "").replace("\uff0e", ".").count(".") + 1


def is_spaceless_title(line: str) -> bool:
    """Return whether a line may be a title in a script that writes no words apart."""
    line = line.strip()
    return len(line) <= MOST_OF_TITLE and len(line) > 1 and is_spaceless(line) and line.isalpha()


def is_spaceless_prose(text: str) -> bool:
    """Return whether a text in such a script is prose: of some length, with sentences that end."""
    return len(text) >= LEAST_PROSE and is_spaceless(text) and _ENDED.search(text) is not None


def _is_deeper(figure: str | None, below: str) -> bool:
    """Return whether the heading below belongs to this one: "1.2" to "1"."""
    next_one = _NUMBERED.match(below.strip())
    other = next_one[1] if next_one else None
    return bool(figure and other and other.startswith(f"{figure}.")) or (figure is None) != (other is None)


def _is_short(line: str) -> bool:
    return len(line) <= MOST_CHARACTERS if is_spaceless(line) else len(line.split()) <= MOST_WORDS


def _has_caseless(line: str) -> bool:
    """Return whether the letters of a line have no capitals."""
    letters = [c for c in line if c.isalpha()]
    caseless = sum(c.lower() == c.upper() for c in letters)
    return bool(letters) and 2 * caseless > len(letters)


def is_spaceless(line: str) -> bool:
    """Return whether a line is mostly in a script that writes no words apart."""
    letters = [c for c in line if c.isalpha()]
    return bool(letters) and 2 * sum(_is_of_such(c) for c in letters) > len(letters)


def _is_of_such(letter: str) -> bool:
    return unicodedata.name(letter, "").startswith(("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR"))
