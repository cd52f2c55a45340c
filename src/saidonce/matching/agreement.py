"""What two texts have to do with each other, whatever their similarity: the same, a repeat, open, or contradicted.

Absence of an objection is no agreement: two texts say the same only if all that either states is accounted for
on the other side. What is neither accounted for nor contradicted stays open.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from saidonce.foundation.model import Candidate, FactKind, Objection, Rewording
from saidonce.foundation.ports import EquivalenceJudge
from saidonce.foundation.text import words
from saidonce.matching import facts
from saidonce.matching.facts import Change, Pairing
from saidonce.matching.guards import REPEAT_GUARDS, fact_guard, same_code, same_grammar
from saidonce.matching.ladder import STRUCTURAL_GUARDS, Guard, first_objection


class Agreement(StrEnum):
    """How two texts a and b agree.

    `repeats_a`: b states nothing that a does not, and a says more; `repeats_b`: the other way round.
    """

    SAME = "same"
    REPEATS_A = "repeats_a"
    REPEATS_B = "repeats_b"
    OPEN = "open"
    OBJECTED = "objected"


@dataclass(frozen=True, slots=True)
class Accord:
    """How two texts agree, with what speaks against it.

    Attributes:
        objections: values, names, roles or claims that differ; no judge may lift them. `a` first.
        unaccounted: the first thing in either text that nothing on the other side bears out; empty for
            `same`, and one-sided for a repeat. `a` first.
    """

    agreement: Agreement
    objections: tuple[Objection, ...] = ()
    unaccounted: tuple[Objection, ...] = ()


_CLAIM_GUARDS: tuple[Guard, ...] = (*STRUCTURAL_GUARDS, fact_guard, same_code, same_grammar)


def agreement(a: Candidate, b: Candidate) -> Accord:
    """Compare two texts in both directions; swapping them swaps the sides of the answer and nothing else."""
    if a.content_hash == b.content_hash:
        return Accord(Agreement.SAME)
    of_a = first_objection(REPEAT_GUARDS, a, b)
    of_b = tuple(o.mirrored for o in first_objection(REPEAT_GUARDS, b, a))
    if not of_a and not of_b:
        return Accord(Agreement.SAME)
    if not of_b:
        return Accord(Agreement.REPEATS_A, (), of_a)
    if not of_a:
        return Accord(Agreement.REPEATS_B, (), of_b)
    objections = _contradictions(a, b)
    return Accord(
        Agreement.OBJECTED if objections else Agreement.OPEN, objections, tuple(dict.fromkeys((*of_a, *of_b)))
    )


def _contradictions(a: Candidate, b: Candidate) -> tuple[Objection, ...]:
    """All objections but those to other words, which may mean the same."""
    voiced = (o for guard in _CLAIM_GUARDS for o in guard(a, b))
    return tuple(dict.fromkeys(o for o in voiced if o.kind is not FactKind.TERM))


def borne_out(a: Candidate, b: Candidate, accord: Accord, judge: EquivalenceJudge) -> Accord:
    """Ask a judge about an open accord; the same if it bears out every pair of sentences that differ.

    It is asked only where words alone are unaccounted for: all sentences have a counterpart, of two that differ each
    has words of its own, both texts state the same figures, and tables of words read their language. Any other accord
    stays as it is.

    Raises:
        ModelUnavailableError: the judge failed.
    """
    if accord.agreement is not Agreement.OPEN or any(o.kind is not FactKind.TERM for o in accord.unaccounted):
        return accord
    if not facts.is_read(a.text, b.text, (a.language, b.language)):
        return accord
    if facts.figures(a.text, a.language) != facts.figures(b.text, a.language):
        return accord
    pairs = _rewordings(facts.compare(a.text, b.text, a.language).changes, a.language)
    if pairs and all(map(_replaces_words, pairs)) and all(answer.is_same for answer in judge.judge(pairs)):
        return Accord(Agreement.SAME)
    return accord


def says_the_same(judge: EquivalenceJudge | None = None) -> Guard:
    """Return a guard that objects, with what speaks against it, to all pairs that do not say the same.

    Args:
        judge: bears out what is open; without one it counts as not the same.
    """

    def guard(a: Candidate, b: Candidate) -> Sequence[Objection]:
        accord = agreement(a, b)
        if judge is not None:
            accord = borne_out(a, b, accord, judge)
        return () if accord.agreement is Agreement.SAME else accord.objections or accord.unaccounted

    return guard


def _rewordings(changes: Sequence[Change], language: str) -> tuple[Rewording, ...]:
    """The pairs of sentences that differ; none if a sentence has no counterpart. Two lone ones are a pair."""
    lone_a = [c.a.text for c in changes if c.relation is Pairing.DELETED]
    lone_b = [c.b.text for c in changes if c.relation is Pairing.INSERTED]
    if len(lone_a) != len(lone_b) or len(lone_a) > 1:
        return ()
    differing = [(c.a.text, c.b.text) for c in changes if c.relation in (Pairing.REWORDED, Pairing.CONFLICT)]
    return tuple(Rewording(x, y, language) for x, y in (*differing, *zip(lone_a, lone_b, strict=True)))


def _replaces_words(pair: Rewording) -> bool:
    """Whether each sentence has words that the other lacks; one that only adds or moves words is no rewording."""
    one, other = (Counter(words(text)) for text in (pair.a, pair.b))
    return bool(one - other) and bool(other - one)
