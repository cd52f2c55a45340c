"""Steps shared by the flows that write canonical collections: nominate, judge, settle."""

from saidonce.kb.canonical.auto_merge_policy import audit_of, drawn, why_not_automatic, why_not_automatic_for
from saidonce.kb.canonical.block_index import BlockIndex
from saidonce.kb.canonical.match import (
    Judgement,
    MatchedMember,
    candidate_of,
    guards_in_force,
    judge,
    policy_name,
    sent_to_review,
)
from saidonce.kb.canonical.open_pairs import OpenPair, doubts, questions, vectors_of
from saidonce.kb.canonical.rebuild_blocks import embedding_key, search_of, settle

__all__ = [
    "BlockIndex",
    "Judgement",
    "MatchedMember",
    "OpenPair",
    "audit_of",
    "candidate_of",
    "doubts",
    "drawn",
    "embedding_key",
    "guards_in_force",
    "judge",
    "policy_name",
    "questions",
    "search_of",
    "sent_to_review",
    "settle",
    "vectors_of",
    "why_not_automatic",
    "why_not_automatic_for",
]
