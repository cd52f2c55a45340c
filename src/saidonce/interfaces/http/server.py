"""The application, its errors, and how it is served."""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import anyio.to_thread
import uvicorn
from fastapi import APIRouter, Depends, FastAPI, Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.requests import ClientDisconnect
from starlette.routing import BaseRoute

from saidonce import __version__
from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.app.repairs_service import Repairs, session_secret
from saidonce.errors import (
    AccessError,
    ArtefactError,
    DiskFullError,
    KeyTakenError,
    ModelMismatchError,
    ModelUnavailableError,
    NotFoundError,
    ReplyError,
    SaidonceError,
    SlowedDownError,
    StaleWriteError,
    StoreBusyError,
    StoreUnavailableError,
    UpstreamError,
    UsageError,
    is_full,
)
from saidonce.foundation.disk import disk_full
from saidonce.interfaces.http.admin import admin
from saidonce.interfaces.http.alarms import alarm_pages, alarms_api
from saidonce.interfaces.http.api import api
from saidonce.interfaces.http.blocks import blocks
from saidonce.interfaces.http.bulk import bulk_pages
from saidonce.interfaces.http.chat import chat
from saidonce.interfaces.http.connections import BoundedConfig, BoundedServer
from saidonce.interfaces.http.dashboard import dashboard
from saidonce.interfaces.http.demo import demo
from saidonce.interfaces.http.documents import documents_pages
from saidonce.interfaces.http.evidence import evidence
from saidonce.interfaces.http.feed import feed
from saidonce.interfaces.http.gate import gate_api, gate_pages
from saidonce.interfaces.http.gate_bounds import WorkAllowance
from saidonce.interfaces.http.held import held_api
from saidonce.interfaces.http.held_pages import held_pages
from saidonce.interfaces.http.homes import homes
from saidonce.interfaces.http.issues import issues_pages
from saidonce.interfaces.http.issues_api import issues_api
from saidonce.interfaces.http.jobs import jobs
from saidonce.interfaces.http.middleware import (
    ALARM_LINKS,
    CHAT,
    HEALTH,
    JOBS,
    METRICS,
    WEBHOOKS,
    ActsForCaller,
    BodyLimit,
    FairShare,
    known_first,
)
from saidonce.interfaces.http.pages import pages, render
from saidonce.interfaces.http.repairs import repairs as repairs_pages
from saidonce.interfaces.http.repairs_api import repairs_api
from saidonce.interfaces.http.rerank import RERANK_ROOTS, reranker, reranker_2
from saidonce.interfaces.http.residents_data import residents_api, residents_pages
from saidonce.interfaces.http.review_api import review_api
from saidonce.interfaces.http.revoked_sessions import SESSION_S, EndedSessions
from saidonce.interfaces.http.security import security_api, security_pages
from saidonce.interfaces.http.settings_pages import settings_pages
from saidonce.interfaces.http.sign_in import sign_in_pages
from saidonce.interfaces.http.signed_sessions import SignedSessions
from saidonce.interfaces.http.site import (
    COOKIE,
    HERE,
    SECURE_COOKIE,
    Caller,
    Site,
    caller_of,
    guard_host,
    note_refused,
    recognised,
    with_headers,
)
from saidonce.interfaces.http.sources import sources_api
from saidonce.interfaces.http.steady import Steadying
from saidonce.interfaces.http.webhooks import webhooks
from saidonce.interfaces.views.base import ErrorView
from saidonce.interfaces.views.docstrings import spread
from saidonce.interfaces.views.malformed import in_words
from saidonce.platform.security_log import record_settings

NOT_THERE = 404
NO_NUMBER = ("int_", "greater_than", "less_than")
"""Beginnings of the kinds of error of a path whose number is none, or one that nothing can have."""

THREADS = 128
"""Requests that are worked on at the same time, eight organisations' shares."""

RETRY_AFTER_S = "5"
"""When to try again what the database could not do now."""

_STATUS: tuple[tuple[type[SaidonceError], int], ...] = (
    (NotFoundError, 404),
    (StaleWriteError, 409),
    (ModelMismatchError, 409),
    (KeyTakenError, 409),
    (UsageError, 422),
    (UpstreamError, 422),
    (AccessError, 403),
    (SlowedDownError, 429),
    (ModelUnavailableError, 503),
    (ArtefactError, 503),
    (ReplyError, 502),
    (StoreBusyError, 503),
    (StoreUnavailableError, 503),
    (SaidonceError, 500),
)


