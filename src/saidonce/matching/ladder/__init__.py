"""The decision ladder, one engine for every "have we this already?"."""

from saidonce.matching.ladder.decide import RUNGS, Climb, ask, climb, decide
from saidonce.matching.ladder.fact_key import FactKey, States
from saidonce.matching.ladder.greedy import MOST_ASKED, KeptTexts, Selection, keep_first
from saidonce.matching.ladder.guards import (
    LAYOUTS,
    STRUCTURAL_GUARDS,
    are_two_people,
    is_lead,
    is_one_section,
    other_kind,
    same_section_role,
    same_speaker,
    without_number,
)
from saidonce.matching.ladder.rung import Case, Finding, Guard, Rung, first_objection

__all__ = [
    "LAYOUTS",
    "MOST_ASKED",
    "RUNGS",
    "STRUCTURAL_GUARDS",
    "Case",
    "Climb",
    "FactKey",
    "Finding",
    "Guard",
    "KeptTexts",
    "Rung",
    "Selection",
    "States",
    "are_two_people",
    "ask",
    "climb",
    "decide",
    "first_objection",
    "is_lead",
    "is_one_section",
    "keep_first",
    "other_kind",
    "same_section_role",
    "same_speaker",
    "without_number",
]
