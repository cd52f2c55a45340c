"""Flow: conversations with residents: read reports, ask for missing details, create issues. Source: seed 003."""

from saidonce.repairs.conversation.alarm import scan, scan_message, tell_resident, tend
from saidonce.repairs.conversation.deps import ConversationDeps
from saidonce.repairs.conversation.emergency import PACKS, Pack, named_pack, read_pack
from saidonce.repairs.conversation.intake import Intake, fetch_media, intake_of, settle_file, take_file
from saidonce.repairs.conversation.outbox import record_status, requeue_unknown, send
from saidonce.repairs.conversation.patience import reassure
from saidonce.repairs.conversation.replay import Difference, Replayed, replay
from saidonce.repairs.conversation.rounds import once, take_in, take_turns
from saidonce.repairs.conversation.rules import Orchestration, Rules, Voice, rules_of, voice_of
from saidonce.repairs.conversation.staff_actions import (
    approve_identity,
    hand_back,
    move_issue,
    take_over,
    undo_identity,
    write_as_staff,
)
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
    "approve_identity",
    "fetch_media",
    "hand_back",
    "intake_of",
    "keep",
    "media_refused",
    "media_stored",
    "move_issue",
    "named_pack",
    "once",
    "read_pack",
    "reassure",
    "receive",
    "record_status",
    "replay",
    "requeue_unknown",
    "rules_of",
    "scan",
    "scan_message",
    "send",
    "settle_file",
    "take",
    "take_file",
    "take_in",
    "take_over",
    "take_turns",
    "tell_resident",
    "tend",
    "undo_identity",
    "voice_of",
    "work",
    "write_as_staff",
]
