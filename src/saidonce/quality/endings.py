"""Check the end of a played conversation against the ends that its scenario accepts, each with a grade."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import permutations
from typing import Any

from saidonce.foundation.model import UNKNOWN_LANGUAGE
from saidonce.foundation.model.conversation import WITHDRAWN, Alarm, Issue, IssueState, LandlordEvent, Turn
from saidonce.foundation.text import language
from saidonce.quality.scenario import EndGrade
from saidonce.quality.stage import PlayedStep, got_a_person, words_of

CLOSED = (IssueState.DONE, IssueState.CANCELLED)
MOST_ORDERS = 5
"""Issues whose order is free, at most."""

End = Mapping[str, Any]


def graded(ends: Sequence[End], moments: Sequence[PlayedStep]) -> tuple[list[str], str]:
    """Return deviations from the nearest end, and the grade of the matching end; without ends, all match."""
    tried = [(deviations(end, moments), str(end.get("grade", EndGrade.BEST))) for end in ends]
    fits = sorted(grade for bad, grade in tried if not bad)
    if fits or not tried:
        return [], "best" if "best" in fits or not tried else fits[0]
    nearest = min(tried, key=lambda one: len(one[0]))[0]
    return [f"{text} (the nearest of {len(tried)} ends)" if len(tried) > 1 else text for text in nearest], ""


def deviations(end: End, moments: Sequence[PlayedStep]) -> list[str]:
    """Return deviations of a played conversation from one end."""
    last, bad = moments[-1], []
    if "issues" in end:
        bad += _issues([i for i in last.issues if not i.turn_id.startswith("preset")], end["issues"])
    if "events" in end:
        bad += _rows("events", last.events, end["events"])
    # A limit of time that passes while a scenario jumps ahead is no act of anybody; an end may name it all the same.
    late = LandlordEvent.SLA_MISSED
    is_late = late in end.get("notices", ())
    kinds = {
        "notices": [str(n.event) for m in moments for n in m.notices if is_late or n.event is not late],
        "outbox": [str(o.kind) for m in moments for o in m.says],
    }
    for name, stored in kinds.items():
        if name in end and stored != list(end[name]):
            bad.append(f"end: {name} are {stored}, not {end[name]}")
    bad += _counts(end, [t for m in moments for t in m.turns])
    return bad + [text for name, check in _CHECKS.items() if name in end and (text := check(end[name], moments))]


def _counts(end: End, turns: Sequence[Turn]) -> list[str]:
    counted = {
        "max_calls": max((len(t.calls) for t in turns), default=0),
        "max_tokens": max((t.prompt_tokens for t in turns), default=0),
    }
    bad = [f"end: {k} is {n}, above {end[k]}" for k, n in counted.items() if k in end and n > end[k]]
    if "turns" in end and len(turns) != end["turns"]:
        bad.append(f"end: {len(turns)} turns, not {end['turns']}")
    return bad


def _issues(issues: Sequence[Issue], expected: Sequence[End]) -> list[str]:
    """Return deviations of issues, in the order of the rows; rows with facts (`contains`) may come in any order."""
    is_free = any("contains" in row for row in expected) and len(issues) == len(expected) <= MOST_ORDERS
    orders = permutations(issues) if is_free else [tuple(issues)]
    return min((_rows("issues", order, expected) for order in orders), key=len)


def _rows(name: str, rows: Sequence[Any], expected: Sequence[End]) -> list[str]:
    if len(rows) != len(expected):
        return [f"end: {len(rows)} {name}, not {len(expected)}: {rows}"]
    bad: list[str] = []
    for row, wants in zip(rows, expected, strict=True):
        bad += [text for key, value in wants.items() if (text := _field(name, row, key, value))]
    return bad


def _field(name: str, row: Any, key: str, value: Any) -> str:
    if key in ("contains", "contains_not"):
        words = words_of(row)
        wrong = [fact for fact in value if has(words, fact) is not (key == "contains")]
        return f"end: of {name} {words!r} {'lacks' if key == 'contains' else 'has'} {wrong}" if wrong else ""
    if key == "location_not":
        return f"end: {name} are in {row.location!r}" if value in row.location else ""
    here = getattr(row, key)
    same = value in here if isinstance(here, str) and key in ("description", "review") else here == value
    if isinstance(value, list):
        same = tuple(value) == here
    return "" if same else f"end: {name} has {key} {here!r}, not {value!r}"


def has(words: str, fact: str) -> bool:
    """Return whether a text has a fact, or one of its forms ("toilet|loo"), in any case."""
    return any(form.lower() in words.lower() for form in fact.split("|"))


def replies(moments: Sequence[PlayedStep]) -> str:
    """Return all texts sent to the resident."""
    return " | ".join(o.text for m in moments for o in m.says)


Check = Callable[[Any, Sequence[PlayedStep]], str]


def _notices_any(kinds: Sequence[str], moments: Sequence[PlayedStep]) -> str:
    stored = {str(n.event) for m in moments for n in m.notices}
    return "" if stored.intersection(kinds) else f"end: no notice of {kinds}, but {sorted(stored)}"


def _some_notice(wants: bool, moments: Sequence[PlayedStep]) -> str:
    n = sum(len(m.notices) for m in moments)
    return "" if bool(n) is wants else f"end: {n} notices"


def _live(n: int, moments: Sequence[PlayedStep]) -> str:
    live = [i for i in moments[-1].issues if i.state not in CLOSED and i.review != WITHDRAWN]
    return "" if len(live) == n else f"end: {len(live)} live issues, not {n}"


def _reopened(ids: Sequence[str], moments: Sequence[PlayedStep]) -> str:
    shut = [i.id for i in moments[-1].issues if i.id in ids and i.state in CLOSED]
    return f"end: issues {shut} are closed" if shut else ""


def _person(wants: bool, moments: Sequence[PlayedStep]) -> str:
    return "" if got_a_person(moments) is wants else f"end: a person was {'not ' if wants else ''}asked to take over"


def _emergency(wants: str, moments: Sequence[PlayedStep]) -> str:
    ever = [e for m in moments for e in m.events]
    sure = any(e.state in (Alarm.SUSPECTED, Alarm.VALIDATED) for e in ever)
    fits = {
        "noticed": bool(ever),
        "sure": sure,
        "asked": bool(ever) and not sure,
        "none": not ever,
        "not_sure": not sure,
    }
    if wants not in fits:
        return f"end: emergency {wants!r} is none of {', '.join(fits)}"
    return "" if fits[wants] else f"end: emergency is not {wants!r}: {[(e.kind, str(e.state)) for e in ever]}"


def _says(facts: Sequence[str], moments: Sequence[PlayedStep]) -> str:
    missing = [fact for fact in facts if not has(replies(moments), fact)]
    return f"end: no reply says {missing}: {replies(moments)!r}" if missing else ""


def _never_says(facts: Sequence[str], moments: Sequence[PlayedStep]) -> str:
    there = [fact for fact in facts if has(replies(moments), fact)]
    return f"end: a reply says {there}" if there else ""


def _language(tag: str, moments: Sequence[PlayedStep]) -> str:
    text = "\n".join(o.text for m in moments for o in m.says)
    detected = language(text)
    return "" if detected in (tag, UNKNOWN_LANGUAGE) and text else f"end: the replies are in {detected!r}, not {tag!r}"


def _held(name: str) -> Check:
    def check(wants: Any, moments: Sequence[PlayedStep]) -> str:
        held = moments[-1].held
        here = str(getattr(held, name)) if held else ""
        return (
            "" if here in ([wants] if isinstance(wants, str) else wants) else f"end: {name} is {here!r}, not {wants!r}"
        )

    return check


def _opted_out(wants: bool, moments: Sequence[PlayedStep]) -> str:
    held = moments[-1].held
    is_out = held is not None and held.opted_out_at is not None
    return "" if is_out is wants else f"end: the resident is {'' if is_out else 'not '}opted out"


def _max_questions(n: int, moments: Sequence[PlayedStep]) -> str:
    n_questions = sum("?" in o.text for m in moments for o in m.says)
    return f"end: {n_questions} questions, above {n}" if n_questions > n else ""


_CHECKS: Mapping[str, Check] = {
    "notices_any": _notices_any, "some_notice": _some_notice, "live_issues": _live, "reopened": _reopened,
    "person": _person, "emergency": _emergency, "says": _says, "never_says": _never_says,
    "reply_language": _language, "gathering": _held("gathering"), "identity": _held("identity"),
    "opted_out": _opted_out, "max_questions": _max_questions,
}  # fmt: skip
