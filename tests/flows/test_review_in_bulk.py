"""The queue in groups, decisions about many pairs with one undo, rules, and what is said of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from open_pairs import AGAIN, ALMOST, FORTY, THIRTY, doubting, flag_of, n_decisions
from saidonce.errors import NotFoundError, UsageError
from saidonce.foundation.context import Context
from saidonce.foundation.model import Channel, ChannelKind, Copies, Decision, Person, ReviewRule, Role, Verb
from saidonce.foundation.ports import QueueFilter
from saidonce.kb import review
from saidonce.kb.ingest import remove
from saidonce.kb.review import BulkRequest, By, Differs, QueuePart
from saidonce.kb.review.differences import is_of_one_thing, one_change
from saidonce.platform import notifications
from world import NOW, World, world

ANN, BOB = By("ann"), By("bob")
KEEP, MERGE = BulkRequest(Verb.KEEP_APART), BulkRequest(Verb.MERGE)

KINDS = ("pumps", "valves", "boilers", "filters", "heaters")


def editions(w: World, *releases: tuple[str, str], kinds: Sequence[str] = KINDS) -> None:
    """Two editions of a manual that differ in the release that they name, part by part."""
    for old, new in releases:
        for edition, number in (("one", old), ("two", new)):
            parts = [f"Since release {number} all {kind} are inspected by the technician on duty." for kind in kinds]
            w.put(f"{edition}.md", "\n\n".join(parts))


def manual() -> World:
    w = doubting(merge_investigate_from=0.8)
    editions(w, ("2.4.1", "2.8.3"))
    return w


def flags(w: World) -> list[int]:
    return [f.seq for f in w.base.store.ledger.queue(QueueFilter(), limit=500)]


def shown(w: World, seqs: Sequence[int] = ()) -> list[tuple[int, str]]:
    return [(i.flag.seq, i.seen) for i in review.bulk_preview(w.base, list(seqs) or flags(w))]


def state(w: World) -> object:
    """All that follows from the log: blocks, flags, and texts kept apart."""
    ledger = w.base.store.ledger
    hashes = sorted({m.segment.content_hash for b in w.blocks() for m in ledger.members(list(b.members)).values()})
    return (
        w.blocks(),
        ledger.queue(QueueFilter(is_open=None), limit=500),
        sorted(ledger.apart("main", hashes)),
    )


def log(w: World) -> list[tuple[str, bool]]:
    return [(d.verb.value, d.live) for d in w.base.store.ledger.log()]


class TestGroups:
    def test_pairs_are_counted_by_kind_and_by_documents(self) -> None:
        w = manual()
        w.put("three.md", THIRTY)
        w.put("four.md", FORTY)
        listing = review.list_pairs(w.base, QueuePart(by_judge=True))
        by_kind, by_documents = review.groups(listing)
        assert {(g.differs, g.n) for g in by_kind} == {(Differs.VERSION, 5), (Differs.NUMBER, 1)}
        assert [(g.documents, g.n) for g in by_documents] == [(("one.md", "two.md"), 5), (("four.md", "three.md"), 1)]

    def test_a_part_holds_what_it_names_and_nothing_else(self) -> None:
        w = manual()
        w.put("three.md", THIRTY)
        w.put("four.md", FORTY)
        (number,) = review.list_pairs(w.base, QueuePart(differs=Differs.NUMBER)).pairs
        assert {number.pair.kept.text, number.pair.candidate.text} == {THIRTY, FORTY}
        part = QueuePart(documents=("one.md", "two.md"), by_judge=True)
        assert len(review.list_pairs(w.base, part).pairs) == 5
        walked: list[int] = []
        after = None
        while rows := review.after_place(w.base, part, after, 2):
            walked += [seq for seq, _ in rows]
            after = (rows[-1][1], rows[-1][0])
        assert walked == [g.pair.flag.seq for g in review.list_pairs(w.base, part).pairs]

    def test_likeliest_repeats_come_first_and_contradictions_last(self) -> None:
        w = doubting()
        w.put("0.md", THIRTY)
        w.put("1.md", FORTY)
        w.put("2.md", ALMOST)
        kinds = [g.differs for g in review.list_pairs(w.base, QueuePart(by_judge=True)).pairs]
        assert kinds[-1] is Differs.NUMBER
        assert kinds.index(Differs.NUMBER) == len(kinds) - 1


WALL = """# Climbing

## Wall in {season}

