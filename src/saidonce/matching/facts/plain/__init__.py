"""Two texts in plain words, so that what one says in another form can be compared once more."""

from saidonce.matching.facts.plain.both import InPlainWords, in_plain_phrases, in_plain_words
from saidonce.matching.facts.plain.in_full import in_full
from saidonce.matching.facts.plain.words import abbreviations, spelled_right

__all__ = ["InPlainWords", "abbreviations", "in_full", "in_plain_phrases", "in_plain_words", "spelled_right"]
