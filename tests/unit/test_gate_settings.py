"""The gate's settings: the seed's defaults, its names in the environment, what is clamped and what is refused."""

from __future__ import annotations

import os
from typing import Any

import pytest

from saidonce.errors import SettingsError
from saidonce.foundation.settings.adjudicators import JudgePrice, judge_prices
from saidonce.foundation.settings.aliases import ALIASES
from saidonce.foundation.settings.policy import Settings, load_settings

DEFAULTS = {
    "gate_llm_enabled": False, "gate_clear_below": 0.75, "gate_duplicate_from": 0.80, "gate_llm_timeout_ms": 90_000,
    "gate_llm_poll_interval_ms": 5_000, "gate_escape_hatch": False, "gate_lenient": False,
    "gate_objection_clears": False, "gate_adjudicator": "", "gate_budget_calls_per_day": 0,
}  # fmt: skip


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(("SAIDONCE_", "AUTO_SEED_")):
            monkeypatch.delenv(name)


def test_defaults_are_the_seeds() -> None:
    settings = load_settings()
    assert {name: getattr(settings, name) for name in DEFAULTS} == DEFAULTS


@pytest.mark.parametrize(
    ("alias", "written", "name", "value"),
    [
        ("AUTO_SEED_DEDUP_LLM_ENABLED", "true", "gate_llm_enabled", True),
        ("AUTO_SEED_DEDUP_LLM_CLEAR_THRESHOLD", "0.7", "gate_clear_below", 0.7),
        ("AUTO_SEED_DEDUP_LLM_TIMEOUT_MS", "1000", "gate_llm_timeout_ms", 1_000),
        ("AUTO_SEED_DEDUP_LLM_POLL_INTERVAL_MS", "10", "gate_llm_poll_interval_ms", 10),
        ("AUTO_SEED_DEDUP_CROSS_THRESHOLD", "0.9", "gate_duplicate_from", 0.9),
    ],
)
def test_the_seeds_names_stand_for_ours_which_win(
    monkeypatch: pytest.MonkeyPatch, alias: str, written: str, name: str, value: Any
) -> None:
    assert ALIASES[alias] == name
    monkeypatch.setenv(alias, written)
    assert getattr(load_settings(), name) == value
    assert getattr(load_settings({name: Settings.model_fields[name].default}), name) == value
    monkeypatch.setenv(f"SAIDONCE_{name.upper()}", str(Settings.model_fields[name].default))
    assert getattr(load_settings(), name) == Settings.model_fields[name].default
    assert getattr(load_settings(**{name: value}), name) == value


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ({"gate_clear_below": -1.0}, (0.0, 0.80)),
        ({"gate_duplicate_from": 7.0}, (0.75, 1.0)),
        ({"gate_clear_below": 0.9}, (0.80, 0.80)),
        ({"gate_clear_below": 3.0, "gate_duplicate_from": -2.0}, (0.0, 0.0)),
    ],
)
def test_thresholds_are_moved_into_their_range_and_told(given: dict[str, float], used: tuple[float, float]) -> None:
    told: list[str] = []
    settings = load_settings(warn=told.append, **given)
    assert (settings.gate_clear_below, settings.gate_duplicate_from) == used
    assert told
    assert all(line.startswith("settings.clamped name=gate_") for line in told)


def test_nothing_is_told_of_what_is_in_range() -> None:
    told: list[str] = []
    load_settings(warn=told.append, gate_clear_below=0.8)
    assert told == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("AUTO_SEED_DEDUP_LLM_ENABLED", "perhaps"),
        ("AUTO_SEED_DEDUP_LLM_CLEAR_THRESHOLD", "nan"),
        ("AUTO_SEED_DEDUP_LLM_TIMEOUT_MS", "0"),
        ("AUTO_SEED_DEDUP_LLM_POLL_INTERVAL_MS", "5s"),
        ("AUTO_SEED_DEDUP_CROSS_THRESHOLD", "inf"),
        ("AUTO_SEED_DEDUP_LLM_TRESHOLD", "0.7"),
        ("SAIDONCE_GATE_CLEAR_BELOW", "much"),
        ("SAIDONCE_GATE_BUDGET_COST_PER_DAY", "-1"),
    ],
)
def test_malformed_values_and_unknown_names_are_refused(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError) as refused:
        load_settings()
    assert refused.value.key.upper().removeprefix("SAIDONCE_") == name.removeprefix("SAIDONCE_")
    is_unknown = name.removeprefix("SAIDONCE_").lower() not in Settings.model_fields and name not in ALIASES
    assert refused.value.value == ("(not shown)" if is_unknown else value)


