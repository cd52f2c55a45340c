"""The gate: is a submission a repeat of what was admitted? Decides, admits, and accounts for every verdict.

In: a `Context`, an adjudicator, submissions. Out: verdicts, each with its evidence; authorised ones are admitted in the
same transaction. What could not be decided is held, and can be asked again.
May touch: `matching`, `foundation`; the outside through ports alone.
Start reading: `flow.py`, then `batch.py` (searched, asked, ruled, settled).
"""

from saidonce.gate.admitted import AdmittedIndex
from saidonce.gate.audits import AuditCount, audit_counts, audited
from saidonce.gate.authorize import authorize
from saidonce.gate.budget import StoredBudget, StoredReviews, StoredRulings
from saidonce.gate.figures import GateStats
from saidonce.gate.flow import (
    BATCH,
    VERDICT,
    Gate,
    GateAccount,
    GateImport,
    account,
    define,
    reembed,
    replay,
    rule_due,
)
from saidonce.gate.held import HeldItem, HeldLeft, HeldOrder, HeldPair, HeldResult, HeldUndo
from saidonce.gate.recheck import LooksAgain, Rechecked, clears_since, recheck
from saidonce.gate.replay import Replay
from saidonce.gate.retry import CAUSES, Reopening, ask_again, check_asks, held_without_ruling, reopen, reopening
from saidonce.gate.throughput import HeldThroughput, held_throughput

__all__ = [
    "BATCH",
    "CAUSES",
    "VERDICT",
    "AdmittedIndex",
    "AuditCount",
    "Gate",
    "GateAccount",
    "GateImport",
    "GateStats",
    "HeldItem",
    "HeldLeft",
    "HeldOrder",
    "HeldPair",
    "HeldResult",
    "HeldThroughput",
    "HeldUndo",
    "LooksAgain",
    "Rechecked",
    "Reopening",
    "Replay",
    "StoredBudget",
    "StoredReviews",
    "StoredRulings",
    "account",
    "ask_again",
    "audit_counts",
    "audited",
    "authorize",
    "check_asks",
    "clears_since",
    "define",
    "held_throughput",
    "held_without_ruling",
    "recheck",
    "reembed",
    "reopen",
    "reopening",
    "replay",
    "rule_due",
]
