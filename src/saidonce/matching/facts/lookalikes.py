"""English sentences that look like harmless re-wordings of each other, and name another person, doer or time.

"The criticism of the minister" is made of him, "the minister's criticism" by him; "the author's translator" is not "the
translator's author"; "as a doctor, he examined the man" does not say that the man is one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from saidonce.foundation.model import FactKind, Span
from saidonce.matching.facts.analyse import Token
from saidonce.matching.facts.lexicon import is_past, word_list
from saidonce.matching.facts.sentence_relations import Places, relations_of

_Pattern = re.Pattern[str]


def names_another(a: str, b: str, language: str) -> Places | None:
    """Return who or what is named by "of" or "on" in one English sentence, and by its place or "'s" in the other.

    "The report on the committee", "the committee report"; "the teacher of the girl", "the girl teacher".
    """
    if language != "en":
        return None
    for one, two, is_turned in ((a, b, False), (b, a, True)):
        for hit in (hit for linked in _LINKED for hit in linked.finditer(one)):
            other = next((m for at in _turned_by(hit) if (m := at.search(two))), None)
            if other is not None:
                return (Span.of(other), Span.of(hit)) if is_turned else (Span.of(hit), Span.of(other))
    return None


_LINKED = tuple(
    re.compile(
        rf"\b(?P<what>[a-z][\w-]+) (?P<link>of|on) (?:the|an?) "
        rf"(?P<who>(?:[a-z][\w-]+ ){{{n}}}[a-z][\w-]+)(?!['\u2019]s)\b",
        re.IGNORECASE,
    )
    for n in range(3)
)
"""Who is named in one, two or three words: "the prime minister"."""


def _turned_by(hit: re.Match[str]) -> list[_Pattern]:
    """Return how the other sentence would say another thing with the same two words."""
    what, who = hit["what"].casefold(), hit["who"].casefold()
    last = who.rpartition(" ")[2]
    is_person, is_body = _is_person(last), last in word_list("en", "bodies")
    owned = rf"\b{re.escape(who)}(?:['\u2019]s|(?<=s)['\u2019]) {re.escape(what)}\b"
    beside = rf"\b{re.escape(who)} {re.escape(what)}\b"
    patterns = []
    if hit["link"] == "of":
        is_befallen = (is_person or is_body) and what in word_list("en", "befalls")
        is_befallen = is_befallen or (is_body and what in word_list("en", "befalls_bodies"))
        patterns += [owned] if is_befallen else []
        patterns += [beside] if is_person and _is_person(what) else []
    elif (is_person or is_body) and what in word_list("en", "concerns"):
        is_aimed_at = what in word_list("en", "raids") and last not in word_list("en", "raiders")
        patterns += [owned] if is_aimed_at else [owned, beside]  # "the bank raid" is one on the bank
    return [_compiled(pattern) for pattern in patterns]


@lru_cache(maxsize=1_024)
def _compiled(pattern: str) -> _Pattern:
    return re.compile(pattern, re.IGNORECASE)


def _is_person(word: str) -> bool:
    return not word_list("en", "people").isdisjoint((word, word.removesuffix("s"), word.removesuffix("es")))


_OWNER = re.compile(r"\b(?P<who>[a-z][\w-]+)(?:['\u2019]s|(?<=s)['\u2019]) (?P<what>[a-z][\w-]+)\b", re.IGNORECASE)


def is_owned_by_it(a: str, b: str, language: str) -> Places | None:
    """Return an owner and what is theirs of one English sentence that are each other's in the second.

    "The author's translator", "the translator's author".
    """
    if language != "en":
        return None
    here, there = ({(m["who"].lower(), m["what"].lower()): m for m in _OWNER.finditer(text)} for text in (a, b))
    turned = (key for key in here if key[::-1] in there and key not in there)
    return next(((Span.of(here[key]), Span.of(there[key[::-1]])) for key in turned), None)


_AS_SOMEBODY = re.compile(r"As (?P<who>an? (?P<noun>[a-z]+)), \w")


def is_somebody(a: str, b: str, language: str) -> Places | None:
    """Return who somebody is in front of one English sentence, where it closes the other and may be of another.

    "As a doctor, he examined the man", "he examined the man as a doctor"; "as a precaution" may stand in either place,
    and so may "as a guest" in a sentence of one person.
    """
    if language != "en":
        return None
    for one, two, is_turned in ((a, b, False), (b, a, True)):
        hit = _AS_SOMEBODY.match(one)
        last = re.search(rf"(?<=\w )as {hit['who']}[.!]?$", two) if hit and _is_person(hit["noun"]) else None
        if hit and last and _n_people(two[: last.start()]) > 1:
            places = Span(hit.start(), hit.end("who"), f"As {hit['who']}"), Span.of(last)
            return places[::-1] if is_turned else places
    return None


def _n_people(text: str) -> int:
    """Count who a sentence has by a name, by a word for a person, or by a pronoun."""
    words: list[str] = re.findall(r"[\w-]+", text)
    is_named = bool(words) and not _is_one(words[0]) and words[0].lower() not in _NO_NAMES
    return is_named + sum(_is_one(word) or (n > 0 and word[0].isupper()) for n, word in enumerate(words))


def _is_one(word: str) -> bool:
    return word.lower() in _PERSONS or _is_person(word.lower())


_NO_NAMES = frozenset(
    "the a an all any each every both this that these those no some my our your his her their its".split()
)
_PERSONS = frozenset("i you he she we they him her them me us people somebody someone everybody everyone".split())


def was_another_time(a: str, b: str, language: str) -> Places | None:
    """Return the only date of two English sentences of the same words that stands in another clause of the second.

    "Builders who came in May found that it was cracked", "who came found that it was cracked in May". What opens a
    sentence is looked at elsewhere.
    """
    if language != "en":
        return None
    one, two = relations_of(a, language), relations_of(b, language)
    if one.sorted_content_keys != two.sorted_content_keys or _n_inner(one.tokens) != _n_inner(two.tokens):
        return None  # "that" may be left out
    here, there = _inside(one.tokens, a), _inside(two.tokens, b)
    if here is None or there is None or here[0] == there[0] or here[1].key != there[1].key:
        return None
    return _place(a, here[1]), _place(b, there[1])


def _inside(tokens: Sequence[Token], text: str) -> tuple[int, Token] | None:
    """Return the number of clauses opened before the only date of a sentence that does not begin with it, and it."""
    dates = [n for n, t in enumerate(tokens) if t.kind is FactKind.DATE or (n and _is_may(t, tokens[n - 1], text))]
    if len(dates) != 1 or not any(t.content for t in tokens[: dates[0]]):
        return None
    before = tokens[: dates[0]]
    n_clauses = sum(
        t.word in _SUBORDINATE and _has_verb(_to_comma(before[n + 1 :], text)) for n, t in enumerate(before)
    )
    n_closed = sum(t.word in _CONDITIONS and not _to_comma(before[n + 1 :], text) for n, t in enumerate(before))
    n_inner = _n_inner(before) - n_closed
    n_verbs = sum(is_past(t.word) for t in before) if n_inner else 0  # "who left in May paid", "who left paid in May"
    return n_inner + n_clauses + n_verbs, tokens[dates[0]]


def _n_inner(tokens: Sequence[Token]) -> int:
    """Count the words that open a clause inside another."""
    return sum(t.word in word_list("en", "inner") for t in tokens)


_CONDITIONS = frozenset("if when".split())
"""Words of a clause that a comma closes: "if it fails, replace it by 1 May"."""

_SUBORDINATE = frozenset("after before because although though until since while once unless".split())


def _to_comma(tokens: Sequence[Token], text: str) -> Sequence[Token]:
    """Return words that are all of one clause; none if a comma parts them."""
    return () if not tokens or "," in text[tokens[0].start : tokens[-1].end] else tokens


def _has_verb(tokens: Sequence[Token]) -> bool:
    """Return whether words have a verb, so that a word such as "after" opens a clause of them."""
    return any(t.word in word_list("en", "finite") or is_past(t.word) for t in tokens)


def _is_may(token: Token, before: Token, text: str) -> bool:
    """Return whether a word is the month that "may" names, too: "in May"."""
    is_month = token.word in word_list("en", "months_or_words") and before.word in word_list("en", "before_month")
    return is_month and text[token.start].isupper()


def _place(text: str, token: Token) -> Span:
    return Span(token.start, token.end, text[token.start : token.end])


def is_going_on_still(a: str, b: str, language: str) -> Places | None:
    """Return the verb that has been going on in one English sentence, and has been done to something in the other.

    "Has been restoring the hall", "the hall has been restored".
    """
    if language != "en":
        return None
    one, two = relations_of(a, language).tokens, relations_of(b, language).tokens
    for x, y, is_turned in ((one, two, False), (two, one, True)):
        for been, verb in pairwise(x):
            if been.word != "been" or not verb.word.endswith("ing"):
                continue
            done = next((t for t in _behind_been(y) if t.key == verb.key and is_past(t.word)), None)
            if done is not None:
                places = _place(b if is_turned else a, verb), _place(a if is_turned else b, done)
                return places[::-1] if is_turned else places
    return None


def _behind_been(tokens: Sequence[Token]) -> list[Token]:
    return [verb for been, verb in pairwise(tokens) if been.word == "been"]


_SAYS_SO = re.compile(
    r"(?:^|, )according to (?:(?:the|an?|its|their|his|her|our|this) )?(?:[\w-]+ )??(?P<who>[\w-]+)(?=[,.]|$)",
    re.IGNORECASE,
)
_FOLLOWS = re.compile(r"(?<=\w )in (?:accordance|line|keeping) with\b", re.IGNORECASE)


def is_by_report(a: str, b: str, language: str) -> Places | None:
    """Return who says so in one English sentence, where what is done follows it in the other.

    "According to the report, the pump was replaced", "was replaced in accordance with the report". A rule or contract
    says what is done, and both are one.
    """
    if language != "en":
        return None
    for one, two, is_turned in ((a, b, False), (b, a, True)):
        says, follows = _SAYS_SO.search(one), _FOLLOWS.search(two)
        if says and follows and not _FOLLOWS.search(one) and says["who"].lower() not in word_list("en", "rules"):
            places = Span.of(says), Span.of(follows)
            return places[::-1] if is_turned else places
    return None


RULES = (names_another, is_owned_by_it, is_somebody, was_another_time, is_going_on_still, is_by_report)
"""What is looked for in two aligned sentences, in this order."""
