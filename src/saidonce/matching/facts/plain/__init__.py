"""Two texts in plain words, so that what one says in another form can be compared once more."""

from saidonce.matching.facts.plain.both import InPlainWords, in_plain_phrases, in_plain_words
from saidonce.matching.facts.plain.in_full import in_full
from saidonce.matching.facts.plain.set_alike import SET_ALIKE, SetAlike, may_be_set_alike, set_alike
from saidonce.matching.facts.plain.words import abbreviations, spelled_right

__all__ = [
    "SET_ALIKE",
    "InPlainWords",
    "SetAlike",
    "abbreviations",
    "in_full",
    "in_plain_phrases",
    "in_plain_words",
    "may_be_set_alike",
    "set_alike",
    "spelled_right",
]
