"""Words that two English sentences have in another order, and the reasons for which they may have moved.

A reason says that the roles may be the same, not that they are: a judge has to confirm it.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from saidonce.foundation.model import UNKNOWN_LANGUAGE, Objection
from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.accounting import changed_grammar
from saidonce.matching.facts.causes import denied_cause
from saidonce.matching.facts.exchanged import exchanged
from saidonce.matching.facts.guards import STRONG
from saidonce.matching.facts.layout import HAS, MARK, Layout, Sentence, answering, layout, reworded_sentences
from saidonce.matching.facts.phrases import HANGS, SAYS, SUBORDINATES
from saidonce.matching.facts.reordering import is_unnamed_passive, keeps_its_claim
from saidonce.matching.facts.result import Change
from saidonce.matching.facts.word_order import first_moved

_LINKS = frozenset("of for about in on that which who with from by".split())
_BE = frozenset("is are was were be been being has have had".split())
_CLAUSES = frozenset("that who which whom whose".split())


MOST_OWN = 1
"""Content words of its own that a sentence has beside those of "there is"; with more, its grammar has to be equal."""


@remembered(4_096)
def moves_for_reasons(a: str, b: str, language: str = UNKNOWN_LANGUAGE) -> bool:
    """Return whether in all English sentences of two texts the words that have moved have a reason to."""
    changes = reworded_sentences(min(a, b), max(a, b), language)
    moved = [c for c in changes if not _stays(c)]
    return bool(moved) and all(is_move_explained(c.a.text, c.b.text) for c in moved)


def shows_the_reason(objection: Objection, a: str, b: str, language: str = UNKNOWN_LANGUAGE) -> bool:
    """Return whether the small words that an objection quotes are those that show why words have moved.

    "Because" and "as" before the clause that has moved, "has" and "there is". Nothing else of the grammar may differ.
    """
    for change in reworded_sentences(a, b, language):
        one, two = (at.start - side.start for at, side in ((objection.a, change.a), (objection.b, change.b)))
        laid = layout(change.a.text, change.b.text)
        if laid is None or not (0 <= one < len(change.a.text) and 0 <= two < len(change.b.text)):
            continue
        if is_move_explained(change.a.text, change.b.text):
            return _hang_alike(laid, one, two) or _tell_what_is_there(laid, one, two)
    return False


def _hang_alike(laid: Layout, one: int, two: int) -> bool:
    """Return whether words at two places are those by which a clause hangs on the rest, and they alone differ."""
    for h, k in answering(laid):
        if h.at <= one < h.start and k.at <= two < k.start:
            word = laid.one.text[h.at : h.start]
            alike = f"{laid.two.text[: k.at]}{word}{laid.two.text[k.start :]}"
            return not any(o.a.text and o.b.text for o in changed_grammar(laid.one.text, alike, "en"))
    return False


def _tell_what_is_there(laid: Layout, one: int, two: int) -> bool:
    """Return whether words at two places are the "has" and the "is" of two ways to say no more than what there is."""
    views = (laid.one, laid.two)
    words = [
        next((t.word for t in view.tokens if t.start == at), "") for view, at in zip(views, (one, two), strict=True)
    ]
    is_there = any(_is_there(laid, x, y) or _is_there(laid.mirrored, y, x) for x, y in laid.turned)
    if not is_there or not any(word in HAS for word in words) or not any(word in ("is", "are") for word in words):
        return False
    shared = sum(t.content for g in range(len(laid.one.places)) for t in laid.one.words(g))
    return all(sum(t.content for t in view.tokens) - shared <= MOST_OWN for view in views)


def _stays(change: Change) -> bool:
    """Return whether all words that two sentences share stand in one order."""
    laid = layout(change.a.text, change.b.text)
    return laid is not None and not laid.turned and first_moved(change.a, change.b, "en") is None


def is_move_explained(a: str, b: str) -> bool:
    """Return whether for all words that two English sentences have in another order a reason to have moved is shown.

    A clause that stands behind the other, a phrase in front, a passive, "A of B" for "B A", "there is". A reason says
    that the roles may be the same, not that they are.
    """
    laid = layout(a, b)
    if laid is None or not laid.turned or denied_cause(a, b, "en") or exchanged(laid):
        return False
    if _counts_another(laid) or _is_regrouped(laid):
        return False
    return all(
        keeps_its_claim(laid.one, laid.two, x, y) or any(reason(laid, x, y) for reason in _REASONS)
        for x, y in laid.turned
    )


def _is_regrouped(laid: Layout) -> bool:
    """Return whether one compound is parted by a preposition and another is made: "guide for dog owners"."""
    one, two = laid.one, laid.two
    order = pairwise(range(len(one.places)))
    beside = [(one.is_compound(x, y), two.is_compound(x, y)) for x, y in order if two.places[x] < two.places[y]]
    return (True, False) in beside and (False, True) in beside


def _counts_another(laid: Layout) -> bool:
    """Return whether a value stands before another word than in the other sentence, which has both words."""
    one, two = ({n: g for g, place in enumerate(view.places) for n in range(*place)} for view in (laid.one, laid.two))
    behind = [_behind_values(view, groups) for view, groups in ((laid.one, one), (laid.two, two))]
    return any(behind[1].get(value, group) != group for value, group in behind[0].items())


def _behind_values(view: Sentence, groups: dict[int, int]) -> dict[str, int]:
    """Return key of each value -> the group to which the next content word belongs, if it belongs to any."""
    contents = [n for n, t in enumerate(view.tokens) if t.content or t.kind in STRONG]
    pairs = pairwise(contents)
    return {view.tokens[n].key: groups[m] for n, m in pairs if view.tokens[n].kind in STRONG and m in groups}


def _either_way(reason: Callable[[Layout, int, int], bool]) -> Callable[[Layout, int, int], bool]:
    """Return a reason that is looked for in both orders of the two sentences."""
    return lambda laid, x, y: reason(laid, x, y) or reason(laid.mirrored, y, x)


def _changes_clause(laid: Layout, x: int, y: int) -> bool:
    """Return whether one of two groups stands in a clause that hangs on the other's by words of one sense."""
    for h, k in answering(laid):
        places = [[hung.holds(view.words(g)) for g in (x, y)] for hung, view in ((h, laid.one), (k, laid.two))]
        if places[0] == places[1] and set(places[0]) == {True, False}:
            return True
    return False


