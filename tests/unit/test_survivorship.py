"""What survives a merge: every rule of seed 002 as a sentence with an example, and laws that hold for all logs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import permutations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import examples
from saidonce.foundation.model import (
    Activity,
    Approval,
    Decision,
    Detail,
    Golden,
    Kind,
    MediaPlace,
    Member,
    Segment,
    Verb,
)
from saidonce.kb import survivorship
from saidonce.kb.survivorship import Standing, fold, groups, join

DRAFT, REVIEW, APPROVED = Approval


def day(n: int) -> datetime:
    return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=n)


def member(
    id: str, dated: int = 1, authored: int | None = None, owner: str = "", salience: float = 0.5, boost: float = 0.0
) -> Member:
    """A text of document `id.md`; `dated` orders it, `authored` is what its document says, both in days."""
    segment = Segment(id, 0, Kind.PARAGRAPH, f"text of {id}", (), None, "en", "", 3, f"hash of {id}", salience=salience)
    at = day(authored) if authored is not None else None
    return Member(segment, "main", f"document {id}", f"{id}.md", "", at, day(dated), salience, boost, owner)


def decision(verb: Verb, *members: str, live: bool = True, **detail: object) -> Decision:
    """A decision; `log` gives it its place."""
    return Decision(
        verb=verb, collection="main", members=members, actor="ann", detail=replace(Detail(), **detail),  # type: ignore[arg-type]
        seq=0, at=day(0), live=live, previous="", hash="",
    )  # fmt: skip


def merge(*members: str, live: bool = True, set_aside: Sequence[str] = (), seen: Sequence[Activity] = ()) -> Decision:
    return decision(Verb.MERGE, *members, live=live, set_aside=tuple(set_aside), activity=tuple(seen))


def split(*members: str, live: bool = True) -> Decision:
    return decision(Verb.SPLIT, *members, live=live)


def edit(written: str, *members: str, live: bool = True) -> Decision:
    return decision(Verb.EDIT, written, *members, live=live, set_aside=members)


def approve(approval: Approval, *members: str) -> Decision:
    return decision(Verb.APPROVE, *members, approval=approval)


def own(owner: str, *members: str) -> Decision:
    return decision(Verb.OWN, *members, owner=owner)


def active(owner: str, n: int, left: bool = False) -> Activity:
    return Activity(owner, day(n).isoformat(), left)


def log(*decisions: Decision) -> list[Decision]:
    return [replace(d, seq=seq) for seq, d in enumerate(decisions, 1)]


def blocks(members: Iterable[Member], decisions: Iterable[Decision]) -> list[Golden]:
    """All blocks, by the first of their members."""
    standing = fold(decisions)
    return [join(group, standing) for group in groups(standing, members)]


@dataclass(frozen=True)
class Rule:
    """What the one block of `members` must be; None asks nothing."""

    says: str
    members: tuple[Member, ...]
    decisions: tuple[Decision, ...]
    text: str | None = None
    authored: int | None = None
    approval: Approval | None = None
    owner: str | None = None


A, B, C = member("a", 1), member("b", 2), member("c", 3)
TWO = merge("b", "a")
THREE = merge("a", "b", "c")
ANNS, BOBS = member("a", 1, owner="ann"), member("b", 2, owner="bob")

RULES = (
    Rule("the newest text wins", (A, B, C), (THREE,), text="c"),
    Rule("it wins whoever came in first", (member("a", 9), B), (TWO,), text="a"),
    Rule("of equally new texts that of the higher id wins", (member("a", 1), member("b", 1)), (TWO,), text="b"),
    Rule("a text set aside does not win, however new", (A, B), (merge("a", "b", set_aside=["b"]),), text="a"),
    Rule(
        "a text set aside wins again when what it stood back for is gone",
        (member("b", 9), C), (merge("a", "b", set_aside=["b"]), merge("a", "c")), text="b",
    ),
    Rule(
        "a text stands back for one text only, and its rivals compete as ever",
        (A, B, C), (merge("a", "b", set_aside=["b"]), merge("a", "c")), text="c",
    ),
    Rule(
        "the last word on a pair counts",
        (A, B), (merge("b", "a", set_aside=["a"]), merge("a", "b", set_aside=["b"]), merge("b", "a", set_aside=["a"])),
        text="b",
    ),
    Rule(
        "of two choices between the same texts the later one counts",
        (A, B), (merge("b", "a", set_aside=["a"]), merge("a", "b", set_aside=["b"])), text="a",
    ),
    Rule("a chosen text can be taken back", (A, B), (merge("a", "b", set_aside=["b"], live=False), TWO), text="b"),
    Rule("what a person wrote wins, however old its rivals are", (A, C), (edit("a", "c"),), text="a"),
    Rule("the last edit wins", (member("x", 1), member("y", 1), C), (edit("y", "c"), edit("x", "c", "y")), text="x"),
    Rule(
        "the earliest authored date is kept",
        (member("a", 5, authored=5), member("b", 2, authored=2)), (TWO,), text="a", authored=2,
    ),
    Rule("a text without a date says nothing", (member("a", 5, authored=5), member("b", 1)), (TWO,), authored=5),
    Rule("a new block is a draft", (A,), (), approval=DRAFT),
    Rule("an approved block and a draft make a draft", (A, B), (approve(APPROVED, "a"), TWO), approval=DRAFT),
    Rule("a draft and an approved block make a draft", (A, B), (approve(APPROVED, "b"), TWO), approval=DRAFT),
    Rule(
        "a merged block that is a draft and an approved one make a draft, whatever its texts were before",
        (A, B, C),
        (approve(APPROVED, "a"), approve(APPROVED, "b"), approve(APPROVED, "c"), TWO, approve(DRAFT, "a", "b"),
         merge("a", "c")), approval=DRAFT,
    ),
    Rule(
        "what a merged block was given counts, not what its texts were before",
        (A, B, C), (approve(APPROVED, "c"), TWO, approve(APPROVED, "a", "b"), merge("a", "c")), approval=APPROVED,
    ),
    Rule(
        "a later word on a part counts beside an earlier one on the whole",
        (A, B), (TWO, approve(APPROVED, "a", "b"), split("b"), approve(REVIEW, "a"), TWO), approval=REVIEW,
    ),
    Rule(
        "approved and in review make one in review",
        (A, B), (approve(APPROVED, "a"), approve(REVIEW, "b"), TWO), approval=REVIEW,
    ),
    Rule(
        "two approved blocks make an approved one",
        (A, B), (approve(APPROVED, "a"), approve(APPROVED, "b"), TWO), approval=APPROVED,
    ),
    Rule("a merged block can be approved again", (A, B), (TWO, approve(APPROVED, "a", "b")), approval=APPROVED),
    Rule("the last approval of a set counts", (A,), (approve(APPROVED, "a"), approve(DRAFT, "a")), approval=DRAFT),
    Rule(
        "approval lapses when a text joins",
        (A, B, C), (TWO, approve(APPROVED, "a", "b"), merge("c", "a")), approval=DRAFT,
    ),
    Rule("approval lapses when a text leaves", (A,), (TWO, approve(APPROVED, "a", "b")), approval=DRAFT),
    Rule(
        "approval comes back with the same set",
        (A, B), (TWO, approve(APPROVED, "b", "a"), merge("c", "a"), split("c")), approval=APPROVED,
    ),
    Rule("a block has its document's owner", (ANNS,), (), owner="ann"),
    Rule("nobody owns what nobody brought", (A, B), (TWO,), owner=""),
    Rule("an owned text gives its owner to one without", (ANNS, B), (TWO,), owner="ann"),
    Rule(
        "the owner is who was active last",
        (ANNS, BOBS), (merge("b", "a", seen=[active("ann", 9), active("bob", 8)]),), owner="ann",
    ),
    Rule(
        "an owner of the newer text who was active last stays",
        (ANNS, BOBS), (merge("b", "a", seen=[active("ann", 8), active("bob", 9)]),), owner="bob",
    ),
    Rule(
        "who was seen once defers to nobody who was never seen",
        (ANNS, BOBS), (merge("b", "a", seen=[active("ann", 1), Activity("bob")]),), owner="ann",
    ),
    Rule(
        "an owner who left defers to one who is still there",
        (ANNS, BOBS), (merge("b", "a", seen=[active("ann", 1), active("bob", 9, left=True)]),), owner="ann",
    ),
    Rule(
        "even to one who was never seen",
        (ANNS, BOBS), (merge("b", "a", seen=[Activity("ann"), active("bob", 9, left=True)]),), owner="ann",
    ),
    Rule(
        "where all left it is who was active last",
        (ANNS, BOBS), (merge("b", "a", seen=[active("ann", 9, left=True), active("bob", 8, left=True)]),), owner="ann",
    ),
    Rule(
        "activity is what the last merge saw",
        (ANNS, BOBS, C),
        (merge("b", "a", seen=[active("ann", 9), active("bob", 8)]), merge("c", "a", seen=[active("bob", 10)])),
        owner="bob",
    ),
    Rule("an owner can be named", (ANNS, BOBS), (TWO, own("cleo", "a", "b")), owner="cleo"),
    Rule("the last one named counts", (ANNS,), (own("cleo", "a"), own("dora", "a")), owner="dora"),
    Rule(
        "a named owner competes with those of later texts",
        (ANNS, BOBS),
        (own("cleo", "a"), merge("b", "a", seen=[active("bob", 9), active("cleo", 8)])),
        owner="bob",
    ),
)  # fmt: skip


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.says.replace(" ", "-"))
def test_what_survives(rule: Rule) -> None:
    for given_order in permutations(rule.members):
        for decisions in (log(*rule.decisions), log(*rule.decisions)[::-1]):
            (block,) = blocks(given_order, decisions)
            assert {m.id for m in block.members} == {m.id for m in rule.members}
            assert rule.text in (None, block.id)
            assert block.text_of.segment.text == f"text of {block.id}"
            assert rule.authored is None or block.authored_at == day(rule.authored)
            assert rule.approval in (None, block.approval)
            assert rule.owner in (None, block.owner)


def test_both_attributions_are_kept() -> None:
    (block,) = blocks([B, A], log(TWO))
    assert [(m.id, m.document) for m in block.members] == [("a", "a.md"), ("b", "b.md")]
    assert block.members == (A, B)


def test_a_block_of_undated_texts_has_no_date() -> None:
    (block,) = blocks([A, B], log(TWO))
    assert block.authored_at is None


def test_the_most_salient_member_says_how_salient_the_block_is() -> None:
    (block,) = blocks([member("a", 2, salience=0.25, boost=0.5), member("b", 1, salience=0.75)], log(TWO))
    assert (block.id, block.salience, block.boost) == ("a", 0.75, 0.5)


def test_who_joins_whom() -> None:
    everybody = [A, B, C, member("d")]

    def ids(*decisions: Decision) -> list[str]:
        return ["".join(m.id for m in block.members) for block in blocks(everybody, log(*decisions))]

    assert ids() == ["a", "b", "c", "d"]
    assert ids(merge("c", "a")) == ["ac", "b", "d"]
    assert ids(merge("a", "b"), merge("b", "c")) == ["abc", "d"]
    assert ids(merge("a", "b"), merge("c", "d"), merge("d", "a")) == ["abcd"]
    assert ids(merge("a", "b"), merge("b", "c", live=False)) == ["ab", "c", "d"]
    assert ids(THREE, split("b")) == ["ac", "b", "d"]
    assert ids(THREE, split("a", "b")) == ["ab", "c", "d"]
    assert ids(merge("a", "b", "c", "d"), split("b", "c"), split("c")) == ["ad", "b", "c"]
    assert ids(THREE, split("b"), merge("d", "b")) == ["ac", "bd"]
    assert ids(THREE, split("b", live=False)) == ["abc", "d"]
    assert ids(edit("a", "b"), merge("b", "c")) == ["abc", "d"]
    assert ids(decision(Verb.KEEP_APART, "a", "b"), decision(Verb.FLAG, "a", "c")) == ["a", "b", "c", "d"]


def test_a_bridge_that_is_not_there_still_joins_those_that_it_joined() -> None:
    (block,) = blocks([A, C], log(merge("b", "a"), merge("c", "b")))
    assert [m.id for m in block.members] == ["a", "c"]


def test_an_edit_that_was_taken_back_is_nobodys() -> None:
    found = blocks([A, B, C], log(merge("a", "b"), edit("c", "a", "b", live=False)))
    assert [[m.id for m in block.members] for block in found] == [["a", "b"]]
    assert found == blocks([A, B], log(merge("a", "b")))


def test_what_a_person_wrote_goes_and_comes_with_the_texts_in_whose_place_it_stands() -> None:
    written = member("x", 9)
    decided = log(edit("x", "a"))
    assert [[m.id for m in block.members] for block in blocks([A, written], decided)] == [["a", "x"]]
    assert blocks([written], decided) == []
    assert [[m.id for m in block.members] for block in blocks([B, written], [*decided, *log(merge("x", "b"))])] == [
        ["b", "x"]
    ]
    assert [block.id for block in blocks([A, written], log(edit("x", "a"), split("x")))] == ["a", "x"]


def test_split_texts_are_as_they_were_and_taking_the_split_back_restores_the_block() -> None:
    apart = [ANNS, replace(BOBS, authored_at=day(1))]
    approved = [approve(APPROVED, "a"), approve(REVIEW, "b")]
    one = merge("b", "a", seen=[active("ann", 9), active("bob", 8)], set_aside=["a"])
    before = blocks(apart, log(*approved))
    (merged,) = blocks(apart, log(*approved, one))
    assert (merged.id, merged.owner, merged.approval, merged.authored_at) == ("b", "ann", REVIEW, day(1))
    assert blocks(apart, log(*approved, one, split("b"))) == before
    assert blocks(apart, log(*approved, one, split("b", live=False))) == [merged]
    assert blocks(apart, log(*approved, one, split("b"), one)) == [merged]


def test_a_preview_sets_texts_aside_without_a_decision() -> None:
    standing = fold(log(TWO))
    aside = survivorship.set_aside(standing, {"b": frozenset({"a"})})
    assert (join([A, B], standing).id, join([A, B], aside).id) == ("b", "a")
    assert standing == fold(log(TWO))


def test_a_split_unites_nothing() -> None:
    """Two texts that leave together part when the merge that joined them is taken back."""
    everybody = [A, B, C]
    decided = log(merge("a", "b", live=False), merge("a", "c"), split("a", "b"))
    assert [[m.id for m in block.members] for block in blocks(everybody, decided)] == [["a"], ["b"], ["c"]]


def test_a_choice_of_text_ends_with_a_split() -> None:
    chosen = merge("a", "b", set_aside=["b"])
    assert [b.id for b in blocks([A, B], log(chosen, split("b"), TWO))] == ["b"]
    assert [b.id for b in blocks([A, B], log(chosen, split("b"), merge("b", "a", set_aside=["a"])))] == ["b"]


def test_the_words_of_a_text_that_was_set_aside_do_not_win_in_another_document() -> None:
    again = replace(C, segment=replace(C.segment, text=B.segment.text, content_hash=B.segment.content_hash))
    decided = log(merge("a", "b", set_aside=["b"]), merge("c", "b"))
    assert [b.id for b in blocks([A, B, again], decided)] == ["a"]


def test_without_decisions_nothing_stands() -> None:
    assert fold([]) == Standing()


IDS = tuple("abcde")
OWNERS = ("", "ann", "bob")
some_ids = st.lists(st.sampled_from(IDS), min_size=1, max_size=3, unique=True).map(tuple)
several_ids = st.lists(st.sampled_from(IDS), min_size=2, max_size=3, unique=True).map(tuple)
activities = st.builds(
    Activity, st.sampled_from(OWNERS[1:]), st.sampled_from(["", day(1).isoformat(), day(2).isoformat()]), st.booleans()
)
plain_merges = several_ids.map(lambda ids: merge(*ids))
decisions = st.one_of(
    plain_merges,
    st.builds(
        lambda ids, aside, seen, live: merge(*ids, set_aside=ids[1:] if aside else (), seen=seen, live=live),
        several_ids, st.booleans(), st.lists(activities, max_size=2), st.booleans(),
    ),
    st.builds(lambda ids, live: split(*ids, live=live), some_ids, st.booleans()),
    st.builds(lambda ids, live: edit(*ids, live=live), several_ids, st.booleans()),
    st.builds(lambda approval, ids: approve(approval, *ids), st.sampled_from(Approval), some_ids),
    st.builds(lambda owner, ids: own(owner, *ids), st.sampled_from(OWNERS[1:]), some_ids),
)  # fmt: skip
logs = st.lists(decisions, max_size=8).map(lambda found: log(*found))
members = st.lists(
    st.builds(
        member,
        st.sampled_from(IDS), st.integers(0, 2), st.none() | st.integers(0, 2), st.sampled_from(OWNERS),
        st.sampled_from([0.25, 0.5]), st.sampled_from([0.0, 0.5]),
    ),
    min_size=1, max_size=4, unique_by=lambda m: m.id,
)  # fmt: skip


@settings(max_examples=examples(50, 150), deadline=None)
@given(members, logs, st.randoms(use_true_random=False))
def test_every_order_of_members_and_of_decisions_gives_one_block(
    there: list[Member], decided: list[Decision], random: Random
) -> None:
    expected = blocks(there, decided)
    shuffled = list(decided)
    random.shuffle(shuffled)
    standing = fold(shuffled)
    assert standing == fold(decided)
    for order in permutations(there):
        assert blocks(order, shuffled) == expected
    for block in expected:
        assert all(join(order, standing) == block for order in permutations(block.members))


@settings(max_examples=examples(50, 150), deadline=None)
@given(members, logs)
def test_nothing_is_lost_and_nothing_made_up(there: list[Member], decided: list[Decision]) -> None:
    withdrawn = {d.members[0] for d in decided if d.verb is Verb.EDIT and not d.live}
    found = blocks(there, decided)
    held = [m.id for block in found for m in block.members]
    written = {d.members[0]: set(d.members[1:]) for d in decided if d.verb is Verb.EDIT and d.live}
    lost = {m.id for m in there} - withdrawn - set(held)
    assert len(held) == len(set(held))
    assert set(held) <= {m.id for m in there} - withdrawn
    for id_ in lost:  # Only what a person wrote goes, and only with all in whose place it stands.
        assert not (written[id_] - written.keys() - withdrawn) & {m.id for m in there}
    for block in found:
        assert block.id in {m.id for m in block.members}
        dates = [m.authored_at for m in block.members if m.authored_at is not None]
        assert block.authored_at == (min(dates) if dates else None)
        named = {d.detail.owner for d in decided if d.verb is Verb.OWN}
        assert block.owner in {m.owner for m in block.members} | named
        assert (block.owner == "") <= all(m.owner == "" for m in block.members)


@settings(max_examples=examples(50, 150), deadline=None)
@given(members, logs, decisions)
def test_a_decision_that_was_taken_back_was_never_made(
    there: list[Member], decided: list[Decision], one: Decision
) -> None:
    wrote = {one.members[0]} if one.verb is Verb.EDIT else set()
    before = [m for m in there if m.id not in wrote]
    assert blocks(there, log(*decided, replace(one, live=False))) == blocks(before, decided)


@settings(max_examples=examples(50, 150), deadline=None)
@given(members, st.lists(plain_merges, max_size=5), st.randoms(use_true_random=False))
def test_plain_merges_may_be_made_in_any_order(there: list[Member], merges: list[Decision], random: Random) -> None:
    other = [replace(d, members=tuple(reversed(d.members))) for d in merges]
    random.shuffle(other)
    assert blocks(there, log(*merges)) == blocks(there, log(*other, *other))


@settings(max_examples=examples(50, 150), deadline=None)
@given(logs, several_ids)
def test_a_split_and_a_merge_of_what_it_parted_restore_the_groups(
    decided: list[Decision], ids: tuple[str, ...]
) -> None:
    everybody = [member(id_) for id_ in IDS]
    held = {m.id for b in blocks(everybody, log(*decided, merge(*ids))) for m in b.members}
    if not held.issuperset(ids[:2]):
        return  # What a person wrote went with what it stood for.
    parted = blocks(everybody, log(*decided, merge(*ids), split(ids[0])))
    assert [m.id for b in parted for m in b.members if ids[0] in {m.id for m in b.members}] == [ids[0]]
    again = blocks(everybody, log(*decided, merge(*ids), split(ids[0]), merge(ids[0], ids[1])))
    assert [b.members for b in again] == [b.members for b in blocks(everybody, log(*decided, merge(*ids)))]


class TestEdges:
    """Each of these let a changed line pass before it was written."""

    def test_a_split_of_texts_of_two_blocks_cuts_both(self) -> None:
        decided = log(merge("a", "b"), merge("c", "d"), split("a", "c"))
        found = blocks([member(i) for i in "abcd"], decided)
        assert [[m.id for m in block.members] for block in found] == [["a"], ["b"], ["c"], ["d"]]

    def test_a_text_set_aside_for_two_stays_aside_when_one_is_gone(self) -> None:
        decided = log(merge("a", "c", set_aside=["c"]), merge("b", "c", set_aside=["c"]))
        (block,) = blocks([member("a", dated=1), member("c", dated=9)], decided)
        assert block.id == "a"

    def test_where_every_text_stands_back_the_newest_wins(self) -> None:
        same = "hash of both"
        one, other = (
            replace(m, segment=replace(m.segment, content_hash=same)) for m in (member("a", 1), member("b", 2))
        )
        (block,) = blocks([one, other], log(merge("b", "a", set_aside=["a"])))
        assert block.id == "b"

    @pytest.mark.parametrize("first", Approval)
    @pytest.mark.parametrize("second", Approval)
    def test_the_later_approval_of_one_set_replaces_the_earlier(self, first: Approval, second: Approval) -> None:
        (block,) = blocks([member("a")], log(approve(first, "a"), approve(second, "a")))
        assert block.approval is second

    def test_an_approval_of_nothing_approves_nothing(self) -> None:
        (block,) = blocks([member("a")], log(decision(Verb.APPROVE, "a", approval=None)))
        assert block.approval is DRAFT

    def test_nobody_does_not_own_what_somebody_who_left_owned(self) -> None:
        decided = log(merge("a", "b", seen=[active("ann", 1, left=True)]))
        (block,) = blocks([member("a", owner="ann"), member("b")], decided)
        assert block.owner == "ann"

    def test_a_split_keeps_what_was_set_aside_outside_of_every_block(self) -> None:
        decided = log(merge("a", "b", set_aside=["z"]), split("a"))
        assert fold(decided).set_aside["z"] == {"a"}

    def test_texts_written_in_place_of_each_other_are_supported_by_nothing(self) -> None:
        standing = fold(log(edit("a", "b"), edit("b", "a")))
        assert groups(standing, [member("a"), member("b")]) == []


@pytest.mark.parametrize(("equal", "winner"), [(True, "a"), (False, "b")])
def test_a_quotation_does_not_win_over_the_equal_text_that_it_quotes(equal: bool, winner: str) -> None:
    original, reply = member("a", 1), member("b", 2)
    place = MediaPlace(speaker="Ada Fenn", is_quoted=True)
    content_hash = original.segment.content_hash if equal else reply.segment.content_hash
    quoting = replace(reply, segment=replace(reply.segment, place=place, content_hash=content_hash))
    assert join((original, quoting), fold(())).id == winner
