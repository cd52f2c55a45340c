"""Times of day, numbers, quantities and ranges in one of their notations.

"Half past nine in the evening" is "21:30", "half a metre" .5 m, "Mon-Fri" is "Monday to Friday". What is ambiguous
stays as it is written: "half past nine" alone may be in the morning.
"""

from __future__ import annotations

import re
from functools import cache

from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.lexicon import LANGUAGES, grammar
from saidonce.matching.facts.numerals import months, ordinals, weekdays
from saidonce.matching.facts.plain.spans import with_whole_days
from saidonce.matching.facts.plain.styles import numbers_in_korean
from saidonce.matching.facts.plain.tables import SPACELESS, pairs, value_words, values, ways

_CLOCK = re.compile(r"\b(1[0-2]|0?[1-9])(?:[:.]([0-5]\d))? ?([ap])\.? ?m\b\.?", re.IGNORECASE)
_UHR = re.compile(r"\b([01]?\d|2[0-3])(?:[:.](\d\d))? Uhr\b")
_HEURES = re.compile(r"\b([01]?\d|2[0-3]) ?h(?: ?([0-5]\d))?\b")
_HAN = "一二三四五六七八九"
_UNITS_IN_CHARACTERS = (
    r"日(?=[までにから前後以内ほくぐ程、。，,]|$)|个?(?:周|天|年(?!代)|月|小时|分钟|次|度|名|倍)|週間|年間|か月|ヶ月|日間|時間|回|人(?!\w)|分間|分(?=前|後|以内|まで)"
    "|[个張张条座辆台棟楼层頁页章间家套根瓶杯箱袋份封篇处級级届项種种类位亩户匹頭头棵株元円米克斤吨升岁歳遍组排场轮室盏扇幅盒桶冊册枚脚羽軒階席件本位期只隻道颗顆步款批皿]"
    "|千米|公里|公斤|千克|毫米|厘米|毫升|名|人|[かカケヵヶ箇]所|つ(?!け)|メートル|キロ|グラム|リットル|センチ|ミリ|部屋|パーセント"
)
_HAN_NUMBER = re.compile(
    rf"(?<![{_HAN}两十百千万亿億〇零第数數几幾\d])([{_HAN}两十百千万][{_HAN}两十百千万零]*)(?={_UNITS_IN_CHARACTERS})"
)
_BELOW_A_MYRIAD = rf"(?:([{_HAN}两])?千)?零?(?:([{_HAN}两])?百)?零?(?:([{_HAN}])?十)?([{_HAN}两])?"
_LEAVES_OUT = re.compile(rf"百[{_HAN}两](?!十)|千[{_HAN}两](?!百)|[百千]十")
"""A place that a Chinese number skips without a word for it."""

_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?!,?\d)")
_DATE = re.compile(r"(\d{4})/(0?[1-9]|1[0-2])/(0?[1-9]|[12]\d|3[01])(?!\d)")
_YEARS = re.compile(r"(?<!\d)(1\d{3}|20\d\d) ?[-\u2013\u2014~\uff5e] ?(1\d{3}|20\d\d)(?!\d)")
_CODE_FIRST = re.compile(
    r"\b(EUR|USD|GBP|CHF|JPY|CNY|RMB|INR|PLN|AUD|CAD|NZD|SEK|NOK|DKK|CZK|AED|ARS|BGN|BRL|CLP|EGP|HKD|HUF|IDR|ILS|ISK"
    r"|JMD|KES|KRW|KZT|MXN|MYR|NGN|PHP|PKR|QAR|RUB|SAR|SGD|THB|TND|TWD|UAH|UYU|VND|ZAR)[ \u00a0]?"
    r"(\d+(?:[.,' \u00a0]\d{3})*(?:[.,]\d+)?)(?!\d)"
)
"""A code of a currency before its sum."""

_NO_CENTS = re.compile(r"(?<=\d)[.,] ?[-\u2013\u2014]{1,2}(?= ?(?:\u20ac|Euro|EUR|Fr|CHF))")
_THOUSANDS = re.compile(r"(?<!\d )(?<![\w.,])\d{1,3}(?: \d{3})+(?:(?=,\d\d(?!\d))|(?![\d.,]?\d))")
"""A number whose thousands are parted by blanks, as in most languages but English."""


