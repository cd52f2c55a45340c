"""Flow: the gate. Tells whether a submission is a repeat, keeps what it lets through, and can account for it all."""

from saidonce.gate.authorize import authorize
from saidonce.gate.figures import CLEAR_REASONS, GateStats
from saidonce.gate.flow import BATCH, VERDICT, Gate, GateAccount, Imported, account, define, reembed, replay, rule_due
from saidonce.gate.kept import KeptTexts
from saidonce.gate.replay import Replay
from saidonce.gate.spending import StoredBudget, StoredRulings

__all__ = [
    "BATCH",
    "CLEAR_REASONS",
    "VERDICT",
    "Gate",
    "GateAccount",
    "GateStats",
    "Imported",
    "KeptTexts",
    "Replay",
    "StoredBudget",
    "StoredRulings",
    "account",
    "authorize",
    "define",
    "reembed",
    "replay",
    "rule_due",
]
