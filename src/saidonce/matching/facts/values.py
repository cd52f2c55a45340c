"""Constructs that carry a value: amounts, quantities, dates, times, versions, ordinals."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cache, lru_cache
from typing import TypeAlias

from saidonce.foundation.model import FactKind
from saidonce.matching.facts.lexicon import TAGS, has_no_spaces, language_table, words_of
from saidonce.matching.facts.numerals import (
    HAN_NUMERALS,
    cased,
    days_or_words,
    every_weekday,
    han_number,
    joined_number,
    links,
    longest,
    months,
    number_phrases,
    ones,
    ordinals,
    scales,
    starting_words,
    weekdays,
)
from saidonce.matching.facts.quantities import canonical, cased_units, currencies, is_grouped, own_units, parse, units
from saidonce.matching.facts.scan import RawToken

Raw: TypeAlias = tuple[RawToken, ...]
Made: TypeAlias = tuple[int, str, FactKind]
"""How many pieces a construct spans, its key, its kind."""

MAX_NUMBER_WORDS = 12
"""Longer runs of number words are no number."""

_AMBIGUOUS_UNITS = frozenset("s h m g l w v x in mo mi an us min".split())
_SUFFIXES = {"k": 1_000, "m": 1_000_000, "bn": 1_000_000_000, "mm": 1_000_000}
"""Letters behind the digits of a number that multiply it."""

_MILLIONS = {
    "m": 6,
    "mm": 6,
    "mn": 6,
    "mio": 6,
    "mln": 6,
    "mill": 6,
    "b": 9,
    "bn": 9,
    "mrd": 9,
    "md": 9,
    "mld": 9,
    "tn": 12,
}
_SUFFIXES_OF_MONEY = {"k": 1_000, "t": 1_000, "tsd": 1_000, "tys": 1_000} | {s: 10**n for s, n in _MILLIONS.items()}
"""Letters beside a sum of money that multiply it, also with a blank before them."""

_ORDINAL = re.compile(r"(\d{1,9})(?:st|nd|rd|th)")
_ATTACHED = re.compile(r"(\d+(?:[.,]\d+)*)([a-zµ]{1,5})")


def value_at(raw: Raw, at: int, language: str) -> Made | None:
    """Return the longest value that starts at a piece, or None."""
    shape = raw[at].shape
    if shape == "version" and is_grouped(raw[at].folded, language):
        raw = (*raw[:at], raw[at]._replace(shape="number"), *raw[at + 1 :])
        shape = "number"
    if shape == "slashed":
        return _slashed(raw, at, language)
    if shape in _SINGLE:
        return _SINGLE[shape](raw, at)
    if shape == "ident":
        return _attached(raw, at, language)
    if shape == "number":
        return _dated(raw, at, language) or _counted(raw, at, language)
    if shape not in ("word", "sign", "cjk") or not may_start(raw[at].folded, language):
        return None
    return _dated(raw, at, language) or _named_currency(raw, at, language) or _counted(raw, at, language)


def may_start(word: str, language: str) -> bool:
    """Return whether a value may begin with a word."""
    return word in starters(language) or joined_number(word, language) is not None


@lru_cache(maxsize=65_536)
def may_be_value(word: str, language: str) -> bool:
    """Return whether a word may belong to a value: figures, a number in words, a month, a unit, a currency."""
    return word[:1].isdigit() or word in units(language) or may_start(word, language)


@cache
def starters(language: str) -> frozenset[str]:
    """Return words that a value may begin with: numbers, months, weekdays, currencies."""
    quarters = ("q1", "q2", "q3", "q4")
    han = HAN_NUMERALS if has_no_spaces(language) else frozenset[str]()
    return starting_words(language) | currencies(language).keys() | {*quarters} | han


def _iso(raw: Raw, at: int) -> Made:
    year, month, day = (int(n) for n in raw[at].folded.split("-"))
    return 1, f"@{year:04}-{month:02}-{day:02}", FactKind.DATE


def _slashed(raw: Raw, at: int, language: str) -> Made:
    """Return a date such as 03/04/2024; where day and month could be either, the key holds both readings.

    With full stops the day comes first, as it does in all languages with tables but English.
    """
    one, two, year = (int(n) for n in re.split(r"[/.]", raw[at].folded))
    year += 2000 if year < 70 else 1900 if year < 100 else 0
    is_day_first = "." in raw[at].folded or (language in TAGS and language != "en")
    if one > 12 >= two or one == two or (is_day_first and two <= 12):
        return 1, f"@{year:04}-{two:02}-{one:02}", FactKind.DATE
    if two > 12 >= one:
        return 1, f"@{year:04}-{one:02}-{two:02}", FactKind.DATE
    return 1, f"@{year:04}-{one:02}/{two:02}", FactKind.DATE


def _clock(raw: Raw, at: int) -> Made:
    text = raw[at].folded.replace(".", "")
    digits = [int(n) for n in re.findall(r"\d+", text)]
    hour, minute = digits[0], digits[1] if len(digits) > 1 else 0
    if text.endswith("pm") and hour < 12:
        hour += 12
    if text.endswith("am") and hour == 12:
        hour = 0
    tail = f":{digits[2]:02}" if len(digits) > 2 and digits[2] else ""
    return 1, f"@T{hour:02}:{minute:02}{tail}", FactKind.DATE


def _version(raw: Raw, at: int) -> Made:
    return 1, "v:" + raw[at].folded.lstrip("v. "), FactKind.VERSION


_SINGLE = {"iso": _iso, "clock": _clock, "version": _version}


def _attached(raw: Raw, at: int, language: str) -> Made | None:
    match = _ATTACHED.fullmatch(raw[at].folded)
    if not match or (value := parse(match.group(1), language)) is None:
        return None
    unit = match.group(2)
    return _with_unit(value, unit, 1, language, raw[at].written[-len(unit) :])


def _with_unit(value: Decimal, unit: str, width: int, language: str, written: str = "") -> Made | None:
    if known := cased_units().get(written) or units(language).get(unit):
        return width, f"#{canonical(value * known[1])} {known[0]}", FactKind.UNIT
    return None


def _number(raw: Raw, at: int, language: str) -> tuple[int, Decimal] | None:
    """Return a number in digits, words or both: 1,000; one thousand; 1.5 million; two hundred and five."""
    if has_no_spaces(language):
        return han_number(raw, at, language)
    total, current, width, pending = Decimal(0), None, 0, 0
    multiply = scales(language)
    while at + width + pending < len(raw) and width < MAX_NUMBER_WORDS:
        piece = raw[at + width + pending]
        if width and piece.shape == "number" and raw[at].shape == "number":
            break
        read, value = _below_scale(raw, at + width + pending, language, leads=not width)
        if value is not None and (current is None or _may_follow(current, value)):
            current = value if current is None else current + value
        elif piece.folded in multiply and (current is not None or width == 0):
            factor = multiply[piece.folded]
            base = Decimal(1) if current is None else current
            current = base * factor
            if factor >= 1_000 and (width or pending):
                total, current = total + current, None
        elif width and not pending and current and _joins(raw, at + width, language):
            pending = 1
            continue
        else:
            break
        width += pending + read
        pending = 0
    if not width or (current is None and not total):
        return None
    return width, total + (current or Decimal(0))


def _below_scale(raw: Raw, at: int, language: str, *, leads: bool) -> tuple[int, Decimal | None]:
    """Return how many pieces a number without a scale word spans, and its value."""
    piece = raw[at]
    if piece.shape == "number" and piece.folded[-1].isdigit():
        return 1, parse(piece.folded, language)
    if piece.shape != "word" or piece.folded in scales(language):
        return 1, None
    if phrase := longest(raw, at, number_phrases(language)):
        return phrase[0], Decimal(phrase[1])
    joined = 1 if leads and piece.folded in ones(language) else joined_number(piece.folded, language)
    return 1, None if joined is None else Decimal(joined)


def _joins(raw: Raw, at: int, language: str) -> bool:
    """Return whether a word such as "and" leads on from a hundred or more to what is below it."""
    before = raw[at - 1].folded
    own = number_phrases(language).get(before, ())
    return raw[at].folded in links(language) and (before in scales(language) or any(n >= 100 for _, n in own))


def _may_follow(current: Decimal, value: Decimal) -> bool:
    """Return whether a number word adds to the one before it: twenty + one, two hundred + five, mil + doscientos."""
    tail = current % 100
    if 100 <= value < 1_000 and current % 1_000 == 0:
        return current > 0 and value == value.to_integral_value()
    if tail == 0:
        return current > 0 and 0 < value < 100
    return tail >= 20 and tail % 10 == 0 and 0 < value < 10


def _counted(raw: Raw, at: int, language: str) -> Made | None:
    piece = raw[at]
    if match := _ORDINAL.fullmatch(piece.folded):
        return 1, f"o:{int(match.group(1))}", FactKind.NUMBER
    if piece.shape in ("word", "cjk") and (place := longest(raw, at, ordinals(language))):
        return place[0], f"o:{place[1]}", FactKind.NUMBER
    number = _number(raw, at, language)
    if number is None:
        return None
    width, value = number
    if width == 1 and piece.folded in ones(language):
        return _measured(raw, (at, width), value, language)
    after = raw[at + width] if at + width < len(raw) else None
    if after and after.folded in _SUFFIXES and after.start == raw[at + width - 1].end:
        value *= _SUFFIXES[after.folded]
        width += 1
    money = _sum(raw, (at, width), value, language) if piece.shape == "number" else None
    return money or _measured(raw, (at, width), value, language) or _bare(piece, width, value)


def _measured(raw: Raw, number: tuple[int, int], value: Decimal, language: str) -> Made | None:
    """Return a number with the unit or currency behind it.

    Args:
        number: place of the number, and how many pieces it spans.
    """
    at, width = number
    rest = raw[at + width : at + width + 3]
    if not rest:
        return None
    if has_no_spaces(language) and rest[0].shape == "cjk":
        behind = raw[at + width : at + width + LONGEST_IN_CHARACTERS]
        return _measured_in_characters(behind, width, value, language)
    after = rest[0]
    two = " ".join(p.folded for p in rest[:2]) if len(rest) > 1 else ""
    if two in _PERCENT:
        return _with_unit(value, "%", width + 2, language)
    if measured := _with_unit(value, two, width + 2, language):
        return measured
    close = after.start - raw[at + width - 1].end <= 1
    is_sure = after.folded not in _AMBIGUOUS_UNITS or after.folded in own_units(language)
    if (is_sure or (close and raw[at].shape == "number")) and (
        measured := _with_unit(value, after.folded, width + 1, language, after.written)
    ):
        return measured
    code = currencies(language).get(after.folded)
    return (width + 1, f"#{canonical(value)} {code}", FactKind.AMOUNT) if code and close else None


def _sum(raw: Raw, number: tuple[int, int], value: Decimal, language: str) -> Made | None:
    """Return a number with letters that multiply it and a currency behind them: 5 k€, 2,5 Mio. Euro."""
    at, width = number
    wider, multiplied = _multiplied(raw, at, (width, value))
    if wider == width or at + wider >= len(raw):
        return None
    code = currencies(language).get(raw[at + wider].folded)
    is_close = raw[at + wider].start - raw[at + wider - 1].end <= _DOT_AND_BLANK
    return (wider + 1, f"#{canonical(multiplied)} {code}", FactKind.AMOUNT) if code and is_close else None


_DOT_AND_BLANK = 2

LONGEST_IN_CHARACTERS = 8
"""Characters of the longest name of a unit where each is a piece: of fewer, a kilometre might be read as a kilo."""

_PERCENT = frozenset(("per cent", "pour cent", "por ciento", "per cento", "por cento"))


def _measured_in_characters(rest: Raw, width: int, value: Decimal, language: str) -> Made | None:
    """Return the longest unit or currency that the characters behind a number spell."""
    for length in range(len(rest), 0, -1):
        name = "".join(p.folded for p in rest[:length])
        if measured := _with_unit(value, name, width + length, language):
            return measured
        if code := currencies(language).get(name):
            return width + length, f"#{canonical(value)} {code}", FactKind.AMOUNT
    return None


def _bare(piece: RawToken, width: int, value: Decimal) -> Made:
    is_year = width == 1 and len(piece.folded) == 4 and piece.folded.isdigit() and 1500 <= value < 2200
    return width, f"#{canonical(value)}", FactKind.DATE if is_year else FactKind.NUMBER


def _named_currency(raw: Raw, at: int, language: str) -> Made | None:
    """Return a sign or code before a number: $5 million, EUR 20, Rs 300."""
    code = currencies(language).get(raw[at].folded)
    if not code or at + 1 >= len(raw) or raw[at + 1].shape not in ("number", "ident"):
        return None
    if raw[at + 1].shape == "ident":
        match = _ATTACHED.fullmatch(raw[at + 1].folded)
        value = parse(match.group(1), language) if match and match.group(2) in _SUFFIXES else None
        if match is None or value is None:
            return None
        return 2, f"#{canonical(value * _SUFFIXES[match.group(2)])} {code}", FactKind.AMOUNT
    number = _number(raw, at + 1, language)
    if number is None:
        return None
    width, value = _multiplied(raw, at + 1, number)
    return width + 1, f"#{canonical(value)} {code}", FactKind.AMOUNT


def _multiplied(raw: Raw, at: int, number: tuple[int, Decimal]) -> tuple[int, Decimal]:
    """Return a sum in digits with the letters behind it that multiply it: $2.5m, €2 Mio."""
    width, value = number
    after = raw[at + width] if at + width < len(raw) else None
    if after is None or raw[at].shape != "number" or (factor := _SUFFIXES_OF_MONEY.get(after.folded)) is None:
        return number
    is_close = after.start - raw[at + width - 1].end <= 1
    return (width + 1, value * factor) if is_close else number


def _dated(raw: Raw, at: int, language: str) -> Made | None:
    """Read dates that name a month, weekdays, quarters."""
    if has_no_spaces(language):
        return _dated_in_characters(raw, at, language)
    piece = raw[at]
    if dated := _weekday(raw, at, language) or (_day_first(raw, at, language) if _day(piece) else None):
        return dated
    month = _month(raw, at, language)
    if not month:
        return None
    width, number = month
    day = _day(raw[at + width]) if at + width < len(raw) else 0
    if day and not _is_year(raw, at + width):
        years, year = _year_after(raw, at + width + 1)
        return width + 1 + years, f"@{year}-{number:02}-{day:02}", FactKind.DATE
    years, year = _year_after(raw, at + width)
    if not years and (piece.folded in cased(language) or piece.folded in number_phrases(language)):
        return None  # "sept" is seven, too
    return width + years, f"@{year}-{number:02}", FactKind.DATE


def _weekday(raw: Raw, at: int, language: str) -> Made | None:
    if every := longest(raw, at, every_weekday(language)):
        return every[0], f"@W{every[1]}s", FactKind.DATE
    if raw[at].shape not in ("word", "cjk") or not (day := longest(raw, at, weekdays(language))):
        return None
    if raw[at].folded in cased(language) and not raw[at].written[0].isupper():
        return None
    if raw[at].folded in days_or_words(language) and _is_a_word(raw, at, language):
        return None
    return day[0], f"@W{day[1]}", FactKind.DATE


def _is_a_word(raw: Raw, at: int, language: str) -> bool:
    """Return whether a short name of a weekday goes on in a sentence as a word: "Sun reaches the terrace"."""
    if at + 1 >= len(raw) or raw[at + 1].shape != "word" or raw[at + 1].start - raw[at].end != 1:
        return False
    table = language_table(language)["abbreviations"]
    before, behind = (words_of(table[name]) for name in ("before_days", "behind_days"))
    if at and (raw[at - 1].shape != "word" or raw[at - 1].folded in before | weekdays(language).keys()):
        return False
    after = raw[at + 1].folded
    return not (after in behind or after in weekdays(language) or after in months(language))


def _day_first(raw: Raw, at: int, language: str) -> Made | None:
    skip = 2 if _folded(raw, at + 1) in _OF else 1
    month = _month(raw, at + skip, language)
    if not month:
        return None
    width, number = month
    years, year = _year_after(raw, at + skip + width)
    return skip + width + years, f"@{year}-{number:02}-{_day(raw[at]):02}", FactKind.DATE


_OF = ("of", "de", "del")


def _dated_in_characters(raw: Raw, at: int, language: str) -> Made | None:
    """Read dates such as 2026年3月4日, 三月四号 and 3月, weekdays, and months by name."""
    if dated := _weekday(raw, at, language) or _percentage_in_characters(raw, at, language):
        return dated
    width, parts = 0, []
    for signs in ("年", "月", "日号"):
        number = han_number(raw, at + width, language) if at + width < len(raw) else None
        after = _folded(raw, at + width + number[0]) if number else ""
        if number and after and after in signs:
            parts.append(int(number[1]))
            width += number[0] + 1
        elif signs == "年":
            parts.append(0)
        else:
            break
    if len(parts) < 2 or not 1 <= parts[1] <= 12 or not (parts[0] == 0 or 1_000 <= parts[0] < 10_000):
        return None
    year = f"{parts[0]:04}" if parts[0] else "----"
    day = f"-{parts[2]:02}" if len(parts) > 2 else ""
    return width, f"@{year}-{parts[1]:02}{day}", FactKind.DATE


def _percentage_in_characters(raw: Raw, at: int, language: str) -> Made | None:
    """Read percentages such as 百分之五."""
    if "".join(p.folded for p in raw[at : at + 3]) != "百分之" or at + 3 >= len(raw):
        return None
    number = han_number(raw, at + 3, language)
    return _with_unit(number[1], "%", 3 + number[0], language) if number else None


def _folded(raw: Raw, at: int) -> str:
    return raw[at].folded if at < len(raw) else ""


def _month(raw: Raw, at: int, language: str) -> tuple[int, int] | None:
    """Return how many pieces the name of a month spans, and its number."""
    if at >= len(raw) or raw[at].shape != "word" or not (raw[at].written[0].isupper() or at):
        return None
    if raw[at].folded in cased(language) and not raw[at].written[0].isupper():
        return None
    return longest(raw, at, months(language))


def _day(piece: RawToken) -> int:
    if piece.shape != "number":
        return 0
    digits = piece.folded[:-2] if _ORDINAL.fullmatch(piece.folded) else piece.folded
    return int(digits) if digits.isdigit() and len(digits) <= 2 and 1 <= int(digits) <= 31 else 0


def _is_year(raw: Raw, at: int) -> bool:
    return at < len(raw) and len(raw[at].folded) == 4 and raw[at].folded.isdecimal() and int(raw[at].folded) >= 1000


def _year_after(raw: Raw, at: int) -> tuple[int, str]:
    """Return a year that follows, and "----" if none does; "of" may stand between."""
    if _is_year(raw, at):
        return 1, str(int(raw[at].folded))
    if _folded(raw, at) in _OF and _is_year(raw, at + 1):
        return 2, str(int(raw[at + 1].folded))
    return 0, "----"
