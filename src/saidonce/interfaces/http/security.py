"""The security log, for administrators: a page with filters, and the API."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response

from saidonce.foundation.model import Scope
from saidonce.foundation.model.security import SecurityFilter, SecurityKind
from saidonce.interfaces.http.callers import Before, MaySeeAdmin
from saidonce.interfaces.http.pages import render
from saidonce.interfaces.http.schemas import Moment
from saidonce.interfaces.http.site import BIGGEST, authorise
from saidonce.interfaces.views.security import SecurityEventView

security_api = APIRouter(tags=["people"])
security_pages = APIRouter(include_in_schema=False)

PAGE = 100
MOST = 1_000

Word = Annotated[str, Query(max_length=200)]
After = Annotated[int | None, Query(ge=0, le=BIGGEST, description="only entries with larger numbers, oldest first")]


@security_api.get("/security-log", summary="List the security log")
def security_log(
    caller: MaySeeAdmin,
    kind: Annotated[list[SecurityKind] | None, Query(description="only these kinds")] = None,
    person: Annotated[str, Query(max_length=200, description="only entries of this person")] = "",
    address: Annotated[str, Query(max_length=100, description="only from this IP address")] = "",
    since: Annotated[Moment | None, Query(description="only entries at or after this time")] = None,
    until: Annotated[Moment | None, Query(description="only entries before this time")] = None,
    before: Before = None,
    after: After = None,
    limit: Annotated[int, Query(ge=1, le=MOST)] = PAGE,
) -> list[SecurityEventView]:
    """Return entries, newest first, or with `after` the following ones, oldest first; entries are never changed."""
    security_filter = SecurityFilter(tuple(kind or ()), person, address, since, until, before, after, limit)
    return [SecurityEventView.show(event) for event in caller.base.store.security.events(security_filter)]


@security_pages.get("/security")
def page(
    request: Request, kind: Word = "", person: Word = "", address: Word = "", day: Word = "", before: Before = None
) -> Response:
    """Show the security log, newest first; invalid filters are ignored."""
    caller = authorise(request, Scope.ADMIN)
    kinds = (SecurityKind(kind),) if kind in list(SecurityKind) else ()
    since, until = _day(day)
    security_filter = SecurityFilter(kinds, person.strip(), address.strip(), since, until, before, limit=PAGE + 1)
    events = caller.base.store.security.events(security_filter)
    shown = {"kind": kinds[0].value if kinds else "", "person": person, "address": address, "day": day if since else ""}
    older = ""
    if len(events) > PAGE:
        older = "/security?" + urlencode({**{k: v for k, v in shown.items() if v}, "before": events[PAGE - 1].n})
    return render(
        request, caller, "security.html", events=events[:PAGE], kinds=list(SecurityKind), asked=shown, older=older
    )


def _day(written: str) -> tuple[datetime, datetime] | tuple[None, None]:
    """Return beginning and end of a day; nothing for what is none, also for the last one that has no next."""
    try:
        since = datetime.combine(datetime.fromisoformat(written).date(), time(), UTC)
        return since, since + timedelta(days=1)
    except (ValueError, OverflowError):
        return None, None
