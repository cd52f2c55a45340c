"""Choose among the encodings of alphabets other than the Latin one, by how often a language has the letters they show.

One byte is a Hebrew, a Russian, a Greek and an Arabic letter. A reading is one if nearly all of its letters are of the
script and stand where words have them; of several, the one whose letters are usual in the language is taken.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

_PER_THOUSAND = {
    "ru": "о110 е85 а80 и74 н67 т63 с55 р47 в45 л44 к35 м32 д30 п28 у26 я20 ы19 ь17 г17 з17 б16 ч14 й12 х10 ж9"
    " ш7 ю6 ц5 щ4 э3 ф3 ъ2 ё2 і5 ї2 є2 ґ1 ј3 љ1 њ2 ћ2 ђ1 џ1 ў1",
    "he": "י111 ה109 ו104 ל74 א63 ר56 ת50 ב47 מ46 ש44 ם33 ע32 נ29 כ27 ד26 ח25 ק21 פ17 ן17 ס15 ז13 ט12 צ12 ג12"
    " ך8 ף3 ץ2",
    "el": "α100 ο85 τ79 ι75 ε65 ν63 σ49 η47 ρ42 ς42 κ41 π40 υ37 μ33 λ28 ά19 ί19 ω19 ό17 γ17 δ17 έ16 ή15 χ12 θ12"
    " ώ9 ύ9 φ8 β6 ξ4 ζ4 ψ2 ϊ1 ϋ1 ΐ1 ΰ1",
    "ar": "ا140 ل110 ي70 م63 و60 ن55 ر50 ت49 ب37 ع34 د30 ة30 ه30 س26 ف26 ق25 أ22 ك21 ح21 ج14 ش12 ص10 ى10 إ10"
    " ط10 خ10 ض8 ذ8 ث6 ز6 ء5 غ5 ئ4 ظ3 ؤ2 آ2 پ2 گ2 چ1 ژ1",
    "th": "า65 น60 ร53 อ47 ก46 เ45 ง42 ่40 ้40 ม35 ย34 ว32 ั32 ด30 ท28 ี28 ล27 ห27 ส26 ต25 ิ25 บ21 ป20 ค20 ะ18"
    " พ18 แ17 จ16 ข16 ไ15 ช13 ใ12 ์12 ื12 ุ11 ู10 ำ10 โ9 ึ7 ็7 ผ7 ถ7 ณ6 ศ5 ซ5 ธ4 ฟ3 ภ3 ญ3 ษ3 ฉ2 ๆ2 ฝ1 ฐ1"
    " ฏ1 ฎ1 ฑ1 ฒ1 ฤ1 ๊1 ๋1",
}  # fmt: skip
"""Letters of a language by how often they come among a thousand, rounded; small ones."""

_ENCODINGS = {
    "ru": ("cp1251", "koi8-r", "koi8-u", "iso8859-5", "cp866", "mac-cyrillic"),
    "el": ("cp1253",),
    "he": ("cp1255", "iso8859-8"),
    "ar": ("cp1256", "iso8859-6"),
    "th": ("cp874",),
}
_OUT_OF_PLACE = {
    "ru": re.compile(r"\b[ьъ]"),
    "el": re.compile(r"ς\w"),
    "he": re.compile(r"[םןךףץ]\w"),
    "ar": re.compile(r"[ةى]\w|ء[ةى]"),
    "th": re.compile("(?<![ก-ฮฤัิ-ูๅ็-๎])[ะ-ฺ็-๎]|[เแโใไ](?![ก-ฮ])"),
}
"""What no word of a language has: the last form of a letter inside of it, a vowel sign without a consonant."""

_USUAL_MARKS = frozenset("«»„“”‚‘’–—…•№§©°±·\xa0،؛؟׳״־฿\u200e\u200f")

NEARLY_ALL = 0.9
"""Share of the characters beyond ASCII that are letters of a script where a text is in it."""

SMALL_FROM = 0.8
"""Share of small letters in a text that is not all in capitals; in a wrong encoding both change places."""

ACCEPTED_FROM = 0.25
"""Evidence for each letter below which a reading is none."""

DECIDED_FROM = 3.0
"""Distance between the two best readings from which the choice is no guess: odds of 20 to 1."""

_JUMBLED = re.compile(r"[а-яёіїєα-ωά-ώ][А-ЯЁІЇЄΑ-Ω]")
JUMBLED = 3.0
"""Evidence against a reading of a capital behind a small letter."""

_BY_CHANCE = 1 / 45
"""How often a letter comes in a text that is misread in a script."""

_RARE = 0.0002
"""How often others come."""


@dataclass(frozen=True, slots=True)
class Alphabetic:
    """An encoding of an alphabet, and whether the letters decide for it."""

    encoding: str
    is_decided: bool


def alphabetic_encoding(sample: bytes) -> Alphabetic | None:
    """Return the encoding in which a sample is a text in one of the alphabets; None if it is one in none of them."""
    readings = []
    for language, encodings in _ENCODINGS.items():
        for encoding in encodings:
            evidence = _evidence(sample.decode(encoding, "replace"), language)
            if evidence is not None:
                readings.append((evidence, encoding))
    if not readings:
        return None
    readings.sort(key=lambda reading: -reading[0])
    evidence, encoding = readings[0]
    best = sample.decode(encoding, "replace")
    rivals = [other for other, name in readings[1:] if sample.decode(name, "replace") != best]
    return Alphabetic(encoding, evidence - max(rivals, default=0.0) >= DECIDED_FROM)


def _evidence(text: str, language: str) -> float | None:
    """Return by how much more often a language has the letters of a text than chance, in natural logarithms.

    None if the text is none in it.
    """
    usual = _frequencies(language)
    high = [c for c in text if not c.isascii() and c not in _USUAL_MARKS]
    letters = [c for c in high if c.lower() in usual]
    if not letters or len(letters) < NEARLY_ALL * len(high) or _OUT_OF_PLACE[language].search(text.lower()):
        return None
    if language in ("ru", "el") and not _is_cased(letters, text):
        return None
    evidence = sum(math.log(usual.get(c.lower(), _RARE) / _BY_CHANCE) for c in high)
    evidence -= JUMBLED * len(_JUMBLED.findall(text))
    return evidence if evidence >= ACCEPTED_FROM * len(high) else None


def _is_cased(letters: list[str], text: str) -> bool:
    """Return whether capitals and small letters are where they should be: few capitals, or nothing else in a word."""
    n_small = sum(map(str.islower, letters))
    if n_small >= SMALL_FROM * len(letters):
        return True
    words = re.findall(r"[^\W\d_]{2,}", text)
    return all(word.isupper() or word[1:].islower() for word in words)


@cache
def _frequencies(language: str) -> Mapping[str, float]:
    return {entry[0]: int(entry[1:]) / 1_000 for entry in _PER_THOUSAND[language].split()}
