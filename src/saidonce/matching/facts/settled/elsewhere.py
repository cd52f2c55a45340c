"""What one text states in one clause, and the other in a clause of another sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from saidonce.foundation.model import FactKind, Span
from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.analyse import Token, analyse
from saidonce.matching.facts.guards import VALUES
from saidonce.matching.facts.lexicon import LANGUAGES, language_table, word_list
from saidonce.matching.facts.settled.sight import Sight

SHARED = 5
"""First letters that two inflections of a word share."""

LONGEST = 3_000
"""Characters of a text up to which clauses are looked for."""

LEAST = 2
"""Words that two clauses share, unless the shorter one has fewer."""

_CUTS = re.compile(r"[;:.!?()\n]|,\s|\s[\u2013\u2014-]\s")


@dataclass(frozen=True)
class Clause:
    """A stretch of a sentence that no mark and no conjunction cuts, by its tokens."""

    tokens: tuple[Token, ...]

    @cached_property
    def contents(self) -> frozenset[str]:
        """The words of the clause that name something, without values."""
        return frozenset(t.key for t in self.tokens if t.content and t.kind in _WORDS)

    def facts(self, kinds: frozenset[FactKind]) -> list[str]:
        """Return all facts of some kinds in order: by their keys, but negations, and what they deny, by their words."""
        is_denied = any(t.kind is FactKind.NEGATION for t in self.tokens)
        by_word = {FactKind.NEGATION} | ({FactKind.MODALITY} if is_denied else set())  # "need not", "must not"
        return [t.word if t.kind in by_word else t.key for t in self.tokens if t.kind in kinds]

    def bears_on(self, n: int) -> str:
        """Return the word that names something right behind a token, or before it where none follows."""
        behind = (t.key for t in self.tokens[n + 1 :] if t.content)
        before = (t.key for t in reversed(self.tokens[:n]) if t.content)
        return next(behind, next(before, ""))


_WORDS = (None, FactKind.NAME, FactKind.IDENTIFIER)
_NEGATION = frozenset((FactKind.NEGATION,))
_COMPARED = {
    FactKind.NEGATION: _NEGATION | {FactKind.QUANTIFIER},
    FactKind.MODALITY: _NEGATION | {FactKind.QUANTIFIER, FactKind.MODALITY},
    FactKind.QUANTIFIER: _NEGATION | {FactKind.QUANTIFIER, FactKind.MODALITY},
}
"""Facts that two clauses have in common where one of a kind is looked for."""


def stands_elsewhere(sight: Sight) -> bool:
    """Return whether the clause of what an objection quotes has one that says it in the other text, and the only one.

    It shares more words with it than every other clause does, has the same facts in one order, and what is quoted bears
    on the same word there.
    """
    if max(len(sight.a), len(sight.b)) > LONGEST or sight.language not in LANGUAGES:
        return False
    here, there = (clauses(text, sight.language) for text in (sight.a, sight.b))
    kind = sight.objection.kind
    if kind is FactKind.NEGATION and (_leaves_out(sight, here, there) or _leaves_out(sight.mirrored, there, here)):
        return True
    kinds = _COMPARED.get(kind, VALUES | _NEGATION)
    sides = ((sight.objection.a, here, there), (sight.objection.b, there, here))
    return all(not at.text or _answers(at, own, others, kinds, sight.language) for at, own, others in sides)


def _leaves_out(sight: Sight, here: Sequence[Clause], there: Sequence[Clause]) -> bool:
    """Return whether "but not the frame" in one text is a clause of its own in the other: "the frame is not covered".

    Each of the two is the only denied clause with that word, and what is quoted is their negations.
    """
    contrasts = word_list(sight.language, "contrasts")
    for n, clause in enumerate(here):
        is_short = n and len(clause.contents) == 1 and clause.tokens[0].word in contrasts and _is_denied(clause)
        if not is_short:
            continue
        (word,) = clause.contents
        full = [c for c in there if word in c.contents]
        if len(full) != 1 or not _is_denied(full[0]) or not _shared(full[0].contents, here[n - 1].contents):
            continue
        sides = ((sight.objection.a, clause), (sight.objection.b, full[0]))
        if all(not at.text or any(t.start == at.start for t in side.tokens) for at, side in sides):
            return True
    return False


def _is_denied(clause: Clause) -> bool:
    return sum(t.kind is FactKind.NEGATION for t in clause.tokens) == 1


def _answers(
    at: Span, own: Sequence[Clause], others: Sequence[Clause], kinds: frozenset[FactKind], language: str
) -> bool:
    quoted = [
        (clause, n)
        for clause in own
        for n, t in enumerate(clause.tokens)
        if t.kind in kinds and at.start <= t.start and t.end <= at.end
    ]
    return bool(quoted) and all(_is_answered(clause, n, (own, others), kinds, language) for clause, n in quoted)


def _is_answered(
    clause: Clause, n: int, sides: tuple[Sequence[Clause], Sequence[Clause]], kinds: frozenset[FactKind], language: str
) -> bool:
    """Return whether the clause that is nearest to one has the same facts, and a token of it bears on the same word."""
    own, others = sides
    nearest = _nearest(clause, others)
    if nearest is None or _nearest(nearest, own) is not clause or clause.facts(kinds) != nearest.facts(kinds):
        return False
    opening = [c.tokens[0].word for c in (clause, nearest) if c.tokens[0].word in _cutting(language)]
    if len(set(opening)) > 1:
        return False  # "if the brakes had failed", "because the brakes failed"
    key, goal = clause.tokens[n].key, clause.bears_on(n)
    return any(t.key == key and _is_alike(nearest.bears_on(m), goal) for m, t in enumerate(nearest.tokens))


def _nearest(clause: Clause, others: Sequence[Clause]) -> Clause | None:
    """Return the one clause that shares most words with another; None if several do, or it shares too few."""
    scores = [(_shared(clause.contents, o.contents), o) for o in others]
    best = max((score for score, _ in scores), default=0)
    nearest = [o for score, o in scores if score == best]
    if len(nearest) != 1:
        return None
    fewest = min(len(clause.contents), len(nearest[0].contents))
    return nearest[0] if best and best >= min(LEAST, fewest) and best * 2 >= fewest else None


def _is_alike(one: str, two: str) -> bool:
    return one == two or (len(one) >= SHARED and one[:SHARED] == two[:SHARED])


def _shared(one: frozenset[str], two: frozenset[str]) -> int:
    exact = one & two
    rest = {w[:SHARED] for w in one - exact if len(w) >= SHARED} & {w[:SHARED] for w in two - exact if len(w) >= SHARED}
    return len(exact) + len(rest)


@remembered(1_024)
def clauses(text: str, language: str) -> tuple[Clause, ...]:
    """Return the clauses of a text in order."""
    cuts = _cutting(language)
    parts: list[Clause] = []
    for sentence in analyse(text, language).sentences:
        current: list[Token] = []
        for token in sentence.tokens:
            is_cut = token.word in cuts or (current and _CUTS.search(text, current[-1].end, token.start))
            if is_cut and current:
                parts.append(Clause(tuple(current)))
                current = []
            current.append(token)
        if current:
            parts.append(Clause(tuple(current)))
    return tuple(parts)


def _cutting(language: str) -> frozenset[str]:
    """Return the words that open a clause, or set one against another."""
    table = language_table(language).get("relations", {})
    opens = frozenset(table.get("conjunctions", "").split())
    return (opens | word_list(language, "contrasts")) - {"before", "after", "antes", "después", "tras", "prima", "dopo"}
