"""Room facts: two texts in plain words, so that what one says in another form can be compared once more."""

from saidonce.matching.facts.plain.both import InPlainWords, plain

__all__ = ["InPlainWords", "plain"]
