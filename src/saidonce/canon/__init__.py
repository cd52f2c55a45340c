"""Steps shared by the flows that write canonical collections: nominate, judge, settle."""

from saidonce.canon.judge import Judged, Judgement, candidate_of, guards_in_force, judge, sent_to_review
from saidonce.canon.permit import audit_of, withheld
from saidonce.canon.settle import embedding_key, search_of, settle
from saidonce.canon.texts import Texts

__all__ = [
    "Judged",
    "Judgement",
    "Texts",
    "audit_of",
    "candidate_of",
    "embedding_key",
    "guards_in_force",
    "judge",
    "search_of",
    "sent_to_review",
    "settle",
    "withheld",
]
