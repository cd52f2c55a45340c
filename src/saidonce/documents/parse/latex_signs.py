"""The signs of LaTeX as text: accents, symbols, quotes and formulas."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache

from docutils.utils.math import tex2unichar as tables

_ACCENTS = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307",
    "c": "\u0327", "v": "\u030c", "u": "\u0306", "H": "\u030b", "k": "\u0328", "r": "\u030a", "d": "\u0323",
    "b": "\u0331", "t": "\u0361",
}  # fmt: skip
ACCENTS: Mapping[str, str] = _ACCENTS
"""Combining accent of each command that sets one."""

LETTERS: Mapping[str, str] = {
    "oe": "œ", "OE": "Œ", "ae": "æ", "AE": "Æ", "aa": "å", "AA": "Å", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł",
    "ss": "ß", "SS": "ẞ", "i": "ı", "j": "ȷ", "dh": "ð", "DH": "Ð", "th": "þ", "TH": "Þ", "dj": "đ", "DJ": "Đ",
    "ng": "ŋ", "NG": "Ŋ", "S": "§", "P": "¶", "copyright": "©", "pounds": "£", "euro": "€", "texteuro": "€",
    "EUR": "€", "dag": "†", "ddag": "‡", "dots": "…", "ldots": "…", "textellipsis": "…", "textbackslash": "\\",
    "textasciitilde": "~", "textasciicircum": "^", "textbar": "|", "textless": "<", "textgreater": ">",
    "textunderscore": "_", "textbraceleft": "{", "textbraceright": "}", "lbrace": "{", "rbrace": "}",
    "textdollar": "$", "textquotedblleft": "“", "textquotedblright": "”", "textquoteleft": "‘", "textquoteright": "’",
    "textquotesingle": "'", "textquotedbl": '"', "guillemotleft": "«", "guillemotright": "»", "og": "« ", "fg": " »",
    "glqq": "„", "grqq": "“", "quotedblbase": "„", "quotesinglbase": "‚", "textendash": "–", "textemdash": "—",
    "textbullet": "•", "textdegree": "°", "degree": "°", "textregistered": "®", "texttrademark": "™",
    "textonehalf": "½", "textonequarter": "¼", "textmu": "µ", "textpm": "±", "texttimes": "×", "slash": "/",
    "LaTeX": "LaTeX", "TeX": "TeX", "LaTeXe": "LaTeX2e", "XeTeX": "XeTeX", "XeLaTeX": "XeLaTeX", "LuaTeX": "LuaTeX",
    "BibTeX": "BibTeX", "textexclamdown": "¡", "textquestiondown": "¿", "quad": " ", "qquad": " ", "space": " ",
    "enspace": " ", "thinspace": " ", "nobreakspace": " ", "textvisiblespace": " ", "cdots": "⋯", "checkmark": "✓",
}  # fmt: skip
"""Text of each command that stands for one."""

_LIGATURES = (("---", "—"), ("--", "–"), ("``", "“"), ("''", "”"), ("`", "‘"), ("'", "\x00"))
SINGLE = "\x00"
"""A single mark of which only what follows shows whether it is an apostrophe; no text has this sign."""

_QUOTE = re.compile(r"((?<=\w)\x00(?=\w))|\x00")
_BEGINNING = re.compile(r"([?!])`")
_FORMULA_WORDS = re.compile(
    r"\\(?:mathrm|mathbf|mathit|mathsf|mathtt|mathcal|mathbb|mathfrak|boldsymbol|bm|text|textrm|textbf|textit|mbox"
    r"|operatorname\*?|hat|bar|vec|tilde|dot|ddot|overline|underline|widehat|widetilde|limits|ensuremath"
    r"|underbrace|overbrace|SI|si|unit|num|qty)\s*\{([^{}]*)\}"
)
_FRACTION = re.compile(r"\\[dtc]?frac\s*(?:\{([^{}]*)\}|(\w))\s*(?:\{([^{}]*)\}|(\w))")
_ROOT = re.compile(r"\\sqrt\s*+(?:\[([^\[\]{}]*)\])?\s*+(?:\{([^{}]*)\}|(\w))")
_RAISED = re.compile(r"([\^_])\s*\{([^{}]*)\}")
_DEGREE = re.compile(r"\^\s*(?:\{\s*\\circ\s*\}|\\circ(?![a-zA-Z]))")
_LABEL = re.compile(r"\\(?:label|tag\*?|hspace\*?|vspace\*?|phantom|begin|end)\s*\{[^{}]*\}")
_SILENT = re.compile(
    r"\\(?:left|right|big[lrm]?|Big[lrm]?|bigg[lrm]?|Bigg[lrm]?|displaystyle|textstyle|nonumber|notag|nolimits"
    r"|limits|middle|rm|bf|it|cal|tt|sf|hline)(?![a-zA-Z])\.?"
)
_NARROW = re.compile(r"\\[,;:>! ]|~|\\q?quad(?![a-zA-Z])")
_COMMAND = re.compile(r"\\([a-zA-Z]+)")
_PASSES = 12
"""How deep parts of a formula may stand within one another; what stands deeper keeps its marks."""

MAX_FORMULA = 20_000


def with_ligatures(text: str) -> str:
    """Return text with dashes and quotes as they are printed."""
    text = _BEGINNING.sub(lambda m: "¿" if m[1] == "?" else "¡", text)
    for signs, printed in _LIGATURES:
        text = text.replace(signs, printed)
    return text


def with_apostrophes(text: str) -> str:
    """Return text whose single marks are apostrophes within words, and closing quotes elsewhere."""
    return _QUOTE.sub(lambda m: "'" if m[1] else "’", text) if SINGLE in text else text


def accented(accent: str, letters: str) -> str:
    """Return letters with the accent of a command on the first one; an accent over nothing is a sign of its own."""
    if not letters.strip():
        return accent if accent in "^~'`\"" else ""
    first = {"ı": "i", "ȷ": "j"}.get(letters[0], letters[0])
    return unicodedata.normalize("NFC", first + ACCENTS[accent]) + letters[1:]


def formula(raw: str) -> str:
    """Return a formula as text: symbols by their signs, fractions with a stroke, one line for each of its lines."""
    text = _LABEL.sub("", _SILENT.sub("", _DEGREE.sub("°", raw[:MAX_FORMULA]))) + raw[MAX_FORMULA:]
    text = _NARROW.sub(" ", text.replace("\\{", "\x01").replace("\\}", "\x02"))
    for _ in range(_PASSES):
        before = text
        text = _FORMULA_WORDS.sub(r"\1", text)
        text = _RAISED.sub(_as_raised, text)
        text = _FRACTION.sub(_as_fraction, text)
        text = _ROOT.sub(_as_root, text)
        if text == before:
            break
    text = re.sub(r"\\\\(?:\[[^\]\n]{0,20}\])?", "\n", text.replace("\\&", "\x03").replace("&", " "))
    text = _COMMAND.sub(lambda m: _symbols().get(m[1], LETTERS.get(m[1], m[1])), text)
    text = re.sub(r"\\(.)", r"\1", text).replace("{", "").replace("}", "")
    text = text.replace("\x01", "{").replace("\x02", "}").replace("\x03", "&")
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def _as_raised(match: re.Match[str]) -> str:
    inner = match[2].strip()
    return f"{match[1]}{inner}" if re.fullmatch(r"\w+|\\[a-zA-Z]+|", inner) else f"{match[1]}({inner})"


def _as_fraction(match: re.Match[str]) -> str:
    above, below = match[1] or match[2] or "", match[3] or match[4] or ""
    return f" {_whole(above)}/{_whole(below)} ".strip()


def _as_root(match: re.Match[str]) -> str:
    inner = match[2] if match[2] is not None else match[3] or ""
    return f"{match[1] or ''}√{_whole(inner)}"


def _whole(part: str) -> str:
    part = part.strip()
    return part if re.fullmatch(r"[\w.°]+|\\[a-zA-Z]+", part) else f"({part})"


@cache
def _symbols() -> Mapping[str, str]:
    """Return the sign of each command of formulas."""
    parts = (tables.mathord, tables.mathalpha, tables.mathbin, tables.mathop, tables.mathopen, tables.mathclose)
    more = (tables.mathrel, tables.mathpunct, tables.mathfence)
    return {name: sign for part in (*parts, *more) for name, sign in part.items()}
