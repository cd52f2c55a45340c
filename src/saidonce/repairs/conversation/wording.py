"""All fixed sentences for residents, without any id, other home or other resident."""

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
PHOTO_COMING = Text("Thanks. Your photo is still on its way to me; I'll go on as soon as it is here.")
LOOKING_INTO_IT = Text("I'm looking into it. One moment, please.")
ERASE_YES, ERASE_NO = "erase:yes", "erase:no"
ERASE_BUTTONS = (Button("Yes, delete", ERASE_YES), Button("No", ERASE_NO))
ASK_ERASE = Text(
    "Shall I delete everything you have sent here, with your photos, your name and your number? Repairs that you"
    " reported stay on record without your name. This cannot be undone. Reply YES to go on."
)
ERASING = Text("I am deleting it now. This is the last message; if you write again, we begin anew.")
NOT_ERASED = Text("Nothing was deleted.")
TAKE_YOUR_TIME = Text("No problem, send the photo whenever you're ready.")
GREETING = Text("Hello! How can I help with your home?")
WELCOME = Text("You're welcome!")
NUDGE_DETAILS = Text("I still need to know what exactly is broken and where, so that I can report it for you.")
NUDGE_PHOTO = Text("I'm still waiting for your photo. If you can't send one, just say so and I'll report it without.")
_ESCALATED_UNTIL = (
    "I have asked a person to take over. They will write to you here; they are at work until {closes} today."
)
_ESCALATED_FROM = (
    "I have asked a person to take over. They will write to you here; they are back at work on {day} at {opens}."
)
ESCALATED = Text("I have asked a person to take over. They will write to you here.")
STOPPED = Text("You won't get further messages from this assistant, safety warnings aside. Send START to begin again.")
STARTED = Text("Welcome back! How can I help with your home?")
HOW_CAN_I_HELP = Text(
    "I can report a repair for you: tell me what is broken and where. If you need a person, just say so."
)
ATTACHED = Text("Thanks, I have added that to your report.")
ALREADY_REPORTED = Text("This is reported already; I have added what you wrote to that report.")
SOFTEN = Text("Thanks, good that nobody is in danger. If that changes, ring for help at once, and write here too.")
SEEN_BY_SOMEBODY = Text("Somebody of your landlord's team has seen your message.")
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
VOICE_UNCLEAR = Text(
    "Sorry, I could not make out your voice message. I have kept it for your landlord's team; please write here what it"
    " is about. If anybody is in danger, ring the emergency services now."
)
VOICE_HEARD = Text("I have listened to your voice message. If I get something of it wrong, please write it.")
VOICE_IN_ALARM = Text(
    "I can't understand that voice message. If anybody is in danger, ring the emergency services now. Otherwise please"
    " write what is happening."
)
WITHDRAWN = Text("All right, I have taken that back: nothing is reported. If you do need somebody, just write again.")
WITHDRAWN_LATER = Text("Thanks, I have added that to your report, so that your landlord's team can look at it.")
DRAFT_LOST = Text("I have passed on what you told me, although I don't know all details. Somebody may get in touch.")

UNANSWERED = Text("I don't know; your question is recorded and is being passed on to your landlord's team.")
UNANSWERED_UNREACHED = Text("I don't know; I have recorded your question for your landlord's team.")


def from_document(quote: str, source: str, is_abroad: bool = False) -> Text:
    """Return what a document says, word for word, with where it stands; without a name of it where there is none.

    Args:
        quote: its words.
        source: its name, or empty.
        is_abroad: it is written in another language than the resident's; then a line before it says so.
    """
    if not source:
        return Text("{quote}", quote=quote)
    if is_abroad:
        return Text(
            "Your landlord's document is in another language. This is what it says:\n{quote}\nSource: {source}",
            quote=quote, source=source,
        )  # fmt: skip
    return Text("{quote}\nSource: {source}", quote=quote, source=source)


def unanswered_one(question: str, is_reached: bool) -> Text:
    """Return the reply that names the one of several questions that no document answers."""
    if is_reached:
        return Text(
            "About \"{question}\": I don't know; it is recorded and is being passed on to your landlord's team.",
            question=question,
        )
    return Text("About \"{question}\": I don't know; I have recorded it for your landlord's team.", question=question)


def voice_heard(words: str) -> Text:
    """Return what was heard in a voice message, so that the resident can correct it."""
    return Text('I heard: "{words}". If that is not what you said, please write it.', words=words)


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


def seen_by(name: str) -> Text:
    """Return the reply that a named person has acknowledged the alarm."""
    return Text("{name} from your landlord's team has seen your message.", name=name)


def passed_on(stay: str, words: str) -> Text:
    """Return the reply to what was added during an alarm: how to stay safe, and the words again."""
    return Text("{stay} I am passing this on to your landlord's team: {words}", stay=stay, words=words)


def photo_passed_on(stay: str) -> Text:
    """Return the reply to a photo without words during an alarm."""
    return Text("{stay} I am passing your photo on to your landlord's team.", stay=stay)


def message_passed_on(stay: str) -> Text:
    """Return the reply to words during an alarm that are not repeated back."""
    return Text("{stay} I am passing your message on to your landlord's team.", stay=stay)


