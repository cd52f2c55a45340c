"""Room: all fixed sentences for residents, without any id, other home or other resident."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from saidonce.foundation.model.conversation import Button, Issue, IssueState, PhotoStatus
from saidonce.foundation.model.residents import Home


class Text(str):
    """A sentence for residents: as a string it is English; a catalogue translates its template.

    Attributes:
        template: the English sentence with names in braces, the key of the catalogues.
        values: what the names stand for.
    """

    template: str
    values: dict[str, str]

    def __new__(cls, template: str, **values: str) -> Self:
        """Fill a template."""
        text = super().__new__(cls, template.format(**values) if values else template)
        text.template, text.values = template, values  # A value may be a Text, too: it is translated with the rest.
        return text


YES, NO, NONE_OF_THESE = "identity:yes", "identity:no", "identity:none"
PICK = "identity:pick:"
PHOTO_NONE, PHOTO_LATER = "photo:none", "photo:later"
"""Payloads of our buttons."""

NO_PHOTO_BUTTON = Button("No photo", PHOTO_NONE)
PHOTO_BUTTONS = (Button("I'll send it later", PHOTO_LATER), NO_PHOTO_BUTTON)

ASK_WHO = Text(
    "Hello, I don't know yet which home you write from. Please send your last name or your postcode, so that I can find"
    " it. What you wrote is kept; you won't have to repeat it."
)
ASK_WHO_AGAIN = Text("I couldn't find that. Please send the last name or the postcode that your landlord knows.")
WHO_ESCALATED = Text("I couldn't find your home, so I have asked a person to get in touch with you here.")
WAIT_FOR_APPROVAL = Text(
    "Thank you. You aren't on file for that home yet, so I have asked your landlord's team to confirm it. What you"
    " wrote is kept."
)
UNDONE = Text(
    "Sorry about that, I have taken it off. Please send your last name or your postcode, so that I can find your home."
)
RECONFIRM = Text("Before we go on, please confirm which home this is about.")
NOT_YET = Text("I'll get to your message as soon as I know which home it is about.")

ASK_DETAILS = Text("Thanks for letting us know. What exactly is broken or leaking, and in which room?")
ASK_WHAT = Text("Thanks. What exactly is the problem: which thing is it, and what does it do?")
ASK_WHERE = Text("Thanks. Where in your home is it, for example which room?")
ASK_ABOUT_PHOTO = Text("Thanks for the photo. What is the problem, and in which room is it?")
ASK_PHOTO = Text("Thanks, that's clear. Could you send a photo of it? If you can't, just say so.")
TAKE_YOUR_TIME = Text("No problem, send the photo whenever you're ready.")
GREETING = Text("Hello! How can I help with your home?")
WELCOME = Text("You're welcome!")
NUDGE_DETAILS = Text("I still need to know what exactly is broken and where, so that I can report it for you.")
NUDGE_PHOTO = Text("I'm still waiting for your photo. If you can't send one, just say so and I'll report it without.")
ESCALATED = Text("I have asked a person to take over. They will write to you here.")
STOPPED = Text("You won't get further messages from this assistant, safety warnings aside. Send START to begin again.")
STARTED = Text("Welcome back! How can I help with your home?")
HOW_CAN_I_HELP = Text(
    "I can report a repair for you: tell me what is broken and where. If you need a person, just say so."
)
ATTACHED = Text("Thanks, I have added that to your report.")
ALREADY_REPORTED = Text("This is reported already; I have added what you wrote to that report.")
SOFTEN = Text("Thanks, good that nobody is in danger. If that changes, ring for help at once, and write here too.")
WITH_ALARM = Text("I have put that with your emergency report.")
PASSED_ON = Text("This is recorded and is being passed on to your landlord's team.")
LANDLORD_NOTIFIED = Text("We have told your landlord's team.")
UNDONE_IN_ALARM = Text("Sorry about that, I have taken that home off.")
DANGER_YES, DANGER_NO = "danger:yes", "danger:no"
DANGER_BUTTONS = (Button("1: Yes", DANGER_YES), Button("2: No", DANGER_NO))
FILE_REFUSED = Text("Sorry, I could not open that file. Please send it again as a photo.")
UNSUPPORTED = Text("Sorry, I can only read texts, photos, films and files here. Please write what you wanted to say.")
FILE_KEPT = Text(
    "Thanks, I have kept that file for your landlord, but I can't listen to it or read it. Please write it here too."
)
WITHDRAWN = Text("All right, I have taken that back: nothing is reported. If you do need somebody, just write again.")
WITHDRAWN_LATER = Text("Thanks, I have added that to your report, so that your landlord's team can look at it.")
DRAFT_LOST = Text("I have passed on what you told me, although I don't know all details. Somebody may get in touch.")


def hello_again(reminder: str) -> Text:
    """Return a greeting with a reminder of what is open."""
    return Text("Hello! {reminder}", reminder=reminder)


def language_passed_on(number: str) -> Text:
    """Return the reply to a message in a language that is not understood at all."""
    return Text(
        "I can't read your language yet. I have passed your message to a person, who will write to you here. If anybody"
        " is in danger now, ring {number}.",
        number=number,
    )


def words_passed_on(number: str) -> Text:
    """Return the reply to a message of which too little was understood."""
    return Text(
        "I'm not sure that I understood you, so I have passed your message to a person, who will write to you here. If"
        " anybody is in danger now, ring {number}.",
        number=number,
    )


def danger(number: str) -> Text:
    """Return the question whether anybody is in danger."""
    return Text("Is anybody in danger right now? If so ring {number}. Reply 1 if yes, 2 if no.", number=number)


def danger_again(number: str) -> Text:
    """Return the repeated question, after a message that did not answer it."""
    return Text(
        "I have kept that. First: is anybody in danger right now? If so ring {number}. Reply 1 if yes, 2 if no.",
        number=number,
    )


def unanswered(number: str) -> Text:
    """Return the reply after a question about danger was left unanswered."""
    return Text(
        "I don't know whether anybody is in danger, so I take it as an emergency. If so ring {number}.", number=number
    )


def unreached(number: str) -> Text:
    """Return the reply if no notice reached the landlord, with the number to call."""
    return Text(
        "We have recorded this; we could not reach your landlord's team. If anybody is in danger or it gets worse, ring"
        " {number}.",
        number=number,
    )


def confirmed(home: Home) -> Text:
    """Return the reply that names the recognised resident and home, and how to object."""
    first = home.resident.name.split()[0] if home.resident.name.strip() else "there"
    return Text("Hello {name}, I have you at {address}. Reply NO if that's wrong.", name=first, address=address(home))


def which_home(homes: Sequence[Home]) -> tuple[Text, tuple[Button, ...]]:
    """Return the question for the home, with a button for each whole address; channels shorten them."""
    rows = tuple(Button(address(h), f"{PICK}{n}") for n, h in enumerate(homes[:9]))
    one = Text("Is this about {address}?", address=address(homes[0]))
    question = Text("Which home is this about?") if len(homes) > 1 else one
    return question, (*rows, Button("None of these", NONE_OF_THESE))


REPORTED = {
    (PhotoStatus.PROVIDED, False): Text("Done, I have reported it with your photo: {what} ({where})."),
    (PhotoStatus.DECLINED, False): Text("Done, I have reported it without a photo: {what} ({where})."),
    (PhotoStatus.NONE, False): Text("Done, I have reported it: {what} ({where})."),
    (PhotoStatus.PROVIDED, True): Text(
        "Done, I have reported it with your photo: {what} ({where}). Somebody will get in touch about the details."
    ),
    (PhotoStatus.DECLINED, True): Text(
        "Done, I have reported it without a photo: {what} ({where}). Somebody will get in touch about the details."
    ),
    (PhotoStatus.NONE, True): Text(
        "Done, I have reported it: {what} ({where}). Somebody will get in touch about the details."
    ),
}
"""Replies by what is known of the photo, and whether somebody has to call."""


def created(issue: Issue) -> Text:
    """Return the reply that an issue was reported, in the resident's own words."""
    status = issue.photo if (issue.photo, False) in REPORTED else PhotoStatus.NONE
    template = REPORTED[status, issue.needs_call].template
    return Text(template, what=issue.description[:300], where=issue.location[:100])


