"""Words that join a statement to the one before: as its consequence, as its contrast, as one more, as one like it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.analyse import Token, tokens_of
from saidonce.matching.facts.lexicon import language_table, stem
from saidonce.matching.facts.scan import folded_word


@remembered(8_192)
def connectives(sentence: str, language: str) -> dict[int, Token]:
    """Return the sense of each connective of a sentence -> its first word of that sense, in the order of the words.

    Empty where the language has no table of them.
    """
    senses = _senses(language)
    joining: dict[int, Token] = {}
    for token in tokens_of(sentence, language) if senses else ():
        if token.kind is None and token.key in senses:
            joining.setdefault(senses[token.key], token)
    return joining


def other_connective(here: Mapping[int, Token], there: Mapping[int, Token]) -> tuple[Token, Token] | None:
    """Return the first words by which two sentences are joined to what stands before them in different senses.

    "Therefore" and "however", "moreover" and "hence"; a connective that only one of them has is no other one.
    """
    only_here = next((token for sense, token in here.items() if sense not in there), None)
    only_there = next((token for sense, token in there.items() if sense not in here), None)
    return (only_here, only_there) if only_here is not None and only_there is not None else None


@cache
def _senses(language: str) -> Mapping[str, int]:
    """Return the key of each connective -> the number of its sense."""
    senses = language_table(language).get("words", {}).get("connectives", "").split("|")
    words = ((word.replace("_", " "), n) for n, group in enumerate(senses) for word in group.split())
    return {stem(word) if language == "en" else folded_word(word): n for word, n in words}
