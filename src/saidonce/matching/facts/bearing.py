"""What a small English word bears on, as the marks and words right behind it show.

"Once" with a mark behind it says how often, without one when; "than me" and "than I do" compare other people; an
apostrophe says whether one owns or several. The words of such texts may be the same, so that no count tells them apart.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from saidonce.foundation.model import FactKind, Objection, Span
from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.lexicon import with_s

Reading = tuple[str, Span]
"""How a place of a text is read, and the place."""

Readings = tuple[Reading, ...]
"""All places of one kind in a text, in order."""

Place = TypeVar("Place")
OneAndSeveral = tuple[dict[str, Place], dict[str, Place]]
"""Things of which a text has one, and those of which it has several, with the place where each is named."""


def other_bearing(a: str, b: str) -> tuple[Objection, ...]:
    """Object to the first place that two English texts have both, and that is read otherwise in each."""
    for readings in _RULES:
        for one, two in zip(*_alike(readings(a), readings(b)), strict=True):
            if {one[0], two[0]} in _CLASHES:
                return (Objection(FactKind.TERM, one[1], two[1]),)
    return _other_owners(a, b) or _other_causes(a, b)


def _alike(a: Readings, b: Readings) -> tuple[Readings, Readings]:
    """Return the places of both texts if these have as many of them.

    Otherwise none, since it is unknown which correspond.
    """
    return (a, b) if len(a) == len(b) else ((), ())


_CLASHES = ({"adverb", "clause"}, {"doer", "other"})

_TIMES = re.compile(r"(?<![\w-])(?<!at )(once|now)(?![\w-])\s*(\w+|.|)", re.IGNORECASE | re.DOTALL)
_INNER = frozenset(",;:.!?()\u2013\u2014")
_NO_CLAUSE = frozenset(
    "a after again an and at before but by daily during each every for if in more on only or per so then to when "
    "with".split()
)
"""Words that open no clause behind "once"."""


@remembered(2_048)
def _times(text: str) -> Readings:
    """Return each "once" and "now": an adverb before a mark and more words, the beginning of a clause before words."""
    return tuple(_times_in(text))


def _times_in(text: str) -> Iterator[Reading]:
    folded = text.casefold()
    if "once" not in folded and "now" not in folded:
        return
    for hit in _TIMES.finditer(text):
        word, behind = hit[1].lower(), hit[2].lower()
        reading = ""
        if behind in _INNER:
            reading = "adverb" if re.search(r"\w", text[hit.end() :]) else ""
        elif behind == "that" if word == "now" else behind not in _NO_CLAUSE and behind.isalpha():
            reading = "clause"
        yield reading, Span(hit.start(1), hit.end(1), hit[1])


_COMPARED = re.compile(
    r"(?<![\w'])(?:than|as)\s+(?:(?P<other>me|us|him|them|her(?!\s+[\w'\u2019]))(?![\w'\u2019-])"
    r"|(?P<doer>I|we|he|she|they)\s+(?:do|does|did)(?!n['\u2019]t|\s+not)(?!\w))",
    re.IGNORECASE,
)


@remembered(2_048)
def _compared(text: str) -> Readings:
    """Return each person behind "than" or "as": one who does it, too, or perhaps another one to whom it is done."""
    return tuple((str(hit.lastgroup), Span.of(hit)) for hit in _COMPARED.finditer(text))


_RULES: Sequence[Callable[[str], Readings]] = (_times, _compared)

_OWNER = re.compile(
    r"(?<![\w'\u2018\u2019\"-])(?:(?P<one>\w{2,}+)['\u2019]s|(?P<many>\w{3,}+)(?<=s)['\u2019])(?=\s+\w)", re.IGNORECASE
)


def _other_owners(a: str, b: str) -> tuple[Objection, ...]:
    """Object to the first owner who is one in the one text ("tenant's") and several in the other ("tenants'")."""
    places = one_for_several(_owners(a), _owners(b))
    return (Objection(FactKind.TERM, *places),) if places else ()


def one_for_several(a: OneAndSeveral[Place], b: OneAndSeveral[Place]) -> tuple[Place, Place] | None:
    """Return the places of the first thing that is one in the one text, and several in the other; none that is both."""
    (one_a, many_a), (one_b, many_b) = a, b
    if not (one_a and many_b) and not (many_a and one_b):
        return None
    for word in sorted((one_a.keys() & many_b.keys()) - one_b.keys() - many_a.keys()):
        return one_a[word], many_b[word]
    for word in sorted((many_a.keys() & one_b.keys()) - one_a.keys() - many_b.keys()):
        return many_a[word], one_b[word]
    return None


@remembered(2_048)
def _owners(text: str) -> OneAndSeveral[Span]:
    """Return plural of an owner -> its place: those who are one, and those who are several."""
    sides: tuple[dict[str, Span], dict[str, Span]] = {}, {}
    if "'" not in text and "\u2019" not in text:
        return sides
    for hit in _OWNER.finditer(text):
        word, at = (hit["one"] or hit["many"]).lower(), Span.of(hit)
        sides[0 if hit["one"] else 1].setdefault(with_s(word) if hit["one"] else word, at)
    return sides


_CAUSE = re.compile(r"\bbecause\b(?! of\b)", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{4,}")


def _other_causes(a: str, b: str) -> tuple[Objection, ...]:
    """Object where what is the cause in one text is the effect in the other, and the other way round."""
    one, two = _caused(a), _caused(b)
    if one is None or two is None:
        return ()
    (cause, effect, at), (other_cause, other_effect, other_at) = one, two
    kept = len(cause & other_cause)
    is_turned = len(cause & other_effect) > kept and len(other_cause & effect) > kept
    return (Objection(FactKind.TERM, at, other_at),) if is_turned else ()


@remembered(2_048)
def _caused(text: str) -> tuple[frozenset[str], frozenset[str], Span] | None:
    """Return words of the cause and of its effect, and the place of the only "because" of a text of one sentence."""
    hits = list(_CAUSE.finditer(text))
    if len(hits) != 1 or re.search(r"[.!?]\s+\w", text):
        return None
    before, behind = text[: hits[0].start()], text[hits[0].end() :]
    cause, _, rest = behind.partition(",")
    effect = before if _WORD.search(before) else rest
    return _begins(cause), _begins(effect), Span(hits[0].start(), hits[0].end(), hits[0].group())


def _begins(text: str) -> frozenset[str]:
    """Return how the longer words of a text begin, so that "leak" and "leaked" are one."""
    return frozenset(word.group().lower()[:5] for word in _WORD.finditer(text))
