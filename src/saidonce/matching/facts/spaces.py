"""Korean spaces that one of two texts of the same letters has alone: style where a list shows it, else a difference.

"Can use" is written in one word, two or three; but with a space "chairman" is "Director Lee", and "mayor of Seoul, the
lover" is "disabled people in the city of Seoul".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from saidonce.matching.facts.letters import PlacedLetter, around, in_turn, is_blank, letters
from saidonce.matching.facts.lexicon import table
from saidonce.matching.facts.sentence_relations import Places

_HANGUL = re.compile("[\uac00-\ud7a3]")
_FIRST_SYLLABLE, _FINALS, _VOWELS = 0xAC00, 28, 21
_N, _L = 4, 8
"""Final consonants of a syllable by their place, with which a verb describes a noun."""

_OPEN_A = frozenset((0, 1, 2, 4, 5, 6, 9, 10, 14))
"""Vowels by their place in which a verb before an auxiliary ends: a, ae, ya, eo, e, yeo, wa, wae, wo."""

_FIGURES = re.compile(r"\d[\d,.]*[십백천만억]*|[일삼사오육칠팔구십백천만억]+|[일이삼사오육칠팔구십백천만억]{2,}")
"""A number; the character for two alone is "this", too."""

_AROUND = ".,;:!?()[]\"'\u2018\u2019\u201c\u201d"


class _WordGap(NamedTuple):
    """A space that only one of two texts has: the word before it, the one before that, and the word behind it."""

    before: str
    left: str
    right: str

    def is_behind(self, name: str) -> bool:
        return _begins(self.right, name)


def spaces_otherwise(a: str, b: str, _language: str) -> Places | None:
    """Return the first Korean space that one of two sentences has alone, unless a list shows it to be style.

    Never style is a space of one text behind which, before any that both have, the other has another one: it has moved.
    """
    if _HANGUL.search(a) is None or _HANGUL.search(b) is None:
        return None
    before: bool | None = None
    for x, y in _spaced(letters(a, is_blank), letters(b, is_blank)):
        if x.is_marked and y.is_marked:
            before = None
            continue
        gap = _gap(a, x.at) if x.is_marked else _gap(b, y.at)
        if before not in (None, x.is_marked) or not _is_style(gap):
            return around(a, x.at), around(b, y.at)
        before = x.is_marked
    return None


def _spaced(one: list[PlacedLetter], two: list[PlacedLetter]) -> Iterator[tuple[PlacedLetter, PlacedLetter]]:
    """Yield the letters that both texts have before the same letter, and behind which either has a space."""
    for here, there, is_equal in in_turn(one, two):
        pairs = list(zip(one[here], two[there], strict=True))[:-1] if is_equal else []
        yield from ((x, y) for x, y in pairs if x.is_marked or y.is_marked)


def _gap(text: str, at: int) -> _WordGap:
    words = ["", "", *text[: at + 1].split()]
    behind = text[at + 1 :].split(maxsplit=1)
    return _WordGap(words[-2], words[-1].lstrip(_AROUND), behind[0].rstrip(_AROUND) if behind else "")


def _is_style(gap: _WordGap) -> bool:
    """Return whether two words may be written together: one of them is bound to the other, or both are nouns."""
    if gap.left in _list("apart"):
        return _denies(gap) or (gap.left not in _list("points") and gap.right[:1].isdigit())
    if not (_is_hangul(gap.left[-1:]) and _is_hangul(gap.right[:1])):
        return True
    if _FIGURES.fullmatch(gap.left) or gap.left in _list("native"):
        return _with_particle(gap.right, "counters")
    return _follows_a_verb(gap) or _follows_a_noun(gap)


def _denies(gap: _WordGap) -> bool:
    """Return whether "not" stands before what it is written together with, too: behind "if" or "-ji"."""
    if gap.left == "안":
        return gap.before.endswith(tuple(_list("denied_behind"))) and gap.is_behind("denied")
    return gap.left == "못" and gap.before.endswith("지") and gap.is_behind("behind_ji_short")


def _follows_a_verb(gap: _WordGap) -> bool:
    """Return whether a dependent noun or an auxiliary stands behind the form of a verb that it asks for."""
    left, n = gap.left, len(gap.left)
    vowel, final = _of_syllable(left[-1])
    if final in (_N, _L) and (
        _with_particle(gap.right, "dependent") or (n > 1 and _with_particle(gap.right, "long_dependent"))
    ):
        return True
    if final == _L and (_with_particle(gap.right, "possible") or gap.right.startswith(("수있", "수없"))):
        return True
    if not final and vowel in _OPEN_A and (n > 1 or left in _list("short_verbs")) and gap.is_behind("auxiliary"):
        return True
    if left.startswith("수") and left in ("수", "수는", "수도", "수가") and gap.is_behind("behind_su"):
        return True
    if left.endswith("것") and gap.is_behind("behind_geot"):
        return True
    return n > 1 and any(
        left.endswith(end) and gap.is_behind(name) for end, name in (("지", "behind_ji"), ("고", "behind_go"))
    )


def _follows_a_noun(gap: _WordGap) -> bool:
    """Return whether a noun of two syllables stands before what is bound to it, or before another such noun."""
    left, right = gap.left, gap.right
    if left in _list("surnames"):
        return _with_particle(right, "titles")
    if left in _list("months"):
        return _with_particle(right, "behind_noun")
    if len(left) < _NOUN or not all(map(_is_hangul, left)) or left.endswith(tuple(_list("no_noun"))):
        return False
    if right in _list("loose_particles") or gap.is_behind("copula") or gap.is_behind("light"):
        return True
    return _with_particle(right, "behind_noun") or len(_without_particle(right)) >= _NOUN


_NOUN = 2
"""Syllables from which a noun is told from a word that it is only written like."""


@cache
def _list(name: str) -> frozenset[str]:
    return frozenset(table("spaces")["ko"][name].split())


def _begins(word: str, name: str) -> bool:
    """Return whether a word is one of a list, or begins with one that may be followed by more."""
    return any(word.startswith(each[:-1]) if each.endswith("-") else word == each for each in _list(name))


def _with_particle(word: str, name: str) -> bool:
    """Return whether a word is one of a list, alone or with a particle behind it."""
    particles = _list("particles")
    return any(word.startswith(each) and word[len(each) :] in ("", *particles) for each in _list(name))


def _without_particle(word: str) -> str:
    ends = sorted((p for p in _list("particles") if word.endswith(p)), key=len)
    return word.removesuffix(ends[-1]) if ends else word


def _is_hangul(letter: str) -> bool:
    return _HANGUL.fullmatch(letter) is not None


def _of_syllable(letter: str) -> tuple[int, int]:
    """Return the places of vowel and final consonant of a syllable."""
    place = ord(letter) - _FIRST_SYLLABLE
    return place // _FINALS % _VOWELS, place % _FINALS


RULES = (spaces_otherwise,)
"""What is looked for in two aligned sentences."""