def message_recorded_only(stay: str, number: str) -> Text:
    """Return the reply to such words while nobody can be told."""
    return Text(
        "{stay} I have recorded your message. We could not reach your landlord's team. If anybody is in danger or it"
        " gets worse, ring {number}.",
        stay=stay, number=number,
    )  # fmt: skip


def recorded_only(stay: str, words: str, number: str) -> Text:
    """Return the reply to what was added during an alarm while nobody can be told."""
    return Text(
        "{stay} I have recorded: {words}. We could not reach your landlord's team. If anybody is in danger or it gets"
        " worse, ring {number}.",
        stay=stay, words=words, number=number,
    )  # fmt: skip


def photo_recorded_only(stay: str, number: str) -> Text:
    """Return the reply to a photo during an alarm while nobody can be told."""
    return Text(
        "{stay} I have recorded your photo. We could not reach your landlord's team. If anybody is in danger or it gets"
        " worse, ring {number}.",
        stay=stay, number=number,
    )  # fmt: skip


def all_clear_noted(words: str, number: str) -> Text:
    """Return the reply to a resident who says that an emergency is over: only a person ends it."""
    return Text(
        "Good to hear. I am passing on that you write: {words}. A person has to confirm it; until then I treat it as an"
        " emergency. If there is any danger, ring {number}.",
        words=words, number=number,
    )  # fmt: skip


def all_clear_recorded(words: str, number: str) -> Text:
    """Return the same reply while nobody can be told."""
    return Text(
        "Good to hear. I have recorded that you write: {words}. A person has to confirm it, and we could not reach your"
        " landlord's team; until then I treat it as an emergency. If there is any danger, ring {number}.",
        words=words, number=number,
    )  # fmt: skip


def all_clear(number: str) -> Text:
    """Return the reply after a person has confirmed that an emergency is over."""
    return Text(
        "Your landlord's team has confirmed that this emergency is over. If it starts again, ring {number}, and write"
        " here too.",
        number=number,
    )


def nobody_answered(number: str) -> Text:
    """Return the message to a resident whose alarm nobody has acknowledged, though everybody was called once."""
    return Text(
        "Nobody of your landlord's team has confirmed yet that they have seen this. If anybody is in danger or it gets"
        " worse, ring {number}.",
        number=number,
    )


def confirmed(home: Home) -> Text:
    """Return the reply that names the recognised resident and home, and how to object."""
    first = home.resident.name.split()[0] if home.resident.name.strip() else "there"
    return Text("Hello {name}, I have you at {address}. Reply NO if that's wrong.", name=first, address=address(home))


def for_home(home: Home) -> Text:
    """Return the reply that names the home of a report after a no that could have meant the home."""
    return Text("This is for {address}. If that is not your home, reply WRONG ADDRESS.", address=address(home))


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


_NO_PERSON = (
    "I have recorded that you need a person, but we could not reach your landlord's team: please contact them another"
    " way. If anybody is in danger ring {number}."
)
_UNREACHED_TWINS: dict[str, str] = {
    WHO_ESCALATED: "I couldn't find your home. I have recorded that you need a person, but we could not reach your"
    " landlord's team: please contact them another way. If anybody is in danger ring {number}.",
    WAIT_FOR_APPROVAL: "Thank you. You aren't on file for that home yet. What you wrote is kept, but we could not reach"
    " your landlord's team to confirm it: please contact them another way. If anybody is in danger ring {number}.",
    ESCALATED: _NO_PERSON,
    _ESCALATED_UNTIL: _NO_PERSON,
    _ESCALATED_FROM: _NO_PERSON,
    DRAFT_LOST: "I have recorded what you told me, although I don't know all details. We could not reach your"
    " landlord's team. If anybody is in danger ring {number}.",
}
"""What is said instead of sentences that claim that a person was told, while nobody can be."""


def while_unreached(text: str, number: str) -> str:
    """Return what is true instead of a sentence while no channel reaches the landlord's team."""
    template = text.template if isinstance(text, Text) else text
    if template in _UNREACHED_TWINS:
        return Text(_UNREACHED_TWINS[template], number=number)
    promise = " Somebody will get in touch about the details."
    if isinstance(text, Text) and text.template.endswith(promise):
        shorter = text.template.removesuffix(promise) + " We could not reach your landlord's team yet."
        return Text(shorter, **text.values)
    return text


# News of an issue, and visits

MAX_WHAT = 80
"""Characters of an issue's description in news of it."""

VISIT, FIXED = "visit:", "fixed:"
"""Beginnings of the payloads of buttons about visits, and about finished work."""

VISIT_OUTDATED = Text("Those times are no longer on offer. Your landlord's team can offer new ones.")
VISIT_UNSURE_PASSED_ON = Text("Thanks, I have recorded your answer for your landlord's team, who will read it.")
VISIT_NONE_FITS = Text("Thanks. I have recorded for your landlord's team that none of these times suits you.")
VISIT_KEPT = Text("All right, the visit stays as it is.")
FIXED_YES = Text("Good to hear, thank you. If it comes back, just write here.")


