from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from saidonce.errors import SettingsError
from saidonce.foundation.model import Outcome
from saidonce.foundation.settings.policy import (
    CANONICAL,
    GATE,
    POLICIES,
    REPEAT,
    SEGMENT_POLICIES,
    Policy,
    SegmentStyle,
    Settings,
    load_settings,
)

NAMES = sorted(Settings.model_fields)


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.delenv(f"SAIDONCE_{name.upper()}", raising=False)


class TestPolicies:
    @pytest.mark.parametrize(
        ("policy", "clear_below", "duplicate_from", "unsure"),
        [
            (REPEAT, 0.82, 0.90, Outcome.DISTINCT),
            (CANONICAL, 0.82, 0.94, Outcome.REVIEW),
            (GATE, 0.75, 0.80, Outcome.DUPLICATE),
        ],
    )
    def test_have_the_thresholds_of_the_seeds_and_fail_to_the_visible_side(
        self, policy: Policy, clear_below: float, duplicate_from: float, unsure: Outcome
    ) -> None:
        assert (policy.clear_below, policy.duplicate_from, policy.when_unsure) == (clear_below, duplicate_from, unsure)
        assert policy.k == 5
        assert POLICIES[policy.use] is policy

    def test_the_base_never_merges_what_is_in_doubt(self) -> None:
        for policy in (REPEAT, CANONICAL):
            assert Outcome.DUPLICATE not in (policy.on_objection, policy.when_unsure)

    @pytest.mark.parametrize(("low", "high"), [(0.9, 0.8), (-0.1, 0.5), (0.5, 1.1), (float("nan"), 0.9)])
    def test_with_crossed_thresholds_are_refused_with_their_values(self, low: float, high: float) -> None:
        with pytest.raises(SettingsError, match="0 <= clear_below <= duplicate_from <= 1") as caught:
            Policy("mine", low, high, Outcome.REVIEW, Outcome.REVIEW)
        assert caught.value.key == "policy mine"
        assert repr(low) in str(caught.value)


class TestSegmentPolicies:
    def test_there_is_one_for_each_style(self) -> None:
        assert set(SEGMENT_POLICIES) == set(SegmentStyle)
        assert all(policy.style is style for style, policy in SEGMENT_POLICIES.items())

    def test_packed_segments_have_the_sizes_of_the_conversation_seed(self) -> None:
        packed = SEGMENT_POLICIES[SegmentStyle.PACKED]
        assert (packed.join_below, packed.target, packed.split_above) == (300, 500, 500)
        assert 50 <= packed.overlap <= 100


