"""Flow: the gate. Tells whether a submission is a repeat, keeps what it lets through, and can account for it all."""

from saidonce.gate.admitted import KeptTexts
from saidonce.gate.authorize import authorize
from saidonce.gate.budget import StoredBudget, StoredRulings
from saidonce.gate.figures import GateStats
from saidonce.gate.flow import (
    BATCH,
    VERDICT,
    Gate,
    GateAccount,
    Imported,
    account,
    define,
    reembed,
    replay,
    rule_due,
)
from saidonce.gate.replay import Replay
from saidonce.gate.retry import ask_again, held_for_want_of_a_judge

__all__ = [
    "BATCH",
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
    "ask_again",
    "authorize",
    "define",
    "held_for_want_of_a_judge",
    "reembed",
    "replay",
    "rule_due",
]