API, FORMER_API = "/api/v1", "/api"
PAGES = (
    sign_in_pages, documents_pages, settings_pages,
    bulk_pages, pages, held_pages, gate_pages, blocks, evidence, feed, dashboard, chat, alarm_pages,
    residents_pages, repairs_pages, issues_pages, jobs, homes, demo, security_pages, webhooks,
)  # fmt: skip
REPAIRS_PAGES = frozenset(
    map(id, (chat, alarm_pages, residents_pages, repairs_pages, issues_pages, jobs, homes, demo, webhooks))
)
REPAIRS_APIS = frozenset(map(id, (repairs_api, alarms_api, issues_api, residents_api)))
"""Identities of the routers that are left out where repairs are not installed or switched off."""

TAGS = (
    {"name": "base", "description": "Ingest and search documents."},
    {"name": "blocks", "description": "Read, merge, split, edit and approve blocks."},
    {"name": "review", "description": "Decide the pairs that wait for review."},
    {"name": "people", "description": "People, API keys and notification channels. Needs the scope admin."},
    {"name": "gate", "description": "Check whether something already exists before creating it."},
    {"name": "repairs", "description": "Conversations with residents, issues and homes. Needs the scope residents."},
    {"name": "residents", "description": "Data protection: erase and export residents' data, and the log of both."},
)

REPAIRS_TAGS = frozenset({"repairs", "residents"})

_ERRORS: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": ErrorView, "description": "refused; the message says why"},
    "5XX": {"model": ErrorView, "description": "failed"},
}


class _Application(FastAPI):
    def openapi(self) -> dict[str, Any]:
        """Return the OpenAPI document, with the docstrings of nouns at their fields."""
        if self.openapi_schema is None:
            spread(super().openapi()["components"]["schemas"])
        assert self.openapi_schema is not None  # set by the call above
        return self.openapi_schema


def described(with_repairs: bool = True) -> FastAPI:
    """Make the application's routes with their OpenAPI document; nothing behind them is opened.

    Args:
        with_repairs: those of the repair assistant too.
    """
    return _Application(
        title="saidonce",
        description="A knowledge base for RAG that says everything once and loses nothing.",
        version=__version__,
        openapi_tags=[dict(tag) for tag in TAGS if with_repairs or tag["name"] not in REPAIRS_TAGS],
        docs_url=None,
        redoc_url=None,
        routes=list(_routes(with_repairs)),
    )


@cache
def _routes(with_repairs: bool) -> Sequence[BaseRoute]:
    """Return all routes; they hold nothing of an application, and what they work out at the first request is kept."""
    absent = frozenset[int]() if with_repairs else REPAIRS_PAGES | REPAIRS_APIS
    whole = APIRouter()
    routers = (
        api, review_api, admin, held_api, gate_api, repairs_api, alarms_api, issues_api, residents_api, security_api,
        reranker,
        sources_api,
    )  # fmt: skip
    for router in routers:
        if id(router) not in absent:
            whole.include_router(router, prefix=API, responses=_ERRORS, dependencies=[Depends(_refuse_unknown)])
    for router in (gate_api, repairs_api):
        if id(router) not in absent:
            whole.include_router(router, prefix=FORMER_API, include_in_schema=False)
    whole.include_router(reranker, prefix="/v1", include_in_schema=False)
    whole.include_router(reranker_2, prefix="/v2", include_in_schema=False)
    for router in PAGES:
        if id(router) not in absent:
            whole.include_router(router)
    return tuple(whole.routes)


def _refuse_unknown(request: Request) -> None:
    """Refuse a parameter that the route does not know: a misspelled `collection` would act on another one.

    Raises:
        RequestValidationError: the first of them, by name.
    """
    unknown = sorted(request.query_params.keys() - _parameters(request.scope["route"].dependant))
    if unknown:
        raise RequestValidationError([{"type": "extra_forbidden", "loc": ("query", unknown[0]), "msg": ""}])


def _parameters(dependant: Dependant) -> frozenset[str]:
    """Return the names of a route's parameters behind the question mark, with those of what it depends on."""
    own = (field.alias for field in dependant.query_params)
    return frozenset(own).union(*(_parameters(inner) for inner in dependant.dependencies))


