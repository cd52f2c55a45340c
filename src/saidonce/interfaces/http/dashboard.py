"""The dashboard with its charts, the API's reference, and what operators watch: health and metrics."""

from __future__ import annotations

from datetime import UTC, datetime

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from saidonce.app.base_metrics import record_base
from saidonce.app.metrics import record_held, record_troubles
from saidonce.errors import AccessError
from saidonce.foundation.model import Scope
from saidonce.interfaces.http import charts
from saidonce.interfaces.http.pages import render
from saidonce.interfaces.http.site import MAY_LAG, authorise, caller_of, site_of

dashboard = APIRouter(include_in_schema=False)


@dashboard.get("/dashboard", dependencies=MAY_LAG)
def page(request: Request) -> Response:
    """Show the figures as charts and tables."""
    caller = authorise(request, Scope.READ)
    return render(request, caller, "dashboard.html", a=site_of(request).figures.of(caller.base.base))


@dashboard.get("/charts/{name}.svg", dependencies=MAY_LAG)
def chart(request: Request, name: str, theme: str = "light") -> Response:
    """Draw one chart of the dashboard."""
    caller = authorise(request, Scope.READ)
    if name not in charts.NAMES:
        return PlainTextResponse("no such chart", 404)
    drawn = charts.draw(name, site_of(request).figures.of(caller.base.base), dark=theme == "dark")
    headers = {"Content-Security-Policy": f"default-src 'none'; style-src {charts.styles(drawn)}; sandbox"}
    return Response(drawn, media_type="image/svg+xml; charset=utf-8", headers=headers)


@dashboard.get("/docs")
def reference(request: Request) -> Response:
    """Show the API's reference, made from its OpenAPI document."""
    schema = request.app.openapi()
    routes = [
        (path, method.upper(), operation)
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    ]
    try:
        caller = caller_of(request)
    except AccessError:
        caller = None
    tags = list(dict.fromkeys(tag for _, _, operation in routes for tag in operation.get("tags", ["other"])))
    return render(request, caller, "docs.html", routes=routes, tags=tags, schemas=schema["components"]["schemas"])


@dashboard.get("/healthz")
def health(request: Request) -> Response:
    """Answer ok if the server and its database do, with a line about a model that does not answer."""
    site = site_of(request)
    site.base.store.ping()
    since = site.repairs.model_unreachable_since
    return PlainTextResponse("ok\n" + (f"model unreachable since {since:%Y-%m-%d %H:%M:%S} UTC\n" if since else ""))


@dashboard.get("/metrics")
def metrics(request: Request) -> Response:
    """Return Prometheus series, which cover all organisations; only for the server's own.

    They are of this process, and of the whole base as its database knows it.
    """
    caller = authorise(request, Scope.READ)
    if caller.base is not site_of(request).base:
        raise AccessError(
            "a key of the server's own organisation", "the metrics cover all organisations", is_known=True
        )
    repairs = site_of(request).repairs
    record_troubles(repairs.troubles(), len(repairs.unreached()), datetime.now(UTC))
    site = site_of(request)
    record_held(site.base.store.held_by_org(), datetime.now(UTC))
    record_base(site.base_figures.of(lambda: site.base.store.figures_by_org(datetime.now(UTC))))
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)
