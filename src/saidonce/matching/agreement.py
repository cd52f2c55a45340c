"""What two texts have to do with each other, whatever their similarity: the same, a repeat, open, or contradicted.

Absence of an objection is no agreement: two texts say the same only if all that either states is accounted for
on the other side. What is neither accounted for nor contradicted stays open.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from rapidfuzz.fuzz import token_sort_ratio

from saidonce.foundation.model import Candidate, Equivalence, FactKind, Objection, Rewording
from saidonce.foundation.ports import EquivalenceJudge
from saidonce.foundation.text import words
from saidonce.matching import facts
from saidonce.matching.compared import ComparedPair, as_read, compared
from saidonce.matching.diff import as_added
from saidonce.matching.facts import Change, Pairing
from saidonce.matching.guards import (
    CLAIM_GUARDS,
    PLACED_GUARDS,
    REPEAT_GUARDS,
    adds_nothing,
    ask,
    fact_guard,
    first_objection_to,
    in_read_language,
    reasons_of,
    same_grammar,
    same_meaning,
    same_order,
    same_points,
    shown_reasons_of,
    whole_sentences,
)
from saidonce.matching.ladder import Guard


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
        judged: what a judge was asked about an open pair, and its answers; empty where none was asked.
        judge: name of that judge.
        reasons: by which rules the two say the same in plain words; empty where equal or like words show it.
    """

    agreement: Agreement
    objections: tuple[Objection, ...] = ()
    unaccounted: tuple[Objection, ...] = ()
    judged: tuple[tuple[Rewording, Equivalence], ...] = ()
    judge: str = ""
    reasons: tuple[str, ...] = ()

    @property
    def is_certain(self) -> bool:
        """Whether all that a judge was asked about is the same by its stricter threshold; so it is without a judge."""
        return all(answer.is_certain for _, answer in self.judged)

    @property
    def is_borne_out(self) -> bool:
        """Whether the two texts are the same on a judge's word, by its stricter threshold."""
        return self.agreement is Agreement.SAME and bool(self.judged) and self.is_certain

    @property
    def mirrored(self) -> Accord:
        """The same accord with the two texts swapped."""
        judged = tuple((replace(r, a=r.b, b=r.a), answer) for r, answer in self.judged)
        objections, unaccounted = (tuple(o.mirrored for o in side) for side in (self.objections, self.unaccounted))
        turned = _MIRRORED.get(self.agreement, self.agreement)
        return Accord(turned, objections, unaccounted, judged, self.judge, self.reasons)


_MIRRORED = {Agreement.REPEATS_A: Agreement.REPEATS_B, Agreement.REPEATS_B: Agreement.REPEATS_A}


_CONTRADICTING: tuple[Guard, ...] = tuple(g for g in CLAIM_GUARDS if g not in (in_read_language, same_order))
"""Guards whose objections contradict; a language that is not read and another order of words leave a pair open."""

_PHRASED = frozenset((
    FactKind.NEGATION, FactKind.MODALITY, FactKind.QUANTIFIER, FactKind.FREQUENCY, FactKind.UNIT, FactKind.NUMBER,
    FactKind.DATE, FactKind.TENSE,
))  # fmt: skip
"""Objections that a phrase may be the cause of: "in all likelihood" counts nothing. They fall where they do not come up
once phrases of one meaning are written in one way; a judge may then be asked."""

_OPERATORS = frozenset((FactKind.MODALITY, FactKind.QUANTIFIER, FactKind.FREQUENCY))


def agreement(a: Candidate, b: Candidate) -> Accord:
    """Compare two texts in both directions; swapping them swaps the sides of the answer and nothing else."""
    if a.content_hash == b.content_hash and not any(guard(a, b) for guard in PLACED_GUARDS):
        return Accord(Agreement.SAME)
    pair = compared(as_read(a), as_read(b))
    accord = _agreement(pair)
    objections, unaccounted, reasons = accord.objections, accord.unaccounted, accord.reasons
    if pair.written is not None:
        objections, unaccounted = pair.in_place(objections), pair.in_place(unaccounted)
        reasons = reasons or ((IN_OTHER_MARKUP,) if accord.agreement is Agreement.SAME else ())
    unaccounted = as_added(unaccounted, a.text, b.text)
    return replace(accord, objections=objections, unaccounted=unaccounted, reasons=reasons)


