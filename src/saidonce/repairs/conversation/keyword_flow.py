"""The keyword flow, version 1: as described in seed 003, with its three failures, and as the cautious fallback.

The failures stay on purpose (flag `off`), as the baseline for version 2. The fallback shares none of them: it asks, and
creates only on evidence.
"""

from __future__ import annotations

from saidonce.foundation.model.conversation import Gathering, IssueDraft, PhotoStatus, Slot, Tool
from saidonce.foundation.text import normalise, words
from saidonce.repairs.conversation import lexicon, wording
from saidonce.repairs.conversation.acts import SpeechAct, shown_by
from saidonce.repairs.conversation.corrections import correction
from saidonce.repairs.conversation.phrases import parts
from saidonce.repairs.conversation.problems import clauses, is_trouble
from saidonce.repairs.conversation.slots import Offered
from saidonce.repairs.conversation.view import Call, TurnView

REPAIR_WORDS = (
    "leak", "broken", "not working", "doesn't work", "stopped working", "blocked", "drip", "no hot water", "boiler",
    "heating", "mould", "mold", "damp", "crack", "repair", "fix", "smash", "stuck", "flood", "overflow", "noise",
    "tap", "toilet", "radiator", "socket", "lights", "mice", "rats", "door", "window",
)  # fmt: skip
LOCATION_WORDS = (
    "kitchen", "bathroom", "bedroom", "living room", "hall", "toilet", "boiler", "radiator", "ceiling", "wall",
    "window", "door", "sink", "shower",
)  # fmt: skip
"""Source: seed 003: hasRichDetail() counted "boiler" as a location, by substring."""

_ASIDES = frozenset("by way btw its it's".split())
_HOMES = frozenset("flat apartment building home house floor room ground front back side whole entire".split())
"""Places that say of no room which one it is."""

MIN_RICH_WORDS = 4


def is_repair_request(message: str) -> bool:
    """Return whether a message asks for a repair, by substrings."""
    return any(word in normalise(message) for word in REPAIR_WORDS)


def has_rich_detail(message: str) -> bool:
    """Return whether a message says enough for version 1: a "location" and four words."""
    return len(message.split()) >= MIN_RICH_WORDS and _location(message) != ""


def decide(view: TurnView) -> Call:
    """Choose a tool by keywords, as in version 1; run it without strict evidence."""
    message = "\n".join(view.texts)
    at = view.conversation.gathering
    if at is Gathering.AWAITING_PHOTO:
        return _photo_response(view)
    if at is Gathering.GATHERING_DETAILS and view.texts:
        return Call(Tool.ASK_FOR_PHOTO, wording.ASK_PHOTO, _offered(view), "details_answered")
    if not is_repair_request(message):
        return Call(Tool.RESPOND, wording.HOW_CAN_I_HELP, why="no_repair_word")
    if has_rich_detail(message):
        return Call(Tool.ASK_FOR_PHOTO, wording.ASK_PHOTO, _offered(view), "rich_detail")
    return Call(Tool.ASK_FOR_DETAILS, wording.ASK_DETAILS, why="repair_word")


def _photo_response(view: TurnView) -> Call:
    """Return a call that ends the wait for a photo after any answer: the second known failure of version 1."""
    if view.photos:
        return Call(Tool.CREATE_ISSUE, why="photo")
    offered = Offered(photo=PhotoStatus.DECLINED, photo_quote=view.texts[-1] if view.texts else "")
    return Call(Tool.CREATE_ISSUE, "", offered, "any_answer")


def _offered(view: TurnView) -> Offered:
    first, last = (view.texts_of_draft or view.texts)[0], view.texts[-1]
    where = next((w for t in reversed(view.texts_of_draft) if (w := _location(t))), "")
    quote = next((t for t in view.texts_of_draft if where and where in normalise(t)), last)
    location = Slot(where, _exact(where, quote)) if where else Slot(last, last)
    return Offered(Slot(first, first), location, lexicon.category(" ".join(view.texts_of_draft)))


def _exact(word: str, message: str) -> str:
    """Return the word of a message that holds a substring: quotes end where words end."""
    return next((w.strip(".,!?;:") for w in message.split() if word.split(maxsplit=1)[0] in normalise(w)), message)


