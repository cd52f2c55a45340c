"""What formats of spreadsheet cells make of numbers: 12.5 as `0.0 "kg"` is 12.5 kg, 1 as `"open";"shut"` is open."""

from __future__ import annotations

import operator
import re
from itertools import pairwise
from typing import NamedTuple

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
    """Return the unit in a cell's format; None if it has none, or if the format also splits the number.

    Args:
        form_id: number of the format; None where a cell has none.
    """
    if form_id is None or (form_id < FIRST_OWN and form_id not in MONEY):
        return None
    parts = _parts(_section(MONEY.get(form_id, form), value))
    if parts is None or not parts.digits or not (_is_unit(parts.before) or _is_unit(parts.after)):
        return None
    before, after = (text if _is_unit(text) else "" for text in (parts.before, parts.after))
    return before, after, _decimals(parts.digits)


def scale_of(form_id: int | None, form: str, value: float) -> int:
    """Return by how much a format divides a number before it is shown: 1,000 for each comma behind the digits."""
    if form_id is None or form_id < FIRST_OWN:
        return 1
    parts = _parts(_section(form, value))
    hit = _SCALE.search(parts.digits) if parts else None
    return 1000 ** len(hit[1]) if hit else 1


def words_of(form_id: int | None, form: str, value: float) -> str:
    """Return the words or signs that a format shows instead of a number: "open" for 1; empty if it shows the number."""
    if form_id is None or form_id < FIRST_OWN:
        return ""
    shown = ""
    for piece in _PIECE.finditer(_section(form, value)):
        sign = piece["sign"] or ""
        if sign and sign not in " ()-+":
            return ""
        shown += piece["text"] or piece["one"] or sign
    return shown.strip() if any(c not in _EMPTY for c in shown) else ""


class _Parts(NamedTuple):
    """What stands in a section of a format before its digits and after them, and the signs of its digits."""

    before: str
    after: str
    digits: str


def _parts(section: str) -> _Parts | None:
    """Return the parts of a section; None if it says more than digits and texts: a percentage, a date, a fraction."""
    before, after, digits = "", "", ""
    for piece in _PIECE.finditer(section):
        sign = piece["sign"] or ""
        if sign in tuple("0#?.,"):
            if after.strip():
                return None
            digits, after = digits + sign, ""
            continue
        if sign and sign in "%/E@dmyhsGn":
            return None
        shown = piece["text"] or piece["one"] or piece["money"] or (sign if sign in (*_CURRENCIES, " ") else "")
        before, after = (before, after + shown) if digits else (before + shown, after)
    return _Parts(before, after, digits)


_SCALE = re.compile(r"[0#?](,+)(?:\.|\Z)")
_EMPTY = " ()-+\u2010\u2011\u2012\u2013\u2014\u00a0"
"""What stands for a number that is nothing, and says no word."""

_CONDITION = re.compile(r"\[(<=|>=|<>|<|>|=)(-?\d{1,15}(?:\.\d{1,15})?)\]")
_HOLDS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq, "<>": operator.ne}


def _section(form: str, value: float) -> str:
    """Return the part of a format that is for a number: by its condition or sign; the first if there is no other."""
    ends = [piece.start() for piece in _PIECE.finditer(form) if piece["sign"] == ";"]
    sections = [form[start + 1 : end] for start, end in pairwise([-1, *ends, len(form)])]
    conditions = [_CONDITION.search(section) for section in sections]
    if any(conditions):
        held = (n for n, hit in enumerate(conditions) if hit is None or _HOLDS[hit[1]](value, float(hit[2])))
        return sections[next(held, 0)]
    at = 1 if value < 0 else 2 if value == 0 else 0
    return sections[at] if at < min(len(sections), _OF_NUMBERS) else sections[0]


_OF_NUMBERS = 3
"""Parts of a format that are for numbers; the fourth is for texts."""


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
