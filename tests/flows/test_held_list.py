"""What the gate holds is worked off by people: decided, undone, assigned, noted; nobody overrules another unseen."""

from __future__ import annotations

from dataclasses import replace

import pytest
from test_gate import BOATS, SHIRTS, SHIRTS_TOO, gate, near_topics, task, topics

from judges import Judge, Says, distinct, duplicate, failing, unsure
from saidonce.errors import NotFoundError, StaleWriteError, UsageError
from saidonce.foundation.codec import verdict_from_json, verdict_to_json
from saidonce.foundation.model import (
    AWAY,
    ESCAPE_HATCH,
    Failure,
    GateAct,
    GateVerdict,
    HeldChoice,
    HeldState,
    Opinion,
    Person,
    Question,
    Reason,
    Role,
    Ruling,
    Submission,
    SubmissionStanding,
    reasons_named,
)
from saidonce.foundation.ports import HeldFilter
from saidonce.gate import Gate, HeldItem, HeldOrder, ask_again, authorize, held, held_without_ruling, reopening
from saidonce.gate.audits import audited, is_drawn
from saidonce.gate.replay import differs
from world import NOON, World, world

REPEAT, THROUGH, LINK = HeldChoice.REPEAT, HeldChoice.LET_THROUGH, HeldChoice.LINK


def held_one(w: World, says: Says = unsure) -> GateVerdict:
    """One that is near to a kept one, and held."""
    opened = gate(w, Judge(says))
    if not w.base.store.gates.n_admitted("tasks"):
        opened.check(task())
    return opened.check(task(SHIRTS_TOO))


def asked(w: World | None = None, **settings: object) -> World:
    return w or world(gate_llm_enabled=True, **settings)


def decide(
    w: World, choice: HeldChoice, *items: GateVerdict | HeldItem, by: str = "ann", why: str = ""
) -> held.HeldResult:
    given = [each if isinstance(each, HeldItem) else HeldItem(each.id, held.state_of(each)) for each in items]
    return held.decide(w.base, lambda name: gate(w, name=name), given, HeldOrder(choice, by, why))


def decide_one(w: World, choice: HeldChoice, item: HeldItem, by: str = "ann") -> held.HeldResult:
    return held.decide_one(w.base, lambda name: gate(w, name=name), item, HeldOrder(choice, by))


def stored(w: World, verdict: GateVerdict) -> GateVerdict:
    again = w.base.store.gates.verdict(verdict.id)
    assert again is not None
    return again


def listed(w: World, **part: object) -> list[str]:
    return [v.id for v in w.base.store.gates.held(HeldFilter("tasks", **part))]  # type: ignore[arg-type]


class TestWhatIsHeldSaysWhatHappened:
    @pytest.mark.parametrize("failure", list(Failure))
    def test_every_failure_of_a_judge_has_its_reason(self, failure: Failure) -> None:
        verdict = held_one(asked(), failing(failure))
        assert verdict.reason == (Reason.AWAY if failure in AWAY else Reason(failure.value))
        assert (verdict.held, verdict.standing) == (HeldState.OPEN, SubmissionStanding.HELD)

    def test_unsure_and_away_are_told_apart_and_nobody_asked_is_neither(self) -> None:
        assert held_one(asked()).reason is Reason.UNSURE
        w = asked()
        gate(w).check(task())
        assert gate(w).check(task(SHIRTS_TOO)).reason is Reason.NO_RULING

    def test_a_ruled_duplicate_waits_for_nobody_unless_a_guard_contradicts_it(self) -> None:
        settled = held_one(asked(), duplicate)
        assert (settled.reason, settled.held, settled.standing) == (
            Reason.RULED_DUPLICATE, HeldState.RULED, SubmissionStanding.BLOCKED,
        )  # fmt: skip
        w = asked()
        opened = gate(w, Judge(duplicate))
        opened.check(task("Keep backups of the customer database for 30 days in the cold store of the northern site."))
        doubtful = opened.check(
            task("Keep backups of the customer database for 90 days in the cold store of the northern site.")
        )
        assert (doubtful.reason, doubtful.held) == (Reason.RULED_DUPLICATE, HeldState.OPEN)

    def test_the_hatch_lets_through_and_does_not_clear(self) -> None:
        w = asked(gate_escape_hatch=True)
        through = held_one(w, failing(Failure.TIMEOUT))
        assert (through.reason, through.standing, through.held) == (
            Reason.ESCAPE_HATCH,
            SubmissionStanding.LET_THROUGH,
            None,
        )
        figures = gate(w).stats()
        assert (figures.n_cleared, figures.n_let_through) == (1, 1)
        assert "escape_hatch" not in figures.cleared_for

    def test_a_ruling_of_no_known_match_is_malformed(self) -> None:
        def elsewhere(_question: Question) -> Ruling:
            return Ruling(Opinion.DUPLICATE, "x", adjudicator="scripted")

        assert held_one(asked(), elsewhere).reason is Reason.MALFORMED

    def test_old_records_and_old_names_are_read(self) -> None:
        verdict = held_one(asked(), duplicate)
        old = verdict_to_json(verdict).replace('"ruled_duplicate"', '"vetoed"')
        assert verdict_from_json(old) == verdict
        assert reasons_named(["vetoed", "unsure"]) == (Reason.RULED_DUPLICATE, Reason.UNSURE)
        assert {Reason.AWAY, Reason.CANARY, Reason.NO_RULING} <= set(reasons_named(["no_ruling"]))
        assert reasons_named(["override"]) == (Reason.OVERRIDE, Reason.ESCAPE_HATCH)