IN_OTHER_MARKUP = "an address, a key, a place in a menu or a name is written in other marks"
"""Reason of two texts that are the same in one markup."""


def _agreement(pair: ComparedPair) -> Accord:
    of_a = first_objection_to(pair)
    of_b = tuple(o.mirrored for o in first_objection_to(pair.mirrored))
    if not of_a and not of_b:
        return Accord(Agreement.SAME, reasons=shown_reasons_of(pair) or shown_reasons_of(pair.mirrored))
    if not of_b:
        return Accord(Agreement.REPEATS_A, (), of_a, reasons=shown_reasons_of(pair.mirrored))
    if not of_a:
        return Accord(Agreement.REPEATS_B, (), of_b, reasons=shown_reasons_of(pair))
    objections = _left_standing(_contradictions(pair), pair)
    unaccounted = tuple(dict.fromkeys((*of_a, *of_b)))
    alike = _alike(pair, (*objections, *unaccounted))
    objections, elsewhere = (tuple(o for o in side if o not in alike) for side in (objections, unaccounted))
    return Accord(Agreement.OBJECTED if objections else Agreement.OPEN, objections, elsewhere or unaccounted)


_FIGURES = frozenset((FactKind.NUMBER, FactKind.AMOUNT, FactKind.UNIT, FactKind.DATE))
_NOTED = _FIGURES | {FactKind.NAME, FactKind.VERSION, FactKind.FREQUENCY}
"""What another notation may be the cause of: "Dr." is no other name than "Doctor", and "i. H. v. 9" no version."""


def _left_standing(objections: tuple[Objection, ...], pair: ComparedPair) -> tuple[Objection, ...]:
    """Return the objections that are left once the pair is in one layout, or in plain phrases.

    In one layout all of them fall together: a table and a list were held against each other, cell against cell. So do
    those to phrases alone. Others fall if they are to what a notation may be the cause of, and none of these comes up
    in plain phrases: names and figures, or only figures in Chinese, Japanese and Korean, where one is as often a word.
    """
    if not objections or ((laid := pair.in_one_layout()) and not _contradictions(laid)):
        return ()
    noted = _FIGURES if facts.may_be_set_alike(pair.a.text, pair.b.text, pair.language) else _NOTED
    are_phrased = all(o.kind in _PHRASED for o in objections)
    if not are_phrased and not any(o.kind in noted for o in objections):
        return objections
    if (plain := pair.in_plain_phrases()) is None:
        return objections
    left = _contradictions(plain)
    if are_phrased and not left:
        return ()
    return objections if any(o.kind in noted for o in left) else tuple(o for o in objections if o.kind not in noted)


def _alike(pair: ComparedPair, objections: Sequence[Objection]) -> frozenset[Objection]:
    """Return the objections between two aligned sentences that say the same by themselves.

    In plain words they do, and what another sentence states otherwise leaves the whole in its own words.
    """
    alike: set[Objection] = set()
    a, b = pair.a.text, pair.b.text
    for c in facts.compare(a, b, pair.language).changes:
        is_part = c.a.text and c.b.text and (len(c.a.text) < len(a.strip()) or len(c.b.text) < len(b.strip()))
        own = [o for o in objections if c.a.holds(o.a) and c.b.holds(o.b)] if is_part else []
        if own and _is_one_form(pair.sentences(c)):
            alike.update(own)
    return frozenset(alike)


def _is_one_form(sentences: ComparedPair) -> bool:
    """Return whether two sentences say the same in plain words; without these, what objects to them stands."""
    if not (reasons_of(sentences) and reasons_of(sentences.mirrored)):
        return False  # most sentences: no guard has to be asked
    return agreement(sentences.a, sentences.b).agreement is Agreement.SAME


def _contradictions(pair: ComparedPair) -> tuple[Objection, ...]:
    """Return all objections but those to what may be said in other words, or is shown to be one in another form."""
    wording = _Wording.of(pair)
    voiced = (o for guard in _CONTRADICTING for o in ask(guard, pair) if not wording.may_be(guard, o))
    apart = dict.fromkeys(o for o in voiced if o.kind is not FactKind.TERM)
    return tuple(o for o in apart if not facts.is_settled(o, pair.a.text, pair.b.text, pair.language))


