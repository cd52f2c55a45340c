"""Recognition of the writer. Proofs of the channel and typed words move the identity, with fixed replies.

Homes found by typed words alone are never named to the writer: a stranger could learn addresses by names.
They go to the landlord for approval instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

from saidonce.foundation.model.conversation import (
    IdentityStatus,
    IssueState,
    LandlordEvent,
    OutboxKind,
    Path,
    Tool,
)
from saidonce.foundation.model.residents import Home, InboundKind
from saidonce.foundation.text import normalise, sentences, words
from saidonce.repairs.conversation import identity, lexicon, wording
from saidonce.repairs.conversation.acts import SpeechAct, first_shown
from saidonce.repairs.conversation.executor import turn_id
from saidonce.repairs.conversation.hand_over import hand_over_text, reason_for_person
from saidonce.repairs.conversation.identity import Event
from saidonce.repairs.conversation.view import NoticeDraft, Plan, ResidentReply, TurnView


def lookup_words(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the words for looking up homes: words, and neighbouring ones joined as in "SW1A 1AA"."""
    lookup: list[str] = []
    for message in texts:
        each = words(normalise(message))
        lookup += [*each, *(f"{a}{b}" for a, b in pairwise(each))]
    return tuple(dict.fromkeys(lookup))


def identify(view: TurnView, proven: Sequence[Home], named: Sequence[Home]) -> Plan:
    """Move the identity of a writer who is not confirmed.

    Args:
        view: of the turn; its identity is unidentified or identified.
        proven: active homes of the verified channel identity.
        named: active homes named by typed words.
    """
    of = view.conversation
    reason, _ = reason_for_person(view.texts, view.language)
    if not reason and not proven and first_shown(SpeechAct.MOVING_OUT, view.texts, view.language):
        reason = SpeechAct.MOVING_OUT.value  # Who has moved out has no home here any more that could be found.
    if reason:
        return _handed_off(view, reason)
    if of.identity is IdentityStatus.IDENTIFIED and (answer := _answer_to_offer(view, proven)) is not None:
        return answer
    event, homes = identity.recognise(of, proven, named)
    if event is Event.ONE_HOME:
        return _bound(view, event, homes[0])
    if event is Event.CANDIDATES:
        return _offered(view, proven, homes)
    return _unknown(view)


def lost_identity(view: TurnView) -> Event | None:
    """Return the event that has undone a confirmed or active identity; None if it still holds."""
    if any(i.kind is InboundKind.PHONE_CHANGED for i in view.new):
        return Event.PHONE_CHANGED
    ends = view.home.tenancy.ends_at if view.home else None
    if view.home is None or (ends is not None and ends <= view.now):
        return Event.TENANCY_ENDED
    return Event.UNDONE if _says_wrong(view) else None


def unbind(view: TurnView, event: Event) -> Plan:
    """Unbind the home; reports under it are flagged for a check."""
    of = view.conversation
    after = replace(identity.undo(of, event), parked=tuple(i.seq for i in view.new if not _is_answer(i.text)))
    since = of.confirmed_at or of.started_at
    mine = tuple(
        i.id
        for i in view.open_issues
        if i.conversation_id == of.id and i.created_at >= since and i.state is not IssueState.DONE
    )
    text = wording.UNDONE if event is Event.UNDONE else wording.RECONFIRM
    return Plan(
        after, Path.IDENTITY, Tool.RESPOND, event, (ResidentReply(OutboxKind.IDENTITY, text),), flagged=mine,
        notices=(NoticeDraft(LandlordEvent.IDENTITY_UNDONE, turn_id(view), detail=event),),
        effects=(f"identity:{of.identity}>{after.identity}",),
    )  # fmt: skip


def _says_wrong(view: TurnView) -> bool:
    """Return whether the resident denies the home: a button, "wrong address", or a no to "Reply NO" within a day.

    A bare no answers the last question that it can answer: after a question for a photo it refuses the photo, and the
    reply to it names the home once more. The very word of "Reply NO", in capitals, means the home even then.
    """
    of = view.conversation
    if of.confirmed_at is None:
        return False
    if denies_home(view):
        return True
    if view.now >= of.confirmed_at + timedelta(seconds=view.rules.undo_s):
        return False
    return any(i.button == wording.NO for i in view.new) or _writes_no(view)


