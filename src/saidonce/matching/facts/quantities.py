"""Room facts: numbers, units, currencies, months: from a spelling to one canonical value."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from functools import cache

from saidonce.matching.facts.lexicon import LANGUAGES, lines, table

COMMA_LANGUAGES = frozenset("de fr es it pt nl ru pl cs sv da no nb fi tr id ro hu uk".split())
"""Languages that write 1,5 for one and a half."""

MAX_DIGITS = 24
"""Longer runs of digits are identifiers, not amounts."""

_GROUPED = re.compile(r"\d{1,3}(?:[,\u00a0\u2009\u202f']\d{3})+(?:\.\d+)?")
_GROUPED_COMMA = re.compile(r"\d{1,3}(?:[.\u00a0\u2009\u202f']\d{3})+(?:,\d+)?")
_INDIAN = re.compile(r"\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?")


def canonical(value: Decimal) -> str:
    """One spelling for a value: no exponent, no trailing zeros."""
    if not value:
        return "0"
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def parse(digits: str, language: str) -> Decimal | None:
    """Value of a number written in digits, or None if it is no single number."""
    if len(digits) > MAX_DIGITS:
        return None
    if language in COMMA_LANGUAGES:
        if _GROUPED_COMMA.fullmatch(digits):
            digits = re.sub(r"[.\u00a0\u2009\u202f']", "", digits)
        digits = digits.replace(",", ".")
    elif _GROUPED.fullmatch(digits) or _INDIAN.fullmatch(digits):
        digits = re.sub(r"[,\u00a0\u2009\u202f']", "", digits)
    elif digits.count(",") == 1 and "." not in digits:
        digits = digits.replace(",", ".")
    try:
        return Decimal(digits)
    except InvalidOperation:
        return None


@cache
def number_words(language: str) -> dict[str, int]:
    """Words below one hundred with their value."""
    rows = table("quantities")
    name = language if language in LANGUAGES else "en"
    small = {w.casefold(): n for n, w in enumerate(rows["cardinal"][name].split())}
    return small | {w.casefold(): 10 * n for n, w in enumerate(rows["tens"][name].split(), 2)}


@cache
def scales() -> dict[str, int]:
    """Words that multiply: hundred, thousand, million."""
    return {w: int(n) for w, n in table("quantities")["scale"].items()}


@cache
def ordinals() -> dict[str, int]:
    """Ordinal words with their place."""
    rows = table("quantities")["ordinal"]
    return {w: n for n, w in enumerate(rows["words"].split(), 1)} | {"thirtieth": 30}


@cache
def months() -> dict[str, int]:
    """Names of months with their number."""
    return {w: int(n) for n, row in table("quantities")["months"].items() for w in row.split()}


@cache
def weekdays() -> dict[str, int]:
    """Names of weekdays; equal numbers are equal days."""
    return {w: n % 7 for n, w in enumerate(table("quantities")["weekdays"]["words"].split())}


@cache
def units() -> dict[str, tuple[str, Decimal]]:
    """Spelling of a unit -> its dimension and its factor to the dimension's base."""
    found: dict[str, tuple[str, Decimal]] = {}
    for dimension, block in table("quantities")["units"].items():
        for line in lines(block):
            names, factor = line.rsplit(" = ", 1)
            found.update((name.replace("_", " "), (dimension, Decimal(factor))) for name in names.split())
    return found


@cache
def currencies() -> dict[str, str]:
    """Sign, code or name of a currency -> its code."""
    rows = table("quantities")["currency"]
    return {name: code for code, names in rows.items() for name in names.split()}
