"""Room: bytes -> text, by byte order mark, declaration, UTF-8, then by statistics."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

import charset_normalizer

from saidonce.documents.parse import latin

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 32 * 1024
_ALIASES = {"iso-8859-1": "cp1252", "latin-1": "cp1252", "latin1": "cp1252", "us-ascii": "cp1252", "ascii": "cp1252"}
"""As browsers do: what calls itself Latin-1 is read as Windows-1252."""

_NOT_TEXT = frozenset({"base64", "bz2", "hex", "quopri", "rot13", "uu", "zlib", "idna", "punycode", "undefined"})


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text and the encoding it was read with; `guessed` if nothing declared it and it is not UTF-8."""

    text: str
    encoding: str
    guessed: bool = False


def decode(content: bytes, declared: str = "") -> Decoded:
    """Decode bytes; never fails: what no encoding explains becomes U+FFFD.

    A declaration wins over UTF-8 only for pure ASCII bytes, where it may name a 7-bit code such as ISO-2022-JP.
    """
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return Decoded(content[len(mark) :].decode(encoding, "replace"), encoding)
    if encoding := _wide(content[:_SAMPLE]):
        return Decoded(content.decode(encoding, "replace"), encoding, guessed=True)
    known = _known(declared)
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
        found = codecs.lookup(_ALIASES.get(name, name)).name
    except (LookupError, ValueError):
        return ""
    return "" if found in _NOT_TEXT or found.startswith(("utf-16", "utf-32")) else found


def _wide(sample: bytes) -> str:
    """UTF-16 without a mark shows as zeros in every other byte."""
    pairs = len(sample) // 2
    if pairs < 4 or sample.count(0) < pairs * 0.3:
        return ""
    even, odd = sample[0 : pairs * 2 : 2].count(0), sample[1 : pairs * 2 : 2].count(0)
    if odd > pairs * 0.3 and even < pairs * 0.05:
        return "utf-16-le"
    return "utf-16-be" if even > pairs * 0.3 and odd < pairs * 0.05 else ""


def _guess(content: bytes) -> Decoded:
    """Damaged UTF-8 still shows characters of it; Latin letters tell their encoding; the rest is told by statistics."""
    mostly = content.decode("utf-8", "replace")
    n_bad = mostly.count("\ufffd")
    if n_bad <= len(mostly) // 200 and sum(not c.isascii() for c in mostly) > 2 * n_bad:
        return Decoded(mostly, "utf-8", guessed=True)
    sample = _telling(content)
    encoding = latin.encoding_of(sample) if latin.is_latin(sample) else ""
    if not encoding:
        best = charset_normalizer.from_bytes(content[:_SAMPLE]).best()
        encoding = best.encoding if best else "cp1252"
    return Decoded(content.decode(encoding, "replace"), encoding, guessed=True)


def _telling(content: bytes) -> bytes:
    """The part of a source that tells its encoding: from a little before the first byte above 127."""
    first = next((at for at in range(0, len(content), _SAMPLE) if not content[at : at + _SAMPLE].isascii()), 0)
    return content[max(0, first - _SAMPLE // 8) : first + _SAMPLE]
