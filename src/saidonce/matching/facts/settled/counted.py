"""Numbers in forms that count the same: "twice extended", "two extensions"; "a week", "one week"; "a fifth", "20 %"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache

from saidonce.foundation.model import FactKind, Span
from saidonce.matching.facts.analyse import Token, tokens_of
from saidonce.matching.facts.guards import VALUES
from saidonce.matching.facts.lexicon import language_table, lines, word_list
from saidonce.matching.facts.settled.sight import Sight

SHARED = 4
"""First letters that a deed and its name share: "extended", "extension"."""

_WORD = re.compile(r"[^\W\d_]+")


def counts_alike(sight: Sight) -> bool:
    """Return whether the lone number of one sentence is shown in another form in the other."""
    return _is_share(sight) or _is_time(sight) or _is_time(sight.mirrored) or _is_one(sight) or _is_one(sight.mirrored)


def names_a_share(sight: Sight) -> bool:
    """Return whether the lone "half" of one sentence is a percentage in the other."""
    return sight.is_lone and _is_share(sight) and "quantifier:half" in {t.key for t in sight.quoted}


def is_counted(sight: Sight) -> bool:
    """Return whether an article of several things stands by a number that both sentences have: "los doce meses".

    The number says how many; the article does not say all. Not so where one of the sentences alone speaks of each.
    """
    each = word_list(sight.language, "for_each")
    if len({any(t.word in each for t in tokens) for tokens in sight.tokens}) > 1:
        return False
    if not any(t.kind in VALUES for t in sight.quoted):
        return False
    for text, at, tokens, others in zip(
        (sight.one.text, sight.two.text), sight.at, sight.tokens, reversed(sight.tokens), strict=True
    ):
        if at.text.casefold() in word_list(sight.language, "all_of"):
            behind = [t for t in tokens if at.end <= t.start][:NEAR]
            numbers = {t.key for t in behind if t.kind in VALUES}
            if numbers & {t.key for t in others if t.kind in VALUES} or _is_counted_behind(text, at, tokens, others):
                return True
    return False


def _is_counted_behind(text: str, at: Span, tokens: Sequence[Token], others: Sequence[Token]) -> bool:
    """Return whether a sentence ends in the number of what stands behind an article: "gli astenuti sono due"."""
    last = tokens[-1] if tokens else None
    if last is None or last.kind not in VALUES or at.end > last.start:
        return False
    noun = next((t.key for t in tokens if at.end <= t.start and t.content), "")
    places = [n for n, t in enumerate(others) if t.key == last.key]
    return any(noun in {t.key for t in others[n : n + NEAR]} for n in places) and bool(text)


def _is_one(sight: Sight) -> bool:
    """Return whether the lone "one week" of the second sentence is "a week" in the first, or nowhere else but there."""
    if sight.objection.a.text or sight.objection.kind is not FactKind.UNIT:
        return False
    keys = {t.key for t in sight.tokens[1] if sight.at[1].start <= t.start and t.end <= sight.at[1].end}
    if len(keys) != 1:
        return False
    for one, two in ((sight.one.text, sight.two.text), (sight.a, sight.b)):
        written = _ARTICLE[sight.language].sub(" 1 ", one) if sight.language in _ARTICLE else one
        here, there = (Counter(t.key for t in tokens_of(text, sight.language)) for text in (written, two))
        if all(here[key] == there[key] for key in keys):
            return True
    return False


_ARTICLE = {
    "en": re.compile(r"(?<!\w)an?\s", re.IGNORECASE),
    "pl": re.compile(r"(?<= na )(?=litr|kilogram)", re.IGNORECASE),
}
"""What counts one of a unit, in languages whose articles are no numbers."""

NEAR = 3


def _is_share(sight: Sight) -> bool:
    """Return whether one sentence names as a fraction what the other names in percent, once each."""
    for one, two in ((sight.one.text, sight.two.text), (sight.two.text, sight.one.text)):
        for fraction, percent in _shares(sight.language) if _any_share(sight.language).search(one) else ():
            if len(fraction.findall(one)) == len(percent.findall(two)) == 1 and not percent.search(one):
                return True
    return False


def _is_time(sight: Sight) -> bool:
    """Return whether one sentence counts deeds that the other does so many times: "two blinks", "blinks twice"."""
    number = sight.objection.b
    if sight.objection.a.text or sight.objection.kind is not FactKind.NUMBER:
        return False
    tokens = sight.tokens[1]
    at = next((n for n, t in enumerate(tokens) if t.start == sight.at[1].start), None)
    if at is None or at + 1 >= len(tokens) or not number.text:
        return False
    times = _times(sight.language).get(tokens[at].key)
    here = times.search(sight.one.text) if times is not None else None
    if here is None or len(tokens[at + 1].word) < SHARED:
        return False
    text = sight.one.text
    beside = (*_WORD.findall(text[: here.start()])[-1:], *_WORD.findall(text[here.end() :])[:1])
    return any(word.casefold().startswith(tokens[at + 1].word[:SHARED]) for word in beside)


@cache
def _times(language: str) -> dict[str, re.Pattern[str]]:
    """Return the key of a number -> the words for so many times."""
    rows = lines(language_table(language).get("relations", {}).get("times", ""))
    pairs = (row.split(" = ") for row in rows)
    return {f"#{number.strip()}": re.compile(rf"\b(?:{words.strip()})\b", re.IGNORECASE) for number, words in pairs}


@cache
def _shares(language: str) -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    """Return fractions in words, each with the percentage that it is."""
    rows = lines(language_table(language).get("relations", {}).get("shares", ""))
    pairs = (row.split(" = ") for row in rows)
    return tuple(
        (
            re.compile(rf"\b(?:{words.strip()})\b", re.IGNORECASE),
            re.compile(rf"(?<!\w)(?:{percent.strip()})", re.IGNORECASE),
        )
        for percent, words in pairs
    )


@cache
def _any_share(language: str) -> re.Pattern[str]:
    """Return the expression that finds any of these fractions."""
    fractions = [fraction.pattern for fraction, _ in _shares(language)]
    return re.compile("|".join(fractions) or "(?!)", re.IGNORECASE)
