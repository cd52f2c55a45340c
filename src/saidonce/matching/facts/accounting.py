"""Whether all that one text states is accounted for in another.

What is not is no contradiction, and still nobody should drop a text over it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from saidonce.foundation.model import UNKNOWN_LANGUAGE, FactKind, Objection, Span
from saidonce.foundation.remembering import remembered
from saidonce.foundation.text import language as detected_language
from saidonce.foundation.text import normalise, quoted_code, words
from saidonce.matching.facts.analyse import NO, YES, Token, guess, tokens_of
from saidonce.matching.facts.articles import other_article
from saidonce.matching.facts.bearing import other_bearing
from saidonce.matching.facts.compare import compare, each_adds
from saidonce.matching.facts.connectives import connectives, other_connective
from saidonce.matching.facts.guards import STRONG, WEAK
from saidonce.matching.facts.lexicon import (
    LANGUAGES,
    NEGATION,
    hints,
    is_telling,
    known_words,
    language_table,
    lines,
    telling,
    word_list,
)
from saidonce.matching.facts.marks import other_mark, other_range
from saidonce.matching.facts.mentions import leaves_out_a_mention
from saidonce.matching.facts.order import MAX_NEW
from saidonce.matching.facts.relations import changed_relation
from saidonce.matching.facts.result import Change, Pairing
from saidonce.matching.facts.roles import JOINS
from saidonce.matching.facts.sentence_relations import MEASURED, relations_of
from saidonce.matching.facts.turns import OPENING, out_of_turn
from saidonce.matching.facts.voice import is_past_in_both, is_turned
from saidonce.matching.facts.word_order import first_moved

Operator = tuple[str, Token]
"""A word of grammar that counts, and what it counts as."""

_OPERATORS = (FactKind.QUANTIFIER, FactKind.MODALITY, FactKind.FREQUENCY)
_STOPS = re.compile(r"[.!?;:\u3002\uff01\uff1f\u061f\u06d4](?:(?=\s|$)|(?<=[\u3002\uff01\uff1f]))")

LEAST_DENIED = 8
"""Content words from which a sentence with a negation speaks of something of its own."""


_LIMITING = ("quantifier:only", "modality:must")
_FREQUENT = 2
_UP_TO_LATIN = re.compile("[\0-\u024f]+")
"""Without it, the characters beyond the Latin ones are left of a text."""

_OWN_SCRIPT = 0.9
"""Share of letters from which a text is written in the script that its language's tables are written in."""


@remembered(4_096)
def moved_words(a: str, b: str, language: str = UNKNOWN_LANGUAGE) -> tuple[Objection, ...]:
    """Object where words of a sentence, or sentences, stand in another order.

    "A paid B" has the words of "B paid A". Of a word that stands more than once any occurrence will
    do. A passive is compared as its active. In English one date, time or frequency may stand
    anywhere, a clause before the comma may stand at the end, and whole statements may change
    places; steps, items and what only follows in time may not, nor what stands in a numbered list.
    """
    tables = _language(a, b, language)
    aligned = [c for c in compare(a, b, language).changes if c.relation not in (Pairing.DELETED, Pairing.INSERTED)]
    for change in aligned:
        if change.a.text != change.b.text and (moved := first_moved(change.a, change.b, tables)):
            return (moved,)
    out_of_order = out_of_turn(a, b, aligned, tables)
    return (Objection(FactKind.ROLE, out_of_order.a, out_of_order.b),) if out_of_order else ()


@remembered(4_096)
def changed_grammar(a: str, b: str, language: str = UNKNOWN_LANGUAGE) -> tuple[Objection, ...]:
    """Object where two sentences differ in a small word that changes what is claimed.

    When ("before", "after"), on which condition, how much, how sure, who, in which tense: see the
    table `telling`; and what belongs to what: see `relations`. What stands in a sentence without
    counterpart is the other guards' business.
    """
    tables = _language(a, b, language)
    bearing = other_bearing(a, b) if tables == "en" else ()
    for change in compare(a, b, language).changes:
        if change.relation in (Pairing.DELETED, Pairing.INSERTED) or change.a.text == change.b.text:
            continue
        objection = _changed_operator(change, tables)
        if objection is None or not (objection.a.text and objection.b.text):
            objection = _changed_relation(change, tables) or objection  # what both state otherwise weighs more
        if objection:
            return (objection, *bearing)
    return bearing


