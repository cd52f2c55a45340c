"""Moves of issues on the board: each is kept with the state it led to, for ever; on every store."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest

from exports import FORMAT_5
from saidonce.adapters.postgres.archive import line_of
from saidonce.errors import NotFoundError, UsageError
from saidonce.foundation.model.board import IssueMove
from saidonce.foundation.model.conversation import Issue, IssueAdvance, IssueState, TurnWrite
from saidonce.foundation.ports import Conversations, Store
from talk_cases import T, turn, whole

Open = Callable[[str], Store]
OPEN, BEGUN, DONE = IssueState.OPEN, IssueState.IN_PROGRESS, IssueState.DONE


@pytest.fixture
def whole_store(opened: Open, org: str) -> Store:
    made = opened(org)
    whole(made)
    return made


@pytest.fixture
def store(whole_store: Store) -> Conversations:
    return whole_store.conversations


def one(store: Conversations) -> Issue:
    (found,) = store.issues()
    return found


def test_each_move_is_kept_in_order_and_a_move_back_is_one_more(store: Conversations) -> None:
    first = store.issue_moves("i1")
    assert [(m.n, m.before, m.after) for m in first] == [(1, OPEN, DONE), (2, DONE, BEGUN)]
    moved = store.move_issue("i1", OPEN, "bo", T + timedelta(seconds=2))
    assert moved == one(store)
    assert moved.state is OPEN
    back = store.move_issue("i1", BEGUN, "cy", T)
    assert back == one(store)
    last = (IssueMove("i1", 3, T + timedelta(seconds=2), "bo", BEGUN, OPEN), IssueMove("i1", 4, T, "cy", OPEN, BEGUN))
    assert store.issue_moves() == store.issue_moves("i1") == (*first, *last), "by number, whatever the clocks said"
    assert store.issue_moves("none") == ()


def test_a_look_is_kept_with_what_was_looked_at(store: Conversations) -> None:
    looked, moved = store.issue_moves("i1")
    assert (looked.looked_at, moved.looked_at) == ("possible_duplicate:i0", "")
    assert one(store).review == ""


def test_what_changes_nothing_is_not_kept(store: Conversations) -> None:
    before = store.issue_moves()
    for is_looked_at in (True, False):
        assert store.move_issue("i1", BEGUN, "bo", T, is_looked_at) == one(store)
    with pytest.raises(NotFoundError):
        store.move_issue("none", DONE, "bo", T)
    with pytest.raises(UsageError, match="time zone"):
        store.move_issue("i1", DONE, "bo", T.replace(tzinfo=None))
    assert store.issue_moves() == before
    assert one(store).state is BEGUN


def test_a_look_without_a_move_is_kept(store: Conversations) -> None:
    held = store.conversation(one(store).conversation_id)
    last = store.inbounds(held.id)[-1].seq
    store.commit(TurnWrite(held, held.version, last, turn(held, last), flagged=("i1",)))
    store.move_issue("i1", BEGUN, "bo", T, is_looked_at=True)
    assert store.issue_moves()[-1] == IssueMove("i1", 3, T, "bo", BEGUN, BEGUN, "identity_undone")


def test_a_turn_that_read_an_issue_before_its_move_does_not_move_it_back(store: Conversations) -> None:
    read = one(store)
    held = store.conversation(read.conversation_id)
    last = store.inbounds(held.id)[-1].seq
    store.move_issue("i1", DONE, "bo", T)
    more = replace(read, media=("photo", "another"), review="stale")
    store.commit(TurnWrite(held, held.version, last, turn(held, last), extended=more))
    assert (one(store).state, one(store).review, one(store).media) == (DONE, "", ("photo", "another"))


def test_moves_at_once_make_one_history(store: Conversations) -> None:
    def move(n: int) -> None:
        for k in range(5):
            store.move_issue("i1", (DONE, OPEN, BEGUN)[(n + k) % 3], f"person {n}", T)

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(move, n) for n in range(4)]:
            done.result(timeout=60)
    moves = store.issue_moves("i1")
    assert [m.n for m in moves] == list(range(1, len(moves) + 1))
    assert [m.after for m in moves[:-1]] == [m.before for m in moves[1:]]
    assert moves[-1].after is one(store).state


def test_an_export_from_before_moves_is_read(opened: Open, org: str) -> None:
    lines = [json.loads(line) for line in FORMAT_5.read_bytes().splitlines()]
    for line in lines:
        del line["crc"]
    rows = [line_of(line) for line in lines[1:-1] if line["row"] != "issuemove"]
    assert len(rows) == len(lines) - 4
    body = [line_of({**lines[0], "format": 4}), *rows]
    footer = line_of({"lines": len(body), "sha256": hashlib.sha256(b"".join(body)).hexdigest()})
    copy = opened(f"{org}-copy")
    copy.load([*body, footer])
    assert [i.id for i in copy.conversations.issues()] == ["i1"]
    assert copy.conversations.issue_moves() == ()
    copy.conversations.move_issue("i1", DONE, "bo", T)
    assert [m.n for m in copy.conversations.issue_moves()] == [1]


def test_a_history_goes_on_after_an_import(whole_store: Store, opened: Open, org: str) -> None:
    copy = opened(f"{org}-copy")
    copy.load(whole_store.dump())
    copy.conversations.move_issue("i1", OPEN, "bo", T)
    assert copy.conversations.issue_moves()[:-1] == whole_store.conversations.issue_moves()
    assert copy.conversations.issue_moves()[-1].n == 3


def test_what_a_resident_takes_back_or_reopens_is_written_with_the_turn(store: Conversations) -> None:
    held = store.conversations(1)[0]
    store.move_issue("i1", DONE, "bo", T)
    n = len(store.issue_moves("i1"))
    said = turn(held, held.version + 1)
    store.commit(TurnWrite(held, held.version, 99, said, withdrawn=("i1",)))
    assert (one(store).state, one(store).review) == (DONE, "withdrawn")
    held = store.conversations(1)[0]
    said = turn(held, held.version + 1)
    before = one(store)
    back = IssueAdvance(before, replace(before, state=OPEN, review=""), T, "resident")
    store.commit(TurnWrite(held, held.version, 99, said, advances=(back,)))
    assert (one(store).state, one(store).review) == (OPEN, ""), "what is back is no longer withdrawn"
    last = store.issue_moves("i1")[n]
    assert (last.actor, last.before, last.after) == ("resident", DONE, OPEN)


@pytest.mark.parametrize("field", ["withdrawn", "reopened"])
def test_no_turn_takes_back_or_reopens_an_issue_that_is_not_there(store: Conversations, field: str) -> None:
    held = store.conversations(1)[0]
    write = TurnWrite(held, held.version, 99, turn(held, held.version + 1))
    other = replace(one(store), id="none")
    absent = (
        replace(write, withdrawn=("none",))
        if field == "withdrawn"
        else replace(write, advances=(IssueAdvance(other, other, T, "resident"),))
    )
    with pytest.raises(NotFoundError):
        store.commit(absent)
    assert store.conversations(1)[0].version == held.version
