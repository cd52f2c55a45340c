"""Second opinions on open pairs: what they bring about, when they are asked again, and what people see of them."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from judges import Judge, distinct, duplicate, failing, unsure
from open_pairs import AGAIN, ALMOST, FORTY, OTHER, THIRTY, block, doubting, flag_of, three_pairs
from saidonce.errors import StaleWriteError, UsageError
from saidonce.foundation.model import (
    POLICY,
    Decision,
    Failure,
    Flag,
    Opinion,
    Question,
    Reason,
    Ruling,
    SecondOpinion,
    Verb,
)
from saidonce.foundation.ports import Adjudicator, QueueFilter
from saidonce.kb import review
from saidonce.kb.analytics import analytics
from saidonce.kb.canonical import audit_state, why_not_automatic, why_not_automatic_for
from saidonce.kb.ingest import remove
from saidonce.kb.review import By, Keep
from saidonce.kb.second_opinions import OpineReport, OpinionOptions, ask_second_opinions, settled_by_opinions
from saidonce.platform.notifications.feed import feed
from saidonce.testing.memory import MemoryStore
from world import NOW, World

CASES = tomllib.loads((Path(__file__).parents[1] / "cases/opine/outcomes.toml").read_text("utf-8"))["case"]
ANN = By("ann")
MERGE = review.BulkRequest(Verb.MERGE)
LATER = "The guard on duty locks all doors at night, and the porch too."


def sure(question: Question) -> Ruling:
    return replace(duplicate(question), confidence=0.99)


def surely_distinct(question: Question) -> Ruling:
    return replace(distinct(question), confidence=0.99)


def in_doubt(mode: str = "settle", first: str = THIRTY, second: str = ALMOST, **settings: object) -> World:
    w = doubting(gray_zone=mode, **settings)
    w.put("a.md", first)
    w.put("b.md", second)
    return w


def asked(w: World, judge: Adjudicator | None = None, **wish: Any) -> OpineReport:
    return ask_second_opinions(w.base, judge or Judge(sure), OpinionOptions(**wish))


def flags(w: World, is_open: bool | None = True) -> tuple[Flag, ...]:
    return w.base.store.ledger.queue(QueueFilter(is_open=is_open))


def latest(w: World, flag: int | None = None) -> SecondOpinion:
    seq = flag or flags(w, None)[0].seq
    return w.base.store.opinions.latest([seq])[seq]


def by_opinion(w: World) -> list[Decision]:
    return [d for d in w.base.store.ledger.log() if d.detail.ruling is not None]


def sound(w: World) -> None:
    assert review.rebuild(w.base).is_sound


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_what_an_opinion_brings_about(case: dict[str, Any]) -> None:
    w = in_doubt(case.get("mode", "settle"), second=FORTY if case.get("objected") else ALMOST)
    w.set(**case.get("settings", {}))
    failure = Failure(case["failure"]) if "failure" in case else None

    def says(question: Question) -> Ruling:
        opinion = Opinion(case.get("opinion", "duplicate"))
        if failure is not None and not case.get("contradicts"):
            opinion = Opinion.UNSURE
        of = case.get("of", question.shown[0].match.id) if opinion is Opinion.DUPLICATE else ""
        return Ruling(opinion, of, "so", case.get("confidence", 0.99), "scripted", failure=failure)

    before = {b.id: b.text for b in w.blocks()}
    seq = flag_of(w).seq
    report = asked(w, Judge(says))
    said = w.base.store.opinions.latest([seq])
    assert (said[seq].outcome if said else "") == case["outcome"]
    assert report.n_asked == len(said)
    done = {"waits": [], "merged": [Verb.MERGE], "dismissed": [Verb.DISMISS]}[case["then"]]
    assert [d.verb for d in by_opinion(w)] == done
    assert (report.n_merged, report.n_dismissed) == (done.count(Verb.MERGE), done.count(Verb.DISMISS))
    flag = w.base.store.ledger.flag(seq)
    assert flag is not None
    assert flag.open is (case["then"] == "waits")
    if flag.open:
        proposed = review.pair(w.base, seq).proposes
        assert (proposed or "") == case.get("proposes", "")
    sound(w)
    for decision in by_opinion(w):
        review.revert(w.base, ANN, decision.seq)
    assert {b.id: b.text for b in w.blocks()} == before
    sound(w)


class TestMerging:
    def test_it_is_an_ordinary_automatic_merge_that_names_its_cause(self) -> None:
        w = in_doubt(audit_share=1.0, owner="ann")
        seq = flag_of(w).seq
        asked(w)
        (merge,) = by_opinion(w)
        ruling = merge.detail.ruling
        assert ruling is not None
        assert (merge.actor, merge.flag, merge.detail.because) == (POLICY, seq, Reason.RULED_DUPLICATE)
        assert (ruling.adjudicator, ruling.opinion, ruling.reason) == ("scripted", Opinion.DUPLICATE, "the same")
        assert merge.detail.sampled
        assert merge.policy
        assert [a.owner for a in merge.detail.activity] == ["ann"]
        assert feed(w.base, "ann").decisions[0] == merge
        assert settled_by_opinions(w.base) == (merge,)
        (whole,) = w.blocks()
        assert w.why(whole.id).opinions == (latest(w, seq),)
        assert w.why(whole.id).decisions[-1] == merge

    def test_taking_it_back_is_exact_and_it_is_not_made_again(self) -> None:
        w = in_doubt()
        before = w.blocks()
        asked(w)
        assert len(w.blocks()) == 1
        review.revert(w.base, ANN, by_opinion(w)[0].seq)
        assert w.blocks() == before
        assert flags(w) == (), "a person has said that they are not the same"
        assert asked(w).n_merged == 0
        assert w.blocks() == before
        sound(w)

    def test_one_that_was_taken_back_and_put_up_again_stays_with_a_person(self) -> None:
        w = in_doubt()
        asked(w)
        back = review.revert(w.base, ANN, by_opinion(w)[0].seq)
        review.revert(w.base, ANN, back.seq)
        assert len(w.blocks()) == 1, "the merge holds again"
        review.revert(w.base, ANN, by_opinion(w)[0].seq)
        asked(w)
        assert [d.verb for d in by_opinion(w)] == [Verb.MERGE]

    def test_a_pair_of_which_another_text_was_kept_apart_is_vetoed(self) -> None:
        w = in_doubt("settle")
        third = AGAIN
        w.put("c.md", third)
        review.keep_apart(w.base, ANN, block(w, ALMOST).id, [block(w, third).id])
        review.merge(w.base, ANN, block(w, THIRTY).id, block(w, third).id, Keep.A)
        (flag,) = (f for f in flags(w) if f.candidate == block(w, ALMOST).id)
        assert not any(near.objections for near in flag.near)
        report = asked(w)
        assert report.outcomes["duplicate"] >= 1
        assert [d.verb for d in by_opinion(w) if d.flag == flag.seq] == []
        assert block(w, ALMOST).members == (block(w, ALMOST).id,)

    def test_an_objection_to_the_texts_as_they_stand_is_never_passed(self) -> None:
        w = in_doubt()
        review.edit(w.base, ANN, block(w, ALMOST).id, FORTY)
        assert not any(near.objections for near in flag_of(w).near), "none objected when it was flagged"
        report = asked(w)
        assert (report.outcomes, report.n_merged) == ({"duplicate": 1}, 0)
        assert len(w.blocks()) == 2

    def test_a_recorded_objection_holds_although_the_text_has_changed(self) -> None:
        w = in_doubt(second=FORTY)
        kept = block(w, THIRTY)
        review.edit(w.base, ANN, kept.id, FORTY.replace("in two regions", "in both regions"))
        report = asked(w)
        assert report.outcomes == {"duplicate": 1}
        assert report.n_merged == 0

    def test_a_certificate_rules_below_its_threshold(self) -> None:
        w = in_doubt(require_certificate=True)
        assert why_not_automatic_for(w.base, "scripted", 0.99) == why_not_automatic(w.base) != ""

    def test_an_audit_that_alarms_stops_the_adjudicator_and_not_the_ladder(self) -> None:
        w = doubting(gray_zone="settle", audit_share=1.0, audit_alpha=0.01, audit_delta=0.2)
        three_pairs(w)
        assert asked(w).n_merged == 3
        for merge in by_opinion(w):
            review.revert(w.base, ANN, merge.seq)
        assert audit_state(w.base).n == 0
        assert audit_state(w.base, "scripted").n_wrong == 3
        assert why_not_automatic(w.base) == ""
        assert "this adjudicator" in why_not_automatic_for(w.base, "scripted", 0.9)
        assert why_not_automatic_for(w.base, "another", 0.9) == ""
        w.put("x.md", OTHER + " So it is said.")
        w.put("y.md", OTHER + " So it is said!")
        assert asked(w).n_merged == 0


class TestDismissing:
    def test_it_is_listed_and_can_be_taken_back(self) -> None:
        w = in_doubt()
        asked(w, Judge(surely_distinct))
        (dismissal,) = by_opinion(w)
        assert (dismissal.actor, dismissal.detail.because) == (POLICY, Reason.LLM_CLEARED)
        assert settled_by_opinions(w.base) == (dismissal,)
        assert dismissal in feed(w.base).decisions
        assert flags(w) == ()
        review.revert(w.base, ANN, dismissal.seq)
        assert [f.seq for f in flags(w)] == [dismissal.flag]
        assert asked(w, Judge(surely_distinct)).n_dismissed == 0, "a person put it back"

    def test_it_says_nothing_against_a_later_merge(self) -> None:
        w = in_doubt()
        asked(w, Judge(surely_distinct))
        assert w.base.store.ledger.apart("main", [b.content_hash for b in w.blocks()]) == frozenset()

    def test_it_lapses_with_a_text_and_is_asked_anew(self) -> None:
        w = in_doubt()
        judge = Judge(surely_distinct)
        asked(w, judge)
        assert flags(w) == ()
        review.edit(w.base, ANN, block(w, THIRTY).id, AGAIN)
        (flag,) = flags(w)
        assert review.pair(w.base, flag.seq).opinion is None, "the opinion spoke of another text"
        sound(w)
        asked(w, judge)
        assert len(judge.asked) == 2
        assert judge.asked[1].shown[0].match.kept.text == AGAIN
        assert flags(w) == ()
        assert [d.verb for d in by_opinion(w)] == [Verb.DISMISS] * 2

    def test_it_stands_when_the_other_text_goes(self) -> None:
        w = in_doubt()
        asked(w, Judge(surely_distinct))
        remove(w.base, "main", "a.md")
        assert flags(w) == ()
        assert asked(w).n_asked == 0

    def test_distinct_means_from_all_that_it_was_compared_with(self) -> None:
        w = in_doubt("settle", THIRTY, AGAIN)
        w.put("c.md", ALMOST)
        judge = Judge(surely_distinct)
        asked(w, judge)
        assert max(len(q.shown) for q in judge.asked) == 2


class TestAsking:
    def test_nobody_is_asked_twice_about_the_same_texts(self) -> None:
        w = in_doubt("sort")
        judge = Judge(unsure)
        assert [asked(w, judge).n_asked for _ in range(3)] == [1, 0, 0]
        assert len(judge.asked) == 1

    def test_another_adjudicator_is_asked(self) -> None:
        class Another(Judge):
            @property
            def name(self) -> str:
                return "another"

        w = in_doubt("sort")
        asked(w, Judge(sure))
        w.set(gray_zone="settle")
        other = Another(unsure)
        assert asked(w, other).n_merged == 0, "what the former one said does not settle"
        assert len(other.asked) == 1

    def test_a_mode_that_settles_uses_what_was_said_before(self) -> None:
        w = in_doubt("sort")
        judge = Judge(sure)
        asked(w, judge)
        w.set(gray_zone="settle")
        report = asked(w, judge)
        assert (report.n_asked, report.n_merged) == (0, 1)

    def test_only_wanted_collections_are_asked_about(self) -> None:
        w = in_doubt("sort")
        assert asked(w, collections=("annexe",)).n_open == 0
        assert asked(w, collections=("main",)).n_open == 1

    def test_a_changed_text_voids_the_opinion(self) -> None:
        w = in_doubt("propose")
        judge = Judge(sure)
        asked(w, judge)
        seq = flag_of(w).seq
        assert review.pair(w.base, seq).opinion == latest(w, seq)
        review.edit(w.base, ANN, block(w, ALMOST).id, ALMOST.replace("thirty", "30"))
        view = review.pair(w.base, seq)
        assert (view.opinion, view.proposes) == (None, None)
        assert review.open_pairs(w.base, QueueFilter())[0].opinion is None
        assert asked(w, judge).n_asked == 1
        assert [o.seq for o in w.base.store.opinions.on([seq])] == [1, 2]
        assert review.pair(w.base, seq).opinion == latest(w, seq)

    def test_a_failure_is_tried_again_later_and_later(self) -> None:
        w = in_doubt("settle")
        clock = Clock()
        w.base = replace(w.base, clock=clock)
        judge = Judge(failing(Failure.MALFORMED))
        waits = []
        for n in range(1, 13):
            report = asked(w, judge)
            assert report.stopped is None
            assert latest(w).n_failed == n
            assert report.again_at is not None
            waits.append((report.again_at - clock.at).total_seconds() / 60)
            clock.at = report.again_at - timedelta(seconds=1)
            assert asked(w, judge).n_asked == 0
            clock.at = report.again_at
        assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360, 360]
        assert asked(w, Judge(sure)).n_merged == 1

    def test_somebody_who_wants_it_again_does_not_wait(self) -> None:
        w = in_doubt("sort")
        judge = Judge(failing(Failure.CANARY))
        asked(w, judge)
        assert asked(w, judge).n_asked == 0
        assert asked(w, judge, again=True).n_asked == 1

    def test_nobody_else_is_asked_when_nobody_answers(self) -> None:
        w = doubting(gray_zone="sort")
        many_pairs(w, 20)
        judge = Judge(failing(Failure.TIMEOUT))
        report = asked(w, judge)
        assert report.stopped is Failure.TIMEOUT
        assert 0 < len(judge.asked) == report.n_asked <= 16 < len(flags(w))

    def test_an_adjudicator_that_raises_is_a_failure(self) -> None:
        def raises(_question: Question) -> Ruling:
            raise RuntimeError("the text it was about")

        w = in_doubt()
        report = asked(w, Judge(raises))
        assert report.outcomes == {"unreachable": 1}
        reason = latest(w).ruling.reason
        assert reason.startswith("RuntimeError@test_opine.py:"), "where it went wrong, and not the text"

    def test_so_many_are_asked_and_the_next_run_goes_on(self) -> None:
        w = doubting(gray_zone="sort")
        three_pairs(w)
        judge = Judge(unsure)
        assert [asked(w, judge, most=2).n_asked for _ in range(3)] == [2, 1, 0]

    def test_a_run_that_is_broken_off_goes_on_where_it_was(self) -> None:
        w = doubting(gray_zone="sort")
        many_pairs(w, 20)
        n = len(flags(w))

        class Stopped(Judge):
            def rule(self, questions: Any) -> tuple[Ruling, ...]:
                if self.batches:
                    raise KeyboardInterrupt
                return super().rule(questions)

        with pytest.raises(KeyboardInterrupt):
            asked(w, Stopped(unsure))
        assert sum(w.base.store.opinions.outcomes().values()) == 16
        judge = Judge(unsure)
        asked(w, judge)
        assert len(judge.asked) == n - 16


class TestMeanwhile:
    """Somebody works while an adjudicator rules: no lock is held, and nothing is done twice."""

    def meanwhile(self, w: World, does: Callable[[], object], says: Callable[[Question], Ruling] = sure) -> OpineReport:
        def in_another_thread() -> None:
            with ThreadPoolExecutor(1) as other:
                other.submit(does).result(20)  # If the lock were held, this would not end.

        class Interrupted(Judge):
            def rule(self, questions: Any) -> tuple[Ruling, ...]:
                rulings = super().rule(questions)
                in_another_thread()
                done.append(len(rulings))
                return rulings

        done: list[int] = []
        report = asked(w, Interrupted(says))
        assert done, "what was done meanwhile went wrong"
        return report

    def test_a_person_decides(self) -> None:
        w = in_doubt()
        seq = flag_of(w).seq
        a, b = (x.id for x in w.blocks())
        report = self.meanwhile(w, lambda: review.keep_apart(w.base, By("ann", flag=seq), a, [b]))
        assert (report.outcomes, report.n_merged) == ({"duplicate": 1}, 0)
        assert len(w.blocks()) == 2
        sound(w)

    def test_a_person_who_saw_the_pair_before_still_decides(self) -> None:
        w = in_doubt("propose")
        view = review.pair(w.base, flag_of(w).seq)
        asked(w)
        by = By("ann", flag=view.flag.seq, seen=view.seen)
        review.merge(w.base, by, view.kept.id, view.candidate.id)
        assert len(w.blocks()) == 1

    def test_a_person_who_is_slower_than_a_settling_opinion_is_told(self) -> None:
        w = in_doubt()
        view = review.pair(w.base, flag_of(w).seq)
        asked(w)
        with pytest.raises((StaleWriteError, UsageError)):
            review.conflict(w.base, By("ann", flag=view.flag.seq, seen=view.seen), view.candidate.id, [view.kept.id])

    def test_a_text_changes(self) -> None:
        w = in_doubt()
        kept = block(w, THIRTY)
        report = self.meanwhile(w, lambda: review.edit(w.base, ANN, kept.id, THIRTY.replace("in two", "in the two")))
        assert report.n_merged == 0
        assert review.pair(w.base, flag_of(w).seq).opinion is None
        sound(w)

    def test_a_document_goes(self) -> None:
        w = in_doubt()
        report = self.meanwhile(w, lambda: remove(w.base, "main", "a.md"))
        assert (report.n_asked, report.n_merged) == (1, 0)
        sound(w)

    def test_another_worker_is_faster(self) -> None:
        w = in_doubt("settle")
        first = Judge(surely_distinct)
        report = self.meanwhile(w, lambda: asked(w, first))
        assert report.n_asked == 0
        assert [o.ruling.opinion for o in w.base.store.opinions.on([1, 2, 3])] == [Opinion.DISTINCT]
        assert [d.verb for d in by_opinion(w)] == [Verb.DISMISS]


class TestTheQueue:
    def test_it_is_ordered_by_likelihood(self) -> None:
        w = doubting(gray_zone="sort")
        three_pairs(w)
        told = iter((0.2, 0.9, None))

        def says(question: Question) -> Ruling:
            likelihood = next(told)
            if likelihood is None:
                return failing(Failure.MALFORMED)(question)
            return replace(unsure(question), probability=likelihood)

        asked(w, Judge(says))
        wanted = QueueFilter(by_likelihood=True)
        pairs = review.open_pairs(w.base, wanted)
        assert [p.opinion and p.opinion.likelihood for p in pairs] == [0.9, 0.2, None]
        page: list[int] = []
        after = None
        while found := w.base.store.ledger.queue(wanted, after, 1):
            page.append(found[0].seq)
            after = review.cursor(w.base, wanted, found[0])
        assert page == [p.flag.seq for p in pairs]

    def test_proposals_of_some_confidence_are_merged_at_once(self) -> None:
        w = doubting(gray_zone="propose")
        three_pairs(w)
        told = iter((0.6, 0.9, 0.99))
        asked(w, Judge(lambda q: replace(duplicate(q), confidence=next(told))))
        found = review.mergeable_pairs(w.base, QueueFilter(), 0.9).pairs
        assert len(found) == 2
        done = review.decide_in_bulk(w.base, ANN, MERGE, [(e.pair.flag.seq, e.seen) for e in found])
        assert (done.n_decided, done.left) == (2, ())
        assert len(review.mergeable_pairs(w.base, QueueFilter()).pairs) == 1
        w.set(gray_zone="sort")
        assert review.mergeable_pairs(w.base, QueueFilter(), 0.0).pairs == ()

    def test_the_dashboard_counts_what_was_said_and_settled_and_taken_back(self) -> None:
        w = doubting(gray_zone="settle")
        three_pairs(w)
        told = iter((sure, surely_distinct, failing(Failure.TIMEOUT)))

        def says(question: Question) -> Ruling:
            return next(told)(question)

        asked(w, Judge(says))
        review.revert(w.base, ANN, next(d.seq for d in by_opinion(w) if d.verb is Verb.MERGE))
        found = analytics(w.base)
        assert found.opinions == {"distinct": 1, "duplicate": 1, "timeout": 1}
        assert found.settled == (1, 1, 1)


def test_an_export_brings_everything_along() -> None:
    w = in_doubt()
    asked(w, Judge(surely_distinct))
    review.revert(w.base, ANN, by_opinion(w)[0].seq)
    other = MemoryStore("north")
    lines = list(w.base.store.dump())
    other.load(lines)
    assert list(other.dump()) == lines
    assert other.opinions.on([f.seq for f in flags(w)]) == w.base.store.opinions.on([f.seq for f in flags(w)])
    assert review.rebuild(replace(w.base, store=other)).is_sound


def many_pairs(w: World, n: int) -> None:
    """So many pairs and a few more that are near to each other."""
    for number in range(n):
        said = f"Room {chr(97 + number) * 3} of the house is cleaned by the {chr(98 + number) * 4} team."
        w.put(f"{number}a.md", said)
        w.put(f"{number}b.md", said.replace("of the house", "of this house"))


class Clock:
    def __init__(self) -> None:
        self.at = NOW

    def now(self) -> Any:
        return self.at
