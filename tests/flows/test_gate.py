"""The gate on shipped fakes: what clears, what is held, what is kept, and what everybody can see of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from judges import DyingJudge, Judge, Says, distinct, duplicate, failing, unsure
from saidonce.errors import ModelMismatchError, NotFoundError, SettingsError, UsageError
from saidonce.foundation.model import (
    AWAY,
    ESCAPE_HATCH,
    Failure,
    GateAct,
    GateFields,
    GateState,
    GateVerdict,
    Opinion,
    Outcome,
    Question,
    Reason,
    Ruling,
    Submission,
)
from saidonce.foundation.ports import Adjudicator, GateWrite
from saidonce.foundation.text import digest
from saidonce.gate import (
    AdmittedIndex,
    Gate,
    ask_again,
    authorize,
    define,
    held_without_ruling,
    reembed,
    reopening,
    rule_due,
)
from world import CountingEmbedder, World, world

SHIRTS = "Count the shirts and trousers in the stock room of the shop and note what is missing on the sheet."
SHIRTS_TOO = "Count the shirts and the trousers in the stock room of the shop, and note what is missing on the sheet."
BOATS = "Plan the summer timetable of the ferry between the three islands of the northern bay."


def gate(w: World, judge: Adjudicator | None = None, name: str = "tasks", fields: GateFields | None = None) -> Gate:
    definition = define(w.base, name, fields)
    return Gate(w.base, definition, AdmittedIndex(name, definition.model, definition.dim), judge)


def task(text: str = SHIRTS, key: str = "", title: str = "Inventory", **fields: str) -> Submission:
    return Submission(text, title, tuple(fields.items()), key)


def topic(n: int) -> str:
    """Words that no other topic has."""
    name = digest("topic", str(n)).translate(str.maketrans("0123456789", "ghijklmnop"))
    return " ".join(name[at : at + 4] for at in range(0, 32, 4))


def topics(n: int) -> list[Submission]:
    """So many that resemble none of each other."""
    return [task(topic(i), f"t{i}", "") for i in range(n)]


def near_topics(n: int) -> list[Submission]:
    """One near to each of so many topics."""
    return [task(topic(i) + ", soon", f"k{i}", "") for i in range(n)]


def similar(n: int) -> list[Submission]:
    """So many that all resemble each other."""
    return [task(f"{SHIRTS} Shelf {chr(97 + i)}.", f"s{i}") for i in range(n)]


class TestWithoutAnAdjudicator:
    def test_there_is_one_threshold(self) -> None:
        opened = gate(world(gate_clear_below=0.1))
        first = opened.check(task())
        assert (first.reason, first.similarity, first.near) == (Reason.NO_MATCHES, 0.0, ())
        far = opened.check(task(BOATS))
        assert far.reason is Reason.BELOW_THRESHOLD
        assert 0.1 < far.similarity < 0.8
        near = opened.check(task(SHIRTS_TOO))
        assert (near.reason, near.of) == (Reason.ABOVE_THRESHOLD, first.admitted)
        assert [opened.authorize(v) for v in (first, far, near)] == [True, True, False]
        assert (near.admitted, near.blocked) == ("", True)

    def test_nobody_is_asked(self) -> None:
        judge = Judge()
        opened = gate(world(), judge)
        opened.check_many(similar(3))
        assert judge.asked == []

    def test_an_objection_clears_only_where_the_rules_say_so(self) -> None:
        thirty = "Keep backups of the customer database for 30 days in the cold store of the northern site."
        ninety = thirty.replace("30", "90")
        for clears in (False, True):
            opened = gate(world(gate_objection_clears=clears))
            opened.check(task(thirty))
            verdict = opened.check(task(ninety))
            assert verdict.near[0].objections
            assert verdict.reason is Reason.OBJECTION
            assert opened.authorize(verdict) is clears
            figures = opened.stats()
            assert (figures.n_cleared, figures.cleared_for.get("objection", 0)) == (1 + clears, int(clears))
            assert [day[1:] for day in figures.days] == [(1 + clears, 1 - clears, 0)]

    @pytest.mark.parametrize(
        ("kept", "candidate", "clears"),
        [
            ("for 30 days", "for 90 days", True),
            ("for 30 days", "for 30 hours", True),
            ("in version 2.1", "in version 2.2", True),
            ("until 3 May 2026", "until 4 May 2026", True),
            ("for 500 EUR", "for 700 EUR", True),
            ("for ABC-123", "for ABC-124", True),
            ("in the red room", "in the blue room", False),
            ("by the owner", "by the tenant", False),
            ("with the key", "without the key", False),
            ("if Bob agrees", "if Robert agrees", False),
            ("and always lock it", "and never lock it", False),
            ("weekly", "in 3 rooms, weekly", False),
            ("twice a week", "two times per week", False),
            ("for 30 days", "for thirty days", False),
        ],
    )
    def test_an_objection_clears_by_a_value_on_both_sides_only(self, kept: str, candidate: str, clears: bool) -> None:
        begun = (
            "Keep backups of the whole customer database on two separate disks in the cold store of the northern site"
        )
        opened = gate(world(gate_objection_clears=True, gate_duplicate_from=0.5))
        opened.check(task(f"{begun} {kept}."))
        verdict = opened.check(task(f"{begun} {candidate}."))
        assert verdict.similarity >= 0.5
        assert opened.authorize(verdict) is clears
        assert (verdict.reason is Reason.OBJECTION) >= clears


class TestWithAnAdjudicator:
    def test_below_the_band_nobody_is_asked(self) -> None:
        judge = Judge()
        opened = gate(world(gate_llm_enabled=True), judge)
        opened.check_many([task(), task(BOATS)])
        assert judge.asked == []

    @pytest.mark.parametrize(
        ("says", "reason", "clears"),
        [
            (distinct, Reason.LLM_CLEARED, True),
            (duplicate, Reason.RULED_DUPLICATE, False),
            (unsure, Reason.UNSURE, False),
            *((failing(failure), Reason.AWAY, False) for failure in Failure if failure in AWAY),
            *((failing(failure), Reason(failure), False) for failure in Failure if failure not in AWAY),
        ],
    )
    def test_its_ruling_settles_and_its_failure_holds(self, says: Says, reason: Reason, clears: bool) -> None:
        judge = Judge(says)
        opened = gate(world(gate_llm_enabled=True), judge)
        opened.check(task(subdomain="softlines"))
        verdict = opened.check(task(SHIRTS_TOO, subdomain="hardlines"))
        assert (verdict.reason, opened.authorize(verdict)) == (reason, clears)
        assert verdict.ruling is not None
        (question,) = judge.asked
        assert question.candidate.fields == (("subdomain", "hardlines"),)
        assert question.shown[0].match.kept.fields == (("subdomain", "softlines"),)

    def test_the_same_text_in_another_field_may_be_cleared_and_the_same_content_never(self) -> None:
        judge = Judge()
        opened = gate(world(gate_llm_enabled=True), judge)
        opened.check(task(subdomain="softlines"))
        other = opened.check(task(subdomain="hardlines"))
        again = opened.check(task("  " + SHIRTS.upper(), subdomain="Softlines"))
        assert (other.reason, other.similarity) == (Reason.LLM_CLEARED, 1.0)
        assert (again.reason, len(judge.asked)) == (Reason.SAME_CONTENT, 1)

    def test_many_look_alikes_do_not_hide_the_same_content(self) -> None:
        opened = gate(world(gate_llm_enabled=True), Judge())
        cleared = opened.check_many([task(subdomain=f"line {n}") for n in range(9)])
        assert all(opened.authorize(v) for v in cleared)
        for n in range(9):
            assert opened.check(task(subdomain=f"Line  {n}")).of == cleared[n].admitted

    def test_nobody_configured_holds_what_somebody_should_rule_on(self) -> None:
        opened = gate(world(gate_llm_enabled=True))
        opened.check(task())
        verdict = opened.check(task(SHIRTS_TOO))
        assert (verdict.reason, verdict.ruling, verdict.state) == (Reason.NO_RULING, None, GateState.RULED)

    def test_it_is_asked_about_a_batch_at_once_and_about_kin_in_turn(self) -> None:
        judge = Judge()
        w = world(gate_llm_enabled=True)
        opened = gate(w, judge)
        opened.check_many([task(), task(BOATS)])
        w.embedder.texts.clear()
        opened.check_many([task(SHIRTS_TOO), task(BOATS + " Today."), task(SHIRTS + " Today.")])
        assert judge.batches == [1, 1, 1]
        assert len(w.embedder.texts) == 3
        assert len(judge.asked[2].shown) == 2

    @pytest.mark.parametrize(
        "bad",
        [
            Ruling(Opinion.DISTINCT, confidence=float("nan"), adjudicator="x"),
            Ruling(Opinion.DISTINCT, confidence=1.5, adjudicator="x"),
            Ruling(Opinion.DISTINCT, cost=-1.0, adjudicator="x"),
            Ruling(Opinion.DISTINCT, of="something", adjudicator="x"),
            Ruling(Opinion.DISTINCT, failure=Failure.TIMEOUT, adjudicator="x"),
            None,
        ],
    )
    def test_a_ruling_that_nobody_may_give_is_a_failure(self, bad: Any) -> None:
        opened = gate(world(gate_llm_enabled=True), Judge(lambda _question: bad))
        opened.check(task())
        verdict = opened.check(task(SHIRTS_TOO))
        assert verdict.ruling is not None
        assert (verdict.ruling.failure, opened.authorize(verdict)) == (Failure.MALFORMED, False)

    def test_too_few_rulings_are_none(self) -> None:
        class Lazy(Judge):
            def rule(self, questions: Sequence[Question]) -> tuple[Ruling, ...]:
                return super().rule(questions)[:-1]

        opened = gate(world(gate_llm_enabled=True), Lazy())
        opened.check(task())
        verdicts = opened.check_many([task(f"{SHIRTS} Twice {n}.") for n in "abc"])
        assert not any(map(authorize, verdicts))


class TestPullThePlug:
    def test_a_judge_that_dies_in_a_batch_leaves_held_and_visible_what_it_has_not_ruled_on(self) -> None:
        w = world(gate_llm_enabled=True)
        opened = gate(w, DyingJudge(4, ConnectionError("the plug")))
        assert all(map(authorize, opened.check_many(topics(40))))
        verdicts = opened.check_many(near_topics(40))
        held = [v for v in verdicts if not authorize(v)]
        assert (len(held), {v.reason for v in held}) == (36, {Reason.AWAY})
        assert {v.ruling.failure for v in held if v.ruling} == {Failure.UNREACHABLE}
        stored = [w.base.store.gates.verdict(v.id) for v in verdicts]
        assert stored == list(verdicts)
        assert opened.stats().n_kept == 44
        assert opened.stats().failures == {"unreachable": 36}
        events = [e for e in w.base.store.gates.events("tasks", limit=1_000) if e.act is GateAct.HELD]
        assert {e.verdict_id for e in events} == {v.id for v in held}

    def test_whom_an_open_circuit_spared_was_not_asked(self) -> None:
        class Spared(Judge):
            def rule(self, questions: Sequence[Question]) -> tuple[Ruling, ...]:
                return (Ruling(Opinion.UNSURE, failure=Failure.CIRCUIT_OPEN),) * len(questions)

        opened = gate(world(gate_llm_enabled=True), Spared())
        opened.check_many([*topics(2), *near_topics(2)])
        figures = opened.stats()
        assert (figures.n_asked, figures.failures) == (0, {"circuit_open": 2})

    def test_what_was_held_for_want_of_a_judge_is_asked_about_again(self) -> None:
        w = world(gate_llm_enabled=True)
        away = gate(w, DyingJudge(0, ConnectionError("the plug")))
        assert all(map(authorize, away.check_many(topics(60))))
        away.check_many(near_topics(60))
        held = held_without_ruling(w.base, "tasks")
        assert len(held) == 60
        back = gate(w, Judge())
        away.override(held[0].id, "jo", "I know it")  # What somebody decided meanwhile stands.
        told = list(ask_again(w.base, back, held, reopening("jo")))
        assert {v.id for v in told} == {v.id for v in held[1:]}
        assert {v.reason for v in told} == {Reason.LLM_CLEARED}
        assert held_without_ruling(w.base, "tasks") == []
        (first, *_) = [e for e in w.base.store.gates.events("tasks", told[0].id) if e.act is GateAct.REOPENED]
        assert first.actor == "jo"
        assert not back.replay().different

    def test_who_is_interrupted_while_asking_again_leaves_them_pending(self) -> None:
        w = world(gate_llm_enabled=True)
        gate(w, DyingJudge(0, ConnectionError("the plug"))).check_many([*topics(1), *near_topics(1)])

        class Killed(Judge):
            def rule(self, questions: Sequence[Question]) -> tuple[Ruling, ...]:
                raise KeyboardInterrupt

        held = held_without_ruling(w.base, "tasks")
        with pytest.raises(KeyboardInterrupt):
            list(ask_again(w.base, gate(w, Killed()), held, reopening("jo")))
        (pending,) = w.base.store.gates.verdicts("tasks", GateState.PENDING)
        assert not authorize(pending)
        (again,) = gate(w, Judge()).check_many([held[0].submission])
        assert (again.id, again.reason) == (held[0].id, Reason.LLM_CLEARED)

    def test_only_what_was_ruled_on_before_it_died_is_cleared(self) -> None:
        opened = gate(world(gate_llm_enabled=True), DyingJudge(4, ConnectionError("the plug")))
        verdicts = opened.check_many(similar(12))
        cleared = [v for v in verdicts if authorize(v)]
        assert [v.reason for v in cleared] == [Reason.NO_MATCHES, *[Reason.LLM_CLEARED] * 4]
        assert all(v.blocked for v in verdicts if v not in cleared)

    def test_a_process_that_dies_leaves_its_candidates_pending_and_another_one_settles_them(self) -> None:
        w = world(gate_llm_enabled=True)
        dying = gate(w, DyingJudge(1, KeyboardInterrupt()))
        dying.check_many(topics(5))
        given = near_topics(5)
        with pytest.raises(KeyboardInterrupt):
            dying.check_many(given)
        waiting = w.base.store.gates.verdicts("tasks", GateState.PENDING)
        assert {v.submission.key for v in waiting} >= {s.key for s in given[1:]}  # One may have been ruled on.
        assert not any(map(authorize, waiting))
        healthy = gate(w, Judge(unsure))
        verdicts = healthy.check_many(given)
        assert {v.id for v in verdicts} >= {v.id for v in waiting}
        assert {v.state for v in verdicts} == {GateState.RULED}
        assert w.base.store.gates.n_pending("tasks") == 0


class TestReserving:
    def test_a_batch_is_compared_with_itself(self) -> None:
        opened = gate(world())
        first, second, third = opened.check_many([task(), task(SHIRTS_TOO), task(BOATS)])
        assert (second.of, third.reason) == (first.admitted, Reason.BELOW_THRESHOLD)

    def test_what_is_kept_while_the_judge_rules_is_seen_by_another_round(self) -> None:
        w = world(gate_llm_enabled=True)
        other = gate(w, Judge(distinct))
        opened = gate(w, Judge(distinct))
        opened.check(task())
        added: list[GateVerdict] = []

        def meanwhile() -> None:
            if not added:
                added.append(other.check(task(SHIRTS_TOO)))

        judge = Judge(distinct, meanwhile)
        verdict = gate(w, judge).check(task(SHIRTS_TOO))
        assert verdict.reason is Reason.SAME_CONTENT
        assert verdict.of == added[0].admitted

    def test_a_judge_that_never_keeps_up_holds(self) -> None:
        w = world(gate_llm_enabled=True)
        other = gate(w, Judge(distinct))
        numbers = iter(range(100))
        judge = Judge(distinct, lambda: other.check(task(f"{SHIRTS_TOO} Also {chr(97 + next(numbers))}.")))
        opened = gate(w, judge)
        opened.check(task())
        verdict = opened.check(task(f"{SHIRTS} Mine."))
        assert (verdict.reason, authorize(verdict)) == (Reason.OVERTAKEN, False)
        assert verdict.ruling is not None
        assert "changed" in verdict.ruling.reason

    def test_without_reserving_nothing_is_kept(self) -> None:
        opened = gate(world())
        verdict = opened.check(task(), reserve=False)
        assert (verdict.admitted, authorize(verdict)) == ("", True)
        assert opened.check(task()).reason is Reason.NO_MATCHES


class TestKeys:
    def test_the_same_key_gives_the_stored_verdict(self) -> None:
        w = world()
        opened = gate(w)
        first = opened.check(task(key="a"))
        assert opened.check(task(key="a")) == first
        assert gate(w).check_many([task(key="a"), task(BOATS, "b"), task(BOATS, "b")])[0] == first
        assert opened.stats().n == 2

    def test_a_key_of_another_submission_is_refused(self) -> None:
        opened = gate(world())
        opened.check(task(key="a"))
        with pytest.raises(UsageError, match="another submission"):
            opened.check(task(BOATS, "a"))
        with pytest.raises(UsageError, match="two submissions"):
            opened.check_many([task(key="b"), task(BOATS, "b")])
        assert opened.stats().n == 1


class TestFields:
    def test_another_value_of_an_exact_field_is_no_match(self) -> None:
        opened = gate(world(gate_exact_fields="subdomain"))
        soft = opened.check(task(subdomain="softlines"))
        hard = opened.check(task(subdomain="hardlines"))
        again = opened.check(task(SHIRTS_TOO, subdomain=" Hardlines"))
        assert (soft.reason, hard.reason) == (Reason.NO_MATCHES, Reason.NO_MATCHES)
        assert again.of == hard.admitted

    def test_only_what_is_embedded_is_compared(self) -> None:
        w = world()
        opened = gate(w, fields=GateFields(("text", "persona"), (), ("title",)))
        opened.check(task(persona="store manager", note="unseen"))
        assert w.embedder.texts == [f"{SHIRTS}\n\npersona: store manager"]
        again = opened.check(task(persona="store manager", note="another"))
        assert again.reason is Reason.SAME_CONTENT

    def test_a_gate_keeps_its_definition(self) -> None:
        w = world()
        gate(w, fields=GateFields(("text",)))
        w.set(gate_embedded_fields="title")
        assert gate(w).definition.fields == GateFields(("text",))
        with pytest.raises(UsageError, match="compares"):
            gate(w, fields=GateFields(("title",)))

    @pytest.mark.parametrize(
        "bad",
        [
            Submission("", ""),
            Submission("  \n"),
            Submission("x", fields=(("a", "1"), ("a", "2"))),
            Submission("x", fields=(("text", "1"),)),
            Submission("x", fields=(("", "1"),)),
            Submission("x" * 200_001),
            Submission("x", key="k" * 201),
        ],
    )
    def test_what_cannot_be_compared_is_refused(self, bad: Submission) -> None:
        with pytest.raises(UsageError):
            gate(world()).check(bad)

    def test_a_title_alone_is_refused_where_texts_are_compared(self) -> None:
        w = world()
        with pytest.raises(UsageError, match="with a text"):
            gate(w).check(task(" ", title="Count the shirts"))
        with pytest.raises(UsageError, match="with a text"):
            list(gate(w).import_([task("", title="Count the shirts")], "ann"))
        titles = gate(w, name="titles", fields=GateFields(("title",)))
        assert authorize(titles.check(task("", title="Count the shirts")))

    def test_something_must_be_embedded(self) -> None:
        with pytest.raises(SettingsError, match="gate_embedded_fields"):
            gate(world(gate_embedded_fields=" , "))

    def test_text_that_no_store_keeps_is_stored_all_the_same(self) -> None:
        opened = gate(world())
        verdict = opened.check(task("odd \x00 \ud800 text", note="\udfff"))
        assert authorize(verdict)
        assert opened.replay().different == ()

    def test_gates_know_nothing_of_each_other(self) -> None:
        w = world()
        gate(w).check(task())
        assert gate(w, name="tickets").check(task()).reason is Reason.NO_MATCHES


class TestOverride:
    def held(self, w: World) -> GateVerdict:
        opened = gate(w)
        opened.check(task())
        return opened.check(task(SHIRTS_TOO))

    def test_somebody_lets_a_blocked_one_through_and_says_why(self) -> None:
        w = world()
        held = self.held(w)
        opened = gate(w)
        through = opened.override(held.id, "ann", "another shop")
        assert (through.reason, authorize(through)) == (Reason.OVERRIDE, True)
        assert through.override is not None
        assert (through.override.by, through.override.why) == ("ann", "another shop")
        assert opened.check(task(SHIRTS_TOO)).of == through.admitted
        assert w.base.store.gates.verdict(held.id) == through

    @pytest.mark.parametrize(("by", "why"), [("", "x"), ("ann", " ")])
    def test_an_override_without_a_name_or_a_reason_is_refused(self, by: str, why: str) -> None:
        w = world()
        with pytest.raises(UsageError, match="name of a person and a reason"):
            gate(w).override(self.held(w).id, by, why)

    def test_what_is_not_blocked_cannot_be_overridden(self) -> None:
        w = world()
        opened = gate(w)
        cleared = opened.check(task())
        with pytest.raises(UsageError, match="not blocked"):
            opened.override(cleared.id, "ann", "why not")
        same = opened.check(task())
        with pytest.raises(UsageError, match="same content"):
            opened.override(same.id, "ann", "why not")
        with pytest.raises(NotFoundError):
            opened.override("gv-0", "ann", "why not")

    def test_two_blocked_ones_of_one_content_are_let_through_once(self) -> None:
        w = world()
        opened = gate(w)
        opened.check(task())
        one, two = opened.check(task(SHIRTS_TOO)), opened.check(task(SHIRTS_TOO))
        opened.override(one.id, "ann", "fine")
        with pytest.raises(UsageError, match="release that one first"):
            opened.override(two.id, "ann", "fine")

    def test_a_release_takes_back_what_was_let_through(self) -> None:
        opened = gate(world())
        first = opened.check(task())
        released = opened.release(first.id, "ann", "never made")
        assert (authorize(released), opened.stats().n_kept) == (False, 0)
        assert opened.check(task()).reason is Reason.NO_MATCHES
        with pytest.raises(UsageError, match="not kept"):
            opened.release(first.id, "ann")


class TestTheEscapeHatch:
    @pytest.mark.parametrize("failure", list(Failure))
    def test_lets_through_what_an_absent_judge_holds_and_nothing_else(self, failure: Failure) -> None:
        w = world(gate_llm_enabled=True, gate_escape_hatch=True)
        opened = gate(w, Judge(failing(failure)))
        opened.check(task())
        verdict = opened.check(task(SHIRTS_TOO))
        assert authorize(verdict) is (failure in AWAY)
        if failure in AWAY:
            assert verdict.override is not None
            assert (verdict.override.by, verdict.reason) == (ESCAPE_HATCH, Reason.ESCAPE_HATCH)
            assert opened.stats().n_let_through == 1
            assert opened.check(task(SHIRTS_TOO)).reason is Reason.SAME_CONTENT

    @pytest.mark.parametrize("says", [unsure, duplicate])
    def test_lets_nothing_through_that_a_judge_spoke_about(self, says: Says) -> None:
        opened = gate(world(gate_llm_enabled=True, gate_escape_hatch=True), Judge(says))
        opened.check(task())
        assert not authorize(opened.check(task(SHIRTS_TOO)))

    def test_is_closed_by_default(self) -> None:
        opened = gate(world(gate_llm_enabled=True), Judge(failing(Failure.TIMEOUT)))
        opened.check(task())
        held = opened.check(task(SHIRTS_TOO))
        assert not authorize(held)
        forged = replace(held, override=replace_override(held))
        assert not authorize(forged)


def replace_override(held: GateVerdict) -> Any:
    from saidonce.foundation.model import Override

    return Override(ESCAPE_HATCH, "open sesame", held.at)


class TestPending:
    def test_what_needs_a_ruling_waits_for_a_worker(self) -> None:
        w = world(gate_llm_enabled=True)
        judge = Judge(distinct)
        opened = gate(w, judge)
        new, near = opened.submit_many([task(key="a"), task(SHIRTS_TOO, "b")])
        assert (new.state, near.state) == (GateState.RULED, GateState.PENDING)
        assert (near.reason, authorize(near), judge.asked) == (None, False, [])
        assert opened.submit_many([task(SHIRTS_TOO, "b")]) == (near,)
        (ruled,) = rule_due(w.base, lambda name, _order: gate(w, judge, name), 10)
        assert (ruled.id, ruled.reason, authorize(ruled)) == (near.id, Reason.LLM_CLEARED, True)
        assert rule_due(w.base, lambda name, _order: gate(w, judge, name), 10) == ()
        assert opened.submit_many([task(SHIRTS_TOO, "b")]) == (ruled,)

    def test_a_claim_keeps_other_workers_away(self) -> None:
        w = world(gate_llm_enabled=True)
        gate(w, Judge()).submit_many([task(key="a"), task(SHIRTS_TOO, "b")])
        now = w.base.clock.now()
        assert len(w.base.store.gates.claim(now, now.replace(hour=15), 10)) == 1
        assert w.base.store.gates.claim(now, now.replace(hour=15), 10) == ()
        assert len(w.base.store.gates.claim(now.replace(hour=16), now.replace(hour=17), 10)) == 1


class TestImport:
    def test_keeps_without_a_check_and_every_content_once(self) -> None:
        w = world()
        opened = gate(w)
        given = [task(), task(SHIRTS_TOO), task(SHIRTS), task(BOATS)]
        assert [(i.n_kept, i.n_known) for i in opened.import_(given)] == [(3, 1)]
        assert [(i.n_kept, i.n_known) for i in gate(w).import_(given)] == [(0, 4)]
        assert opened.check(task(BOATS)).reason is Reason.SAME_CONTENT


class TestAnotherModel:
    def test_is_refused_until_the_gate_is_embedded_anew(self) -> None:
        w = world()
        gate(w).check(task())
        other = CountingEmbedder(64)
        moved = World(replace(w.base, embedder=other), other)
        with pytest.raises(ModelMismatchError):
            Gate(moved.base, define(moved.base, "tasks"), AdmittedIndex("tasks", other.model, 64)).check(task(BOATS))
        assert reembed(moved.base, "tasks") == 1
        assert gate(moved).check(task(SHIRTS_TOO)).reason is Reason.ABOVE_THRESHOLD


class TestReplay:
    def test_tells_every_verdict_anew_and_finds_what_was_altered(self) -> None:
        w = world(gate_llm_enabled=True)
        opened = gate(w, Judge(distinct))
        verdicts = opened.check_many([*similar(3), task(BOATS), task(SHIRTS_TOO)])
        opened.release(verdicts[0].id, "ann")
        assert opened.replay().n == 5
        assert opened.replay().different == ()
        victim = verdicts[1]
        assert victim.verdict is not None
        forged = replace(victim, verdict=replace(victim.verdict, outcome=Outcome.DUPLICATE))
        w.base.store.gates.write(GateWrite(verdicts=(forged,)))
        assert [id_ for id_, _ in opened.replay().different] == [victim.id]