def _changed_operator(change: Change, language: str) -> Objection | None:
    if same_words(change.a.text, change.b.text):
        return None  # a mark says whether they ask
    one, two = _operators(change.a.text, language), _operators(change.b.text, language)
    if language == "en":
        one, two = _without_getting(one, change.b.text), _without_getting(two, change.a.text)
    here, there = (connectives(side.text, language) for side in (change.a, change.b))
    one, two = _without_answered(one, here, there), _without_answered(two, there, here)
    if [key for key, _ in one] == [key for key, _ in two]:
        return None
    count_a, count_b = (Counter(key for key, _ in side) for side in (one, two))
    if is_turned(change.a.text, change.b.text):
        count_a, count_b = _without_voice(count_a, count_b, change)
    lone_a, lone_b = _lone(one, count_a - count_b), _lone(two, count_b - count_a)
    if not lone_a and not lone_b:
        return None
    shared = {t.kind for t in lone_a} & {t.kind for t in lone_b}
    sides = [next((t for t in lone if t.kind in shared), None) for lone in (lone_a, lone_b)]
    if not shared:  # what the other has more is of another kind, if it has any
        first = min((*lone_a, *lone_b), key=lambda t: (t.kind is None, t.key))
        sides = [next((t for t in lone if t is first), None) for lone in (lone_a, lone_b)]
    kind = next((token.kind for token in sides if token is not None and token.kind), None)
    at = [_within(s, t) for s, t in zip((change.a, change.b), sides, strict=True)]
    return Objection(kind or FactKind.TERM, *at)


def _without_voice(here: Counter[str], there: Counter[str], change: Change) -> tuple[Counter[str], Counter[str]]:
    """Leave out "by", and the "was" of a passive whose verb is in the past in the other sentence, too."""
    sides = []
    for mine, theirs, passive, active in ((here, there, change.a, change.b), (there, here, change.b, change.a)):
        was = mine["past"] > theirs["past"] and is_past_in_both(passive.text, active.text)
        sides.append(mine - Counter({"by": 1, "past": int(was)}))
    return sides[0], sides[1]


def _without_getting(operators: Sequence[Operator], other: str) -> tuple[Operator, ...]:
    """Leave out "get" before a verb that stands behind "be" in the other sentence: "gets paid", "is paid"."""
    if _GETTING.isdisjoint([token.word for _, token in operators]):
        return tuple(operators)
    has_be = any(t.key == "be" for t in tokens_of(other, "en"))
    return tuple(o for o in operators if not (has_be and o[1].word in _GETTING))


_GETTING = frozenset("get gets got getting".split())


def _without_answered(
    operators: Sequence[Operator], here: Mapping[int, Token], there: Mapping[int, Token]
) -> tuple[Operator, ...]:
    """Leave out a connective for which the other sentence has one of the same sense: "however" and "but"."""
    answered = {token for sense, token in here.items() if sense in there and there[sense].word != token.word}
    return tuple(operator for operator in operators if operator[1] not in answered)


def _changed_relation(change: Change, language: str) -> Objection | None:
    """Return the small words by which two sentences relate their words otherwise.

    A passive relates them in its own way.
    """
    one, two = (relations_of(side.text, language) for side in (change.a, change.b))
    joined = other_connective(connectives(change.a.text, language), connectives(change.b.text, language))
    if joined is not None:
        return Objection(FactKind.TERM, _within(change.a, joined[0]), _within(change.b, joined[1]))
    if articles := other_article(change.a.text, change.b.text, language):
        return Objection(FactKind.TERM, articles[0].moved(change.a.start), articles[1].moved(change.b.start))
    marks = other_mark(change.a.text, change.b.text) if language == "en" else None
    marks = marks or other_range(change.a.text, change.b.text, language)
    sides = marks or changed_relation(one, two, is_turned(change.a.text, change.b.text))
    if sides is None:
        return None
    return Objection(FactKind.TERM, _within(change.a, sides[0]), _within(change.b, sides[1]))


