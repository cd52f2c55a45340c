"""Whether a sentence asks, which its mark says, whatever the order of its words.

"The owner could pay?" asks what "The owner could pay." states, and so does "Could the owner pay?". A heading in the
words of a question asks without any mark: "How long do we keep backups", "In which year was it built". One of few words
that make no statement asks nothing and states nothing, and may have a mark for style: "Questions?".
"""

from __future__ import annotations

import re
from functools import cache

from saidonce.foundation.model import FactKind, Span
from saidonce.matching.facts.lexicon import (
    grammar,
    has_no_spaces,
    is_past,
    language_table,
    opposites,
    pattern,
    stem,
    word_list,
    words_of,
)
from saidonce.matching.facts.scan import folded_word
from saidonce.matching.facts.sentence_relations import Places, relations_of

_ASKS = re.compile(r"[?\uff1f\u061f][\s\"'\u201d\u2019\u00bb)*_]*$")
_ENDS = re.compile(r"[.!\u3002\uff01\u06d4][\s\"'\u201d\u2019\u00bb)*_]*$")
_IN_DOUBT = re.compile(r"[(\[][?\uff1f\u061f][)\]]")
_WORD = re.compile(r"[^\W\d_]+")
_UNMARKED = re.compile(r"[^\W_][\s\"'\u201d\u2019\u00bb)*_]*$")
_MOST_OF_A_HEADING = 3
"""Words of the longest heading that may be what a question of the same words is."""


def asks_or_states(a: str, b: str, language: str) -> Places | None:
    """Return the ends of two sentences of which one asks what the other states, or the "(?)" that one has alone.

    A question that asks for something politely bids: "could you send the form?".
    """
    if doubts := _doubts_otherwise(a, b):
        return doubts
    asks = [bool(_ASKS.search(text)) for text in (a, b)]
    if asks[0] == asks[1]:
        return None
    asking, other = (a, b) if asks[0] else (b, a)
    if _asks_in_words(other, language) or _bids(asking, other, language) or _is_heading_of(other, asking, language):
        return None
    return Span(len(a) - 1, len(a), a[-1:]), Span(len(b) - 1, len(b), b[-1:])


def _doubts_otherwise(a: str, b: str) -> Places | None:
    """Return the first question mark in brackets of the sentence that has more of them."""
    here, there = list(_IN_DOUBT.finditer(a)), list(_IN_DOUBT.finditer(b))
    if len(here) == len(there):
        return None
    return (Span.of(here[0]) if here else None), (Span.of(there[0]) if there else None)


def _asks_in_words(sentence: str, language: str) -> bool:
    """Return whether a sentence without a mark at its end has the words of a question."""
    if _ENDS.search(sentence):
        return False
    listed = word_list(language, "asks")
    words = _words(sentence)
    if not listed or not words:
        return False
    if has_no_spaces(language):
        bare = "".join(_WORD.findall(sentence))
        return bare.startswith(tuple(listed)) or bare.endswith(tuple(listed))
    if words[0] in _leads(language):
        return words[1:2] != [] and words[1] in word_list(language, "asks_behind")
    return words[0] in listed


def _words(sentence: str) -> list[str]:
    return [folded_word(word) for word in _WORD.findall(sentence)]


@cache
def _leads(language: str) -> frozenset[str]:
    """Return "and", prepositions, and other words of grammar that may stand before the word that asks."""
    prepositions = words_of(language_table(language).get("relations", {}).get("prepositions", ""))
    leads = prepositions | word_list(language, "before_asking") | word_list(language, "unites")
    return (leads | grammar(language).function) - word_list(language, "asks")


def _is_heading_of(text: str, asking: str, language: str) -> bool:
    """Return whether a text is a heading of a question's few words: none is a verb, a state, a person or a "not".

    In German, where nouns have capitals, all words but the first are nouns or words of grammar. Of a language without
    a list of verbs nothing is known.
    """
    words, verbs = _words(text), word_list(language, "finite")
    if not verbs or not _UNMARKED.search(text) or len(words) > _MOST_OF_A_HEADING or words != _words(asking):
        return False
    if language == "de" and any(
        w.islower() and folded_word(w) not in _leads(language) for w in _WORD.findall(text)[1:]
    ):
        return False
    listed = (verbs, *(word_list(language, name) for name in ("asks", "persons", "points_back", "copulas")))
    if any(word in each for word in words for each in listed) or any(_is_state(word, language) for word in words):
        return False
    return not any(t.kind in (FactKind.MODALITY, FactKind.NEGATION) for t in relations_of(text, language).tokens)


def _is_state(word: str, language: str) -> bool:
    """Return whether a word is a participle, or says how something is that may be otherwise: "allowed", "closed".

    In English no plural does, such as "questions" or "answers", nor does "parking" or "opening".
    """
    if language == "en":
        return not word.endswith(("s", "ing")) and (is_past(word) or stem(word) in opposites())
    if word in opposites(language):
        return True
    form = pattern(language, "participle")
    return form is not None and form.fullmatch(word) is not None


def _bids(asking: str, other: str, language: str) -> bool:
    """Return whether a question asks politely for what the other sentence bids without "could" or "may"."""
    here, there = relations_of(asking, language), relations_of(other, language)
    is_modal = any(t.kind is FactKind.MODALITY for t in there.tokens)
    return not is_modal and bool((here.words & word_list(language, "requests")) - there.words)


RULES = (asks_or_states,)
"""What is looked for in two aligned sentences."""
