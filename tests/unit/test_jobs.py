"""How long a failed delivery waits, and what a worker opens."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from procrastinate.jobs import Job

from saidonce.adapters.postgres.embedded import EmbeddedServer
from saidonce.adapters.postgres.postgres import PostgresStore
from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.errors import DeliveryError, NotFoundError, StoreUnavailableError
from saidonce.interfaces.worker.jobs import BackOff, Bases

JOB = Job(id=1, queue="notices", lock=None, queueing_lock=None, task_name="deliver", attempts=99)


def wait_s(back_off: BackOff, exception: BaseException) -> float | None:
    decision = back_off.get_retry_decision(exception=exception, job=JOB)
    if decision is None:
        return None
    assert decision.retry_at is not None
    return (decision.retry_at - datetime.now(UTC)).total_seconds()


@pytest.mark.parametrize(("n_tries", "expected"), [(1, 30), (2, 60), (3, 120), (8, 3_840), (10, 5_000), (11, 5_000)])
def test_waits_double_up_to_the_longest(n_tries: int, expected: float) -> None:
    waits = wait_s(BackOff(30.0, 5_000.0, 12), DeliveryError("c1", "answered 500", n_tries))
    assert waits == pytest.approx(expected, abs=1)


def test_a_notice_is_given_up_by_its_own_count() -> None:
    assert wait_s(BackOff(30.0, 5_000.0, 12), DeliveryError("c1", "answered 500", 12)) is None


def test_a_database_that_is_away_is_waited_for_however_long() -> None:
    assert wait_s(BackOff(30.0, 5_000.0, 12), StoreUnavailableError("away")) == pytest.approx(30, abs=1)


def test_what_cannot_get_better_is_not_tried_again() -> None:
    assert wait_s(BackOff(30.0, 5_000.0, 12), NotFoundError("notice", "n1")) is None


def test_a_worker_keeps_one_home_whose_connections_and_model_all_organisations_share(
    embedded_server: EmbeddedServer, org: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def open_one(url: str, _folder: Path, name: str, **_: object) -> PostgresStore:
        opened.append(name)
        return PostgresStore(url, name)

    monkeypatch.setattr("saidonce.app.knowledge_base.open_store", open_one)
    with KnowledgeBase(database_url=embedded_server.url, data_dir=tmp_path, org=org) as home:
        bases = Bases(home)
        others = [bases.of(f"{org}-{n}") for n in range(3)]
        assert bases.of(org) is home.base
        assert [b.store.org for b in others] == [f"{org}-{n}" for n in range(3)]
        assert [b.store.rev() for b in others] == [0, 0, 0]
        assert {id(b.embedder) for b in others} == {id(home.base.embedder)}
        assert bases.of(f"{org}-1") is others[1]
    assert opened == [org]