def address(home: Home) -> str:
    """Return the address of a home, unit first."""
    return home.property.line


WEEKDAYS = (
    Text("Monday"), Text("Tuesday"), Text("Wednesday"), Text("Thursday"), Text("Friday"), Text("Saturday"),
    Text("Sunday"),
)  # fmt: skip
AUTOMATIC = Text("I'm an automatic assistant. I can report repairs, and hand you to a person: just say so.")
ASK_OTHERWISE = Text(
    "I'm afraid I still don't know enough. Please describe it in your own words: which thing, in which room, and what"
    " it does. Or say that you want a person."
)
NOT_UNDERSTOOD = Text("Sorry, I didn't understand that. What is broken, and where? Or shall I get a person for you?")
AT_HAND = Text("All right. I'm here when you're ready.")
NOTED_FOR_REPORT = Text("Thanks, I have noted that for your report.")
WAITS_FOR_PHOTO = Text("Thanks, noted. I'll report it as soon as you send the photo, or without one if you say so.")
CORRECTED_DRAFT = Text("Thanks, I have corrected that.")
PART_WITHDRAWN = Text("Good to hear. I have taken that part back and keep the rest.")
NOTHING_STANDS = Text(
    "I can't find a report of yours about that. Tell me what is broken and where, and I'll report it."
)
MOVING_OUT = Text("Thanks for letting us know. I'm passing that on to your landlord's team; they will write to you.")
PASSED_TO_TEAM = Text("I can't settle that myself, so I'm passing it on to your landlord's team.")
WITHDRAWN_SOMEWHERE = Text("Thanks, I'm passing that on to your landlord's team.")
WITHDRAWN_AND_MORE = Text(
    "All right, I have taken that back: nothing is reported. If you want no more messages at all, send STOP."
)


