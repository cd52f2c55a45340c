"""A slow model is asked once, the resident hears that somebody looks into it, and a model that is away is seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

import pytest

from saidonce.errors import ModelUnavailableError
from saidonce.foundation.model.conversation import OutboxKind
from saidonce.foundation.model.residents import (
    ChannelIdentity,
    Inbound,
    InboundKind,
    Property,
    Resident,
    Tenancy,
    Via,
)
from saidonce.foundation.settings.policy import load_settings
from saidonce.repairs import conversation
from saidonce.repairs.board import board
from saidonce.repairs.conversation import ConversationDeps, Rules, rules_of, wording
from saidonce.repairs.model_report import model_report
from saidonce.testing.memory_conversations import MemoryConversations
from whatsapp_posts import NOW

ANSWER = '{"tool": "respond", "message": "Thank you for the kind words."}'
SENDER = ChannelIdentity(Via.WHATSAPP, "ana", "+447700900001")
SLOW = Rules(call_timeout_s=90.0, turn_timeout_s=120.0, max_stuck=99)


class Clock:
    at = NOW

    def now(self) -> datetime:
        return self.at

    def forward(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


class SlowModel:
    """Takes some time for each answer, in steps of a second, in which others work; or never answers."""

    name = "slow"

    def __init__(self, clock: Clock, seconds: float) -> None:
        self.clock, self.seconds, self.n_asked = clock, seconds, 0
        self.is_away = False
        self.meanwhile: Callable[[], object] = lambda: None

    def complete_within(self, instructions: str, prompt: str, schema: Mapping[str, object], timeout_s: float) -> str:
        self.n_asked += 1
        if self.is_away:
            raise ModelUnavailableError(self.name, "refused the connection")
        for _ in range(int(min(self.seconds, timeout_s))):
            self.clock.forward(1)
            self.meanwhile()
        if self.seconds > timeout_s:
            raise ModelUnavailableError(self.name, f"no reply within {timeout_s:g} s")
        return ANSWER


def slow_deps(seconds: float, rules: Rules = SLOW) -> tuple[ConversationDeps, SlowModel]:
    clock = Clock()
    model = SlowModel(clock, seconds)
    deps = ConversationDeps(MemoryConversations("acme"), clock, model, rules)
    ana = Resident("r1", "Ana Bell", phones=("+447700900001",))
    start = NOW - timedelta(days=30)
    deps.store.put_home(Property("p1", "12 Elm Road", "Flat 2"), ana, Tenancy("t1", "p1", "r1", start))
    return deps, model


def asks(deps: ConversationDeps, text: str = "The new paint in the hall looks lovely", name: str = "w1") -> None:
    now = deps.clock.now()
    conversation.receive(deps, Inbound(SENDER, "n", name, InboundKind.TEXT, now, now, text))
    deps.clock.forward(11)  # type: ignore[attr-defined]


def texts(deps: ConversationDeps) -> list[str]:
    return [m.text for m in deps.store.outbox()]


def test_a_slow_model_is_asked_once_however_many_workers_wait() -> None:
    deps, model = slow_deps(70)
    asks(deps)
    model.meanwhile = lambda: conversation.work(deps, "another")
    assert conversation.work(deps, "one") is not None
    assert model.n_asked == 1
    assert texts(deps).count("Thank you for the kind words.") == 1


def test_a_lease_lasts_as_long_as_the_models_time_out() -> None:
    settings = load_settings(conversation_call_s=100.0, conversation_turn_s=300.0)
    assert rules_of(settings).claim_s > 300.0
    assert rules_of(load_settings()).claim_s == rules_of(load_settings()).lease_s == 30.0
    assert Rules(turn_timeout_s=60.0).claim_s > 60.0


def test_a_message_that_comes_while_a_slow_model_thinks_does_not_outlast_the_lease() -> None:
    deps, model = slow_deps(70)
    asks(deps)
    n = iter(range(100))

    def another() -> None:
        now = deps.clock.now()
        if model.n_asked < 4 and now.second % 20 == 0:
            conversation.receive(
                deps, Inbound(SENDER, "n", f"m{next(n)}", InboundKind.TEXT, now, now, "And on Sunday?")
            )
        held = deps.store.conversations()[0]
        assert held.lease_until is not None
        assert held.lease_until > now, "never past its lease"

    model.meanwhile = another
    for _ in range(8):
        conversation.work(deps, "one")
        model.clock.forward(11)
    assert texts(deps).count("Thank you for the kind words.") >= 1


def test_who_waits_for_a_slow_model_hears_once_that_somebody_looks_into_it() -> None:
    deps, model = slow_deps(40)
    asks(deps)
    heard: list[tuple[float, int]] = []

    def look() -> None:
        conversation.reassure(deps)
        heard.append(((deps.clock.now() - NOW).total_seconds(), texts(deps).count(wording.LOOKING_INTO_IT)))

    model.meanwhile = look
    conversation.work(deps, "one")
    assert [n for second, n in heard if second < 11 + deps.rules.patience_s] == [0] * int(deps.rules.patience_s - 1)
    assert heard[-1][1] == 1, "once a turn"
    assert texts(deps).index(wording.LOOKING_INTO_IT) < texts(deps).index("Thank you for the kind words.")
    conversation.reassure(deps)
    assert texts(deps).count(wording.LOOKING_INTO_IT) == 1
    model.clock.forward(30)
    asks(deps, "And on Sunday?", "w2")
    conversation.work(deps, "one")
    assert texts(deps).count(wording.LOOKING_INTO_IT) == 2, "a turn later again"


def test_a_quick_model_needs_no_such_word() -> None:
    deps, model = slow_deps(2)
    asks(deps)
    model.meanwhile = lambda: conversation.reassure(deps)
    conversation.work(deps, "one")
    assert wording.LOOKING_INTO_IT not in texts(deps)


def test_whoever_was_answered_already_or_has_a_person_reads_nothing_of_it() -> None:
    deps, model = slow_deps(40)
    asks(deps, "I smell gas in the kitchen! When does the office open?")
    model.meanwhile = lambda: conversation.reassure(deps)
    conversation.work(deps, "one")
    kinds = [m.kind for m in deps.store.outbox()]
    assert OutboxKind.SAFETY in kinds
    assert wording.LOOKING_INTO_IT not in texts(deps)


def test_a_model_that_is_away_is_seen_on_the_board_with_since_when() -> None:
    deps, model = slow_deps(1)
    asks(deps)
    conversation.work(deps, "one")
    assert board(deps).model is not None
    assert board(deps).model.unreachable_since is None  # type: ignore[union-attr]
    model.is_away = True
    since = None
    for n in range(2):
        asks(deps, f"What about question {n}, who would know that?", f"q{n}")
        conversation.work(deps, "one")
        since = since or deps.store.turns(deps.store.conversations()[0].id)[-1].at
    report = board(deps).model
    assert report is not None
    assert (report.n_asked, report.n_fallback, report.unreachable_since) == (3, 2, since)
    assert report.share == pytest.approx(2 / 3)
    model.is_away = False
    asks(deps, "When does the office open on Mondays?", "q9")
    conversation.work(deps, "one")
    assert model_report(deps).unreachable_since is None
    model.clock.forward(86_400 * 2)
    assert model_report(deps).n_asked == 0, "of the last day"
