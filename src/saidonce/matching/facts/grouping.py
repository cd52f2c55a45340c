"""How the members of lists belong together, which the words of a sentence do not say.

Where a comma stands in a list with "and" and "or", which member of one list goes with which of another, in which order
the members of a list stand where that is stated, how far a word before a list reaches, and what stands in brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, pairwise

from saidonce.foundation.model import Span
from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.analyse import Token
from saidonce.matching.facts.lexicon import language_table, lines
from saidonce.matching.facts.sentence_relations import (
    MEASURED,
    NAMING,
    Places,
    SentenceRelations,
    relations_of,
    span_of,
)

_OR = {
    "en": "or",
    "de": "oder",
    "fr": "ou",
    "es": "o u",
    "it": "o oppure",
    "pt": "ou",
    "nl": "of",
    "pl": "lub albo",
    "zh": "或",
}
_AND = {
    "en": "and &",
    "de": "und",
    "fr": "et",
    "es": "y e",
    "it": "e ed",
    "pt": "e",
    "nl": "en",
    "pl": "i oraz",
    "zh": "和 与 及",
}

_COMMAS = (",", ";", "\uff0c", "\u3001", "\uff1b")

LEAST_LISTED = 3
"""Members from which two lists of a sentence are read side by side whatever they name; with values, of two."""


def other_grouping(a: str, b: str, language: str) -> Places | None:
    """Return where "and" and "or" join other members in two sentences of the same words.

    A comma says so: "gloves and a mask, or a visor", "gloves, and a mask or a visor".
    """
    one, two = relations_of(a, language), relations_of(b, language)
    if one.content_keys != two.content_keys:
        return None
    here, there = list(_joints(a, one)), list(_joints(b, two))
    senses = [sense for sense, _, _ in here]
    if senses != [sense for sense, _, _ in there] or len(set(senses)) < 2:
        return None
    pairs = zip(here, there, strict=True)
    return next(((span_of(a, x), span_of(b, y)) for (_, comma, x), (_, other, y) in pairs if comma != other), None)


def _joints(text: str, sentence: SentenceRelations) -> Iterator[tuple[str, bool, Token]]:
    """Yield the sense of each "and" and "or", whether a comma stands before it, and the word."""
    for token in sentence.tokens:
        is_or = _is_listed(_OR, token, sentence.language)
        if is_or or _is_listed(_AND, token, sentence.language):
            yield "or" if is_or else "and", text[: token.start].rstrip().endswith(_COMMAS), token


def _is_listed(words: Mapping[str, str], token: Token, language: str) -> bool:
    return token.word in words.get(language, "").split()


def other_pairing(a: str, b: str, language: str) -> Places | None:
    """Return the first member of a list that goes with another one of a second list in two sentences of the same words.

    "Adults and children pay 10 and 5 euros", "children and adults pay 10 and 5 euros".
    """
    one, two = relations_of(a, language), relations_of(b, language)
    if one.content_keys == two.content_keys or one.sorted_content_keys != two.sorted_content_keys:
        return None
    if max(one.content_counts.values()) > 1:
        return None  # unknown which of two equal words has moved
    there = {key: n for n, key in enumerate(two.content_keys)}
    for x, y in combinations(_lists(a, one), 2):
        if len(x) != len(y) or (len(x) < LEAST_LISTED and not any(_is_measured(side) for side in (x, y))):
            continue
        orders = [_order_of(side, there) for side in (x, y)]
        if orders[0] != orders[1]:
            moved = x if orders[0] != sorted(orders[0]) else y
            return span_of(a, moved[0]), span_of(b, two.contents[there[moved[0].key]])
    return None


def _order_of(members: Sequence[Token], there: Mapping[str, int]) -> list[int]:
    """Return numbers of the members of a list in the order that they have in the other sentence."""
    return sorted(range(len(members)), key=lambda n: there[members[n].key])


def _is_measured(members: Sequence[Token]) -> bool:
    return all(t.kind in MEASURED for t in members)


_MOST_WORDS = 3
"""Words of one member of a list."""


def _lists(text: str, sentence: SentenceRelations) -> list[list[Token]]:
    """Return the lists that "and" closes: of each member the content word next to the mark behind it."""
    lists: list[list[Token]] = []
    tokens = list(sentence.tokens)
    for n, joint in enumerate(tokens):
        if not _is_listed(_AND, joint, sentence.language):
            continue
        last = next((t for t in tokens[n + 1 : n + 1 + _MOST_WORDS] if t.content), None)
        members = _before(text, tokens[:n])
        if last is not None and members:
            lists.append([*members, last])
    return lists


def _before(text: str, tokens: Sequence[Token]) -> list[Token]:
    """Return the members of a list before its "and", the first one first."""
    members: list[Token] = []
    n, words = len(tokens) - 1, 0
    while n >= 0 and words < _MOST_WORDS:
        token = tokens[n]
        if token.content and words == 0:
            members.insert(0, token)
        words += 1
        if n and "," in text[tokens[n - 1].end : token.start]:
            words = 0
        n -= 1
    return members


@cache
def _in_order(language: str) -> re.Pattern[str] | None:
    rows = list(lines(language_table(language).get("standing", {}).get("in_order", "")))
    return re.compile(rf"(?<!\w)(?:{'|'.join(rows)})(?!\w)", re.IGNORECASE) if rows else None


def other_sequence(a: str, b: str, language: str) -> Places | None:
    """Return the first words in another order where both sentences say that it counts: "from left to right"."""
    pattern = _in_order(language)
    hits = (pattern.search(a), pattern.search(b)) if pattern else (None, None)
    if not all(hits):
        return None
    here, there = (
        [t for t in relations_of(text, language).contents if hit and not hit.start() <= t.start < hit.end()]
        for text, hit in ((a, hits[0]), (b, hits[1]))
    )
    keys = [t.key for t in here], [t.key for t in there]
    if sorted(keys[0]) != sorted(keys[1]):
        return None
    return next(((span_of(a, x), span_of(b, y)) for x, y in zip(here, there, strict=True) if x.key != y.key), None)


_JOINT = re.compile(r"(?:, (?:and |or |& )?| (?:and|or|&) )")


def other_reach(a: str, b: str, language: str) -> Places | None:
    """Return the word before the first member of an English list that stands before a later one in the other sentence.

    "Old tables and chairs" may be all old, in "chairs and old tables" the chairs need not be.
    """
    if language != "en":
        return None
    for one, two, is_turned in ((a, b, False), (b, a, True)):
        first = _described(one, is_first=True)
        later = _described(two, is_first=False) if first else {}
        for phrase in (p for p in first if p in later):
            if not first[phrase][0].isdisjoint(later[phrase][0]):
                places = first[phrase][1], later[phrase][1]
                return places[::-1] if is_turned else places
    return None


@remembered(4_096)
def _described(text: str, *, is_first: bool) -> dict[tuple[str, str], tuple[frozenset[str], Span]]:
    """Return each member of a list that a word describes -> the single words listed behind it, or before it.

    Args:
        is_first: whether the members behind it are wanted; else those before it.
    """
    tokens = relations_of(text, "en").contents
    members = {}
    for n, (word, noun) in enumerate(pairwise(tokens)):
        if word.kind not in NAMING or noun.kind is not None or text[word.end : noun.start] != " ":
            continue
        others = _chain(text, tokens[n + 1 :]) if is_first else _chain(text, tokens[n::-1])
        if others:
            members[word.key, noun.key] = frozenset(others), Span(word.start, noun.end, text[word.start : noun.end])
    return members


def _chain(text: str, tokens: Sequence[Token]) -> list[str]:
    """Return keys of the words that follow the first of some words, each behind "and" or a comma, in either way."""
    chain = []
    for x, y in pairwise(tokens):
        if not _JOINT.fullmatch(text[min(x.end, y.end) : max(x.start, y.start)]):
            break
        chain.append(y.key)
    return chain


_BRACKETS = re.compile(r"\(([^()\n]{1,200})\)")


def other_brackets(a: str, b: str, language: str) -> Places | None:
    """Return what stands in brackets in one sentence where other words of the same do in the other."""
    if "(" not in a or "(" not in b:
        return None
    one, two = relations_of(a, language), relations_of(b, language)
    here, there = list(_BRACKETS.finditer(a)), list(_BRACKETS.finditer(b))
    if one.content_keys != two.content_keys or len(here) != len(there):
        return None
    for x, y in zip(here, there, strict=True):
        if _within(one, x) != _within(two, y):
            return Span.of(x), Span.of(y)
    return None


def _within(sentence: SentenceRelations, hit: re.Match[str]) -> list[int]:
    return [n for n, t in enumerate(sentence.contents) if hit.start() <= t.start < hit.end()]


RULES = (other_grouping, other_pairing, other_sequence, other_reach, other_brackets)
"""What is looked for in two aligned sentences, in this order."""
