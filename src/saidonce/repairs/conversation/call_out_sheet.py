"""Call-out lists as people write them: a TOML file becomes the lists of an organisation, and lists become one.

`docs/how-to/notifications.md` describes the file.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from datetime import time
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from saidonce.errors import UsageError
from saidonce.foundation.model import Channel
from saidonce.foundation.model.call_outs import (
    WEEKDAYS,
    CallOutHours,
    CallOutList,
    CallOutScope,
    CallOutStep,
    OpenHours,
)

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
MAX_WAIT_MINUTES = 24 * 60
MAX_ROUNDS = 100
MAX_STEPS = 100

_HOURS = re.compile(r"([a-z]{3})(?:-([a-z]{3}))? (\d\d):(\d\d)-(\d\d):(\d\d)")
_KEYS = {"time_zone", "business_hours", "rounds", "step"}
_STEP_KEYS = {"channels", "wait_minutes", "hours", "building", "home"}


def read_call_outs(content: str, channels: Sequence[Channel], time_zone: str) -> tuple[CallOutList, ...]:
    """Read a file of call-out lists.

    Args:
        content: TOML: `time_zone`, `business_hours`, `rounds`, and tables `step` in the order of the calls.
        channels: of the organisation; a step names them by id or target.
        time_zone: of the organisation, where the file names none.

    Raises:
        UsageError: it is none, or names an unknown channel, hour or zone.
    """
    try:
        whole = tomllib.loads(content)
    except tomllib.TOMLDecodeError as bad:
        raise UsageError(f"this is no TOML: {bad}") from None
    except RecursionError:
        raise UsageError("this is no call-out file: its values are nested too deep") from None
    _check_keys(whole, _KEYS, "a call-out file")
    zone = check_zone(str(whole.get("time_zone", time_zone)))
    business = tuple(map(_hours, whole["business_hours"])) if "business_hours" in whole else WEEKDAYS
    rounds = _number(whole, "rounds", 3, MAX_ROUNDS)
    rows = whole.get("step", [])
    if not isinstance(rows, list) or not 1 <= len(rows) <= MAX_STEPS:
        raise UsageError(f"a call-out file has 1 to {MAX_STEPS} tables [[step]]")
    steps: dict[tuple[CallOutScope, str], list[CallOutStep]] = {}
    for n, row in enumerate(rows, 1):
        steps.setdefault(_subject(row, n), []).append(_step(row, n, channels))
    return tuple(CallOutList(scope, of, tuple(each), rounds, zone, business) for (scope, of), each in steps.items())


def call_outs_as_toml(lists: Sequence[CallOutList]) -> str:
    """Return lists as a file that `read_call_outs` reads; zone, hours and rounds are those of the first."""
    return "\n".join(_lines(lists)) + "\n" if lists else ""


def check_zone(name: str) -> str:
    """Return the name of a time zone.

    Raises:
        UsageError: the IANA data base has none of that name.
    """
    try:
        return ZoneInfo(name).key
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise UsageError(f"{name[:60]!r} is no time zone of the IANA data base, such as Europe/London") from None


def _lines(lists: Sequence[CallOutList]) -> Iterator[str]:
    yield f"time_zone = {json.dumps(lists[0].time_zone)}"
    yield f"business_hours = {json.dumps([_written(each) for each in lists[0].business])}"
    yield f"rounds = {lists[0].rounds}"
    for each in lists:
        for step in each.steps:
            yield from ("", "[[step]]")
            if each.scope is not CallOutScope.ORGANISATION:
                yield f"{each.scope.value} = {json.dumps(each.subject)}"
            yield f"channels = {json.dumps(list(step.channels))}"
            yield f"wait_minutes = {step.wait_minutes}"
            yield f"hours = {json.dumps(step.hours.value)}"


def _subject(row: Any, n: int) -> tuple[CallOutScope, str]:
    if not isinstance(row, dict):
        raise UsageError("write the steps as tables [[step]]")
    _check_keys(row, _STEP_KEYS, f"step {n}")
    named = [(scope, str(row[scope.value])) for scope in (CallOutScope.BUILDING, CallOutScope.HOME) if scope in row]
    if len(named) > 1:
        raise UsageError(f"step {n} is for a building or for a home, not both")
    return named[0] if named else (CallOutScope.ORGANISATION, "")


def _step(row: Mapping[str, Any], n: int, channels: Sequence[Channel]) -> CallOutStep:
    named = row.get("channels", [])
    if not isinstance(named, list):
        raise UsageError(f"step {n}: channels is a list of ids or addresses")
    ids = tuple(dict.fromkeys(_channel(str(each), n, channels) for each in named))
    hours = str(row.get("hours", CallOutHours.ALWAYS))
    if hours not in list(CallOutHours):
        raise UsageError(f"step {n}: hours is one of {', '.join(CallOutHours)}, not {hours[:40]!r}")
    return CallOutStep(ids, _number(row, "wait_minutes", 10, MAX_WAIT_MINUTES), CallOutHours(hours))


def _channel(named: str, n: int, channels: Sequence[Channel]) -> str:
    match = next((c.id for c in channels if named in (c.id, c.target)), None)
    if match is None:
        raise UsageError(f"step {n}: there is no such channel; 'saidonce channels list' lists them")
    return match


def _number(row: Mapping[str, Any], name: str, default: int, most: int) -> int:
    value = row.get(name, default)
    if type(value) is not int or not 1 <= value <= most:
        raise UsageError(f"{name} is a whole number from 1 to {most}, not {str(value)[:40]!r}")
    return value


def _hours(written: Any) -> OpenHours:
    match = _HOURS.fullmatch(str(written).strip().casefold())
    if match is None or match[1] not in DAYS or (match[2] or match[1]) not in DAYS:
        raise UsageError(f"business hours are written as 'mon-fri 09:00-17:00', not {str(written)[:40]!r}")
    first, last = DAYS.index(match[1]), DAYS.index(match[2] or match[1])
    try:
        since, until = time(int(match[3]), int(match[4])), time(int(match[5]), int(match[6]))
    except ValueError:
        raise UsageError(f"there is no such time of day in {str(written)[:40]!r}") from None
    if first > last or since >= until:
        raise UsageError(f"business hours go from an earlier day and hour to a later one, not {str(written)[:40]!r}")
    return OpenHours(tuple(range(first, last + 1)), since, until)


def _written(of: OpenHours) -> str:
    days = DAYS[of.days[0]] if len(of.days) == 1 else f"{DAYS[of.days[0]]}-{DAYS[of.days[-1]]}"
    return f"{days} {of.since:%H:%M}-{of.until:%H:%M}"


def _check_keys(row: Mapping[str, Any], known: set[str], what: str) -> None:
    if unknown := sorted(set(row) - known):
        raise UsageError(f"{what} knows no {unknown[0][:40]!r}, only {', '.join(sorted(known))}")