class TestSettings:
    @pytest.mark.parametrize(
        ("name", "default"),
        [
            ("repeat_enabled", True),
            ("repeat_from", 0.90),
            ("salience_floor", 0.05),
            ("boost_enabled", True),
            ("boost_per_repeat", 0.15),
            ("salience_cap", 1.0),
            ("boost_decay", "logarithmic"),
            ("boost_log_base", 2.0),
            ("dedup_enabled", True),
            ("dedup_from", 0.90),
            ("min_relevance", 0.25),
            ("log_enabled", True),
            ("metrics_enabled", True),
            ("warn_ingest_ratio", 0.50),
            ("warn_search_ratio", 0.30),
            ("warn_boost", 0.60),
            ("dense_weight", 0.6),
            ("rrf_k", 60),
        ],
    )
    def test_have_the_defaults_of_the_seeds(self, name: str, default: object) -> None:
        assert getattr(load_settings(), name) == default

    @pytest.mark.parametrize("name", NAMES)
    def test_each_has_help_and_metadata(self, name: str) -> None:
        field = Settings.model_fields[name]
        assert field.description
        assert field.description[-1] != "."
        assert isinstance(field.json_schema_extra, dict)
        assert set(field.json_schema_extra) == {"unit", "source"}

    @pytest.mark.parametrize("name", NAMES)
    def test_each_default_passes_its_own_check(self, name: str) -> None:
        default = Settings.model_fields[name].default
        assert getattr(load_settings({name: default}), name) == default

    def test_cannot_be_changed_afterwards(self) -> None:
        with pytest.raises(ValidationError):
            load_settings().k = 3

    @pytest.mark.parametrize(
        ("name", "written", "value"),
        [
            ("k", "25", 25),
            ("repeat_from", "0.92", 0.92),
            ("boost_decay", "linear", "linear"),
            ("dedup_enabled", "false", False),
            ("data_dir", "/tmp/base", Path("/tmp/base")),
            ("segment_style", "packed", SegmentStyle.PACKED),
        ],
    )
    def test_come_from_the_environment_under_their_name(
        self, monkeypatch: pytest.MonkeyPatch, name: str, written: str, value: object
    ) -> None:
        monkeypatch.setenv(f"SAIDONCE_{name.upper()}", written)
        assert getattr(load_settings(), name) == value

    def test_given_ones_win_over_the_environment_and_that_over_the_file(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SAIDONCE_K", "20")
        monkeypatch.setenv("SAIDONCE_POOL", "300")
        found = load_settings({"k": 10, "pool": 200, "org": "north"}, k=30)
        assert (found.k, found.pool, found.org) == (30, 300, "north")

    def test_a_given_none_leaves_a_setting_as_it_is(self) -> None:
        assert load_settings({"k": 7}, k=None).k == 7


class TestMalformedSettings:
    @pytest.mark.parametrize(
        ("name", "value", "allowed"),
        [
            ("repeat_from", 1.2, "less than or equal to 1"),
            ("repeat_from", -0.1, "greater than or equal to 0"),
            ("repeat_from", float("nan"), ""),
            ("salience_floor", "much", "number"),
            ("boost_per_repeat", 1.5, "less than or equal to 1"),
            ("boost_decay", "square", "'logarithmic' or 'linear'"),
            ("boost_log_base", 1.0, "greater than 1"),
            ("k", 0, "greater than or equal to 1"),
            ("k", 2.5, "integer"),
            ("pool", 5, "greater than or equal to 10"),
            ("freshness_half_life", 0, "greater than 0"),
            ("fusion", "magic", "'minmax' or 'rrf'"),
            ("segment_style", "big", "'paragraph', 'packed' or 'whole'"),
            ("dedup_enabled", "perhaps", "boolean"),
            ("parse_memory_mb", 1, "greater than or equal to 128"),
        ],
    )
    def test_are_refused_with_key_value_and_what_is_allowed(self, name: str, value: Any, allowed: str) -> None:
        with pytest.raises(SettingsError) as caught:
            load_settings({name: value})
        assert caught.value.key == name
        assert repr(caught.value.value) == repr(value)
        assert name in str(caught.value)
        assert repr(value) in str(caught.value)
        assert allowed in caught.value.allowed

    def test_what_is_allowed_stands_in_our_words(self) -> None:
        cases: list[tuple[dict[str, Any], str]] = [
            ({"dense_weight": 7}, "setting dense_weight is 7; allowed: less than or equal to 1"),
            ({"time_zone": "Mars"}, "setting time_zone is 'Mars'; allowed: a name of the IANA time zone database"),
        ]
        for wrong, says in cases:
            with pytest.raises(SettingsError) as caught:
                load_settings(wrong)
            assert str(caught.value).startswith(says)

    def test_are_refused_wherever_they_come_from(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SAIDONCE_REPEAT_FROM", "90")
        with pytest.raises(SettingsError, match=r"repeat_from is '90'.*less than or equal to 1"):
            load_settings()

    @pytest.mark.parametrize(("file", "given"), [({"colour": 1}, {}), ({}, {"colour": 1}), ({"k": 5}, {"colour": 1})])
    def test_an_unknown_key_is_refused_without_its_value(self, file: dict[str, Any], given: dict[str, Any]) -> None:
        with pytest.raises(SettingsError, match="no setting is called 'colour'") as caught:
            load_settings(file, **given)
        assert (caught.value.key, caught.value.value) == ("colour", "(not shown)")


def test_a_misspelt_variable_is_refused_and_the_nearest_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAIDONCE_REPEAT_FORM", "0.8")
    with pytest.raises(SettingsError, match=r"'SAIDONCE_REPEAT_FORM'; did you mean SAIDONCE_REPEAT_FROM"):
        load_settings()


@pytest.mark.parametrize(
    ("said", "means"),
    [("true", "on"), ("TRUE", "on"), ("false", "off"), ("shadow", "shadow"), ("on", "on"), ("", "on")],
)
def test_the_seeds_name_of_the_flag_is_understood(said: str, means: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("USE_LLM_ORCHESTRATION", said)
    assert load_settings().use_llm_orchestration == means
    monkeypatch.setenv("SAIDONCE_USE_LLM_ORCHESTRATION", "shadow")
    assert load_settings().use_llm_orchestration == "shadow"


def test_a_malformed_flag_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("USE_LLM_ORCHESTRATION", "perhaps")
    with pytest.raises(SettingsError, match="use_llm_orchestration"):
        load_settings()
