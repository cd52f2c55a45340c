"""The log's hashes: whatever is altered, left out or exchanged is noticed; and which decisions hold."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import examples
from saidonce.errors import StoreCorruptError
from saidonce.foundation.audit_log import detail_from_json, detail_to_json, first_broken, hash_of, live_of
from saidonce.foundation.model import (
    Activity,
    Approval,
    Copies,
    Decision,
    DecisionDraft,
    Detail,
    FactKind,
    Near,
    Objection,
    Opinion,
    ReviewRule,
    Ruling,
    Span,
    Verb,
)

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
OBJECTION = Objection(FactKind.NUMBER, Span(3, 5, "30"), Span(3, 5, "90"))
RULING = Ruling(Opinion.DISTINCT, reason="another rule", confidence=0.97, adjudicator="judge", probability=0.03)
RICH = Detail(
    near=(Near("b" * 32, 0.9125, (OBJECTION,)), Near("c" * 32, 0.83)),
    because="objection",
    set_aside=("b" * 32,),
    approval=Approval.REVIEW,
    owner="ann",
    activity=(Activity("ann", "2026-01-01T00:00:00+00:00"), Activity("bob", left=True)),
    pairs=(("0" * 32, "1" * 32),),
    wrong=False,
    sampled=True,
    ruling=RULING,
    texts=("0" * 32, "2" * 32),
    within=1,
    differs="version",
    rule=ReviewRule("version", ("a.md", "b.md")),
    due="2026-03-02",
    copies=Copies.GO,
)


def draft(n: int = 1) -> DecisionDraft:
    return DecisionDraft(
        verb=Verb.MERGE, collection="main", members=("a" * 32, f"{n:032x}"), actor="ann", reason="the same", flag=1,
        reverts=2, detail=RICH, policy="p", certificate="c", key=f"key {n}",
    )  # fmt: skip


def chained(*drafts: DecisionDraft, first: int = 1) -> list[Decision]:
    """Drafts as the log that they make."""
    made: list[Decision] = []
    for seq, each in enumerate(drafts, first):
        previous = made[-1].hash if made else ""
        at = NOON + timedelta(seconds=seq)
        values = {field.name: getattr(each, field.name) for field in fields(DecisionDraft)}
        made.append(
            Decision(**values, seq=seq, at=at, live=True, previous=previous, hash=hash_of(each, seq, at, previous))
        )
    return made


LOG = chained(*(draft(n) for n in range(1, 6)))

ALTERED: dict[str, object] = {
    "verb": Verb.FLAG, "collection": "annexe", "members": ("a" * 32,), "actor": "eve", "reason": "", "flag": None,
    "reverts": None, "detail": Detail(), "policy": "q", "certificate": "", "key": "", "seq": 7,
    "at": NOON + timedelta(microseconds=1), "previous": "0" * 64, "hash": "0" * 64,
}  # fmt: skip
ALTERED_DETAIL: dict[str, object] = {
    "near": (Near("b" * 32, 0.9126, (OBJECTION,)), Near("c" * 32, 0.83)), "because": "unsure", "set_aside": (),
    "approval": Approval.APPROVED, "owner": "bob", "activity": RICH.activity[:1], "pairs": (), "wrong": True,
    "sampled": False, "ruling": replace(RULING, confidence=0.98), "texts": ("0" * 32,),
    "within": None, "differs": "number", "rule": ReviewRule("version"), "due": "", "copies": Copies.STAY,
}  # fmt: skip


def test_a_log_as_it_was_written_is_whole() -> None:
    assert first_broken(LOG) is None
    assert first_broken(iter(LOG)) is None
    assert first_broken([]) is None


def test_every_field_is_altered_below() -> None:
    assert set(ALTERED) == {field.name for field in fields(Decision)} - {"live"}
    assert set(ALTERED_DETAIL) == {field.name for field in fields(Detail)}


@pytest.mark.parametrize("place", [0, 2, 4])
@pytest.mark.parametrize("name", sorted(ALTERED))
def test_an_altered_field_is_noticed(name: str, place: int) -> None:
    altered = replace(LOG[place], **{name: ALTERED[name]})  # type: ignore[arg-type]
    assert altered != LOG[place]
    assert first_broken([*LOG[:place], altered, *LOG[place + 1 :]]) == altered.seq


@pytest.mark.parametrize("name", sorted(ALTERED_DETAIL))
def test_an_altered_detail_is_noticed(name: str) -> None:
    detail = replace(RICH, **{name: ALTERED_DETAIL[name]})  # type: ignore[arg-type]
    assert detail != RICH
    assert first_broken([*LOG[:2], replace(LOG[2], detail=detail), *LOG[3:]]) == 3


def test_what_holds_is_not_part_of_the_event() -> None:
    assert first_broken([replace(d, live=False) for d in LOG]) is None


@pytest.mark.parametrize("place", range(4))
def test_a_missing_decision_is_noticed_at_its_follower(place: int) -> None:
    assert first_broken([*LOG[:place], *LOG[place + 1 :]]) == place + 2


def test_a_missing_decision_is_noticed_even_if_the_followers_are_numbered_anew() -> None:
    numbered = [*LOG[:2], *(replace(d, seq=d.seq - 1) for d in LOG[3:])]
    assert first_broken(numbered) == 3


def test_a_log_begins_with_the_first_number() -> None:
    assert first_broken(chained(draft(1), draft(2), first=2)) == 2


def test_an_altered_decision_with_a_hash_of_its_own_is_noticed_at_its_follower() -> None:
    altered = replace(LOG[1], actor="eve")
    forged = replace(altered, hash=hash_of(altered, altered.seq, altered.at, altered.previous))
    assert first_broken([LOG[0], forged, *LOG[2:]]) == 3


@pytest.mark.parametrize("place", range(4))
def test_exchanged_decisions_are_noticed(place: int) -> None:
    one, two = LOG[place : place + 2]
    assert first_broken([*LOG[:place], two, one, *LOG[place + 2 :]]) == two.seq
    swapped = [replace(two, seq=one.seq), replace(one, seq=two.seq)]
    assert first_broken([*LOG[:place], *swapped, *LOG[place + 2 :]]) == one.seq


def test_a_decision_twice_is_noticed() -> None:
    assert first_broken([*LOG[:3], LOG[2], *LOG[3:]]) == 3


def test_a_hash_is_of_the_moment_not_of_its_time_zone() -> None:
    elsewhere = NOON.astimezone(timezone(timedelta(hours=5, minutes=30)))
    assert hash_of(draft(), 1, elsewhere, "") == hash_of(draft(), 1, NOON, "")
    assert len(hash_of(draft(), 1, NOON, "")) == 64


def test_what_stands_beside_each_other_does_not_run_together() -> None:
    one, other = replace(draft(), actor="ann", reason="b"), replace(draft(), actor="an", reason="nb")
    assert hash_of(one, 1, NOON, "") != hash_of(other, 1, NOON, "")
    listed, joined = replace(draft(), members=("a", "b")), replace(draft(), members=("a,b",))
    assert hash_of(listed, 1, NOON, "") != hash_of(joined, 1, NOON, "")


def decided(*reverts: int | None) -> list[Decision]:
    """A log of decisions, each taking back the one that it names."""
    return chained(*(replace(draft(n), reverts=target) for n, target in enumerate(reverts, 1)))


@pytest.mark.parametrize(
    ("reverts", "live"),
    [
        ((), ()),
        ((None, None), (True, True)),
        ((None, 1), (False, True)),
        ((None, 1, 2), (True, False, True)),
        ((None, 1, 2, 3), (False, True, False, True)),
        ((None, 1, 2, 3, 4), (True, False, True, False, True)),
        ((None, 1, 1), (False, True, True)),
        ((None, 1, 1, 2), (False, False, True, True)),
        ((None, 1, 1, 2, 3), (True, False, False, True, True)),
        ((None, 1, 1, 2, 3, 4), (False, True, False, False, True, True)),
        ((None, None, 1, None, 2), (False, False, True, True, True)),
    ],
)
def test_what_holds(reverts: tuple[int | None, ...], live: tuple[bool, ...]) -> None:
    assert live_of(decided(*reverts)) == dict(enumerate(live, 1))


@st.composite
def reverting(draw: st.DrawFn) -> list[Decision]:
    n = draw(st.integers(0, 12))
    return decided(*(draw(st.none() | st.integers(1, seq - 1)) if seq > 1 else None for seq in range(1, n + 1)))


@settings(max_examples=examples(50, 150), deadline=None)
@given(reverting(), st.randoms(use_true_random=False))
def test_a_decision_holds_unless_a_revert_that_holds_names_it(log: list[Decision], random: Random) -> None:
    def holds(seq: int) -> bool:
        return not any(holds(d.seq) for d in log if d.reverts == seq)

    shuffled = [replace(d, live=False) for d in log]
    random.shuffle(shuffled)
    assert live_of(shuffled) == {d.seq: holds(d.seq) for d in log}


def test_a_detail_is_written_without_what_it_leaves_empty() -> None:
    assert detail_to_json(Detail()) == "{}"
    assert json.loads(detail_to_json(Detail(because="split", wrong=False))) == {"because": "split", "wrong": False}
    assert detail_from_json("{}") == Detail()


texts = st.text(max_size=8)
spans = st.builds(Span, st.integers(0, 9), st.integers(0, 9), texts)
details = st.builds(
    Detail,
    near=st.lists(
        st.builds(
            Near, texts, st.floats(allow_nan=False, allow_infinity=False),
            st.lists(st.builds(Objection, st.sampled_from(FactKind), spans, spans), max_size=2).map(tuple),
        ),
        max_size=2,
    ).map(tuple),
    because=texts,
    set_aside=st.lists(texts, max_size=2).map(tuple),
    approval=st.none() | st.sampled_from(Approval),
    owner=texts,
    activity=st.lists(st.builds(Activity, texts, texts, st.booleans()), max_size=2).map(tuple),
    pairs=st.lists(st.tuples(texts, texts), max_size=2).map(tuple),
    wrong=st.none() | st.booleans(),
    sampled=st.booleans(),
)  # fmt: skip


@settings(max_examples=examples(66, 200), deadline=None)
@given(details)
def test_a_detail_comes_back_as_it_was_written(detail: Detail) -> None:
    written = detail_to_json(detail)
    assert detail_from_json(written) == detail
    assert detail_to_json(detail_from_json(written)) == written


@settings(max_examples=examples(33, 100), deadline=None)
@given(details, details)
def test_other_details_have_other_hashes(one: Detail, other: Detail) -> None:
    hashes = {hash_of(replace(draft(), detail=each), 1, NOON, "") for each in (one, other)}
    assert len(hashes) == len({one, other})


@pytest.mark.parametrize(
    "written",
    ["", "[]", "{", '{"near": 1}', '{"near": [{"id": "a"}]}', '{"approval": "maybe"}', '{"wrong": "perhaps"}'],
)
def test_what_is_no_detail_is_refused(written: str) -> None:
    with pytest.raises(StoreCorruptError, match="detail cannot be read"):
        detail_from_json(written)
