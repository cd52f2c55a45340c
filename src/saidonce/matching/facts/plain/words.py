"""Phrases, courtesy, abbreviations and clock times written in one way."""

from __future__ import annotations

import re
from functools import cache

from saidonce.matching.facts.plain.styles import numbers_in_korean
from saidonce.matching.facts.plain.tables import SPACELESS, capital, frames, options, phrases, ways

_CLOCK = re.compile(r"\b(1[0-2]|0?[1-9])(?:[:.]([0-5]\d))? ?([ap])\.? ?m\b\.?", re.IGNORECASE)
_UHR = re.compile(r"\b([01]?\d|2[0-3])(?:[:.](\d\d))? Uhr\b")
_HEURES = re.compile(r"\b([01]?\d|2[0-3]) ?h(?: ?([0-5]\d))?\b")
_HAN = "一二三四五六七八九"
_HAN_NUMBER = re.compile(
    rf"(?<![{_HAN}十百千万第\d])([{_HAN}]?十[{_HAN}]?|[{_HAN}])"
    r"(?=个?(?:周|天|年(?!代)|月|小时|分钟|次|度|名|倍)|週間|年間|か月|ヶ月|日間|時間|回|人(?!\w)|分間)"
)
_DATE = re.compile(r"(\d{4})/(0?[1-9]|1[0-2])/(0?[1-9]|[12]\d|3[01])(?!\d)")


def in_one_wording(text: str, _other: str, language: str) -> str:
    """Write phrases of one meaning in one way."""
    known, found_by = phrases(language)
    if found_by is None:
        return text

    def written(hit: re.Match[str]) -> str:
        right = known[hit[0].lower()]
        if right == "_":
            return ""
        at_start = not hit.string[: hit.start()].rstrip() or hit.string[: hit.start()].rstrip()[-1] in ".!?"
        return capital(right) if hit[0][:1].isupper() and (at_start or len(hit[0]) == 1) else right

    return _framed(found_by.sub(written, text), language, "frames")


def _framed(text: str, language: str, name: str) -> str:
    """Write what a list of phrases with gaps finds, one after the other."""
    for frame, right in frames(language, name):
        text = frame.sub(right, text)
    return text


def in_one_mood(text: str, _other: str, language: str) -> str:
    """Write an infinitive that bids as the imperative, and one way to say what has to be done as another."""
    return _framed(text, language, "biddings")


@cache
def _opening(language: str) -> re.Pattern[str] | None:
    listed = options(language, "opening")
    if not listed:
        return None
    if language in SPACELESS:
        return re.compile(rf"(?:(?<=[。！？，、\n])|^)(?:{listed})(?![假求客教])(\w)")
    return re.compile(rf"(?:(?<=[.!?\n] )|(?<=\n)|^)(?:{listed})(?:,? )(\w)", re.IGNORECASE)


@cache
def _closing(language: str) -> re.Pattern[str] | None:
    listed = options(language, "closing")
    return re.compile(rf",? (?:{listed})(?=[.!]?(?:\s|$))", re.IGNORECASE) if listed else None


def without_courtesy(text: str, _other: str, language: str) -> str:
    """Leave out "please" and what only leads up to a statement."""
    opening, closing = _opening(language), _closing(language)
    text = closing.sub("", text) if closing else text
    return opening.sub(lambda m: m[1].upper(), text) if opening else text


_LONG = re.compile(r"\b((?:[\w'-]{1,60} ){1,7}[\w'-]{1,60}) \(([A-Z][A-Za-z]*[A-Z])\)")
_SHORT = re.compile(r"\b([A-Z][A-Za-z]*[A-Z]) \(((?:[\w'-]+ ){1,7}[\w'-]+)\)")
_SMALL = frozenset("of and the for in on to de la le du des der die das und et y e".split())


def spelled_out(text: str, other: str, _language: str) -> str:
    """Write an abbreviation that either text defines as what it stands for."""
    for short, long in sorted({**_defined(text), **_defined(other)}.items()):
        for form in (f"{long} ({short})", f"{short} ({long})"):
            text = re.sub(re.escape(form), long, text, flags=re.IGNORECASE)
        text = re.sub(rf"(?<![\w-]){re.escape(short)}(?![\w-])", long, text)
    return text


def _defined(text: str) -> dict[str, str]:
    """Return abbreviation -> words whose first letters it has."""
    if "(" not in text:
        return {}
    known: dict[str, str] = {}
    for hit in _LONG.finditer(text):
        words = hit[1].split()
        longs = (words[-n:] for n in range(2, len(words) + 1))
        if long := next((each for each in longs if _initials(each, hit[2])), None):
            known[hit[2]] = " ".join(long)
    return known | {m[1]: m[2] for m in _SHORT.finditer(text) if _initials(m[2].split(), m[1])}


def abbreviations(text: str) -> frozenset[str]:
    """Return the abbreviations that a text says the meaning of."""
    return frozenset(_defined(text))


def _initials(words: list[str], short: str) -> bool:
    letters = [[w[0] for w in re.split(r"-", word) if w] for word in words]
    flat = [c for of_word in letters for c in of_word]
    kept = [c for word, of_word in zip(words, letters, strict=True) for c in of_word if word.casefold() not in _SMALL]
    return words[0].casefold() not in _SMALL and short.casefold() in (
        "".join(flat).casefold(),
        "".join(kept).casefold(),
    )


