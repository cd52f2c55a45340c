"""Whether the points of a list are things, which may stand in any order, or steps and ranks, which may not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from saidonce.foundation.model import FactKind, Objection
from saidonce.matching.facts.lexicon import language_table, table, word_list, words_of
from saidonce.matching.facts.plain.stretches import Points, folded, lists
from saidonce.matching.facts.table_rows import counts_in_order

_WORDS = re.compile(r"[^\W_]+(?:-[^\W_]+)*['\u2019]?")
_MOST_WORDS = 10
_LEADS_OR_ENDS = re.compile(r"[.?!] |[:\uff1a][*_]*\s*$")
"""In a point that is a sentence, or leads to those below it: "Grey bin:"."""

_INFINITIVE = re.compile(r"[a-zäöü]{2,}(?:en|ern|eln)")


def is_in_order(points: Points) -> bool:
    """Return whether the line above a list says that its order counts: a route, a programme, a ranking."""
    return counts_in_order(points.lead.text) or _ordered().search(points.lead.text) is not None


@cache
def _ordered() -> re.Pattern[str]:
    """Return the expression for the words of all languages; a lead is often of no language that can be told."""
    listed = "|".join(str(rows["ordered"]) for rows in table("layouts").values())
    return re.compile(rf"(?<!\w)(?:{listed})(?!\w)", re.IGNORECASE)


def may_pass(points: Points, language: str) -> bool:
    """Return whether something may come to the points one after the other: "the path passes the mill and the lake"."""
    listed = str(table("layouts").get(language, {}).get("passes", "(?!)"))
    return re.search(rf"(?<!\w)(?:{listed})(?![\w-])", points.lead.text, re.IGNORECASE) is not None


def are_things(points: Sequence[str], language: str) -> bool:
    """Return whether all points name a thing: none says what to do, and none is a sentence."""
    return all(_is_thing(point, language) for point in points)


def _is_thing(point: str, language: str) -> bool:
    read = [word.lower() for word in _WORDS.findall(point)]
    if not 0 < len(read) <= _MOST_WORDS or _LEADS_OR_ENDS.search(point):
        return False
    if read[0] in _articles(language) or read[0][0].isdigit():
        return True
    if read[0] in word_list(language, "bids"):
        return False
    if language == "de" and (_INFINITIVE.fullmatch(_WORDS.findall(point)[-1]) or "sie" in read):
        return False
    hanging = {*language_table(language).get("relations", {}).get("prepositions", "").split(), "d'", "de", "di"}
    return not any(word in _articles(language) and before not in hanging for before, word in pairwise(read))


def word_count(member: str, language: str) -> int:
    """Count the words of a member without an article or number, by which it is one thing; 0 with one of these."""
    read = [word.lower() for word in _WORDS.findall(member)]
    return 0 if read and (read[0] in _articles(language) or read[0][0].isdigit()) else len(read)


def _articles(language: str) -> frozenset[str]:
    elided = {f"{word}{mark}" for word in ("l", "d") for mark in "'\u2019"} if language in ("fr", "it") else set()
    return words_of(language_table(language).get("articles", "")) | elided


def turned_points(a: str, b: str) -> tuple[Objection, ...]:
    """Object to the first points that differ where two texts have one list in two orders, and the order counts."""
    if "\n" not in a or "\n" not in b:
        return ()
    for one in filter(is_in_order, lists(a)):
        for two in filter(is_in_order, lists(b)):
            here, there = ([folded(point.text) for point in of.points] for of in (one, two))
            if here != there and sorted(here) == sorted(there):
                at = next(n for n, (x, y) in enumerate(zip(here, there, strict=True)) if x != y)
                return (Objection(FactKind.ROLE, one.points[at], two.points[at]),)
    return ()
