"""Which words a colon stands behind, where two texts have the same words around it.

"Sell only: milk, bread" and "sell: only milk, bread", "bring old: coats, hats" and "bring old coats and hats".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import dropwhile, pairwise
from typing import NamedTuple

from saidonce.foundation.model import FactKind, Objection, Span
from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.lexicon import has_no_spaces, word_list

LONGEST = 4_000
"""Characters of a text up to which it is read."""

_COLON = re.compile(r":(?=[*_]{0,2}(?:\s|$))")
_WORD = re.compile(r"[^\W_]+(?:['\u2019.-][^\W_]+)*")
_NEAR = 4
"""Words between the two places of one colon."""

_LEAD = 2
"""Words of a lead of a verb and what else stands before its colon: "bring old:"."""


class _Colon(NamedTuple):
    """A colon between two words: the number of the one before it, and both in small letters."""

    n: int
    before: str
    behind: str


class _Colons(NamedTuple):
    """A text read once: its words, where they stand, and its colons."""

    words: tuple[str, ...]
    places: tuple[Span, ...]
    colons: tuple[_Colon, ...]

    def pairs(self, before: str, behind: str) -> Iterator[int]:
        """Yield the number of each word that is right before another one with no colon between."""
        taken = {colon.n for colon in self.colons}
        for n, (x, y) in enumerate(pairwise(self.words)):
            if (x, y) == (before, behind) and n not in taken:
                yield n

    def around(self, text: str, n: int) -> Span:
        """Return word `n` with the one behind it."""
        start, end = self.places[n].start, self.places[n + 1].end
        return Span(start, end, text[start:end])


@remembered(2_048)
def _read(text: str) -> _Colons:
    hits = list(_WORD.finditer(text))
    words = tuple(hit[0].casefold() for hit in hits)
    colons = []
    for n, (one, two) in enumerate(pairwise(hits)):
        if _COLON.search(text, one.end(), two.start() + 1):
            colons.append(_Colon(n, words[n], words[n + 1]))
    return _Colons(words, tuple(map(Span.of, hits)), tuple(colons))


def parted_otherwise(a: str, b: str, language: str) -> tuple[Objection, ...]:
    """Object to the first colon that stands between two words in one text, and elsewhere, or nowhere, in the other.

    It stands elsewhere if the other text has its own between the words beside. It is left out where a step ends in
    front of it with what may be said of each thing behind it.
    """
    if max(len(a), len(b)) > LONGEST or (":" not in a and ":" not in b) or has_no_spaces(language):
        return ()
    one, two = _read(a), _read(b)
    for colon in one.colons:
        for n in two.pairs(colon.before, colon.behind):
            if _is_moved(colon, n, one, two) or (not two.colons and _leads_with_more(one, colon, language)):
                return (Objection(FactKind.ROLE, one.around(a, colon.n), two.around(b, n)),)
    for colon in two.colons if not one.colons else ():
        for n in one.pairs(colon.before, colon.behind):
            if _leads_with_more(two, colon, language):
                return (Objection(FactKind.ROLE, one.around(a, n), two.around(b, colon.n)),)
    return ()


def _is_moved(colon: _Colon, n: int, one: _Colons, two: _Colons) -> bool:
    """Return whether the other text has a colon near the words of this one, between words that stand together here."""
    near = (c for c in two.colons if abs(c.n - n) <= _NEAR)
    return any(abs(m - colon.n) <= _NEAR for c in near for m in one.pairs(c.before, c.behind))


def _leads_with_more(of: _Colons, colon: _Colon, language: str) -> bool:
    """Return whether a text opens with a colon behind a verb that bids and one word that describes something."""
    words: Sequence[str] = of.words[: colon.n + 1]
    lead = list(dropwhile(_BEFORE_A_VERB.__contains__, words))
    known = word_list(language, "light") | word_list(language, "binds") | word_list(language, "behind_nouns")
    if len(lead) != _LEAD or lead[0] not in word_list(language, "bids") or lead[1] in known | _PARTICLES:
        return False
    return not lead[1].endswith("ly") or lead[1] in _OF_THINGS_TOO


_PARTICLES = frozenset(
    "out up down off along away back please following always never also you us me them now today".split()
)

_BEFORE_A_VERB = frozenset("please do not don't don\u2019t never always".split())
"""Words in front of a verb that bids or forbids."""

_OF_THINGS_TOO = frozenset("daily weekly monthly yearly early only friendly".split())
"""Words with the ending of an adverb that may describe a thing: "immediately" does not."""