def in_one_notation(text: str, _other: str, language: str) -> str:
    """Write times of day by 24 hours, and numbers, quantities, ranges and dates in one way."""
    return _noted(text, language)


@remembered(4_096)
def _noted(text: str, language: str) -> str:
    if language not in SPACELESS or not _OPEN_HOUR.search(text):
        text = _hours_of_the_day(text, language)
    text = _values_in_figures(_places_in_words(_telephone(text, language), language), language)
    text = _POWER.sub(lambda hit: f"{hit[1]}{_POWERS[hit[2]]}", text)
    text = _product(language).sub(" \N{MULTIPLICATION SIGN} ", text)
    text = _CODE_FIRST.sub(r"\2 \1", _NO_CENTS.sub("", text))
    text = with_whole_days(_ranges_in_words(text, language), language)
    if language != "en":
        text = _YEARS.sub("\\1\N{EN DASH}\\2", text)
    if language == "ko":
        return numbers_in_korean(text)
    if language in SPACELESS:
        return _in_characters(text, language)
    if language == "en":
        return _in_english(text)
    text = _THOUSANDS.sub(lambda m: m[0].replace(" ", ""), text)
    if language == "de":
        return _UHR.sub(lambda m: f"{int(m[1])}:{m[2] or '00'} Uhr", text)
    return _HEURES.sub(lambda m: f"{int(m[1])}:{m[2] or '00'}", text) if language in _OF_HOURS else text


_POWER = re.compile(r"(?<=\d)( ?(?:[kcdm]?m|ft))([23])(?![\w.,-]?\d|\w)")
_POWERS = {"2": "\N{SUPERSCRIPT TWO}", "3": "\N{SUPERSCRIPT THREE}"}
"""Squares and cubes as they are typed behind a number: "40 m2"."""

_TELEPHONE = re.compile(
    r"(?<![A-Za-z0-9.,/+-])(?:\+\d{1,3}[ ./-]?(?:\(0\) ?)?|\(?0\d{1,5}\)?[ ./-])\d{1,10}(?:[ ./-]\d{1,10}){0,6}"
    r"(?![A-Za-z0-9/-]|[.,]\d)"
)
_DATED = re.compile(r"\d\d?([./-])\d\d?\1\d{2,4}")
_FEWEST_DIGITS, _MOST_DIGITS = 7, 15
_HOURS_ALONE = re.compile(r"[012]\d{3}[ -][012]\d{3}")
_CALLED = re.compile(r"(?:\b[Tt][e\u00e9]l|\b[Ff]ax|[Pp]hone\b)[^\W\d]{0,12}(?: ?[.:]){0,2}\s?$")
"""What stands right in front of a number that is one of a telephone: "Tel. 0555 2048" names no two hours."""


def _telephone(text: str, language: str) -> str:
    """Write the digits of a telephone number without what groups them: "call (0131) 555-0172".

    A word has to say that it is one: the groups of a part's number may tell it from another.
    """
    cues = ways(language).get("telephone", "").split("|")
    small = text.casefold()
    return _TELEPHONE.sub(_in_one_run, text) if any(cue and cue in small for cue in cues) else text


def _in_one_run(hit: re.Match[str]) -> str:
    digits = re.sub(r"\D", "", hit[0].replace("(0)", ""))
    is_number = _FEWEST_DIGITS <= len(digits) <= _MOST_DIGITS
    may_be_hours = _HOURS_ALONE.fullmatch(hit[0]) and not _CALLED.search(hit.string, 0, hit.start())
    if not is_number or _DATED.fullmatch(hit[0]) or may_be_hours:
        return hit[0]
    return f"+{digits}" if hit[0][0] == "+" else digits


@cache
def _product(language: str) -> re.Pattern[str]:
    """Return the expression for what stands between the two sides of an area."""
    words = "|".join(["x", "X", *ways(language).get("product", "").split()])
    return re.compile(rf"(?<=\d) ?(?:{words}) ?(?=\d)(?<=[ xX])")


