"""Generate hard texts for a regular expression: what it repeats, many times, after a prefix that leads to it.

The parsed expression is walked; for each part that repeats without a small bound, texts are made of characters that
the part matches: alone, after the shortest prefix that leads there, that prefix itself repeated, and with an end that
nothing matches. Texts that are hard for many expressions are added.
"""

from __future__ import annotations

import re
import re._constants as sre  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

FEW = 16
"""A part that repeats no more often than this is bounded."""
MOST_PUMPS = 10
ALPHABET = "a 0\n\t.-,_'\"A(/\u00e9\u4e2d:;*#|[{<=\\@x"
NO_END = ("\0", "\n!", "")
COMMON = (
    "a",
    " ",
    "0",
    "\n",
    "a ",
    "0 ",
    "1,",
    "a\n",
    " \n",
    "a-",
    "Ann Bo ",
    "not a ",
    "the ",
    "- ",
    "1. ",
    "(a",
    "'a",
    "a, ",
)


@dataclass(frozen=True)
class Pumped:
    """A text by its parts: a head once, a pump until the length is reached, and an end."""

    head: str
    pump: str
    end: str

    def of(self, length: int) -> str:
        """Return the text with so many characters between head and end."""
        return self.head + (self.pump * (length // len(self.pump) + 1))[:length] + self.end


def hard_texts(pattern: re.Pattern[Any]) -> list[Pumped]:
    """Return the texts for one expression, each once, in a fixed order."""
    text = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    tree = parser.parse(text, pattern.flags & ~re.DEBUG)
    texts: dict[Pumped, None] = {}
    for head, body in _repeats(list(tree), ""):
        for pump in _pumps(body, pattern.flags):
            texts.update(dict.fromkeys(Pumped(head, pump, end) for end in NO_END))
            if head:
                texts[Pumped("", head + pump, "")] = None
                texts[Pumped("", head + pump, "\0")] = None
        if head:
            texts[Pumped("", head, "\0")] = None
    texts.update(dict.fromkeys(Pumped("", pump, "\0") for pump in COMMON))
    return list(texts)


def _repeats(items: list[Any], head: str) -> Iterator[tuple[str, list[Any]]]:
    """Walk an expression; give each part that repeats, with the shortest text that leads to it."""
    for op, value in items:
        if op in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            _, most, body = value
            if most is sre.MAXREPEAT or most > FEW:
                yield head, list(body)
            yield from _repeats(list(body), head)
        elif op is sre.SUBPATTERN:
            yield from _repeats(list(value[3]), head)
        elif op is sre.ATOMIC_GROUP:
            yield from _repeats(list(value), head)
        elif op is sre.BRANCH:
            for branch in value[1]:
                yield from _repeats(list(branch), head)
        elif op in (sre.ASSERT, sre.ASSERT_NOT):
            yield from _repeats(list(value[1]), head)
        head += _sample([(op, value)])


def _pumps(body: list[Any], flags: int) -> list[str]:
    """Return what a repeated part matches: single characters of the alphabet, and samples of its alternatives."""
    pumps: dict[str, None] = {}
    if len(body) == 1 and body[0][0] in (sre.IN, sre.ANY, sre.NOT_LITERAL, sre.LITERAL, sre.CATEGORY):
        pumps.update(dict.fromkeys(c for c in ALPHABET if _takes(body[0], c, flags)))
        pumps.setdefault(_sample(body))
        singles = list(pumps)
        if len(singles) > 2:
            pumps[singles[0] + singles[1]] = None
    else:
        pumps.update(dict.fromkeys(_alternatives(body)))
        for _, inner in _repeats(body, ""):
            pumps.update(dict.fromkeys(_pumps(inner, flags)[:3]))
    return [p for p in pumps if p][:MOST_PUMPS]


def _alternatives(body: list[Any]) -> list[str]:
    """Return samples of a part: the shortest one, and one for each of the first alternatives inside."""
    samples = [_sample(body)]
    for at, (op, value) in enumerate(body):
        inner = list(value[3]) if op is sre.SUBPATTERN else [(op, value)]
        if len(inner) == 1 and inner[0][0] is sre.BRANCH:
            before, behind = _sample(body[:at]), _sample(body[at + 1 :])
            samples += [before + _sample(list(branch)) + behind for branch in inner[0][1][1][:4]]
    # what may be left out is in one sample, too
    samples.append(_sample(body, least=1))
    return samples


def _sample(items: list[Any], least: int = 0) -> str:
    """Return a text that these parts match, as far as known without matching; lookarounds are ignored."""
    return "".join(_sample_of(op, value, least) for op, value in items)


def _sample_of(op: Any, value: Any, least: int) -> str:
    if op is sre.LITERAL:
        return chr(value)
    if op in (sre.IN, sre.NOT_LITERAL, sre.ANY, sre.CATEGORY):
        return next((c for c in ALPHABET if _takes((op, value), c, 0)), _first_of(op, value))
    if op is sre.BRANCH:
        return min((_sample(list(branch), least) for branch in value[1]), key=len, default="")
    if op in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
        return _sample(list(value[2]), least) * int(min(max(value[0], least), FEW))
    inside: list[Any] = list(value[3]) if op is sre.SUBPATTERN else list(value) if op is sre.ATOMIC_GROUP else []
    return _sample(inside, least)


def _first_of(op: Any, value: Any) -> str:
    """Return a character of a class that contains none of the alphabet."""
    for inner, what in value if op is sre.IN else ():
        if inner is sre.LITERAL:
            return chr(what)
        if inner is sre.RANGE:
            return chr(what[0])
    return "a"


def _takes(item: Any, character: str, flags: int) -> bool:
    """Return whether a character class contains a character."""
    op, value = item
    code = ord(character)
    if op is sre.ANY:
        return character != "\n" or bool(flags & re.DOTALL)
    if op is sre.LITERAL:
        return bool(code == value)
    if op is sre.NOT_LITERAL:
        return bool(code != value)
    if op is sre.CATEGORY:
        return _in_category(value, character)
    takes, negated = False, False
    for inner, what in value:
        if inner is sre.NEGATE:
            negated = True
        elif inner is sre.LITERAL:
            takes |= code == what
        elif inner is sre.RANGE:
            takes |= what[0] <= code <= what[1]
        elif inner is sre.CATEGORY:
            takes |= _in_category(what, character)
    return takes != negated


def _in_category(category: Any, character: str) -> bool:
    name = str(category).rpartition("CATEGORY_")[2]
    kinds = {
        "DIGIT": character.isdigit(),
        "SPACE": character.isspace(),
        "WORD": character.isalnum() or character == "_",
    }
    holds = kinds.get(name.removeprefix("NOT_"), False)
    return not holds if name.startswith("NOT_") else holds
