"""Arabic vowel signs, doubling and forms of alef: one text may leave them out, two different ones are two words.

The owner who notifies the tenant and the tenant who notifies the owner may differ in the last signs of the two alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
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


class _Signed(NamedTuple):
    letter: str
    signs: frozenset[str]
    is_initial: bool
    word: Span


def signed_otherwise(a: str, b: str, _language: str) -> Places | None:
    """Return the first Arabic words of the same letters of which one letter has two different signs or forms.

    Signs that only one text has say nothing; nor does a bare alef for one with hamza or madda where a word begins.
    """
    if _WORD.search(a) is None or _WORD.search(b) is None:
        return None
    one, two = list(_signed(a)), list(_signed(b))
    for code in Indel.opcodes([x.letter.translate(_SPELLED) for x in one], [x.letter.translate(_SPELLED) for x in two]):
        if code.tag != "equal":
            continue
        alike = zip(one[code.src_start : code.src_end], two[code.dest_start : code.dest_end], strict=True)
        for x, y in alike:
            if _differ_in_signs(x.signs, y.signs) or _differ_in_form(x, y):
                return x.word, y.word
    return None


def _signed(text: str) -> Iterator[_Signed]:
    """Yield the letters of a text with their signs; "-an" stands on the letter before the alef that carries it."""
    for word in _WORD.finditer(text):
        pairs = [(m[1], set(m[2])) for m in _LETTER.finditer(word[0])]
        bare = "".join(letter for letter, _ in pairs).translate(_SPELLED)
        for n, (letter, signs) in enumerate(pairs):
            if letter in _BARE and n and _FATHATAN in signs:
                signs.discard(_FATHATAN)
                pairs[n - 1][1].add(_FATHATAN)
        for n, (letter, signs) in enumerate(pairs):
            composed = next((_COMPOSED[s] for s in signs if s in _COMPOSED and letter in _BARE), letter)
            is_initial = _BEFORE_INITIAL.fullmatch(bare[:n]) is not None
            yield _Signed(composed, frozenset(signs), is_initial, Span.of(word))


def _differ_in_signs(one: frozenset[str], two: frozenset[str]) -> bool:
    here, there = one & _VOWELS, two & _VOWELS
    if here and there and here != there:
        return True
    return (_DOUBLED in one) != (_DOUBLED in two) and bool(_SHORT & (two if _DOUBLED in one else one))


def _differ_in_form(one: _Signed, two: _Signed) -> bool:
    if one.letter == two.letter or one.letter not in _ALEFS or two.letter not in _ALEFS:
        return False
    if one.letter in _BARE and two.letter in _BARE:
        return False
    is_left_out = one.letter in _BARE or two.letter in _BARE
    return not (is_left_out and one.is_initial and two.is_initial)


RULES = (signed_otherwise,)
"""What is looked for in two aligned sentences."""
