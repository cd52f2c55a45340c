"""Arabic vowel signs, doubling and forms of alef: one text may leave them out, two different ones are two words.

The owner who notifies the tenant and the tenant who notifies the owner may differ in the last signs of the two alone.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from rapidfuzz.distance import Indel

from saidonce.foundation.model import Span
from saidonce.matching.facts.sentence_relations import Places

_LETTERS = "\u0620-\u063f\u0641-\u064a\u0671-\u06d3"
_SIGNS = "\u064b-\u065f\u0670\u0640"
_WORD = re.compile(f"[{_LETTERS}][{_LETTERS}{_SIGNS}]*")
_LETTER = re.compile(f"([{_LETTERS}])([{_SIGNS}]*)")

_DOUBLED, _FATHATAN = "\u0651", "\u064b"
_SHORT = frozenset("\u064e\u064f\u0650\u0652")
"""Vowels and the sign of none, beside which a doubled letter has its sign; "-an", "-un", "-in" may stand without."""
_VOWELS = _SHORT | frozenset("\u064b\u064c\u064d")

_BARE = frozenset("\u0627\u0671")
_ALEFS = _BARE | frozenset("\u0622\u0623\u0625")
_COMPOSED = {"\u0653": "\u0622", "\u0654": "\u0623", "\u0655": "\u0625"}
_SPELLED = str.maketrans(dict.fromkeys(_ALEFS, "\u0627") | {"\u0629": "\u0647"})

_BEFORE_INITIAL = re.compile("[\u0648\u0641]?(?:[\u0628\u0644]?|[\u0628\u0643]?\u0627\u0644|\u0644\u0644)")
"""What may be written onto a word before its first letter: "and", "so", "in", "for", "the"."""


class _Letter(NamedTuple):
    letter: str
    signs: frozenset[str]
    is_initial: bool


class _SignedWord(NamedTuple):
    """A word, its letters without signs and forms of alef, and its letters with them."""

    place: Span
    bare: str
    letters: tuple[_Letter, ...]


def signed_otherwise(a: str, b: str, _language: str) -> Places | None:
    """Return the first Arabic words of the same letters of which one letter has two different signs or forms.

    Signs that only one text has say nothing; nor does a bare alef for one with hamza or madda where a word begins.
    Only words of the same letters are compared, in the order in which both texts have them; which text comes first
    makes no difference.
    """
    if _WORD.search(a) is None or _WORD.search(b) is None:
        return None
    if a > b:
        turned = signed_otherwise(b, a, _language)
        return turned[::-1] if turned else None
    one, two = _signed(a), _signed(b)
    for code in Indel.opcodes([x.bare for x in one], [y.bare for y in two]):
        if code.tag != "equal":
            continue
        alike = zip(one[code.src_start : code.src_end], two[code.dest_start : code.dest_end], strict=True)
        for x, y in alike:
            if any(map(_differ, x.letters, y.letters)):
                return x.place, y.place
    return None


def _signed(text: str) -> list[_SignedWord]:
    """Return the words of a text with their signs; "-an" stands on the letter before the alef that carries it."""
    words = []
    for word in _WORD.finditer(text):
        pairs = [(m[1], set(m[2])) for m in _LETTER.finditer(word[0])]
        bare = "".join(letter for letter, _ in pairs).translate(_SPELLED)
        for n, (letter, signs) in enumerate(pairs):
            if letter in _BARE and n and _FATHATAN in signs:
                signs.discard(_FATHATAN)
                pairs[n - 1][1].add(_FATHATAN)
        letters = []
        for n, (letter, signs) in enumerate(pairs):
            composed = next((_COMPOSED[s] for s in signs if s in _COMPOSED and letter in _BARE), letter)
            letters.append(_Letter(composed, frozenset(signs), _BEFORE_INITIAL.fullmatch(bare[:n]) is not None))
        words.append(_SignedWord(Span.of(word), bare, tuple(letters)))
    return words


def _differ(one: _Letter, two: _Letter) -> bool:
    return _differ_in_signs(one.signs, two.signs) or _differ_in_form(one, two)


def _differ_in_signs(one: frozenset[str], two: frozenset[str]) -> bool:
    here, there = one & _VOWELS, two & _VOWELS
    if here and there and here != there:
        return True
    return (_DOUBLED in one) != (_DOUBLED in two) and bool(_SHORT & (two if _DOUBLED in one else one))


def _differ_in_form(one: _Letter, two: _Letter) -> bool:
    if one.letter == two.letter or one.letter not in _ALEFS or two.letter not in _ALEFS:
        return False
    if one.letter in _BARE and two.letter in _BARE:
        return False
    is_left_out = one.letter in _BARE or two.letter in _BARE
    return not (is_left_out and one.is_initial and two.is_initial)


RULES = (signed_otherwise,)
"""What is looked for in two aligned sentences."""