def _location(message: str) -> str:
    return next((word for word in LOCATION_WORDS if word in normalise(message)), "")


def conservative(view: TurnView) -> Call:
    """Choose a tool without a model: ask, and create only on complete evidence; run it strictly."""
    message = " ".join(view.texts)
    at = view.conversation.gathering
    if at is Gathering.AWAITING_PHOTO:
        return _awaiting(view)
    is_open = at is Gathering.GATHERING_DETAILS
    asks_us = message.rstrip().endswith("?")
    is_question = not is_open and lexicon.asks_leave(message, view.language)
    is_report = is_repair_request(message) or lexicon.names_fault(message) or _faulty_place(message, view.language)
    is_report = is_report or any(is_trouble(c, view.language) for t in view.texts for c in clauses(t))
    is_report = is_report or _is_mere_place(message)
    if is_question or (not is_open and not is_report and (asks_us or not lexicon.names_thing(message))):
        return Call(Tool.RESPOND, wording.HOW_CAN_I_HELP, why="no_repair_word")
    offered = _evidence(view, view.draft)
    full = bool(offered.description or view.draft.description) and bool(offered.location or view.draft.location)
    enough = full or (is_open and view.draft.detail_asks >= view.rules.detail_asks)
    if not enough:
        return Call(Tool.ASK_FOR_DETAILS, "", offered, "details_missing")
    if view.photos or view.draft.media:
        return Call(Tool.CREATE_ISSUE, "", offered, "all_there")
    return Call(Tool.ASK_FOR_PHOTO, wording.ASK_PHOTO, offered, "details_there")


def _awaiting(view: TurnView) -> Call:
    if view.photos:
        return Call(Tool.CREATE_ISSUE, why="photo")
    for message in view.texts:
        if lexicon.declines(message):
            return Call(Tool.CREATE_ISSUE, "", Offered(photo=PhotoStatus.DECLINED, photo_quote=message), "declined")
    for message in view.texts:
        if lexicon.puts_off(message):
            later = Offered(photo=PhotoStatus.LATER, photo_quote=message)
            return Call(Tool.RESPOND, wording.TAKE_YOUR_TIME, later, "later")
    if lexicon.tells_fact(view.texts):
        return Call(Tool.RESPOND, wording.WAITS_FOR_PHOTO, why="noted")
    return Call(Tool.RESPOND, wording.WAITS_FOR_PHOTO, why="waiting_for_photo")


def _evidence(view: TurnView, draft: IssueDraft) -> Offered:
    """Return the first message that reports a fault, and the place in the first message that names one, as quotes."""
    reports = (t for t in view.texts_of_draft if is_repair_request(t) or lexicon.names_thing(t))
    what = next((t for t in reports if not lexicon.is_vague(t)), "")
    answered = next((t for t in view.texts if _answers(t, view.language)), "")
    what = what or (answered if draft.detail_asks else "")
    change = correction(view.texts, view.language)
    where = change.place if change is not None else ""
    where = where or next((place for t in view.texts_of_draft if (place := lexicon.place_in(t))), "")
    return Offered(
        None if draft.description or not what else Slot(what, what),
        None if draft.location or not where else Slot(where, where),
    )


def _answers(message: str, language: str) -> bool:
    """Return whether a message says something of its own in answer to a question: not only asks, nods or thanks."""
    own = (p for p in parts(message) if not p.endswith("?") and not shown_by(SpeechAct.NOD, p, language))
    return any(not lexicon.is_vague(p) and lexicon.tells(p) for p in own)


def _is_mere_place(message: str) -> bool:
    """Return whether a message names a room and says nothing else: the report begins with its place."""
    named = {w for w in words(message) if w in lexicon.PLACES}
    rest = {w for w in words(message) if w not in lexicon.PLACES | lexicon.POSITIONS | lexicon.VAGUE | _ASIDES}
    return bool(named - _HOMES) and not rest and not message.rstrip().endswith("?")


def _faulty_place(message: str, language: str) -> bool:
    """Return whether words name a place and say that something there is wrong, whatever the thing is called."""
    return lexicon.names_place(message) and bool(shown_by(SpeechAct.FAULT, message, language))
