"""Traces: a span for each flow and its steps, without any text; off without an endpoint; OTLP over the wire."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from saidonce.errors import UsageError
from saidonce.foundation import extras, tracing
from saidonce.foundation.model import Submission
from saidonce.gate import AdmittedIndex, Gate, define
from world import World, world


@pytest.fixture
def spans() -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    tracers = TracerProvider()
    tracers.add_span_processor(SimpleSpanProcessor(exporter))
    tracing.use(tracers)
    yield exporter
    tracing.use(None)


@pytest.fixture(autouse=True)
def _off() -> Iterator[None]:
    yield
    tracing.use(None)


def shown(exporter: InMemorySpanExporter) -> dict[str, Any]:
    return {each.name: each for each in exporter.get_finished_spans()}


def small() -> World:
    w = world(collection_use="canonical")
    w.put("a.md", "# Backups\n\nBackups are kept for ninety days.\n\nDoors are locked at night.\n")
    return w


def test_an_ingest_and_its_merge_and_a_search_have_spans_with_numbers_only(spans: InMemorySpanExporter) -> None:
    w = small()
    w.search("how long are backups kept?")
    found = shown(spans)
    assert {"ingest.segment", "ingest.embed", "ingest.document", "ingest.repeats", "merge"} <= set(found)
    assert {"search.embed", "search.rank", "search.dedup"} <= set(found)
    assert found["ingest.document"].attributes["saidonce.format"] == "md"
    assert found["ingest.document"].attributes["saidonce.state"] == "new"
    assert found["merge"].parent.span_id == found["ingest.document"].context.span_id, "steps stand inside their flow"
    written = " ".join(f"{s.name} {dict(s.attributes or {})} {s.events}" for s in spans.get_finished_spans()).casefold()
    assert not [word for word in ("backups", "ninety", "a.md", "doors") if word in written], "no text, no name"


def test_a_gate_has_a_span_for_its_submissions(spans: InMemorySpanExporter) -> None:
    base = small().base
    definition = define(base, "main")
    Gate(base, definition, AdmittedIndex("main", definition.model, definition.dim)).check(Submission("A new rule."))
    assert shown(spans)["gate"].attributes["saidonce.submissions"] == 1
    assert shown(spans)["gate.embed"].parent.span_id == shown(spans)["gate"].context.span_id


def test_a_failed_flow_is_marked_with_the_type_of_its_error_alone(spans: InMemorySpanExporter) -> None:
    with pytest.raises(UsageError), tracing.span("search"):
        raise UsageError("the secret of the question")
    failed: Any = spans.get_finished_spans()[0]
    assert (failed.status.is_ok, failed.attributes["error.type"], failed.events) == (False, "UsageError", ())
    assert "secret" not in failed.to_json()


def test_durations_of_flows_are_measured_not_those_of_steps() -> None:
    reader = InMemoryMetricReader()
    tracing.use(TracerProvider(), MeterProvider(metric_readers=[reader]))
    with tracing.span("search"), tracing.span("search", "rank"):
        pass
    with pytest.raises(ValueError, match="no"), tracing.span("ask"):
        raise ValueError("no")
    measured: Any = reader.get_metrics_data()
    (resource,) = measured.resource_metrics
    points = resource.scope_metrics[0].metrics[0].data.data_points
    assert sorted((p.attributes["saidonce.flow"], p.attributes["saidonce.outcome"], p.count) for p in points) == [
        ("ask", "error", 1), ("search", "ok", 1)
    ]  # fmt: skip


@pytest.mark.parametrize(
    "environment",
    [
        {}, {"OTEL_EXPORTER_OTLP_ENDPOINT": " "}, {"OTEL_TRACES_EXPORTER": "otlp"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_SDK_DISABLED": "true"},
    ],
)  # fmt: skip
def test_nothing_is_recorded_without_an_endpoint(environment: dict[str, str]) -> None:
    assert tracing.start(environment) is False
    with tracing.span("search") as span:
        span.set(hits=1)


def test_without_the_extra_a_warning_names_the_command(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(extras, "missing", lambda _extra: "opentelemetry.sdk")
    assert tracing.start({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}) is False
    assert "pip install 'saidonce[otel]'" in caplog.text


class Collector(HTTPServer):
    """Takes what is sent by OTLP over HTTP."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Taking)
        self.bodies: list[tuple[str, bytes]] = []


class _Taking(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        assert isinstance(self.server, Collector)
        is_packed = self.headers.get("Content-Encoding") == "gzip"
        self.server.bodies.append((self.path, gzip.decompress(body) if is_packed else body))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def collector() -> Iterator[Collector]:
    server = Collector()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def test_spans_reach_a_collector_as_the_standard_variables_say(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{collector.server_port}")
    monkeypatch.setenv("OTEL_SERVICE_NAME", "north-base")
    monkeypatch.setenv("OTEL_METRICS_EXPORTER", "none")
    kept: list[Any] = []
    monkeypatch.setattr(tracing, "use", lambda tracers, meters=None: kept.extend((tracers, meters)))
    assert tracing.start() is True
    tracers, meters = kept
    assert meters is None
    monkeypatch.undo()
    tracing.use(tracers)
    small().search("how long are backups kept?")
    tracers.shutdown()
    assert {path for path, _ in collector.bodies} == {"/v1/traces"}
    request = ExportTraceServiceRequest()
    request.ParseFromString(b"".join(body for _, body in collector.bodies))
    (resource,) = {str(r.resource.attributes) for r in request.resource_spans}
    assert "north-base" in resource
    names = {s.name for r in request.resource_spans for scope in r.scope_spans for s in scope.spans}
    assert {"ingest.document", "merge", "search.rank"} <= names
