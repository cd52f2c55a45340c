"""Flow: decisions of people about blocks; each is appended to the log, and the blocks concerned are rebuilt."""

from saidonce.foundation.model import Differs, Keep
from saidonce.kb.review.account import VERB_LABELS, DecisionAccount, accounts, undo_in_words
from saidonce.kb.review.actions import (
    AUDITED,
    approve,
    assign,
    audit,
    checked_day,
    conflict,
    dismiss,
    edit,
    keep_apart,
    merge,
    merge_without,
    preview,
    set_owner,
    split,
)
from saidonce.kb.review.bulk import (
    BULK_VERBS,
    MOST_IN_BULK,
    BulkItem,
    BulkOutcome,
    BulkRequest,
    bulk_preview,
    decide_in_bulk,
)
from saidonce.kb.review.commit import By, state_token
from saidonce.kb.review.conflicts import conflicts
from saidonce.kb.review.differences import LABELS, RULABLE
from saidonce.kb.review.groups import (
    MOST_GROUPED,
    GroupedPair,
    PairGroup,
    QueueListing,
    QueuePart,
    after_place,
    groups,
    listed,
    place_of,
)
from saidonce.kb.review.mergeable import MergeablePair, MergeablePairs, mergeable_pairs
from saidonce.kb.review.queue import PairView, cursor, open_pairs, pair, proposes
from saidonce.kb.review.rebuild import Rebuild, rebuild
from saidonce.kb.review.resolve import current_block
from saidonce.kb.review.revert import parts_of, reject_automatic_merge, revert
from saidonce.kb.review.rules import (
    RuleInForce,
    RuleOffer,
    add_rule,
    apply_rules,
    fitting,
    rule_in_words,
    rule_offer,
    rules,
)
from saidonce.kb.review.side_by_side import tell_apart
from saidonce.kb.review.throughput import Throughput, throughput

__all__ = [
    "AUDITED",
    "BULK_VERBS",
    "LABELS",
    "MOST_GROUPED",
    "MOST_IN_BULK",
    "RULABLE",
    "VERB_LABELS",
    "BulkItem",
    "BulkOutcome",
    "BulkRequest",
    "By",
    "DecisionAccount",
    "Differs",
    "GroupedPair",
    "Keep",
    "MergeablePair",
    "MergeablePairs",
    "PairGroup",
    "PairView",
    "QueueListing",
    "QueuePart",
    "Rebuild",
    "RuleInForce",
    "RuleOffer",
    "Throughput",
    "accounts",
    "add_rule",
    "after_place",
    "apply_rules",
    "approve",
    "assign",
    "audit",
    "bulk_preview",
    "checked_day",
    "conflict",
    "conflicts",
    "current_block",
    "cursor",
    "decide_in_bulk",
    "dismiss",
    "edit",
    "fitting",
    "groups",
    "keep_apart",
    "listed",
    "merge",
    "merge_without",
    "mergeable_pairs",
    "open_pairs",
    "pair",
    "parts_of",
    "place_of",
    "preview",
    "proposes",
    "rebuild",
    "reject_automatic_merge",
    "revert",
    "rule_in_words",
    "rule_offer",
    "rules",
    "set_owner",
    "split",
    "state_token",
    "tell_apart",
    "throughput",
    "undo_in_words",
]
