"""What stands below a heading, an introduction or a question in one text, and below another one in the other."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from saidonce.foundation.model import FactKind, Objection, Span
from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.analyse import AnalysedSentence, analyse
from saidonce.matching.facts.lexicon import pattern, table, word_list
from saidonce.matching.facts.word_order import FRONTED

_LEAD = re.compile(r"#{1,6}[ \t].*|.*[:\uff1a?\uff1f][*_ \t]*|\*\*[^*\n]+\*\*|\u3010[^\u3011\n]+\u3011", re.DOTALL)
"""A sentence or line that says what the following ones are about."""

_FEWEST_LEADS = 2

Key = tuple[str, ...]


class _Led(NamedTuple):
    """What stands in a text below each of its leads.

    Attributes:
        leads: what the leads say.
        below: what a sentence says -> the leads that it stands below.
        places: where such a sentence stands first, with its lead.
        hung: what a member of a list says -> what the member says that it is indented below; nothing without one.
        members: where such a member stands.
    """

    leads: frozenset[Key]
    below: Mapping[Key, frozenset[Key]]
    places: Mapping[Key, Span]
    hung: Mapping[Key, Key]
    members: Mapping[Key, Span]


def moved_below(a: str, b: str, language: str) -> tuple[Objection, ...]:
    """Object to the first sentence or member of a list that both texts have, below two leads that both texts have.

    "Allowed: dogs. Not allowed: birds" states the opposite where the two members change places.
    """
    one, two = _led(a, language), _led(b, language)
    if min(len(one.leads), len(two.leads)) < _FEWEST_LEADS:
        return ()
    for key, leads in one.below.items():
        others = two.below.get(key, leads)
        if others != leads and (leads - others) & two.leads and (others - leads) & one.leads:
            return (Objection(FactKind.ROLE, one.places[key], two.places[key]),)
    return ()


def hung_elsewhere(a: str, b: str, language: str) -> tuple[Objection, ...]:
    """Object to the first member that stands below another member in one list, and in the other by itself or elsewhere.

    Both members stand in both lists.
    """
    if not (_INDENTED.search(a) or _INDENTED.search(b)):
        return ()
    one, two = _led(a, language), _led(b, language)
    members = one.hung.keys() & two.hung.keys()
    for key, over in one.hung.items():
        other = two.hung.get(key, over)
        if other != over and {over, other} <= members | {()}:
            return (Objection(FactKind.ROLE, one.members[key], two.members[key]),)
    return ()


_INDENTED = re.compile(r"^[ \t]+(?:[-*+\u2022\u25e6\u25aa\u30fb]|\d{1,3}[.)])[ \t]", re.MULTILINE)


def led_otherwise(a: str, b: str, language: str) -> tuple[Objection, ...]:
    """Object to the first point below a condition or time that is a sentence of its own in the other text.

    "If it beeps:" with two steps holds for both, "if it beeps, stop the pump. Open the lid." for the first alone. What
    says to which end all is done may lead to several sentences.
    """
    if not _COLON.search(a) and not _COLON.search(b):
        return ()
    for one, two, is_turned in ((a, b, False), (b, a, True)):
        for lead, *points in _conditions(one, language):
            places = _loose(lead, points, two, language)
            if places is not None:
                return (Objection(FactKind.TERM, *(places[::-1] if is_turned else places)),)
        if runs := _run_on(one, two, language):
            return (Objection(FactKind.TERM, *(runs[::-1] if is_turned else runs)),)
    return ()


_COLON = re.compile("[:\uff1a]")
_RUN_IN = re.compile(r"([^,.:;!?\n]{2,80}): (?=\S)")


def _run_on(text: str, other: str, language: str) -> tuple[Span, Span] | None:
    """Return a condition with a colon and more than one sentence behind it, and the same with a comma."""
    for sentence, behind in pairwise(analyse(text, language).sentences):
        hit = _RUN_IN.match(text, sentence.span.start, sentence.span.end)
        if hit is None or "\n" in text[sentence.span.end : behind.span.start] or not _is_condition(hit[1], language):
            continue
        at = other.casefold().find(f"{hit[1].casefold()}, ")
        if at >= 0:
            return Span.of(hit), Span(at, at + len(hit[1]), other[at : at + len(hit[1])])
    return None


@remembered(2_048)
def _conditions(text: str, language: str) -> tuple[tuple[AnalysedSentence, ...], ...]:
    """Return each condition or time that ends with a colon, with the two or more lines right below it."""
    groups: list[list[AnalysedSentence]] = []
    is_open = False
    for sentence in analyse(text, language).sentences:
        words = sentence.span.text.strip("#*_- ")
        if words.endswith((":", "\uff1a")):
            is_open = _is_condition(words, language)
            groups += [[sentence]] if is_open else []
        elif is_open and _begins_a_line(text, sentence.span.start):
            groups[-1].append(sentence)
        else:
            is_open = False
    return tuple(tuple(group) for group in groups if len(group) > _FEWEST_LEADS)


def _begins_a_line(text: str, at: int) -> bool:
    return _depth(text, at) is not None or not text[text.rfind("\n", 0, at) + 1 : at].strip()


@cache
def _aims(language: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{table('layouts').get(language, {}).get('aims', '(?!)')})(?!\w)", re.IGNORECASE)


def _is_condition(text: str, language: str) -> bool:
    """Return whether a sentence is a condition or a time and no aim: by its first word, or a form of the language."""
    if _aims(language).match(text):
        return False
    form = pattern(language, "conditions")
    if form is not None:
        return form.search(text) is not None
    first = _FIRST.match(text)
    fronts = FRONTED if language == "en" else word_list(language, "fronts")
    return first is not None and not fronts.isdisjoint((first[0].casefold(), first[1].casefold()))


_FIRST = re.compile(r"([^\W_]+)(?:['\u2019][^\W_]+)?")


def _loose(
    lead: AnalysedSentence, points: Sequence[AnalysedSentence], text: str, language: str
) -> tuple[Span, Span] | None:
    """Return the first of several points that a text has as a sentence, behind the one that the lead stands in."""
    is_led, n = False, len(lead.keys)
    for sentence in analyse(text, language).sentences:
        loose = next((p for p in points if p.keys and p.keys == sentence.keys), None) if is_led else None
        if loose is not None and _depth(text, sentence.span.start) is None:
            return loose.span, sentence.span
        is_led = is_led or (sentence.keys[:n] == lead.keys and len(sentence.keys) > n)
    return None


@remembered(2_048)
def _led(text: str, language: str) -> _Led:
    leads: set[Key] = set()
    below: dict[Key, set[Key]] = {}
    places: dict[Key, Span] = {}
    hung: dict[Key, Key] = {}
    members: dict[Key, Span] = {}
    lead: AnalysedSentence | None = None
    parents: list[tuple[int, AnalysedSentence]] = []
    for sentence in analyse(text, language).sentences:
        depth = _depth(text, sentence.span.start)
        parents = [] if depth is None else [(n, over) for n, over in parents if n < depth]
        over = parents[-1][1] if parents else lead
        if depth is not None:
            hung[sentence.keys] = parents[-1][1].keys if parents else ()
            members[sentence.keys] = sentence.span
            parents.append((depth, sentence))
        if _LEAD.fullmatch(sentence.span.text.strip()):
            lead = sentence
            leads.add(lead.keys)
        elif over is not None and sentence.keys:
            leads.add(over.keys)
            below.setdefault(sentence.keys, set()).add(over.keys)
            places.setdefault(sentence.keys, _shown(text, over.span, sentence.span))
    return _Led(frozenset(leads), {key: frozenset(of) for key, of in below.items()}, places, hung, members)


_LONGEST_SHOWN = 160
"""Characters of a lead with what stands below it up to which both are shown, with all between them."""


def _shown(text: str, lead: Span, member: Span) -> Span:
    whole = Span(lead.start, member.end, text[lead.start : member.end])
    return whole if len(whole.text) <= _LONGEST_SHOWN else member


_BULLET = re.compile(r"([ \t]*)(?:[-*+\u2022\u25e6\u25aa\u30fb]|\d{1,3}[.)])[ \t]")


def _depth(text: str, at: int) -> int | None:
    """Return how far the member of a list that begins a line is indented; None for what is no member of one."""
    start = text.rfind("\n", 0, at) + 1
    hit = _BULLET.match(text, start)
    return len(hit[1].expandtabs(4)) if hit and hit.end() >= at else None
