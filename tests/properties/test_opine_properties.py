"""Invented rulings on open pairs: never a merge past an objection, never an outcome that cannot be taken back."""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judges import Judge
from open_pairs import doubting
from saidonce.foundation.model import POLICY, Failure, GrayMode, Opinion, Question, Ruling, Verb
from saidonce.foundation.ports import QueueFilter
from saidonce.kb import review
from saidonce.kb.canonical import load_open_pairs, questions
from saidonce.kb.review import By
from saidonce.kb.second_opinions import Ground, OpinionOptions, ask_second_opinions, outcome
from world import World

STREAMS = int(os.environ.get("TEST_STREAMS", "60"))
"""How many streams are invented; 2,000 for the proof."""

pytestmark = pytest.mark.timeout(3_600)

numbers = st.one_of(st.floats(-1.5, 1.5), st.sampled_from([float("nan"), float("inf"), 0.0, 0.95, 1.0]))
rulings = st.builds(
    Ruling,
    opinion=st.sampled_from(Opinion),
    of=st.sampled_from(["", "first", "last", "x" * 32]),
    reason=st.text(max_size=5),
    confidence=numbers,
    adjudicator=st.sampled_from(["", "judge"]),
    cost=numbers,
    failure=st.one_of(st.none(), st.sampled_from(Failure)),
    probability=st.one_of(st.none(), numbers),
)
words = st.sampled_from(["30 shirts", "90 shirts", "shirts", "the shirts", "no shirts", "all shirts"])
places = st.sampled_from(["shop", "big shop"])
said_of = st.builds(lambda what, place: f"Count {what} in the stock room of the {place} before noon.", words, places)
texts = st.lists(said_of, min_size=2, max_size=5)


@settings(max_examples=10 * STREAMS, deadline=None, database=None)
@given(
    rulings,
    st.builds(
        Ground,
        mode=st.sampled_from(GrayMode),
        settle_from=st.floats(0, 1),
        objected=st.booleans(),
        withheld=st.booleans(),
        decides_all=st.booleans(),
    ),
)
def test_only_a_confident_opinion_settles_and_only_to_what_can_be_taken_back(ruling: Ruling, ground: Ground) -> None:
    verb = outcome(ruling, ground)
    assert verb in (None, Verb.MERGE, Verb.DISMISS)
    if verb is not None:
        assert ground.mode is GrayMode.SETTLE
        assert not ground.decides_all
        assert ruling.failure is None
        assert ruling.confidence >= ground.settle_from
    if verb is Verb.MERGE:
        assert not ground.objected
        assert not ground.withheld
        assert ruling.opinion is Opinion.DUPLICATE


def _picture(w: World) -> Any:
    return sorted((b.id, b.text, b.members, b.documents, b.approval, b.owner) for b in w.blocks())


@settings(
    max_examples=STREAMS, deadline=None, database=None, suppress_health_check=list(HealthCheck), print_blob=True
)  # fmt: skip
@given(texts, st.lists(rulings, min_size=1, max_size=8), st.sampled_from(["settle", "propose"]), st.floats(0, 1))
def test_invented_rulings_do_nothing_that_cannot_be_undone(
    said: list[str], stream: list[Ruling], mode: str, settle_from: float
) -> None:
    w = doubting(gray_zone=mode, gray_zone_settle_from=settle_from, merge_investigate_from=0.3)
    for number, text in enumerate(said):
        w.put(f"{number}.md", text)
    before = _picture(w)
    objected: dict[int, dict[str, bool]] = {}
    for flag in w.base.store.ledger.queue(QueueFilter(), None, 100):
        found = load_open_pairs(w.base, [flag])
        shown = questions(w.base, found)[0].shown if found else ()
        objected[flag.seq] = {s.match.id: bool(s.objections) for s in shown}
        for near in flag.near:
            objected[flag.seq][near.id] = objected[flag.seq].get(near.id, False) or bool(near.objections)
    told = iter(stream * 20)

    def says(question: Question) -> Ruling:
        ruling = next(told)
        named = {"first": question.shown[0].match.id, "last": question.shown[-1].match.id}.get(ruling.of, ruling.of)
        return Ruling(
            ruling.opinion, named, ruling.reason, ruling.confidence, ruling.adjudicator, cost=ruling.cost,
            failure=ruling.failure, probability=ruling.probability,
        )  # fmt: skip

    ask_second_opinions(w.base, Judge(says), OpinionOptions())
    mine = [d for d in w.base.store.ledger.log() if d.detail.ruling is not None]
    assert mode == "settle" or not mine
    for decision in mine:
        assert decision.verb in (Verb.MERGE, Verb.DISMISS)
        assert decision.actor == POLICY
        ruling = decision.detail.ruling
        assert ruling is not None
        assert ruling.failure is None
        assert settle_from <= ruling.confidence <= 1.0
        if decision.verb is Verb.MERGE:
            assert not decision.detail.near[0].objections
            assert not objected[decision.flag or 0].get(decision.members[1], False)
        else:
            assert decision.detail.pairs == (), "a dismissal by an opinion forbids nothing"
    assert review.rebuild(w.base).is_sound
    for decision in reversed(mine):
        review.revert(w.base, By("ann"), decision.seq)
    assert _picture(w) == before
    assert review.rebuild(w.base).is_sound
