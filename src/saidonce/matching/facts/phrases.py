"""Where the words of a sentence stand that another sentence has in another order."""

from __future__ import annotations

import re
from collections.abc import Sequence

from saidonce.matching.facts.analyse import Token
from saidonce.matching.facts.lexicon import stem

SUBORDINATES = frozenset("if when while because although though unless where whenever once since until".split())
HANGS = SUBORDINATES | frozenset(
    "in at on within inside by for with from to into onto against among across over under before after than as about"
    " via through without during until till since toward towards behind beside despite upon throughout"
    " so whereas following according".split()
)
"""Words that a movable phrase begins with."""

PARTICIPLE = ("ed", "en", "wn", "ing", "born", "made", "set", "held", "kept", "sent", "built", "put", "read", "found")

PLACES = dict.fromkeys("in at on within inside".split(), "in") | dict.fromkeys("via through over".split(), "via")
_JOINT = re.compile(r"[\s'\"`*_\u2019-]*+(?:s\b[\s'\"`*_\u2019-]*+)?")
SAYS = frozenset(
    stem(w) for w in "say says said state stated report reported announce claim think believe according".split()
)
_CUTS = frozenset("and but or nor which who whom whose while whereas that".split())
_ATTRIBUTE = frozenset("of in for from at on with by to as is are was were s".split())


def is_participle(token: Token) -> bool:
    """Return whether a token is a participle by its ending, or a phrase that begins with one: "backed up"."""
    return token.word.partition(" ")[0].endswith(PARTICIPLE)


class PhraseView:
    """One sentence of a pair: its tokens, its text, and for each group of words where it stands in it.

    A group is a stretch that both sentences have; groups are numbered in the order of the first sentence.
    """

    def __init__(self, tokens: Sequence[Token], text: str, places: Sequence[tuple[int, int]]) -> None:
        self.tokens, self.text, self.places = tokens, text, places

    def words(self, group: int) -> Sequence[Token]:
        """Return tokens of a group."""
        lo, hi = self.places[group]
        return self.tokens[lo:hi]

    def governor(self, group: int) -> str:
        """Return the preposition or conjunction that a group hangs on.

        It is the first word, or the word of grammar before it.
        """
        lo = self.places[group][0]
        if self.tokens[lo].word in HANGS:
            return PLACES.get(self.tokens[lo].word, self.tokens[lo].word)
        for n in range(lo - 1, -1, -1):
            token = self.tokens[n]
            if token.content or (token.word in _CUTS and token.word != "or"):
                return ""
            if token.word in SUBORDINATES or (token.word in HANGS and lo - n <= 3):
                return PLACES.get(token.word, token.word)
            if token.word == "of":
                return ""
        return ""

    def between(self, x: int, y: int) -> tuple[Sequence[Token], str]:
        """Return tokens and text between two groups, x before y."""
        lo, hi = self.places[x][1], self.places[y][0]
        return self.tokens[lo:hi], self.text[self.tokens[lo - 1].end : self.tokens[hi].start]

    def is_compound(self, x: int, y: int) -> bool:
        """Return whether y stands right after x, without even an article or a comma between."""
        tokens, text = self.between(x, y)
        return all(t.word == "s" for t in tokens) and bool(_JOINT.fullmatch(text))

    def is_linked(self, x: int, y: int) -> bool:
        """Return whether y hangs on x by a preposition or a form of "be"; single words by "and" too."""
        tokens, text = self.between(x, y)
        single = len(self.words(x)) == len(self.words(y)) == 1
        linked = bool(tokens) and all(t.word in _ATTRIBUTE or (single and t.word == "and") for t in tokens)
        return linked and not any(c in text for c in ",;:()")

    def is_single(self, group: int) -> bool:
        """Return whether a group is one compound, without an article, a preposition or a comma in it."""
        lo, hi = self.places[group]
        return all(self._joins(n) for n in range(lo, hi - 1))

    def _joins(self, n: int) -> bool:
        """Return whether a token and the next are words of one compound."""
        one, next_one = self.tokens[n], self.tokens[n + 1]
        if not (one.content and next_one.content) or one.word in HANGS or next_one.word in HANGS:
            return False
        return bool(_JOINT.fullmatch(self.text[one.end : next_one.start]))

    def is_end(self, group: int) -> bool:
        """Return whether no word of the same compound follows a group."""
        last = self.places[group][1] - 1
        return last + 1 == len(self.tokens) or not self._joins(last)

    def is_start(self, group: int) -> bool:
        """Return whether no word of the same compound stands before a group."""
        first = self.places[group][0]
        return first == 0 or not self._joins(first - 1)

    def verb(self, group: int) -> str:
        """Return the participle before a group: the one that "by" belongs to."""
        before = self.tokens[: self.places[group][0]]
        return next((t.key for t in reversed(before) if t.content and is_participle(t)), "")

    def is_attribution(self, group: int) -> bool:
        """Return whether a group at either end of a sentence names who says so.

        Examples: "the owner said", "according to the owner".
        """
        lo, hi = self.places[group]
        return self.is_at_edge(group) and any(t.key in SAYS for t in self.tokens[max(0, lo - 2) : hi + 2])

    def head(self, group: int) -> str:
        """Return the last word of the compound that a group stands in."""
        n = self.places[group][1] - 1
        while n + 1 < len(self.tokens) and self._joins(n):
            n += 1
        return self.tokens[n].key

    def clause(self, group: int) -> frozenset[str]:
        """Return content words of the clause in which a group stands, without its own."""
        lo, hi = self.places[group]
        start = next((n + 1 for n in range(lo - 1, -1, -1) if self._cuts(n)), 0)
        end = next((n for n in range(hi, len(self.tokens)) if self._cuts(n)), len(self.tokens))
        return frozenset(t.key for t in (*self.tokens[start:lo], *self.tokens[hi:end]) if t.content)

    def _cuts(self, n: int) -> bool:
        return self.tokens[n].word in _CUTS

    def is_at_edge(self, group: int) -> bool:
        """Return whether no content word stands before a group, or none after it."""
        lo, hi = self.places[group]
        return not any(t.content for t in self.tokens[:lo]) or not any(t.content for t in self.tokens[hi:])
