"""Words that stand for themselves, so that neither their signs nor the order of their parts is free.

"enter-mode" and "mode-enter" are two commands, an escaped "d" and an escaped "D" two patterns, and "Type: type" gives a
value that "Type:" does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from saidonce.foundation.model import FactKind, Objection, Span
from saidonce.foundation.remembering import remembered
from saidonce.foundation.text import has_cased_escapes, words
from saidonce.matching.facts.fences import fenced
from saidonce.matching.facts.synonymy import same_word

_COMPOUND = re.compile(r"(?<![\w-])[^\W\d_]\w*(?:(?:-|::)\w+)+(?![\w-])")
_PART = re.compile(r"\w+")
_MOST_PARTS = 6
_MOST_COMPOUNDS = 40
"""Compounds of one text alone that are looked for among those of the other; a longer list is read up to here."""

_SIGN = re.compile(r"[\\{}|=<>^$]")
_TOKEN = re.compile(r"\S+")
_LITERAL = re.compile(r"[\\{}|]|(?<=[\w)\]}])=(?=[^\s=])|[<>](?=\w)|(?<=\w)[<>]|^\^|\$(?=[\w{])")
"""Signs that no prose has inside a word, a sum of money excepted."""

_MONEY = re.compile(r"[A-Z]{0,3}\$\d")
_ADDRESS = re.compile(r"://|\w@\w")
_EDGES = "\"'\u201c\u201d\u2018\u2019,;:!?."
_AS_ONE = str.maketrans(
    {"\u2192": ">", "\u201c": '"', "\u201d": '"', "\u2018": '"', "\u2019": '"', "'": '"', "`": None}
)
"""Quotation marks are one, an arrow between two menus is the sign for it, and marks of code say nothing."""

_LABEL = re.compile(r"^[ \t]*(?:[-*\u2022][ \t]+)?([^\W\d_][^:\n]{0,60}?)[ \t]*:(?:[ \t]+(\S[^\n]*))?[ \t]*$", re.M)
_NOTHING = frozenset(("the", "a", "an", "der", "die", "das", "le", "la", "les", "el", "los", "il", "lo", "de", "het"))


def other_literals(a: str, b: str) -> tuple[Objection, ...]:
    """Object to the first compound whose parts stand in another order, or word whose signs are others."""
    if turned := _turned_compound(a, b):
        return (Objection(FactKind.IDENTIFIER, *turned),)
    if resigned := _other_signs_in(a, b):
        return (Objection(FactKind.IDENTIFIER, *resigned),)
    if resigned := _other_signs_in(b, a):
        return (Objection(FactKind.IDENTIFIER, *reversed(resigned)),)
    return ()


def lost_value(a: str, b: str) -> tuple[Objection, ...]:
    """Object to the first label of a text with a value in words of the label itself, where the other gives it none."""
    if ":" not in a or ":" not in b:
        return ()
    empty = {key: at for key, value, at in _labels(b) if not value}
    lost = ((at, empty[key]) for key, value, at in _labels(a) if value and key in empty and value <= set(key))
    return tuple(Objection(FactKind.TERM, *pair) for pair in lost)[:1]


@remembered(2_048)
def _labels(text: str) -> tuple[tuple[tuple[str, ...], frozenset[str], Span], ...]:
    """Return each label that begins a line, in words, with the words of its value, and where it stands."""
    return tuple(
        (
            tuple(words(m[1])),
            frozenset(words(m[2] or "")) - _NOTHING,
            Span(m.start(1), m.end(), text[m.start(1) : m.end()]),
        )
        for m in _LABEL.finditer(text)
    )


def _turned_compound(a: str, b: str) -> tuple[Span, Span] | None:
    here, there = _compounds(a), _compounds(b)
    if not here or not there:
        return None
    lone = [here[key] for key in here if key not in there][:_MOST_COMPOUNDS]
    others = [there[key] for key in there if key not in here][:_MOST_COMPOUNDS]
    return next(((x, y) for x in lone for y in others if _are_turned(x.text, y.text)), None)


@remembered(4_096)
def _compounds(text: str) -> dict[str, Span]:
    """Return each compound in small letters -> its first place."""
    found: dict[str, Span] = {}
    if "-" in text or "::" in text:
        for m in _COMPOUND.finditer(text):
            found.setdefault(m[0].casefold(), Span(m.start(), m.end(), m[0]))
    return found


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


def _other_signs_in(a: str, b: str) -> tuple[Span, Span] | None:
    """Return the first word of a text that the other has in the same letters with other signs."""
    literals = _literals(a)
    if not literals:
        return None
    whole, spoken = _bare(b), _run(words(b))
    for literal in literals:
        if _bare(literal.text) not in whole and _run(words(literal.text)) in spoken:
            return literal, Span(len(b), len(b), "")
    return None


@remembered(4_096)
def _literals(text: str) -> tuple[Span, ...]:
    """Return the words with a sign inside that stands for itself."""
    return tuple(_signed(text)) if _SIGN.search(text) else ()


def _signed(text: str) -> Iterator[Span]:
    code = fenced(text)
    for m in _TOKEN.finditer(text):
        if any(piece.start <= m.start() < piece.end for piece in code):
            continue  # code between fences is compared as code
        bare = m[0].strip(_EDGES)
        if not _LITERAL.search(bare) or not any(c.isalpha() for c in bare):
            continue
        if not (_ADDRESS.search(bare) or _MONEY.search(bare)):
            start = m.start() + m[0].index(bare)
            yield Span(start, start + len(bare), bare)


@remembered(4_096)
def _bare(text: str) -> str:
    """Return a text without space, in one sort of quotation marks; in small letters unless a large one is escaped."""
    bare = "".join(text.translate(_AS_ONE).split())
    return bare if has_cased_escapes(bare) else bare.casefold()


def _run(parts: Sequence[str]) -> str:
    return f"\0{chr(0).join(parts)}\0"
