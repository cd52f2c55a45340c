"""Flow: decisions of people about blocks; each is appended to the log, and the blocks concerned are rebuilt."""

from saidonce.foundation.model import Keep
from saidonce.kb.review.actions import (
    approve,
    assign,
    audit,
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
from saidonce.kb.review.bulk_merge import BulkMerge, MergeablePair, MergeablePairs, merge_in_bulk, mergeable_pairs
from saidonce.kb.review.commit import By, state_token
from saidonce.kb.review.conflicts import conflicts
from saidonce.kb.review.queue import PairView, cursor, open_pairs, pair, proposes
from saidonce.kb.review.rebuild import Rebuild, rebuild
from saidonce.kb.review.resolve import current_block
from saidonce.kb.review.revert import reject_automatic_merge, revert

__all__ = [
    "BulkMerge",
    "By",
    "Keep",
    "MergeablePair",
    "MergeablePairs",
    "PairView",
    "Rebuild",
    "approve",
    "assign",
    "audit",
    "conflict",
    "conflicts",
    "current_block",
    "cursor",
    "dismiss",
    "edit",
    "keep_apart",
    "merge",
    "merge_in_bulk",
    "merge_without",
    "mergeable_pairs",
    "open_pairs",
    "pair",
    "preview",
    "proposes",
    "rebuild",
    "reject_automatic_merge",
    "revert",
    "set_owner",
    "split",
    "state_token",
]