MODEL, RATER = "openai:gpt-5-mini", "auto-rater"
READ, WRITTEN, REVIEW = "gate_price_per_million_input", "gate_price_per_million_output", "gate_price_per_review"


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ({}, READ),
        ({"gate_adjudicator": "local"}, READ),
        ({"gate_adjudicator": MODEL}, READ),
        ({"gate_adjudicator": MODEL, READ: 0.25}, WRITTEN),
        ({"gate_adjudicator": MODEL, REVIEW: 0.1}, READ),
        ({"gate_adjudicator": RATER}, REVIEW),
        ({"gate_adjudicator": RATER, READ: 0.25, WRITTEN: 2.0}, REVIEW),
        ({"gate_adjudicator": f"local,{RATER},{MODEL}", REVIEW: 0.1}, READ),
        ({"gate_adjudicator": f"local,{RATER},{MODEL}", READ: 0.25, WRITTEN: 2.0}, REVIEW),
        ({"gate_adjudicator": RATER, REVIEW: 0.1, "gray_zone": "settle", "gray_zone_adjudicator": MODEL}, READ),
    ],
)
def test_a_budget_of_cost_without_a_price_is_refused_by_the_price_that_is_missing(
    given: dict[str, Any], missing: str
) -> None:
    with pytest.raises(SettingsError, match="gate_budget_cost_per_day") as refused:
        load_settings(gate_budget_cost_per_day=5.0, **given)
    assert refused.value.key == missing


@pytest.mark.parametrize(
    "given",
    [
        {"gate_adjudicator": MODEL, READ: 0.25, WRITTEN: 2.0},
        {"gate_adjudicator": MODEL, READ: 0.0, WRITTEN: 2.0},
        {"gate_adjudicator": RATER, REVIEW: 0.05},
        {"gate_adjudicator": f"local,{RATER},{MODEL}", READ: 0.25, WRITTEN: 2.0, REVIEW: 0.05},
        {READ: 0.25, WRITTEN: 2.0},
    ],
)
def test_a_budget_of_cost_with_its_prices_is_taken(given: dict[str, Any]) -> None:
    assert load_settings(gate_budget_cost_per_day=5.0, **given).gate_budget_cost_per_day == 5.0


def test_without_a_budget_of_cost_no_price_is_needed() -> None:
    assert load_settings(gate_adjudicator=MODEL).gate_price_per_million_input is None


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ({"gate_adjudicator": "local,auto-rater", "gate_llm_timeout_ms": 5_000}, "gate_llm_poll_interval_ms"),
        ({"gate_adjudicator": "auto-rater", "gate_retraction_window_ms": 90_000}, "gate_retraction_window_ms"),
        ({"gate_least_confidence": 1.1}, "gate_least_confidence"),
        ({"gate_prices": "auto-rater"}, "gate_prices"),
        ({"gate_prices": "auto-rater=free"}, "gate_prices"),
        ({"gate_prices": "auto-rater=-1"}, "gate_prices"),
        ({"gate_prices": "auto-rater=1,auto-rater=2"}, "gate_prices"),
        ({"gate_prices": "openai:m=1/2/3"}, "gate_prices"),
    ],
)
def test_what_could_never_rule_or_count_is_refused_at_start(given: dict[str, Any], key: str) -> None:
    with pytest.raises(SettingsError, match=key):
        load_settings(**given)


def test_each_judge_has_its_own_price_and_a_limit_wants_one_for_each() -> None:
    judges: dict[str, Any] = {
        "gate_adjudicator": "local, auto-rater, openai:m",
        "gray_zone": "people",
        "gate_budget_cost_per_day": 5.0,
    }
    assert load_settings(**judges, gate_prices="auto-rater=0.02, openai:m=1.25/10").gate_budget_cost_per_day == 5.0
    with pytest.raises(SettingsError, match="gate_price_per_review"):
        load_settings(**judges, gate_prices="openai:m=1.25/10")
    prices = judge_prices("auto-rater=0.02, openai:m=1.25/10")
    assert prices == {"auto-rater": JudgePrice(0.02), "openai:m": JudgePrice(None, 1.25, 10.0)}
