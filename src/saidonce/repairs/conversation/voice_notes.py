"""Voice messages: what was heard is read as if it were written, and shown again; the rest is left to people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from saidonce.foundation.model.conversation import Issue, LandlordEvent, OutboxKind, Path, Tool
from saidonce.foundation.model.residents import Inbound, InboundKind
from saidonce.repairs.conversation import wording
from saidonce.repairs.conversation.output import may_be_repeated
from saidonce.repairs.conversation.view import NoticeDraft, Plan, ResidentReply, TurnView

MAX_SHOWN_CHARS = 300
"""Characters of what was heard that the resident is shown."""


def unheard(inbound: Inbound) -> bool:
    """Return whether a message holds a stored voice message that nobody has heard, or not surely enough."""
    return any(m.is_voice and (m.unclear or not m.transcript) for m in inbound.media)


def sounds_of(inbounds: Iterable[Inbound]) -> tuple[str, ...]:
    """Return the ids of the stored voice messages of some messages, in their order."""
    return tuple(dict.fromkeys(m.id for i in inbounds for m in i.media if m.is_voice))


def as_written(inbound: Inbound) -> Inbound:
    """Return a message whose voice was heard as if its words were written; any other as it is."""
    if not inbound.text.strip() or not inbound.is_heard or unheard(inbound):
        return inbound
    rest = tuple(m for m in inbound.media if not m.is_voice)
    return replace(inbound, media=rest, kind=InboundKind.MEDIA if rest else InboundKind.TEXT)


def with_voice_notes(view: TurnView, arrived: Sequence[Inbound], plan: Plan) -> Plan:
    """Return a plan that treats voice messages as they deserve.

    The landlord is told of each new one that nobody has heard. Where nothing else asks the resident to write, during
    an alarm, this does; not in a person's conversation. Where what was heard decides something, the resident is shown
    it first. The sound itself goes to the issue.

    Args:
        view: state and messages of the turn.
        arrived: all messages of the conversation.
        plan: of the turn.
    """
    plan = _with_sounds(view, arrived, plan)
    of = view.conversation
    fresh = [i for i in arrived if i.seq > of.seen and i.is_heard]
    is_silent = of.handed_off_at is not None or of.opted_out_at is not None
    lost = [i for i in fresh if unheard(i)]
    about = plan.conversation.issue_id
    notices = tuple(NoticeDraft(LandlordEvent.VOICE_NOTE, f"{of.id}:{i.seq}", about) for i in lost)
    asks = bool(lost) and plan.path is Path.EMERGENCY and not is_silent
    reply = (ResidentReply(OutboxKind.REPLY, wording.VOICE_IN_ALARM),) if asks else ()
    shown = () if is_silent else _shown(view, fresh, plan)
    return replace(plan, notices=(*plan.notices, *notices), replies=(*shown, *plan.replies, *reply))


def _shown(view: TurnView, fresh: Sequence[Inbound], plan: Plan) -> tuple[ResidentReply, ...]:
    """Return what was heard, before the replies that follow from it; nothing where nothing was decided by it."""
    heard = {i.seq for i in fresh if not unheard(i)}
    texts = [i.text for i in view.new if i.seq in heard and i.text.strip()]
    if not texts or not plan.replies or plan.path is Path.EMERGENCY or not _decides(view, plan):
        return ()
    words = " / ".join(" ".join(text.split()) for text in texts)
    if not may_be_repeated(words):
        return (ResidentReply(OutboxKind.REPLY, wording.VOICE_HEARD),)
    if len(words) > MAX_SHOWN_CHARS:
        words = words[:MAX_SHOWN_CHARS].rpartition(" ")[0] + " ..."
    return (ResidentReply(OutboxKind.REPLY, wording.voice_heard(words.rstrip("."))),)


def _decides(view: TurnView, plan: Plan) -> bool:
    """Return whether a turn changed anything that the resident would want to correct if it was misheard."""
    before, after = view.conversation, plan.conversation
    is_act = plan.tool not in (None, Tool.RESPOND) or bool(plan.issue or plan.extended or plan.advances)
    is_kept = after.draft != before.draft or bool(after.parked) or after.opted_out_at != before.opted_out_at
    has_effect = any(not effect.startswith("identity:") for effect in plan.effects)
    return is_act or is_kept or has_effect or bool(plan.withdrawn)


def _with_sounds(view: TurnView, arrived: Sequence[Inbound], plan: Plan) -> Plan:
    """Return a plan whose new or extended issue holds the voice messages that it was told by."""
    of = view.conversation
    since = min((i.seq for i in view.new), default=of.seen + 1)
    mine = (i for i in arrived if i.seq >= min(of.draft.since or since, since))
    created = sounds_of((*view.elsewhere, *mine))
    added = sounds_of(i for i in arrived if i.seq > of.seen)
    issue = _holding(plan.issue, created) if plan.issue is not None else None
    extended = _holding(plan.extended, added) if plan.extended is not None else None
    return replace(plan, issue=issue, extended=extended)


def _holding(issue: Issue, sounds: Sequence[str]) -> Issue:
    return replace(issue, media=tuple(dict.fromkeys((*issue.media, *sounds))))
