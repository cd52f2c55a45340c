"""What stands below a heading, an introduction or a question in one text, and below another one in the other."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from saidonce.foundation.model import FactKind, Objection, Span
from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.analyse import AnalysedSentence, analyse

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
