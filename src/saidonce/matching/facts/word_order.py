"""Whether the words that two sentences share stand in one order, in any sound reading of either."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise, product

from rapidfuzz.distance import LCSseq

from saidonce.foundation.model import FactKind, Objection, Span
from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.analyse import Token, analyse, tokens_of
from saidonce.matching.facts.articles import ARTICLES
from saidonce.matching.facts.causes import denied_cause
from saidonce.matching.facts.lexicon import word_list
from saidonce.matching.facts.order import is_order_accounted_for
from saidonce.matching.facts.phrases import HANGS, SAYS, SUBORDINATES
from saidonce.matching.facts.synonymy import same_word
from saidonce.matching.facts.voice import KeyedWord, is_turned, words_in_order

MOST_LONE = 60
"""Words of one text alone that are looked up among those of the other; in longer lists the rest stays as it is."""

MOST_WORDS = 4_000
"""Longer texts are compared by their first words; what stands behind them is the other guards' business."""


def first_moved(a: Span, b: Span, language: str) -> Objection | None:
    """Return the first word of two sentences out of order, if no way to read them has the common words in one order."""
    if causes := denied_cause(a.text, b.text, language):
        return Objection(FactKind.ROLE, causes[0].moved(a.start), causes[1].moved(b.start))
    if language == "en" and (nouns := _other_noun(a.text, b.text)):
        return Objection(FactKind.ROLE, nouns[0].moved(a.start), nouns[1].moved(b.start))
    if language == "en" and _is_sound_reordering(a.text, b.text):
        return None
    objection: Objection | None = None
    is_one_time = language == "en" and all(_is_one_time(side.text) for side in (a, b))
    for one, two in product(_readings(a, b.text, language), _readings(b, a.text, language)):
        if (one, two) != (a.text, b.text) and _n_links(one) != _n_links(two):
            continue  # "A of B" and "B of A" are two things, "A of B" and "B A" may be one
        if language == "en" and _is_compounded(one, a.text, b.text) and _is_compounded(two, b.text, a.text):
            continue  # "the fee is part of the rent" and "the rent is part of the fee"
        free = (_adverbials(text, language, is_one_time=is_one_time) for text in (one, two))
        at = _first_moved(*words_in_order(one, two), *free)
        if at is None:
            return None
        if one == a.text and two == b.text:
            objection = Objection(FactKind.ROLE, at[0].moved(a.start), at[1].moved(b.start))
    return objection


def _other_noun(a: str, b: str) -> tuple[Span, Span] | None:
    """Return the nouns that a frequency belongs to, where they are two: "a weekly report", "the weekly nurse".

    Behind an article it belongs to the noun behind it; elsewhere it may say how often something is done.
    """
    here, there = _noun_of_frequency(a), _noun_of_frequency(b)
    if here is None or there is None or here[0] == there[0] or not (here[2] or there[2]):
        return None
    return here[1], there[1]


@remembered(4_096)
def _noun_of_frequency(text: str) -> tuple[str, Span, bool] | None:
    """Return key and place of the word behind the only frequency of a text, and whether an article precedes it."""
    tokens = tokens_of(text, "en")
    at = [n for n, t in enumerate(tokens) if t.kind is FactKind.FREQUENCY]
    if len(at) != 1 or at[0] + 1 == len(tokens):
        return None
    often, noun = tokens[at[0]], tokens[at[0] + 1]
    if not noun.content or noun.kind is not None or not text[often.end : noun.start].isspace():
        return None
    return (
        noun.key,
        Span(often.start, noun.end, text[often.start : noun.end]),
        bool(_ARTICLE.search(text[: often.start])),
    )


_ARTICLE = re.compile(rf"\b(?:{ARTICLES})\s+$", re.IGNORECASE)


def _is_sound_reordering(a: str, b: str) -> bool:
    """Return whether two one-sentence English texts have their words in another order only for good reasons."""
    if (" by " in a) != (" by " in b) and is_turned(a, b):
        return False
    one, two = (analyse(text, "en").sentences for text in (a, b))
    return len(one) == len(two) == 1 and is_order_accounted_for(one[0], two[0], a, b)


def _readings(sentence: Span, other: str, language: str) -> tuple[str, ...]:
    """Return a sentence, the same with the clause before its first comma at the end, and with "A of B" as "B A".

    Of "A of B" only what stands side by side in the other sentence is a compound.
    """
    clause, comma, rest = sentence.text.partition(", ")
    fronts = FRONTED if language == "en" else word_list(language, "fronts")
    first = _OPENING.match(clause)
    fronts = fronts - word_list(language, "only_in_front")
    is_fronted = comma and first is not None and first.group().casefold() in fronts
    turned = (f"{rest.rstrip('.!?')}, {clause}.",) if is_fronted else ()
    if language != "en":
        return (sentence.text, *turned)
    compounds = {_compounded(sentence.text, other)} - {sentence.text}
    return (sentence.text, *turned, *compounds)


_OPENING = re.compile(r"[^\W\d_]+")

FRONTED = HANGS | {"except", "besides"}

_LINKS = frozenset(("of", "for", "on", "to"))
MOST_MODIFIERS = 3


