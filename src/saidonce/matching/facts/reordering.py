"""Which words may change places without changing what a sentence says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from saidonce.foundation.model import FactKind
from saidonce.matching.facts.analyse import Token
from saidonce.matching.facts.guards import STRONG
from saidonce.matching.facts.lexicon import is_past, past_forms, stem, symmetric, word_list
from saidonce.matching.facts.phrases import HANGS, SUBORDINATES, PhraseView, is_participle
from saidonce.matching.facts.roles import JOINS, LOOSE_JOINS

WIDER = 4
"""Words before and after a changed stretch of a list that may belong to its outer members."""

_MARKS = re.compile(r"[,;/|&\n]|\s-\s|[\u2013\u2014]")
_NO_ADVERBS = frozenset("apply supply reply comply imply multiply family assembly anomaly monopoly".split())
_ONE_SIDED = frozenset(("play",))
"""Of two teams "play" says the same, of an actor and a part it does not."""

_BE = frozenset("is are was were be been being".split())


def may_change_places(one: PhraseView, two: PhraseView, x: int, y: int) -> bool:
    """Return whether x before y in one sentence and y before x in the other say the same."""
    return (
        _are_neighbours(one, two, x, y)
        or _is_list(one, two, x, y)
        or _is_symmetric(one, two, x, y)
        or _is_apposition(one, two, x, y)
        or any(one.is_attribution(g) and two.is_attribution(g) for g in (x, y))
        or _is_fronted(one, two, x, y)
        or _is_fronted(two, one, y, x)
        or is_unnamed_passive(one, two, x, y)
        or is_unnamed_passive(two, one, y, x)
        or _is_adjunct(one, two, x, y)
    )


def keeps_its_claim(one: PhraseView, two: PhraseView, x: int, y: int) -> bool:
    """Return whether x before y in one sentence and y before x in the other say the same for a reason that seldom errs.

    Members of a list, a word and its attribute, who says so, and a subject with its participle.
    """
    return (
        (
            (_are_neighbours(one, two, x, y) or _is_list(one, two, x, y))
            and not (_has_steps(one, x, y) or _has_steps(two, y, x))
        )
        or any(one.is_attribution(g) and two.is_attribution(g) for g in (x, y))
        or _is_fronted(one, two, x, y)
        or _is_fronted(two, one, y, x)
    )


def _has_steps(view: PhraseView, x: int, y: int) -> bool:
    """Return whether what stands between two groups, or in them, is no mere list of things: steps, a chain, a ranking.

    A list behind a colon whose members no "and" joins may be in order.
    """
    lo, hi = view.places[x][0], view.places[y][1]
    text = view.text[view.tokens[lo].start : view.tokens[hi - 1].end]
    is_ranked = ":" in view.text[: view.tokens[lo].start] and not any(t.word in JOINS for t in view.tokens[lo:])
    return (
        is_ranked
        or bool(_CHAIN.search(text))
        or any(t.word in word_list("en", "bids") or _is_done(t) for t in view.tokens[lo:hi])
    )


def _is_done(token: Token) -> bool:
    return token.kind is None and token.content and token.word.endswith("ed") and len(token.word) > 4


_CHAIN = re.compile(r"[;/|\n>=]|\s-\s|[\u2013\u2014\u2192]")


def _are_neighbours(one: PhraseView, two: PhraseView, x: int, y: int) -> bool:
    """Return whether two groups are a word and its attribute: "financially stable", "stable financially".

    Examples: "May election", "election in May".

    No word that bears on what stands behind it, nor an owner: "almost paid all", "gave Ben Carla's key".
    """
    words = (*one.words(x), *one.words(y))
    if not (one.is_single(x) and one.is_single(y)) or any(t.word in word_list("en", "binds") for t in words):
        return False
    if any(_is_done_or_not(one.words(g)[-1], two.words(g)[-1]) for g in (x, y)):
        return False  # "the working day", "the day of work"
    if one.is_compound(x, y) and two.is_compound(y, x):
        return _is_adverb(one.words(x)) or _is_adverb(one.words(y))
    if one.is_compound(x, y) and two.is_linked(y, x):
        return one.head(y) == two.words(y)[-1].key and two.is_end(x) and not _is_handed(one, x, two.between(y, x)[0])
    if two.is_compound(y, x) and one.is_linked(x, y):
        return two.head(x) == one.words(x)[-1].key and one.is_end(y) and not _is_handed(two, y, one.between(x, y)[0])
    return False


def _is_done_or_not(one: Token, two: Token, *, besides_past: bool = False) -> bool:
    """Return whether one of two words of a stem says what is being done, and the other is a noun or another verb.

    Args:
        besides_past: whether a past is another verb, too: "that it is closed", "closing it".
    """
    doing = [t.word.endswith("ing") for t in (one, two)]
    return doing[0] is not doing[1] and (besides_past or not any(is_past(t.word) for t in (one, two)))


def _is_handed(view: PhraseView, owner: int, link: Sequence[Token]) -> bool:
    """Return whether an owner stands behind "to" or the like in the other sentence: "Ben's car", "the car to Ben"."""
    token = view.words(owner)[-1]
    is_owner = view.text[token.start : token.end].endswith(("'s", "\u2019s", "s'", "s\u2019"))
    return is_owner and any(t.word in ("to", "for", "with", "by") for t in link)


def _is_apposition(one: PhraseView, two: PhraseView, x: int, y: int) -> bool:
    """Return whether two groups are a name beside what it names, in either order.

    Examples: "the mayor, Anna Berg", "Anna Berg, the mayor".
    """
    if one.between(x, y)[0] or two.between(y, x)[0]:
        return False
    named = [all(t.kind is FactKind.NAME for t in one.words(g)) for g in (x, y)]
    return named[0] != named[1]


def _is_fronted(one: PhraseView, two: PhraseView, x: int, y: int) -> bool:
    """Return whether two groups are a subject and its participle: "The lot, sold in May", "Sold in May, the lot"."""
    if not is_participle(two.words(y)[0]) or any(t.content for t in two.tokens[: two.places[y][0]]):
        return False
    tokens, text = one.between(x, y)
    return "," in two.between(y, x)[1] and ("," in text or bool(tokens)) and all(t.word in _BE for t in tokens)


def is_unnamed_passive(one: PhraseView, two: PhraseView, x: int, y: int) -> bool:
    """Return whether the groups are an action on a thing without its agent.

    Examples: "the quota is set", "set the quota".

    The thing is whole: "waste oil is stored as the plan says" is not "waste is stored as the oil plan says".
    """
    if any(t.word == "by" for t in (*one.tokens, *two.tokens)) or not is_participle(one.words(y)[0]):
        return False
    if not one.is_start(x) or _is_done_or_not(one.words(y)[0], two.words(y)[0], besides_past=True):
        return False
    before, after = one.between(x, y)[0], two.between(y, x)[0]
    return bool(before) and before[-1].word in _BE and not any(t.content or t.word in HANGS for t in (*before, *after))


def _is_adjunct(one: PhraseView, two: PhraseView, x: int, y: int) -> bool:
    """Return whether one of two phrases may stand elsewhere.

    It hangs on the same preposition, or is a date or an adverb.
    """
    if any(_is_adverb(one.words(g)) and _touches(one, two, g) for g in (x, y)):
        return True
    hooks = [(one.governor(g), two.governor(g)) for g in (x, y)]
    dated = [all(t.kind is FactKind.DATE for t in one.words(g) if t.content) for g in (x, y)]
    if hooks[0] == hooks[1] and hooks[0][0] and dated[0] == dated[1]:
        return False
    if any(hook[0] != hook[1] and not is_date for hook, is_date in zip(hooks, dated, strict=True)):
        return False
    if hooks[0][0] == hooks[0][1] != "" and _is_led(one, two, x, y):
        return True
    if hooks[1][0] == hooks[1][1] != "" and _is_led(two, one, y, x):
        return True
    movable = [g for g, hook, is_date in zip((x, y), hooks, dated, strict=True) if is_date or hook[0]]
    return bool(movable) and all(_stays(one, two, g) for g in movable)


def _is_led(one: PhraseView, two: PhraseView, x: int, y: int) -> bool:
    """Return whether x opens one sentence in front of a comma and closes the other."""
    leads = not any(t.content for t in one.tokens[: one.places[x][0]])
    closes = not any(t.content for t in two.tokens[two.places[x][1] :])
    return leads and closes and "," in one.between(x, y)[1]


def _stays(one: PhraseView, two: PhraseView, x: int) -> bool:
    """Return whether a whole phrase stays with its clause, and "by" with its verb."""
    is_date = one.words(x)[-1].kind is FactKind.DATE
    if not is_date and not (one.is_end(x) and two.is_end(x)):
        return False
    if one.governor(x) == "by" and one.verb(x) != two.verb(x):
        return False
    here, there = one.clause(x), two.clause(x)
    return not here or not there or bool(here & there)


def _is_adverb(tokens: Sequence[Token]) -> bool:
    if len(tokens) != 1 or tokens[0].kind is not None or tokens[0].word in _NO_ADVERBS:
        return False
    return tokens[0].word.endswith("ly") and len(tokens[0].word) > 4


def _touches(one: PhraseView, two: PhraseView, x: int) -> bool:
    if one.is_at_edge(x) or two.is_at_edge(x):
        return True
    return bool(_near(one, x) & _near(two, x))


def _near(view: PhraseView, x: int) -> frozenset[str]:
    lo, hi = view.places[x]
    before = [t.key for t in view.tokens[:lo] if t.content][-2:]
    after = [t.key for t in view.tokens[hi:] if t.content][:2]
    return frozenset((*before, *after))


def _is_symmetric(one: PhraseView, two: PhraseView, x: int, y: int) -> bool:
    """Return whether they are two sides of a predicate such as "married" or "differ", or a side and the predicate."""
    between = (one.between(x, y)[0], two.between(y, x)[0])
    if any(all(_is_mutual(t) for t in one.words(g)) for g in (x, y)):
        return not any(t.content for tokens in between for t in tokens)
    return all(sum(t.content for t in tokens) <= 2 and any(map(_is_mutual, tokens)) for tokens in between)


def _is_mutual(token: Token) -> bool:
    """Return whether a word says the same of both its sides."""
    words = symmetric()
    return (
        token.word not in LOOSE_JOINS
        and token.key not in _ONE_SIDED
        and (token.key in words or stem(token.word) in words)
    )


def _is_list(one: PhraseView, two: PhraseView, x: int, y: int) -> bool:
    """Return whether members of an enumeration have changed places whole; two that stand side by side need no "and".

    None may where the sentence says that their order counts: "in that order", "respectively".
    """
    if _IN_ORDER.search(one.text) or _IN_ORDER.search(two.text):
        return False
    are_beside = _are_beside(one, x, y) and _are_beside(two, y, x)
    for bare, (first, last) in ((False, _closed(one, two, x, y)), (True, _whole(one, two, x, y))):
        if bare and any(t.word in HANGS or t.word == "of" for t in one.tokens[first[0] : first[1]]):
            continue
        for left in range(WIDER):
            for right in range(WIDER):
                sides = [_members(v, lo - left, hi + right) for v, (lo, hi) in ((one, first), (two, last))]
                is_same = len(sides[0]) > 1 and sides[0] == sides[1]
                if is_same and (are_beside or _is_enumerated(one, first[0] - left, first[1] + right)):
                    ends = (first[0] - left, first[1] + right), (last[0] - left, last[1] + right)
                    if not all(_is_one_list(view, *at) for view, at in zip((one, two), ends, strict=True)):
                        return False
                    return not _answers_to_another(one, x, y, first[0] - left, first[1] + right)
    return False


def _are_beside(view: PhraseView, x: int, y: int) -> bool:
    """Return whether two groups follow each other as attributes do: "a cold, wet day".

    Not so where a comma closes a phrase in front, or an article opens something new behind it: "for the owner, the
    agent pays".
    """
    tokens, text = view.between(x, y)
    if tokens:
        return False
    if "," not in text:
        return True
    before = view.text[: view.tokens[view.places[y][0]].start]
    opens = view.tokens[0].word.split()[0]
    closes_phrase = before.count(",") == 1 and (opens in HANGS or opens in _FRONTS)
    named = [any(t.kind is FactKind.NAME for t in view.words(g)) for g in (x, y)]
    if named[0] != named[1] and view.text[view.tokens[view.places[y][1] - 1].end :].startswith(","):
        return True  # "Ida Berg, the mayor, opened it"
    return not (closes_phrase or all(named) or _DETERMINED.search(text))


_FRONTS = frozenset("because instead apart except owing due thanks despite regardless contrary according".split())
_DETERMINED = re.compile(
    r"(?:^|[\s,])(?:the|an?|th[ie]s|that|those|his|her|its|their|our|your|my|each|every|all|some|any|no)\b",
    re.IGNORECASE,
)


def _is_one_list(view: PhraseView, lo: int, hi: int) -> bool:
    """Return whether a stretch that "and" joins is one list, and does not run from one clause or phrase into the next.

    "We pay the owner, and the agent pays" is two clauses, "a map of the city and a museum guide" two things, "for the
    owner and the agent, the tenant signs" a list with something behind it.
    """
    joins = [n for n in range(lo, hi) if view.tokens[n].word in JOINS]
    if not joins or joins[-1] + 1 >= hi:
        return True
    last = joins[-1]
    if any("," in view.text[view.tokens[n].end : view.tokens[n + 1].start] for n in range(last + 1, hi - 1)):
        return False
    after = view.tokens[hi] if hi < len(view.tokens) else None
    if after is None or view.text[view.tokens[hi - 1].end : after.start].strip():
        return True
    return not (after.content or _is_verb(after)) or _goes_on(view, lo, hi, last)


def _goes_on(view: PhraseView, lo: int, hi: int, last: int) -> bool:
    """Return whether the word right behind a list belongs to all its members.

    It may not where the last member is introduced anew, by an article or a name, or where a comma stands before "and".

    Args:
        last: place of the last "and" of the list.
    """
    is_new = bool(_DETERMINED.search(view.text[view.tokens[last].end : view.tokens[last + 1].start]))
    is_new = is_new or any(t.kind is FactKind.NAME for t in view.tokens[last + 1 : hi])
    is_verb = _is_verb(view.tokens[hi])
    start = _clause_start(view, lo)
    if not any(t.content for t in view.tokens[start:lo]):
        follows_verb = hi + 1 < len(view.tokens) and _is_verb(view.tokens[hi + 1])
        return is_verb or not (is_new and follows_verb)
    is_parted = "," in view.text[view.tokens[last - 1].end : view.tokens[last].start]
    if is_parted and len(_members(view, lo, hi)) == _PAIR:
        return False
    return not (is_new and not is_verb) and not (is_verb and _has_verb(view, start, lo))


def _is_verb(token: Token) -> bool:
    return token.word in word_list("en", "finite") or _acts(token)


_PAIR = 2


def _clause_start(view: PhraseView, lo: int) -> int:
    """Return the place of the first word of the clause in which a stretch begins."""
    return next((n + 1 for n in range(lo - 1, -1, -1) if view.tokens[n].word in _CLAUSES), 0)


_CLAUSES = SUBORDINATES | frozenset("that which who whom whose".split())


def _has_verb(view: PhraseView, start: int, lo: int) -> bool:
    """Return whether a verb stands before a stretch: one that is known, or what an article parts from the stretch."""
    if any(map(_is_verb, view.tokens[start:lo])):
        return True
    before = view.tokens[lo - 1]
    return before.content and bool(_DETERMINED.search(view.text[before.end : view.tokens[lo].start]))


def _acts(token: Token) -> bool:
    """Return whether a word has a form of a verb that is known, or the ending of a past."""
    if token.kind is not None or not token.content:
        return False
    return token.word in past_forms() or token.key in _deeds() or _is_done(token)


@cache
def _deeds() -> frozenset[str]:
    return frozenset(stem(word) for word in (*word_list("en", "bids"), *past_forms().values()))


def _answers_to_another(view: PhraseView, x: int, y: int, lo: int, hi: int) -> bool:
    """Return whether members that are names or values may belong each to one of another list.

    "Ann and Ben pay 5 and 10".
    """
    is_named = all(_names(t) for g in (x, y) for t in view.words(g))
    words = [t.word for t in view.tokens]
    outside = [n for n, word in enumerate(words) if word in JOINS and not lo - 1 <= n <= hi]
    outside = [n for n in outside if "between" not in words[max(0, n - 3) : n]]
    return is_named and any(
        0 < n < len(view.tokens) - 1 and _names(view.tokens[n - 1]) and _names(view.tokens[n + 1]) for n in outside
    )


def _names(token: Token) -> bool:
    """Return whether a word is a value or has the capital of a name, the first of a sentence among them."""
    return token.kind in STRONG or token.written[:1].isupper()


_IN_ORDER = re.compile(
    r"\b(?:respectively|in turn|one after the other"
    r"|in (?:exactly )?(?:that|this|the following|the given) (?:order|sequence))\b",
    re.IGNORECASE,
)


def _is_enumerated(view: PhraseView, lo: int, hi: int) -> bool:
    """Return whether members that commas separate are a list.

    "and" or "or" joins two, or a colon or a mark stands there.

    Without one, commas may part a sentence otherwise: "Ann, the owner, met Ben, the agent". Numbers that follow a
    bidding are steps: "press 3, 1 and 2".
    """
    tokens = view.tokens[lo:hi]
    bids = bool(view.tokens) and view.tokens[0].word in word_list("en", "bids")
    if bids and all(t.kind is FactKind.NUMBER for t in tokens if t.content):
        return False
    text = view.text[tokens[0].start : tokens[-1].end]
    is_led = view.text[: tokens[0].start].rstrip().endswith(":")
    joined = view.tokens[lo : hi + 1]
    return is_led or any(t.word in JOINS for t in joined) or bool(_LISTED.search(text))


_LISTED = re.compile(r"[;/|&\n]|\s-\s|[\u2013\u2014]")


def _whole(one: PhraseView, two: PhraseView, x: int, y: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the stretch of either sentence around two groups before and after which the groups are the same."""
    order = sorted(range(len(two.places)), key=lambda g: two.places[g])
    start = max(k for k in range(x + 1) if set(order[:k]) == set(range(k)))
    end = min(k for k in range(y + 1, len(order) + 1) if set(order[:k]) == set(range(k)))
    return (
        (one.places[start][0], one.places[end - 1][1]),
        (two.places[order[start]][0], two.places[order[end - 1]][1]),
    )


