"""Room facts: the typed facts of texts, and what two texts say differently."""

from saidonce.facts.compare import Change, Comparison, Pairing, compare, covers

__all__ = ["Change", "Comparison", "Pairing", "compare", "covers"]
