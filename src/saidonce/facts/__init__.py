"""Room facts: the typed facts of texts, and what two texts say differently."""

from saidonce.facts.comparing import compare, covers
from saidonce.facts.comparison import Change, Comparison, Pairing
from saidonce.facts.strict import moved_words, other_code

__all__ = ["Change", "Comparison", "Pairing", "compare", "covers", "moved_words", "other_code"]
