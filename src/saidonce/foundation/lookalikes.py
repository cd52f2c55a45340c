"""What somebody sees who reads a text: lookalike letters as what they look like, turned lines turned back, no fillers.

For comparing by likeness only. A text that is merged or kept is never changed by it: its normal form is in
`saidonce.foundation.text`.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_CYRILLIC = str.maketrans(
    "\u0430\u0441\u0435\u043e\u0440\u0445\u0443\u0456\u0458\u0455\u0410\u0412\u0421\u0415\u041d\u0406\u0408\u041a\u041c\u041e\u0420\u0405\u0422\u0425\u0423\u04ae",
    "aceopxyijsABCEHIJKMOPSTXYY",
)
_GREEK = str.maketrans(
    "\u03bf\u03bd\u03c4\u03b9\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7",
    "ovtiABEZHIKMNOPTYX",
)
_FROM = {"CYRILLIC": _CYRILLIC, "GREEK": _GREEK}
"""Letters of other scripts that look like Latin ones. Source: Unicode Technical Standard 39, confusables."""

_INTO = {
    "CYRILLIC": str.maketrans(
        "aceopxyijsABCEHIJKMOPSTXY",
        "\u0430\u0441\u0435\u043e\u0440\u0445\u0443\u0456\u0458\u0455\u0410\u0412\u0421\u0415\u041d\u0406\u0408\u041a\u041c\u041e\u0420\u0405\u0422\u0425\u0423",
    ),
    "GREEK": str.maketrans(
        "ovtiABEZHIKMNOPTYX",
        "\u03bf\u03bd\u03c4\u03b9\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7",
    ),
}
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202d\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U000e0000-\U000e0fff]"
)
"""What has no form of its own: the default ignorable code points of Unicode, and marks of direction."""

_TURNED = re.compile("\u202e([^\u202c\n]*)\u202c?")
_WORD = re.compile(r"[^\W\d_]+")
_DRESSED = ("<wide>", "<font>", "<circle>")
"""Decompositions of letters that are Latin ones in another dress. Source: Unicode Standard Annex 44."""


def as_seen(text: str) -> str:
    """Return a text as whoever reads it sees it; plain text as it is."""
    if text.isascii():
        return text
    turned = _TURNED.sub(lambda line: line[1][::-1], text)
    plain = "".join(map(_strip_style, _UNSEEN.sub("", turned)))
    main = _main_script(plain)
    return _WORD.sub(lambda word: _in_one_script(word[0], main), plain)


@lru_cache(maxsize=4_096)
def _strip_style(sign: str) -> str:
    """Return a Latin letter or digit without its dress."""
    if sign.isascii() or not unicodedata.decomposition(sign).startswith(_DRESSED):
        return sign
    bare = unicodedata.normalize("NFKC", sign)
    return bare if bare.isascii() else sign


@lru_cache(maxsize=4_096)
def _script(letter: str) -> str:
    """Return the script of a letter, by its name: LATIN, CYRILLIC, GREEK and so on."""
    return unicodedata.name(letter, "").partition(" ")[0]


def _is_like(letter: str, script: str) -> bool:
    """Return whether a letter has a double in another script, of Latin and this one."""
    return ord(letter) in (_INTO[script] if _script(letter) == "LATIN" else _FROM[script])


def _main_script(text: str) -> str:
    """Return the script of most letters, of a text of several; at a tie the first by name."""
    counts: dict[str, int] = {}
    for letter in filter(str.isalpha, text):
        counts[_script(letter)] = counts.get(_script(letter), 0) + 1
    return min(counts, key=lambda name: (-counts[name], name), default="")


def _in_one_script(word: str, main: str) -> str:
    """Return a word whose letters are of Latin and of another script, or that is all doubles, in one script."""
    other = next((script for letter in word if (script := _script(letter)) in _FROM), "")
    if not other:
        return word
    own = [_script(letter) for letter in word if not _is_like(letter, other)]
    script = own[0] if own else main
    if len(set(own)) > 1 or script not in ("LATIN", other):
        return word
    return word.translate(_FROM[other] if script == "LATIN" else _INTO[other])
