"""Room: which one-byte encoding a text in Latin letters was written with, told by the letters it comes out with."""

from __future__ import annotations

import re
from dataclasses import dataclass

from saidonce.foundation.model import UNKNOWN_LANGUAGE
from saidonce.foundation.text import language

_WESTERN = {
    "de": "äöüßé", "fr": "àâæçéèêëîïôœùûüÿ", "es": "áéíóúüñ", "pt": "áàâãçéêíóôõúü", "it": "àèéìíòóùúî",
    "sv": "åäöéü", "da": "æøåéü", "no": "æøåéòô", "fi": "äöåšž", "nl": "éëïöüèáóêç", "is": "áðéíóúýþæö",
    "ca": "àçèéíïòóúü",
}  # fmt: skip
_NAMES = {"en": "àáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿßœšž"}
"""English has no letters of its own beyond ASCII, and names in any."""

_CENTRAL = {
    "pl": "ąćęłńóśźż", "cs": "áčďéěíňóřšťúůýž", "sk": "áäčďéíĺľňóôŕšťúýž", "hu": "áéíóöőúüű", "ro": "ăâîşţ",
    "hr": "čćđšž", "sl": "čšž",
}  # fmt: skip
_TURKISH = {"tr": "çğıöşüâîûİ"}
_BALTIC = {"lt": "ąčęėįšųūž", "lv": "āčēģīķļņšūž", "et": "äõöüšž"}

_CANDIDATES = (
    ("cp1252", _WESTERN), ("cp1252", _NAMES), ("cp1250", _CENTRAL), ("iso8859-2", _CENTRAL), ("cp1254", _TURKISH),
    ("cp1257", _BALTIC), ("cp850", _WESTERN), ("mac-roman", _WESTERN), ("cp852", _CENTRAL),
)  # fmt: skip
"""Encodings with the languages written in them and their letters; of equally good ones the first is taken."""

LATIN_RUN = 2.0
"""Longest mean run of bytes above 127 in Latin script: accents stand alone, other scripts and CJK do not."""

LATIN_SHARE = 0.25
"""Largest share of bytes above 127 in Latin script."""

GOOD_FROM = 0.6
"""A reading that fits less is none."""

MIXED = 0.85
"""What a reading with the letters of many languages is worth."""

DETECTED = 0.2
"""What the language of the plain letters adds to a reading in that language."""

_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
_HIGH = re.compile(rb"[\x80-\xff]+")
_RAISED = "º°ª²³¹"
_UNIT = re.compile(r"(?:^|[^\w])(?:\d+\s?)?(?:[cdkm]?m|n)?$", re.I)
_QUOTES = "«»„“”‚‘’–—…·•§©®™±×÷¿¡\xa0"
_CURRENCIES = "€£¥¢"
_PLACES = (
    # Letters that a language writes in few places only: elsewhere they come of another encoding.
    ("pt", "õ", re.compile("õe", re.I)),
    ("es", "ñ", re.compile("ñ[aeiouáéíóúü]", re.I)),
    ("fr", "û", re.compile(r"[dmsrcgoblfp]û[trlsmec]|\b[dmscr]û\b", re.I)),
    ("fr", "œ", re.compile("œ[udteins]", re.I)),
    ("it", "î", re.compile(r"\wî\b", re.I)),
)


@dataclass(frozen=True, slots=True)
class _Reading:
    encoding: str
    language: str
    fit: float


def is_latin(sample: bytes) -> bool:
    """Tell whether bytes above 127 stand about as accented letters do."""
    runs = [len(run) for run in _HIGH.findall(sample)]
    n_high = sum(runs)
    return bool(runs) and n_high / len(runs) <= LATIN_RUN and n_high <= LATIN_SHARE * len(sample) + 2


def encoding_of(sample: bytes) -> str:
    """Name the encoding in which a sample reads best, Windows-1252 before others; empty if none fits.

    A reading is worth the share of its letters beyond ASCII that one language has, in places where that language has
    them; long texts also tell the language by their plain letters.
    """
    spoken = _language(sample)
    readings = [
        _Reading(
            encoding,
            name,
            _fit(text, name, letters) * (MIXED if languages is _NAMES else 1.0) + (DETECTED if name == spoken else 0.0),
        )
        for encoding, languages in _CANDIDATES
        for text in [sample.decode(encoding, "replace")]
        for name, letters in languages.items()
    ]
    best = max(readings, key=lambda reading: reading.fit)
    return best.encoding if best.fit >= GOOD_FROM else ""


def _language(sample: bytes) -> str:
    """Language by the letters that all encodings share; what stands between them counts as a gap in a word."""
    plain = _HIGH.sub(b"", sample).decode("ascii", "replace")
    return language(plain) if plain.strip() else UNKNOWN_LANGUAGE


def _fit(text: str, name: str, letters: str) -> float:
    """Share of the characters beyond ASCII that may stand where they stand, 0..1."""
    known = frozenset(letters + letters.upper())
    rare = {letter: pattern for owner, letter, pattern in _PLACES if owner == name}
    n_all = n_good = 0
    for found in _BEYOND_ASCII.finditer(text):
        at, char = found.start(), found.group()
        n_all += 1
        before, after = text[max(0, at - 1) : at], text[at + 1 : at + 2]
        if char.lower() in rare:
            n_good += bool(rare[char.lower()].search(text, max(0, at - 2), at + 2))
        elif char.isalpha() and char not in _RAISED:
            is_jumbled = (before.islower() and char.isupper()) or (char.islower() and after.isupper())
            n_good += char in known and not before.isdigit() and not is_jumbled
        else:
            n_good += _is_in_place(text, at)
    return n_good / n_all if n_all else 0.0


def _is_in_place(text: str, at: int) -> bool:
    """Tell whether a mark stands where marks stand: no currency at a letter, no raised figure inside a word."""
    char, before, after = text[at], text[max(0, at - 1) : at], text[at + 1 : at + 2]
    if char in _RAISED:
        return not (after.isalpha() and char != "°") and bool(_UNIT.search(text, max(0, at - 6), at))
    if char in _CURRENCIES:
        return not before.isalpha() and not after.isalpha()
    return char in _QUOTES and (char == "’" or not (before.isalpha() and after.isalpha()))
