"""English sentences of which one says in the passive, or in a participle, what the other says of a doer and a thing."""

from __future__ import annotations

import re
from collections.abc import Sequence

from saidonce.matching.facts.analyse import Token
from saidonce.matching.facts.guards import VALUES
from saidonce.matching.facts.lexicon import past_forms, stem
from saidonce.matching.facts.settled.sight import Sight

REACH = 8
"""Words before a participle, and behind "by", that may be of the thing and of its doer."""

_BE = frozenset("is are was were be been being".split())
_PARTICIPLE = ("ed", "en", "wn", "rn", "ld", "ght", "pt", "nt", "ut", "et", "ne", "de")
_HELPS = frozenset("must has have had to will shall can may not also then always never".split())
_CLOSES = frozenset("that which who whom if when because while".split())


def is_passive_of(sight: Sight) -> bool:
    """Return whether one sentence is the passive of the other, and what an objection quotes belongs to that.

    "The tenant repairs the gate", "the gate is repaired by the tenant": what stands before the passive verb stands
    behind the active one, and who stands behind "by" stands before it.
    """
    one, two = sight.tokens
    return _turns(one, two, sight) or _turns(two, one, sight.mirrored)


def _turns(active: Sequence[Token], passive: Sequence[Token], sight: Sight) -> bool:
    """Return whether the second of two sentences is the passive of the first."""
    for n, verb in enumerate(passive):
        if not (n and _is_participle(verb, passive[:n], sight.two.text)):
            continue
        at = [m for m, t in enumerate(active) if _is_deed(t, verb)]
        if len(at) != 1 or _is_participle(active[at[0]], active[: at[0]], sight.one.text):
            continue
        if any(_is_deed(t, verb) for t in passive[n + 1 :]):
            continue
        thing = _thing(passive[:n])
        doer = _doer(passive[n + 1 :])
        before, behind = _around(active, at[0], sight.one.text)
        if thing and thing <= behind and not thing & before and doer <= before and not doer & behind:
            return _quotes(sight, thing | doer, verb)
    return False


def _around(tokens: Sequence[Token], at: int, text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words before and behind a verb that no mark parts from it."""
    sides: list[frozenset[str]] = []
    for near in (list(reversed(tokens[:at])), tokens[at + 1 :]):
        words: list[str] = []
        last = tokens[at]
        for token in near:
            first, second = sorted((last, token))
            if any(mark in text[first.end : second.start] for mark in ",;:."):
                break
            words += [stem(token.word)] if token.content else []
            last = token
        sides.append(frozenset(words))
    return sides[0], sides[1]


def _is_participle(verb: Token, before: Sequence[Token], text: str) -> bool:
    """Return whether a word is a participle behind a form of "be", or behind a colon."""
    if not (verb.content or verb.kind is None) or not (verb.word.endswith(_PARTICIPLE) or verb.word in past_forms()):
        return False
    helping = next((t for t in reversed(before) if not t.word.endswith("ly")), None)
    if helping is None:
        return False
    return helping.key == "be" or helping.word.split()[-1] in _BE or ":" in text[helping.end - 1 : verb.start]


def _is_deed(word: Token, verb: Token) -> bool:
    return (
        stem(word.word) == stem(verb.word)
        or past_forms().get(verb.word) == word.word
        or (word.word in past_forms() and past_forms().get(word.word) == past_forms().get(verb.word))
    )


def _thing(before: Sequence[Token]) -> frozenset[str]:
    """Return the words of what something is done to: those in front of the helping verbs, up to a word of grammar."""
    words: list[str] = []
    for token in reversed(before):
        if token.content:
            words.append(stem(token.word))
        elif token.word in _CLOSES:
            words.clear()  # "the rust that the rain has caused": the thing stands in front
        if len(words) > REACH:
            break
    return frozenset(words)


def _doer(behind: Sequence[Token]) -> frozenset[str]:
    """Return the words of who does something; empty without "by"."""
    by = next((n for n, t in enumerate(behind[:REACH]) if t.word == "by"), None)
    if by is None:
        return frozenset()
    words: list[str] = []
    for token in behind[by + 1 : by + 1 + REACH]:
        if not token.content and words:
            break
        words += [stem(token.word)] if token.content else []
    return frozenset(words)


def _quotes(sight: Sight, words: frozenset[str], verb: Token) -> bool:
    """Return whether an objection quotes the passive verb, and begins with what belongs to it."""
    quoted = [
        [t for t in tokens if t.content and at.start <= t.start and t.end <= at.end]
        for tokens, at in zip(sight.tokens, sight.at, strict=True)
    ]
    return all(any(_is_deed(t, verb) or stem(t.word) in words for t in side) for side in quoted) and any(
        _is_deed(t, verb) for t in quoted[1]
    )


def has_one_owner(sight: Sight) -> bool:
    """Return whether "the owner's consent" stands for "consent from the owner", or of them."""
    return _is_owned(sight) or _is_owned(sight.mirrored)


def _is_owned(sight: Sight) -> bool:
    owned, linked = (at.text for at in sight.at)
    one, two = _OWNED.fullmatch(owned.strip()), _LINKED.fullmatch(linked.strip())
    return one is not None and two is not None and (one["owner"], one["thing"]) == (two["owner"], two["thing"])


_OWNED = re.compile(r"(?P<owner>[\w-]+)(?:'s?|\u2019s?)(?: \w+)? (?P<thing>\w+)")
_LINKED = re.compile(r"(?P<thing>\w+)(?: in \w+)? (?:of|from|by) (?:the |an? )?(?P<owner>[\w-]+)")


def is_measured(sight: Sight) -> bool:
    """Return whether two short stretches name how much of a thing, and what is done to it: "chop two"."""
    sides = [
        [t for t in tokens if t.content and at.start <= t.start and t.end <= at.end]
        for tokens, at in zip(sight.tokens, sight.at, strict=True)
    ]
    one, two = (sorted(t.key if t.kind in VALUES else stem(t.word) for t in side) for side in sides)
    if one != two or not 2 <= len(one) <= MOST_MEASURED or sum(t.kind in VALUES for t in sides[0]) != 1:
        return False
    done = [t for side in sides for t in side if t.kind is None and t.word.endswith("ed")]
    return bool(done) and not any(t.word in _LINKS for t in sight.quoted)


MOST_MEASURED = 3
_LINKS = frozenset("to from by with for in on at than".split())
