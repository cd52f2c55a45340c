"""Japanese and Korean sentences in the style of the text beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from saidonce.foundation.text import sentences
from saidonce.matching.facts.plain.tables import ways

_ENDING = 3
"""Characters at the end of a sentence by which two have one style."""


def in_one_style(text: str, other: str, language: str) -> str:
    """Write polite sentences as plain ones, where the other text ends one so."""
    forms = _FORMS.get(language)
    if forms is None:
        return text
    if language == "ja":
        text = _KATAKANA.sub(lambda word: _in_hiragana(word[0], other), text)
    stop = "。" if language == "ja" else "."
    endings = {_bare(s.text)[-_ENDING:] for s in sentences(other)}
    parts, start = [], 0
    for span in sentences(text):
        bare = _bare(span.text)
        is_alike = bare[-_ENDING:] in endings
        plain = bare if is_alike else next((form for form in forms(bare) if form[-_ENDING:] in endings), bare)
        is_styled = plain != span.text.rstrip("。.！!？? ")
        parts += [text[start : span.start], f"{plain}{stop}" if is_styled else span.text]
        start = span.end
    return "".join((*parts, text[start:]))


_KATAKANA = re.compile("[ァ-ヴー]{2,}")
_AMBIGUOUS = 3
"""Kana up to which a word may be written like another one."""


@cache
def _one_word() -> frozenset[str]:
    return frozenset(ways("ja")["one_word"].split())


_TO_HIRAGANA = {katakana: katakana - 0x60 for katakana in range(ord("ァ"), ord("ヴ") + 1)}


def _in_hiragana(word: str, other: str) -> str:
    """Return a word in hiragana if the other text has it so, and nowhere in katakana.

    Of a short one a list has to say that its kana are one word: "sake" is salmon in one and rice wine in the other.
    """
    written = word.translate(_TO_HIRAGANA)
    if len(word) <= _AMBIGUOUS and written not in _one_word():
        return word
    return written if written in other and word not in other else word


def _bare(sentence: str) -> str:
    """Return a sentence without its end; "である" is "だ" wherever one stands at its end."""
    bare = sentence.rstrip("。.！!？? ")
    return bare[:-3] + "だ" if bare.endswith("である") else bare[:-4] + "だった" if bare.endswith("であった") else bare


_I_ROW = "いきぎしちにびみり"
_PLAIN, _DENIED = "うくぐすつぬぶむる", "わかがさたなばまら"
_PAST = ("った", "いた", "いだ", "した", "った", "んだ", "んだ", "んだ", "った")


def _japanese(sentence: str) -> Iterator[str]:
    """Yield the plain forms that a polite Japanese ending may stand for; which one a verb has, the other text shows."""
    for polite, plains in _COPULAS:
        if sentence.endswith(polite):
            yield from (sentence.removesuffix(polite) + plain for plain in plains)
    for polite, one_step, five_steps in _VERBS:
        stem = sentence.removesuffix(polite)
        if stem in ("", sentence):
            continue
        row = _I_ROW.find(stem[-1])
        yield stem + one_step
        if stem.endswith("し"):
            yield stem[:-1] + {"る": "する", "た": "した"}.get(one_step, "し" + one_step)
        if row >= 0 and not (stem.endswith("でき") or (polite.startswith("ません") and stem.endswith("あり"))):
            yield stem[:-1] + five_steps[row]


_COPULAS = (
    ("ではありません", ("ではない",)),
    ("でした", ("だった",)),
    ("です", ("だ", "")),
)
_VERBS = (
    ("ませんでした", "なかった", [f"{a}なかった" for a in _DENIED]),
    ("ません", "ない", [f"{a}ない" for a in _DENIED]),
    ("ました", "た", _PAST),
    ("ます", "る", _PLAIN),
)
"""A polite ending, the plain one of verbs of one step ("taberu"), and those of verbs of five ("kaku") by their row."""

_HANGUL, _FINALS = 0xAC00, 28
_N, _B = 4, 17
"""Final consonants of a syllable by their place: n, b."""


def _korean(sentence: str) -> Iterator[str]:
    """Yield the forms that a Korean ending may stand for in another style: "닫는다" for "닫습니다"."""
    for one, two in _POLITE:
        if sentence.endswith(one):
            formal = sentence.removesuffix(one) + two
            yield formal
            yield from _korean(formal)
    if not sentence.endswith("니다") or len(sentence) < _ENDING:
        return
    before, last = sentence[:-3], sentence[-3]
    if last == "습":
        yield from (f"{before}는다", f"{before}다")
    elif (ord(last) - _HANGUL) % _FINALS == _B:
        open_syllable = chr(ord(last) - _B)
        yield from (f"{before}{chr(ord(open_syllable) + _N)}다", f"{before}{open_syllable}다")
        if last == "입":
            yield f"{before}다"


_POLITE = (
    ("십시오", "세요"), ("이에요", "입니다"), ("예요", "입니다"), ("해요", "합니다"), ("돼요", "됩니다"),
    ("있어요", "있습니다"), ("없어요", "없습니다"),
)  # fmt: skip

_FORMS = {"ja": _japanese, "ko": _korean}

_NATIVE = {
    word: n
    for n, row in enumerate("한 두 세|석|서 네|넉|너 다섯 여섯 일곱 여덟 아홉".split(), 1)
    for word in row.split("|")
}
_TENS = {
    word: 10 * n
    for n, row in enumerate("열 스물|스무 서른 마흔 쉰 예순 일흔 여든 아흔".split(), 1)
    for word in row.split("|")
}
_COUNTERS = "편|송이|그릇|켤레|명|개월|개|번째|번|시간|시|살|마리|대|잔|병|권|장|달|가지|곳|군데|사람|쌍"
_BEHIND_COUNTER = "[^가-힣]|[은는이가을를의에로과와도만까부입씩당]|$"
_COUNTED = re.compile(rf"(?<!\w)({'|'.join(_TENS)})?({'|'.join(_NATIVE)})? (?=(?:{_COUNTERS})(?:{_BEHIND_COUNTER}))")
_SINO = {c: n for n, c in enumerate("일이삼사오육칠팔구", 1)}
_UNITS = "개월|퍼센트|킬로미터|미터|센티미터|년|월|일|분|초|원|층|호|회|주일|주|세|인|명"
_DIGIT = f"[{''.join(_SINO)}]"
_WRITTEN = re.compile(
    rf"(?<!\w)((?=[{''.join(_SINO)}십백천]{{2}})(?:{_DIGIT}?천)?(?:{_DIGIT}?백)?(?:{_DIGIT}?십)?{_DIGIT}?"
    rf"|{_DIGIT}(?= ?개월))"
    rf" ?(?={_UNITS})"
)
"""A number of several syllables, each in its place: the "isa" of a board of directors is none."""

_MYRIADS = re.compile(rf"(?<![\w.,])(\d{{1,4}}|[{''.join(_SINO)}])([만억])(?: ?(\d)천)?(?= ?(?:원|명|개|대|톤))")
_AFTERNOON = re.compile(r"오후 (\d{1,2})시")
_HOURS = f"(?:열 ?(?:한|두)|{'|'.join(('열', *_NATIVE))})"
_HOUR = re.compile(rf"(?<!\w)({_HOURS}) ?시( 반)?(?={_BEHIND_COUNTER})")
_MONTHS = {word: n for n, word in enumerate("일 이 삼 사 오 유 칠 팔 구 시 십일 십이".split(), 1)}
_MONTH = re.compile(r"(?<!\w)(삼|사|오|유|칠|팔|구|시|십일|십이)월(?=[ 에은의까부말초중]|$)")
"""The name of a month; those of the first and the second are other words, too."""
_HALF_PAST = re.compile(r"(?<=\d)시 반(?=[ 에까부이은]|$)")
_OPEN_HOUR = re.compile(r"(?<!오[전후] )(?<!\d)(?:0?[1-9]|1[01])시(?!간)")
"""An hour that does not say which half of the day it is in."""
_DATE = re.compile(r"(?<!\d)((?:19|20)\d{2})\. ?(0?[1-9]|1[0-2])\. ?(0?[1-9]|[12]\d|3[01])(?:\.|(?!\d))")


def numbers_in_korean(text: str) -> str:
    """Write Korean numbers, dates and times of day in digits: "스무 명", "1만 원", "오후 3시"."""
    text = _DATE.sub(lambda m: f"{m[1]}년 {int(m[2])}월 {int(m[3])}일", text)
    text = _HOUR.sub(lambda m: f"{_hour(m[1])}시{' 30분' if m[2] else ''}", text)
    text = _MONTH.sub(lambda m: f"{_MONTHS[m[1]]}월", text)
    if not _OPEN_HOUR.search(text):
        text = _AFTERNOON.sub(lambda m: f"{int(m[1]) % 12 + 12}시", text)
    text = _HALF_PAST.sub("시 30분", text)
    text = _MYRIADS.sub(_of_myriads, text)
    text = _COUNTED.sub(lambda m: str(_TENS.get(m[1], 0) + _NATIVE.get(m[2], 0)) if m[1] or m[2] else m[0], text)
    text = _WRITTEN.sub(lambda m: str(_sino(m[1])), text)
    return re.sub(rf"(?<=\d) (?={_COUNTERS}|{_UNITS})", "", text)


def _hour(written: str) -> int:
    tens, ones = (10, written[1:].strip()) if written[0] == "열" else (0, written)
    return tens + _NATIVE.get(ones, 0)


def _of_myriads(hit: re.Match[str]) -> str:
    """Return in digits what tens of thousands or hundreds of millions are: "3만 5천", "2억"."""
    n = _SINO.get(hit[1]) or int(hit[1])
    if hit[2] == "만":
        return str(n * 10_000 + int(hit[3] or 0) * 1_000)
    return hit[0] if hit[3] else str(n * 100_000_000)


def _sino(written: str) -> int:
    total, digit = 0, 0
    for c in written:
        if c in _SINO:
            digit = _SINO[c]
        else:
            total += (digit or 1) * {"십": 10, "백": 100, "천": 1_000}[c]
            digit = 0
    return total + digit
