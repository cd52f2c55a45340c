"""Room: what a capital says by itself, so that two texts that differ in it alone are no exact repeats."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files

_UNIT = r"\d[ \u00a0\u202f]?(?:m(?:W|Hz|V|Pa|Wh|A|C)|pF|M[mgls]|Mbar|[MGT]b|[kKMGT]Bps)\b"
"""A unit of which the case of a letter says how large it is, or what: 3 mW and 3 MW, 5 Gb (bits) and 5 GB."""

_PATH = r"https?://[^\s/<>\"'|)\]]+/[^\s<>\"'|)\]]*[A-Z][^\s<>\"'|)\]]*"
"""An address of which not all after the host is in small letters: servers tell "/Doc" from "/doc"."""

_NAME = r"""(?x:(?<![\w/-])(?:
    (?=\w*[A-Z])[^\W_]+_\w+                                     # DATA_DIR
    | [a-z]{2,}[A-Z][a-z]\w*                                    # maxSize; but no iPhone
    | --?[\w-]+=[^\s"']*[A-Z][^\s"']*                           # --env=Prod
    | (?=[\w./-]*[A-Z])(?:/[\w.-]+|[\w.-]+/[\w.-]+/)[\w./-]*    # /etc/Backup, data/Raw/2023
    | (?=[\w-]*\d)(?=[\w-]*[a-z])[\w-]*[a-z\d][A-Z][\w-]*       # 7kQF-22
)(?!\w))"""
"""A name that programs read, not all in small letters."""

_POLITE = r"(?<=[a-z\u00e4\u00f6\u00fc\u00df,] )(?:Sie|Ihnen|Ihr(?:e[mnrs]?)?)\b"
"""German words for the reader, which in small letters name others."""


@cache
def named() -> frozenset[str]:
    """Return English words, in small letters, that name something else where they are written with a capital."""
    return frozenset(_table()["names"].split())


@cache
def acronyms() -> frozenset[str]:
    """Return English words, in small letters, that are others where they are written in capitals alone."""
    return frozenset(_table()["acronyms"].split())


@cache
def either() -> frozenset[str]:
    """Return English words, in small letters, that in capitals may be the name or the word."""
    return frozenset(_table()["either"].split())


def telling(text: str) -> tuple[str, ...]:
    """Return what a text says by capitals, in order; nothing for one in capitals throughout."""
    if text.isupper() or text.islower():
        return ()
    terms = _keywords().findall(text) if defines_keywords(text) else ()
    return (*(m[0] for m in _telling().finditer(text)), *terms)


def defines_keywords(*texts: str) -> bool:
    """Return whether a text says what a modal verb in capitals means: "MAY" is a term there, and no stressed "may"."""
    return any(_defines().search(text) for text in texts)


@cache
def _keywords() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{_table()['keywords'].upper().replace(' ', '|')})\b")


@cache
def _defines() -> re.Pattern[str]:
    means = r"[\"\u201d'\u2019*`)]* (?:means?|is|are|denotes?|stands?|indicates?)\b"
    return re.compile(rf"{_keywords().pattern}{means}|\bRFC ?2119\b|\bBCP ?14\b")


@cache
def program_names() -> re.Pattern[str]:
    """Return an expression of names that programs read and that are not all in small letters."""
    return re.compile(_NAME)


def _table() -> dict[str, str]:
    return tomllib.loads((files("saidonce.foundation") / "data" / "capitals.toml").read_text("utf-8"))


@cache
def _telling() -> re.Pattern[str]:
    names = "|".join(sorted(map(str.capitalize, named())))
    letters = "|".join(sorted(map(str.upper, acronyms() | either())))
    within = rf"(?<=[a-z,] )(?:{names})(?![\w'-])"
    return re.compile(rf"{_UNIT}|{_PATH}|{_NAME}|{_POLITE}|{within}|(?<![\w.&-])(?:{letters})(?![\w&])")
