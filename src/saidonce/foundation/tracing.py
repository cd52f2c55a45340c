"""Traces: one span a step of a flow, and how long each flow took, to a collector of OpenTelemetry.

Nothing is recorded, and nothing of OpenTelemetry imported, until `start` finds an endpoint in the standard variables,
or a program that embeds this one calls `use`. Spans carry numbers, formats and states; no text, no name and no query.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from saidonce.foundation import extras

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT")
"""Variables of which one must be set. Source: the OpenTelemetry specification, environment variables."""

TIMEOUT_S = 2.0
"""Seconds for one export, unless the standard variables say otherwise: a command ends soon without a collector."""

Attribute = str | int | float | bool

_log = logging.getLogger("saidonce")


class TraceSpan:
    """A step that is being recorded, or one that is not."""

    def __init__(self, recorded: Any = None) -> None:
        self._recorded = recorded

    def set(self, **attributes: Attribute) -> None:
        """Note numbers or states of the step."""
        if self._recorded is not None:
            self._recorded.set_attributes(_named_attributes(attributes))


class _Recorders:
    """Where spans go: nowhere at first."""

    def __init__(self) -> None:
        self.tracer: Any = None
        self.seconds: Any = None


_recorders = _Recorders()
_NOT_RECORDED = TraceSpan()


@contextmanager
def span(flow: str, step: str = "", **attributes: Attribute) -> Iterator[TraceSpan]:
    """Record a flow, or a step of it, as a span inside the one that runs; an error marks it as failed.

    Args:
        flow: its name, such as "ingest".
        step: of the flow; empty for the flow itself, whose duration is measured too.
        attributes: numbers or states that are known beforehand.
    """
    tracer = _recorders.tracer
    if tracer is None:
        yield _NOT_RECORDED
        return
    started, outcome = time.perf_counter(), "error"
    name = f"{flow}.{step}" if step else flow
    # The message of an error may hold what a document says: only its type is noted.
    with tracer.start_as_current_span(name, record_exception=False, set_status_on_exception=False) as recorded:
        recorded.set_attributes(_named_attributes(attributes))
        try:
            yield TraceSpan(recorded)
            outcome = "ok"
        except BaseException as failed:  # an interrupted flow failed, too; it is only noted here
            recorded.set_attribute("error.type", type(failed).__name__)
            recorded.set_status(_error_status())
            raise
        finally:
            if not step and _recorders.seconds is not None:
                seconds = time.perf_counter() - started
                _recorders.seconds.record(seconds, {"saidonce.flow": flow, "saidonce.outcome": outcome})


def start(environment: Mapping[str, str] | None = None) -> bool:
    """Export traces and metrics by OTLP over HTTP as the standard OTEL_* variables say; return whether it is on.

    Without an endpoint nothing happens. With one and without the extra a warning is logged, once, and nothing else
    changes: nobody's work fails because nobody watches it.

    Args:
        environment: the variables that decide whether to export; those of this process by default.
    """
    values = os.environ if environment is None else environment
    if not any(values.get(name, "").strip() for name in ENDPOINTS) or values.get("OTEL_SDK_DISABLED", "") == "true":
        return False
    if absent := extras.missing(extras.OTEL):
        _log.warning("tracing.off %s is not installed: %s", absent, extras.command(extras.OTEL))
        return False
    if _recorders.tracer is not None:
        return True
    resource = _resource()
    tracers = _tracers(resource) if values.get("OTEL_TRACES_EXPORTER", "otlp") == "otlp" else None
    meters = _meters(resource) if values.get("OTEL_METRICS_EXPORTER", "otlp") == "otlp" else None
    use(tracers, meters)
    return tracers is not None


def use(tracers: Any, meters: Any = None) -> None:
    """Record spans with a TracerProvider, and durations with a MeterProvider; None records nothing."""
    _recorders.tracer = tracers.get_tracer("saidonce") if tracers is not None else None
    _recorders.seconds = (
        meters.get_meter("saidonce").create_histogram(
            "saidonce.flow.duration", unit="s", description="Duration of a flow"
        )
        if meters is not None
        else None
    )


def _resource() -> Any:
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415  an extra

    name = os.environ.get("OTEL_SERVICE_NAME", "saidonce")
    return Resource.create({"service.name": name})


def _tracers(resource: Any) -> Any:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415  an extra
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415  an extra
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415  an extra

    tracers = TracerProvider(resource=resource)
    tracers.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(timeout=_timeout_s("TRACES"))))
    return tracers


def _meters(resource: Any) -> Any:
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter  # noqa: PLC0415  an extra
    from opentelemetry.sdk.metrics import MeterProvider  # noqa: PLC0415  an extra
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader  # noqa: PLC0415  an extra

    exporter = OTLPMetricExporter(timeout=_timeout_s("METRICS"))
    return MeterProvider(resource=resource, metric_readers=[PeriodicExportingMetricReader(exporter)])


def _timeout_s(signal: str) -> float | None:
    """Return how long to try one export; None where the standard variables say it."""
    names = ("OTEL_EXPORTER_OTLP_TIMEOUT", f"OTEL_EXPORTER_OTLP_{signal}_TIMEOUT")
    return None if any(name in os.environ for name in names) else TIMEOUT_S


def _error_status() -> Any:
    from opentelemetry.trace import Status, StatusCode  # noqa: PLC0415  an extra

    return Status(StatusCode.ERROR)


def _named_attributes(attributes: Mapping[str, Attribute]) -> dict[str, Attribute]:
    return {f"saidonce.{name}": value for name, value in attributes.items()}