def _leads(laid: Layout, x: int, y: int) -> bool:
    """Return whether a phrase that x stands in opens the one sentence and closes a clause of the other."""
    one, two = laid.one, laid.two
    if _has_clauses(one) or _has_clauses(two):
        return False  # it might belong to another
    hook = one.hook(x), two.hook(x)
    return hook[0] is not None and hook[0] == hook[1] and one.opens(x) and _closes(two, x) and y != x


def _has_clauses(view: Sentence) -> bool:
    """Return whether a clause stands within a sentence that has a comma at most behind its first phrase."""
    return any(t.word in _CLAUSES or t.word in SUBORDINATES or t.key in SAYS for t in view.tokens[1:])


def _closes(view: Sentence, group: int) -> bool:
    """Return whether a mark, the end of the sentence or another phrase follows a group."""
    at = view.places[group][1]
    if at == len(view.tokens):
        return True
    return "," in view.text[view.tokens[at - 1].end : view.tokens[at].start] or view.tokens[at].word in HANGS


def _is_by(laid: Layout, x: int, y: int) -> bool:
    """Return whether x is the subject of the one sentence and stands behind "by" in the other."""
    one, two = laid.one, laid.two
    if not (one.is_subject(x) and two.is_led_by(x, "by")) or any(t.word == "by" for t in one.tokens):
        return False
    return not one.governor(y) or one.governor(y) == two.governor(y)


def _is_named_together(laid: Layout, x: int, y: int) -> bool:
    """Return whether x and y are one compound in the one sentence and hang together in the other: "A of B", "B A"."""
    one, two = laid.one, laid.two
    if not (one.is_compound(x, y) and one.is_end(y) and not one.has_object(y) and all(map(one.is_single, (x, y)))):
        return False
    if _qualifies(two, one, x):
        return False
    tokens, text = two.between(y, x)
    return bool(tokens) and all(t.word in _LINKS or t.word in _BE for t in tokens) and not MARK.search(text)


def _qualifies(view: Sentence, other: Sentence, group: int) -> bool:
    """Return whether a group is part of a compound with one before which it does not stand in the other sentence."""
    behind = next((g for g, (lo, _) in enumerate(view.places) if lo == view.places[group][1]), None)
    if behind is None or view.is_end(group):
        return False
    return other.places[group][1] != other.places[behind][0]


def _is_there(laid: Layout, x: int, y: int) -> bool:
    """Return whether x has y in the one sentence, and in the other there is y in x."""
    one, two = laid.one, laid.two
    has = one.is_subject(x) and any(t.word in HAS for t in one.between(x, y)[0])
    there = [t.word for t in two.tokens[:2]] in (["there", "is"], ["there", "are"])
    return has and there and two.governor(x) in ("in", "at", "on", "with")


def _is_set(laid: Layout, x: int, y: int) -> bool:
    return is_unnamed_passive(laid.one, laid.two, x, y)


_REASONS = tuple(map(_either_way, (_changes_clause, _leads, _is_by, _is_named_together, _is_there, _is_set)))
