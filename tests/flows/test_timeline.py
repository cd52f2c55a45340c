"""A conversation's timeline: what people did with its issues stands in it, where and when they did it."""

from __future__ import annotations

from datetime import timedelta

from saidonce.foundation.model.conversation import IssueState
from saidonce.quality.playing import ScenarioClock
from saidonce.repairs import conversation
from saidonce.repairs.conversation import ConversationDeps
from saidonce.repairs.timeline import timeline
from saidonce.testing import MemoryStore
from talk_cases import HOSTILE, T, whole


def test_moves_stand_in_the_timeline_of_their_conversation_alone() -> None:
    store = MemoryStore("acme")
    whole(store)
    clock = ScenarioClock(T + timedelta(days=2))
    deps = ConversationDeps(store.conversations, clock)
    conversation.move_issue(deps, "i1", IssueState.CANCELLED, "ann")
    conversation.move_issue(deps, "i1", IssueState.CANCELLED, "bo")
    clock.forward(60)
    conversation.move_issue(deps, "i1", IssueState.IN_PROGRESS, "bo")
    (issue,) = store.conversations.issues()
    found = timeline(deps, issue.conversation_id)
    moves = [m.move for m in found.moments if m.move is not None]
    assert moves == list(store.conversations.issue_moves())
    assert [(m.actor, m.after) for m in moves[-2:]] == [("ann", IssueState.CANCELLED), ("bo", IssueState.IN_PROGRESS)]
    assert moves[0].actor == HOSTILE.replace("\0", "\ufffd").replace("\ud800", "\ufffd")
    assert found.issue("i1") == issue
    assert [m.at for m in found.moments] == sorted(m.at for m in found.moments)
    others = [c.id for c in store.conversations.conversations() if c.id != issue.conversation_id]
    assert all(m.move is None for id_ in others for m in timeline(deps, id_).moments)


def test_in_one_moment_a_move_comes_after_what_was_told() -> None:
    store = MemoryStore("acme")
    whole(store)
    deps = ConversationDeps(store.conversations, ScenarioClock(T))
    of = store.conversations.issues()[0].conversation_id
    ranks = [m.rank for m in timeline(deps, of).moments if m.at == T]
    assert ranks == sorted(ranks)
    assert set(ranks) == {0, 1, 2, 3, 4, 5}