_PLACES = {
    "fr": re.compile(r"(?<![\w.,])(\d{1,2})(?:er|re|ère|e|ème|eme|nde?)(?= \w)"),
    "es": re.compile(r"(?<![\w.,])(\d{1,2})\.? ?[ºª](?= [^\W\d])"),
    "pt": re.compile(r"(?<![\w.,])(\d{1,2})\.? ?[ºª](?= [^\W\d])"),
    "it": re.compile(r"(?<![\w.,])(\d{1,2})[º°ª](?= (?!(?:sotto|sopra|di|per|a|e|o|C|F)\b)[^\W\d])"),
    "nl": re.compile(r"(?<![\w.,])(\d{1,2})(?:e|de|ste)(?= \w)"),
    "de": re.compile(
        r"(?<=\w )(\d{1,2})\.(?= (?:Stock|Etage|Obergeschoss|Untergeschoss|Tag|Monat|Jahr|Quartal|Rate|Mahnung"
        r"|Platz|Klasse|Auflage|Mal)(?:es|s|en)?\b)"
    ),
}  # fmt: skip
"""How a place in an order is written in figures, by language."""


def _places_in_words(text: str, language: str) -> str:
    """Write a place in an order as a word: "2e \u00e9tage" is "deuxi\u00e8me \u00e9tage"."""
    written = _PLACES.get(language)
    return written.sub(lambda hit: _in_a_word(hit, language), text) if written else text


_WORD_BEHIND = re.compile(r" (?:de |di |d['\u2019])?([^\W\d_]+)")


def _in_a_word(hit: re.Match[str], language: str) -> str:
    """Return the word for a place; a day of a month stays in figures."""
    behind = _WORD_BEHIND.match(hit.string, hit.end())
    is_day = behind is not None and behind[1].casefold() in months(language)
    return hit[0] if is_day else _place_words(language).get(int(hit[1]), hit[0])


@cache
def _place_words(language: str) -> dict[int, str]:
    """Return place -> the first word for it."""
    rows = [(place, " ".join(words)) for listed in ordinals(language).values() for words, place in listed]
    return {place: word for place, word in reversed(rows) if place}


def _values_in_figures(text: str, language: str) -> str:
    there = _words_for_values(text, language)
    for any_of, (frame, right) in values(language) if there else ():
        if not there.isdisjoint(any_of) and frame.search(text):
            text = frame.sub(right, text)
            there = _words_for_values(text, language)
    return text


def _words_for_values(text: str, language: str) -> set[str]:
    """Return which words a text has of those without which no frame of a value finds anything in it."""
    small = text.lower()
    return {word for word in value_words(language) if word in small}


_OF_HOURS = ("fr", "es", "pt", "it")
"""Languages in which "16 h" is a time of day."""


def _in_english(text: str) -> str:
    has_half_days = bool(_CLOCK.search(text))
    text = _FRACTION.sub(_with_fraction, _CLOCK.sub(_by_24_hours, text))
    return text if has_half_days else re.sub(r"(?<![\d:])0(\d:[0-5]\d)(?![\d:])", r"\1", text)


def _by_24_hours(hit: re.Match[str]) -> str:
    hour = int(hit[1]) % 12 + (12 if hit[3] in "pP" else 0)
    end = "." if hit[0].endswith(".") and _ends_there(hit.string, hit.end()) else ""
    return f"{hour}:{hit[2] or '00'}{end}"


_NEXT_WORD = re.compile(r"\s+([A-Z][a-z]*)(?= [a-z])")


def _ends_there(text: str, at: int) -> bool:
    """Return whether a sentence ends behind "a.m.": at the end, or before a word that is no name, day or month."""
    behind = _NEXT_WORD.match(text, at)
    if behind is None:
        return not text[at:].strip()
    word = behind[1].lower()
    return word in grammar("en").articles or word in grammar("en").function


_FRACTION = re.compile(r"(?:(?<!\d)(\d{1,3}) ?)?([\u00bc\u00bd\u00be\u215b])")
_OF_FRACTIONS = {"\u00bc": "25", "\u00bd": "5", "\u00be": "75", "\u215b": "125"}


def _with_fraction(hit: re.Match[str]) -> str:
    return f"{hit[1] or 0}.{_OF_FRACTIONS[hit[2]]}"


def _number(written: str, language: str) -> int:
    """Return the hour or minutes that a word or figures name."""
    return int(written) if written.isdigit() else dict(_numbers(language))[written.casefold()]


@cache
def _numbers(language: str) -> tuple[tuple[str, int], ...]:
    return tuple((word, int(n)) for word, n in pairs(language, "of_the_clock"))


