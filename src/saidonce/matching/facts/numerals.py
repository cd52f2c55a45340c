"""Numbers, ordinals, months and weekdays in words, as each language forms them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cache, lru_cache
from typing import Any, TypeVar

from saidonce.matching.facts.lexicon import TAGS, PhraseTable, by_first_word, language_table, words_of
from saidonce.matching.facts.quantities import parse, source_of_numbers
from saidonce.matching.facts.scan import RawToken, folded_word

_Value = TypeVar("_Value")

_VOWELS = tuple("aeiou")


def longest(raw: Sequence[RawToken], at: int, phrases: PhraseTable[_Value]) -> tuple[int, _Value] | None:
    """Return the longest phrase of a table that starts at a piece: how many pieces it spans, and its value."""
    for words, value in phrases.get(raw[at].folded, ()):
        if len(words) == 1 or tuple(p.folded for p in raw[at : at + len(words)]) == words:
            return len(words), value
    return None


@cache
def number_phrases(language: str) -> PhraseTable[int]:
    """Return number words below one hundred, and those above that are words of their own, with their value."""
    rows = _numerals(language)
    return by_first_word(((w.replace("_", " "), n) for w, n in _phrases(rows)), source_of_numbers(language))


def _phrases(rows: dict[str, Any]) -> Iterator[tuple[str, int]]:
    for value, row in enumerate(rows.get("cardinal", "").split()):
        yield from ((word, value) for word in row.split("|"))
    yield from ((word, int(value)) for word, value in (row.split("=") for row in rows.get("others", "").split()))
    for value, row in enumerate(rows.get("tens", "").split(), 2):
        for word in row.split("|"):
            yield word, 10 * value
            yield from _compounds(rows, word, 10 * value)


def _compounds(rows: dict[str, Any], tens: str, value: int) -> Iterator[tuple[str, int]]:
    """Yield tens and units as a language puts them together: twenty-one, einundzwanzig, treinta y uno."""
    cardinal = [row.split("|") for row in rows.get("cardinal", "").split()]
    most = 20 if str(value) in rows.get("teens_after", "").split() else 10
    for n in range(1, min(most, len(cardinal))):
        units = rows["one_in_compounds"].split() if n == 1 and "one_in_compounds" in rows else cardinal[n]
        linked = str(n) in rows.get("linked", "").split()
        for pattern in rows.get("compound_linked" if linked else "compound", "").split("|"):
            for unit in units if pattern else ():
                stem = tens[:-1] if rows.get("elides") and unit.startswith(_VOWELS) else tens
                yield pattern.format(t=stem, u=unit).replace(" ", "_"), value + n


@cache
def _joined(language: str) -> dict[str, int]:
    """Return numbers below one thousand that are written as one word."""
    rows = _numerals(language)
    if "joined_hundred" not in rows:
        return {}
    small = {folded_word(word): n for word, n in _phrases(rows) if "_" not in word and 0 < n < 100}
    one = {folded_word(w): 1 for w in rows.get("one_in_compounds", "").split()}
    numbers = dict(small)
    heads = {"": 1} | one | {word: n for word, n in small.items() if 1 < n < 10}
    for hundred in rows["joined_hundred"].split("|"):
        for head, n in heads.items():
            numbers[head + hundred] = 100 * n
            for link in ("", *rows.get("joined_link", "").split()):
                numbers.update((head + hundred + link + word, 100 * n + rest) for word, rest in (small | one).items())
    return numbers | one


@lru_cache(maxsize=65_536)
def joined_number(word: str, language: str) -> int | None:
    """Return value of a number from 100 on that is written as one word, such as "zweitausenddreihundert"."""
    below = _joined(language)
    if not below or len(word) < 5:
        return None
    if word in below:
        return below[word] if below[word] > 20 else None
    for thousand in _numerals(language)["joined_thousand"].split("|"):
        head, separator, tail = word.partition(thousand)
        if separator and (not head or head in below) and (not tail or tail in below):
            return 1_000 * (below[head] if head else 1) + (below[tail] if tail else 0)
    return None


def _numerals(language: str) -> dict[str, Any]:
    rows: dict[str, Any] = language_table(source_of_numbers(language))["numerals"]
    return rows


@cache
def scales(language: str) -> dict[str, int]:
    """Return words that multiply: hundred, thousand, million."""
    return {folded_word(word): value for word, value in _numerals(language).get("scale", {}).items()}


@cache
def links(language: str) -> frozenset[str]:
    """Return words that join a hundred to what follows."""
    return words_of(_numerals(language).get("link", ""))


@cache
def ones(language: str) -> frozenset[str]:
    """Return articles that are the number one in front of a unit."""
    return words_of(_numerals(language).get("ones", "")) if language in TAGS else frozenset()


@cache
def ordinals(language: str) -> PhraseTable[int]:
    """Return ordinal words with their place."""
    rows = enumerate(_numerals(language).get("ordinals", "").split(), 1)
    named = ((word.replace("_", " "), n) for n, row in rows for word in row.split("|") if word != "-")
    return by_first_word(named, source_of_numbers(language))


@cache
def months(language: str) -> PhraseTable[int]:
    """Return names of months with their number; of all tables in a language without one."""
    tags = (language,) if language in TAGS else TAGS
    named = ((w.replace("_", " "), int(n)) for tag in tags for n, w in _names(tag, "months"))
    return by_first_word(named, language)


@cache
def weekdays(language: str) -> PhraseTable[int]:
    """Return names of weekdays with their number, Monday being 0; of all tables in a language without one."""
    tags = (language,) if language in TAGS else TAGS
    named = ((w.replace("_", " "), int(n) - 1) for tag in tags for n, w in _names(tag, "weekdays"))
    return by_first_word(named, language)


@cache
def every_weekday(language: str) -> PhraseTable[int]:
    """Return names of a weekday of every week, where they are not that of one day, too: "Mondays", as `weekdays`."""
    named = ((w, int(n) - 1) for n, w in _names(language, "every_weekday")) if language in TAGS else ()
    return by_first_word(named, language)


def _names(tag: str, what: str) -> Iterator[tuple[str, str]]:
    return ((n, w) for n, row in language_table(tag).get(what, {}).items() for w in row.split())


@cache
def days_or_words(language: str) -> frozenset[str]:
    """Return short names of weekdays that are words of their own, too."""
    return (
        words_of(language_table(language).get("words", {}).get("days_or_words", ""))
        if language in TAGS
        else frozenset()
    )


@cache
def cased(language: str) -> frozenset[str]:
    """Return names of months and weekdays that are such only with a capital."""
    return words_of(language_table(source_of_numbers(language)).get("cased", ""))


def may_begin_a_number(word: str, language: str) -> bool:
    """Return whether a word is a number, or one may begin with it."""
    return word in number_phrases(language)


def starting_words(language: str) -> frozenset[str]:
    """Return words that a number, a month or a weekday may begin with."""
    named = (number_phrases, ordinals, months, weekdays, every_weekday)
    return frozenset((*(w for table in named for w in table(language)), *scales(language), *ones(language)))


_DIGITS = {c: n for n, row in enumerate("〇零 一壹 二贰弐 三叁参 四肆 五伍 六陆 七柒 八捌 九玖".split()) for c in row}
_PLACES = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1_000, "仟": 1_000}
_MYRIADS = {"万": 10_000, "萬": 10_000, "亿": 100_000_000, "億": 100_000_000}
_NO_NUMBER_ALONE = frozenset("百千万亿佰仟萬億壹贰弐叁参肆伍陆柒捌玖拾")
"""Characters that stand in many words and mean a number only beside another numeral."""

HAN_NUMERALS = frozenset((*_DIGITS, *_PLACES, *_MYRIADS, "两", "兩"))
"""Characters that a number may be written in; the last two mean two before a measure."""


def han_number(raw: Sequence[RawToken], at: int, language: str) -> tuple[int, Decimal] | None:
    """Return a number in Chinese characters, in digits, or in digits before a myriad: 三百二十, 二〇二六, 3万5千.

    A Chinese digit behind a place, without the word for a place left out, is of the next place: 二百五 is 250, and
    二百零五 is 205. In Japanese it is one of units.
    """
    run = _run(raw, at)
    if not run or run[0].folded in _MYRIADS or (len(run) == 1 and run[0].folded in _NO_NUMBER_ALONE):
        return None
    if len(run) > 1 and all(p.folded in _DIGITS for p in run):
        if _is_about(run, language) and (not at or raw[at - 1].folded not in _BEFORE_POSITIONS):
            return 1, Decimal(_DIGITS[run[0].folded])
        return len(run), Decimal("".join(str(_DIGITS[p.folded]) for p in run))
    total, below, digit, place = Decimal(0), Decimal(0), None, 0
    for width, piece in enumerate(run):
        value = _digit(piece, language)
        if value == 0 and width and digit is None and piece.folded in _LEFT_OUT:
            place = 0
        elif value is not None:
            if digit is not None:
                return (width, total + below + digit) if width else None
            digit = value
        elif piece.folded in _PLACES:
            place = _PLACES[piece.folded]
            below += (Decimal(1) if digit is None else digit) * place
            digit = None
        elif piece.folded in _MYRIADS:
            place = _MYRIADS[piece.folded]
            total = (total + below + (digit or 0)) * place
            below, digit = Decimal(0), None
        else:  # digits that are no cardinal number, such as "14th"
            return (width, total + below + (digit or 0)) if width else None
    of_next_place = place // 10 if language == "zh" and place > _TEN else 1
    return len(run), total + below + (digit or 0) * of_next_place


def _is_about(run: Sequence[RawToken], language: str) -> bool:
    """Return whether two digits side by side mean one or the other: "three, four days" are not 34.

    In Japanese, where digits may stand by their places, those alone that follow each other.
    """
    if len(run) != _PAIR:
        return False
    one, two = (_DIGITS[piece.folded] for piece in run)
    return two == one + 1 > 1 or (language != "ja" and 0 < one < two)


_PAIR = 2
_BEFORE_POSITIONS = frozenset("点第號号")
"""Characters behind which digits stand by their places."""

_LEFT_OUT = "零〇"
_TEN = 10


def _run(raw: Sequence[RawToken], at: int) -> Sequence[RawToken]:
    """Return pieces of a number that stand without a gap; digits may begin one or follow a character."""
    end = at
    while end < len(raw) and (raw[end].folded in HAN_NUMERALS or raw[end].shape == "number"):
        if end > at and raw[end].start > raw[end - 1].end:
            break
        end += 1
    return raw[at:end]


def _digit(piece: RawToken, language: str) -> Decimal | None:
    if piece.shape == "number":
        return parse(piece.folded, language) if piece.folded[-1].isdigit() else None
    value = 2 if piece.folded in "两兩" else _DIGITS.get(piece.folded)
    return None if value is None else Decimal(value)
