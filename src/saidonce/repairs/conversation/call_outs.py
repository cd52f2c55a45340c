"""Which call-out list holds for a home, and which of its steps is called next; pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from saidonce.foundation.model.call_outs import CallOutHours, CallOutList, CallOutScope, CallOutStep
from saidonce.foundation.model.residents import Property

EVERYBODY = CallOutList(CallOutScope.ORGANISATION, "", (CallOutStep((), 10),), rounds=6)
"""Without a list: all channels that take notices of residents, every ten minutes, for an hour."""


def list_for(lists: Sequence[CallOutList], place: Property | None) -> CallOutList:
    """Return the list for a home: its own, else its building's, else the organisation's, else everybody.

    Args:
        lists: of the organisation.
        place: property of the home; None while it is not known.
    """
    by_subject = {(each.scope, each.subject.casefold()): each for each in lists if each.steps}
    keys = [(CallOutScope.ORGANISATION, "")]
    if place is not None:
        keys = [(CallOutScope.HOME, place.id.casefold()), (CallOutScope.BUILDING, place.building.casefold()), *keys]
    return next((by_subject[key] for key in keys if key in by_subject), EVERYBODY)


def first_step(of: CallOutList, at: datetime) -> int:
    """Return the index of the first step that is called at a moment."""
    return _callable(of, at)[0]


def next_step(of: CallOutList, last: int, at: datetime) -> tuple[int, bool]:
    """Return the index of the step after one, and whether the list begins anew with it."""
    steps = _callable(of, at)
    later = [n for n in steps if n > last]
    return (later[0], False) if later else (steps[0], True)


def step_of(of: CallOutList, index: int) -> CallOutStep:
    """Return a step; the last one if the list was shortened meanwhile."""
    return of.steps[min(index, len(of.steps) - 1)]


def is_business(of: CallOutList, at: datetime) -> bool:
    """Return whether a moment is within a list's business hours, in its time zone."""
    local = at.astimezone(ZoneInfo(of.time_zone))
    return any(local.weekday() in h.days and h.since <= local.time() < h.until for h in of.business)


def _callable(of: CallOutList, at: datetime) -> list[int]:
    """Return the indices of the steps for a moment; all steps if none is meant for it."""
    hours = CallOutHours.BUSINESS if is_business(of, at) else CallOutHours.OUT_OF_HOURS
    fitting = [n for n, step in enumerate(of.steps) if step.hours in (CallOutHours.ALWAYS, hours)]
    return fitting or list(range(len(of.steps)))
