"""Whether a sentence asks, which its mark says, whatever the order of its words.

"The owner could pay?" asks what "The owner could pay." states, and so does "Could the owner pay?". A heading in the
words of a question asks without any mark: "How long do we keep backups".
"""

from __future__ import annotations

import re

from saidonce.foundation.model import FactKind, Span
from saidonce.matching.facts.lexicon import has_no_spaces, word_list
from saidonce.matching.facts.scan import folded_word
from saidonce.matching.facts.sentence_relations import Places, relations_of

_ASKS = re.compile(r"[?\uff1f\u061f][\s\"'\u201d\u2019\u00bb)*_]*$")
_ENDS = re.compile(r"[.!\u3002\uff01\u06d4][\s\"'\u201d\u2019\u00bb)*_]*$")
_IN_DOUBT = re.compile(r"[(\[][?\uff1f\u061f][)\]]")
_FIRST_WORD = re.compile(r"[^\W\d_]+")


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
    if _asks_in_words(other, language) or _bids(asking, other, language):
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
    first = _FIRST_WORD.search(sentence)
    if not listed or first is None:
        return False
    if has_no_spaces(language):
        bare = "".join(_FIRST_WORD.findall(sentence))
        return bare.startswith(tuple(listed)) or bare.endswith(tuple(listed))
    return folded_word(first[0]) in listed


def _bids(asking: str, other: str, language: str) -> bool:
    """Return whether a question asks politely for what the other sentence bids without "could" or "may"."""
    here, there = relations_of(asking, language), relations_of(other, language)
    is_modal = any(t.kind is FactKind.MODALITY for t in there.tokens)
    return not is_modal and bool((here.words & word_list(language, "requests")) - there.words)


RULES = (asks_or_states,)
"""What is looked for in two aligned sentences."""
