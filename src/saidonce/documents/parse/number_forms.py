"""The units that formats of spreadsheet cells add to numbers: 12.5 as `0.0 "kg"` is 12.5 kg."""

from __future__ import annotations

import re
from typing import Any

_PIECE = re.compile(
    r'"(?P<text>[^"]*)"|\\(?P<one>.)|\[\$(?P<money>[^\[\]-]*+)[^\[\]]*+\]|\[[^\[\]]*+\]|_.|\*.|(?P<sign>.)'
)
_CURRENCIES = "$€£¥₹₽₩₺₴₪"
MAX_UNIT = 20
FIRST_OWN = 164
"""Formats below this number are built in; their currency is that of the reader's country."""

Unit = tuple[str, str, int]
"""Text before the number and after it, and the decimals shown."""


def unit_of(cell: Any, form: str) -> Unit | None:
    """Return the unit in a cell's format; None if it has none, or if the format also scales or splits the number."""
    style = getattr(cell, "style_array", None)
    if style is None or style.numFmtId < FIRST_OWN:
        return None
    before, after, digits = "", "", ""
    for piece in _PIECE.finditer(form):
        sign = piece["sign"] or ""
        if sign == ";":
            break
        if sign in tuple("0#?.,"):
            if after.strip():
                return None
            digits, after = digits + sign, ""
            continue
        if sign and sign in "%/E@dmyhsGn":
            return None
        shown = piece["text"] or piece["one"] or piece["money"] or (sign if sign in (*_CURRENCIES, " ") else "")
        before, after = (before, after + shown) if digits else (before + shown, after)
    is_scaled = digits.endswith(",") or ",." in digits
    if not digits or is_scaled or not (_is_unit(before) or _is_unit(after)):
        return None
    return (before if _is_unit(before) else ""), (after if _is_unit(after) else ""), _decimals(digits)


def with_unit(value: float, plain: str, unit: Unit | None) -> str:
    """Return a number with its unit, and with the decimals shown if they are all it has."""
    if unit is None:
        return plain
    before, after, decimals = unit
    shown = f"{value:.{decimals}f}" if decimals and round(value, decimals) == value else plain
    sign, shown = ("-", shown[1:]) if shown.startswith("-") else ("", shown)
    return f"{sign}{before}{shown}{after}".strip()


def _is_unit(text: str) -> bool:
    """Return whether a text beside a number is a unit or a currency, not a bracket or a space."""
    return len(text) <= MAX_UNIT and any(c.isalpha() or c in _CURRENCIES or c == "°" for c in text)


def _decimals(digits: str) -> int:
    return len(re.sub(r"[^0#?]", "", digits.partition(".")[2]))
