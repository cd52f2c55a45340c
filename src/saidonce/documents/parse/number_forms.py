"""The units that formats of spreadsheet cells add to numbers: 12.5 as `0.0 "kg"` is 12.5 kg."""

from __future__ import annotations

import re

_PIECE = re.compile(
    r'"(?P<text>[^"]*)"|\\(?P<one>.)|\[\$(?P<money>[^\[\]-]*+)[^\[\]]*+\]|\[[^\[\]]*+\]|_.|\*.|(?P<sign>.)'
)
_CURRENCIES = "$€£¥₹₽₩₺₴₪"
MAX_UNIT = 20
FIRST_OWN = 164
"""Formats below this number are built in, and have no units but those of money."""

MONEY = {**dict.fromkeys((5, 6, 42), '"$"#,##0'), **dict.fromkeys((7, 8, 44), '"$"#,##0.00')}
"""Built-in formats of money: in dollars, unless the program of the reader's country has another currency for them."""

UNNAMED_MONEY = "amounts in Excel's own format of money are read as dollars; it names no currency"

_FORMAT = re.compile(rb'numFmtId="(\d{1,9})"')
_OWN_FORMAT = re.compile(rb'<(?:\w+:)?numFmt\b[^>]{0,2000}?numFmtId="(\d{1,9})"')

Unit = tuple[str, str, int]
"""Text before the number and after it, and the decimals shown."""


def unit_of(form_id: int | None, form: str, value: float) -> Unit | None:
    """Return the unit in a cell's format; None if it has none, or if the format also scales or splits the number.

    Args:
        form_id: number of the format; None where a cell has none.
    """
    if form_id is None or (form_id < FIRST_OWN and form_id not in MONEY):
        return None
    before, after, digits = "", "", ""
    for piece in _PIECE.finditer(_section(MONEY.get(form_id, form), value)):
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


def _section(form: str, value: float) -> str:
    """Return the part of a format that is for numbers of a sign; the first is for all if there is no other."""
    ends = [piece.start() for piece in _PIECE.finditer(form) if piece["sign"] == ";"]
    if not ends or not value < 0:
        return form
    return form[ends[0] + 1 : ends[1] if len(ends) > 1 else len(form)]


def has_unnamed_money(styles_xml: bytes) -> bool:
    """Return whether cells have a built-in format of money, and the workbook does not name its currency."""
    _, _, after = styles_xml.partition(b"cellXfs")
    used = {int(number) for number in _FORMAT.findall(after.partition(b"cellXfs")[0])}
    return bool(used & MONEY.keys() - {int(number) for number in _OWN_FORMAT.findall(styles_xml)})


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