class TestTheList:
    def test_is_filtered_by_reason_judge_assignee_and_age_oldest_first(self) -> None:
        w = asked()
        first, away = held_one(w), held_one(w, failing(Failure.TIMEOUT))
        assert listed(w) == sorted([first.id, away.id])
        assert listed(w, reasons=("away",)) == [away.id]
        assert listed(w, judge="scrip") == sorted([first.id, away.id])
        assert listed(w, judge="other") == []
        assert listed(w, before=first.at) == []
        held.assign(w.base, [away.id], "bo", "ann")
        assert (listed(w, assignee="bo"), listed(w, assignee="")) == ([away.id], [first.id])
        (one,) = [c for c in w.base.store.gates.held_counts("tasks") if c.assignee == "bo"]
        assert (one.reason, one.n, one.state) == ("away", 1, HeldState.OPEN)

    def test_a_decided_one_leaves_it_and_comes_back_with_the_undo(self) -> None:
        w = asked()
        one = held_one(w)
        done = decide(w, REPEAT, one)
        assert listed(w) == []
        held.undo(w.base, done.decision, "ann")
        assert listed(w) == [one.id]


class TestDecisions:
    def test_a_repeat_is_recorded_with_who_when_and_why_and_authorises_nothing(self) -> None:
        w = asked()
        one = held_one(w)
        (after,) = decide(w, REPEAT, one, why="same shop").done
        assert after.decision is not None
        assert (after.decision.by, after.decision.why, after.of) == ("ann", "same shop", one.of)
        assert (after.held, after.standing, authorize(after)) == (HeldState.REPEAT, SubmissionStanding.BLOCKED, False)
        newest = w.base.store.gates.events("tasks", one.id)[0]
        assert (newest.act, newest.actor, newest.detail, newest.decision) == (
            GateAct.CONFIRMED, "ann", "same shop", after.decision.id,
        )  # fmt: skip

    def test_many_are_let_through_and_one_undo_withdraws_exactly_those(self) -> None:
        w = asked()
        opened = gate(w, Judge(unsure))
        opened.check_many(topics(6))
        waiting = opened.check_many(near_topics(6))
        n_kept = opened.stats().n_kept
        done = decide(w, THROUGH, *waiting[:5])
        assert [v.id for v in done.done] == [v.id for v in waiting[:5]]
        assert all(map(authorize, done.done))
        assert opened.stats().n_kept == n_kept + 5
        assert opened.check(replace(near_topics(1)[0], key="")).reason is Reason.SAME_CONTENT
        back = held.undo(w.base, done.decision, "bo", "too quick")
        assert (len(back.withdrawn), back.left, len(back.leaning)) == (5, (), 1)
        assert [replace(v, rev=0) for v in back.undone] == [
            replace(v, rev=0) for v in sorted(waiting[:5], key=lambda v: v.id)
        ]
        assert (opened.stats().n_kept, len(listed(w))) == (n_kept, 6)
        assert not any(authorize(stored(w, v)) for v in waiting)
        with pytest.raises(NotFoundError, match="already undone"):
            held.undo(w.base, done.decision, "bo")
        again = decide(w, THROUGH, *back.undone)
        assert len(again.done) == 5

    def test_what_was_released_since_stays_released(self) -> None:
        w = asked()
        one = held_one(w)
        done = decide(w, THROUGH, one)
        gate(w).release(one.id, "bo", "dropped")
        back = held.undo(w.base, done.decision, "ann")
        assert (back.undone, back.withdrawn) == ((), ())
        assert "released" in back.left[0].why

    def test_another_wording_is_recognised_without_a_ruling_until_it_is_undone(self) -> None:
        w = asked()
        one = held_one(w)
        (linked,) = decide(w, LINK, one).done
        assert (linked.standing, linked.held, linked.of) == (SubmissionStanding.BLOCKED, HeldState.LINKED, one.of)
        judge = Judge(distinct)
        again = gate(w, judge).check(task(SHIRTS_TOO))
        assert (again.reason, again.of, judge.asked) == (Reason.SAME_CONTENT, one.of, [])
        assert differs(again, w.base.store.gates.admissions([n.id for n in again.near])) == ""
        assert linked.decision is not None
        back = held.undo(w.base, linked.decision.id, "ann")
        assert back.withdrawn == (linked.decision.wording,)
        assert gate(w, Judge(unsure)).check(task(SHIRTS_TOO)).reason is Reason.UNSURE

    def test_a_wording_goes_with_what_it_words(self) -> None:
        w = asked()
        first = gate(w).check(task())
        one = gate(w, Judge(unsure)).check(task(SHIRTS_TOO))
        decide(w, LINK, one)
        gate(w).release(first.id, "ann")
        assert gate(w, Judge(unsure)).check(task(SHIRTS_TOO)).reason is Reason.NO_MATCHES

    def test_what_resembles_another_of_the_same_decision_is_left(self) -> None:
        w = asked()
        one = held_one(w)
        two = gate(w, Judge(unsure)).check(task(SHIRTS_TOO + " Today."))
        three = gate(w, Judge(unsure)).check(task(SHIRTS_TOO))
        done = decide(w, THROUGH, one, two, three)
        assert [v.id for v in done.done] == [one.id]
        assert [left.id for left in done.left] == [two.id, three.id]
        assert "one by one" in done.left[0].why
        assert "the same content as" in done.left[1].why

    def test_what_was_kept_since_has_to_be_looked_at(self) -> None:
        w = asked()
        one = held_one(w)
        newer = gate(w, Judge(distinct)).check(task(SHIRTS_TOO + " Today."))
        with pytest.raises(UsageError, match="kept since it was held"):
            decide_one(w, THROUGH, HeldItem(one.id))
        pair = held.compare(w.base, gate(w), stored(w, one))
        assert pair.fresh == (newer.admitted,)
        assert newer.admitted in {n.id for n in pair.near}
        assert authorize(decide_one(w, THROUGH, HeldItem(one.id, pair.seen, pair.fresh)).done[0])

    def test_nothing_repeats_what_was_released(self) -> None:
        w = asked()
        first = gate(w).check(task())
        one = gate(w, Judge(unsure)).check(task(SHIRTS_TOO))
        gate(w).release(first.id, "ann")
        with pytest.raises(UsageError, match="no longer kept"):
            decide_one(w, REPEAT, HeldItem(one.id))

    def test_the_same_content_is_for_nobody_to_decide(self) -> None:
        w = asked()
        gate(w).check(task())
        same = gate(w).check(task())
        assert same.held is None
        with pytest.raises(UsageError, match="the same content"):
            decide_one(w, THROUGH, HeldItem(same.id))

    @pytest.mark.parametrize("by", ["", "  ", ESCAPE_HATCH])
    def test_a_decision_is_a_persons(self, by: str) -> None:
        w = asked()
        with pytest.raises(UsageError, match="name"):
            decide(w, REPEAT, held_one(w), by=by)

    def test_no_other_gate_s_submission_is_repeated(self) -> None:
        w = asked()
        elsewhere = gate(w, name="tickets").check(task(BOATS))
        with pytest.raises(NotFoundError):
            held.decide_one(
                w.base, lambda name: gate(w, name=name), HeldItem(held_one(w).id),
                HeldOrder(REPEAT, "ann", of=elsewhere.admitted),
            )  # fmt: skip


