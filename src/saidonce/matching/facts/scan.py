"""A text's raw pieces, in order, with offsets into it."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache, partial
from typing import NamedTuple

from saidonce.foundation.text import normalise

_VOWEL_SIGNS = "\u064b-\u065f\u0670\u0640"
"""Arabic marks that may be left out: vowels, doubling, and the stroke that stretches a word."""

INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\u0e00-\u0e7f"

_PLAIN = str.maketrans(
    dict.fromkeys("\u05be\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
    | {"\u066b": ".", "\u066c": ",", "\u066a": "%", "\uff05": "%", "\uff0e": ".", "\uff1a": ":"}
    | {"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "`": " ", "\u00ab": '"', "\u00bb": '"'}
)

_TYPOGRAPHY = re.compile(f"[{re.escape(''.join(map(chr, _PLAIN)))}]")


def _plain(character: re.Match[str]) -> str:
    return _PLAIN[ord(character[0])]


SYMBOLS = (
    "\u203a\u2190-\u2211\u2213-\u2217\u2219-\u2247\u2249-\u2263\u2266-\u22ff\u2300-\u23ff\u25a0-\u27bf\u27f0-\u27ff"
    "\u2900-\u297f\u2a00-\u2bff\ufe0f\U0001f1e6-\U0001f1ff\U0001f300-\U0001faff"
)
"""Arrows, signs of mathematics, keys, shapes and pictures, as they are written in a class of a pattern."""

_WIDE_MARKS = "\u3001\u3002\u3008-\u3011\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f\u2018\u2019\u201c\u201d"
"""Marks of Chinese and Japanese sentences, with which no address goes on."""

_LETTERS = rf"(?:[^\W\d_{CJK}]|[{INVISIBLE}{_VOWEL_SIGNS}])+"
_NEVER_FIRST = r"\s,;:!?\"()\[\]{}*=&"
"""What no piece begins with, so that it is skipped in one step; as it is written in a class of a pattern."""

_PIECE = re.compile(
    rf"""
    (?:
      (?P<plain>[A-Za-z]{{2,40}}(?=[\s,;)!?"]|\.?$|\.\s))
    | (?P<url>(?:https?://|ftp://|www\.)[^\s<>"'|)\]{_WIDE_MARKS}]+
        | [\w.+-]{{1,64}}@[\w-]{{1,63}}(?:\.[\w-]{{1,63}}){{1,6}})
    | (?P<iso>(?<![^\W{CJK}])(?<!\.)\d{{4}}-\d{{1,2}}-\d{{1,2}}(?=T\d|(?![^\W{CJK}])))
    | (?P<slashed>(?<![\w./<>=~^])(?<![<>=~^][ ])
          \d{{1,2}}(?P<sep>[/.])\d{{1,2}}(?P=sep)(?:\d{{4}}|\d{{2}})(?![\w/]|\.\d))
    | (?P<clock>(?<![^\W{CJK}])(?<![:.])\d{{1,2}}:\d{{2}}(?::\d{{2}})?(?:\s?[ap]\.?m\b\.?)?(?!:|[^\W{CJK}])
        | \b\d{{1,2}}\s?[ap]\.?m\b\.?)
    | (?P<version>\bv\.?\s?\d+(?:\.\d+)*(?:-(?:alpha|beta|rc)[\w.]*)?(?![\w-])
        | \b\d+(?:\.\d+){{2,}}(?:-[a-z][\w.]*|[a-z]\d*)?\b)
    | (?P<ident>
          (?<![\w-])--?[A-Za-z][\w-]{{0,80}}
        | (?<![\w&/\#])[\#@][A-Za-z][\w-]{{1,80}}
        | \b[A-Za-z]\w{{0,20}}(?:\+\+|\+|\#)(?![\w+\#])
        | \b[A-Za-z][\w-]{{0,60}}(?:\.[\w-]{{1,60}}){{1,8}}(?:/[\w.+-]{{1,80}}){{1,20}}
        | \b(?!(?:twen|thir|for|fif|six|seven|eigh|nine)ty-)
          [A-Za-z]{{1,20}}(?:-\d+){{1,4}}(?:\.\d+){{0,4}}(?:\(\w{{1,9}}\)){{0,4}}
        | (?<![\w/])~?/(?:[\w.+-]{{1,80}}/?){{1,20}} | \b[\w+-]{{1,80}}(?:/[\w.+-]{{1,80}}){{2,20}}/?
        | \b[A-Za-z][\w-]{{0,60}}:\d+\b
        | [A-Za-z0-9]{{0,60}}(?:_[A-Za-z0-9]{{1,60}}){{1,12}}_?
        | \b[A-Za-z_][\w-]{{0,60}}(?:\.[A-Za-z_][\w-]{{0,60}}){{0,8}}
          \.(?!(?:The|It|We|In|This|A)\b)[A-Za-z_][\w-]{{1,60}}\b
        | \b[0-9]{{1,4}}[abeijnopqrtuxyz]\b
        | \b(?=[0-9]*[A-Za-z])(?![0-9]+(?:st|nd|rd|th|[A-Za-zµ]{{1,3}}|min|mins|hrs|days?|hours?)\b)(?=[A-Za-z]*[0-9])
          [A-Za-z0-9]+\b
      )
    | (?P<number>(?:(?<![\w)\]])[-+](?=\d))?(?:\d+(?:[,.'\u00a0\u2009\u202f]\d+)*|(?<![\w])\.\d+)(?:st|nd|rd|th)?)
    | (?P<word>{_LETTERS}(?:'{_LETTERS})*)
    | (?P<cjk>[{CJK}])
    | (?P<sign>[%$€£¥₹±≥≤§°] | [<>]=?(?=\s?[-$€£]?\.?\d) | [|]
        | (?<![\w~\u2248])(?<!\d\s)[~\u2248](?=\s?[$€£]?\d) | (?<=\d)\+(?=[\s,;:.)!?]|$)
        | (?<=\w\s)>(?=\s\w) | (?:(?<=\w)|(?<=\w\s))--?>(?=\s?\w) | [{SYMBOLS}]+)
    )[{_NEVER_FIRST}]*
    """,
    re.VERBOSE | re.IGNORECASE,
)
_PLAIN_GROUP = _PIECE.groupindex["plain"]
_ARABIC = re.compile("[\u0600-\u06ff]")
_ARABIC_MARKS = re.compile(f"[{_VOWEL_SIGNS}]")
_ARABIC_LETTERS = str.maketrans({"\u0622": "\u0627", "\u0623": "\u0627", "\u0625": "\u0627", "\u0671": "\u0627",
                                 "\u0629": "\u0647"})  # fmt: skip
_DOTTED_INITIALS = re.compile(r"(?<![\w.])(?:[A-Za-z]\.){2,}")


_EMPHASIS = re.compile(
    r"(?<![\w`/.])(?:__(?=[A-Z]|[a-z]+\W)[^\W_](?:[^_\n]{0,200}[^\s_])?__|_[^\W\d_](?:[^_\n`]{0,200}[^\s_])?_)(?![\w`/(.])"
)
"""Words between the strokes that Markdown emphasises with; a name such as `__init__` is none."""


class RawToken(NamedTuple):
    """One raw piece: offsets, what it looks like, folded and written form, whether marked as code."""

    start: int
    end: int
    shape: str
    folded: str
    written: str
    is_code: bool


@lru_cache(maxsize=65_536)
def folded_word(word: str) -> str:
    """Return a word without case, typography and what Arabic spelling leaves free.

    These are vowel marks, forms of alef, and teh marbuta.
    """
    if word.isascii():
        return word.casefold()
    plain = normalise(word.translate(_PLAIN))
    if _ARABIC.search(plain):
        plain = _ARABIC_MARKS.sub("", plain).translate(_ARABIC_LETTERS)
    return plain


_raw_token: Callable[[tuple[int, int, str, str, str, bool]], RawToken] = partial(tuple.__new__, RawToken)
"""Makes a raw token of its fields in a third of the time; a text has hundreds."""


def pieces(text: str) -> list[RawToken]:
    """Return pieces of a stretch of text, with offsets into it."""
    plain = text.replace("`", " ") if text.isascii() else _TYPOGRAPHY.sub(_plain, text)
    if "_" in plain:
        plain = _EMPHASIS.sub(lambda m: m.group().replace("_", " "), plain)
    if "." in plain:
        plain = _DOTTED_INITIALS.sub(lambda m: m.group().replace(".", "") + " " * (len(m.group()) // 2), plain)
    ascii_only, marks_code = plain.isascii(), "`" in text
    raw: list[RawToken] = []
    for match in _PIECE.finditer(plain):
        group = match.lastindex or 0
        at, end = match.span(group)
        written = match[group]
        if group == _PLAIN_GROUP:
            shape, folded = "word", written.lower()
        else:
            shape = match.lastgroup or ""
            if shape in ("url", "ident"):
                written = written.rstrip(".,;:!?")
                end = at + len(written)
            folded = written.casefold() if ascii_only else folded_word(written)
            if not folded:
                continue
        is_code = marks_code and (text[max(0, at - 1) : at] == "`" or text[end : end + 1] == "`")
        raw.append(_raw_token((at, end, shape, folded, written, is_code)))
    return raw