def create_app(base: KnowledgeBase, local: bool, repairs: Repairs | None = None, is_demo: bool = False) -> FastAPI:
    """Make the application over an opened base.

    Args:
        base: of the settings' organisation.
        local: without sign-in; everybody on this machine is its one person.
        repairs: the conversations with residents, if others work with them too.
        is_demo: show the demo's page.
    """
    folder = base.settings.data_dir.expanduser()
    secret = session_secret(folder)
    all_repairs = repairs or Repairs(base, base.for_org)
    site = Site(base, local, secret, EndedSessions(folder / "sessions.ended"), all_repairs, is_demo)
    app = described(all_repairs.is_on)
    app.state.site = site
    app.state.gate_work = WorkAllowance()
    # The last added runs first.
    app.add_middleware(BodyLimit, source_mb=base.settings.max_source_mb, photo_mb=base.settings.media_image_mb)
    app.add_middleware(BaseHTTPMiddleware, dispatch=known_first(_handle_error))
    app.add_middleware(FairShare)
    app.add_middleware(BaseHTTPMiddleware, dispatch=guard_host)
    app.add_middleware(
        SignedSessions, secret_key=secret, session_cookie=SECURE_COOKIE if site.is_https else COOKIE,
        max_age=SESSION_S, https_only=site.is_https,
    )  # fmt: skip
    app.add_middleware(ActsForCaller)
    app.mount("/static", StaticFiles(directory=HERE / "static"), name="static")
    app.add_exception_handler(SaidonceError, _handle_error)
    app.add_exception_handler(RequestValidationError, _handle_malformed)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(OSError, _handle_system_error)
    app.add_exception_handler(ClientDisconnect, _handle_disconnect)
    app.add_exception_handler(Exception, _handle_unforeseen)
    return app


def _handle_error(request: Request, error: Exception) -> Response:
    """Answer with an error of the product: JSON to programs, a page to people."""
    status = next(code for kind, code in _STATUS if isinstance(error, kind))
    if isinstance(error, AccessError) and not error.is_known:
        if _is_page(request):
            return RedirectResponse("/sign-in", 303)
        status = 401
    elif isinstance(error, AccessError):
        note_refused(request, error)
    is_away = isinstance(error, StoreUnavailableError | StoreBusyError)
    kind = type(error).__name__.removesuffix("Error")
    answer = _error_answer(request, status, kind, str(error), is_away=is_away)
    if isinstance(error, SlowedDownError):
        answer.headers["Retry-After"] = str(max(1, round(error.wait_s)))
    elif is_away:
        answer.headers["Retry-After"] = RETRY_AFTER_S
    return answer


