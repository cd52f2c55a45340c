"""Room facts: two texts in plain words, so that what one says in another form can be compared once more."""

from saidonce.matching.facts.plain.both import InPlainWords, in_plain_words

__all__ = ["InPlainWords", "in_plain_words"]