@dataclass(frozen=True, slots=True)
class _Wording:
    """What two texts may say in other words.

    Attributes:
        is_reworded: whether they differ in so many words that the order of those they share, and an operator that
            one has more, say nothing by themselves.
    """

    pair: ComparedPair
    is_reworded: bool

    @classmethod
    def of(cls, pair: ComparedPair) -> _Wording:
        return cls(pair, facts.is_reworded(*pair.texts))

    def may_be(self, guard: Guard, o: Objection) -> bool:
        """Return whether an objection of a guard concerns the choice of words, so that a judge may overrule it."""
        if guard not in _OF_WORDING:
            return False
        if o.kind is FactKind.TERM and guard is same_grammar and o.a.text and o.b.text:
            return facts.shows_the_reason(o, *self.pair.texts)
        if o.kind is FactKind.TERM:
            return True
        return self._leaves_free(o) if self.is_reworded else self._accounts_for(o)

    def _leaves_free(self, o: Objection) -> bool:
        """Return whether an objection says nothing between two texts of which each has many words of its own."""
        if o.kind is FactKind.NEGATION:
            return facts.denies_otherwise(o, *self.pair.texts)
        return o.kind is FactKind.ROLE or (o.kind in _OPERATORS and not (o.a.text and o.b.text))

    def _accounts_for(self, o: Objection) -> bool:
        """Return whether a reason is shown for what an objection names: words that moved, a modal verb left out."""
        if o.kind is FactKind.ROLE:
            return facts.moves_for_reasons(*self.pair.texts)
        return o.kind is FactKind.MODALITY and facts.obliges_otherwise(o, *self.pair.texts)


MOST_REWORDINGS = 12
"""Rewordings of one pair that a judge is asked about; of two texts with more, nobody says that they are the same."""

_OF_WORDING: tuple[Guard, ...] = (fact_guard, adds_nothing, whole_sentences, same_order, same_grammar, same_meaning)
"""Guards that may object to a choice of words; what every other guard objects to stands."""


def borne_out(a: Candidate, b: Candidate, accord: Accord, judge: EquivalenceJudge | None) -> Accord:
    """Compare two texts between which something is open sentence by sentence, and ask a judge about the rest.

    Sentences that say the same, in one form or another, need no judge, who is only asked about those that differ in
    wording; all of them must be borne out. It lifts no objection, and is not asked about a list beside a paragraph. A
    sentence that one text has more makes that text say more, unless it takes something back.

    Args:
        accord: of `a` and `b`; returned as it is unless it is open.
        judge: None without one.

    Raises:
        ModelUnavailableError: the judge's files failed.
    """
    if accord.agreement is not Agreement.OPEN:
        return accord
    aligned = _rewordings(a, b)
    if aligned is None:
        return accord
    rewordings, whose_more = aligned
    if not rewordings:
        unaccounted = accord.unaccounted if whose_more is not Agreement.SAME else ()
        return Accord(whose_more, (), unaccounted, reasons=(BY_SENTENCE,))
    if judge is None or a.kind is not b.kind or len(rewordings) > MOST_REWORDINGS:
        return accord
    judged = tuple(zip(rewordings, judge.judge(rewordings), strict=True))
    if not all(answer.is_same for _, answer in judged):
        return replace(accord, judged=judged, judge=judge.name)
    unaccounted = accord.unaccounted if whose_more is not Agreement.SAME else ()
    return Accord(whose_more, (), unaccounted, judged, judge.name)


def says_the_same(judge: EquivalenceJudge | None = None) -> Guard:
    """Return a guard that objects, with what speaks against it, to all pairs that do not say the same.

    Args:
        judge: bears out what is open; without one what is open counts as not the same.
    """

    def guard(a: Candidate, b: Candidate) -> Sequence[Objection]:
        accord = agreement(a, b)
        heard = borne_out(a, b, accord, judge)
        if heard.agreement is Agreement.SAME:
            return ()
        return accord.objections or accord.unaccounted

    return guard


