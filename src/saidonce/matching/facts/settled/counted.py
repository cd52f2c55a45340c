"""Numbers in forms that count the same: "twice extended", "two extensions"; "a week", "one week"; "a fifth", "20 %"."""

from __future__ import annotations

import re
from functools import cache

from saidonce.foundation.model import FactKind
from saidonce.matching.facts.lexicon import language_table, lines
from saidonce.matching.facts.settled.sight import Sight

SHARED = 4
"""First letters that a deed and its name share: "extended", "extension"."""

_WORD = re.compile(r"[^\W\d_]+")


def counts_alike(sight: Sight) -> bool:
    """Return whether the lone number of one sentence is shown in another form in the other."""
    return _is_share(sight) or _is_time(sight) or _is_time(sight.mirrored)


def _is_share(sight: Sight) -> bool:
    """Return whether one sentence names as a fraction what the other names in percent, once each."""
    for fraction, percent in _shares(sight.language):
        for one, two in ((sight.one.text, sight.two.text), (sight.two.text, sight.one.text)):
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
    deed = tokens[at + 1].word[:SHARED]
    return any(word.casefold().startswith(deed) for word in _WORD.findall(sight.one.text))


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
        (re.compile(rf"\b(?:{words.strip()})\b", re.IGNORECASE), re.compile(rf"(?<!\w)(?:{percent.strip()})", re.IGNORECASE))
        for percent, words in pairs
    )
