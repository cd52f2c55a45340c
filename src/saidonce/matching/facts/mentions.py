"""A word that one of two sentences has more often: "reads JSON and writes JSON", "writes JSON"."""

from __future__ import annotations

from collections import Counter

from saidonce.foundation.model import FactKind
from saidonce.matching.facts.align import difference
from saidonce.matching.facts.analyse import AnalysedSentence, Token, analyse
from saidonce.matching.facts.lexicon import word_list
from saidonce.matching.facts.sentence_relations import MEASURED

_VALUES = (*MEASURED, FactKind.VERSION)


def leaves_out_a_mention(a: str, b: str, texts: tuple[str, str], language: str) -> bool:
    """Return whether one of two sentences has a content word less often than the other, although it has it.

    A word elsewhere in the sentence does not say what the one left out says: "pool and sauna, before the pool closes"
    and "sauna, before the pool closes". What the other text has elsewhere as often moved there. Values are counted
    elsewhere.

    Args:
        texts: the whole texts that have the two sentences.
    """
    one, two = (analyse(sentence, language).sentences for sentence in (a, b))
    if len(one) != 1 or len(two) != 1:
        here, there = _counts(a, language), _counts(b, language)
        return any(here[key] != there[key] for key in here.keys() & there.keys())
    diff = difference(one[0], two[0])
    sides = (diff.a_free, one[0], two[0], texts), (diff.b_free, two[0], one[0], texts[::-1])
    return any(_is_short_of(free, here, there, both, language) for free, here, there, both in sides)


def _is_short_of(
    free: list[Token], here: AnalysedSentence, there: AnalysedSentence, texts: tuple[str, str], language: str
) -> bool:
    lone = [t for t in free if t.content and t.kind not in _VALUES and t.key in there.keys]
    if not lone:
        return False
    fewer = _counts(texts[0], language) - _counts(texts[1], language)
    return any(fewer[t.key] and not _is_understood(t, here) for t in lone)


def _is_understood(token: Token, sentence: AnalysedSentence) -> bool:
    """Return whether a word is understood where it is left out: the unit of a range's first number, a helping verb.

    "From 5 bags to 8 bags", "from 5 to 8 bags"; "viene aperto e viene svuotato", "viene aperto e svuotato".
    """
    if token.word in word_list(token.language, "helping"):
        return True
    at = sentence.tokens.index(token)
    around = sentence.tokens[max(at - 1, 0) : at + 4]
    kinds = [t.kind is FactKind.NUMBER for t in around]
    return kinds == [True, False, False, True, False] and around[1].key == around[4].key


def _counts(text: str, language: str) -> Counter[str]:
    tokens = (t for s in analyse(text, language).sentences for t in s.tokens)
    return Counter([t.key for t in tokens if t.content and t.kind not in _VALUES])
