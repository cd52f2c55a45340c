"""Room: all fixed sentences for residents, without any id, other home or other resident."""

from __future__ import annotations

from collections.abc import Sequence

from saidonce.foundation.model.conversation import Button, Issue
from saidonce.foundation.model.residents import Home

YES, NO, NONE_OF_THESE = "identity:yes", "identity:no", "identity:none"
PICK = "identity:pick:"
PHOTO_NONE, PHOTO_LATER = "photo:none", "photo:later"
"""Payloads of our buttons."""

NO_PHOTO_BUTTON = Button("No photo", PHOTO_NONE)
PHOTO_BUTTONS = (Button("I'll send it later", PHOTO_LATER), NO_PHOTO_BUTTON)

ASK_WHO = (
    "Hello, I don't know yet which home you write from. Please send your last name or your postcode, so that I can find"
    " it. What you wrote is kept; you won't have to repeat it."
)
ASK_WHO_AGAIN = "I couldn't find that. Please send the last name or the postcode that your landlord knows."
WHO_ESCALATED = "I couldn't find your home, so I have asked a person to get in touch with you here."
WAIT_FOR_APPROVAL = (
    "Thank you. You aren't on file for that home yet, so I have asked your landlord's team to confirm it. What you"
    " wrote is kept."
)
UNDONE = (
    "Sorry about that, I have taken it off. Please send your last name or your postcode, so that I can find your home."
)
RECONFIRM = "Before we go on, please confirm which home this is about."
NOT_YET = "I'll get to your message as soon as I know which home it is about."

ASK_DETAILS = "Thanks for letting us know. What exactly is broken or leaking, and in which room?"
ASK_WHAT = "Thanks. What exactly is the problem: which thing is it, and what does it do?"
ASK_WHERE = "Thanks. Where in your home is it, for example which room?"
ASK_ABOUT_PHOTO = "Thanks for the photo. What is the problem, and in which room is it?"
ASK_PHOTO = "Thanks, that's clear. Could you send a photo of it? If you can't, just say so."
TAKE_YOUR_TIME = "No problem, send the photo whenever you're ready."
GREETING = "Hello! How can I help with your home?"
WELCOME = "You're welcome!"
NUDGE_DETAILS = "I still need to know what exactly is broken and where, so that I can report it for you."
NUDGE_PHOTO = "I'm still waiting for your photo. If you can't send one, just say so and I'll report it without."
ESCALATED = "I have asked a person to take over. They will write to you here."
STOPPED = "You won't get further messages from this assistant, safety warnings aside. Send START to begin again."
STARTED = "Welcome back! How can I help with your home?"
HOW_CAN_I_HELP = "I can report a repair for you: tell me what is broken and where. If you need a person, just say so."
ATTACHED = "Thanks, I have added that to your report."
ALREADY_REPORTED = "This is reported already; I have added what you wrote to that report."
SOFTEN = "Thanks, good that nobody is in danger. If that changes, ring for help at once, and write here too."
WITH_ALARM = "I have put that with your emergency report."
PASSED_ON = "This is recorded and is being passed on to your landlord's team."
LANDLORD_NOTIFIED = "We have told your landlord's team."
UNDONE_IN_ALARM = "Sorry about that, I have taken that home off."
DANGER_YES, DANGER_NO = "danger:yes", "danger:no"
DANGER_BUTTONS = (Button("1: Yes", DANGER_YES), Button("2: No", DANGER_NO))
FILE_REFUSED = "Sorry, I could not open that file. Please send it again as a photo."
UNSUPPORTED = "Sorry, I can only read texts, photos, films and files here. Please write what you wanted to say."
FILE_KEPT = (
    "Thanks, I have kept that file for your landlord, but I can't listen to it or read it. Please write it here too."
)
WITHDRAWN = "All right, I have taken that back: nothing is reported. If you do need somebody, just write again."
WITHDRAWN_LATER = "Thanks, I have added that to your report, so that your landlord's team can look at it."
DRAFT_LOST = "I have passed on what you told me, although I don't know all details. Somebody may get in touch."


def danger(number: str) -> str:
    """Return the question whether anybody is in danger."""
    return f"Is anybody in danger right now? If so ring {number}. Reply 1 if yes, 2 if no."


def danger_again(number: str) -> str:
    """Return the repeated question, after a message that did not answer it."""
    return f"I have kept that. First: is anybody in danger right now? If so ring {number}. Reply 1 if yes, 2 if no."


def unanswered(number: str) -> str:
    """Return the reply after a question about danger was left unanswered."""
    return f"I don't know whether anybody is in danger, so I take it as an emergency. If so ring {number}."


def unreached(number: str) -> str:
    """Return the reply if no notice reached the landlord, with the number to call."""
    return (
        "We have recorded this; we could not reach your landlord's team. If anybody is in danger or it gets worse, ring"
        f" {number}."
    )


def confirmed(home: Home) -> str:
    """Return the reply that names the recognised resident and home, and how to object."""
    first = home.resident.name.split()[0] if home.resident.name.strip() else "there"
    return f"Hello {first}, I have you at {address(home)}. Reply NO if that's wrong."


def which_home(homes: Sequence[Home]) -> tuple[str, tuple[Button, ...]]:
    """Return the question for the home, with a button for each whole address; channels shorten them."""
    rows = tuple(Button(address(h), f"{PICK}{n}") for n, h in enumerate(homes[:9]))
    question = "Which home is this about?" if len(homes) > 1 else f"Is this about {address(homes[0])}?"
    return question, (*rows, Button("None of these", NONE_OF_THESE))


def created(issue: Issue) -> str:
    """Return the reply that an issue was reported, in the resident's own words."""
    photo = {"provided": " with your photo", "declined": " without a photo"}.get(issue.photo, "")
    call = " Somebody will get in touch about the details." if issue.needs_call else ""
    return f"Done, I have reported it{photo}: {issue.description[:300]} ({issue.location[:100]}).{call}"


def address(home: Home) -> str:
    """Return the address of a home, unit first."""
    return home.property.line
