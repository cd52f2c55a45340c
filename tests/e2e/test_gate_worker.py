"""Pending submissions on a real database: a worker has them ruled on, and one that is killed loses nothing."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from judges import DyingJudge, Judge, distinct
from saidonce import KnowledgeBase, Submission
from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.adapters.postgres.embedded import EmbeddedServer
from saidonce.foundation.model import GateState, Reason
from saidonce.foundation.settings.policy import load_settings
from saidonce.interfaces.worker.jobs import Bases, Jobs, orgs_with_pending
from saidonce.interfaces.worker.queue_schema import prepare

pytestmark = pytest.mark.xdist_group("gate_worker")

TEXT = "Count the shirts and trousers in the stock room of the shop and note what is missing on the sheet."
NEAR = "Count the shirts and the trousers in the stock room of the shop, and note what is missing on the sheet."


def opened(url: str, org: str, judge: Judge) -> KnowledgeBase:
    base = KnowledgeBase(load_settings(database_url=url, org=org, gate_llm_enabled=True, gate_llm_timeout_ms=1))
    base._lazy.opened |= {"embedder": HashedEmbedder(), "adjudicator": judge}
    return base


def worked(url: str, org: str, base: KnowledgeBase) -> None:
    """What `saidonce worker --once` does, with this base for the organisation."""
    bases = Bases(base)
    asyncio.run(Jobs(base.settings, url, bases, {}).run_once())


def test_a_worker_rules_and_a_dead_one_loses_nothing(
    embedded_server: EmbeddedServer, org: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    url = embedded_server.url
    monkeypatch.setattr("saidonce.interfaces.worker.jobs.orgs_with_pending", lambda _url: [org])
    monkeypatch.setattr("saidonce.interfaces.worker.jobs.orgs_to_tell", lambda _url: [])
    with opened(url, org, Judge(distinct)) as base:
        gate = base.gate("tasks")
        gate.check(Submission(TEXT))
        (waiting,) = gate.submit_many([Submission(NEAR, key="k")])
        assert waiting.state is GateState.PENDING
        assert org in orgs_with_pending(url)
        prepare(url)
        dead = opened(url, org, DyingJudge(0, KeyboardInterrupt()))
        with pytest.raises(KeyboardInterrupt):
            dead.rule_pending()
        dead.close()
        still = base.store.gates.verdict(waiting.id)
        assert still is not None
        assert still.state is GateState.PENDING
        assert base.rule_pending() == (), "it is the dead worker's until its claim ends"
        _end_claims(base)
        worked(url, org, base)
        ruled = base.store.gates.verdict(waiting.id)
        assert ruled is not None
        assert (ruled.reason, gate.authorize(ruled)) == (Reason.LLM_CLEARED, True)
        assert org not in orgs_with_pending(url)
        assert gate.stats().n_kept == 2


def _end_claims(base: KnowledgeBase) -> None:
    """Let the time pass after which a dead worker's claims end."""
    store: Any = base.store
    with store._database.writing() as cursor:
        cursor.execute("update gate_verdict set due_at = now() - interval '1 second' where state = 'pending'")
