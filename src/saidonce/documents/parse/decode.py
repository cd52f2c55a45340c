"""Decode bytes by byte order mark, declaration, UTF-8, then by letters and statistics."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

import charset_normalizer

from saidonce.documents.parse.alphabets import alphabetic_encoding
from saidonce.documents.parse.east_asian import Eastern, eastern_encoding
from saidonce.foundation.model import UNKNOWN_LANGUAGE
from saidonce.foundation.text import language

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 32 * 1024
_EASTERN_SAMPLE = 8 * 1024
_ALIASES = {
    **dict.fromkeys(("iso-8859-1", "latin-1", "latin1", "us-ascii", "ascii"), "cp1252"),
    **dict.fromkeys(("iso-8859-8-i", "iso-8859-8-e", "logical", "visual"), "iso-8859-8"),
    **dict.fromkeys(("iso-8859-6-i", "iso-8859-6-e"), "iso-8859-6"),
    **dict.fromkeys(("gb2312", "gb_2312-80", "gbk", "x-gbk", "euc-cn"), "gb18030"),
    **dict.fromkeys(("shift_jis", "shift-jis", "sjis", "x-sjis", "windows-31j"), "cp932"),
    **dict.fromkeys(("euc-kr", "ks_c_5601-1987", "ks_c_5601-1989", "x-windows-949"), "cp949"),
    "iso-8859-9": "cp1254", "windows-874": "cp874", "tis-620": "cp874", "iso-8859-11": "cp874", "x-euc-jp": "euc_jp",
    "x-mac-roman": "mac-roman", "x-mac-cyrillic": "mac-cyrillic", "unicode-1-1-utf-7": "utf-7", "utf8mb4": "utf-8",
}  # fmt: skip
"""As in browsers: a declared encoding is read as the larger one that programs write under its name."""

_NOT_TEXT = frozenset({"base64", "bz2", "hex", "quopri", "rot13", "uu", "zlib", "idna", "punycode", "undefined"})
_WESTERN = {
    "de": "äöüßé", "fr": "àâæçéèêëîïôœùûüÿ", "es": "áéíóúüñ", "pt": "áàâãçéêíóôõúü", "it": "àèéìíòóùúî",
    "sv": "åäöéü", "da": "æøåéü", "no": "æøåéòô", "fi": "äöåšž", "nl": "éëïöüèáóêç", "is": "áðéíóúýþæö",
    "ca": "àçèéíïòóúü",
}  # fmt: skip
_GUESSED_FROM = 20
"""Plain letters from which the language is guessed, to choose between Latin encodings."""

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

_CYRILLIC = ("cp1251", "koi8-r", "koi8-u", "iso8859-5", "cp866")
_USUAL = frozenset("оеаинтсрвл")
USUAL_FROM = 0.5
"""Share of the ten most usual letters in Russian; they are about two thirds of a text, and a third of another order."""

_OF_DOS = frozenset({"cp850", "cp852", "mac-roman"})

DOUBT = "; a guess from few characters"
FEW = 60
"""Bytes above 127 below which statistics of scripts with an alphabet are no evidence."""

FEWEST = 6
"""Letters below which even words of a known alphabet are none."""

RIVAL_WITHIN = 0.05
"""Distance from the best fit of a Latin reading within which another one fits as well."""

USUAL_OF_WORD = 0.2
"""Share of the usual letters that makes a single word Russian, if its capitals are where they should be."""

_JIS = re.compile(rb"\x1b(?:\$[@B]|\([BJ])")
_DOS_RULE = re.compile(rb"\xc4{3}|\xcd{3}")
_DOS_DRAWING = re.compile(rb"[\xb0-\xdf]+")
"""Lines and boxes in the code pages of DOS, at the same places in those of the West and of Russia."""

LATIN_RUN = 2.0
"""Longest mean run of bytes above 127 in Latin script: accents stand alone, other scripts and CJK do not."""

LATIN_SHARE = 0.25
"""Largest share of bytes above 127 in Latin script."""

GOOD_FROM = 0.6
"""A reading that fits less is none."""

MIXED = 0.85
"""Factor of a reading with the letters of many languages."""

DETECTED = 0.2
"""Bonus of a reading in the language of the plain letters."""

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
    ("is", "þ", re.compile(r"\bþ", re.I)),
    ("it", "î", re.compile(r"\wî\b", re.I)),
)


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text and its encoding.

    Attributes:
        guessed: whether the encoding is neither declared nor UTF-8.
        is_doubtful: whether the characters are too few to decide for it.
    """

    text: str
    encoding: str
    guessed: bool = False
    is_doubtful: bool = False

    @property
    def note(self) -> str:
        """What to say of a guessed encoding."""
        return f"read as {self.encoding}{DOUBT if self.is_doubtful else ''}"


