"""Check numbers, lists and times beside a clear: each must support the clear."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from saidonce.adjudication.replies import SURE_FROM, word_of
from saidonce.foundation.model import Opinion

_WORK = frozenset("compared reviewed checked considered evaluated examined analyzed analysed judged scored".split())
_OF_WORK = frozenset("n num count number with match matches candidates ids id of to against all total was were".split())
_SCORES = frozenset("score scores probability probabilities probs likelihood likelihoods votes distribution".split())
_CHANCES = frozenset("probability prob likelihood chance p".split())
_SAME = frozenset("duplicate dup repeat repeated same".split())
_OTHER = frozenset("distinct unique new novel".split())
_OF_EACH = frozenset("per by each match matches candidate verdicts opinions results".split())
_DONE_SO_FAR = frozenset("completed complete done finished processed".split())
_ALL = frozenset("total all planned expected".split())
_BEGUN = frozenset("created submitted received queued started begun".split())
_ENDED = frozenset("completed finished ended done reviewed answered".split())
_EXPIRES = frozenset("expires expiry expired".split())
_AT = frozenset("at on time timestamp date datetime".split())
SCALE_OF_TIMES = 10.0
"""Numbers of which one is so many times the other count in different units, seconds and milliseconds."""


def says(parts: Collection[str], value: Any, ids: Sequence[str]) -> bool | None:
    """Return whether a member supports a clear (True) or contradicts it (False); None if it does neither.

    A list or count of compared matches must cover all; scores must support it, votes must be unanimous, and
    probabilities must favour it; opinions on single matches must cover all matches, and be clears.

    Args:
        parts: words of its key.
        ids: of the matches in question.
    """
    words = frozenset(parts)
    if words & _WORK and words <= _WORK | _OF_WORK:
        return _names_all(value, ids)
    if isinstance(value, dict) and value and words <= _SCORES:
        return _is_for_it(value)
    if words & _CHANCES and words <= _CHANCES | _SAME | _OTHER | {"of", "is", "a"} and words & (_SAME | _OTHER):
        is_for = bool(words & _OTHER) and not words & _SAME
        return _is_share(value) and (value >= SURE_FROM if is_for else value < SURE_FROM)
    if isinstance(value, dict) and value and words & {"match", "matches"} and words <= _OF_EACH:
        return set(value) == set(ids) and all(_is_clear(one) for one in value.values())
    return None


def _names_all(value: Any, ids: Sequence[str]) -> bool:
    if isinstance(value, list):
        return {one for one in value if isinstance(one, str)} == set(ids) and len(value) == len(set(ids))
    return value is True or (isinstance(value, int) and value is not False and value == len(ids))


def _is_for_it(value: Mapping[str, Any]) -> bool:
    """Return whether scores or votes support a clear: all votes, or a score that is sure and above the rest."""
    words = {name: word_of(name) for name in value}
    if None in words.values() or not all(_is_number(one) for one in value.values()):
        return False
    mine = sum(n for name, n in value.items() if words[name] is Opinion.DISTINCT)
    others = sum(n for name, n in value.items() if words[name] is not Opinion.DISTINCT)
    if all(isinstance(n, int) for n in value.values()):
        return mine > 0 and not others
    return bool(SURE_FROM <= mine <= 1 and others < mine)


def _is_clear(value: Any) -> bool:
    return isinstance(value, str) and word_of(value) is Opinion.DISTINCT


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


def _is_share(value: Any) -> bool:
    return _is_number(value) and value <= 1


Parts = Callable[[str], tuple[str, ...]]


def unfinished(fields: Mapping[str, Any], parts: Parts) -> tuple[str, frozenset[str]]:
    """Return the key of a count below its total, and the keys of all counts that reached theirs.

    Args:
        parts: returns the words of a key.
    """
    counted: set[str] = set()
    for key, value in fields.items():
        words = set(parts(key))
        if not words & _DONE_SO_FAR or not isinstance(value, int) or isinstance(value, bool):
            continue
        of = words - _DONE_SO_FAR
        for other, whole in fields.items():
            total = set(parts(other))
            if total & _ALL and total - _ALL == of:
                if whole != value:
                    return key, frozenset()
                counted |= {key, other}
    return "", frozenset(counted)


def out_of_order(levels: Sequence[Mapping[str, Any]], parts: Parts) -> bool:
    """Return whether a review ended before it began, or expired before it ended, by its own times.

    No clock is read, and times in different units are not compared.
    """
    times = [(frozenset(parts(key)), when) for level in levels for key, value in level.items() for when in _time(value)]
    begun, ended, expires = (
        [when for words, when in times if words & kind and words <= kind | _AT] for kind in (_BEGUN, _ENDED, _EXPIRES)
    )
    return any(
        later < earlier and earlier / later < SCALE_OF_TIMES
        for first, second in ((begun, ended), (ended, expires), (begun, expires))
        for earlier in first
        for later in second
    )


def _time(value: Any) -> Iterator[float]:
    """Yield seconds since 1970 of a time in ISO 8601, or of a positive number."""
    if _is_number(value) and value:
        yield float(value)
    elif isinstance(value, str) and re.match(r"\d{4}-\d\d-\d\d", value):
        try:
            when = datetime.fromisoformat(value)
        except ValueError:
            return
        seconds = (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
        if seconds > 0:
            yield seconds