def _writes_no(view: TurnView) -> bool:
    """Return whether the only text of the turn is a no to the home."""
    if len(view.texts) != 1:
        return False
    message = lexicon.phrase(view.texts[0])
    if message in lexicon.WRONG or _names_home(message):
        return True
    is_last, is_fresh = _asked_for_home(view)
    if is_last and is_fresh:
        return message in lexicon.NO or _is_no(message)
    return (is_last or is_fresh) and view.texts[0].strip(" .!") == "NO"


def denies_home(view: TurnView) -> bool:
    """Return whether a message unseen so far says in so many words that the home is wrong, whenever it comes."""
    fresh = [i.text for i in view.new if i.seq > view.conversation.seen]
    return bool(first_shown(SpeechAct.WRONG_HOME, fresh, view.language))


_NOTHING_MORE = frozenset(
    "thanks thank you sorry that's thats that is wrong not me it isn't isnt my address home".split()
)


_OF_HOME = frozenset("wrong me address home".split())
"""Words of a no that mean the home."""

_WHAT = frozenset("what where which who when how why".split())


def _is_no(message: str) -> bool:
    """Return whether words begin with a no and add nothing but courtesies or denials of the home."""
    first, *rest = message.split() or [""]
    return first in ("no", "nope", "wrong") and set(rest) <= _NOTHING_MORE


def _names_home(message: str) -> bool:
    """Return whether a no says itself that it means the home: "no, that's not my address"."""
    return _is_no(message) and not _OF_HOME.isdisjoint(message.split())


def _asked_for_home(view: TurnView) -> tuple[bool, bool]:
    """Return whether "Reply NO" is the last question that a no can answer, and whether nothing was written since."""
    is_last = is_fresh = False
    for line in view.history:
        if line.is_resident:
            is_fresh = False
        elif "Reply NO" in line.text:
            is_last = is_fresh = True
        elif _takes_no(line.text):
            is_last = False
    return is_last, is_fresh


def _takes_no(reply: str) -> bool:
    """Return whether a reply asks something that a no answers; "which room?" is none."""
    asking = (s.text for s in sentences(reply) if s.text.rstrip().endswith("?"))
    return any(_WHAT.isdisjoint(words(normalise(text))) for text in asking)


def _is_answer(text: str) -> bool:
    return lexicon.phrase(text) in lexicon.NO


_AROUND_HOME = frozenset("the my its it's it is this that about for in at on please one home number no".split())
"""Words around the name of a home in an answer that names nothing else."""


def _answer_to_offer(view: TurnView, proven: Sequence[Home]) -> Plan | None:
    """Return the plan for a pick or a "no" to offered homes; None for anything else.

    Only a message that is new can be the answer: what waits for the home is none.
    """
    of = view.conversation
    offered = [h for h in proven if h.tenancy.id in of.candidates]
    offered.sort(key=lambda h: of.candidates.index(h.tenancy.id))
    pressed, typed = next((i.button for i in view.new if i.button), ""), None
    written = [i for i in view.new if i.text.strip() and i.seq > of.seen]
    if not pressed and len(written) == 1:
        typed = written[0]
        pressed = _typed_pick(lexicon.phrase(typed.text), offered)
    if pressed in (wording.NO, wording.NONE_OF_THESE) and of.candidates:
        after = replace(identity.deny(of), parked=_parked(view))
        replies = (ResidentReply(OutboxKind.IDENTITY, wording.ASK_WHO_AGAIN),)
        return Plan(after, Path.IDENTITY, Tool.RESPOND, Event.DENIED, replies, effects=_moves(view, after.identity))
    if not pressed.startswith(wording.PICK) or not pressed.removeprefix(wording.PICK).isdigit():
        return None
    place = int(pressed.removeprefix(wording.PICK))
    if place >= len(offered):
        return None
    plan = _bound(view, Event.PICKED, offered[place])
    if typed is None:
        return plan
    after = plan.conversation
    parked, draft = tuple(seq for seq in after.parked if seq != typed.seq), after.draft
    if parked and not lexicon.only_answers(typed.text):
        draft = replace(draft, not_mine=(*draft.not_mine, typed.text))  # It names the home, and no trouble.
    return replace(plan, conversation=replace(after, parked=parked, draft=draft))


