from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from saidonce.adjudication import Budgeted, Chain, CircuitBreaker, MemoryBudget, MemoryCache, Remembering, Watched
from saidonce.errors import SettingsError, StoreUnavailableError
from saidonce.foundation.model import Candidate, Failure, Match, Opinion, Question, Ruling, Shown
from saidonce.foundation.ports import Adjudicator

DUPLICATE = Ruling(Opinion.DUPLICATE, "m", "same", 0.9, "a", 10, 100, 0.5)
DISTINCT = Ruling(Opinion.DISTINCT, "", "differs", 0.8, "a", 10, 100, 0.5)
UNSURE = Ruling(Opinion.UNSURE, "", "hm", 0.0, "a", 10, 100, 0.5)
FAILED = Ruling(Opinion.UNSURE, adjudicator="a", failure=Failure.TIMEOUT, duration_ms=90)


def question(text: str = "a task", similarity: float = 0.9, kept: str = "kept") -> Question:
    return Question(Candidate(text, text), (Shown(Match("m", similarity, Candidate(kept, kept))),))


class Scripted:
    """Gives rulings in turn, and remembers the batches it was asked."""

    def __init__(self, *rulings: Ruling, name: str = "a") -> None:
        self.name = name
        self.rulings = list(rulings)
        self.asked: list[list[str]] = []

    def rule(self, questions: Sequence[Question]) -> tuple[Ruling, ...]:
        self.asked.append([q.candidate.text for q in questions])
        return tuple(self.rulings.pop(0) for _ in questions)


class Now:
    def __init__(self) -> None:
        self.at = datetime(2026, 1, 1, 23, 59, tzinfo=UTC)

    def now(self) -> datetime:
        return self.at


class Broken:
    """A store that cannot be reached."""

    def get(self, key: str, adjudicator: str) -> Ruling | None:
        raise StoreUnavailableError("down")

    def put(self, key: str, adjudicator: str, ruling: Ruling) -> None:
        raise StoreUnavailableError("down")

    def spend(self, day: date, n: int, cost: float) -> bool:
        raise StoreUnavailableError("down")


def test_all_of_them_are_adjudicators() -> None:
    inner = Scripted()
    made: list[Adjudicator] = [
        Chain([inner]), Remembering(inner, MemoryCache()), Budgeted(inner, MemoryBudget(), Now()), Watched(inner, 0.8),
    ]  # fmt: skip
    assert {a.name for a in made} == {"a"}
    assert [a.rule([]) for a in made] == [()] * 4


class TestChain:
    def test_only_what_one_leaves_open_goes_on(self) -> None:
        first = Scripted(DISTINCT, UNSURE, FAILED, DUPLICATE, name="first")
        second = Scripted(DUPLICATE, DISTINCT, name="second")
        rulings = Chain([first, second]).rule([question(t) for t in "abcd"])
        assert (first.asked, second.asked) == ([["a", "b", "c", "d"]], [["b", "c"]])
        assert [r.opinion for r in rulings] == [
            Opinion.DISTINCT, Opinion.DUPLICATE, Opinion.DISTINCT, Opinion.DUPLICATE,
        ]  # fmt: skip
        assert [r.failure for r in rulings] == [None] * 4

    def test_times_tokens_and_costs_add_up_and_everybody_is_told(self) -> None:
        second = replace(DUPLICATE, adjudicator="b", duration_ms=5)
        (ruling,) = Chain([Scripted(FAILED), Scripted(second)]).rule([question()])
        assert (ruling.duration_ms, ruling.n_tokens, ruling.cost) == (95, 100, 0.5)
        assert ruling.reason == "a: timeout > b: duplicate (same)"
        assert (ruling.adjudicator, ruling.of) == ("b", "m")

    def test_what_nobody_settles_ends_as_the_last_left_it(self) -> None:
        rulings = [
            Chain([Scripted(a), Scripted(b)]).rule([question()])[0] for a, b in ((UNSURE, FAILED), (FAILED, UNSURE))
        ]
        assert [r.failure for r in rulings] == [Failure.TIMEOUT, None]
        assert {r.opinion for r in rulings} == {Opinion.UNSURE}

    def test_a_chain_of_nobody_is_refused(self) -> None:
        with pytest.raises(SettingsError):
            Chain([])


