"""Conversations with residents: read reports, ask for missing details, create issues. Source: seed 003."""

from saidonce.repairs.conversation.acknowledging import acknowledge, confirm_all_clear
from saidonce.repairs.conversation.alarm import scan, scan_message, tell_resident, tend
from saidonce.repairs.conversation.contractors import (
    JOB_STEPS,
    JobAnswer,
    JobTerms,
    JobVerb,
    LinkOf,
    Post,
    answer_job,
    assign_issue,
    is_too_fast,
    job_of,
    revoke_assignment,
    send_letters,
    takes_answers,
    without_numbers,
)
from saidonce.repairs.conversation.deps import ConversationDeps
from saidonce.repairs.conversation.emergency import PACKS, Pack, named_pack, read_pack
from saidonce.repairs.conversation.intake import Intake, fetch_media, intake_of, settle_file, take_file
from saidonce.repairs.conversation.issue_clock import LimitStanding, LimitState, TimeLimit, standings
from saidonce.repairs.conversation.office_hours import read_span, span_words
from saidonce.repairs.conversation.one_person import joined
from saidonce.repairs.conversation.one_report import places_of
from saidonce.repairs.conversation.outbox import record_status, requeue_unknown, send
from saidonce.repairs.conversation.patience import reassure
from saidonce.repairs.conversation.progress import (
    IssuesTended,
    book_visit,
    cancel_visit,
    move_issue,
    own_issue,
    propose_visit,
    tend_issues,
)
from saidonce.repairs.conversation.replay import Difference, Replayed, replay
from saidonce.repairs.conversation.rounds import once, take_in, take_turns
from saidonce.repairs.conversation.rules import Orchestration, Rules, Voice, rules_of, voice_of
from saidonce.repairs.conversation.staff_actions import (
    approve_identity,
    hand_back,
    take_over,
    undo_identity,
    write_as_staff,
)
from saidonce.repairs.conversation.turn import keep, media_refused, media_stored, receive, take, work

__all__ = [
    "JOB_STEPS",
    "PACKS",
    "ConversationDeps",
    "Difference",
    "Intake",
    "IssuesTended",
    "JobAnswer",
    "JobTerms",
    "JobVerb",
    "LimitStanding",
    "LimitState",
    "LinkOf",
    "Orchestration",
    "Pack",
    "Post",
    "Replayed",
    "Rules",
    "TimeLimit",
    "Voice",
    "acknowledge",
    "answer_job",
    "approve_identity",
    "assign_issue",
    "book_visit",
    "cancel_visit",
    "confirm_all_clear",
    "fetch_media",
    "hand_back",
    "intake_of",
    "is_too_fast",
    "job_of",
    "joined",
    "keep",
    "media_refused",
    "media_stored",
    "move_issue",
    "named_pack",
    "once",
    "own_issue",
    "places_of",
    "propose_visit",
    "read_pack",
    "read_span",
    "reassure",
    "receive",
    "record_status",
    "replay",
    "requeue_unknown",
    "revoke_assignment",
    "rules_of",
    "scan",
    "scan_message",
    "send",
    "send_letters",
    "settle_file",
    "span_words",
    "standings",
    "take",
    "take_file",
    "take_in",
    "take_over",
    "take_turns",
    "takes_answers",
    "tell_resident",
    "tend",
    "tend_issues",
    "undo_identity",
    "voice_of",
    "without_numbers",
    "work",
    "write_as_staff",
]
