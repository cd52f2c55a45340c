"""Room facts: constructs that carry a value: amounts, quantities, dates, times, versions, ordinals."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TypeAlias

from saidonce.foundation.model import FactKind
from saidonce.matching.facts.quantities import (
    canonical,
    currencies,
    months,
    number_words,
    ordinals,
    parse,
    scales,
    units,
    weekdays,
)
from saidonce.matching.facts.scan import RawToken

Raw: TypeAlias = tuple[RawToken, ...]
Made: TypeAlias = tuple[int, str, FactKind]
"""How many pieces a construct spans, its key, its kind."""

MAX_NUMBER_WORDS = 12
"""Longer runs of number words are no number."""

_AMBIGUOUS_UNITS = frozenset("s h m g l w v x in mo mi an us min".split())
_SUFFIXES = {"k": 1_000, "m": 1_000_000, "bn": 1_000_000_000, "mm": 1_000_000}
_ORDINAL = re.compile(r"(\d{1,9})(?:st|nd|rd|th)")
_ATTACHED = re.compile(r"(\d+(?:[.,]\d+)*)([a-zµ]{1,5})")
_CASED_MONTHS = frozenset("may march mar sun sat mai".split())


def value_at(raw: Raw, at: int, language: str) -> Made | None:
    """The longest value that starts at a piece, or None."""
    shape = raw[at].shape
    if shape in _SINGLE:
        return _SINGLE[shape](raw, at)
    if shape == "ident":
        return _attached(raw, at, language)
    if shape == "number":
        return _dated(raw, at) or _counted(raw, at, language)
    if shape not in ("word", "sign") or raw[at].folded not in starters(language):
        return None
    return _dated(raw, at) or _named_currency(raw, at, language) or _counted(raw, at, language)


_STARTERS: dict[str, frozenset[str]] = {}


def starters(language: str) -> frozenset[str]:
    """Words that a value may begin with: numbers, months, weekdays, currencies."""
    if language not in _STARTERS:
        words = {*number_words(language), *scales(), *ordinals(), *months(), *weekdays(), *currencies()}
        _STARTERS[language] = frozenset(words - {"cent", "second", "mil", "an"} | {"second", "q1", "q2", "q3", "q4"})
    return _STARTERS[language]


def _iso(raw: Raw, at: int) -> Made:
    year, month, day = (int(n) for n in raw[at].folded.split("-"))
    return 1, f"@{year:04}-{month:02}-{day:02}", FactKind.DATE


def _slashed(raw: Raw, at: int) -> Made:
    """A date such as 03/04/2024; where day and month could be either, the key holds both readings."""
    one, two, year = (int(n) for n in re.split(r"[/.]", raw[at].folded))
    year += 2000 if year < 70 else 1900 if year < 100 else 0
    if one > 12 >= two or one == two:
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


_SINGLE = {"iso": _iso, "slashed": _slashed, "clock": _clock, "version": _version}


def _attached(raw: Raw, at: int, language: str) -> Made | None:
    found = _ATTACHED.fullmatch(raw[at].folded)
    if not found or (value := parse(found.group(1), language)) is None:
        return None
    return _with_unit(value, found.group(2), 1)


def _with_unit(value: Decimal, unit: str, width: int) -> Made | None:
    if known := units().get(unit):
        return width, f"#{canonical(value * known[1])} {known[0]}", FactKind.UNIT
    return None


def _number(raw: Raw, at: int, language: str) -> tuple[int, Decimal] | None:
    """A number in digits, words or both: 1,000; one thousand; 1.5 million; two hundred and five."""
    total, current, width, pending = Decimal(0), None, 0, 0
    words, multiply = number_words(language), scales()
    while at + width + pending < len(raw) and width < MAX_NUMBER_WORDS:
        folded = raw[at + width + pending].folded
        value = _below_hundred(raw[at + width + pending], words, language)
        if width and raw[at + width + pending].shape == "number" and raw[at].shape == "number":
            break
        if value is not None and (current is None or _may_follow(current, value)):
            current = value if current is None else current + value
        elif folded in multiply and (current is not None or width == 0) and folded != "cent":
            factor = multiply[folded]
            base = Decimal(1) if current is None else current
            current = base * factor
            if factor >= 1_000 and (width or pending):
                total, current = total + current, None
        elif folded == "and" and width and not pending and current and raw[at + width - 1].folded in multiply:
            pending = 1
            continue
        else:
            break
        width += pending + 1
        pending = 0
    if not width or (current is None and not total):
        return None
    return width, total + (current or Decimal(0))


def _below_hundred(piece: RawToken, words: dict[str, int], language: str) -> Decimal | None:
    if piece.shape == "number" and piece.folded[-1].isdigit():
        return parse(piece.folded, language)
    value = words.get(piece.folded) if piece.shape == "word" else None
    return None if value is None else Decimal(value)


def _may_follow(current: Decimal, value: Decimal) -> bool:
    """Whether a number word adds to the one before it: twenty + one, two hundred + five."""
    tail = current % 100
    if tail == 0:
        return current > 0 and 0 < value < 100
    return tail >= 20 and tail % 10 == 0 and 0 < value < 10


def _counted(raw: Raw, at: int, language: str) -> Made | None:
    piece = raw[at]
    if found := _ORDINAL.fullmatch(piece.folded):
        return 1, f"o:{int(found.group(1))}", FactKind.NUMBER
    if piece.folded in ordinals() and piece.shape == "word":
        return 1, f"o:{ordinals()[piece.folded]}", FactKind.NUMBER
    number = _number(raw, at, language)
    if number is None:
        return None
    width, value = number
    after = raw[at + width] if at + width < len(raw) else None
    if after and after.folded in _SUFFIXES and after.start == raw[at + width - 1].end:
        value *= _SUFFIXES[after.folded]
        width += 1
        after = raw[at + width] if at + width < len(raw) else None
    return _measured(raw, at, width, value, after) or _bare(piece, width, value)


def _measured(raw: Raw, at: int, width: int, value: Decimal, after: RawToken | None) -> Made | None:
    if after is None:
        return None
    rest = raw[at + width : at + width + 2]
    two = " ".join(p.folded for p in rest)
    if len(rest) < 2:
        two = ""
    if two == "per cent":
        return _with_unit(value, "%", width + 2)
    if made := _with_unit(value, two, width + 2):
        return made
    close = after.start - raw[at + width - 1].end <= 1
    if (after.folded not in _AMBIGUOUS_UNITS or (close and raw[at].shape == "number")) and (
        made := _with_unit(value, after.folded, width + 1)
    ):
        return made
    code = currencies().get(after.folded)
    return (width + 1, f"#{canonical(value)} {code}", FactKind.AMOUNT) if code and close else None


def _bare(piece: RawToken, width: int, value: Decimal) -> Made:
    is_year = width == 1 and len(piece.folded) == 4 and piece.folded.isdigit() and 1500 <= value < 2200
    return width, f"#{canonical(value)}", FactKind.DATE if is_year else FactKind.NUMBER


def _named_currency(raw: Raw, at: int, language: str) -> Made | None:
    """A sign or code before a number: $5 million, EUR 20, Rs 300."""
    code = currencies().get(raw[at].folded)
    if not code or at + 1 >= len(raw) or raw[at + 1].shape not in ("number", "ident"):
        return None
    if raw[at + 1].shape == "ident":
        found = _ATTACHED.fullmatch(raw[at + 1].folded)
        value = parse(found.group(1), language) if found and found.group(2) in _SUFFIXES else None
        if found is None or value is None:
            return None
        return 2, f"#{canonical(value * _SUFFIXES[found.group(2)])} {code}", FactKind.AMOUNT
    number = _number(raw, at + 1, language)
    if number is None:
        return None
    width, value = number
    return width + 1, f"#{canonical(value)} {code}", FactKind.AMOUNT


def _dated(raw: Raw, at: int) -> Made | None:
    """Dates that name a month, weekdays, quarters."""
    piece = raw[at]
    if piece.shape == "word" and piece.folded in weekdays() and piece.written[0].isupper():
        return 1, f"@W{weekdays()[piece.folded]}", FactKind.DATE
    if _day(piece):
        return _day_first(raw, at)
    month = _month(raw, at)
    if not month:
        return None
    day = _day(raw[at + 1]) if at + 1 < len(raw) else 0
    if day and not _is_year(raw, at + 1):
        width, year = _year_after(raw, at + 2)
        return 2 + width, f"@{year}-{month:02}-{day:02}", FactKind.DATE
    width, year = _year_after(raw, at + 1)
    if not width and piece.folded in _CASED_MONTHS:
        return None
    return 1 + width, f"@{year}-{month:02}", FactKind.DATE


def _day_first(raw: Raw, at: int) -> Made | None:
    skip = 2 if _folded(raw, at + 1) in ("of", "de") else 1
    month = _month(raw, at + skip)
    if not month:
        return None
    width, year = _year_after(raw, at + skip + 1)
    return skip + 1 + width, f"@{year}-{month:02}-{_day(raw[at]):02}", FactKind.DATE


def _folded(raw: Raw, at: int) -> str:
    return raw[at].folded if at < len(raw) else ""


def _month(raw: Raw, at: int) -> int:
    if at >= len(raw) or raw[at].shape != "word" or not (raw[at].written[0].isupper() or at):
        return 0
    if raw[at].folded in _CASED_MONTHS and not raw[at].written[0].isupper():
        return 0
    return months().get(raw[at].folded, 0)


def _day(piece: RawToken) -> int:
    if piece.shape != "number":
        return 0
    digits = piece.folded[:-2] if _ORDINAL.fullmatch(piece.folded) else piece.folded
    return int(digits) if digits.isdigit() and len(digits) <= 2 and 1 <= int(digits) <= 31 else 0


def _is_year(raw: Raw, at: int) -> bool:
    return at < len(raw) and len(raw[at].folded) == 4 and raw[at].folded.isdecimal() and int(raw[at].folded) >= 1000


def _year_after(raw: Raw, at: int) -> tuple[int, str]:
    """A year that follows, and "----" if none does; "of" may stand between."""
    if _is_year(raw, at):
        return 1, raw[at].folded
    if _folded(raw, at) in ("of", "de") and _is_year(raw, at + 1):
        return 2, raw[at + 1].folded
    return 0, "----"