class TestRemembering:
    def test_the_same_texts_are_asked_about_once(self) -> None:
        inner = Scripted(DISTINCT, UNSURE)
        kept = Remembering(inner, MemoryCache())
        assert kept.rule([question("a"), question("b"), question("a")])[:2] == (DISTINCT, UNSURE)
        again = kept.rule([question("a"), question("b", similarity=0.5)])
        assert again[0] == replace(DISTINCT, cached=True, duration_ms=0, n_tokens=0, cost=0.0)
        assert again[1].cached
        assert inner.asked == [["a", "b"]]

    def test_a_repeat_within_a_batch_costs_nothing(self) -> None:
        rulings = Remembering(Scripted(DISTINCT), MemoryCache()).rule([question("a")] * 2)
        assert [(r.cost, r.cached) for r in rulings] == [(0.5, False), (0.0, True)]

    def test_failures_are_asked_again(self) -> None:
        inner = Scripted(FAILED, FAILED, DISTINCT)
        kept = Remembering(inner, MemoryCache())
        assert [kept.rule([question()])[0] for _ in range(3)] == [FAILED, FAILED, DISTINCT]

    @pytest.mark.parametrize(
        "other",
        [
            question("A task"),
            question(kept="Kept"),
            Question(Candidate("a task", "x", fields=(("persona", "nurse"),)), question().shown),
            Question(question().candidate, (*question().shown, *question("", kept="more").shown)),
        ],
    )
    def test_other_texts_are_another_question(self, other: Question) -> None:
        inner = Scripted(DISTINCT, DUPLICATE)
        kept = Remembering(inner, MemoryCache())
        assert (kept.rule([question()]), kept.rule([other])) == ((DISTINCT,), (DUPLICATE,))

    def test_another_adjudicator_remembers_for_itself(self) -> None:
        cache = MemoryCache()
        Remembering(Scripted(DISTINCT), cache).rule([question()])
        assert Remembering(Scripted(DUPLICATE, name="b"), cache).rule([question()]) == (DUPLICATE,)

    def test_a_cache_that_fails_costs_another_question(self, caplog: pytest.LogCaptureFixture) -> None:
        kept = Remembering(Scripted(DISTINCT, DISTINCT), Broken())
        assert [kept.rule([question()]) for _ in range(2)] == [(DISTINCT,)] * 2
        assert "cache_failed" in caplog.text

    def test_the_oldest_are_forgotten_first(self) -> None:
        cache = MemoryCache(most=2)
        for key in "abac":
            cache.put(key, "x", DISTINCT)
        assert [cache.get(key, "x") is not None for key in "abc"] == [True, False, True]


class TestBudgeted:
    def test_over_the_number_nobody_is_asked_until_the_next_day(self) -> None:
        inner, clock = Scripted(*[DISTINCT] * 3), Now()
        paid = Budgeted(inner, MemoryBudget(most_rulings=2), clock)
        assert [r.failure for r in paid.rule([question(t) for t in "abc"])] == [None, None, Failure.BUDGET]
        assert paid.rule([question("d")])[0].failure is Failure.BUDGET
        clock.at = datetime(2026, 1, 2, tzinfo=UTC)
        assert paid.rule([question("e")])[0].failure is None
        assert inner.asked == [["a", "b"], ["e"]]

    def test_over_the_cost_nobody_is_asked(self) -> None:
        paid = Budgeted(Scripted(*[DISTINCT] * 3), MemoryBudget(most_cost=0.9), Now())
        assert [paid.rule([question()])[0].failure for _ in range(4)] == [None, None, Failure.BUDGET, Failure.BUDGET]

    def test_a_budget_that_cannot_be_read_is_spent(self, caplog: pytest.LogCaptureFixture) -> None:
        inner = Scripted()
        assert Budgeted(inner, Broken(), Now()).rule([question()])[0].failure is Failure.BUDGET
        assert inner.asked == []
        assert "budget_failed" in caplog.text

    def test_what_was_ruled_is_noted_even_past_the_limit(self) -> None:
        budget, day = MemoryBudget(most_cost=1.0), date(2026, 1, 1)
        assert [budget.spend(day, 1, 0.0), budget.spend(day, 0, 5.0), budget.spend(day, 0, 1.0)] == [True] * 3
        assert not budget.spend(day, 1, 0.0)


