"""Steps shared by the flows that write canonical collections: nominate, match, rebuild blocks."""

from saidonce.kb.canonical.auto_merge_policy import (
    audit_state,
    is_audit_sample,
    why_not_automatic,
    why_not_automatic_for,
)
from saidonce.kb.canonical.block_index import BlockIndex
from saidonce.kb.canonical.borne_out import borne_out_by, guards_in_force, merges_rest_on_judge
from saidonce.kb.canonical.cut_as_kept import cut_as_kept
from saidonce.kb.canonical.cut_elsewhere import CUT_KINDS, is_cut_elsewhere, is_split_elsewhere
from saidonce.kb.canonical.editions import Coexistence, CoexistenceLevel, Editions, step_between
from saidonce.kb.canonical.match import (
    MatchedMember,
    MatchResult,
    candidate_of,
    canonical_policy,
    match_members,
    policy_name,
    send_to_review,
)
from saidonce.kb.canonical.open_pairs import OpenPair, load_open_pairs, questions, vectors_of
from saidonce.kb.canonical.own_lists import FEWEST_ENTRIES, columns_of_form
from saidonce.kb.canonical.owners import activity_of_owners, owners_activity
from saidonce.kb.canonical.page_furniture import (
    differ_in_stamps,
    heading_of,
    is_contents,
    may_be_contents,
)
from saidonce.kb.canonical.reasons_apart import Side, reason_apart
from saidonce.kb.canonical.rebuild_blocks import embedding_key, rebuild_blocks, search_of
from saidonce.kb.canonical.references import PartKind, Reference, numbers_of, without_references
from saidonce.kb.canonical.renumbered import are_two_pictures, is_renumbered, without_name
from saidonce.kb.canonical.under_review import UnderReview, under_review

__all__ = [
    "CUT_KINDS",
    "FEWEST_ENTRIES",
    "BlockIndex",
    "Coexistence",
    "CoexistenceLevel",
    "Editions",
    "MatchResult",
    "MatchedMember",
    "OpenPair",
    "PartKind",
    "Reference",
    "Side",
    "UnderReview",
    "activity_of_owners",
    "are_two_pictures",
    "audit_state",
    "borne_out_by",
    "candidate_of",
    "canonical_policy",
    "columns_of_form",
    "cut_as_kept",
    "differ_in_stamps",
    "embedding_key",
    "guards_in_force",
    "heading_of",
    "is_audit_sample",
    "is_contents",
    "is_cut_elsewhere",
    "is_renumbered",
    "is_split_elsewhere",
    "load_open_pairs",
    "match_members",
    "may_be_contents",
    "merges_rest_on_judge",
    "numbers_of",
    "owners_activity",
    "policy_name",
    "questions",
    "reason_apart",
    "rebuild_blocks",
    "search_of",
    "send_to_review",
    "step_between",
    "under_review",
    "vectors_of",
    "why_not_automatic",
    "why_not_automatic_for",
    "without_name",
    "without_references",
]