@remembered(4_096)
def incomplete_sentences(a: str, b: str, language: str = UNKNOWN_LANGUAGE) -> tuple[Objection, ...]:
    """Object where a sentence of `a` is not wholly in `b`, or stands there with more words.

    `b` may have sentences of its own, unless one takes something back ("not", "except", "only") or
    is an item, so that a list would be another one.
    """
    tables = _language(a, b, language)
    changes = compare(a, b, language).changes
    is_shorter = any(change.relation is Pairing.DELETED for change in changes)
    stands = {_bare(change.b.text) for change in changes} if is_shorter else set()
    for change in changes:
        if change.relation is Pairing.REWORDED:
            is_whole = not (any(each_adds(change.a.text, change.b.text, tables)) or _is_repeated(change, tables))
            is_whole = is_whole and not _drops_a_value(change, (a, b), tables)
            is_whole = is_whole and not leaves_out_a_mention(change.a.text, change.b.text, (a, b), tables)
        elif change.relation is Pairing.INSERTED:
            is_whole = _is_aside(change.b, tables)
        else:
            is_whole = change.relation is not Pairing.DELETED or _bare(change.a.text) in stands
        if not is_whole:
            return (Objection(FactKind.TERM, change.a, change.b),)
    return ()


def _is_repeated(change: Change, language: str) -> bool:
    """Return whether only one of two sentences repeats a word as an attribute of a list member, or after an owner.

    "Old men and old women" are not "old men and women", "the agent" is not "the agent's tenant".
    """
    one, two = (relations_of(side.text, language) for side in (change.a, change.b))
    if one.sorted_content_keys == two.sorted_content_keys:
        return False
    here, there = one.content_counts, two.content_counts
    repeated_here = {key for key in here if here[key] > there[key] > 0}
    repeated_there = {key for key in there if there[key] > here[key] > 0}
    return any(
        token.key in repeated and _is_attribute(before, token, after)
        for tokens, repeated in ((one.tokens, repeated_here), (two.tokens, repeated_there))
        for before, token, after in zip(tokens, tokens[1:], [*tokens[2:], None], strict=False)
    )


def _drops_a_value(change: Change, texts: tuple[str, str], language: str) -> bool:
    """Return whether the first of two sentences states a value more often, and so does its text.

    "Room 12 holds 12 people" and "room 12 holds people".
    """
    dropped = _value_counts(change.a.text, language) - _value_counts(change.b.text, language)
    if not dropped:
        return False
    return bool(dropped & (_value_counts(texts[0], language) - _value_counts(texts[1], language)))


@remembered(8_192)
def _value_counts(text: str, language: str) -> Counter[str]:
    return Counter(t.key for t in tokens_of(text, language) if t.kind in MEASURED)


def _is_attribute(before: Token, token: Token, after: Token | None) -> bool:
    """Return whether a word belongs to the next member of a list, or to an owner before it."""
    is_owned = before.written.endswith(("'s", "\u2019s"))
    is_listed = before.word in JOINS and after is not None and after.content
    return token.content and (is_owned or is_listed)


def takes_back(sentence: Span, language: str = UNKNOWN_LANGUAGE) -> bool:
    """Return whether an additional sentence limits what the other sentences state, or is an item of a list."""
    return not _is_aside(sentence, _language(sentence.text, "", language))


def is_reworded(a: str, b: str, language: str = UNKNOWN_LANGUAGE) -> bool:
    """Return whether two sentences differ in so many words that the order of those they share says nothing."""
    tables = _language(a, b, language)
    keys_a, keys_b = (Counter(t.key for t in tokens_of(text, tables) if t.content) for text in (a, b))
    n_lone = ((keys_a - keys_b) + (keys_b - keys_a)).total()
    return n_lone > MAX_NEW * (keys_a + keys_b).total()


def _is_aside(sentence: Span, language: str) -> bool:
    """Return whether a sentence stands by itself and takes nothing back that others state."""
    if not sentence.text.rstrip("\"')]*_ ").endswith((".", "!", "?")):
        return False
    if _is_notice(sentence.text, language):
        return True
    tokens = tokens_of(sentence.text, language)
    contrasts = word_list(language, "contrasts")
    places = [n for n, t in enumerate(tokens) if t.word in contrasts]
    if (
        any(t.word in word_list(language, "takes_back") - contrasts for t in tokens)
        or min(places, default=OPENING) < OPENING
    ):
        return False
    denies = bool(places) or any(t.kind is FactKind.NEGATION or t.key in _LIMITING for t in tokens)
    is_bound = (
        any(t.word in word_list(language, "points_back") for t in tokens[:2])
        or sum(t.content for t in tokens) < LEAST_DENIED
    )
    return not (denies and is_bound)


