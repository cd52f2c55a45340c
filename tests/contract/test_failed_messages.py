"""A message that has failed for good is told to the landlord once, with its state or not at all; on every store."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from saidonce.errors import UsageError
from saidonce.foundation.model.conversation import (
    LandlordEvent,
    LandlordNotice,
    OutboxKind,
    OutboxMessage,
    OutboxState,
)
from saidonce.foundation.ports import Conversations, Store
from talk_cases import HOSTILE, SENDER, T, due, message

Open = Callable[[str], Store]


@pytest.fixture
def store(opened: Open, org: str) -> Conversations:
    return opened(org).conversations


def said(store: Conversations, name: str, user: str = "user") -> str:
    """A message to a resident waits in the outbox; give its conversation."""
    kept, _ = store.receive(message(f"for {name}", 0, replace(SENDER, external_user_id=user)), due)
    out = OutboxMessage(name, kept.conversation_id, "", OutboxKind.REPLY, "text", T)
    store.record_scan(kept, len(store.events(kept.conversation_id)), (), (out,), ())
    return kept.conversation_id


def told(of: OutboxMessage, detail: str = "why") -> LandlordNotice:
    return LandlordNotice(f"failed:{of.id}", LandlordEvent.MESSAGE_FAILED, of.conversation_id, T, detail=detail)


def test_a_failure_is_told_with_the_state_and_once(store: Conversations) -> None:
    of = said(store, "a")
    given: list[OutboxMessage] = []

    def once(failed: OutboxMessage) -> LandlordNotice:
        given.append(failed)
        return told(failed)

    for state in (OutboxState.SENT, OutboxState.QUEUED, OutboxState.FAILED, OutboxState.READ, OutboxState.FAILED):
        store.mark_outbox("a", state, if_failed=once)
    (failed,) = store.outbox()
    assert given == [failed]
    assert failed.state is OutboxState.FAILED
    assert store.notices() == (LandlordNotice("failed:a", LandlordEvent.MESSAGE_FAILED, of, T, detail="why"),)


def test_what_has_not_failed_is_not_told(store: Conversations) -> None:
    said(store, "a")
    store.take_outbox(T, T + timedelta(seconds=60))
    for state in (OutboxState.UNKNOWN, OutboxState.QUEUED, OutboxState.SENT, OutboxState.DELIVERED, OutboxState.READ):
        store.mark_outbox("a", state, if_failed=told)
    assert store.notices() == ()


def test_a_notice_is_kept_clean_and_once_for_its_key(store: Conversations) -> None:
    said(store, "a")
    said(store, "b", "other")
    for name in ("a", "b"):
        store.mark_outbox(name, OutboxState.FAILED, if_failed=lambda of: replace(told(of, HOSTILE), dedupe_key="k"))
    (kept,) = store.notices()
    assert kept.detail == HOSTILE.replace("\0", "\ufffd").replace("\ud800", "\ufffd")


def test_without_its_notice_nothing_has_failed(store: Conversations) -> None:
    said(store, "a")
    with pytest.raises(UsageError, match="time zone"):
        store.mark_outbox("a", OutboxState.FAILED, if_failed=lambda of: replace(told(of), at=T.replace(tzinfo=None)))
    assert store.outbox()[0].state is OutboxState.QUEUED
    assert store.notices() == ()


def test_failures_beside_each_other_and_beside_scans_are_told_once_each(store: Conversations) -> None:
    for n in range(6):
        said(store, f"o{n}", f"user {n}")
    gate = threading.Barrier(4)

    def fail() -> None:
        gate.wait()
        for n in range(6):
            store.mark_outbox(f"o{n}", OutboxState.FAILED, if_failed=told)

    def scan() -> None:
        gate.wait()
        for n in range(6):
            kept, _ = store.receive(message(f"m{n}", n, replace(SENDER, external_user_id=f"user {n}")), due)
            alert = LandlordNotice(f"k{n}", LandlordEvent.EMERGENCY_UNVERIFIED, kept.conversation_id, T)
            store.record_scan(kept, 0, (), (), (alert,))

    acts: list[Callable[[], Any]] = [fail, fail, fail, scan]
    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(act) for act in acts]:
            done.result(timeout=60)
    keys = sorted(n.dedupe_key for n in store.notices())
    assert keys == sorted([f"failed:o{n}" for n in range(6)] + [f"k{n}" for n in range(6)])