@cache
def _hours(language: str) -> re.Pattern[str] | None:
    """Return the expression of a language for a time of day in words, of which a phrase says the half of the day.

    Its groups are `hour`, `half` and, if it has them, `past` and `to` (minutes, or a fraction of the hour), and
    `halfway` (to the hour that is named).
    """
    written = ways(language).get("hour")
    if written is None:
        return None
    words = "|".join(sorted((word for word, _ in _numbers(language)), key=len, reverse=True))
    number = rf"(?:\d{{1,2}}|{words})"
    return re.compile("".join(written.split("\n")).replace("NUMBER", number), re.IGNORECASE)


def _hours_of_the_day(text: str, language: str) -> str:
    """Write a time of day in words by 24 hours, where a phrase says the half of the day."""
    found_by, small = _hours(language), text.lower()
    if found_by is None or not any(half in small for half in _halves(language)):
        return text
    return found_by.sub(lambda hit: _hour_of_the_day(hit, language), text)


@cache
def _halves(language: str) -> tuple[str, ...]:
    """Return the phrases for a part of the day."""
    listed = "|".join(ways(language).get(name, "") for name in ("early", "late", "night"))
    return tuple(half for half in listed.split("|") if half)


def _hour_of_the_day(hit: re.Match[str], language: str) -> str:
    parts = hit.groupdict()
    hour, half = _number(hit["hour"], language), hit["half"].casefold()
    if not 0 < hour <= _NOON or (hour == _NOON and not parts.get("halfway")):
        return hit[0]
    hour %= _NOON
    is_late = half in ways(language)["late"].split("|") or (
        half in ways(language)["night"].split("|") and hour >= _DUSK
    )
    minutes = 60 * (hour + _NOON * is_late) + _minutes(parts, language)
    time = f"{minutes // 60 % 24}:{minutes % 60:02}"
    return ways(language)["by_24_hours"].replace("TIME", time).strip()


_NOON, _DUSK = 12, 6


def _minutes(parts: dict[str, str | None], language: str) -> int:
    """Return the minutes after the hour that is named; negative before it."""
    quarters = dict(pairs(language, "quarters"))
    if (past := parts.get("past")) is not None:
        return int(quarters.get(past.casefold().replace(" ", "_"), 0)) or _number(past, language)
    if (to := parts.get("to")) is not None:
        return -(int(quarters.get(to.casefold().replace(" ", "_"), 0)) or _number(to, language))
    return -30 if parts.get("halfway") else 0


_DASH = re.compile(r"[-\u2010-\u2015]")


@cache
def _tied(language: str) -> re.Pattern[str] | None:
    """Return the expression for two weekdays, months or numbers that a dash ties."""
    word = ways(language).get("through")
    if word is None:
        return None
    names = [" ".join(words) for table in (weekdays, months) for rows in table(language).values() for words, _ in rows]
    short = [name for name, _ in pairs(language, "short_days")]
    any_of = "|".join(sorted({re.escape(n) for n in (*names, *short)}, key=len, reverse=True))
    day = rf"(?:{any_of})\b\.?"
    figures = r"\d{1,4}(?::\d\d)?"
    alone, ended = r"(?<![\w.,/:$\u20ac\u00a3-])(?<![-\u2013] )", r"(?![\w/:-]|[.,]\d| ?[-\u2013] ?\d)"
    return re.compile(
        rf"(?<![\w-])({day}) ?[-\u2010-\u2015] ?({day})(?![\w-])"
        rf"|{alone}({figures}) ?[-\u2010-\u2015] ?({figures}){ended}",
        re.IGNORECASE,
    )


def _ranges_in_words(text: str, language: str) -> str:
    """Write a dash between two weekdays, months or numbers as the word that says the same."""
    found_by = _tied(language) if language in LANGUAGES and _DASH.search(text) else None
    if found_by is None:
        return text
    short = dict(pairs(language, "short_days"))

    def written(hit: re.Match[str]) -> str:
        one, two = (hit[1], hit[2]) if hit[1] else (hit[3], hit[4])
        end = "." if two.endswith(".") and not hit.string[hit.end() :].strip() else ""
        first, last = (short.get(day.rstrip(".").casefold(), day.rstrip(".")) for day in (one, two))
        return f"{first} {ways(language)['through']} {last}{end}"

    return found_by.sub(written, text)