def _is_notice(sentence: str, language: str) -> bool:
    """Return whether a sentence is a notice about the whole text: that nobody may copy it."""
    at = _notices(language)
    return at is not None and at.fullmatch(sentence.strip().rstrip(".!")) is not None


@cache
def _notices(language: str) -> re.Pattern[str] | None:
    listed = lines(language_table(language).get("words", {}).get("notices", ""))
    return re.compile("|".join(f"(?:{line})" for line in listed), re.IGNORECASE) if listed else None


@remembered(65_536)
def figures(text: str, language: str = UNKNOWN_LANGUAGE) -> frozenset[str]:
    """Return keys of all numbers, quantities, dates, versions and identifiers of a text.

    A mere word in backticks is none.
    """
    return frozenset([t.key for t in tokens_of(text, language) if t.kind and _is_figure(t)])


def _is_figure(token: Token) -> bool:
    is_word = token.kind is FactKind.IDENTIFIER and not token.key.startswith("id:")
    return token.kind in STRONG and token.key not in WEAK and not is_word


def added_figures(a: str, b: str, language: str = UNKNOWN_LANGUAGE) -> tuple[Objection, ...]:
    """Object where `a` states a figure that `b` nowhere states in any notation, or states more exactly."""
    lone = figures(a, language) - figures(b, language)
    if not lone:
        return ()
    tokens = tokens_of(a, language)
    first = next(t for t in tokens if t.key in lone)
    return (
        Objection(
            first.kind or FactKind.NUMBER,
            Span(first.start, first.end, a[first.start : first.end]),
            Span(len(b), len(b), ""),
        ),
    )


def is_read(a: str, b: str, languages: Iterable[str]) -> bool:
    """Return whether tables of words read two texts: both are in a language that has tables, and in its script."""
    read = (read_language(text, language) for text, language in zip((a, b), languages, strict=True))
    return _is_latin(a, b) and all(language in LANGUAGES for language in read)


def read_language(text: str, language: str) -> str:
    """Return the language in which a text is read; one that is not known, for a short text, may be English.

    It is where all the words of the text exist in English, and two of them are frequent or it is surely English to
    the detection of languages.
    """
    return "en" if language == UNKNOWN_LANGUAGE and _is_english(text) else language


def _is_latin(a: str, b: str) -> bool:
    """Return whether nearly all letters of two texts together are Latin."""
    if a.isascii() and b.isascii():
        return True
    (letters_a, others_a), (letters_b, others_b) = _letters(a), _letters(b)
    letters = letters_a + letters_b
    return letters - others_a - others_b >= _OWN_SCRIPT * letters


@remembered(8_192)
def _letters(text: str) -> tuple[int, int]:
    """Return number of letters of a text, and how many of them are not Latin."""
    others = sum(map(str.isalpha, _UP_TO_LATIN.sub("", text)))
    return sum(map(str.isalpha, text)), others


@remembered(8_192)
def _is_english(text: str) -> bool:
    """Return whether all words of a text exist in English, and two of them, or all together, show that it is."""
    plain_words = {w.removesuffix("'s") for w in words(text) if w.isalpha()}
    frequent = next(words for name, words in hints() if name == "en")
    if not plain_words <= known_words():
        return False
    return len(plain_words & frequent) >= _FREQUENT or detected_language(text, min_chars=1) == "en"


def same_words(a: str, b: str) -> bool:
    """Return whether two texts have the same words, signs and digits in the same order.

    Case, layout and full stops are ignored.
    """
    return _bare(a) == _bare(b)


def other_code(a: str, b: str) -> tuple[Objection, ...]:
    """Object where one text quotes a name in backticks, or an option, that the other lacks or has in other letters."""
    code_a, code_b = quoted_code(a), quoted_code(b)
    for here, there, code_there, turned in ((code_a, b, code_b, False), (code_b, a, code_a, True)):
        whole = _run_of(_tokens(there)) if here else ""
        spelled = {token for code in code_there for token in _tokens(code.text)} if here else set()
        in_code = {token.casefold() for token in spelled}
        for code in here:
            names = _tokens(code.text)
            if _run_of(names) not in whole or any(n not in spelled and n.casefold() in in_code for n in names):
                nothing = Span(len(there), len(there), "")
                return (Objection(FactKind.IDENTIFIER, *((nothing, code) if turned else (code, nothing))),)
    return ()