def _typed_pick(message: str, offered: Sequence[Home]) -> str:
    """Return the button that a typed answer stands for: a number, a no, or words of one offered address alone."""
    if message in lexicon.NO:
        return wording.NONE_OF_THESE
    if len(message) == 1 and message in "123456789":
        return f"{wording.PICK}{int(message) - 1}"
    named = set(message.split()) - _AROUND_HOME
    places = [n for n, h in enumerate(offered) if named <= set(lexicon.phrase(wording.address(h)).split())]
    return f"{wording.PICK}{places[0]}" if named and len(places) == 1 else ""


def _bound(view: TurnView, event: Event, home: Home) -> Plan:
    after = replace(identity.confirm(view.conversation, event, home, view.now), parked=_parked(view))
    replies = (ResidentReply(OutboxKind.IDENTITY, wording.confirmed(home)),)
    return Plan(after, Path.IDENTITY, Tool.RESPOND, event, replies, effects=_moves(view, after.identity))


def _offered(view: TurnView, proven: Sequence[Home], homes: Sequence[Home]) -> Plan:
    of = view.conversation
    after = replace(identity.offer(of, homes), parked=_parked(view))
    own = [h for h in homes if h in proven and of.sender.verified]
    if own:
        text, buttons = wording.which_home(own)
        replies: tuple[ResidentReply, ...] = (ResidentReply(OutboxKind.IDENTITY, text, buttons),)
        return Plan(after, Path.IDENTITY, Tool.RESPOND, Event.CANDIDATES, replies, effects=_moves(view, after.identity))
    is_new = after.candidates != of.candidates
    replies = (ResidentReply(OutboxKind.IDENTITY, wording.WAIT_FOR_APPROVAL if is_new else wording.NOT_YET),)
    subject = ":".join((of.id, *after.candidates))
    notices = (NoticeDraft(LandlordEvent.IDENTITY_ASKED, subject),) if is_new else ()
    return Plan(after, Path.IDENTITY, Tool.RESPOND, Event.CANDIDATES, replies, notices=notices,
                effects=_moves(view, after.identity))  # fmt: skip


def _unknown(view: TurnView) -> Plan:
    of = view.conversation
    # Only new words may be an answer: neither an alarm nor a parked message is one.
    answered = any(i.text.strip() and i.seq > of.seen for i in view.new)
    tries = of.identity_tries + answered
    if of.identity is IdentityStatus.IDENTIFIED and of.candidates:
        tries, text = of.identity_tries, wording.NOT_YET
    else:
        text = wording.ASK_WHO if tries <= 1 or not answered else wording.ASK_WHO_AGAIN
    is_refused = answered and bool(first_shown(SpeechAct.REFUSE_NAME, view.texts, view.language))
    if tries > view.rules.identity_tries or is_refused:
        return _handed_off(view, "identity_not_found")
    after = replace(of, identity_tries=tries, parked=_parked(view))
    return Plan(after, Path.IDENTITY, Tool.RESPOND, Event.NOTHING_FOUND, (ResidentReply(OutboxKind.IDENTITY, text),))


def _handed_off(view: TurnView, why: str) -> Plan:
    # The wish for a person is fulfilled: it must not come up again when the conversation is handed back.
    requests = {i.seq for i in view.new if reason_for_person((i.text,), view.language)[0]}
    parked = tuple(seq for seq in _parked(view) if seq not in requests)
    after = replace(view.conversation, handed_off_at=view.now, identity_tries=0, parked=parked)
    text = wording.WHO_ESCALATED if why == "identity_not_found" else hand_over_text(view.rules, view.now)
    return Plan(
        after, Path.IDENTITY, Tool.ESCALATE, why, (ResidentReply(OutboxKind.IDENTITY, text),),
        notices=(NoticeDraft(LandlordEvent.ESCALATED, turn_id(view), detail=why),), effects=("handed_off",),
    )  # fmt: skip


def _parked(view: TurnView) -> tuple[int, ...]:
    """Return the messages that wait: those with content beyond an answer to us."""
    return tuple(i.seq for i in view.new if not i.button and not _is_answer(i.text))


def _moves(view: TurnView, after: IdentityStatus) -> tuple[str, ...]:
    before = view.conversation.identity
    return (f"identity:{before}>{after}",) if after is not before else ()
