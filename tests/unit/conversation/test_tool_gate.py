"""The gate's table, cell by cell, and an executor that refuses every illegal one whatever the call says."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import product

import pytest

from saidonce.foundation.model.conversation import (
    Conversation,
    Gathering,
    IdentityStatus,
    IssueDraft,
    Path,
    PhotoStatus,
    Slot,
    Tool,
)
from saidonce.foundation.model.residents import (
    ChannelIdentity,
    Home,
    Inbound,
    InboundKind,
    Media,
    Property,
    Resident,
    Tenancy,
    Via,
)
from saidonce.repairs.conversation import Rules, Voice
from saidonce.repairs.conversation.executor import execute
from saidonce.repairs.conversation.report_state import MOVES, next_state
from saidonce.repairs.conversation.slots import Offered
from saidonce.repairs.conversation.tools import Condition, ToolContext, ToolRefusal, cell, offered_tools, refusal
from saidonce.repairs.conversation.view import Call, Plan, Refused, TurnView

NOW = datetime(2026, 1, 17, 12, tzinfo=UTC)
CELLS = list(product(IdentityStatus, Gathering, Tool))
SAID = "the kitchen tap drips from the spout, no photos sorry"

TABLE = """
unidentified  -                  templated by_code never      never            never
identified    -                  templated by_code never      never            never
confirmed     -                  always    always  always     slots_full       never
active        idle               always    always  always     slots_full       photo_now
active        gathering_details  always    always  asks_left  slots_full       photo_or_decline
active        awaiting_photo     always    always  new_fact   never            photo_or_decline
active        issue_created      always    always  new_problem new_problem_full never
"""
ORDER = (Tool.RESPOND, Tool.ESCALATE, Tool.ASK_FOR_DETAILS, Tool.ASK_FOR_PHOTO, Tool.CREATE_ISSUE)


def test_the_table_is_the_specifications() -> None:
    told = {}
    for line in TABLE.split("\n")[1:-1]:
        identity, gathering, *conditions = line.split()
        for g in Gathering if gathering == "-" else [Gathering(gathering)]:
            for tool, condition in zip(ORDER, conditions, strict=True):
                told[IdentityStatus(identity), g, tool] = Condition(condition)
    assert told == {c: cell(*c) for c in CELLS}


def view(identity: IdentityStatus, gathering: Gathering, *, handed_off: bool = False, photo: bool = True) -> TurnView:
    media = (Media("m1", "image/jpeg", "0" * 64, stored=True),) if photo else ()
    sender = ChannelIdentity(Via.WHATSAPP, "u")
    inbound = Inbound(sender, "n", "1", InboundKind.TEXT, NOW, NOW, SAID, media, seq=1)
    home = Home(Tenancy("t", "p", "r", NOW), Property("p", "12 Elm Road"), Resident("r", "Ana Bell"))
    of = Conversation(
        "c", sender, "n", NOW, identity, gathering, tenancy_id="t", handed_off_at=NOW if handed_off else None
    )
    return TurnView(of, (inbound,), (SAID,), home, NOW, Rules(), Voice())


FULL = Offered(
    Slot("tap drips from the spout", "tap drips from the spout"), Slot("kitchen", "kitchen"),
    photo=PhotoStatus.DECLINED,
    photo_quote="no photos sorry",
)  # fmt: skip


@pytest.mark.parametrize(("identity", "gathering", "tool"), [c for c in CELLS if cell(*c) is Condition.NEVER])
def test_every_illegal_cell_is_hidden_and_refused(identity: IdentityStatus, gathering: Gathering, tool: Tool) -> None:
    for photo in (True, False):
        made = execute(view(identity, gathering, photo=photo), Call(tool, "x", FULL), Path.V2)
        assert isinstance(made, Refused)
        assert ToolRefusal.NOT_IN_THIS_STATE in made.reasons
    assert tool not in offered_tools(ToolContext(identity, gathering, slots_full=True, photo_now=True))


@pytest.mark.parametrize(("identity", "gathering", "tool"), CELLS)
def test_a_model_acts_for_nobody_who_is_unknown_or_handed_off(
    identity: IdentityStatus, gathering: Gathering, tool: Tool
) -> None:
    if identity in (IdentityStatus.UNIDENTIFIED, IdentityStatus.IDENTIFIED):
        assert isinstance(execute(view(identity, gathering), Call(tool, "x", FULL), Path.V2), Refused)
        assert offered_tools(ToolContext(identity, gathering)) == ()
    made = execute(view(identity, gathering, handed_off=True), Call(tool, "x", FULL), Path.V2)
    assert isinstance(made, Refused)
    assert made.reasons[0] is ToolRefusal.HANDED_OFF


@pytest.mark.parametrize(("gathering", "tool"), list(product(Gathering, Tool)))
def test_what_is_shown_is_what_some_reply_can_make_legal(gathering: Gathering, tool: Tool) -> None:
    asks, photos = range(5), (True, False)
    for photo_now, n in product(photos, asks):
        base = ToolContext(IdentityStatus.ACTIVE, gathering, photo_now=photo_now, detail_asks=n)
        replies = [
            ToolContext(
                IdentityStatus.ACTIVE, gathering, slots_full=full, photo_now=photo_now, photo=photo, detail_asks=n,
                has_new_fact=fact, is_new_problem=new,
            )
            for full, photo, fact, new in product(photos, (PhotoStatus.NONE, PhotoStatus.DECLINED), photos, photos)
        ]  # fmt: skip
        possible = any(refusal(s, tool) is None for s in replies)
        assert (tool in offered_tools(base)) == possible


def test_only_listed_moves_of_the_gathering_machine_exist() -> None:
    for gathering, tool in product(Gathering, Tool):
        after = next_state(gathering, tool)
        assert after is MOVES.get((gathering, tool), gathering)
        if tool in (Tool.RESPOND, Tool.ESCALATE):
            assert after is gathering


@pytest.mark.parametrize("photo", [PhotoStatus.NONE, PhotoStatus.ASKED, PhotoStatus.LATER])
def test_no_issue_without_a_photo_or_a_refusal_of_one(photo: PhotoStatus) -> None:
    at = ToolContext(IdentityStatus.ACTIVE, Gathering.AWAITING_PHOTO, slots_full=True, photo=photo)
    assert refusal(at, Tool.CREATE_ISSUE) is ToolRefusal.NO_PHOTO_AND_NOT_DECLINED


def test_an_issue_is_the_same_whatever_crashed_before() -> None:
    seen = view(IdentityStatus.ACTIVE, Gathering.GATHERING_DETAILS)
    first, again = (execute(seen, Call(Tool.CREATE_ISSUE, "", FULL), Path.V2) for _ in range(2))
    assert isinstance(first, Plan)
    assert first == again
    assert first.issue is not None
    assert first.issue.media == ("m1",)
    assert first.conversation.draft == IssueDraft()


def test_a_draft_lives_from_the_last_turn_on() -> None:
    made = execute(
        view(IdentityStatus.ACTIVE, Gathering.IDLE, photo=False), Call(Tool.ASK_FOR_PHOTO, "", FULL), Path.V2
    )
    assert isinstance(made, Plan)
    assert made.conversation.draft_expires_at == NOW + timedelta(hours=23)