def _compounded(text: str, other: str) -> str:
    """Return a text with each noun behind what belongs to it: "handle of the cellar door" as "cellar door handle".

    Only where the other text has the two side by side, and between words of grammar on either side, so that no verb is
    taken for a part of a name.
    """
    tokens = tokens_of(text, "en")
    for n in range(len(tokens) - 2, 0, -1):
        if tokens[n].word not in _LINKS or not tokens[n - 1].content or (n > 1 and tokens[n - 2].content):
            continue
        end = next((m for m in range(n + 1, len(tokens)) if not tokens[m].content), len(tokens))
        is_owned = _beside(other).get((_form(tokens[end - 1]), tokens[n - 1].key))
        if not 1 <= end - n - 1 <= MOST_MODIFIERS or is_owned is None or (is_owned and tokens[n].word != "of"):
            continue  # "the car to Ben" is not Ben's car
        head, modifier = tokens[n - 1], text[tokens[n + 1].start : tokens[end - 1].end]
        moved = f"{text[: head.start]}{modifier} {text[head.start : head.end]}{text[tokens[end - 1].end :]}"
        return _compounded(moved, other)
    return text


@remembered(8_192)
def _beside(text: str) -> dict[tuple[str, str], bool]:
    """Return the words of an English text side by side, and whether the first, in its form, has an owner's ending."""
    pairs = ((x, y, _ENDS_OWNER.fullmatch(text, x.end, y.start)) for x, y in pairwise(tokens_of(text, "en")))
    return {(_form(x), y.key): _owns(text, x) or bool(hit[1]) for x, y, hit in pairs if hit}


def _form(token: Token) -> str:
    """Return the key of a word, marked if it says what is being done: a "working day" is no "day of work"."""
    return f"{token.key}-ing" if token.word.endswith("ing") else token.key


def _owns(text: str, token: Token) -> bool:
    return text[token.start : token.end].endswith(("'s", "\u2019s", "s'", "s\u2019"))


_ENDS_OWNER = re.compile(r"(['\u2019]s?)?[ \u00a0-]")


def _is_compounded(reading: str, text: str, other: str) -> bool:
    """Return whether a reading is its text with compounds for "A of B"."""
    return reading != text and reading == _compounded(text, other)


def _n_links(text: str) -> int:
    return sum(word.casefold() in _LINKS for word in text.split())


def _first_moved(
    one: Sequence[KeyedWord], two: Sequence[KeyedWord], free_a: Sequence[Span], free_b: Sequence[Span]
) -> tuple[Span, Span] | None:
    a, b = (
        [w for w in words if _counts(w) and not any(s.start <= w.start < s.end for s in free)][:MOST_WORDS]
        for words, free in ((one, free_a), (two, free_b))
    )
    b = _keyed_alike(a, b)
    common = Counter(w.key for w in a) & Counter(w.key for w in b)
    here, there = ([w for w in words if w.key in common] for words in (a, b))
    keys = [w.key for w in here], [w.key for w in there]
    if LCSseq.similarity(*keys) == common.total():
        return None
    opcode = next(op for op in LCSseq.opcodes(*keys) if op.tag != "equal")
    return here[min(opcode.src_start, len(here) - 1)].span, there[min(opcode.dest_start, len(there) - 1)].span


def _counts(word: KeyedWord) -> bool:
    """Return whether the moving of a word may say something.

    It may if it is not light, or is a letter that names ("replace A with B").
    """
    if word.key not in word_list("en", "light"):
        return True
    return word.start > 0 and len(word.written) == 1 and word.written.isupper() and word.written != "I"


def _keyed_alike(a: Sequence[KeyedWord], b: Sequence[KeyedWord]) -> list[KeyedWord]:
    """Return the words of `b`, those that stand for a word that only `a` has under its key."""
    keys_a, keys_b = {w.key for w in a}, {w.key for w in b}
    lone = [w.key for w in a if w.key not in keys_b][:MOST_LONE]
    if not lone:
        return list(b)
    keyed: list[KeyedWord] = []
    for word in b:
        twin = next((key for key in lone if same_word(key, word.key)), None) if word.key not in keys_a else None
        if twin is not None:
            lone.remove(twin)
        keyed.append(word if twin is None else word._replace(key=twin))
    return keyed


_DAY_AND_HOUR = 3
"""Tokens of "4 May at 9:30"."""


def _is_one_time(text: str) -> bool:
    """Return whether nothing but "at" and "on" stands between the times of an English text: "on 4 May at 9:30".

    Not so where they may belong to what somebody says, or to a clause inside.
    """
    tokens = tokens_of(text, "en")
    if any(t.key in SAYS or t.word in word_list("en", "inner") for t in tokens):
        return False
    at = [n for n, t in enumerate(tokens) if t.kind is FactKind.DATE]
    return all(
        m - n < _DAY_AND_HOUR and all(t.word in ("at", "on") for t in tokens[n + 1 : m]) for n, m in pairwise(at)
    )


_CLAUSES = SUBORDINATES - {"once", "since", "until"}
"""Words that open a clause, and no time."""


def _adverbials(text: str, language: str, *, is_one_time: bool) -> list[Span]:
    """Find a date, time or frequency that is the only one of its kind in an English sentence of one clause.

    Args:
        is_one_time: whether all its dates and times count as one.
    """
    if language != "en":
        return []
    spans: list[Span] = []
    for sentence in analyse(text, "en").sentences:
        if "," in sentence.span.text or any(t.word in ("and", "or", "but") for t in sentence.tokens):
            continue  # it might belong to another part
        clause = next((t.start for t in sentence.tokens if t.word in _CLAUSES), sentence.span.end)
        for kind in (FactKind.DATE, FactKind.FREQUENCY):
            timed = [t for t in sentence.tokens if t.kind is kind]
            if any(t.start > clause for t in timed):
                continue  # it is of the clause that begins before it
            if len(timed) == 1 or (kind is FactKind.DATE and is_one_time):
                spans += [Span(t.start, t.end, text[t.start : t.end]) for t in timed]
    return spans