def decode(content: bytes, declared: str = "") -> Decoded:
    """Decode bytes; never fails: bytes outside every encoding become U+FFFD.

    A declaration wins over UTF-8 only for pure ASCII bytes, where it may name a 7-bit code such as ISO-2022-JP.
    """
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return Decoded(content[len(mark) :].decode(encoding, "replace"), encoding)
    if encoding := _utf16_without_mark(content[:_SAMPLE]):
        return Decoded(content.decode(encoding, "replace"), encoding, guessed=True)
    known = _known(declared) or ("iso2022_jp" if content.isascii() and len(_JIS.findall(content)) > 1 else "")
    for encoding in (known, "utf-8") if content.isascii() else ("utf-8", known):
        text = _strict(content, encoding)
        if text is not None:
            return Decoded(text, encoding)
    return _guess(content)


def _strict(content: bytes, encoding: str) -> str | None:
    if not encoding:
        return None
    try:
        return content.decode(encoding)
    except (UnicodeError, ValueError):
        return None


def _known(declared: str) -> str:
    name = declared.strip().strip("\"'").casefold()
    try:
        codec = codecs.lookup(_ALIASES.get(name, name)).name
    except (LookupError, ValueError):
        return ""
    return "" if codec in _NOT_TEXT or codec.startswith(("utf-16", "utf-32")) else codec


def _utf16_without_mark(sample: bytes) -> str:
    """Return the UTF-16 encoding of text without a byte order mark, found by zeros in every other byte; else empty."""
    pairs = len(sample) // 2
    if pairs < 4 or sample.count(0) < pairs * 0.3:
        return ""
    even, odd = sample[0 : pairs * 2 : 2].count(0), sample[1 : pairs * 2 : 2].count(0)
    if odd > pairs * 0.3 and even < pairs * 0.05:
        return "utf-16-le"
    return "utf-16-be" if even > pairs * 0.3 and odd < pairs * 0.05 else ""


def _guess(content: bytes) -> Decoded:
    """Guess an encoding: damaged UTF-8, then Latin letters, then statistics."""
    mostly = content.decode("utf-8", "replace")
    n_bad = mostly.count("\ufffd")
    if n_bad <= len(mostly) // 200 and sum(not c.isascii() for c in mostly) > 2 * n_bad:
        return Decoded(mostly, "utf-8", guessed=True)
    if (mixed := _decode_by_line(content)) is not None:
        return mixed
    sample = _sample(content)
    if encoding := _dos_encoding(sample):
        return Decoded(content.decode(encoding, "replace"), encoding, guessed=True)
    encoding, is_doubtful = _by_characters(content, sample)
    return Decoded(content.decode(encoding, "replace"), encoding, guessed=True, is_doubtful=is_doubtful)


def _by_characters(content: bytes, sample: bytes) -> tuple[str, bool]:
    """Return the encoding by the characters that are read in it, and whether they are too few to decide for it."""
    n_high = len(sample) - len(_HIGH.sub(b"", sample))
    eastern = _eastern(content)
    is_eastern = eastern is not None and eastern.is_decided
    if is_latin(sample) and (encoding := latin_encoding(sample)):
        if not is_eastern or encoding not in _OF_DOS or n_high >= FEW:
            return encoding, _is_rivalled(sample, encoding)
    elif not is_latin(sample) and (alphabet := alphabetic_encoding(sample)) and (alphabet.is_decided or not is_eastern):
        likely = "" if alphabet.is_decided else cyrillic_encoding(sample)
        return likely or alphabet.encoding, n_high < FEWEST or not alphabet.is_decided
    if eastern is not None and eastern.is_decided:
        return eastern.encoding, False
    if encoding := cyrillic_encoding(sample, USUAL_OF_WORD) if _is_cased(sample) else "":
        return encoding, True
    if eastern is not None:
        return eastern.encoding, True
    best = charset_normalizer.from_bytes(content[:_SAMPLE]).best()
    return best.encoding if best else "cp1252", n_high < FEW


def _eastern(content: bytes) -> Eastern | None:
    high = _HIGH.search(content)
    return eastern_encoding(content[high.start() : high.start() + _EASTERN_SAMPLE]) if high else None


def _is_rivalled(sample: bytes, encoding: str) -> bool:
    """Return whether another Latin encoding fits a sample as well, and makes another text of it."""
    readings = _latin_readings(sample)
    best = max(reading.fit for reading in readings if reading.encoding == encoding)
    rivals = {r.encoding for r in readings if r.encoding != encoding and r.fit >= best - RIVAL_WITHIN}
    text = sample.decode(encoding, "replace")
    return any(sample.decode(rival, "replace") != text for rival in rivals)


def _dos_encoding(sample: bytes) -> str:
    """Return the code page of DOS in which a text with drawn lines is written; empty if it has none."""
    if not _DOS_RULE.search(sample):
        return ""
    letters = _DOS_DRAWING.sub(b" ", sample)
    if not is_latin(letters):
        return "cp866" if cyrillic_encoding(letters) == "cp866" else "cp437" if letters.isascii() else ""
    text = letters.decode("cp437")
    fits = (_fit(text, name, known) for name, known in _WESTERN.items())
    return "cp437" if max(fits) >= GOOD_FROM else ""


