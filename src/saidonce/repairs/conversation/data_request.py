"""A resident who wants their data deleted: recorded for the landlord, or done at once after a yes."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

from saidonce.foundation.model.conversation import Conversation, LandlordEvent, OutboxKind, Path, Tool
from saidonce.repairs.conversation import lexicon, wording
from saidonce.repairs.conversation.office_hours import date_words
from saidonce.repairs.conversation.view import NoticeDraft, Plan, ResidentReply, TurnView

ANSWER_TIME = timedelta(hours=1)
"""How long a yes counts as the answer to the question whether everything shall be deleted."""

_WANTS = re.compile(
    r"\b(?:delete|erase|wipe|remove|destroy|forget)\b[^.!?\n]{0,40}\b(?:my|our)\b[^.!?\n]{0,25}"
    r"\b(?:personal data|personal details|personal information|data|details|information|info|chat history"
    r"|conversation|messages|phone number|number|account|records?)\b"
    r"|\b(?:delete|erase|forget)\s+(?:everything|all)\b[^.!?\n]{0,20}\b(?:about|on|of|from)\s+me\b"
    r"|^\W*(?:please\s+)?(?:erase|forget|delete)\s+me\W*(?:please\W*)?$"
    r"|\bright\s+to\s+(?:be\s+forgotten|erasure)\b|\bgdpr\s+(?:deletion|erasure)\b"
    r"|\b(?:borr\w+|elimin\w+|suprim\w+)\b[^.!?\n]{0,20}\bmis\s+(?:datos|mensajes)\b"
    r"|\b(?:supprim\w+|effac\w+)\b[^.!?\n]{0,20}\bmes\s+(?:donn[ée]es|messages)\b"
    r"|\bmeine\s+(?:\w+\s+)?(?:daten|nachrichten)\b[^.!?\n]{0,30}\bl[öo]e?sch\w*"
    r"|\bl[öo]e?sch\w*\b[^.!?\n]{0,30}\bmeine\s+(?:\w+\s+)?(?:daten|nachrichten)\b"
    r"|\b(?:usu[nń]\w*|skasuj\w*)\b[^.!?\n]{0,20}\bmoje\s+dane\b"
    r"|\b(?:apag\w+|elimin\w+|exclu\w+)\b[^.!?\n]{0,20}\b(?:os\s+)?meus\s+dados\b"
    r"|\b(?:[sș]terge\w*|elimin\w+)\b[^.!?\n]{0,20}\bdatele\s+mele\b",
    re.IGNORECASE,
)
_ABOUT_ONE = re.compile(
    r"\b(?:last|latest|that|this|previous|duplicate|wrong|old|first|second)\s+(?:message|photo|picture|number|one)s?\b"
    r"|\bdon'?t\s+(?:delete|erase|remove|wipe)\b|\bnot\s+(?:to\s+)?(?:delete|erase|remove)\b",
    re.IGNORECASE,
)
_YES = frozenset(
    {
        "yes", "yes delete", "yes please", "yes delete everything", "yes delete it", "delete", "delete everything",
        "y", "yep", "yeah", "ja", "si", "sí", "oui", "tak", "sim", "da",
    }
)  # fmt: skip


def wants_erasure(text: str) -> bool:
    """Return whether a text asks to have the writer's data deleted, and not one message or one number of it."""
    return bool(_WANTS.search(text)) and not _ABOUT_ONE.search(text)


def data_request_plan(view: TurnView) -> Plan | None:
    """Return the plan for a turn that is about deleting the writer's data alone; None for any other."""
    fresh = [i for i in view.new if i.seq > view.conversation.seen]
    texts = [i.text for i in fresh if i.text.strip()]
    if view.rules.erases_at_once and _is_recent(view):
        pressed = [i.button for i in fresh if i.button]
        is_written = not view.spoken_by_voice.intersection(i.seq for i in fresh)
        is_yes = is_written and _is_asked(view) and lexicon.phrase(" ".join(texts)) in _YES
        if pressed[-1:] == [wording.ERASE_YES] or is_yes:
            return _confirmed(view)
        if pressed[-1:] == [wording.ERASE_NO]:
            after = replace(view.conversation, erasure_asked_at=None)
            return _plan(after, "erasure_called_off", wording.NOT_ERASED)
    if not any(_wants(view, text) for text in texts) or any(map(lexicon.reports, texts)):
        return None
    return _requested(view)


def with_data_request(view: TurnView, plan: Plan) -> Plan:
    """Return a plan that records a wish to have data deleted which came along with something else.

    So it is recorded while a person has the conversation, too, who is told of it; they answer, not this.
    """
    fresh = [i for i in view.new if i.seq > view.conversation.seen]
    if not any(_wants(view, i.text) for i in fresh):
        return plan
    if any(n.event is LandlordEvent.ERASURE_ASKED for n in plan.notices) or plan.reason.startswith("erasure_"):
        return plan
    asked = _recorded(view)
    silent = not plan.replies
    return replace(
        plan, conversation=replace(plan.conversation, erasure_asked_at=view.now),
        replies=plan.replies if silent else (*plan.replies, *asked.replies),
        notices=(*plan.notices, *asked.notices),
    )  # fmt: skip


def _wants(view: TurnView, text: str) -> bool:
    """Return whether a message asks for it, as it was written or as the rules read it."""
    return wants_erasure(view.heard.source_of(text)) or wants_erasure(text)


def _is_recent(view: TurnView) -> bool:
    asked_at = view.conversation.erasure_asked_at
    return asked_at is not None and view.now - asked_at < ANSWER_TIME


def _is_asked(view: TurnView) -> bool:
    """Return whether the question is the last thing that we said."""
    replies = [line.text for line in view.history if not line.is_resident]
    return replies[-1:] == [wording.ASK_ERASE]


def _requested(view: TurnView) -> Plan:
    if not view.rules.erases_at_once or view.conversation.opted_out_at is not None:
        return _recorded(view)
    after = replace(view.conversation, erasure_asked_at=view.now)
    asked = ResidentReply(OutboxKind.REPLY, wording.ASK_ERASE, wording.ERASE_BUTTONS)
    return Plan(after, Path.FAST, Tool.RESPOND, "erasure_question", (asked,))


def _recorded(view: TurnView) -> Plan:
    """Record the wish for the landlord, and say who decides and by when."""
    of = view.conversation
    day = date_words(view.now + timedelta(days=view.rules.erasure_days), view.rules.office.zone)
    subject = f"{of.id}:{view.now:%Y-%m-%d}"
    notice = NoticeDraft(LandlordEvent.ERASURE_ASKED, subject, detail=f"answer_by_{day.replace(' ', '_')}")
    text = wording.erasure_recorded(view.voice.org_name, day)
    plan = _plan(replace(of, erasure_asked_at=view.now), "erasure_asked", text)
    silent = of.opted_out_at is not None
    return replace(plan, notices=(notice,), replies=() if silent else plan.replies)


def _confirmed(view: TurnView) -> Plan:
    after = replace(view.conversation, erasure_confirmed_at=view.now)
    notice = NoticeDraft(LandlordEvent.ERASURE_ASKED, f"{after.id}:confirmed", detail="erased_at_once")
    return replace(_plan(after, "erasure_confirmed", wording.ERASING), notices=(notice,))


def _plan(after: Conversation, reason: str, text: str) -> Plan:
    return Plan(after, Path.FAST, Tool.RESPOND, reason, (ResidentReply(OutboxKind.REPLY, text),))
