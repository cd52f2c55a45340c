"""Words that answer each other in two sentences, but do not say the same wherever they stand."""

from __future__ import annotations

import re

from saidonce.foundation.model import UNKNOWN_LANGUAGE, FactKind, Objection, Span
from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.analyse import Token, guess
from saidonce.matching.facts.compare import compare
from saidonce.matching.facts.forms import are_forms
from saidonce.matching.facts.lexicon import one_spelling, two_senses
from saidonce.matching.facts.result import Pairing
from saidonce.matching.facts.sentence_relations import SentenceRelations, relations_of
from saidonce.matching.facts.synonymy import is_exact, same

MOST_LONE = 30
"""Words of one sentence alone that are looked up among those of the other."""


@remembered(4_096)
def loose_words(a: str, b: str, language: str = UNKNOWN_LANGUAGE) -> tuple[Objection, ...]:
    """Object to the first two words of aligned English sentences that a looser synonym alone holds together.

    "Dogs" and "puppies", "deploy" and "install", "contract" and "contractor": one of them may stand for the other in
    what is asked, and need not in what is stated. In other languages no synonyms are known.
    """
    if (guess(f"{a}\n{b}") if language == UNKNOWN_LANGUAGE else language) != "en":
        return ()
    for change in compare(a, b, language).changes:
        if change.relation in (Pairing.DELETED, Pairing.INSERTED) or change.a.text == change.b.text:
            continue
        one, two = relations_of(change.a.text, "en"), relations_of(change.b.text, "en")
        if parted := _parted(one, two):
            x, y = parted
            kind = FactKind.NAME if x.kind is y.kind is FactKind.NAME else FactKind.TERM
            return (Objection(kind, _within(change.a, x), _within(change.b, y)),)
        if one.sorted_content_keys == two.sorted_content_keys:
            continue
        lone_a, lone_b = _lone(one, two), _lone(two, one)
        for x in lone_a:
            answers = [y for y in lone_b if same(x, y)]
            if answers and not any(_is_exact(one, x, two, y) for y in answers):
                return (Objection(FactKind.TERM, _within(change.a, x), _within(change.b, answers[0])),)
    return ()


_WHO = re.compile(r"\w{3,}(?:or|ant|ist|ee|ian)s?")


def _parted(one: SentenceRelations, two: SentenceRelations) -> tuple[Token, Token] | None:
    """Return the first words of one stem that are two words.

    One names a person or a part ("operator", "operation"), or they stand between the same words and are no forms of
    one word: "morale" and "moral", "reserve seats" and "reserved seats", "Simon" and "Simone". Between other words a
    noun may say what its verb says: "they accept the offer", "their acceptance of the offer".
    """
    for n, x in enumerate(one.contents):
        if x.kind not in (None, FactKind.NAME) or x.word in two.words or x.key not in two.keys:
            continue
        others = [y for y in two.tokens if y.key == x.key]
        if x.kind is None and all(_is_who(x.word) != _is_who(y.word) for y in others):
            return x, others[0]
        if (y := _in_its_slot(one, n, two)) and not are_forms(x, y, _leads(one, n)):
            return x, y
    return None


def _in_its_slot(one: SentenceRelations, n: int, two: SentenceRelations) -> Token | None:
    """Return the other word of a content word's stem that stands between the same words as that."""
    around = _around(one, n)
    return next(
        (y for m, y in enumerate(two.contents) if y.key == one.contents[n].key and _around(two, m) == around), None
    )


def _around(sentence: SentenceRelations, n: int) -> tuple[str, ...]:
    keys, gaps = ("", *sentence.content_keys, ""), sentence.gaps
    return keys[n], *(t.key for t in gaps[n]), "", *(t.key for t in gaps[n + 1]), keys[n + 2]


def _leads(sentence: SentenceRelations, n: int) -> bool:
    """Return whether a content word stands right before another, without an article or a mark between them."""
    words = sentence.contents[n : n + 2]
    return len(words) > 1 and words[0].end + 1 == words[1].start and not sentence.gaps[n + 1]


def _is_who(word: str) -> bool:
    return bool(_WHO.fullmatch(one_spelling(word)))


def _is_exact(one: SentenceRelations, x: Token, two: SentenceRelations, y: Token) -> bool:
    """Return whether two words say the same where they stand.

    A flat is an apartment; a flat roof is no roof of apartments. To turn right is not to turn correctly.
    """
    if not is_exact(_word(x), _word(y)):
        return False
    if {x.word, y.word}.isdisjoint(two_senses()) or x.key == y.key:
        return True
    if x.word.endswith("ly") != y.word.endswith("ly"):
        return False
    return not (_leads(one, one.contents.index(x)) and _leads(two, two.contents.index(y)))


def _lone(here: SentenceRelations, there: SentenceRelations) -> list[Token]:
    """Return content words that stand more often here than there."""
    left = here.content_counts - there.content_counts
    return [t for t in here.contents if t.key in left and t.kind in (None, FactKind.NAME)][:MOST_LONE]


def _word(token: Token) -> str:
    return token.key if " " in token.word else token.word


def _within(sentence: Span, token: Token) -> Span:
    start = sentence.start + token.start
    return Span(start, sentence.start + token.end, sentence.text[token.start : token.end])