def of_the_clock(text: str, _other: str, language: str) -> str:
    """Write times of day by 24 hours, numbers of Han characters before a unit, and dates with slashes, in one way."""
    if language != "en":
        text = _YEARS.sub("\\1\N{EN DASH}\\2", text)
    if language == "ko":
        return numbers_in_korean(text)
    if language in SPACELESS:
        if not _OPEN_HOUR.search(text):
            text = _AFTERNOON.sub(lambda m: f"{_hour(m[1]) % 12 + 12}{m[2]}", text)
        text = _HAN_NUMBER.sub(lambda m: str(_of_han(m[1])), text)
        return _DATE.sub(lambda m: f"{m[1]}年{int(m[2])}月{int(m[3])}日", text)
    if language == "en":
        has_half_days = bool(_CLOCK.search(text))
        text = _CLOCK.sub(_by_24_hours, _HALF_OF_DAY.sub(_by_half_days, text))
        return text if has_half_days else re.sub(r"(?<![\d:])0(\d:[0-5]\d)(?![\d:])", r"\1", text)
    if language == "de":
        text = _HALB.sub(_half_past, text)
        return _UHR.sub(lambda m: f"{int(m[1])}:{m[2] or '00'} Uhr", text)
    if language in _OF_HOURS:
        return _HEURES.sub(lambda m: f"{int(m[1])}:{m[2] or '00'}", text)
    return text


_HOURS = "one two three four five six seven eight nine ten eleven".split()
_HALF_OF_DAY = re.compile(
    rf"(?<=\b(?:at|by) )(\d{{1,2}}|{'|'.join(_HOURS)})(?: o'clock)? in the (morning|afternoon|evening)\b", re.IGNORECASE
)
"""An hour of which a phrase says the half of the day."""


def _by_half_days(hit: re.Match[str]) -> str:
    hour = int(hit[1]) if hit[1].isdigit() else 1 + _HOURS.index(hit[1].lower())
    return f"{hour} {'a.m.' if hit[2].lower() == 'morning' else 'p.m.'}" if 0 < hour < 12 else hit[0]


_STUNDEN = "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf".split()
_HALB = re.compile(
    rf"\bhalb (?P<hour>{'|'.join(_STUNDEN)}) (?P<half>morgens|früh|vormittags|nachmittags|abends)(?!\w)", re.IGNORECASE
)
"""A German half hour of which a word says the half of the day: half of the hour that it names is over."""


def _half_past(hit: re.Match[str]) -> str:
    hour = _STUNDEN.index(hit["hour"].lower())
    is_late = hit["half"].lower() in ("nachmittags", "abends")
    return f"{hour + 12 * is_late}:30 Uhr" if 0 < hour < 12 else hit[0]


_OF_HOURS = ("fr", "es", "pt", "it")
"""Languages in which "16 h" is a time of day."""
_YEARS = re.compile(r"(?<!\d)(1\d{3}|20\d\d) ?[-\u2013\u2014~\uff5e] ?(1\d{3}|20\d\d)(?!\d)")
_AFTERNOON = re.compile(r"(?:下午|午後)(\d{1,2}|[一二三四五六七八九十]{1,2})([点時])")

_OPEN_HOUR = re.compile(
    r"(?<![午晨上前後间夜\d一二三四五六七八九十第])(?:0?[1-9]|1[01]|[一二三四五六七八九]|十一?)(?:点|時(?!間))"
)
"""An hour that does not say which half of the day it is in; behind an afternoon perhaps of that: "下午3点到5点"."""


def _hour(written: str) -> int:
    return int(written) if written.isdigit() else _of_han(written)


def _by_24_hours(hit: re.Match[str]) -> str:
    hour = int(hit[1]) % 12 + (12 if hit[3] in "pP" else 0)
    end = "." if hit[0].endswith(".") and not hit.string[hit.end() :].strip() else ""
    return f"{hour}:{hit[2] or '00'}{end}"


def _of_han(written: str) -> int:
    if "十" not in written:
        return _HAN.index(written) + 1
    tens, ones = written.split("十")
    return (_HAN.index(tens) + 1 if tens else 1) * 10 + (_HAN.index(ones) + 1 if ones else 0)


_LIST = re.compile(r" ?:[ \t]*\n(?P<items>(?:[ \t]*+[-*\u2022][ \t]++[^\n]++(?:\n|\Z)){2,}+)")
_FOLLOWS = re.compile(r"(?<!\s)\s*+(?:the following|folgendes|folgende)(?: \w+)?\s*+$", re.IGNORECASE)


def in_running_text(text: str, _other: str, language: str) -> str:
    """Write a list whose points are members of one sentence as that sentence."""
    joined = ways(language).get("and")
    hit = _LIST.search(text)
    if not joined or hit is None or hit["items"].count("\n") > 12:
        return text
    start = text.rfind("\n", 0, hit.start()) + 1
    lead = text[start : hit.start()]
    items = [re.sub(r"^[-*\u2022\s]+|(?<![,;.\s])[,;.\s]++$", "", line) for line in hit["items"].strip().splitlines()]
    one_of = options(language, "one_of")
    if any(len(i.split()) > 8 or ". " in i for i in items) or re.search(rf"\b(?:{one_of})\b", lead.lower()):
        return text
    items[-1] = re.sub(rf"^{joined} ", "", items[-1])
    lead = _FOLLOWS.sub("", lead)
    sentence = f"{lead} {', '.join(items[:-1])} {joined} {items[-1]}."
    rest = text[hit.end() :].strip()
    return text[:start] + sentence + (f" {rest}" if rest else "")
