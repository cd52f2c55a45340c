"""Tier 1: every scenario of tests/cases/conversation, by the keyword flow and by the model flow.

The replies in these files are scripted: they test the corridor, the gate and the faults, and say nothing of how well
a model chooses. That is measured on recordings of a real model, tests/conversation/test_recorded.py.
"""

from __future__ import annotations

from typing import Any

import pytest

from conversation_scenarios import played, scenarios
from saidonce.quality.conversation import cells, coverage, legal


def rows() -> list[Any]:
    return [pytest.param(s, flow, id=f"{s.id} [{flow}]") for s in scenarios() for flow in s.flows]


@pytest.mark.parametrize(("scenario", "flow"), rows())
def test_scenario(scenario: Any, flow: str) -> None:
    result = played()[scenario.id, flow]
    if flow in scenario.fails:
        assert result.failures, f"{flow} is known to fail this, and passed"
    else:
        assert not result.failures, "\n".join(result.failures)


def test_the_seeds_three_failures_are_failed_by_version_1_and_passed_by_version_2() -> None:
    named = [s for s in scenarios() if s.fails]
    assert {s.id for s in named} == {"seed-1-boiler", "seed-2-pics-in-a-minute", "seed-3-leak-in-bathroom"}
    for s in named:
        assert played()[s.id, "v1"].failures
        assert not played()[s.id, "v2"].failures


def test_every_legal_cell_is_played() -> None:
    results = list(played().values())
    print("legal played, legal, illegal tried, illegal:", coverage(results))
    assert legal() - cells(results) == set()
    assert cells(results) <= legal()


def test_there_are_enough_and_no_issue_is_made_by_mistake() -> None:
    assert len(scenarios()) >= 45
    assert [p.scenario for p in played().values() if p.n_false and p.flow == "v2"] == []


def test_calls_and_tokens_stay_in_their_budget() -> None:
    calls = sorted(n for p in played().values() for n in p.calls)
    tokens = max(t.prompt_tokens for p in played().values() for t in p.turns)
    assert max(calls) <= 2
    assert 0 < tokens <= 1_500
