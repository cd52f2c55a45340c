"""Room: voice messages that nobody has heard: the landlord is told of each, whoever has the conversation."""

from __future__ import annotations

from dataclasses import replace

from saidonce.foundation.model.conversation import LandlordEvent, OutboxKind, Path
from saidonce.foundation.model.residents import Inbound
from saidonce.repairs.conversation import wording
from saidonce.repairs.conversation.view import NoticeDraft, Plan, ResidentReply, TurnView


def unheard(inbound: Inbound) -> bool:
    """Return whether a message holds a stored voice message without a transcript."""
    return any(m.stored and m.mime.startswith("audio/") and not m.transcript for m in inbound.media)


def with_voice_notes(view: TurnView, plan: Plan) -> Plan:
    """Return a plan with a notice for each new voice message that nobody has heard.

    Where nothing else asks the resident to write, during an alarm, this does; not in a person's conversation.
    """
    of = view.conversation
    fresh = [i for i in view.new if i.seq > of.seen and unheard(i)]
    if not fresh:
        return plan
    about = plan.conversation.issue_id
    notices = tuple(NoticeDraft(LandlordEvent.VOICE_NOTE, f"{of.id}:{i.seq}", about) for i in fresh)
    is_silent = of.handed_off_at is not None or of.opted_out_at is not None
    asks = plan.path is Path.EMERGENCY and not is_silent
    reply = (ResidentReply(OutboxKind.REPLY, wording.VOICE_IN_ALARM),) if asks else ()
    return replace(plan, notices=(*plan.notices, *notices), replies=(*plan.replies, *reply))