def what(issue: Issue) -> str:
    """Return what an issue is about, in one short line."""
    line = " ".join(issue.description.split())
    return line if len(line) <= MAX_WHAT else f"{line[: MAX_WHAT - 3]}..."


def work_begun(issue: Issue) -> Text:
    """Return the news that work on an issue has begun."""
    return Text("Your report is being worked on now: {what}", what=what(issue))


def work_done(issue: Issue) -> tuple[Text, tuple[Button, ...]]:
    """Return the question whether finished work has helped."""
    text = Text("Your report was marked as done ({what}). Is it fixed? Reply 1 yes, 2 no.", what=what(issue))
    return text, (Button("1: Yes", f"{FIXED}{issue.id}:yes"), Button("2: No", f"{FIXED}{issue.id}:no"))


def issue_cancelled(issue: Issue) -> Text:
    """Return the news that nothing will be done about an issue."""
    return Text("Your report was closed without work ({what}). If that is wrong, write here.", what=what(issue))


def issue_open_again(issue: Issue) -> Text:
    """Return the news that an issue waits again."""
    return Text("Your report is open again: {what}", what=what(issue))


def fixed_no(issue: Issue) -> Text:
    """Return the reply to "it is not fixed"."""
    return Text("Sorry about that. I have opened your report again: {what}", what=what(issue))


def offer_times(issue: Issue, id: str, times: str, titles: Sequence[str]) -> tuple[Text, tuple[Button, ...]]:
    """Return the question which of some times suits; `times` says them in words, numbered."""
    text = Text(
        "When may somebody come about your report ({what})?\n{times}\nReply with a number, or say that none suits you.",
        what=what(issue), times=times,
    )  # fmt: skip
    return text, time_buttons(id, titles)


def offer_instead(when: str, id: str, times: str, titles: Sequence[str]) -> tuple[Text, tuple[Button, ...]]:
    """Return the question which of some times suits, instead of a visit that was agreed on."""
    text = Text(
        "The visit on {when} has to move. When may somebody come instead?\n{times}\nReply with a number, or say that"
        " none suits you.", when=when, times=times,
    )  # fmt: skip
    return text, time_buttons(id, titles)


def offer_again(id: str, times: str, titles: Sequence[str]) -> tuple[Text, tuple[Button, ...]]:
    """Return the repeated question, after an answer that was not clear."""
    text = Text(
        "I have recorded that, but I'm not sure which time you mean.\n{times}\nReply with a number, or say that none"
        " suits you.", times=times,
    )  # fmt: skip
    return text, time_buttons(id, titles)


def time_buttons(id: str, titles: Sequence[str]) -> tuple[Button, ...]:
    """Return a button for each offered time, and one for none of them."""
    times = tuple(Button(title, f"{VISIT}{id}:pick:{n}") for n, title in enumerate(titles))
    return (*times, Button("None of these", f"{VISIT}{id}:none"))


def visit_agreed(id: str, when: str) -> tuple[Text, tuple[Button, ...]]:
    """Return the confirmation of a visit."""
    return Text("Agreed: somebody comes on {when}.", when=when), (Button("I can't make it", f"{VISIT}{id}:cancel"),)


def visit_booked(issue: Issue, id: str, when: str) -> tuple[Text, tuple[Button, ...]]:
    """Return the news of a visit that the landlord's team fixed."""
    text = Text("Somebody comes on {when} about your report: {what}", when=when, what=what(issue))
    return text, (Button("I can't make it", f"{VISIT}{id}:cancel"),)


def visit_reminder(id: str, when: str) -> tuple[Text, tuple[Button, ...]]:
    """Return the reminder of a visit."""
    text = Text("A reminder: somebody comes on {when}.", when=when)
    return text, (Button("I can't make it", f"{VISIT}{id}:cancel"),)


def visit_called_off(when: str) -> Text:
    """Return the news that the landlord's team cancelled a visit."""
    return Text("The visit on {when} is cancelled. Your landlord's team can offer a new time.", when=when)


def visit_cancelled(when: str) -> Text:
    """Return the reply to a resident who cannot make it."""
    return Text("The visit on {when} is cancelled; I have recorded that for your landlord's team.", when=when)


def ask_cancel(id: str, when: str) -> tuple[Text, tuple[Button, ...]]:
    """Return the question whether a visit is to be cancelled."""
    text = Text("Shall I cancel the visit on {when}? Reply 1 yes, 2 no.", when=when)
    return text, (Button("1: Yes", f"{VISIT}{id}:cancel"), Button("2: No", f"{VISIT}{id}:keep"))


def erasure_recorded(org: str, day: str) -> Text:
    """Return the reply to a wish to have data deleted where a person decides."""
    return Text(
        "I have recorded that you want your data deleted. {org} decides about it and has to answer you by {day}."
        " Nothing is deleted until then.",
        org=org[:1].upper() + org[1:],
        day=day,
    )


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
    return Text(_ESCALATED_UNTIL, closes=closes)


def escalated_from(day: str, opens: str) -> Text:
    """Return the reply that a person takes over, outside of business hours."""
    return Text(_ESCALATED_FROM, day=day, opens=opens)


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
