"""How two English sentences lay out the words that both have: what opens a clause, what hangs on what."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from saidonce.foundation.model import UNKNOWN_LANGUAGE, FactKind
from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.align import difference
from saidonce.matching.facts.analyse import AnalysedSentence, Token, analyse, guess
from saidonce.matching.facts.compare import compare
from saidonce.matching.facts.lexicon import is_past, stem
from saidonce.matching.facts.order import equivalent_anchors
from saidonce.matching.facts.phrases import HANGS, PLACES, SUBORDINATES, PhraseView
from saidonce.matching.facts.result import Change, Pairing
from saidonce.matching.facts.roles import JOINS, MAX_RUNS, passive_of, runs_of
from saidonce.matching.facts.sentence_relations import word_classes

LONGEST = 600
"""Characters up to which a sentence is looked at."""

MARKERS = tuple(
    (frozenset(senses.split()), re.compile(rf"\b(?:{words})\b(?!-)", re.IGNORECASE))
    for senses, words in (
        ("cause", "because of|because|owing to|due to|as a (?:result|consequence) of|on account of|thanks to|since"),
        ("cause", "as (?=(?:there|it|he|she|they|we|you|i)\\b)"),
        ("if", "if|provided(?: that)?|in case(?: of)?|in the event (?:of|that)|on condition that"),
        ("if after", "when|whenever|once|as soon as"),
        ("after", "after|following"),
        ("before", "before|prior to|ahead of"),
    )
)
"""Senses of the words by which a clause or its short form hangs on another."""

_OPENS = re.compile(r"as\s", re.IGNORECASE)
_IS = frozenset("am is are was were".split())
HAS = frozenset("has have had contains contain holds hold".split())
MARK = re.compile(r"[,;:()]")
_TIMES = frozenset(
    stem(w) for w in "second minute hour day week month year morning evening night spring summer autumn winter".split()
)
_DATED = frozenset((FactKind.DATE, FactKind.FREQUENCY))


_NO_SUBJECT = frozenset("and or nor of by who whom which whose that than".split())
_OPENING = SUBORDINATES | {"before", "after", "until", "till"}


@dataclass(frozen=True, slots=True)
class Hanging:
    """A clause, or its short form, that hangs on another by a word that says how.

    Attributes:
        senses: of that word.
        at: offset of that word.
        start, end: offsets of the clause behind the word; `end` is None where no mark shows it.
    """

    senses: frozenset[str]
    at: int
    start: int
    end: int | None

    def holds(self, tokens: Sequence[Token]) -> bool | None:
        """Return whether words stand in the clause; None where that cannot be told."""
        if tokens[0].start < self.start:
            return False
        return tokens[-1].end <= self.end if self.end is not None else None


class Sentence(PhraseView):
    """One of two sentences with the groups of words that both have."""

    @cached_property
    def passive(self) -> tuple[int, int] | None:
        """The groups of whom something is done to, and by whom; None without both."""
        parts = passive_of(self.tokens)
        if parts is None:
            return None
        patient, agent = self._group_at(parts[0]), self._behind(parts[2])
        return None if patient is None or agent is None else (patient, agent)

    def _group_at(self, at: int) -> int | None:
        return next((g for g, (lo, hi) in enumerate(self.places) if lo <= at < hi), None)

    def _behind(self, at: int) -> int | None:
        """Return the group that ends the compound at a token."""
        while at + 1 < len(self.tokens) and self._joins(at):
            at += 1
        return self._group_at(at)

    @cached_property
    def hanging(self) -> tuple[Hanging, ...]:
        """What hangs on the rest of the sentence, in order."""
        return tuple(sorted(self._hanging(), key=lambda h: h.start))

    def _hanging(self) -> Iterator[Hanging]:
        for senses, pattern in MARKERS:
            for match in pattern.finditer(self.text):
                mark = self.text.find(",", match.end())
                opens = not self.text[: match.start()].strip()
                end = mark if mark >= 0 else None if opens else len(self.text)
                yield Hanging(senses, match.start(), match.end(), end)
        first = _OPENS.match(self.text)
        if first is not None and (mark := self.text.find(",", first.end())) >= 0:
            yield Hanging(frozenset(("cause",)), 0, first.end(), mark)

    def governor(self, group: int) -> str:
        """Return the preposition or conjunction before the compound that a group stands in; "before" counts as one."""
        word = self._preposition(group)
        return PLACES.get(word, word)

    def _preposition(self, group: int) -> str:
        n = self.places[group][0]
        if self.tokens[n].word in HANGS:
            return self.tokens[n].word
        while n > 0 and self.tokens[n - 1].word not in HANGS and self._joins(n - 1):
            n -= 1
        for token in reversed(self.tokens[max(0, n - 3) : n]):
            if token.word in HANGS:
                return token.word
            if token.content or token.word == "of" or token.word in JOINS:
                return ""
        return ""

    def is_subject(self, group: int) -> bool:
        """Return whether a group opens a clause, with nothing before it that it could hang on."""
        for n in range(self.places[group][0], 0, -1):
            before = self.tokens[n - 1]
            if "," in self.text[before.end : self.tokens[n].start] or before.word in _OPENING:
                return True
            if before.content:
                return self._is_opening_phrase(n)
            if before.word in HANGS or before.word in _NO_SUBJECT:
                return False
        return True

    def _is_opening_phrase(self, end: int) -> bool:
        """Return whether the sentence begins with a preposition and one compound: "at the gate every visitor"."""
        return end > 1 and self.tokens[0].word in HANGS and all(map(self._joins, range(1, end - 1)))

    def complement(self, group: int, subject: int) -> str | None:
        """Return by which preposition a group belongs to the verb of a subject before it; empty for an object.

        None where it does not, or where the verb is a form of "be": then it is no deed.
        """
        lo, hi = self.places[subject][1], self.places[group][0]
        tokens, text = self.tokens[lo:hi], self.text[self.tokens[lo - 1].end : self.tokens[hi].start]
        if (
            self._is_one_compound(lo - 1, hi)
            or not any(t.content for t in tokens)
            or "," in text
            or any(marker.search(text) for _, marker in MARKERS)
        ):
            return None
        if self.is_led_by(group, "of") or self.tokens[hi - 1].word in _NO_SUBJECT or self._is_state(tokens):
            return None
        if any(t.word == "s" for t in self.tokens[self.places[group][1] :][:1]):
            return None  # an owner
        return self._preposition(group)

    def _is_one_compound(self, first: int, last: int) -> bool:
        """Return whether a stretch is a compound with a verb behind it: "the cellar door handle is", not "dogs eat"."""
        is_joined = all(map(self._joins, range(first, last)))
        behind = self.tokens[last + 1 :]
        return is_joined and any(t.word in _IS or t.kind is FactKind.MODALITY or is_past(t.word) for t in behind)

    @staticmethod
    def _is_state(tokens: Sequence[Token]) -> bool:
        """Return whether a form of "be" has nothing behind it that is being done."""
        be = next((n for n, t in enumerate(tokens) if t.key == "be"), None)
        return be is not None and not any(t.content and t.word.endswith("ing") for t in tokens[be + 1 : be + 3])

    def has_object(self, group: int) -> bool:
        """Return whether a content word follows a group with an article at most between: then it may be a verb."""
        at = self.places[group][1]
        if at == len(self.tokens) or not self.tokens[at].content:
            return False
        return not MARK.search(self.text[self.tokens[at - 1].end : self.tokens[at].start])

    def is_led_by(self, group: int, word: str) -> bool:
        """Return whether a word of grammar stands before a compound that ends with a group."""
        n = self.places[group][0] - 1
        while n >= 0 and self.tokens[n].content and self._joins(n):
            n -= 1
        return n >= 0 and self.tokens[n].word == word

    def hook(self, group: int) -> int | str | None:
        """Return the class of the preposition that a phrase hangs on; `time` for a date and its like, None for none."""
        if word := self.governor(group):
            return word_classes("prepositions", "en").get(word, word)
        return "time" if any(t.kind in _DATED or names_time(t) for t in self.words(group)) else None

    def opens(self, group: int) -> bool:
        """Return whether no content word stands before a group."""
        return not any(t.content for t in self.tokens[: self.places[group][0]])


def names_time(token: Token) -> bool:
    """Return whether a word names a time of the day or year, or a stretch of time."""
    return any(stem(word) in _TIMES for word in token.word.split())


@dataclass(frozen=True, slots=True)
class Layout:
    """Two sentences with the groups of words that both have, numbered in the order of the first."""

    one: Sentence
    two: Sentence
    turned: tuple[tuple[int, int], ...]

    @property
    def mirrored(self) -> Layout:
        """The two sentences in the other order; groups keep their numbers."""
        return Layout(self.two, self.one, tuple((y, x) for x, y in self.turned))


@remembered(4_096)
def layout(a: str, b: str) -> Layout | None:
    """Return how two English sentences lay out the words that both have; None if they are no two short sentences."""
    if max(len(a), len(b)) > LONGEST:
        return None
    sentences = [analyse(text, "en").sentences for text in (a, b)]
    if any(len(side) != 1 or side[0].is_row for side in sentences):
        return None
    return _laid_out(sentences[0][0], sentences[1][0], a, b)


def _laid_out(one: AnalysedSentence, two: AnalysedSentence, a: str, b: str) -> Layout | None:
    runs = runs_of(one, two, equivalent_anchors(difference(one, two)))
    runs = [r for r in runs if any(t.word not in HANGS and t.key != "befor" for t in one.tokens[r.a_lo : r.a_hi])]
    if not 2 <= len(runs) <= MAX_RUNS:
        return None
    here = Sentence(one.tokens, a, [(r.a_lo, r.a_hi) for r in runs])
    there = Sentence(two.tokens, b, [(r.b_lo, r.b_hi) for r in runs])
    pairs = combinations(range(len(runs)), 2)
    return Layout(here, there, tuple((x, y) for x, y in pairs if there.places[x] > there.places[y]))


def answering(laid: Layout) -> Iterator[tuple[Hanging, Hanging]]:
    """Yield what hangs on the rest of either sentence by words of one sense, where each has one of them."""
    for h in laid.one.hanging:
        answers = [k for k in laid.two.hanging if h.senses & k.senses]
        if len(answers) == 1 and sum(bool(answers[0].senses & other.senses) for other in laid.one.hanging) == 1:
            yield h, answers[0]


def reworded_sentences(a: str, b: str, language: str) -> list[Change]:
    """Return the aligned sentences of two English texts that differ; none of other texts."""
    if (guess(f"{a}\n{b}") if language == UNKNOWN_LANGUAGE else language) != "en":
        return []
    differing = (Pairing.REWORDED, Pairing.CONFLICT)
    return [c for c in compare(a, b, language).changes if c.relation in differing]
