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
        raise ValueError(f"{', '.join(sorted(GATE_NOTICES))}, with commas between; not {unknown[0]!r}")
    return written


Share = Annotated[float, Field(ge=0.0, le=1.0)]
Price = Annotated[float | None, Field(ge=0.0, allow_inf_nan=False)]
Threshold = Annotated[float, Field(allow_inf_nan=False)]
"""A similarity that is moved into 0..1 with a warning, rather than refused. Source: seed 000, "clamps thresholds"."""


class GateSettings(BaseSettings):
    """How gates decide, who rules for them, and what a request may cost."""

    gate_llm_enabled: bool = setting(
        False, "ask an adjudicator from gate_clear_below on; else one threshold, gate_duplicate_from", source="seed 000"
    )
    gate_clear_below: Threshold = setting(
        0.75, "similarity under which a submission is cleared unasked; moved to gate_duplicate_from if above it",
        "cosine", "seed 000",
    )  # fmt: skip
    gate_duplicate_from: Threshold = setting(
        0.80, "similarity from which a submission is a duplicate unless an adjudicator clears it", "cosine", "seed 000"
    )
    gate_llm_timeout_ms: Annotated[int, Field(ge=1, le=3_600_000)] = setting(
        90_000, "time that one ruling may take", "ms", "seed 000"
    )
    gate_llm_poll_interval_ms: Annotated[int, Field(ge=1, le=3_600_000)] = setting(
        5_000,
        "longest wait between two questions whether the auto-rater is done; the first are asked sooner",
        "ms",
        "seed 000",
    )
    gate_adjudicator: str = setting(
        "",
        "who rules: auto-rater, local, model (that of gate_model), PROVIDER:MODEL, a plug-in's name, or several in"
        " turn, such as local,auto-rater",
    )
    gate_rulings_at_once: Annotated[int, Field(ge=1, le=64)] = setting(
        8, "questions that a worker or a check puts to one adjudicator at the same time; a local judge gets one",
        "questions",
    )  # fmt: skip
    gate_model: str = setting("", "model that rules where gate_adjudicator names `model`, such as openai:gpt-5-mini")
    gate_model_url: str = setting("", "base URL of an OpenAI-compatible chat endpoint for the gate's model", "URL")
    gate_model_key: str = setting("", "API key of that endpoint; never logged; providers read their own variables")
    gate_auto_rater_url: str = setting("", "base URL of the auto-rater", "URL", "seed 000")
    gate_auto_rater_key: str = setting("", "API key of the auto-rater; never logged")
    gate_budget_calls_per_day: Annotated[int, Field(ge=0)] = setting(
        0, "calls of a model a day (UTC) and organisation, after which nobody rules; 0 does not limit", "calls"
    )
    gate_budget_cost_per_day: Annotated[float, Field(ge=0.0, allow_inf_nan=False)] = setting(
        0.0, "cost of a day's calls after which nobody rules; 0 does not limit; needs a price", "US dollars"
    )
    gate_price_per_million_input: Price = setting(
        None, "price of a million tokens that a model reads; needed by gate_budget_cost_per_day", "US dollars"
    )
    gate_price_per_million_output: Price = setting(
        None, "price of a million tokens that a model writes; needed by gate_budget_cost_per_day", "US dollars"
    )
    gate_price_per_review: Price = setting(
        None, "price of a review by the auto-rater; needed by gate_budget_cost_per_day", "US dollars"
    )
    gate_notices: Annotated[str, AfterValidator(_notice_acts)] = setting(
        "",
        "what the gate does that channels without an owner are told at once: cleared, held, let_through, overridden,"
        " released, retracted; several with commas between",
    )
    gate_prices: str = setting(
        "",
        "prices of single judges, by their names in gate_adjudicator: NAME=PRICE of a ruling, or NAME=INPUT/OUTPUT of a"
        " million tokens read and written; several with commas between, such as auto-rater=0.02,openai:gpt-5=1.25/10",
        "US dollars",
    )
    gate_audit_share: Share = setting(
        0.05, "share of an adjudicator's clears that people are asked to audit, drawn at random; see gate held --audit"
    )
    gate_requires_echo: bool = setting(
        False, "an auto-rater clears only by JSON that repeats question and nonce; a bare word or free text never does"
    )
    gate_least_confidence: Annotated[float, Field(ge=0.0, le=1.0)] | None = setting(
        None,
        "confidence that an adjudicator's clear has to state; without, none below 0.5 counts, and one that states none"
        " may count",
    )
    gate_retraction_window_ms: Annotated[int, Field(ge=0, le=3_600_000)] = setting(
        0, "time in which an auto-rater may take a clear back: it counts once it has stood for so long", "ms"
    )
    gate_recheck_hours: Annotated[float, Field(ge=0.0, le=8_760.0, allow_inf_nan=False)] = setting(
        24.0,
        "how long after a clear a worker looks again whether the auto-rater still says so; 0 never looks",
        "h",
    )
    gate_lenient: bool = setting(
        False, "let free text of an auto-rater clear a submission; a hostile text can provoke such a reply"
    )
    gate_escape_hatch: bool = setting(
        False, "for emergencies: let submissions through whose adjudicator is away", source="seed 000"
    )
    gate_objection_clears: bool = setting(
        False,
        "where nobody is asked, clear a submission if it differs from every near match in a value: a number, unit,"
        " amount, date, version or identifier",
    )
    gate_embedded_fields: str = setting(
        "title,text", "parts of a submission that a new gate compares by similarity, in this order"
    )
    gate_exact_fields: str = setting("", "parts that it compares exactly: another value is no match")
    gate_max_words: Annotated[int, Field(ge=0)] = setting(
        20_000, "words that one request over HTTP may have compared; more is refused with 413; 0 does not limit"
    )
    gate_seconds_per_minute: Annotated[float, Field(ge=0.0, allow_inf_nan=False)] = setting(
        120.0, "work of a minute for one key over HTTP; more is refused with 429; 0 does not limit", "s"
    )
    gate_shown_fields: str = setting("", "parts that an adjudicator sees beside those; empty shows all")