class TestWatched:
    def test_it_warns_once_when_overrides_become_too_many(self, caplog: pytest.LogCaptureFixture) -> None:
        told: list[float] = []
        inner = Scripted(*[DUPLICATE] * 3, *[DISTINCT] * 5)
        watched = Watched(inner, 0.8, share_from=0.5, last=10, alarm=told.append)
        for n in range(8):
            watched.rule([question(str(n))])
        assert told == [0.5]
        assert caplog.text.count("adjudicator.overrides") == 1

    def test_below_the_threshold_a_clear_is_no_override(self) -> None:
        told: list[float] = []
        watched = Watched(Scripted(*[DISTINCT] * 40), 0.8, last=10, alarm=told.append)
        watched.rule([question(str(n), similarity=0.79) for n in range(40)])
        assert told == []

    def test_it_warns_again_after_the_share_has_fallen(self) -> None:
        told: list[float] = []
        rulings = [*[DISTINCT] * 2, *[DUPLICATE] * 10, *[DISTINCT] * 6]
        watched = Watched(Scripted(*rulings), 0.8, last=10, alarm=told.append)
        for n in range(len(rulings)):
            watched.rule([question(str(n))])
        assert told == [1.0, 0.5]

    @pytest.mark.parametrize(
        ("right", "wrong", "rings"),
        [(0, 0, True), (3, 0, True), (13, 0, True), (14, 0, False), (40, 2, False), (14, 6, True)],
    )
    def test_it_is_silent_only_for_a_judge_that_audits_show_to_be_right(
        self, right: int, wrong: int, rings: bool
    ) -> None:
        told: list[float] = []
        asked: list[frozenset[str]] = []

        def audits(judges: frozenset[str]) -> tuple[int, int]:
            asked.append(judges)
            return right, wrong

        watched = Watched(Scripted(*[DISTINCT] * 10), 0.8, last=10, alarm=told.append, audits=audits)
        watched.rule([question(str(n)) for n in range(10)])
        assert (told == [1.0]) is rings
        assert asked == [frozenset({DISTINCT.adjudicator})]

    def test_audits_that_cannot_be_read_silence_nothing(self, caplog: pytest.LogCaptureFixture) -> None:
        def broken(_judges: frozenset[str]) -> tuple[int, int]:
            raise StoreUnavailableError("gone")

        told: list[float] = []
        watched = Watched(Scripted(*[DISTINCT] * 10), 0.8, last=10, alarm=told.append, audits=broken)
        watched.rule([question(str(n)) for n in range(10)])
        assert told == [1.0]
        assert "audits_failed" in caplog.text

    def test_it_rings_once_audits_no_more_bear_the_judge_out(self) -> None:
        told: list[float] = []
        found = iter([(20, 0), (20, 9), (20, 9)])
        watched = Watched(
            Scripted(*[DISTINCT] * 6), 0.8, last=10, alarm=told.append, audits=lambda _judges: next(found)
        )
        for n in range(4):
            watched.rule([question(str(n))])
        assert told == [1.0]


class TestBreaker:
    def test_it_opens_after_failures_in_a_row_and_lets_one_try_after_the_wait(self) -> None:
        now = [0.0]
        breaker = CircuitBreaker(2, 60.0, lambda: now[0])
        for failure in (Failure.TIMEOUT, None, Failure.TIMEOUT):
            breaker.note(failure)
        assert breaker.may_ask()
        breaker.note(Failure.REFUSED)
        assert not breaker.may_ask()
        now[0] = 60.0
        assert [breaker.may_ask(), breaker.may_ask()] == [True, False]
        breaker.note(Failure.UNREACHABLE)
        now[0] = 119.0
        assert not breaker.may_ask()
        now[0] = 120.0
        assert breaker.may_ask()
        breaker.note(None)
        assert [breaker.may_ask(), breaker.may_ask()] == [True, True]

    def test_what_a_text_can_cause_opens_nothing(self) -> None:
        breaker = CircuitBreaker(1)
        for failure in (Failure.MALFORMED, Failure.CONTRADICTION, Failure.CANARY):
            breaker.note(failure)
        assert breaker.may_ask()