def _handle_malformed(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    if first["loc"][0] == "path" and first["type"].startswith(NO_NUMBER):
        return _error_answer(request, NOT_THERE, "NotFound", _nothing_at(request))
    return _error_answer(request, 422, "Malformed", _what_is_malformed(request, first))


def _what_is_malformed(request: Request, first: Mapping[str, Any]) -> str:
    """Name what cannot be read in a request, and what to send instead."""
    if first["type"] == "json_invalid":
        return f"the body is not JSON: {first.get('ctx', {}).get('error', first['msg'])}"
    if first["loc"] == ("body",) and first["type"] in ("model_attributes_type", "missing"):
        kind = request.headers.get("content-type", "")
        if first["type"] == "missing" or kind.startswith("application/json"):
            return "the body must be a JSON object, {...}"
        return f"the body must be a JSON object, sent with the header 'Content-Type: application/json', not {kind!r}"
    return in_words(first, first["loc"][1:])


def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.__cause__ is not None and is_full(error.__cause__):  # a body that could not be laid down to be read
        return _handle_error(request, _disk_full(error.__cause__))
    answer = _error_answer(request, error.status_code, "Http", _what_is_not_here(request, error))
    answer.headers.update(error.headers or {})
    return answer


def _what_is_not_here(request: Request, error: HTTPException) -> str:
    """Name the method or path that nothing answers; other errors say themselves what is wrong."""
    if error.status_code == 405:
        allowed = (error.headers or {}).get("Allow", "")
        return f"{request.url.path} does not take {request.method}" + (f"; use {allowed}" if allowed else "")
    if error.status_code == 404 and error.detail == "Not Found":
        return _nothing_at(request)
    return str(error.detail)


def _nothing_at(request: Request) -> str:
    return f"there is nothing at {request.url.path}" + ("" if _is_page(request) else "; /docs lists the API")


def _handle_system_error(request: Request, error: Exception) -> Response:
    """Answer a full disk as such; what else the system refuses is unforeseen."""
    if not is_full(error):
        raise error
    return _handle_error(request, _disk_full(error))


def _disk_full(error: BaseException) -> DiskFullError:
    name = getattr(error, "filename", None)
    return disk_full("the upload", Path(str(name)) if name else Path(tempfile.gettempdir()))


def _handle_disconnect(_request: Request, _error: Exception) -> Response:
    """Answer nobody: the client has left in the middle of its request, which is no failure of ours."""
    return Response(status_code=400)


def _handle_unforeseen(request: Request, _error: Exception) -> Response:
    """Answer an unforeseen error without its details; the caller logs it. Runs outside of the headers' middleware."""
    if not _is_page(request):
        return with_headers(request, JSONResponse({"error": "Internal", "message": "the server failed"}, 500))
    return with_headers(request, Response("the server failed", 500, media_type="text/plain"))


def _error_answer(request: Request, status: int, kind: str, message: str, *, is_away: bool = False) -> Response:
    """Answer with a message; a database that is away is not asked again who wants to know."""
    if not _is_page(request):
        # Clients of Jina show `detail`, those of Cohere `message`.
        detail = {"detail": message} if request.url.path.startswith(RERANK_ROOTS) else {}
        return JSONResponse({"error": kind, "message": message, **detail}, status)
    is_by_link = request.url.path.startswith((CHAT, JOBS))
    is_for_nobody = is_by_link or request.url.path.startswith(ALARM_LINKS)
    caller = None if is_for_nobody else recognised(request) if is_away else _caller(request)
    titles = {404: "Not found", 409: "Changed meanwhile", 403: "Not allowed", 422: "Not possible", 429: "Too fast"}
    back = "/" if caller is not None or is_away else "/sign-in"
    if is_by_link:
        back = request.url.path if status != NOT_THERE else ""
    return render(
        request, caller, "message.html", status, title=titles.get(status, "Failed"), message=message, back=back
    )


def _caller(request: Request) -> Caller | None:
    try:
        return caller_of(request)
    except SaidonceError:
        return None


def _is_page(request: Request) -> bool:
    path = request.url.path
    return not path.startswith(("/api/", WEBHOOKS, HEALTH, METRICS, *RERANK_ROOTS)) and request.query_params.get(
        "wants"
    ) not in (
        "json",
        "lines",
    )


class _ListeningServer(BoundedServer):
    """A server that reports when it listens."""

    def __init__(self, config: uvicorn.Config, on_listening: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_listening = on_listening

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Bind, then report it."""
        anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
        await super().startup(sockets)
        if self.started:
            self._on_listening()


def run(
    base: KnowledgeBase,
    at: tuple[str, int],
    on_listening: Callable[[], None],
    repairs: Repairs | None = None,
    is_demo: bool = False,
) -> None:
    """Serve until stopped.

    Args:
        base: of the settings' organisation.
        at: address and port to bind.
        on_listening: called once requests are taken.
        repairs: the conversations with residents, if others work with them too.
        is_demo: show the demo's page.

    Raises:
        UsageError: the server would be reachable from elsewhere while nobody has to sign in, or the address is
            taken.
        KeyboardInterrupt: it was interrupted.
    """
    host, port = at
    has_people = bool(base.store.people.people())
    if not has_people and host not in ("127.0.0.1", "localhost", "::1"):
        raise UsageError(
            f"cannot listen on {host} without sign-in; first add a person and a key with"
            " 'saidonce people add NAME --role owner' and 'saidonce keys make NAME'"
        )
    app = create_app(base, not has_people, repairs, is_demo)
    config = config_of(app, at, base.settings.trusted_proxies)
    with _bind(host, port, "--port" if is_demo else "--port or --host") as listening, Steadying() as steadying:

        def began_to_listen() -> None:
            steadying.start()
            on_listening()

        record_settings(base.store, base.settings, datetime.now(UTC))
        server = _ListeningServer(config, began_to_listen)
        server.run(sockets=[listening])
        if server.is_interrupted:  # a shell that started this in the background ignores what uvicorn raises again
            raise KeyboardInterrupt


def config_of(app: Any, at: tuple[str, int], proxies: str) -> BoundedConfig:
    """Configure the server to trust `X-Forwarded-For` from these proxies only."""
    trusted = [each.strip() for each in proxies.split(",") if each.strip()]
    return BoundedConfig(app, host=at[0], port=at[1], log_level="warning", forwarded_allow_ips=trusted)


def _bind(host: str, port: int, options: str) -> socket.socket:
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as failed:
        reason = os.strerror(failed.errno) if failed.errno else str(failed)
        raise UsageError(f"cannot listen on {host}:{port}: {reason}; choose another with {options}") from failed