class TestTwoPeopleAndARetry:
    def test_the_second_is_told_who_decided_what_and_when(self) -> None:
        w = asked()
        one = held_one(w)
        item = HeldItem(one.id, held.state_of(one))
        decide_one(w, REPEAT, item, by="ann")
        with pytest.raises(StaleWriteError, match=r"ann decided .* repeat .* undo hd-"):
            decide_one(w, THROUGH, item, by="bo")
        assert "ann decided" in decide(w, THROUGH, item, by="bo").left[0].why

    def test_what_a_retry_settled_is_refused_with_the_reason(self) -> None:
        w = asked()
        one = held_one(w, failing(Failure.TIMEOUT))
        list(ask_again(w.base, gate(w, Judge(distinct)), held_without_ruling(w.base, "tasks"), reopening("jo")))
        with pytest.raises(StaleWriteError, match=r"'gate retry' by jo .* llm_cleared"):
            decide_one(w, REPEAT, HeldItem(one.id, held.state_of(one)))

    def test_what_a_retry_left_held_for_another_reason_is_looked_at_again(self) -> None:
        w = asked()
        one = held_one(w, failing(Failure.TIMEOUT))
        list(ask_again(w.base, gate(w, Judge(unsure)), held_without_ruling(w.base, "tasks"), reopening("jo")))
        with pytest.raises(StaleWriteError, match="has a new ruling"):
            decide_one(w, REPEAT, HeldItem(one.id, held.state_of(one)))
        assert decide_one(w, REPEAT, HeldItem(one.id)).done

    def test_a_retry_asks_nothing_that_a_person_decided(self) -> None:
        w = asked()
        one = held_one(w, failing(Failure.TIMEOUT))
        decide(w, REPEAT, one)
        assert held_without_ruling(w.base, "tasks") == []

    def test_an_assignment_or_a_note_does_not_stand_in_the_way(self) -> None:
        w = asked()
        one = held_one(w)
        held.assign(w.base, [one.id], "bo", "ann")
        held.note(w.base, one.id, "ask the shop", "ann")
        assert decide(w, REPEAT, one).left == ()
        acts = [e.act for e in w.base.store.gates.events("tasks", one.id)][:3]
        assert acts == [GateAct.CONFIRMED, GateAct.NOTED, GateAct.ASSIGNED]

    def test_nobody_unknown_is_assigned_where_people_are_registered(self) -> None:
        w = asked()
        one = held_one(w)
        w.base.store.people.put_person(Person("cal", "", Role.OWNER, NOON))
        with pytest.raises(NotFoundError, match="bo"):
            held.assign(w.base, [one.id], "bo", "ann")
        assert held.assign(w.base, [one.id], "cal", "ann")[0].assignee == "cal"


