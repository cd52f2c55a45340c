"""Callers of the API as parameters of its routes: by an API key or a session, with the scope that the route needs."""

from __future__ import annotations

from typing import Annotated

from fastapi import Header, Path, Query, Request, Security
from fastapi.security import APIKeyCookie, HTTPBearer, SecurityScopes

from saidonce.foundation.model import Scope
from saidonce.interfaces.http.site import BIGGEST, COOKIE, Caller, authorise, check_form

_API_KEY = HTTPBearer(
    scheme_name="ApiKey", bearerFormat="so1_...", auto_error=False,
    description="`Authorization: Bearer so1_...`; create a key with `saidonce keys make NAME`. Each route names the"
    " scope that the key needs: read, residents, write, review or admin."
    " Routes with data of residents need the scope residents in addition.",
)  # fmt: skip
_SESSION = APIKeyCookie(
    name=COOKIE, scheme_name="Session", auto_error=False,
    description="The cookie of a signed-in browser. Routes that change something also need the session's token in"
    " `X-CSRF-Token`. A server without people, which is reachable from its own machine only, needs no sign-in.",
)  # fmt: skip

Token = Annotated[str, Header(alias="X-CSRF-Token", description="the session's token, instead of an API key")]
Key = Annotated[
    str,
    Header(
        alias="Idempotency-Key", max_length=200, description="a repeated request with the same key is carried out once"
    ),
]
Seq = Annotated[int, Path(ge=1, le=BIGGEST, description="number of a decision")]
Before = Annotated[int | None, Query(ge=0, le=BIGGEST, description="only decisions with smaller numbers")]


def _scheme(
    _key: Annotated[object, Security(_API_KEY)] = None, _session: Annotated[object, Security(_SESSION)] = None
) -> None:
    """Name both schemes in the description of a route; either is enough."""


def _reading(request: Request, scopes: SecurityScopes, _named: Annotated[None, Security(_scheme)] = None) -> Caller:
    return authorise(request, Scope(scopes.scopes[0]))


def _authorise_change(
    request: Request, scopes: SecurityScopes, _named: Annotated[None, Security(_scheme)] = None, token: Token = ""
) -> Caller:
    """Recognise the caller; a session has to send its token with whatever changes something."""
    caller = authorise(request, Scope(scopes.scopes[0]))
    if caller.csrf:
        check_form(request, caller, token)
    return caller


MayRead = Annotated[Caller, Security(_reading, scopes=[Scope.READ.value])]
MayAsk = Annotated[Caller, Security(_authorise_change, scopes=[Scope.READ.value])]
MaySeeResidents = Annotated[Caller, Security(_reading, scopes=[Scope.RESIDENTS.value])]
MayWrite = Annotated[Caller, Security(_authorise_change, scopes=[Scope.WRITE.value])]
MayReview = Annotated[Caller, Security(_authorise_change, scopes=[Scope.REVIEW.value])]
MayAdmin = Annotated[Caller, Security(_authorise_change, scopes=[Scope.ADMIN.value])]
MaySeeAdmin = Annotated[Caller, Security(_reading, scopes=[Scope.ADMIN.value])]
"""Somebody who may, by the scope in the name."""