def _in_characters(text: str, language: str) -> str:
    """Write Chinese and Japanese times by 24 hours, numbers of characters before a unit, and dates in one way."""
    text = _in_the_common_era(text, language)
    if not _OPEN_HOUR.search(text):
        text = _AFTERNOON.sub(lambda m: f"{_hour(m[1]) % 12 + 12}{m[2]}", text)
    text = _SHARE.sub(lambda m: f"{_of_han(m[2])}/{_of_han(m[1])}", text)
    text = _HAN_NUMBER.sub(lambda m: _in_digits(m[1], language), text)
    text = _GROUPED.sub(lambda m: m[0].replace(",", ""), text)
    return _DATE.sub(lambda m: f"{m[1]}年{int(m[2])}月{int(m[3])}日", text)


@cache
def _eras(language: str) -> tuple[dict[str, tuple[int, int]], re.Pattern[str]]:
    """Return era -> the year before its first one, and its last one; and the expression that finds a year of any."""
    spans = ((name, span.split("/")) for name, span in pairs(language, "eras"))
    eras = {name: (int(before), int(last)) for name, (before, last) in spans}
    return eras, re.compile(rf"({'|'.join(eras)})(?:(元)|(\d{{1,3}})|([〇零{_HAN}十]{{1,5}}))(?=年)")


_POSITIONS = str.maketrans(f"〇零{_HAN}", "00123456789")


def _in_the_common_era(text: str, language: str) -> str:
    """Write the years of an era as those of the common one; a year that an era does not have stays as it is."""
    eras, years = _eras(language)

    def written(hit: re.Match[str]) -> str:
        before, last = eras[hit[1]]
        year = 1 if hit[2] else int(hit[3]) if hit[3] else _year_in_han(hit[4])
        return str(before + year) if 0 < year <= last else hit[0]

    return years.sub(written, text)


def _year_in_han(written: str) -> int:
    """Return a number in characters, each of which is a digit ("one one four") or with tens; 0 for another one."""
    if "十" not in written:
        return int(written.translate(_POSITIONS))
    tens = re.fullmatch(rf"[{_HAN}]?十[{_HAN}]?", written)
    return _of_han(written) if tens else 0


_SHARE = re.compile(rf"(?<![{_HAN}十百千])([{_HAN}十])分[之の]([{_HAN}])(?![{_HAN}十百千])")
_AFTERNOON = re.compile(r"(?:下午|午後)(\d{1,2}|[一二三四五六七八九十]{1,2})([点時])")
_OPEN_HOUR = re.compile(
    r"(?<![一二三四五六日天号][早晚])(?<![午晨上前後间夜\d一二三四五六七八九十第])(?:0?[1-9]|1[01]|[一二三四五六七八九]|十一?)(?:点|时(?!间)|時(?!間))"
)
"""An hour that does not say which half of the day it is in; behind an afternoon perhaps of that: "下午3点到5点"."""


def _hour(written: str) -> int:
    return int(written) if written.isdigit() else _of_han(written)


def _in_digits(written: str, language: str) -> str:
    """Return a number in characters as digits; as it is written if it is none, such as "three, four".

    In Chinese a place that is left out is named: "two hundred, five" is 250 there, and 205 in Japanese.
    """
    high, myriad, low = written.rpartition("万")
    parts = [re.fullmatch(_BELOW_A_MYRIAD, part) for part in (high, low)]
    if not all(parts) or (myriad and not high):
        return f"{_in_digits(written[:-1], language)}千" if written.endswith("千") else written  # of a unit: kilometres
    if language == "zh" and (_LEAVES_OUT.search(written) or (high and low and low[0] != "零" and "千" not in low)):
        return written
    above, below = (_below_a_myriad(part) for part in (high, low))
    return str(10_000 * above + below)


def _below_a_myriad(part: str) -> int:
    """Return a number of at most four places in characters."""
    total, digit = 0, 0
    for c in part:
        if place := {"十": 10, "百": 100, "千": 1_000}.get(c):
            total += (digit or 1) * place
            digit = 0
        else:
            digit = {"两": 2, "零": 0}.get(c, _HAN.find(c) + 1)
    return total + digit


def _of_han(written: str) -> int:
    if "十" not in written:
        return _HAN.index(written) + 1
    tens, ones = written.split("十")
    return (_HAN.index(tens) + 1 if tens else 1) * 10 + (_HAN.index(ones) + 1 if ones else 0)
