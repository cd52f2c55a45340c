"""Words that have certainly exchanged their roles between two English sentences, whichever words stand around them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations

from saidonce.foundation.model import UNKNOWN_LANGUAGE, FactKind, Objection, Span
from saidonce.matching.facts.analyse import Token
from saidonce.matching.facts.guards import STRONG, span
from saidonce.matching.facts.layout import (
    HAS,
    Hanging,
    Layout,
    Sentence,
    answering,
    layout,
    names_time,
    reworded_sentences,
)
from saidonce.matching.facts.lexicon import stem, symmetric
from saidonce.matching.facts.phrases import SAYS

_TURNING = {"into": "to", "onto": "to", "to": "to", "from": "from", "for": "for", "with": "with", "against": "against"}
_REACHED = frozenset("to on at with over after".split())
"""Prepositions by which a verb does something to somebody: "keep an eye on", "lend to"."""

_CONVERSE = frozenset(
    stem(w) for w in "belong go fall apply occur happen appeal come rest lie pass flock listen respond".split()
)
"""Verbs of which what they do something to can be the subject of another verb: "it belongs to us", "we own it"."""


def exchanged_words(a: str, b: str, language: str = UNKNOWN_LANGUAGE) -> tuple[Objection, ...]:
    """Object to the first two words of an English sentence that have certainly exchanged their roles in the other."""
    if a > b:
        return tuple(o.mirrored for o in exchanged_words(b, a, language))
    for change in reworded_sentences(a, b, language):
        if sides := exchanged_roles(change.a.text, change.b.text):
            return (Objection(FactKind.ROLE, sides[0].moved(change.a.start), sides[1].moved(change.b.start)),)
    return ()


def exchanged_roles(a: str, b: str) -> tuple[Span, Span] | None:
    """Return where two words of either English sentence stand that have certainly exchanged their roles."""
    laid = layout(a, b)
    if laid is None:
        return None
    pair = exchanged(laid)
    if pair is None:
        return None
    sides = ([t for g in pair for t in view.words(g)] for view in (laid.one, laid.two))
    one, two = (span(text, tokens, 0) for text, tokens in zip((a, b), sides, strict=True))
    return one, two


def exchanged(laid: Layout) -> tuple[int, int] | None:
    """Return two groups of which each has the place in one sentence that the other has in the other sentence."""
    for find in (_by_place, _by_voice, _by_preposition, _by_clause, _by_effect, _by_report, _by_place_of):
        if pair := find(laid):
            return pair
    return None


def _by_place(laid: Layout) -> tuple[int, int] | None:
    """Return what does something and what it is done to, in each other's place: "Ann called Ben", "Ben phoned Ann"."""
    one, two = laid.one, laid.two
    if one.passive or two.passive or any(t.key in symmetric() for t in (*one.tokens, *two.tokens)):
        return None
    for x, y in laid.turned:
        if not (one.is_subject(x) and two.is_subject(y)):
            continue
        hooks = one.complement(y, x), two.complement(x, y)
        if hooks[0] == hooks[1] is not None or (_is_deed(hooks) and not _is_converse(laid, x, y, hooks)):
            return x, y
    return None


def _is_deed(hooks: tuple[str | None, str | None]) -> bool:
    return "" in hooks and any(hook in _REACHED for hook in hooks)


def _is_converse(laid: Layout, x: int, y: int, hooks: tuple[str | None, str | None]) -> bool:
    """Return whether the verb before the one that hangs on a preposition is one like "belong to"."""
    view, first, last = (laid.two, y, x) if hooks[0] == "" else (laid.one, x, y)
    return any(t.content and stem(t.word) in _CONVERSE for t in view.between(first, last)[0])


def _by_voice(laid: Layout) -> tuple[int, int] | None:
    """Return subject and object of an active that a passive, or a noun for the deed, has as patient and agent.

    "Ann checks Ben", "Ann is checked by Ben", "checking of Ann by Ben".
    """
    for one, two in ((laid.one, laid.two), (laid.two, laid.one)):
        if not any(t.word == "by" for t in one.tokens) or any(t.word == "by" for t in two.tokens):
            continue
        for patient, agent in _done_by(one):
            is_same_way = two.places[patient] < two.places[agent] and two.is_subject(patient)
            if is_same_way and two.complement(agent, patient) == "" and not _is_measure(one.words(agent)):
                return patient, agent
    return None


def _done_by(view: Sentence) -> Iterator[tuple[int, int]]:
    """Yield whom something is done to, and by whom."""
    if view.passive is not None:
        yield view.passive
    groups = range(len(view.places))
    for agent in (g for g in groups if view.is_led_by(g, "by")):
        before = [g for g in groups if view.places[g] < view.places[agent] and view.is_led_by(g, "of")]
        yield from ((g, agent) for g in before)


def _is_measure(tokens: Sequence[Token]) -> bool:
    return all(t.kind in STRONG or names_time(t) for t in tokens)


