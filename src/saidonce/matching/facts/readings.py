"""What two sentences of the same words say in two ways all the same: by a place, a mark, a capital or a zero.

No way to put a sentence in plain words excuses such a difference, since all of them pass over it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from saidonce.foundation.model import UNKNOWN_LANGUAGE, FactKind, Objection, Span
from saidonce.foundation.remembering import remembered
from saidonce.matching.facts import (
    asking,
    attached,
    commas,
    containers,
    grouping,
    joints,
    kin,
    lookalikes,
    near_phrases,
    pauses,
    reach,
    recast,
    scope,
    small_marks,
    spaces,
    spelled,
    tense,
    vowel_signs,
)
from saidonce.matching.facts.analyse import guess
from saidonce.matching.facts.colons import parted_otherwise
from saidonce.matching.facts.compare import compare
from saidonce.matching.facts.denials import denied_in_turn
from saidonce.matching.facts.leads import hung_elsewhere, led_otherwise
from saidonce.matching.facts.plain import in_plain_phrases
from saidonce.matching.facts.plain.deeds import is_one_deed
from saidonce.matching.facts.plain.order import is_list
from saidonce.matching.facts.quoted import quoted_otherwise
from saidonce.matching.facts.referred import referred_otherwise
from saidonce.matching.facts.result import Change, Pairing
from saidonce.matching.facts.sentence_relations import Places

LONGEST = 1_000
"""Characters of a sentence up to which it is read."""

_Rule = Callable[[str, str, str], Places | None]

_RULES: tuple[_Rule, ...] = (
    *grouping.RULES,
    *joints.RULES,
    *scope.RULES,
    *attached.RULES,
    *spelled.RULES,
    *asking.RULES,
    *near_phrases.RULES,
    *lookalikes.RULES,
    *kin.RULES,
    *small_marks.RULES,
    *tense.RULES,
    *commas.RULES,
    *containers.RULES,
    *pauses.RULES,
    *spaces.RULES,
    *vowel_signs.RULES,
    *recast.RULES,
    *reach.RULES,
)

_OF_WHOLE_TEXTS = (
    hung_elsewhere,
    led_otherwise,
    parted_otherwise,
    referred_otherwise,
    quoted_otherwise,
    denied_in_turn,
    spelled.other_keyword,
)
"""What is looked for in two texts, before their sentences."""


def _is_one_form(one: str, two: str, language: str) -> bool:
    """Return whether two sentences are one in plain phrases, or say in two forms that one thing is done."""
    written = in_plain_phrases(one, two, language)
    return is_one_deed(one, two, language) or (written is not None and written.a == written.b)


_SHOWN: dict[_Rule, Callable[[str, str, str], bool]] = {
    small_marks.addresses: is_list,
    joints.joined_otherwise: is_list,
    small_marks.means_some_or_all: _is_one_form,
}
"""Rules that object to what a reason shows to say the same: a list in another order has other commas and no other
members, and "of the parcels" are the parcels."""

_KINDS: dict[_Rule, FactKind] = {
    **dict.fromkeys((*tense.RULES, kin.was_so), FactKind.TENSE),
    small_marks.means_some_or_all: FactKind.QUANTIFIER,
    small_marks.counts_for_each: FactKind.QUANTIFIER,
    recast.requires_otherwise: FactKind.ROLE,
    **dict.fromkeys(reach.RULES, FactKind.ROLE),
    attached.belongs_to_the_doer: FactKind.ROLE,
    small_marks.ticks_otherwise: FactKind.IDENTIFIER,
    spelled.other_month: FactKind.DATE,
    spelled.other_numbers: FactKind.NUMBER,
}
"""What a difference is shown as, where it is no choice of words that a judge may overrule."""


@remembered(4_096)
def other_reading(a: str, b: str, language: str = UNKNOWN_LANGUAGE) -> tuple[Objection, ...]:
    """Object to the first words of two aligned sentences that are read otherwise though they are the same words."""
    tables = guess(f"{a}\n{b}") if language == UNKNOWN_LANGUAGE else language
    for whole in _OF_WHOLE_TEXTS:
        if objections := whole(a, b, tables):
            return objections
    for one, two in _sides(compare(a, b, language).changes):
        if one.text == two.text or max(len(one.text), len(two.text)) > LONGEST:
            continue
        for rule in _RULES:
            if (places := rule(one.text, two.text, tables)) and not _is_shown(rule, one.text, two.text, tables):
                return (Objection(_KINDS.get(rule, FactKind.TERM), _within(one, places[0]), _within(two, places[1])),)
    return ()


def _is_shown(rule: _Rule, one: str, two: str, language: str) -> bool:
    return rule in _SHOWN and _SHOWN[rule](one, two, language)


def _sides(changes: Sequence[Change]) -> Iterator[tuple[Span, Span]]:
    """Yield the sentences that stand for each other; short ones may have too little in common to be aligned."""
    yield from ((c.a, c.b) for c in changes if c.relation not in (Pairing.DELETED, Pairing.INSERTED))
    deleted = [c.a for c in changes if c.relation is Pairing.DELETED]
    inserted = [c.b for c in changes if c.relation is Pairing.INSERTED]
    if len(deleted) == len(inserted) == 1:
        yield deleted[0], inserted[0]


def _within(sentence: Span, place: Span | None) -> Span:
    return place.moved(sentence.start) if place else Span(sentence.end, sentence.end, "")
