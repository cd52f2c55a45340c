"""Whose words "I", "my" and "you" are: those of somebody who is quoted, or the writer's own.

'The agent said "I will pay."' says who will pay, and without its marks another thing. Marks around a word, a title, a
label or a name are style, and so are marks around a whole text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from saidonce.foundation.model import FactKind, Objection, Span
from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.first_person import is_in_first_person
from saidonce.matching.facts.lexicon import has_no_spaces, word_list
from saidonce.matching.facts.scan import folded_word

LONGEST = 4_000
"""Characters of a text up to which it is read."""

_FEWEST_WORDS, _FEWEST_CHARACTERS = 3, 4
"""Words, or characters where no spaces stand between words, from which a stretch in marks may be what somebody says."""

_LABELLED_WITHIN, _SHORT_WORD = 3, 3
"""Words before a stretch in marks among which one says that it is a title or label; letters of words such as "the"."""

_QUOTED = re.compile(
    r"\u201c([^\u201c\u201d\n]+)[\u201c\u201d]|\u201e([^\u201e\u201c\u201d\n]+)[\u201c\u201d]"
    r"|\u00ab([^\u00ab\u00bb\n]+)\u00bb|\u00bb([^\u00ab\u00bb\n]+)\u00ab|\"([^\"\n]+)\""
    r"|(?<!\w)['\u2018](?=\w)([^\n]+?)['\u2019](?!\w)|\u300c([^\u300c\u300d\n]+)\u300d|\u300e([^\u300e\u300f\n]+)\u300f"
)
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")


def quoted_otherwise(a: str, b: str, language: str) -> tuple[Objection, ...]:
    """Object to the first stretch in marks with "I" or "you" whose words the other text has without marks."""
    if max(len(a), len(b)) > LONGEST:
        return ()
    for one, two, is_turned in ((a, b, False), (b, a, True)):
        if block := _speaking_block(one, two, language):
            return (Objection(FactKind.ROLE, *(block[::-1] if is_turned else block)),)
        if words := _spoken_behind_a_colon(one, two, language):
            return (Objection(FactKind.ROLE, *(words[::-1] if is_turned else words)),)
        for hit in _speaking(one, language):
            if at := _unquoted(hit.text, two, language):
                return (Objection(FactKind.ROLE, *((at, hit) if is_turned else (hit, at))),)
    return ()


_QUOTED_LINE = re.compile(r"^>(?![ \t]*(?:[<>=]|[-+.$\u20ac\u00a3]?\d))[ \t]?", re.MULTILINE)


def _speaking_block(text: str, other: str, language: str) -> tuple[Span, Span] | None:
    """Return a text that is a quoted block in the first person, and another in no marks: that one's own words."""
    if not text.startswith(">") or _QUOTED_LINE.search(other):
        return None
    bare = _QUOTED_LINE.sub("", text)
    if bare.count("\n") + 1 != len(_QUOTED_LINE.findall(text)) or not is_in_first_person(bare, language):
        return None
    return Span(0, len(text), text), Span(0, len(other), other)


_COLON = re.compile(r"\w: ?$")
_ENDED = re.compile(r"[.!?]\s*$")


def _spoken_behind_a_colon(text: str, other: str, language: str) -> tuple[Span, Span] | None:
    """Return what somebody says behind a colon, in marks, and the same as a sentence of the other text's own."""
    if ":" not in text or has_no_spaces(language):
        return None
    for hit in _QUOTED.finditer(text):
        at = _COLON.search(text, 0, hit.start()) and _unquoted(hit[hit.lastindex or 0], other, language)
        if at and at.text.count(" ") >= _FEWEST_WORDS - 1 and _ENDED.search(other, 0, at.start):
            return Span.of(hit), at
    return None


class _ReadText(NamedTuple):
    """A text read once: its words, the place of each, all folded between blanks, and each stretch in marks so."""

    words: tuple[str, ...]
    places: tuple[Span, ...]
    folded: str
    stretches: tuple[re.Match[str], ...]
    marked: str


@remembered(2_048)
def _read(text: str, language: str) -> _ReadText:
    hits = tuple(_WORD.finditer(text))
    words = tuple(folded_word(hit[0]) for hit in hits)
    stretches = tuple(_QUOTED.finditer(text))
    marked = "\n".join(_bare(hit[0], language) for hit in stretches)
    return _ReadText(words, tuple(map(Span.of, hits)), _joined(words, language), stretches, marked)


@remembered(2_048)
def _speaking(text: str, language: str) -> tuple[Span, ...]:
    """Return each stretch in marks in which somebody speaks of himself or to another, and that is no title or label."""
    persons = word_list(language, "persons")
    if not persons or _QUOTED.search(text) is None:
        return ()
    read = _read(text, language)
    return tuple(Span.of(hit) for hit in read.stretches if _speaks(hit, read, persons, language))


def _speaks(hit: re.Match[str], read: _ReadText, persons: frozenset[str], language: str) -> bool:
    inside = hit[hit.lastindex or 0]
    if _bare(inside, language) == read.folded:
        return False  # nobody else speaks
    if has_no_spaces(language):
        return len(inside) >= _FEWEST_CHARACTERS and any(person in inside for person in persons)
    words = _WORD.findall(inside)
    if len(words) < _FEWEST_WORDS or persons.isdisjoint(_folded(words)):
        return False
    n_before = bisect_left(read.places, hit.start(), key=lambda place: place.end)
    before = read.words[max(0, n_before - _LABELLED_WITHIN) : n_before]
    return word_list(language, "labels").isdisjoint(before) and not _is_title(words, language)


def _folded(words: list[str]) -> Iterator[str]:
    """Yield words in small letters, with what an apostrophe parts; "US" is no "us"."""
    for word in words:
        if word.isupper() and len(word) > 1:
            continue
        small = folded_word(word)
        yield small
        yield from re.split(r"['\u2019]", small)


def _is_title(words: list[str], language: str) -> bool:
    """Return whether all longer words have a capital, in languages in which no noun has one."""
    longer = [w for w in words if len(w) > _SHORT_WORD]
    return language != "de" and len(longer) > 1 and all(w[0].isupper() for w in longer)


def _unquoted(quoted: str, text: str, language: str) -> Span | None:
    """Return where a text has the words of a stretch in no marks; None where it has them in marks, or not at all."""
    bare, read = _bare(quoted, language), _read(text, language)
    if bare in read.marked or bare not in read.folded:
        return None
    if has_no_spaces(language):
        return next((place for word, place in zip(read.words, read.places, strict=True) if bare in word), None)
    n = read.folded[: read.folded.index(bare)].count(" ")
    start, end = read.places[n].start, read.places[n + bare.count(" ") - 2].end
    return Span(start, end, text[start:end])


def _bare(text: str, language: str) -> str:
    """Return the words of a text between blanks; where no spaces stand between words, without any."""
    return _joined([folded_word(word) for word in _WORD.findall(text)], language)


def _joined(words: Sequence[str], language: str) -> str:
    return "".join(words) if has_no_spaces(language) else f" {' '.join(words)} "