def _by_preposition(laid: Layout) -> tuple[int, int] | None:
    """Return two groups that have exchanged "from" and "to" or the like."""
    hooks = [[_TURNING.get(view.governor(g), "") for g in range(len(view.places))] for view in (laid.one, laid.two)]
    for x, y in combinations(range(len(laid.one.places)), 2):
        here, there = (side[x] for side in hooks), (side[y] for side in hooks)
        (x_a, x_b), (y_a, y_b) = here, there
        if x_a and y_a and x_a != y_a and (x_a, y_a) == (y_b, x_b):
            return x, y
    return None


def _by_clause(laid: Layout) -> tuple[int, int] | None:
    """Return the first groups behind two words of one sense that are clauses in each other's place.

    "A because B" and "B because A".
    """
    for h, k in answering(laid):
        if h.senses != k.senses and "after" not in h.senses & k.senses:
            continue  # "if" and "when" may be two conditions
        x, y = _first_in(laid.one, h), _first_in(laid.two, k)
        if x is None or y is None or x == y:
            continue
        if not (k.holds(laid.two.words(x)) or h.holds(laid.one.words(y))) and _stand_apart(laid, x, y):
            return x, y
    return None


def _first_in(view: Sentence, hanging: Hanging) -> int | None:
    inside = [g for g in range(len(view.places)) if view.words(g)[0].start >= hanging.start]
    first = min(inside, key=lambda g: view.places[g], default=None)
    return None if first is None or hanging.holds(view.words(first)) is False else first


def _stand_apart(laid: Layout, x: int, y: int) -> bool:
    """Return whether neither of two groups belongs to the other's compound, or is what the other is of."""
    first, last = (x, y) if laid.one.places[x] < laid.one.places[y] else (y, x)
    return not (laid.one.is_compound(first, last) or laid.one.is_led_by(last, "of"))


_EFFECTS = re.compile(
    r"\b(?:lead|leads|led) to\b|\bresult(?:s|ed)? in\b|\b(?:brings?|brought) about\b"
    r"|(?<!be )(?<!is )(?<!are )(?<!was )(?<!were )(?<!been )\b(?:cause[sd]?|trigger(?:s|ed)?)\b(?! by)",
    re.IGNORECASE,
)
"""Verbs between a cause and its effect."""


def _by_effect(laid: Layout) -> tuple[int, int] | None:
    """Return a cause and its effect that are effect and cause in the other: "A leads to B", "A because of B"."""
    for one, two in ((laid.one, laid.two), (laid.two, laid.one)):
        verbs = list(_EFFECTS.finditer(one.text))
        causes = [h for h in two.hanging if "cause" in h.senses]
        if len(verbs) != 1 or len(causes) != 1 or any("cause" in h.senses for h in one.hanging):
            continue
        effect = _first_in(two, causes[0])
        before = [g for g in range(len(one.places)) if one.words(g)[-1].end <= verbs[0].start()]
        cause = next((g for g in before if causes[0].holds(two.words(g)) is False), None)
        if effect is not None and cause is not None and one.words(effect)[0].start >= verbs[0].end():
            return cause, effect
    return None


def _by_place_of(laid: Layout) -> tuple[int, int] | None:
    """Return what has something, and what it has, if the other sentence has the first in the second: "there is"."""
    for one, two in ((laid.one, laid.two), (laid.two, laid.one)):
        if [t.word for t in two.tokens[:2]] not in (["there", "is"], ["there", "are"]):
            continue
        for x, y in permutations(range(len(one.places)), 2):
            has = one.is_subject(x) and any(t.word in HAS for t in one.tokens[one.places[x][1] : one.places[y][0]])
            if has and two.places[x] < two.places[y] and two.opens(x) and two.governor(y) == "in":
                return x, y
    return None


def _by_report(laid: Layout) -> tuple[int, int] | None:
    """Return when something is said, and another group, if the other sentence has it as the time of what is said.

    "On Monday he said that it closed", "he said that it closed on Monday".
    """
    for one, two in ((laid.one, laid.two), (laid.two, laid.one)):
        says, opens = _report(one), _that(two)
        if says is None or opens is None:
            continue
        for g in range(len(one.places)):
            hook = one.hook(g)
            is_moved = one.opens(g) and one.words(g)[0].start < says and two.words(g)[0].start > opens
            if is_moved and hook is not None and hook == two.hook(g):
                return g, next(h for h in range(len(one.places)) if h != g)
    return None


def _report(view: Sentence) -> int | None:
    """Return where the first verb of saying stands that something follows."""
    at = next((t.start for t in view.tokens if t.key in SAYS), None)
    return at if at is not None and any(t.content and t.start > at for t in view.tokens) else None


def _that(view: Sentence) -> int | None:
    """Return where "that" stands behind a verb of saying."""
    says = _report(view)
    return None if says is None else next((t.start for t in view.tokens if t.word == "that" and t.start > says), None)
