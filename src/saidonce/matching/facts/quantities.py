"""Numbers, units, currencies, months: from a spelling to one canonical value."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from functools import cache

from saidonce.matching.facts.lexicon import TAGS, language_table, lines, table
from saidonce.matching.facts.scan import folded_word

_COMMA_LANGUAGES = frozenset(
    "ru cs sv da no nb nn fi tr id ro hu uk el vi sk sl hr sr bs mk bg be lt lv et is ca gl eu ka hy az kk af".split()
)
"""Languages without a table that write 1,5 for one and a half."""

MAX_DIGITS = 24
"""Longer runs of digits are identifiers, not amounts."""

_GROUPED = re.compile(r"\d{1,3}(?:[,\u00a0\u2009\u202f']\d{3})+(?:\.\d+)?")
_GROUPED_COMMA = re.compile(r"\d{1,3}(?:[.\u00a0\u2009\u202f']\d{3})+(?:,\d+)?")
_INDIAN = re.compile(r"\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?")


def canonical(value: Decimal) -> str:
    """Return one spelling for a value: no exponent, no trailing zeros."""
    if not value:
        return "0"
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def parse(digits: str, language: str) -> Decimal | None:
    """Return value of a number written in digits, or None if it is no single number."""
    if len(digits) > MAX_DIGITS:
        return None
    if _writes_decimal_comma(language):
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


def is_grouped(digits: str, language: str) -> bool:
    """Return whether full stops part the thousands of a number, where a comma stands before decimals: 2.000.000."""
    return _writes_decimal_comma(language) and bool(_GROUPED_COMMA.fullmatch(digits))


@cache
def _writes_decimal_comma(language: str) -> bool:
    return bool(language_table(language).get("comma_decimals", language in _COMMA_LANGUAGES))


@cache
def units(language: str) -> dict[str, tuple[str, Decimal]]:
    """Return spelling of a unit -> its dimension and its factor to the dimension's base.

    A language's own words come last.
    """
    return _units_of(table("quantities")["units"], _spelled) | own_units(language)


@cache
def cased_units() -> dict[str, tuple[str, Decimal]]:
    """Return symbol of a unit as it is written, case and all -> its dimension and factor; only where case decides."""
    return _units_of(table("quantities")["cased"], str)


@cache
def own_units(language: str) -> dict[str, tuple[str, Decimal]]:
    """Return the words of one language for units, which are no symbols."""
    return _units_of(language_table(language).get("units", {}), _spelled)


def _units_of(blocks: dict[str, str], spelled: Callable[[str], str]) -> dict[str, tuple[str, Decimal]]:
    units: dict[str, tuple[str, Decimal]] = {}
    for dimension, block in blocks.items():
        for line in lines(block):
            names, factor = line.rsplit(" = ", 1)
            units.update((spelled(name), (dimension, Decimal(factor))) for name in names.split())
    return units


@cache
def currencies(language: str) -> dict[str, str]:
    """Return sign, code or name of a currency -> its code."""
    rows = (*table("quantities")["currency"].items(), *language_table(language).get("currency", {}).items())
    return {_spelled(name): code for code, names in rows for name in names.split()}


def _spelled(name: str) -> str:
    return " ".join(folded_word(word) for word in name.split("_"))


def source_of_numbers(language: str) -> str:
    """Return the language whose number words a text is read by: its own, or English without a table."""
    return language if language in TAGS else "en"
