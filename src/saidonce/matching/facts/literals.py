"""Words that stand for themselves, so that the order of their parts is not free, and a value that repeats its label.

"enter-mode" and "mode-enter" are two commands, and "Type: type" gives a value that "Type:" does not. Signs inside a
word are compared in `signs`.
"""

from __future__ import annotations

import re

from saidonce.foundation.model import FactKind, Objection, Span
from saidonce.foundation.remembering import remembered
from saidonce.foundation.text import words
from saidonce.matching.facts.lexicon import grammar
from saidonce.matching.facts.synonymy import same_word

_COMPOUND = re.compile(r"(?<![\w-])[^\W\d_]\w*(?:(?:-|::)\w+)+(?![\w-])|(?<![\w/.:-])[^\W_]+(?:_[^\W_]+)+(?![\w/-])")
_PART = re.compile(r"\w+")
_PART_OF_NAME = re.compile(r"[^\W_]+")
_BETWEEN = re.compile(r"[ _-]+")
_MOST_PARTS = 6
_MOST_COMPOUNDS = 40
"""Compounds of one text alone that are looked for among those of the other; a longer list is read up to here."""

_LABEL = re.compile(r"^[ \t]*(?:[-*\u2022][ \t]+)?([^\W\d_][^:\n]{0,60}?)[ \t]*:(?:[ \t]+(\S[^\n]*))?[ \t]*$", re.M)
_NOTHING = frozenset(("the", "a", "an", "der", "die", "das", "le", "la", "les", "el", "los", "il", "lo", "de", "het"))

_Label = tuple[tuple[str, ...], frozenset[str], Span]
"""A label in words, the words of its value, and where both stand."""


def turned_compounds(a: str, b: str) -> tuple[Objection, ...]:
    """Object to the first compound whose parts stand in another order in the other text, in a compound or as words.

    "generate-site-config" is one name, and "site config generate" another; "long-term" may be "long term".
    """
    here, there = _compounds(a), _compounds(b)
    if not here and not there:
        return ()
    lone = [here[key] for key in here if key not in there][:_MOST_COMPOUNDS]
    others = [there[key] for key in there if key not in here][:_MOST_COMPOUNDS]
    turned = next(((x, y) for x in lone for y in others if _are_turned(x.text, y.text)), None)
    if turned is None:
        turned = next(((x, at) for x in lone if (at := _in_other_order(x.text, b))), None)
    if turned is None:
        turned = next(((at, y) for y in others if (at := _in_other_order(y.text, a))), None)
    return (Objection(FactKind.IDENTIFIER, *turned),) if turned else ()


def _in_other_order(compound: str, text: str) -> Span | None:
    """Return where a text has the parts of a compound as neighbouring words in another order, and not in its own."""
    parts = _PART_OF_NAME.findall(compound.casefold())
    if not 1 < len(parts) <= _MOST_PARTS or any(_is_light(part) for part in parts):
        return None
    placed = _words_in_place(text)
    if not set(parts) <= placed.keys():
        return None
    where = {place: n for n, part in enumerate(parts) for place in placed[part]}
    runs = [(place, [where.get(place + n) for n in range(len(parts))]) for place in where]
    if any(order == list(range(len(parts))) for _, order in runs):
        return None
    first = min((place for place, order in runs if None not in order and len(set(order)) == len(parts)), default=None)
    if first is None:
        return None
    words = list(_PART_OF_NAME.finditer(text))
    start, end = words[first].start(), words[first + len(parts) - 1].end()
    return Span(start, end, text[start:end]) if _BETWEEN.fullmatch(_PART_OF_NAME.sub("", text[start:end])) else None


def _is_light(part: str) -> bool:
    return len(part) <= _LIGHT or part in grammar("en").function


_LIGHT = 2
"""Letters of "up" and "to", which stand beside any word."""


@remembered(2_048)
def _words_in_place(text: str) -> dict[str, list[int]]:
    """Return each word in small letters -> its numbers among the words of a text."""
    places: dict[str, list[int]] = {}
    for n, word in enumerate(_PART_OF_NAME.findall(text.casefold())):
        places.setdefault(word, []).append(n)
    return places


def lost_value(a: str, b: str) -> tuple[Objection, ...]:
    """Object to the first label of a text with a value in words of the label itself, where the other gives it none."""
    if ":" not in a or ":" not in b:
        return ()
    empty = {key: at for key, value, at in _labels(b) if not value}
    lost = ((at, empty[key]) for key, value, at in _labels(a) if value and key in empty and value <= set(key))
    return tuple(Objection(FactKind.TERM, *pair) for pair in lost)[:1]


@remembered(2_048)
def _labels(text: str) -> tuple[_Label, ...]:
    """Return each label that begins a line."""
    return tuple(
        (
            tuple(words(m[1])),
            frozenset(words(m[2] or "")) - _NOTHING,
            Span(m.start(1), m.end(), text[m.start(1) : m.end()]),
        )
        for m in _LABEL.finditer(text)
    )


@remembered(4_096)
def _compounds(text: str) -> dict[str, Span]:
    """Return each compound in small letters -> its first place."""
    compounds: dict[str, Span] = {}
    if "-" in text or "_" in text or "::" in text:
        for m in _COMPOUND.finditer(text):
            compounds.setdefault(m[0].casefold(), Span.of(m))
    return compounds


def _are_turned(one: str, other: str) -> bool:
    """Return whether two compounds have the same parts in another order."""
    mine, theirs = (_PART.findall(text.casefold()) for text in (one, other))
    if len(mine) != len(theirs) or len(mine) > _MOST_PARTS or all(map(same_word, mine, theirs)):
        return False
    left = list(theirs)
    for part in mine:
        twin = next((n for n, word in enumerate(left) if same_word(part, word)), None)
        if twin is None:
            return False
        del left[twin]
    return True
