"""Flow: the conversation with residents (seed 003): reports are understood, asked about, and become issues."""

from saidonce.converse.alarm import look_at, scan, tell_resident, tend
from saidonce.converse.desk import Desk
from saidonce.converse.emergency import PACKS, Pack, named_pack, read_pack
from saidonce.converse.intake import Intake, fetch_media, intake_of
from saidonce.converse.people import approve, disown, hand_back, move_issue, take_over, write
from saidonce.converse.replay import Difference, Replayed, replay
from saidonce.converse.rules import Orchestration, Rules, Voice, rules_of, voice_of
from saidonce.converse.send import again, send, settled
from saidonce.converse.turn import keep, media_refused, media_stored, receive, take, work

__all__ = [
    "PACKS",
    "Desk",
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
    "read_pack",
    "receive",
    "replay",
    "rules_of",
    "scan",
    "send",
    "settled",
    "take",
    "take_over",
    "tell_resident",
    "tend",
    "voice_of",
    "work",
    "write",
]
