"""The decision ladder, one engine for every "have we this already?"."""

from saidonce.matching.ladder.decide import RUNGS, Climb, ask, climb, decide
from saidonce.matching.ladder.fact_key import FactKey, States
from saidonce.matching.ladder.greedy import MOST_ASKED, KeptTexts, Selection, keep_first
from saidonce.matching.ladder.guards import (
    STRUCTURAL_GUARDS,
    are_two_people,
    is_one_section,
    same_section_role,
    same_speaker,
    without_number,
)
from saidonce.matching.ladder.rung import Case, Finding, Guard, Rung, first_objection

__all__ = [
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
    "is_one_section",
    "keep_first",
    "same_section_role",
    "same_speaker",
    "without_number",
]
