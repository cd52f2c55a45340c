"""Numbers, shares, days and times of Chinese, Japanese and Korean passages in figures.

"12万元" is 120000, "万分之五" 0.05 %, "3만 원" 30000; "10/12" is the twelfth of October where the other text has that
day.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cache

from saidonce.matching.facts.plain.notation import in_one_notation
from saidonce.matching.facts.plain.tables import SPACELESS

_KEPT = re.compile(r"(https?://[^\s()]+|`[^`\n]*`|\S+@\S+)")

_HAN = "零一二三四五六七八九"
_ANY_HAN = f"[{_HAN}〇两十百]"
_CHARACTER = r"[\u3041-\u30ff\u4e00-\u9fff]"
_BLANK = re.compile(rf"(?<=[\d%℃]) (?={_CHARACTER})|(?<={_CHARACTER}) (?=\d)")
_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d.]|,\d)")
_MYRIADS = re.compile(r"(?<![\d.,/])(\d{1,4}(?:\.\d{1,4})?)万(?:(\d)千)?(?![\d千百十万亿億余餘多数數几幾分])")
_OF = {"百": 0, "千": 1, "万": 2}
_SHARE = re.compile(
    rf"([百千万])分之(\d{{1,3}}(?:\.\d+)?(?!\d)|{_ANY_HAN}{{1,5}}(?:[点點][{_HAN}]{{1,3}})?)(?![{_HAN}十百千])"
)
_MILLE = re.compile(r"(?<![\d.])(\d{1,3}(?:\.\d+)?)‰")
_TENTHS = re.compile(
    rf"(?<![\d.{_HAN}十百第几幾数數])([1-9一二三四五六七八九])(?:成(?=[。，；、以的左])|割(?=[引増以のがをは、。]))"
)
_LED = re.compile(r"(?<=[^\s\dA-Za-z/]):(?=[^\s/])")
"""A colon right before a time of day would be taken for one of its own."""

_ZERO = re.compile(r"(?<!\d)0(?=\d[点點时時시])|(?<=[点點时時])0(?=\d分)|(?<=시 )0(?=\d분)")

_SINO = {c: n for n, c in enumerate("일이삼사오육칠팔구", 1)}
_THOUSAND = re.compile(
    rf"(?<![\w.,])(?<!만 )(\d|[{''.join(_SINO)}])?([천백]) ?(?=(?:명|원|개|대|톤|권|미터|킬로|자)(?![가-힣]*리))"
)

_DAY = {
    "zh": re.compile(r"(?<![\d/])(1[0-2]|0?[1-9])月(3[01]|[12]\d|0?[1-9])[日号號]"),
    "ja": re.compile(r"(?<![\d/])(1[0-2]|0?[1-9])月(3[01]|[12]\d|0?[1-9])日"),
    "ko": re.compile(r"(?<![\d/])(1[0-2]|0?[1-9])월 ?(3[01]|[12]\d|0?[1-9])일"),
}
_SLASHED = re.compile(
    r"(?<![\d./])(?:(?<=매년 )|(?<=毎年)|(?<=每年)|(?=[\d/]+(?: ?\([月火水木金土日월화수목금토일周星]"
    r"|[のに]? ?\d{1,2}[:時点时]|から|まで|に(?![当相])|까지|부터|에(?! ?해당)|[上下]午|[起至到前])))"
    r"(1[0-2]|0?[1-9])/(3[01]|[12]\d|0?[1-9])(?![\d/.%])"
)
"""A day by its month, beside what only a day has there; else it may be a fraction."""


def in_figures(text: str, other: str, language: str) -> str:
    """Write numbers, shares, days and times in figures; addresses and code stay as they are."""
    parts = _KEPT.split(text)
    parts[::2] = (_written(part, other, language) for part in parts[::2])
    return "".join(parts)


def _written(text: str, other: str, language: str) -> str:
    text = _GROUPED.sub(lambda hit: hit[0].replace(",", ""), text)
    text = _SLASHED.sub(lambda hit: _day(hit, other, language), text)
    if language in SPACELESS:
        text = _SHARE.sub(_as_a_percentage, _BLANK.sub("", text))
        text = _TENTHS.sub(lambda hit: f"{_value(hit[1])}0%", text)
        text = _MILLE.sub(lambda hit: f"{_decimal(Decimal(hit[1]) / 10)}%", text)
    else:
        text = _THOUSAND.sub(lambda hit: str(_sino(hit[1]) * (1_000 if hit[2] == "천" else 100)), text)
    text = in_one_notation(_LED.sub(": ", text), "", language)
    if language in SPACELESS:
        text = _BLANK.sub("", _MYRIADS.sub(_of_myriads, text))
    return _ZERO.sub("", text)


def _day(hit: re.Match[str], other: str, language: str) -> str:
    """Return a day with a stroke as the other text has it in words, if it has none with a stroke."""
    month, day = int(hit[1]), int(hit[2])
    days = {(int(d[1]), int(d[2])) for d in _DAY[language].finditer(other)}
    if (month, day) not in days or _SLASHED.search(other):
        return hit[0]
    return f"{month}월 {day}일" if language == "ko" else f"{month}月{day}日"


def _of_myriads(hit: re.Match[str]) -> str:
    n = Decimal(hit[1]) * 10_000 + int(hit[2] or 0) * 1_000
    return _decimal(n) if n == int(n) and not (hit[2] and "." in hit[1]) else hit[0]


def _as_a_percentage(hit: re.Match[str]) -> str:
    n = _value(hit[2])
    return hit[0] if n is None else f"{_decimal(n / 10 ** _OF[hit[1]])}%"


def _decimal(n: Decimal) -> str:
    written = f"{n:f}"
    return written.rstrip("0").rstrip(".") if "." in written else written


@cache
def _value(written: str) -> Decimal | None:
    """Return a number of at most three places in figures or characters; None for another one."""
    if written[0].isdigit():
        return Decimal(written)
    whole, _, rest = written.replace("點", "点").partition("点")
    hit = re.fullmatch(rf"(?:([{_HAN}])?百零?)?(?:([{_HAN}])?十)?([{_HAN}两])?", whole)
    if hit is None:
        return None
    hundreds, tens, ones = (_digit(hit[n]) for n in (1, 2, 3))
    n = ones + ("十" in whole) * (tens or 1) * 10 + ("百" in whole) * (hundreds or 1) * 100
    return Decimal(f"{n}.{''.join(str(_HAN.index(c)) for c in rest)}" if rest else n)


def _digit(written: str | None) -> int:
    return 2 if written == "两" else _HAN.index(written) if written else 0


def _sino(written: str | None) -> int:
    return 1 if not written else _SINO.get(written) or int(written)
