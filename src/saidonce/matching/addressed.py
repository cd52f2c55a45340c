"""Texts that talk to the judge which compares them; a rule of thumb, and one net of several.

Known wordings in the languages of `addressed.toml` are found, also in look-alike letters (Unicode's confusables), with
blanks or signs between letters, and with digits for letters. A wording without a table, a picture of words, an encoding
such as base64, and a request that sounds like any other sentence are not.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from saidonce.foundation.model import Question
from saidonce.matching.presentation import cleaned

NEAR = 60
"""Characters between the two halves of a request, at most."""

_FORMS = re.compile(
    r"\b(?:opinion|nonce|classification|review_feedback|confidence|is_?duplicate)[\"'`]?\s*[:=]"
    r"|^[^\w\n]{0,20}(?:system|assistant|developer)\s*+(?:(?:prompt|message|note)\s*+)?[:\]>]"
    r"|<\|(?:im_start|im_end|system|user|assistant|endoftext)\|>|\[/?inst\]|<</?sys>>"
    r"|^<<\w{1,40}$|^\w{1,40}>>$",
    re.IGNORECASE | re.MULTILINE,
)
"""Parts of prompts and replies, in any language."""

_SPACED = re.compile(r"(?<![\w.\-_*])\w(?:[ .\-_*]\w(?!\w)){3,}")
_LEET = str.maketrans("013457@$!|", "oieastasil")
_MIXED = re.compile(r"[\w@$!|]+")


def speaks_to_judge(question: Question) -> bool:
    """Return whether a text or field of a question addresses its judge; a rule of thumb.

    An author who knows the rule can avoid it: it is one of several nets, and a held question goes to a person.
    """
    candidates = [question.candidate, *(shown.match.kept for shown in question.shown)]
    parts = [t for c in candidates for t in (c.text, *(part for pair in c.fields for part in pair))]
    return any(addresses_judge(part) for part in parts)


def addresses_judge(text: str) -> bool:
    """Return whether a text holds words to a judge, as they stand or disguised; in linear time."""
    plain = unicodedata.normalize("NFKC", cleaned(text))
    return any(_FORMS.search(form) or _is_request(form.casefold()) for form in _readings(plain))


def _is_request(text: str) -> bool:
    return any(
        request.you.search(text)
        or any(_are_near(text, *halves, is_forward=request.is_forward) for halves in request.halves)
        for request in _requests()
    )


def _are_near(text: str, one: re.Pattern[str], other: re.Pattern[str], is_forward: bool) -> bool:
    """Return whether matches of two patterns stand near each other, the first one first if it must."""
    begins = [match.start() for match in other.finditer(text)]
    if not begins:
        return False
    for match in one.finditer(text):
        low = match.end() if is_forward else match.start() - NEAR
        place = bisect_left(begins, low)
        if place < len(begins) and begins[place] <= match.end() + NEAR:
            return True
    return False


def _readings(text: str) -> Iterator[str]:
    """Yield a text, and as a reader sees it: look-alikes as Latin letters, digits as letters, words drawn together."""
    yield text
    seen = "".join(map(_latin, text)) if not text.isascii() else text
    joined = _SPACED.sub(lambda m: re.sub(r"[ .\-_*]", "", m[0]), seen)
    spelt = _MIXED.sub(_spelt, joined)
    if spelt != text:
        yield spelt


def _spelt(word: re.Match[str]) -> str:
    """Return a word of letters and digits with the letters that the digits stand for; a number stays."""
    return word[0].translate(_LEET) if any(map(str.isalpha, word[0])) else word[0]


@cache
def _latin(sign: str) -> str:
    """Return the ASCII letter that a letter can be taken for; the letter itself if there is none."""
    from confusable_homoglyphs import confusables  # noqa: PLC0415  a megabyte of tables, for texts with such letters

    if sign.isascii() or not sign.isalpha():
        return sign
    bare = unicodedata.normalize("NFD", sign)[0]
    if bare.isascii():
        return sign
    rows = confusables.confusables_data.get(sign, ())
    letters = [c for row in rows if len(c := row["c"]) == 1 and c.isascii() and c.isalpha()]
    letter = next((c for c in letters if c.isupper() == sign.isupper()), next(iter(letters), sign))
    return "I" if letter == "l" and sign.isupper() else letter  # the tables know capital I as a small l only


@dataclass(frozen=True, slots=True)
class _Request:
    """The requests to a judge in one language: two pairs of words that stand near each other, and an address."""

    halves: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]
    you: re.Pattern[str]
    is_forward: bool


@cache
def _requests() -> tuple[_Request, ...]:
    tables = tomllib.loads(files("saidonce.matching").joinpath("addressed.toml").read_text("utf-8"))
    return tuple(map(_request, tables.values()))


def _short(pattern: str) -> str:
    """Return a pattern in which a word has so many letters: what runs on is none, and would be read again and again."""
    return pattern.replace(r"\w*", r"\w{0,20}")


def _request(table: dict[str, str]) -> _Request:
    edge = "" if "scripted" in table else r"\b"
    ignore, rules, answer, clear, you = (
        re.compile(rf"{edge}(?:{_short(table[name])}){edge}", re.DOTALL)
        for name in ("ignore", "rules", "answer", "clear", "you")
    )
    return _Request(((ignore, rules), (answer, clear)), you, "forward" in table)
