"""Keys in words and in marks of keys: "[Ctrl] + [E]", "Ctrl and E at the same time", "hold down Ctrl and press E"."""

from __future__ import annotations

import re
from functools import cache

from saidonce.matching.facts.lexicon import language_table
from saidonce.matching.facts.written import Written

_MODIFIER = (
    r"(?:Ctrl|Control|Strg|Alt|AltGr|Shift|Umschalt|Maj|May\u00fas|Maiusc|Cmd|Command|Option|Win|Windows|Super|Fn)"
)
_NAMED_KEY = (
    r"(?:F\d\d?|Enter|Return|Tab|Esc|Del|Delete|Ins|Insert|Home|End|Space|Backspace|Plus|Minus|Up|Down|Left"
    r"|Right|Entf|Einfg|Pos1|Ende|Eingabe|Suppr|Entr\u00e9e|Supr|Intro|Canc|Invio)"
)
_KEY = rf"(?:[A-Z0-9]|{_NAMED_KEY})(?!\w)"
TOGETHER = re.compile(rf"(?<![\w+-]){_MODIFIER}(?:(?: ?\+ ?|-){_MODIFIER}){{0,3}}(?: ?\+ ?|-){_KEY}")
"""Keys that are pressed together."""

_KEYCAP = re.compile(r"<kbd>([^<>\n]{1,20})</kbd>", re.IGNORECASE)
_BOXED = re.compile(
    rf"\[(?P<key>{_MODIFIER}|{_NAMED_KEY})\](?![(\[:])|(?<=\+)(?P<gap> ?)\[(?P<last>[A-Z0-9])\](?![(\[:])"
)
_OPENS, _CLOSES = r"[*_`\"\u201c\u201e\u00ab]{0,2}", r"[*_`\"\u201c\u201d\u00bb]{0,2}"


def with_keys_together(text: Written, other: str, language: str) -> Written:
    """Write keys that are pressed together with a plus and no blanks, without the marks of a key.

    So are those that a text says are to be pressed at the same time, where the other one has the same.
    """
    text = text.replaced(_KEYCAP, lambda hit: hit[1]) if "<" in text.text else text
    text = text.replaced(_BOXED, _unboxed) if "[" in text.text else text
    there = {_together(hit) for hit in TOGETHER.finditer(_BOXED.sub(_unboxed, _KEYCAP.sub(r"\1", other)))}
    if there:
        text = _with_keys_of_words(text, there, language)
    return text.replaced(TOGETHER, lambda hit: _together(hit) if _together(hit) in there else hit[0])


def _unboxed(hit: re.Match[str]) -> str:
    return hit["key"] or f"{hit['gap']}{hit['last']}"


def _together(hit: re.Match[str]) -> str:
    return re.sub(r" ?[+-] ?", "+", hit[0])


def _with_keys_of_words(text: Written, there: set[str], language: str) -> Written:
    for words, instead in _in_words(language):
        text = text.replaced(words, lambda hit, instead=instead: _as_one(hit, instead, there))  # type: ignore[misc]
    return text


def _as_one(hit: re.Match[str], instead: str, there: set[str]) -> str:
    """Return keys in words as one, behind what leads to them there; as they are if the other text has not the same."""
    keys = "+".join(re.findall(rf"(?<!\w)(?:{_MODIFIER}(?!\w)|{_KEY})", f"{hit['keys']} {hit['last']}"))
    if keys not in there:
        return hit[0]
    written = f"{instead} {keys}".strip()
    return written[0].upper() + written[1:] if hit[0][0].isupper() else written


@cache
def _in_words(language: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return an expression for each way to say in words that keys are pressed together, and what stands instead."""
    table = language_table(language).get("markup", {})
    rows = [row.split(" = ") for row in table.get("pressed_together", "").strip().splitlines()]
    return tuple((_around_keys(left.strip(), table["and"]), right.strip().removeprefix("_")) for left, right in rows)


def _around_keys(words: str, joint: str) -> re.Pattern[str]:
    modifier = rf"(?-i:{_OPENS}{_MODIFIER}{_CLOSES})"
    last = rf"(?P<last>(?-i:{_OPENS}{_KEY}{_CLOSES}))"
    several = rf"(?P<keys>{modifier}(?:, {modifier}){{0,3}}),? {joint} {last}"
    held = rf"(?P<keys>{modifier}(?:(?:, |,? {joint} ){modifier}){{0,2}})"
    written = words.replace("KEYS", several).replace("HELD", held).replace("LAST", last)
    return re.compile(rf"(?<![\w-]){written}(?![\w-])", re.IGNORECASE)


@cache
def _turned(language: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return an expression for each way to name a key that the words of another one stand for, and these words."""
    rows = language_table(language).get("markup", {}).get("turned", "").strip().splitlines()
    pairs = (row.split(" = ") for row in rows)
    key = rf"(?P<key>(?-i:{_OPENS}(?:{_MODIFIER}|{_NAMED_KEY}){_CLOSES}))"
    return tuple((re.compile(rf"(?<![\w-]){left.replace('KEY', key)}(?![\w-])"), right) for left, right in pairs)


def with_keys_called_alike(text: Written, other: str, language: str) -> Written:
    """Write "the Tab key" as "the key Tab" if the other text calls the same key so."""
    for named, instead in _turned(language):

        def called(hit: re.Match[str], instead: str = instead) -> str:
            key = re.sub(r"[^\w]", "", hit["key"])
            bare = re.compile(re.escape(instead.strip()).replace("KEY", rf"\[?{_OPENS}{key}{_CLOSES}\]?(?!\w)"))
            return instead.strip().replace("KEY", key) if bare.search(other) else hit[0]

        text = text.replaced(named, called)
    return text
