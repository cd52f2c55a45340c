"""Room facts: the typed facts of texts, and what two texts say differently."""

from saidonce.matching.facts.comparing import compare, covers
from saidonce.matching.facts.comparison import Change, Comparison, Pairing
from saidonce.matching.facts.lexicon import TABLES, table
from saidonce.matching.facts.merge_only import (
    added_figures,
    changed_grammar,
    figures,
    first_difference,
    incomplete_sentences,
    is_read,
    moved_words,
    other_code,
    same_words,
)

__all__ = [
    "TABLES",
    "Change",
    "Comparison",
    "Pairing",
    "added_figures",
    "changed_grammar",
    "compare",
    "covers",
    "figures",
    "first_difference",
    "incomplete_sentences",
    "is_read",
    "moved_words",
    "other_code",
    "same_words",
    "table",
]