def _decode_by_line(content: bytes) -> Decoded | None:
    """Decode a text that mixes lines in UTF-8 and in a single-byte Latin encoding; None if it does not."""
    lines = content.splitlines(keepends=True)
    texts = [_strict(line, "utf-8") for line in lines]
    others = b"".join(line for line, text in zip(lines, texts, strict=True) if text is None)
    has_letters = any(text is not None and not text.isascii() for text in texts)
    encoding = latin_encoding(others) if has_letters and is_latin(others) else ""
    if not encoding:
        return None
    read = (line.decode(encoding, "replace") if t is None else t for line, t in zip(lines, texts, strict=True))
    return Decoded("".join(read), f"utf-8 and {encoding}", guessed=True)


def _is_cased(sample: bytes) -> bool:
    """Return whether the words of a sample read as Cyrillic words: small letters, after a capital at most."""
    words = [
        word
        for name in ("cp1251", "koi8-r")
        for word in re.findall(r"[\u0400-\u04ff]+", sample.decode(name, "replace"))
    ]
    return any(len(word) > 2 and word[1:].islower() for word in words)


def cyrillic_encoding(sample: bytes, usual_from: float = USUAL_FROM) -> str:
    """Return the encoding in which a sample reads as Russian or a related language; empty if there is none.

    In a wrong one of them, capitals and small letters change places, or other letters become the usual ones.
    """
    best, encoding = (0.0, 0), ""
    for name in _CYRILLIC:
        high = [c for c in sample.decode(name, "replace") if not c.isascii()]
        letters = [c for c in high if "\u0400" <= c <= "\u04ff"]
        n_small = sum(c.islower() for c in letters)
        n_usual = sum(c in _USUAL for c in letters)
        if high and len(letters) >= 0.9 * len(high) and n_small >= 0.8 * len(letters):
            fit = (n_usual / len(high), len(letters))  # KOI8-U has letters where KOI8-R draws lines
            best, encoding = max((best, encoding), (fit, name), key=lambda one: one[0])
    return encoding if best[0] >= usual_from else ""


def _sample(content: bytes) -> bytes:
    """Return the most informative part of a source: from a little before the first byte above 127."""
    first = next((at for at in range(0, len(content), _SAMPLE) if not content[at : at + _SAMPLE].isascii()), 0)
    return content[max(0, first - _SAMPLE // 8) : first + _SAMPLE]


@dataclass(frozen=True, slots=True)
class _Reading:
    encoding: str
    language: str
    fit: float


def is_latin(sample: bytes) -> bool:
    """Return whether the bytes above 127 are distributed like accented letters."""
    runs = [len(run) for run in _HIGH.findall(sample)]
    n_high = sum(runs)
    return bool(runs) and n_high / len(runs) <= LATIN_RUN and n_high <= LATIN_SHARE * len(sample) + 2


def latin_encoding(sample: bytes) -> str:
    """Return the Latin encoding that fits a sample best, preferring Windows-1252; empty if none fits.

    A reading scores by the share of its letters beyond ASCII known to one language, in places usual there; in long
    texts the plain letters also indicate the language.
    """
    best = max(_latin_readings(sample), key=lambda reading: reading.fit)
    return best.encoding if best.fit >= GOOD_FROM else ""


def _latin_readings(sample: bytes) -> list[_Reading]:
    spoken = _language(sample)
    return [
        _Reading(
            encoding,
            name,
            _fit(text, name, letters) * (MIXED if languages is _NAMES else 1.0) + (DETECTED if name == spoken else 0.0),
        )
        for encoding, languages in _CANDIDATES
        for text in [sample.decode(encoding, "replace")]
        for name, letters in languages.items()
    ]


def _language(sample: bytes) -> str:
    """Detect the language by the letters common to all encodings; other bytes count as gaps in a word."""
    plain = _HIGH.sub(b"", sample).decode("ascii", "replace")
    return language(plain, _GUESSED_FROM) if plain.strip() else UNKNOWN_LANGUAGE


def _fit(text: str, name: str, letters: str) -> float:
    """Return the share of non-ASCII characters in a plausible position, 0..1."""
    known = frozenset(letters + letters.upper())
    rare = {letter: pattern for owner, letter, pattern in _PLACES if owner == name}
    n_all = n_good = 0
    for match in _BEYOND_ASCII.finditer(text):
        at, char = match.start(), match.group()
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
    """Return whether a symbol is plausible there: no currency next to a letter, no superscript inside a word."""
    char, before, after = text[at], text[max(0, at - 1) : at], text[at + 1 : at + 2]
    if char in _RAISED:
        return not (after.isalpha() and char != "°") and bool(_UNIT.search(text, max(0, at - 6), at))
    if char in _CURRENCIES:
        return not before.isalpha() and not after.isalpha()
    return char in _QUOTES and (char == "’" or not (before.isalpha() and after.isalpha()))
