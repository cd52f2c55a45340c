"""Days of one month, what lies between two sums, and telephone numbers, as the other text writes the same ones.

"On 6 and 7 December" is "on 6 December and 7 December", "zwischen 14 und 32 Euro" is "14 bis 32 €", and
"04.11.22.33.44" is "04 11 22 33 44".
"""

from __future__ import annotations

import re
from functools import cache

from saidonce.matching.facts.lexicon import language_table
from saidonce.matching.facts.numerals import months
from saidonce.matching.facts.plain.opening_hours import in_the_hours_of


def in_the_ranges_of(text: str, other: str, language: str) -> str:
    """Write hours, days of one month, bounds of a sum and telephone numbers as the other text has the same ones."""
    for rule in (in_the_hours_of, _with_each_month, _in_the_bounds_of, _in_the_groups_of):
        text = rule(text, other, language)
    return text


@cache
def _words(language: str) -> dict[str, str]:
    table: dict[str, str] = language_table(language).get("ranges", {})
    return table


@cache
def _sharing(language: str) -> re.Pattern[str] | None:
    """Return the expression for two days of which the second alone names the month; None without its words."""
    words = _words(language)
    if not words:
        return None
    names = sorted({" ".join(w) for rows in months(language).values() for w, _ in rows}, key=len, reverse=True)
    day, of = words["day"], words.get("of", "")
    return re.compile(
        rf"(?<![\w.,/-])(?P<one>[12]?\d|3[01])(?P<dot>{day}) (?P<tie>{words['days']}) (?P<two>[12]?\d|3[01]){day}"
        rf"(?P<month> {of}(?:{'|'.join(map(re.escape, names))})\b)",
        re.IGNORECASE,
    )


def _with_each_month(text: str, other: str, language: str) -> str:
    """Write the month behind the first of two days, too, where the other text names it there."""
    found_by = _sharing(language)
    return found_by.sub(lambda hit: _with_month(hit, other, language), text) if found_by else text


def _with_month(hit: re.Match[str], other: str, language: str) -> str:
    words = _words(language)
    month = hit["month"].strip().removeprefix(words.get("of", "")).casefold()
    number = next((n for rows in months(language).values() for w, n in rows if " ".join(w) == month), 0)
    figures = rf"[./-]0?{number}\b" if language != "en" else "(?!)"
    first = rf"(?<![\w.,/-])0?{hit['one']}(?:{words['day']}{re.escape(hit['month'])}\b|{figures})"
    if int(hit["one"]) >= int(hit["two"]) or not re.search(first, other, re.IGNORECASE):
        return hit[0]
    return f"{hit['one']}{hit['dot']}{hit['month']}{hit[0][len(hit['one']) + len(hit['dot']) :]}"


_SUM = r"(?:[$\u20ac\u00a3] ?)?\w+(?:[.,]\d+)*(?: ?[$\u20ac\u00a3%])?"


@cache
def _bounds(language: str) -> tuple[re.Pattern[str], re.Pattern[str]] | None:
    """Return the expressions for what lies between two sums and for what goes from one to the other."""
    words = _words(language)
    if "between" not in words:
        return None
    unit = rf"(?:(?<=[$\u20ac\u00a3%])|(?<=[$\u20ac\u00a3]\d)|(?<=[$\u20ac\u00a3]\d\d)| (?:{words['units']})\b)"
    between = rf"\b(?:{words['between']}) (?P<one>{_SUM}) (?:{words['and']}) (?P<two>{_SUM})(?P<unit>{unit})?"
    through = (
        rf"(?P<verb>\b(?:{words['verbs']}) )(?P<lead>{words['through']})"
        rf"(?P<one>{_SUM})(?: (?:{words['to']}) |\s?[-\u2013]\s?)(?P<two>{_SUM})(?P<unit>{unit})?"
    )
    return re.compile(between, re.IGNORECASE), re.compile(through, re.IGNORECASE)


def _in_the_bounds_of(text: str, other: str, language: str) -> str:
    """Write "between 9 and 18 euros" as "from 9 to 18 euros" where the other text says so of what costs or lasts."""
    found_by = _bounds(language)
    if found_by is None or (there := found_by[1].search(other)) is None:
        return text
    words = _words(language)
    tie = words["to"].partition("|")[0]

    def written(hit: re.Match[str]) -> str:
        before = hit.string[: hit.start()]
        is_verb = before.casefold().endswith(there["verb"].casefold())
        is_sum = bool(hit["unit"] is not None and there["unit"] is not None)
        return f"{there['lead']}{hit['one']} {tie} {hit['two']}{hit['unit']}" if is_verb and is_sum else hit[0]

    return found_by[0].sub(written, text)


_GROUPS = re.compile(r"(?<![\w.,/+-])(?:\+|0)\d{0,5}(?:[ ./-]\d{1,6}){1,6}(?![\w/-]|[.,]\d)")
_FEWEST = 9


def _in_the_groups_of(text: str, other: str, language: str) -> str:
    """Write a telephone number in the groups in which the other text has its digits.

    A word has to say that it is one: the groups of a part's number may tell it from another.
    """
    calls = _words(language).get("calls")
    if calls is None or not all(re.search(rf"\b(?:{calls})", side, re.IGNORECASE) for side in (text, other)):
        return text
    there = {re.sub(r"\D", "", hit[0]): hit[0] for hit in _GROUPS.finditer(other)}

    def written(hit: re.Match[str]) -> str:
        digits = re.sub(r"\D", "", hit[0])
        as_there = there.get(digits, hit[0]) if len(digits) >= _FEWEST else hit[0]
        return as_there if as_there[0] == hit[0][0] else hit[0]

    return _GROUPS.sub(written, text) if there else text
