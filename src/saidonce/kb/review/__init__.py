"""Flow: what people decide about blocks; each verb appends decisions and settles the blocks concerned."""

from saidonce.foundation.model import Keep
from saidonce.kb.review.bulk import Bulk, Equal, Equals, equals, merge_equals
from saidonce.kb.review.command import By, seen
from saidonce.kb.review.links import conflicts
from saidonce.kb.review.people_verbs import approve, assign, audit, dismiss, own
from saidonce.kb.review.queue import PairView, cursor, open_pairs, pair, proposes
from saidonce.kb.review.rebuild import Rebuild, rebuild
from saidonce.kb.review.resolve import present_block
from saidonce.kb.review.together import disown, merge_without
from saidonce.kb.review.undo import revert
from saidonce.kb.review.verbs import conflict, edit, keep_apart, merge, preview, split

__all__ = [
    "Bulk",
    "By",
    "Equal",
    "Equals",
    "Keep",
    "PairView",
    "Rebuild",
    "approve",
    "assign",
    "audit",
    "conflict",
    "conflicts",
    "cursor",
    "dismiss",
    "disown",
    "edit",
    "equals",
    "keep_apart",
    "merge",
    "merge_equals",
    "merge_without",
    "open_pairs",
    "own",
    "pair",
    "present_block",
    "preview",
    "proposes",
    "rebuild",
    "revert",
    "seen",
    "split",
]