def escalated_until(closes: str) -> Text:
    """Return the reply that a person takes over, within business hours."""
    return Text(
        "I have asked a person to take over. They will write to you here; they are at work until {closes} today.",
        closes=closes,
    )


def escalated_from(day: str, opens: str) -> Text:
    """Return the reply that a person takes over, outside of business hours."""
    return Text(
        "I have asked a person to take over. They will write to you here; they are back at work on {day} at {opens}.",
        day=day, opens=opens,
    )  # fmt: skip


def corrected(issue: Issue) -> Text:
    """Return the reply that a filed issue was corrected."""
    return Text(
        "Thanks, I have corrected your report: {what} ({where}). Your landlord's team will see it.",
        what=headline(issue), where=issue.location[:100],
    )  # fmt: skip


def standing(issue: Issue, since: str) -> Text:
    """Return how a filed issue stands, by its column on the board.

    Args:
        since: date of its last move, or of its report.
    """
    values = {"what": headline(issue), "since": since}
    if issue.state is IssueState.IN_PROGRESS:
        return Text('Your report "{what}" is being worked on since {since}. I know of no exact time.', **values)
    if issue.state is IssueState.DONE:
        return Text(
            'Your report "{what}" was marked as done on {since}. If it is not fixed, tell me and I open it again.',
            **values,
        )
    if issue.state is IssueState.CANCELLED:
        return Text('Your report "{what}" was closed on {since}. If you still need somebody, tell me.', **values)
    return Text(
        'Your report "{what}" is with your landlord\'s team since {since}. I know of no date for a visit yet.', **values
    )


def passed_question(issue: Issue) -> Text:
    """Return that a question about an issue is passed on."""
    return Text('I\'m passing on that you asked about "{what}".', what=headline(issue))


def added(issue: Issue) -> Text:
    """Return the reply that words were added to a filed issue."""
    return Text('Thanks, I have added that to your report "{what}".', what=headline(issue))


def reopened(issue: Issue) -> Text:
    """Return the reply that an issue is open again."""
    return Text(
        'Sorry to hear that. I have opened your report "{what}" again, with what you wrote.', what=headline(issue)
    )


def person_wrote(words: str) -> Text:
    """Return what a person of the team wrote last, word for word."""
    return Text('This is what your landlord\'s team wrote to you last: "{words}"', words=words[:400])


def second_noted(what: str) -> Text:
    """Return the reply that a second problem is noted and comes next."""
    return Text('I have noted the other problem too: "{what}". I\'ll come to it next.', what=what[:160])


def next_photo(what: str) -> Text:
    """Return the question for a photo of the next problem."""
    return Text('Now the other problem: "{what}". Could you send a photo of it? If you can\'t, just say so.',
                what=what[:160])  # fmt: skip


def next_where(what: str) -> Text:
    """Return the question for the place of the next problem."""
    return Text('Now the other problem: "{what}". Where in your home is it, for example which room?', what=what[:160])


def headline(issue: Issue) -> str:
    """Return the beginning of an issue's description: the resident's first words about it."""
    return issue.description.split(" / ")[0][:120]