class TestTryingAgainInOtherWords:
    def test_a_later_try_is_linked_to_the_first_verdict(self) -> None:
        w = asked()
        one = held_one(w)
        later = gate(w).check(Submission(BOATS, retry_of=one.id.upper(), submitter="ann"))
        assert later.submission.retry_of == one.id
        pair = held.compare(w.base, gate(w), stored(w, one))
        assert [v.id for v in pair.retries] == [later.id]
        assert held.compare(w.base, gate(w), later).first == one

    def test_only_what_was_held_or_blocked_is_tried_again_and_by_its_submitter(self) -> None:
        w = asked()
        opened: Gate = gate(w, Judge(unsure))
        cleared = opened.check(task())
        mine = opened.check(replace(task(SHIRTS_TOO), submitter="ann"))
        for retry_of, submitter, why in (
            (cleared.id, "ann", "not blocked"), (mine.id, "bo", "only they"), ("gv-none", "ann", "verdict"),
        ):  # fmt: skip
            with pytest.raises((UsageError, NotFoundError), match=why):
                opened.check(Submission(BOATS, retry_of=retry_of, submitter=submitter))
        assert opened.check(Submission(BOATS, retry_of=mine.id)).is_through


class TestAudits:
    def test_a_share_of_clears_is_drawn_alike_for_everybody(self) -> None:
        drawn = [is_drawn(f"gv-{n}", 0.2) for n in range(2_000)]
        assert 300 < sum(drawn) < 500
        assert drawn == [is_drawn(f"gv-{n}", 0.2) for n in range(2_000)]
        assert not any(is_drawn(f"gv-{n}", 0.0) for n in range(100))
        assert all(is_drawn(f"gv-{n}", 1.0) for n in range(100))

    def test_people_say_whether_a_clear_was_right_once(self) -> None:
        w = asked(gate_audit_share=1.0)
        cleared = held_one(w, distinct)
        assert (cleared.held, authorize(cleared)) == (HeldState.AUDIT, True)
        assert listed(w, states=(HeldState.AUDIT,)) == [cleared.id]
        assert listed(w) == []
        after = held.audit(w.base, cleared.id, False, "ann", "the same shelf")
        assert (after.held, authorize(after)) == (HeldState.WRONG, True)
        with pytest.raises(StaleWriteError, match="ann found"):
            held.audit(w.base, cleared.id, True, "bo")
        assert audited(w.base.store.gates, ["scripted"]) == (0, 1)
        assert after.audit is not None
        held.undo(w.base, after.audit.id, "ann")
        assert audited(w.base.store.gates, ["scripted"]) == (0, 0)

    def test_only_a_judge_s_clears_are_drawn(self) -> None:
        w = asked(gate_audit_share=1.0)
        assert gate(w).check(task(SHIRTS)).held is None
        with pytest.raises(UsageError, match="not drawn"):
            held.audit(w.base, held_one(w).id, True, "ann")
