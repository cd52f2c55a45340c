"""The pair table: which texts of the base are near each other, and what their comparison found.

A pair is compared once, when it is written; what reads the table compares on the spot what does not stand in it.
"""

from saidonce.kb.pairs.at_ingest import PairsAtIngest
from saidonce.kb.pairs.catch_up import CaughtUp, OnStep, catch_up, rule_in_force, rule_of
from saidonce.kb.pairs.comparison import accord_of, compare_texts, held_apart_by
from saidonce.kb.pairs.known import (
    accord_between,
    accords_between,
    accords_in_place,
    accords_of_texts,
    known_guard,
)
from saidonce.kb.pairs.near_texts import NearTexts
from saidonce.kb.pairs.neighbours import Neighbour, neighbours_of
from saidonce.kb.pairs.rebuild import PairRebuild, rebuild_pairs

__all__ = [
    "CaughtUp",
    "NearTexts",
    "Neighbour",
    "OnStep",
    "PairRebuild",
    "PairsAtIngest",
    "accord_between",
    "accord_of",
    "accords_between",
    "accords_in_place",
    "accords_of_texts",
    "catch_up",
    "compare_texts",
    "held_apart_by",
    "known_guard",
    "neighbours_of",
    "rebuild_pairs",
    "rule_in_force",
    "rule_of",
]
