"""Steps of issues: written on the state that was read, with what is sent about them; the same on every store."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest

from saidonce.errors import NotFoundError, StaleWriteError
from saidonce.foundation.model.conversation import (
    Issue,
    IssueAdvance,
    IssueState,
    LandlordEvent,
    LandlordNotice,
    OutboxKind,
    OutboxMessage,
    TurnWrite,
)
from saidonce.foundation.model.progress import (
    AT_ONCE,
    Assignment,
    Contractor,
    IssueProgress,
    IssueStep,
    Letter,
    ResidentNotice,
    TimeSpan,
    Visit,
)
from saidonce.foundation.ports import Conversations, Store
from talk_cases import HOSTILE, T, turn, whole

Open = Callable[[str], Store]
SPAN = TimeSpan(T + timedelta(days=3), T + timedelta(days=3, hours=2))
FULL = IssueProgress(
    T + timedelta(days=2), "ann", T, T, False, ResidentNotice(T, "visit", "o9"), Visit("v1", (SPAN,), T, at=SPAN),
    Assignment("a1", Contractor(HOSTILE, "bo@example.com", "+447700900009"), T, "ann", T, access=HOSTILE),
    (Letter("l1", "bo@example.com", "Work", HOSTILE, T, T),), ("response",),
)  # fmt: skip


@pytest.fixture
def whole_store(opened: Open, org: str) -> Store:
    store = opened(org)
    whole(store)
    return store


@pytest.fixture
def store(whole_store: Store) -> Conversations:
    return whole_store.conversations


def step(issue: Issue, progress: IssueProgress = FULL, **more: object) -> IssueAdvance:
    return IssueAdvance(issue, replace(issue, progress=progress), T, "ann", IssueStep.PROPOSED, "note", **more)  # type: ignore[arg-type]


def test_a_step_is_written_with_its_history_message_and_notice(store: Conversations) -> None:
    before = store.issue("i1")
    message = OutboxMessage("o9", before.conversation_id, "", OutboxKind.PROGRESS, "Somebody comes.", T)
    notice = LandlordNotice("visit:1", LandlordEvent.VISIT_AGREED, before.conversation_id, T, "i1")
    after = store.advance_issue(step(before, media=("a" * 64,)), (message,), (notice,))
    assert after == store.issue("i1") == store.issues()[0]
    assert (after.state, after.progress.owner, after.progress.visit) == (before.state, "ann", FULL.visit)
    last = store.issue_moves("i1")[-1]
    assert (last.n, last.step, last.note, last.media) == (3, IssueStep.PROPOSED, "note", ("a" * 64,))
    assert store.outbox()[-1].id == "o9"
    assert store.notices()[-1].dedupe_key == "visit:1"


def test_what_was_read_before_another_step_is_refused_and_leaves_nothing(store: Conversations) -> None:
    before = store.issue("i1")
    store.move_issue("i1", IssueState.DONE, "bo", T)
    message = OutboxMessage("o9", before.conversation_id, "", OutboxKind.PROGRESS, "Somebody comes.", T)
    with pytest.raises(StaleWriteError):
        store.advance_issue(step(before), (message,))
    assert "o9" not in {m.id for m in store.outbox()}
    assert len(store.issue_moves("i1")) == 3
    with pytest.raises(NotFoundError):
        store.advance_issue(step(replace(before, id="none")))
    with pytest.raises(NotFoundError):
        store.issue("none")


def test_a_timer_set_anew_is_no_history(store: Conversations) -> None:
    before = store.issue("i1")
    later = replace(before, progress=replace(before.progress, wake_at=T + timedelta(days=1)))
    store.advance_issue(IssueAdvance(before, later, T, "timer"))
    assert len(store.issue_moves("i1")) == 2


def test_issues_are_due_until_their_timer_is_set(store: Conversations) -> None:
    assert store.issue("i1").progress.wake_at == AT_ONCE
    assert [i.id for i in store.issues_due(T)] == ["i1"]
    before = store.issue("i1")
    store.advance_issue(step(before))
    assert store.issues_due(T) == ()
    assert [i.id for i in store.issues_due(T + timedelta(days=2))] == ["i1"]
    now = store.issue("i1")
    store.advance_issue(step(now, replace(now.progress, wake_at=None)))
    assert store.issues_due(T + timedelta(days=900)) == ()


def test_the_worker_learns_of_organisations_whose_timers_went_off(whole_store: Store, org: str) -> None:
    assert org in whole_store.orgs_to_answer(T)


def test_what_a_resident_adds_leaves_the_progress_as_it_is(store: Conversations) -> None:
    read = store.issue("i1")
    store.advance_issue(step(read))
    held = store.conversation(read.conversation_id)
    last = store.inbounds(held.id)[-1].seq
    more = replace(read, description="more")
    store.commit(TurnWrite(held, held.version, last, turn(held, last), extended=more))
    assert store.issue("i1").description == "more"
    assert store.issue("i1").progress.owner == "ann"


def test_a_turn_writes_its_steps_or_nothing(store: Conversations) -> None:
    read = store.issue("i1")
    held = store.conversation(read.conversation_id)
    last = store.inbounds(held.id)[-1].seq
    store.advance_issue(step(read))
    with pytest.raises(StaleWriteError):
        store.commit(TurnWrite(held, held.version, last, turn(held, last), advances=(step(read),)))
    assert store.conversation(held.id).version == held.version
    now = store.issue("i1")
    undone = step(now, replace(now.progress, visit=None))
    store.commit(TurnWrite(held, held.version, last, turn(held, last), advances=(undone,)))
    assert store.issue("i1").progress.visit is None
    assert [m.n for m in store.issue_moves("i1")] == [1, 2, 3, 4]


def test_of_steps_at_once_one_is_written(store: Conversations) -> None:
    read = store.issue("i1")

    def once(n: int) -> bool:
        try:
            store.advance_issue(step(read, replace(FULL, owner=f"person {n}")))
        except StaleWriteError:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        outcomes = [each.result(timeout=60) for each in [pool.submit(once, n) for n in range(8)]]
    assert outcomes.count(True) == 1
    assert len(store.issue_moves("i1")) == 3


def test_conversations_of_a_tenancy_come_last_heard_first(store: Conversations) -> None:
    assert [c.tenancy_id for c in store.conversations_of("t1")] == ["t1"]
    assert store.conversations_of("none") == ()


def test_progress_travels_in_an_export(whole_store: Store, opened: Open, org: str) -> None:
    whole_store.conversations.advance_issue(step(whole_store.conversations.issue("i1")))
    copy = opened(f"{org}-copy")
    copy.load(whole_store.dump())
    assert copy.conversations.issue("i1") == whole_store.conversations.issue("i1")
    assert copy.conversations.issue_moves() == whole_store.conversations.issue_moves()