def _closed(one: PhraseView, two: PhraseView, x: int, y: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the least stretch of either sentence around two groups that holds the same groups as the other's."""
    inside = {x, y}
    while True:
        spans = [(min(v.places[g][0] for g in inside), max(v.places[g][1] for g in inside)) for v in (one, two)]
        wider = {
            g
            for v, (lo, hi) in zip((one, two), spans, strict=True)
            for g, (start, end) in enumerate(v.places)
            if lo <= start and end <= hi
        }
        if wider == inside:
            return spans[0], spans[1]
        inside = wider


def _separates(view: PhraseView, n: int) -> bool:
    """Return whether a list member ends at a token: punctuation follows, or a joining word stands here or next."""
    if view.tokens[n].word in JOINS:
        return True
    if n + 1 >= len(view.tokens) or view.tokens[n + 1].word in JOINS:
        return True
    return bool(_MARKS.search(view.text[view.tokens[n].end : view.tokens[n + 1].start]))


def _members(view: PhraseView, lo: int, hi: int) -> list[tuple[str, ...]]:
    """Return the members of the enumeration in a stretch, sorted; none if it runs over the sentence's end."""
    members: list[tuple[str, ...]] = []
    current: list[str] = []
    if lo < 0 or hi > len(view.tokens):
        return []
    for n in range(lo, hi):
        if view.tokens[n].word not in JOINS:
            current.append(view.tokens[n].key)
        if current and (n == hi - 1 or _separates(view, n)):
            members.append(tuple(current))
            current = []
    return sorted(members)