| Session | From | Places |
|---|---|---|
| Tasters | 10:00 | 12 |
| Lead | 13:30 | 6 |
"""


class TestHeadings:
    def test_equal_tables_under_contradicting_headings_do_not_say_the_same(self) -> None:
        w = doubting(merge_investigate_from=0.8)
        w.put("summer.md", WALL.format(season="summer"))
        w.put("winter.md", WALL.format(season="winter"))
        (pair,) = review.list_pairs(w.base, QueuePart(by_judge=True)).pairs
        assert pair.differs is Differs.SHAPE
        assert review.list_pairs(w.base, QueuePart(differs=Differs.SAME)).pairs == ()
        (item,) = review.bulk_preview(w.base, [pair.pair.flag.seq])
        assert set(item.headings) == {"Wall in summer", "Wall in winter"}
        assert item.is_doubtful
        done = review.decide_in_bulk(w.base, ANN, MERGE, shown(w))
        assert (done.n_decided, [seq for seq, _ in done.left]) == (0, [item.flag.seq])

    def test_a_preview_names_headings_that_differ_in_topic_only(self) -> None:
        w = doubting(merge_investigate_from=0.8)
        w.put("one.md", f"# Depot in Leeds\n\n{ALMOST}")
        w.put("two.md", f"# Depot in York\n\n{AGAIN}")
        (item,) = review.bulk_preview(w.base, flags(w))
        assert set(item.headings) == {"Depot in Leeds", "Depot in York"}


class TestBulk:
    @pytest.mark.parametrize("verb", [Verb.KEEP_APART, Verb.DISMISS, Verb.MERGE, Verb.ASSIGN])
    def test_one_undo_restores_everything_and_its_undo_brings_it_back(self, verb: Verb) -> None:
        w = manual()
        before = state(w)
        done = review.decide_in_bulk(w.base, ANN, BulkRequest(verb, "bob", with_objections=True), shown(w))
        assert (done.n_decided, done.left) == (5, ())
        after = state(w)
        assert after != before
        assert done.decision is not None
        undone = review.revert(w.base, BOB, done.decision.seq)
        assert state(w) == before
        assert review.rebuild(w.base).is_sound
        review.revert(w.base, BOB, undone.seq)
        assert state(w) == after
        assert review.rebuild(w.base).is_sound

    def test_keeping_apart_empties_the_queue_and_is_not_asked_again(self) -> None:
        w = manual()
        review.decide_in_bulk(w.base, ANN, KEEP, shown(w))
        assert flags(w) == []
        remove(w.base, "main", "two.md")
        editions(w, ("2.4.1", "2.8.3"))
        assert flags(w) == []

    def test_what_changed_since_it_was_shown_is_left_with_the_reason(self) -> None:
        w = manual()
        offered = shown(w)
        review.dismiss(w.base, BOB, offered[0][0])
        of = w.base.store.ledger.flag(offered[1][0])
        assert of is not None
        review.approve(w.base, BOB, of.of)
        done = review.decide_in_bulk(w.base, ANN, KEEP, [*offered, (999, "x")])
        assert done.n_decided == 3
        assert {seq for seq, _ in done.left} == {offered[0][0], offered[1][0], 999}
        assert all(why for _, why in done.left)

    def test_nothing_is_written_where_every_pair_is_left(self) -> None:
        w = manual()
        n = n_decisions(w)
        done = review.decide_in_bulk(w.base, ANN, KEEP, [(seq, "other") for seq, _ in shown(w)])
        assert (done.decision, done.n_decided, n_decisions(w)) == (None, 0, n)

    def test_a_repeated_request_decides_once(self) -> None:
        w = manual()
        offered = shown(w)
        first = review.decide_in_bulk(w.base, By("ann", key="k"), KEEP, offered)
        n = n_decisions(w)
        again = review.decide_in_bulk(w.base, By("ann", key="k"), KEEP, offered)
        assert (again, n_decisions(w)) == (first, n)

    def test_a_crash_in_the_middle_decides_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        w = manual()
        before, n = state(w), n_decisions(w)
        calls: list[str] = []

        def merge(context: Context, by: By, a: str, b: str) -> Decision:
            calls.append(a)
            if len(calls) == 3:
                raise KeyboardInterrupt
            return review.merge(context, by, a, b)

        monkeypatch.setattr("saidonce.kb.review.bulk.merge", merge)
        with pytest.raises(KeyboardInterrupt):
            review.decide_in_bulk(w.base, ANN, replace(MERGE, with_objections=True), shown(w))
        assert (state(w), n_decisions(w)) == (before, n)

    def test_contradictions_are_merged_only_when_that_is_asked_for(self) -> None:
        w = doubting()
        w.put("0.md", THIRTY)
        w.put("1.md", FORTY)
        done = review.decide_in_bulk(w.base, ANN, MERGE, shown(w))
        assert (done.n_decided, len(done.left)) == (0, 1)
        assert "numbers" in done.left[0][1]
        done = review.decide_in_bulk(w.base, ANN, replace(MERGE, with_objections=True), shown(w))
        assert done.n_decided == 1

    def test_other_words_are_merged_only_when_that_is_asked_for(self) -> None:
        w = doubting(merge_investigate_from=0.8)
        w.put("0.md", "The pump stops automatically if the tank is empty.")
        w.put("1.md", "The pump stops automatically if the tank is hot.")
        (item,) = review.bulk_preview(w.base, flags(w))
        assert (item.shown.differs, item.is_doubtful) == (Differs.WORDING, True)
        assert {(o.a.text, o.b.text) for o in item.against} == {("empty", "hot")}
        done = review.decide_in_bulk(w.base, ANN, MERGE, shown(w))
        assert (done.decision, done.left) == (None, ((item.flag.seq, "other words, not shown to say the same"),))
        assert review.decide_in_bulk(w.base, ANN, replace(MERGE, with_objections=True), shown(w)).n_decided == 1

    def test_what_says_the_same_is_merged_without_being_asked_for(self) -> None:
        w = doubting(merge_investigate_from=0.5)
        w.put("0.md", "The policy does not cover the theft of bicycles from the yard.")
        w.put("1.md", "The theft of bicycles from the yard is not covered by the policy.")
        (item,) = review.bulk_preview(w.base, flags(w))
        assert (item.shown.differs, item.is_doubtful, item.against) == (Differs.SAME, False, ())
        assert review.decide_in_bulk(w.base, ANN, MERGE, shown(w)).n_decided == 1

    def test_merges_that_meet_in_one_block_are_checked_against_it(self) -> None:
        w = doubting(merge_neighbours=5)
        w.put("0.md", THIRTY)
        w.put("1.md", ALMOST)
        w.put("2.md", AGAIN)
        done = review.decide_in_bulk(w.base, ANN, replace(MERGE, with_objections=True), shown(w))
        assert done.n_decided == 1
        assert [why for _, why in done.left] == [
            "another merge in this list changed one of its blocks, and a guard now objects"
        ]
        assert flags(w) == [seq for seq, _ in done.left]
        assert review.rebuild(w.base).is_sound
        assert done.decision is not None
        review.revert(w.base, ANN, done.decision.seq)
        assert len(w.blocks()) == 3

    def test_other_near_blocks_without_objection_are_asked_about_next(self) -> None:
        w = doubting()
        w.put("0.md", FORTY)
        w.put("1.md", ALMOST)
        w.put("2.md", THIRTY)
        flag = next(f for f in w.base.store.ledger.queue(QueueFilter(), limit=50) if len(f.near) == 2)
        (item,) = review.bulk_preview(w.base, [flag.seq])
        review.decide_in_bulk(w.base, ANN, KEEP, [(item.flag.seq, item.seen)])
        now = w.base.store.ledger.flag(flag.seq)
        assert now is not None
        assert now.open is bool(item.n_unsettled)
        if now.open:
            assert now.of != flag.of

    @pytest.mark.parametrize("asked", [BulkRequest(Verb.EDIT), BulkRequest(Verb.REVERT)])
    def test_verbs_of_one_pair_are_refused(self, asked: BulkRequest) -> None:
        w = manual()
        with pytest.raises(UsageError, match="in bulk"):
            review.decide_in_bulk(w.base, ANN, asked, shown(w))

    def test_too_many_and_none_are_refused(self) -> None:
        w = manual()
        with pytest.raises(UsageError, match="not 0"):
            review.decide_in_bulk(w.base, ANN, KEEP, [])
        with pytest.raises(UsageError, match="not 501"):
            review.decide_in_bulk(w.base, ANN, KEEP, [(n, "x") for n in range(1, 502)])

    def test_a_part_taken_back_alone_stays_so_when_all_of_it_is(self) -> None:
        w = manual()
        before = state(w)
        done = review.decide_in_bulk(w.base, ANN, KEEP, shown(w))
        assert done.decision is not None
        part = w.base.store.ledger.within([done.decision.seq])[0]
        review.revert(w.base, ANN, part.seq)
        undone = review.revert(w.base, ANN, done.decision.seq)
        assert state(w) == before
        review.revert(w.base, ANN, undone.seq)
        assert len(flags(w)) == 1


class TestRules:
    def thrice(self, w: World, n: int = 3) -> review.RuleOffer | None:
        offer = None
        for seq in flags(w)[:n]:
            flag = w.base.store.ledger.flag(seq)
            assert flag is not None
            decision = review.keep_apart(w.base, By("ann", flag=seq), flag.candidate, [flag.of])
            offer = review.rule_offer(w.base, decision)
        return offer

    def test_one_is_offered_after_the_third_equal_decision_and_not_before(self) -> None:
        assert self.thrice(manual(), 2) is None
        offer = self.thrice(manual())
        assert offer is not None
        assert (offer.rule, offer.n_equal) == (ReviewRule("version", ("one.md", "two.md")), 3)
        assert "versions" in offer.words

    def test_none_is_offered_where_somebody_merged_such_a_pair(self) -> None:
        w = manual()
        first = w.base.store.ledger.queue(QueueFilter(), limit=1)[0]
        review.merge(w.base, By("bob", flag=first.seq), first.of, first.candidate)
        assert self.thrice(w) is None

    def test_a_rule_decides_what_waits_and_what_comes_and_is_taken_back_whole(self) -> None:
        w = manual()
        rule, n = review.add_rule(w.base, ANN, "main", ReviewRule("version"))
        assert (n, flags(w)) == (5, [])
        editions(w, ("3.1.0", "3.2.0"), kinds=("doors", "gates"))
        w.put("three.md", "Since release 3.3.0 all doors are inspected by the technician on duty.")
        assert review.apply_rules(w.base) >= 1
        (listed,) = review.rules(w.base)
        assert listed.n_decided >= 6
        assert all(d.actor == "policy" for d in w.base.store.ledger.within([rule.seq]))
        review.revert(w.base, BOB, rule.seq)
        assert review.rules(w.base) == ()
        assert review.apply_rules(w.base) == 0
        assert len(flags(w)) >= 1

    def test_a_pair_that_a_person_took_out_of_a_rule_stays_out(self) -> None:
        w = manual()
        rule, _ = review.add_rule(w.base, ANN, "main", ReviewRule("version"))
        part = w.base.store.ledger.within([rule.seq])[0]
        review.revert(w.base, BOB, part.seq)
        assert (review.apply_rules(w.base), len(flags(w))) == (0, 1)

    def test_a_rule_leaves_what_differs_in_more(self) -> None:
        w = doubting(merge_investigate_from=0.6)
        w.put("one.md", "Since release 2.4.1 all pumps are inspected every 30 days by the technician on duty.")
        w.put("two.md", "Since release 2.8.3 all pumps are inspected every 90 days by the technician on duty.")
        assert len(flags(w)) == 1
        _, n = review.add_rule(w.base, ANN, "main", ReviewRule("version"))
        assert (n, len(flags(w))) == (0, 1)

    def test_a_rule_of_two_documents_is_for_these_only(self) -> None:
        w = manual()
        _, n = review.add_rule(w.base, ANN, "main", ReviewRule("version", ("one.md", "three.md")))
        assert n == 0

    @pytest.mark.parametrize("differs", ["same", "more", "wording", "several", "decided", "nonsense"])
    def test_no_rule_is_about_what_nobody_can_show(self, differs: str) -> None:
        with pytest.raises(UsageError, match="a rule cannot be about"):
            review.add_rule(manual().base, ANN, "main", ReviewRule(differs))

    def test_the_same_rule_twice_is_refused(self) -> None:
        w = manual()
        review.add_rule(w.base, ANN, "main", ReviewRule("version"))
        with pytest.raises(UsageError, match="already"):
            review.add_rule(w.base, BOB, "main", ReviewRule("version", ("one.md", "two.md")))


class TestWords:
    def test_decisions_say_their_texts_and_an_undo_what_it_undid(self) -> None:
        w = manual()
        done = review.decide_in_bulk(w.base, ANN, KEEP, shown(w))
        assert done.decision is not None
        undone = review.revert(w.base, BOB, done.decision.seq)
        assert review.undo_in_words(w.base, undone).startswith("Undone: kept both")
        accounts = {a.decision.seq: a for a in review.accounts(w.base, list(w.base.store.ledger.log()))}
        assert accounts[done.decision.seq].what == "Kept both, 5 pairs at once"
        part = w.base.store.ledger.within([done.decision.seq])[0]
        assert "Since release" in accounts[part.seq].sentence
        assert "two.md" in accounts[part.seq].sentence

    def test_a_text_that_is_gone_is_said_to_be_gone(self) -> None:
        w = manual()
        review.decide_in_bulk(w.base, ANN, KEEP, shown(w))
        remove(w.base, "main", "two.md")
        accounts = review.accounts(w.base, w.base.store.ledger.decisions([Verb.KEEP_APART]))
        assert any("a removed text" in a.sentence for a in accounts)


class TestThroughput:
    def test_pairs_an_hour_leave_out_pauses_and_audits_are_counted(self) -> None:
        w = manual()
        seqs = flags(w)
        at = NOW
        for n, seq in enumerate(seqs[:4]):
            at += timedelta(minutes=1) if n != 2 else timedelta(hours=3)
            w.base.store._clock = type("At", (), {"now": lambda _self, at=at: at})()  # type: ignore[attr-defined]
            w.base.store.ledger._clock = w.base.store._clock  # type: ignore[attr-defined]
            review.dismiss(w.base, ANN, seq)
        dismissed = w.base.store.ledger.decisions([Verb.DISMISS])
        review.audit(w.base, BOB, dismissed[0].seq, wrong=False)
        review.audit(w.base, BOB, dismissed[1].seq, wrong=True)
        (row,) = review.throughput(w.base)
        assert (row.person, row.n_pairs, row.n_audited, row.n_agreed, row.agreement) == ("ann", 4, 2, 1, 0.5)
        assert row.hours == pytest.approx((0.5 + 1 + 0.5 + 1) / 60)
        assert row.pairs_per_hour == pytest.approx(4 / row.hours)

    def test_one_does_not_audit_oneself(self) -> None:
        w = manual()
        decision = review.dismiss(w.base, ANN, flags(w)[0])
        with pytest.raises(UsageError, match="somebody else"):
            review.audit(w.base, ANN, decision.seq, wrong=False)


class TestUnderReview:
    def test_hits_that_wait_are_marked_until_somebody_decides(self) -> None:
        w = doubting()
        w.put("0.md", THIRTY)
        w.put("1.md", FORTY)
        marks = {hit.block.text: [u.block.text for u in hit.under_review] for hit in w.search("backups kept").hits}
        assert marks == {THIRTY: [FORTY], FORTY: [THIRTY]}
        flag = flag_of(w)
        review.keep_apart(w.base, By("ann", flag=flag.seq), flag.candidate, [flag.of])
        assert all(not hit.under_review for hit in w.search("backups kept").hits)

    def test_evidence_collections_have_none(self) -> None:
        w = world()
        w.put("0.md", THIRTY)
        w.put("1.md", FORTY)
        assert all(not hit.under_review for hit in w.search("backups kept").hits)


class TestCopiesOfASplitText:
    def split(self, copies: Copies | None) -> World:
        w = doubting()
        w.put("0.md", THIRTY)
        w.put("1.md", f"# x\n\n{THIRTY}")
        (whole,) = (b for b in w.blocks() if b.text == THIRTY)
        leaving = next(m for m in whole.members if m != whole.id)
        review.split(w.base, ANN, whole.id, [leaving], copies=copies)
        w.put("2.md", f"# y\n\n{THIRTY}")
        return w

    def sizes(self, w: World) -> list[tuple[str, ...]]:
        return sorted(tuple(sorted(b.documents)) for b in w.blocks() if b.text == THIRTY)

    def test_a_later_copy_waits_by_default(self) -> None:
        w = self.split(None)
        assert len(self.sizes(w)) == 3
        flag = flag_of(w)
        assert (flag.open, flag.because) == (True, "split_copy")
        review.merge(w.base, By("ann", flag=flag.seq), flag.of, flag.candidate)
        assert len(self.sizes(w)) == 2

    def test_a_later_copy_goes_where_the_split_says(self) -> None:
        assert self.sizes(self.split(Copies.ALONE)) == [("0.md",), ("1.md",), ("2.md",)]
        stays = self.sizes(self.split(Copies.STAY))
        goes = self.sizes(self.split(Copies.GO))
        assert len(stays) == len(goes) == 2
        assert {s for s in (*stays, *goes) if len(s) == 2} == {("0.md", "2.md"), ("1.md", "2.md")}

    def test_it_is_refused_where_no_text_is_on_both_sides(self) -> None:
        w = doubting()
        w.put("0.md", THIRTY)
        w.put("1.md", ALMOST)
        flag = flag_of(w)
        review.merge(w.base, By("ann", flag=flag.seq), flag.of, flag.candidate)
        whole = next(b for b in w.blocks() if len(b.members) == 2)
        with pytest.raises(UsageError, match="no text in common"):
            review.split(w.base, ANN, whole.id, whole.members[:1], copies=Copies.STAY)


class TestOwners:
    def dated(self, owner: str, day: str, said: str) -> str:
        return f"---\nauthor: {owner}\ndate: {day}\n---\n\n{said}"

    def test_the_author_owns_where_the_setting_says_so_and_the_later_one_a_merge(self) -> None:
        w = doubting(owner_from_author=True)
        w.put("0.md", self.dated("zoe", "2024-01-01", THIRTY))
        w.put("1.md", self.dated("ann", "2025-01-01", ALMOST))
        assert {b.owner for b in w.blocks()} == {"zoe", "ann"}
        flag = flag_of(w)
        view = review.pair(w.base, flag.seq)
        assert {g.owner for g in view.previews.values()} == {"ann"}
        review.merge(w.base, By("bob", flag=flag.seq), flag.of, flag.candidate)
        assert [b.owner for b in w.blocks()] == ["ann"]

    def test_without_either_nobody_is_known(self) -> None:
        w = doubting()
        w.put("0.md", self.dated("zoe", "2024-01-01", THIRTY))
        assert [b.owner for b in w.blocks()] == [""]


class TestReminders:
    def channel(self, owner: str = "") -> Channel:
        return Channel(f"c-{owner}", ChannelKind.WEBHOOK, "https://x.example/in", owner, 0, "s", 0, NOW)

    def test_a_due_pair_is_told_once_a_day_to_whom_it_concerns(self) -> None:
        w = manual()
        for owner in ("", "ann", "bob"):
            w.base.store.people.put_channel(self.channel(owner))
        review.assign(w.base, BOB, flags(w)[0], "ann", (NOW.date() + timedelta(days=1)).isoformat())
        review.assign(w.base, BOB, flags(w)[1], "ann", (NOW.date() + timedelta(days=2)).isoformat())
        assert notifications.create_review_reminders(w.base) == 2
        assert notifications.create_review_reminders(w.base) == 0
        told = {n.channel for n in notifications.pending(w.base)}
        assert told == {"c-", "c-ann"}

    def test_a_decided_pair_is_not_told(self) -> None:
        w = manual()
        w.base.store.people.put_channel(self.channel())
        seq = flags(w)[0]
        review.assign(w.base, BOB, seq, "ann", "2026-01-01")
        (due,) = notifications.due_pairs(w.base, datetime(2026, 1, 17, tzinfo=UTC).date())
        assert (due.is_late, due.person) == (True, "ann")
        review.dismiss(w.base, BOB, seq)
        assert notifications.create_review_reminders(w.base) == 0

    def test_where_people_are_registered_a_pair_is_assigned_to_one_of_them(self) -> None:
        w = manual()
        seq, *_ = flags(w)
        review.assign(w.base, BOB, seq, "anybody")
        for name, left_at in (("ann", None), ("bo", None), ("gone", NOW)):
            w.base.store.people.put_person(Person(name, "", Role.REVIEWER, NOW, left_at=left_at))
        for name in ("an", "gone"):
            with pytest.raises(NotFoundError, match=rf"no person '{name}'; there are: (ann, bo|bo, ann);"):
                review.assign(w.base, BOB, seq, name)
            request = BulkRequest(Verb.ASSIGN, name)
            with pytest.raises(NotFoundError, match=f"no person '{name}'"):
                review.decide_in_bulk(w.base, BOB, request, [(seq, "")])
        assert w.base.store.ledger.flag(seq) is not None
        review.assign(w.base, BOB, seq, "ann")
        review.assign(w.base, BOB, seq, "")

    def test_a_day_is_a_date(self) -> None:
        w = manual()
        with pytest.raises(UsageError, match="is not a date"):
            review.assign(w.base, BOB, flags(w)[0], "ann", "tomorrow")


ONE_CHANGE = [
    ("It runs release-7 on port 80.", "It runs release-8 on port 80.", "release-7 -> release-8"),
    ("(None, None, 2) and (None,)", '("", "", 2) and ("",)', ""),
    ("call(None, 2) or take(None, 2)", "call(None, 3) or take(None, 3)", "2 -> 3"),
    ("The colour is red, the colour stays.", "The color is red, the color stays.", "colour -> color"),
    ("The pump is re-used.", "The pump is reused.", "re-used -> reused"),
    ("up(2)\n    down(3)", "up(2)\ndown(3)", ""),
    ("up(2)\n    down(3)", "up(2)\ndown(4)", ""),
    ("The pump is red.", "The valve is green.", ""),
    ("The pump is not red.", "The pump is red.", "is not -> is"),
    ("The pump.", "The pump.", ""),
    ("Pump", "Valve", "Pump -> Valve"),
    ("It costs 5.", "It costs -5.", "5 -> -5"),
    ("It is (a).", "It is (b).", "a -> b"),
    ("It is ((.", "It is (..", "( -> ."),
    ("Fixed by Jo (Jo)", "Fixed by Jo (Jo Kern)", "Jo -> Jo Kern"),
    ("Open it (Jo). Shut it (Jo)", "Open it (Jo Kern). Shut it (Jo Kern)", "Jo -> Jo Kern"),
    ("Open it (Jo). Shut it (Jo)", "Open it (Jo Kern). Shut it (Jo Ahn)", "Jo -> Jo Ahn; Jo -> Jo Kern"),
    ("$ curl -s door", "curl -s -S door", "$ curl -> curl; -s -> -s -S"),
    ("a v c v e v g v", "a w c x e y g z", ""),
    (
        "Open it (Jo). Shut all 2 old doors (Jo)",
        "Open it (Jo Kern). Shut all 3 old doors (Jo Kern)",
        "2 -> 3; Jo -> Jo Kern",
    ),
    ("The main office opens.", "The old town hall opens.", "main office -> old town hall"),
    ("a b c d e f", "a u v w x y f", ""),
    ("The pump.", "The pump. It is red.", "pump -> pump. It is red"),
    ("- one\n- two", "- one\n- MaxJobs\n- two", ""),
    ("Pay.", "Always pay.", "Pay -> Always pay"),
    ("Pay now.", "Always pay now.", "Pay -> Always pay"),
    (f"It is {'x' * 80}.", f"It is {'y' * 80}.", ""),
    ("red pump red", "green pump blue", ""),
    ("", "", ""),
]


@pytest.mark.parametrize(("a", "b", "change"), ONE_CHANGE)
def test_one_change_is_what_was_replaced_everywhere_and_nothing_else(a: str, b: str, change: str) -> None:
    assert one_change(a, b) == change


def test_pairs_with_the_same_change_are_one_group_that_is_decided_at_once() -> None:
    w = manual()
    w.put("three.md", THIRTY)
    w.put("four.md", FORTY)
    listing = review.list_pairs(w.base, QueuePart())
    (group,) = review.changes(listing)
    assert (group.label, group.n) == ("2.4.1 -> 2.8.3", len(KINDS))
    part = review.list_pairs(w.base, QueuePart(change=group.change)).pairs
    assert len(part) == len(KINDS) < len(listing.pairs)
    review.decide_in_bulk(w.base, ANN, KEEP, shown(w, [g.pair.flag.seq for g in part]))
    assert not review.changes(review.list_pairs(w.base, QueuePart()))
    assert len(flags(w)) == len(listing.pairs) - len(KINDS)


NAMES = {
    "pumps": "The pumps are inspected by {} on the first of each month and after a storm.",
    "valves": "The valves are oiled by {} before the winter, with the oil of the manufacturer.",
    "boilers": "The boilers are shut down by {} when nobody lives in the house for a while.",
}


def renamed(**other: str) -> World:
    """Two editions in which one name was changed everywhere; `other` has the new text of a place with more changes."""
    w = doubting(merge_investigate_from=0.8)
    for edition, name in (("one", "Brodo Services"), ("two", "Brodo Living")):
        texts = {kind: text.format(name) for kind, text in NAMES.items()} | (other if edition == "two" else {})
        w.put(f"{edition}.md", "\n\n".join(f"# The {kind}\n\n{text}" for kind, text in texts.items()))
    return w


def entries_of(w: World) -> list[tuple[int, str]]:
    return [(len(e.seqs), e.change) for e in review.entries(review.list_pairs(w.base, QueuePart()).pairs)]


class TestOneChangeEverywhere:
    def test_it_is_one_entry_that_is_decided_and_taken_back_as_a_whole(self) -> None:
        w = renamed()
        assert entries_of(w) == [(3, "Services -> Living")]
        (entry,) = review.entries(review.list_pairs(w.base, QueuePart()).pairs)
        before = state(w)
        done = review.decide_in_bulk(w.base, ANN, KEEP, shown(w, entry.seqs))
        assert done.decision is not None
        assert (done.n_decided, flags(w)) == (3, [])
        review.revert(w.base, ANN, done.decision.seq)
        assert state(w) == before

    def test_each_place_can_be_decided_alone(self) -> None:
        w = renamed()
        (entry,) = review.entries(review.list_pairs(w.base, QueuePart()).pairs)
        review.dismiss(w.base, ANN, entry.seqs[1])
        assert entries_of(w) == [(2, "Services -> Living")]

    def test_a_place_with_another_change_beside_it_is_an_entry_of_its_own(self) -> None:
        w = renamed(pumps="The pumps are inspected by Brodo Living on the second of each month and after a storm.")
        assert sorted(entries_of(w)) == [(1, ""), (2, "Services -> Living")]

    def test_the_same_change_in_another_collection_is_another_entry(self) -> None:
        w = renamed()
        pairs = review.list_pairs(w.base, QueuePart()).pairs
        there = [replace(g, pair=replace(g.pair, flag=replace(g.pair.flag, collection="b"))) for g in pairs[:1]]
        assert [len(e.seqs) for e in review.entries([*pairs, *there])] == [3, 1]

    @pytest.mark.parametrize(("old", "new"), [("Red", "Green"), ("Amber-1", "Amber-B"), ("`On`", "`Off`")])
    def test_what_stands_behind_a_label_is_asked_about_in_each_place(self, old: str, new: str) -> None:
        w = doubting(merge_investigate_from=0.8)
        texts = {
            kind: f"The setting for {kind} of the house that all who live there have. Default: {{}}" for kind in KINDS
        }
        for edition, value in (("one", old), ("two", new)):
            w.put(f"{edition}.md", "\n\n".join(f"# The {k}\n\n{text.format(value)}" for k, text in texts.items()))
        assert len(flags(w)) >= len(KINDS)
        assert all(n == 1 for n, _ in entries_of(w)), entries_of(w)

    @pytest.mark.parametrize(
        ("old", "new", "is_one"),
        [
            ("Call (Jo)", "Call (Jo Kern)", True),
            ("It pays", "It never pays", False),
            ("$ pump -s now", "pump -s -S now", True),
            ("a flag.", "a flag. Enabled by default.", False),
            ("# pump --all", "pump --all", False),
            ("the main hall", "the old hall", False),
            ("in the hall, and", "in the house, and", False),
            ("It is `on` here", "It is `off` here", False),
            ("It stops. Red lamps", "It stops. Green lamps", False),
            ("in Main Hall, and", "in Old Hall, and", True),
            ("the Main-hall", "the Old-hall", True),
            ("Colour: Red-1", "Colour: Red-B", False),
            ("| Red-A |", "| Red-B |", False),
        ],
    )
    def test_what_is_called_otherwise_everywhere(self, old: str, new: str, is_one: bool) -> None:
        assert one_change(old, new)
        assert is_of_one_thing(Differs.WORDING, old, new) is is_one
        assert not is_of_one_thing(Differs.NUMBER, old, new)

    @pytest.mark.parametrize(
        ("old", "new"),
        [("10 days", "14 days"), ("on", "off"), ("2 May", "3 May"), ("allowed", "not allowed"), ("may", "must")],
    )
    def test_a_value_a_date_or_a_denial_is_asked_about_in_each_place(self, old: str, new: str) -> None:
        w = doubting(merge_investigate_from=0.8)
        texts = {kind: f"Among {kind} of the house the setting is {{}} for all who live there." for kind in KINDS}
        for edition, value in (("one", old), ("two", new)):
            w.put(f"{edition}.md", "\n\n".join(f"# The {k}\n\n{text.format(value)}" for k, text in texts.items()))
        assert len(flags(w)) >= len(KINDS)
        assert all(n == 1 for n, _ in entries_of(w)), entries_of(w)