def _run_of(tokens: Iterable[str]) -> str:
    """Return tokens in small letters, each between two signs that stand in none of them."""
    return f"\0{chr(0).join(token.casefold() for token in tokens)}\0"


def _language(a: str, b: str, language: str) -> str:
    return guess(f"{a}\n{b}") if language == UNKNOWN_LANGUAGE else language


@remembered(8_192)
def _operators(sentence: str, language: str) -> tuple[Operator, ...]:
    """Return the words of a sentence that are not its content and still change its claim, with what they count as.

    A leave is left out before a negation, since "cannot" is one word and "can't" two, and in questions: what is denied
    counts instead.
    """
    table, denying = telling(language), telling(language, "negations")
    tokens = tokens_of(sentence, language)
    asks = sentence.rstrip().endswith("?")
    halves = _half_negations(tokens, language)
    operators: list[Operator] = []
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        is_negated = after is not None and after.kind is FactKind.NEGATION
        if token.key == "modality:may" and is_negated and token.word in _DENIED:
            operators.append((_DENIED[token.word], token))
        elif token.kind in _OPERATORS and not (token.key == "modality:may" and (is_negated or asks)):
            operators.append((token.key, token))
        elif token.kind is None and token.word in table:
            operators.append((table[token.word], token))
        elif token.kind is FactKind.NEGATION and token.word in denying:
            operators.append((denying[token.word], token))
        elif token.word in halves:
            operators.append((NEGATION, token))
        elif _counts(token, asks, language):
            operators.append((token.word, token))
    return tuple(operators)


_DENIED = {"can": "cannot", "could": "cannot", "may": "may not", "might": "may not"}
"""English leaves before a negation, and what they count as."""


def _half_negations(tokens: Sequence[Token], language: str) -> frozenset[str]:
    """Return words such as the French "ne", in a sentence in which another word makes a negation of them.

    Example: "ne ... plus".
    """
    rows = language_table(language)
    is_whole = any(t.word in rows.get("completed_by", "").split() for t in tokens)
    return frozenset(rows.get("half_negations", "").split()) if is_whole else frozenset()


def _counts(token: Token, asks: bool, language: str) -> bool:
    """Return whether a word of grammar counts because no table frees it.

    What a question asks with may be put otherwise.
    """
    if token.kind is not None or token.content or " " in token.word or token.key in (YES, NO):
        return False
    if asks and token.word in _ASKING:
        return False
    return is_telling(token.word, language)


_ASKING = frozenset("how what why let".split())


def _lone(operators: Sequence[Operator], lone: Counter[str]) -> list[Token]:
    return [token for key, token in operators if lone[key]]


def _within(sentence: Span, token: Token | None) -> Span:
    """Return where a token stands in the text; the sentence's end if the token stands on the other side."""
    if token is None:
        return Span(sentence.end, sentence.end, "")
    start, end = sentence.start + token.start, sentence.start + token.end
    return Span(start, end, sentence.text[token.start : token.end])


def first_difference(a: str, b: str) -> tuple[Objection, ...]:
    """Object to the stretch of two texts between their equal beginnings and ends, in whole words."""
    head, tail = _shared(a, b), _shared(a[::-1], b[::-1])
    tail = min(tail, min(len(a), len(b)) - head)
    spans = (Span(head, len(t) - tail, t[head : len(t) - tail]) for t in (a, b))
    return (Objection(FactKind.TERM, *spans),)


def _shared(a: str, b: str) -> int:
    """Return length of the equal beginning of two strings, back to the end of a word."""
    n = next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    while n and any(n < len(t) and t[n].isalnum() for t in (a, b)) and a[n - 1].isalnum():
        n -= 1
    return n


def _bare(text: str) -> str:
    return " ".join(_STOPS.sub(" ", normalise(text)).split())


def _tokens(text: str) -> list[str]:
    stripped = (token.strip(".,;:!?()[]{}\"'`*") for token in re.split(r"[\s`|]+", text))
    return [token for token in stripped if token]
