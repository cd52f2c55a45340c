"""Settings of the gate. Source of the defaults: seed 000."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic_settings import BaseSettings

from saidonce.foundation.settings.channels import setting

GATE_NOTICES = frozenset({"cleared", "held", "let_through", "overridden", "released", "retracted"})
"""What the gate may tell channels of."""


def _notice_acts(written: str) -> str:
    if unknown := sorted({act.strip() for act in written.split(",") if act.strip()} - GATE_NOTICES):
        raise ValueError(f"{', '.join(sorted(GATE_NOTICES))}, separated by commas; not {unknown[0]!r}")
    return written


Share = Annotated[float, Field(ge=0.0, le=1.0)]
Price = Annotated[float | None, Field(ge=0.0, allow_inf_nan=False)]
Threshold = Annotated[float, Field(allow_inf_nan=False)]
"""A similarity that is moved into 0..1 with a warning, rather than refused. Source: seed 000, "clamps thresholds"."""


class GateSettings(BaseSettings):
    """How gates decide, who rules for them, and what a request may cost."""

    gate_llm_enabled: bool = setting(
        False,
        "ask an adjudicator from gate_clear_below up; otherwise gate_duplicate_from is the only threshold",
        source="seed 000",
    )
    gate_clear_below: Threshold = setting(
        0.75, "similarity below which a submission is cleared without asking; capped at gate_duplicate_from",
        "cosine", "seed 000",
    )  # fmt: skip
    gate_duplicate_from: Threshold = setting(
        0.80, "similarity at which a submission is a duplicate unless an adjudicator clears it", "cosine", "seed 000"
    )
    gate_llm_timeout_ms: Annotated[int, Field(ge=1, le=3_600_000)] = setting(
        90_000, "time limit for one ruling", "ms", "seed 000"
    )
    gate_llm_poll_interval_ms: Annotated[int, Field(ge=1, le=3_600_000)] = setting(
        5_000,
        "maximum interval between polls of the auto-rater; the first polls come sooner",
        "ms",
        "seed 000",
    )
    gate_adjudicator: str = setting(
        "",
        "adjudicator: auto-rater, local, model (that of gate_model), PROVIDER:MODEL, a plug-in's name, or several in"
        " order, such as local,auto-rater",
    )
    gate_rulings_at_once: Annotated[int, Field(ge=1, le=64)] = setting(
        8, "maximum number of concurrent requests to one adjudicator, per worker or check; a local judge gets one",
        "questions",
    )  # fmt: skip
    gate_model: str = setting("", "model for `model` in gate_adjudicator, such as openai:gpt-5-mini")
    gate_model_url: str = setting("", "base URL of an OpenAI-compatible chat endpoint for the gate's model", "URL")
    gate_model_key: str = setting("", "API key of that endpoint; never logged; providers read their own variables")
    gate_auto_rater_url: str = setting("", "base URL of the auto-rater", "URL", "seed 000")
    gate_auto_rater_key: str = setting("", "API key of the auto-rater; never logged")
    gate_budget_calls_per_day: Annotated[int, Field(ge=0)] = setting(
        0, "maximum number of model calls per day (UTC) and organisation; then nobody rules; 0: no limit", "calls"
    )
    gate_budget_cost_per_day: Annotated[float, Field(ge=0.0, allow_inf_nan=False)] = setting(
        0.0, "maximum cost of model calls per day; then nobody rules; 0: no limit; needs prices", "US dollars"
    )
    gate_price_per_million_input: Price = setting(
        None, "price per million input tokens; needed by gate_budget_cost_per_day", "US dollars"
    )
    gate_price_per_million_output: Price = setting(
        None, "price per million output tokens; needed by gate_budget_cost_per_day", "US dollars"
    )
    gate_price_per_review: Price = setting(
        None, "price per review by the auto-rater; needed by gate_budget_cost_per_day", "US dollars"
    )
    gate_notices: Annotated[str, AfterValidator(_notice_acts)] = setting(
        "",
        "gate events to notify channels without an owner of at once: cleared, held, let_through, overridden, released,"
        " retracted; separated by commas",
    )
    gate_prices: str = setting(
        "",
        "prices of single adjudicators, by their names in gate_adjudicator: NAME=PRICE per ruling, or NAME=INPUT/OUTPUT"
        " per million tokens; separated by commas, such as auto-rater=0.02,openai:gpt-5=1.25/10",
        "US dollars",
    )
    gate_audit_share: Share = setting(
        0.05, "share of an adjudicator's clears that are drawn at random for an audit; see gate held --audit"
    )
    gate_requires_echo: bool = setting(
        False,
        "an auto-rater clears only with JSON that repeats question and nonce, never with a bare word or free text",
    )
    gate_least_confidence: Annotated[float, Field(ge=0.0, le=1.0)] | None = setting(
        None,
        "minimum confidence that an adjudicator's clear has to state; unset: at least 0.5, or none stated",
    )
    gate_retraction_window_ms: Annotated[int, Field(ge=0, le=3_600_000)] = setting(
        0, "time in which an auto-rater may retract a clear; a clear takes effect after it", "ms"
    )
    gate_recheck_hours: Annotated[float, Field(ge=0.0, le=8_760.0, allow_inf_nan=False)] = setting(
        24.0,
        "time after a clear during which a worker asks the auto-rater whether it still stands; 0: never",
        "h",
    )
    gate_lenient: bool = setting(
        False, "let an auto-rater clear with free text; hostile submissions can provoke such replies"
    )
    gate_escape_hatch: bool = setting(
        False, "for emergencies: let submissions through whose adjudicator is unavailable", source="seed 000"
    )
    gate_objection_clears: bool = setting(
        False,
        "without an adjudicator, clear a submission that differs from every near match in a value: a number, unit,"
        " amount, date, version or identifier",
    )
    gate_embedded_fields: str = setting(
        "title,text", "fields of a submission that a new gate compares by similarity, in this order"
    )
    gate_exact_fields: str = setting("", "fields that a new gate compares exactly: different values do not match")
    gate_max_words: Annotated[int, Field(ge=0)] = setting(
        20_000, "maximum number of words in one HTTP request; more is refused with 413; 0: no limit"
    )
    gate_seconds_per_minute: Annotated[float, Field(ge=0.0, allow_inf_nan=False)] = setting(
        120.0, "maximum gate work per API key and minute over HTTP; more is refused with 429; 0: no limit", "s"
    )
    gate_shown_fields: str = setting("", "other fields that an adjudicator sees; empty: all")
