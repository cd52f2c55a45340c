"""Small words in their slots.

Where two sentences have the same content words in the same order, nothing has moved, and the small words between each
two of them can be compared by themselves. Words that only change places ("on by day and off by night") are as many on
either side, so that no count of them tells.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

from saidonce.foundation.model import FactKind
from saidonce.matching.facts.analyse import Token
from saidonce.matching.facts.lexicon import is_past, language_table, lines, word_list, words_of
from saidonce.matching.facts.roles import JOINS
from saidonce.matching.facts.sentence_relations import ANY, MEASURED, SentenceRelations, word_classes

Sides = tuple[Token | None, Token | None]
"""A word of each sentence; None where the other sentence has none in its place."""

Slot = tuple[list[Token], list[Token]]
"""The small words of two sentences between the same two content words."""

Lone = tuple[dict[str, Token], dict[str, Token]]
"""Key -> word of what each side of a slot has more than the other."""

_CLASSES = ("prepositions", "auxiliaries", "persons")


def other_in_a_slot(a: SentenceRelations, b: SentenceRelations) -> Sides | None:
    """Return the first small words of two sentences that stand in the same slot and say something else.

    Two words that have changed places, one that bears on another word than before, "they" for "it", "any" for "all"
    where the two part ways, and what is done to somebody for what they do ("to be left", "to leave"). None where the
    content words differ or stand in another order.
    """
    if a.content_keys != b.content_keys:
        return None
    slots = list(zip(a.gaps, b.gaps, strict=True))
    lone = [_lone(slot) for slot in slots]
    if any(here or there for here, there in lone) and (sides := _other_words(lone, a.language)):
        return sides
    if (sides := _bears_on_another(a, b)) or a.language != "en":
        return sides
    return (
        _adds_another(lone)
        or _any_for_all(a, b, slots)
        or _all_for_each(a, slots)
        or _done_to(slots, lone, a, b)
        or _asked_to(slots, lone)
    )


def _other_words(lone: Sequence[Lone], language: str) -> Sides | None:
    """Return the first words that only one of two slots has, and that say something else than those of the other."""
    return (
        _exchanged(lone, language)
        or _other_referent(lone, language)
        or _joined_or_led(lone, language)
        or _moved(lone, language)
    )


def _lone(slot: Slot) -> Lone:
    one, two = ([t.key for t in side] for side in slot)
    if one == two:
        return {}, {}
    count_one, count_two = Counter(one), Counter(two)
    more_one, more_two = count_one - count_two, count_two - count_one
    return {t.key: t for t in slot[0] if more_one[t.key]}, {t.key: t for t in slot[1] if more_two[t.key]}


def _exchanged(lone: Sequence[Lone], language: str) -> Sides | None:
    """Return the first two small words that have changed places."""
    classes = _classes(language)
    replaced: set[tuple[str, str]] = set()
    for here, there in lone:
        pairs = [(x, y) for x in here for y in there]
        for x, y in pairs:
            if (y, x) in replaced and classes.get(here[x].word, x) != classes.get(there[y].word, y):
                return here[x], there[y]
        replaced.update(pairs)
    return None


@cache
def _classes(language: str) -> Mapping[str, str]:
    """Map a small word to the name of the class of those that may stand for it."""
    table = language_table(language).get("relations", {})
    rows = [row.split() for name in _CLASSES for row in lines(table.get(name, ""))]
    return {word: row[0] for row in rows for word in row}


def _other_referent(lone: Sequence[Lone], language: str) -> Sides | None:
    """Return the first "it" and "they" that stand for each other: they speak of something else."""
    rows = [set(row.split()) for row in lines(language_table(language).get("relations", {}).get("referents", ""))]
    for here, there in lone:
        for one in here.values():
            for two in there.values():
                at = [next((n for n, row in enumerate(rows) if t.word in row), None) for t in (one, two)]
                if None not in at and at[0] != at[1]:
                    return one, two
    return None


def _joined_or_led(lone: Sequence[Lone], language: str) -> Sides | None:
    """Return the first "and" or "or" for which the other sentence has a preposition.

    Examples: "a list and tools", "a list of tools".
    """
    prepositions = words_of(language_table(language).get("relations", {}).get("prepositions", ""))
    for here, there in lone:
        for one in here.values():
            for two in there.values():
                words = one.word, two.word
                if any(x in JOINS and y in prepositions for x, y in (words, words[::-1])):
                    return one, two
    return None


def _moved(lone: Sequence[Lone], language: str) -> Sides | None:
    """Return the first word in another slot that bears on what stands beside it: "every key opens a door".

    "All" and "both" may stand on either side of one word ("all tenants pay", "the tenants all pay"), a person on either
    side of what it is handed ("give them the key").
    """
    binding, persons = word_list(language, "binds"), word_list(language, "objects")
    places: dict[str, list[tuple[int, Token]]] = {}
    for m, (_, there) in enumerate(lone):
        for key, token in there.items():
            places.setdefault(key, []).append((m, token))
    for n, (here, _) in enumerate(lone):
        for key, token in here.items():
            far = 1 if token.word in persons or key in _FLOATING else 0
            bears = key.startswith("quantifier:") or {token.word, key} & binding or token.word in persons
            outer = places.get(key, [])[:1] + places.get(key, [])[-1:]
            other = next((t for m, t in outer if abs(n - m) > far), None)
            if bears and other is not None:
                return token, other
    return None


def _bears_on_another(a: SentenceRelations, b: SentenceRelations) -> Sides | None:
    """Return the first word that bears on the next one, which is another one: "the other copy", "the other bank"."""
    one, two = a.bound_next, b.bound_next
    for word in sorted(one.keys() & two.keys()):
        if one[word][1] != two[word][1]:
            return one[word][0], two[word][0]
    return None


def _adds_another(lone: Sequence[Lone]) -> Sides | None:
    """Return the first "also" before another English word: "also members must pay", "members must also pay".

    At the end of a sentence it may go with any of its words, and behind a mark with the whole of it.
    """
    adds = [[(n, t) for n, pair in enumerate(lone[:-1]) if (t := pair[side].get("also"))] for side in (0, 1)]
    pairs = ((one, two) for n, one in adds[0] for m, two in adds[1] if m != n)
    return next((p for p in pairs if p[0].word == p[1].word == "also"), None)


_FLOATING = frozenset(("quantifier:all", "quantifier:both"))


def _done_to(slots: Sequence[Slot], lone: Sequence[Lone], a: SentenceRelations, b: SentenceRelations) -> Sides | None:
    """Return the "be" of one English sentence that turns a verb round: "to be left" for "to leave", or "used to"."""
    for (here, there), behind, one, two in zip(lone, slots[1:], a.contents, b.contents, strict=False):
        if sorted((*here, *there)) != ["be"]:
            continue
        done, other = (one, two) if here else (two, one)
        is_habit = one.key == "use" and all(side and side[0].word == "to" for side in behind)
        if is_habit or (is_past(done.word) and not is_past(other.word)):
            return here.get("be"), there.get("be")
    return None


def _asked_to(slots: Sequence[Slot], lone: Sequence[Lone]) -> Sides | None:
    """Return the "to" that one English sentence has more behind a word that asks.

    Examples: "show whom to pay", "show who pays".
    """
    for slot, (here, there) in zip(slots, lone, strict=True):
        asks = all(any(t.word in _ASKING for t in side) for side in slot)
        if asks and {t.word for t in (*here.values(), *there.values())} - _ASKING == {"to"}:
            return here.get("to"), there.get("to")
    return None


_ASKING = frozenset("who whom what which how where when whether".split())


def _any_for_all(a: SentenceRelations, b: SentenceRelations, slots: Sequence[Slot]) -> Sides | None:
    """Return the first "any" that stands for "all" before "of", or behind a condition, a limit of time or a negation.

    "Any visitor signs" says what "all visitors sign" says; "if any fails" does not say "if all fail".
    """
    if a.words.isdisjoint(ANY) and b.words.isdisjoint(ANY):
        return None
    for one, two in ((one, two) for here, there in slots for one, two in zip(here, there, strict=False)):
        if one.key != two.key or one.kind is not FactKind.QUANTIFIER or not {one.word, two.word} & ANY:
            continue
        if {one.word, two.word} <= ANY or one.word == two.word:
            continue
        before = [t for t in a.tokens if t.start < one.start]
        denies = any(t.kind is FactKind.NEGATION for t in before[1:])  # "no smoking in any room" bans it in all
        is_bound = denies or any(t.word in word_list("en", "opens_any") for t in before)
        if is_bound or _before_of(slots, one, two):
            return one, two
    return None


def _all_for_each(a: SentenceRelations, slots: Sequence[Slot]) -> Sides | None:
    """Return the first "each" that stands for "all" behind a preposition in a sentence that measures something.

    "5 euros for each guest" is not "5 euros for all guests"; "each box weighs 5 kg" is "all boxes weigh 5 kg".
    """
    if not any(t.kind in MEASURED for t in a.contents):
        return None
    for one, two in ((one, two) for here, there in slots for one, two in zip(here, there, strict=False)):
        words = {one.word, two.word}
        if one.kind is FactKind.QUANTIFIER and "all" in words and words & _DISTRIBUTING and _is_led(a, one):
            return one, two
    return None


_DISTRIBUTING = frozenset(("each", "every"))


def _is_led(sentence: SentenceRelations, token: Token) -> bool:
    """Return whether a preposition stands right before a word."""
    before = next((t for t in reversed(sentence.tokens) if t.end <= token.start), None)
    return before is not None and before.word in word_classes("prepositions", "en")


def _before_of(slots: Sequence[Slot], one: Token, two: Token) -> bool:
    """Return whether "of" stands right behind the "any" among two words."""
    side, token = (0, one) if one.word in ANY else (1, two)
    gap = next(slot[side] for slot in slots if token in slot[side])
    behind = gap[gap.index(token) + 1 :]
    return bool(behind) and behind[0].word == "of"
