"""The demo's homes and people; all names, addresses and numbers are fictitious (numbers are reserved for drama)."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from datetime import datetime

from saidonce.foundation.model.conversation import Gathering
from saidonce.foundation.model.residents import Via
from saidonce.repairs.chat_links import GUEST, Visitor, link_path
from saidonce.repairs.conversation import ConversationDeps
from saidonce.repairs.tenancies import chat_name, import_homes, plan, read_sheet

HOMES = """address,unit,building,postcode,resident,phones,starts,tenancy_id,property_id,resident_id
12 Elm Road,Flat 2,Elm House,LS6 3AB,Ana Bell,+447700900001,2024-03-01,t-ana,p-elm-2,r-ana
12 Elm Road,Flat 3,Elm House,LS6 3AB,Ben Okafor,+447700900002,2023-09-01,t-ben,p-elm-3,r-ben
7 Mill Lane,,,LS8 1CD,Chloe Martin,+447700900003,2025-01-15,t-chloe,p-mill-7,r-chloe
40 Station Street,Flat 9,Station Court,LS1 4EF,Dan Fox,+447700900004,2022-05-01,t-dan-home,p-station-9,r-dan
40 Station Street,Garage 3,Station Court,LS1 4EF,Dan Fox,+447700900004,2024-11-01,t-dan-garage,p-station-g3,r-dan
"""

DOCUMENTS = {
    "organisation": {
        "repairs-policy.md": (
            "# Repairs policy\n\nUrgent repairs are begun within one working day, others within twenty working days."
            " Tenants of Northside Homes do not pay for fair wear and tear.\n\n## Boilers\n\nBoilers are serviced"
            " once a year in autumn. If the pressure shows less than one bar, the boiler stops until it is topped up."
        ),
    },
    "property-p-elm-2": {
        "flat-2.md": (
            "# Flat 2, 12 Elm Road\n\nThe boiler is in the kitchen cupboard beside the window. The stopcock for the"
            " water is under the kitchen sink. The fuse box is in the hall above the door."
        ),
    },
}
"""Documents for contextual retrieval, by collection and file."""

ORG_NAME = "Northside Homes"


APP_SECRET = "demo"  # noqa: S105  known to everybody, like all of the demo
"""Signs the demo's WhatsApp posts; useless anywhere else."""

WHATSAPP_TEXTS = ("The kitchen tap drips from the spout", "sorry, no photo")
"""First message of Ana's phone, and its answer to the question for a photo."""


def whatsapp_post(message_id: str, text: str, sent_at: datetime) -> bytes:
    """Return a WhatsApp post with one message from Ana Bell's number."""
    message = {
        "from": "447700900001", "id": message_id, "timestamp": str(int(sent_at.timestamp())), "type": "text",
        "text": {"body": text},
    }  # fmt: skip
    value = {
        "messaging_product": "whatsapp",
        "metadata": {"display_phone_number": "447700900000", "phone_number_id": "100000000000001"},
        "contacts": [{"profile": {"name": "Ana"}, "wa_id": "447700900001"}],
        "messages": [message],
    }
    changes = [{"value": value, "field": "messages"}]
    entry = [{"id": "100000000000002", "changes": changes}]
    return json.dumps({"object": "whatsapp_business_account", "entry": entry}).encode()


@dataclass(frozen=True, slots=True)
class DemoPersona:
    """A person of the demo, with messages to try.

    Attributes:
        says: messages to write, one after the other.
        expect: expected reaction.
    """

    name: str
    home: str
    says: tuple[str, ...]
    expect: str
    path: str


_TRY = (
    ("t-ana", "Ana Bell", "Flat 2, 12 Elm Road", ("My boiler is not working", "it's in the kitchen, it shows no light"),
     "The boiler is no place: the assistant asks where before it asks for a photo."),
    ("t-ben", "Ben Okafor", "Flat 3, 12 Elm Road",
     ("The kitchen tap drips from the spout", "gimme a min I'll take pics"),
     "A promise of a photo is no refusal: nothing is reported until the photo comes, or No photo is pressed."),
    ("t-chloe", "Chloe Martin", "7 Mill Lane", ("I have a leak in the bathroom", "the pipe under the sink is dripping"),
     "A leak alone is too vague: the assistant asks what exactly leaks."),
    ("t-dan-home", "Dan Fox", "Flat 9 and Garage 3, 40 Station Street", ("The door lock is broken",),
     "Two homes: the assistant asks which one, with buttons."),
    ("", "A stranger", "no home on file", ("The heater in my hall is broken", "My name is Bell"),
     "A name that was only typed confirms nothing and shows no address; you approve it on the landlord's page."),
    ("", "Anybody", "with or without a home", ("I smell gas",),
     "The safety text comes at once, before anybody knows who writes and without a model; the landlord is alerted."),
)  # fmt: skip


def next_text(deps: ConversationDeps) -> str:
    """Return the next message of Ana's phone."""
    talks = (c for c in deps.store.conversations() if c.sender.via is Via.WHATSAPP)
    awaited = any(c.gathering is Gathering.AWAITING_PHOTO for c in talks)
    return WHATSAPP_TEXTS[1 if awaited else 0]


def import_demo_homes(deps: ConversationDeps) -> None:
    """Import the demo's homes; repeating it changes nothing."""
    sheet = read_sheet(HOMES)
    assert not sheet.flaws
    import_homes(deps.store, plan(deps.store, sheet))


def personas(deps: ConversationDeps, secret: str) -> tuple[DemoPersona, ...]:
    """Return the people to try, each with the path of their page."""
    return tuple(
        DemoPersona(name, home, says, expect, link_path(secret, Visitor(deps.store.org, _name(deps, tenancy, number))))
        for number, (tenancy, name, home, says, expect) in enumerate(_TRY)
    )


def _name(deps: ConversationDeps, tenancy: str, number: int) -> str:
    return chat_name(deps.store, tenancy, secrets.token_bytes) if tenancy else f"{GUEST}{number}"
