"""Flow: the conversation with residents (seed 003): reports are understood, asked about, and become issues."""

from saidonce.repairs.conversation.alarm import look_at, scan, tell_resident, tend
from saidonce.repairs.conversation.deps import ConversationDeps
from saidonce.repairs.conversation.emergency import PACKS, Pack, named_pack, read_pack
from saidonce.repairs.conversation.intake import Intake, fetch_media, intake_of
from saidonce.repairs.conversation.people import approve, disown, hand_back, move_issue, take_over, write
from saidonce.repairs.conversation.replay import Difference, Replayed, replay
from saidonce.repairs.conversation.rounds import once, take_in, take_turns
from saidonce.repairs.conversation.rules import Orchestration, Rules, Voice, rules_of, voice_of
from saidonce.repairs.conversation.send import again, send, settled
from saidonce.repairs.conversation.turn import keep, media_refused, media_stored, receive, take, work

__all__ = [
    "PACKS",
    "ConversationDeps",
    "Difference",
    "Intake",
    "Orchestration",
    "Pack",
    "Replayed",
    "Rules",
    "Voice",
    "again",
    "approve",
    "disown",
    "fetch_media",
    "hand_back",
    "intake_of",
    "keep",
    "look_at",
    "media_refused",
    "media_stored",
    "move_issue",
    "named_pack",
    "once",
    "read_pack",
    "receive",
    "replay",
    "rules_of",
    "scan",
    "send",
    "settled",
    "take",
    "take_in",
    "take_over",
    "take_turns",
    "tell_resident",
    "tend",
    "voice_of",
    "work",
    "write",
]