BY_SENTENCE = "each sentence says the same in plain words"
"""Reason of two texts that are too long to be written in plain words, and whose sentences are not."""


def _rewordings(a: Candidate, b: Candidate) -> tuple[list[Rewording], Agreement] | None:
    """Return the aligned sentences that a judge has to bear out, and what the pair is if it does; None if it may not.

    The agreement is `same`, or that of a text with whole sentences more. There may be no sentence left to a judge.
    """
    pair = compared(as_read(a), as_read(b))
    if ask(same_points, pair):
        return None
    pair = pair.in_one_layout() or pair
    language = pair.language
    changes = facts.compare(pair.a.text, pair.b.text, language).changes
    if _claims_apart(pair, changes) or facts.quotes_in_part(pair.a.text) != facts.quotes_in_part(pair.b.text):
        return None
    paired, lone = _paired(changes)
    whose_more = {c.relation for c in lone}
    if len(whose_more) > 1 or any(facts.takes_back(c.a if c.a.text else c.b, language) for c in lone):
        return None
    if not paired:
        return None  # what objects to the texts does not object to one of their sentences
    rewordings = []
    for change in paired:
        spelled = pair.sentences(change).spelled_right()
        if agreement(spelled.a, spelled.b).agreement is Agreement.SAME:
            continue
        if not _is_wording(spelled) and not ((plain := spelled.in_plain_phrases()) and _is_wording(plain)):
            return None
        rewordings.append(Rewording(spelled.a.text, spelled.b.text, language))
    return rewordings, _MORE[whose_more.pop()] if whose_more else Agreement.SAME


_MORE = {Pairing.DELETED: Agreement.REPEATS_A, Pairing.INSERTED: Agreement.REPEATS_B}


def _paired(changes: Sequence[Change]) -> tuple[list[Change], list[Change]]:
    """Return the aligned sentences that differ, and the sentences that stand in one text only.

    A sentence in quite other words is aligned with the one that is nearest to it among those left over.
    """
    paired = [c for c in changes if c.relation in (Pairing.REWORDED, Pairing.CONFLICT)]
    here = [c for c in changes if c.relation is Pairing.DELETED]
    there = [c for c in changes if c.relation is Pairing.INSERTED]
    if len(here) * len(there) > MOST_REWORDINGS:
        return paired, [*here, *there]
    scores = [(-token_sort_ratio(x.a.text, y.b.text), n, m) for n, x in enumerate(here) for m, y in enumerate(there)]
    taken: tuple[set[int], set[int]] = (set(), set())
    for _, n, m in sorted(scores):
        if n not in taken[0] and m not in taken[1]:
            taken[0].add(n)
            taken[1].add(m)
            paired.append(Change(here[n].a, there[m].b, Pairing.REWORDED))
    lone = [c for side, kept in ((here, taken[0]), (there, taken[1])) for n, c in enumerate(side) if n not in kept]
    return sorted(paired, key=lambda c: c.a.start), lone


def _claims_apart(pair: ComparedPair, changes: Sequence[Change]) -> bool:
    """Return whether whole sentences stand in another order, or a structural guard objects."""
    if any(guard(pair.a, pair.b) for guard in PLACED_GUARDS):
        return True
    in_turn = [c for c in changes if c.a.text and c.b.text]
    return [c.b.start for c in in_turn] != sorted(c.b.start for c in in_turn) and bool(ask(same_order, pair))


def _is_wording(pair: ComparedPair) -> bool:
    """Return whether all that is open between two sentences is which words they choose.

    Not so if one only adds some.
    """
    if not _replaces_words(pair) or facts.obliges_alone(*pair.texts):
        return False
    wording = _Wording.of(pair)
    mirrored = _Wording(pair.mirrored, wording.is_reworded)
    return all(
        side.may_be(guard, o) for side in (wording, mirrored) for guard in REPEAT_GUARDS for o in ask(guard, side.pair)
    )


def _replaces_words(pair: ComparedPair) -> bool:
    """Return whether each of two sentences has words that the other lacks."""
    one, other = (Counter(words(side.text)) for side in (pair.a, pair.b))
    return bool(one - other) and bool(other - one)
