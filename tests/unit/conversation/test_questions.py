"""What a resident is asked: what is missing, in the model's words if they ask for it, else in ours."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from saidonce.foundation.model.conversation import Conversation, Gathering, IdentityStatus, Path, Slot, Tool
from saidonce.foundation.model.residents import (
    ChannelIdentity,
    Home,
    Inbound,
    InboundKind,
    Property,
    Resident,
    Tenancy,
    Via,
)
from saidonce.repairs.conversation import Rules, Voice, wording
from saidonce.repairs.conversation.executor import execute
from saidonce.repairs.conversation.slots import Offered
from saidonce.repairs.conversation.view import Call, Plan, TurnView

NOW = datetime(2026, 1, 17, 12, tzinfo=UTC)
SAID = "the tap drips from the spout, in the kitchen"
WHAT, WHERE = Slot("tap drips", "tap drips"), Slot("kitchen", "kitchen")


def asked(tool: Tool, message: str, offered: Offered) -> str:
    sender = ChannelIdentity(Via.WHATSAPP, "u")
    inbound = Inbound(sender, "n", "1", InboundKind.TEXT, NOW, NOW, SAID, seq=1)
    home = Home(Tenancy("t", "p", "r", NOW), Property("p", "12 Elm Road"), Resident("r", "Ana Bell"))
    of = Conversation("c", sender, "n", NOW, IdentityStatus.ACTIVE, Gathering.IDLE, tenancy_id="t")
    made = execute(
        TurnView(of, (inbound,), (SAID,), home, NOW, Rules(), Voice()), Call(tool, message, offered), Path.V2
    )
    assert isinstance(made, Plan)
    return made.replies[0].text


@pytest.mark.parametrize(
    ("message", "offered", "reads"),
    [
        ("Which room is it in?", Offered(WHAT), "Which room is it in?"),
        ("Is that the one in the kitchen?", Offered(WHAT), "Is that the one in the kitchen?"),
        ("Could you tell me more about it?", Offered(WHAT), wording.ASK_WHERE),
        ("What is dripping?", Offered(location=WHERE), "What is dripping?"),
        ("Which room is it in?", Offered(location=WHERE), wording.ASK_WHAT),
        ("Could you send a photo?", Offered(location=WHERE), wording.ASK_WHAT),
        ("Could you send a picture of it?", Offered(), wording.ASK_DETAILS),
        ("What has happened?", Offered(), "What has happened?"),
        ("", Offered(), wording.ASK_DETAILS),
    ],
)
def test_a_question_for_details_asks_for_what_is_missing(message: str, offered: Offered, reads: str) -> None:
    assert asked(Tool.ASK_FOR_DETAILS, message, offered) == reads


@pytest.mark.parametrize(
    ("message", "reads"),
    [("A picture would help, could you take one?", "A picture would help, could you take one?"),
     ("Thanks for the details.", wording.ASK_PHOTO), ("", wording.ASK_PHOTO)],
)  # fmt: skip
def test_whoever_asks_for_a_photo_says_so(message: str, reads: str) -> None:
    assert asked(Tool.ASK_FOR_PHOTO, message, Offered(WHAT, WHERE)) == reads
