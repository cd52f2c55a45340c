"""Steps shared by the flows that write canonical collections: nominate, judge, settle."""

from saidonce.canon.doubts import Doubt, doubts, questions, vectors_of
from saidonce.canon.judge import (
    Judged,
    Judgement,
    candidate_of,
    guards_in_force,
    judge,
    policy_name,
    sent_to_review,
)
from saidonce.canon.permit import audit_of, drawn, withheld, withheld_from
from saidonce.canon.settle import embedding_key, search_of, settle
from saidonce.canon.texts import Texts

__all__ = [
    "Doubt",
    "Judged",
    "Judgement",
    "Texts",
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
    "withheld",
    "withheld_from",
]
