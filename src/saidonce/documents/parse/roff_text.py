"""Escapes, strings and conditions of roff, the language of manual pages."""

from __future__ import annotations

import re
from collections.abc import Callable

_COMMENT = re.compile(r'\\["#].*')
_ESCAPE = re.compile(
    r"\\(?:(?P<font>[fFmMgkYV](?:\[[^\]\\]*\]|\(..|.))|(?P<size>s(?:[+-]?\d{1,2}|\[[^\]\\]*\]|\([^)]{2}|'[^']*'))"
    r"|(?P<drawn>[hvwlLDXZbNoRABCSxH]'[^']*')|\*(?:\[(?P<string>[^\]\\]*)\]|\((?P<two>..)|(?P<one>.))"
    r"|n[+-]?(?P<register>\[[^\]\\]*\]|\(..|.)|\[(?P<named>[^\]\\]*)\]|\((?P<sign>..)|(?P<plain>.)|$)"
)
_PLAIN = {
    "-": "-", "e": "\\", "E": "\\", "\\": "\\", " ": " ", "~": " ", "0": " ", "t": "\t", "'": "\u00b4", "`": "`",
    ".": ".", "_": "_", "(": "(", "{": "", "}": "",
}  # fmt: skip
_SIGNS = {
    "aq": "'", "dq": '"', "oq": "‘", "cq": "’", "lq": "“", "rq": "”", "Bq": "„", "bq": "‚", "Fo": "«", "Fc": "»",
    "en": "–", "em": "—", "hy": "-", "mi": "−", "pl": "+", "bu": "•", "co": "©", "rg": "®", "tm": "™", "de": "°",
    "mu": "×", "di": "÷", "+-": "±", "<=": "≤", ">=": "≥", "!=": "≠", "==": "≡", "->": "→", "<-": "←", "ua": "↑",
    "da": "↓", "<>": "↔", "rs": "\\", "sl": "/", "ul": "_", "ba": "|", "bv": "|", "br": "|", "or": "|", "at": "@",
    "sh": "#", "Do": "$", "ga": "`", "aa": "´", "ha": "^", "ti": "~", "lB": "[", "rB": "]", "lC": "{", "rC": "}",
    "la": "⟨", "ra": "⟩", "ss": "ß", "AE": "Æ", "ae": "æ", "OE": "Œ", "oe": "œ", "/O": "Ø", "/o": "ø", "oA": "Å",
    "oa": "å", ":A": "Ä", ":a": "ä", ":O": "Ö", ":o": "ö", ":U": "Ü", ":u": "ü", "'e": "é", "'E": "É", "'a": "á",
    "'o": "ó", "'u": "ú", "'i": "í", "`e": "è", "`a": "à", "^e": "ê", "^a": "â", "^o": "ô", "^i": "î", ",c": "ç",
    "~n": "ñ", "Eu": "€", "Po": "£", "Ye": "¥", "ct": "¢", "sc": "§", "ps": "¶", "dg": "†", "dd": "‡", "12": "½",
    "14": "¼", "34": "¾", "S1": "¹", "S2": "²", "S3": "³", "if": "∞", "*a": "α", "*b": "β", "*m": "μ", "mc": "µ",
    "*p": "π", "sq": "□", "OK": "✓", "fm": "'", "nb": "⊄", "md": "⋅", "pc": "·", "Lt": "<", "Gt": ">",
    "Le": "≤", "Ge": "≥", "Ne": "≠", "Pm": "±", "Am": "&", "Ba": "|", "If": "∞", "Pi": "π", "Na": "NaN",
    "dA": "⇓", "rA": "⇒", "hA": "⇔", "lA": "⇐", "no": "¬",
}  # fmt: skip
_TRUE = ("n", "\\n(.g", "\\n[.g]", "!t", "1")
_BRACED = re.compile(r"\\\{")
MAX_STRINGS = 8
"""Strings in strings that are read."""

MAX_CONDITIONS = 20
"""Conditions in conditions that are decided; what is deeper stays as it is."""


def written(text: str, value_of: Callable[[str], str | None], depth: int = 0) -> str:
    """Return a text with its escapes written out and its comment removed.

    Args:
        value_of: returns the string of a name that the page defines.
    """

    def one(match: re.Match[str]) -> str:
        name = match["string"] or match["two"] or match["one"]
        if name is not None:
            if depth >= MAX_STRINGS:
                return ""
            value = value_of(name)
            return written(_SIGNS.get(name, "") if value is None else value, value_of, depth + 1)
        if (sign := match["named"] if match["named"] is not None else match["sign"]) is not None:
            return _sign(sign)
        return _PLAIN.get(match["plain"] or "", "")

    return _ESCAPE.sub(one, _COMMENT.sub("", text))


def _sign(name: str) -> str:
    """Return a character by its name, such as "em" or "u2014"; the name itself if nobody knows it."""
    if re.fullmatch(r"u[0-9A-Fa-f]{4,6}", name):
        code = int(name[1:], 16)
        return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else ""
    return _SIGNS.get(name, "" if name.startswith("u") else name)


def arguments(rest: str) -> list[str]:
    """Return the arguments of a request; a quoted one may hold spaces, and a doubled quote in it is a quote."""
    arguments: list[str] = []
    at, rest = 0, _COMMENT.sub("", rest)
    while at < len(rest):
        if rest[at] in " \t":
            at += 1
        elif rest[at] == '"':
            end = at + 1
            while end < len(rest) and (rest[end] != '"' or rest[end + 1 : end + 2] == '"'):
                end += 2 if rest[end] == '"' else 1
            arguments.append(rest[at + 1 : end].replace('""', '"'))
            at = end + 1
        else:
            end = at
            while end < len(rest) and rest[end] not in " \t":
                end += 2 if rest[end] == "\\" else 1
            arguments.append(rest[at:end])
            at = end
    return arguments


def flattened(lines: list[str], depth: int = 0) -> list[str]:
    """Return lines without definitions of macros, with the branches of conditions that a screen takes."""
    kept: list[str] = []
    at, was_true = 0, False
    while at < len(lines):
        name, rest = request(lines[at])
        if name in ("de", "am", "de1", "ig"):
            end = (arguments(rest)[1:] or [""])[0] or "."
            end = end if name != "ig" else ((arguments(rest) or [""])[0] or ".")
            at = next((n for n in range(at + 1, len(lines)) if lines[n].rstrip() in (f".{end}", "..")), len(lines)) + 1
        elif name in ("if", "ie", "el"):
            condition, body = ("", rest) if name == "el" else _condition(rest)
            is_taken = not was_true if name == "el" else condition in _TRUE
            was_true = is_taken if name == "ie" else was_true
            inner, at = _branch(lines, at, body)
            if is_taken:
                kept += flattened(inner, depth + 1) if depth < MAX_CONDITIONS else inner
        else:
            kept.append(lines[at])
            at += 1
    return kept


def _condition(rest: str) -> tuple[str, str]:
    rest = rest.strip()
    match = re.match(r"!?(?:'[^']*'[^']*'|\\n(?:\(..|\[[^\]]*\])|[^\s\\]+|\S)", rest)
    end = match.end() if match else 0
    return rest[:end], rest[end:].strip()


def _branch(lines: list[str], at: int, body: str) -> tuple[list[str], int]:
    """Return the lines of a branch, and the number of the line after it."""
    if not body.startswith("\\{"):
        return [body], at + 1
    inner, open_braces = [body[2:].removeprefix("\\").strip()], 1
    open_braces += len(_BRACED.findall(inner[0])) - inner[0].count("\\}")
    at += 1
    while at < len(lines) and open_braces > 0:
        line = lines[at]
        open_braces += len(_BRACED.findall(line)) - line.count("\\}")
        inner.append(line.replace("\\}", "") if open_braces <= 0 else line)
        at += 1
    return [line for line in inner if line.strip(". ")], at


def request(line: str) -> tuple[str, str]:
    """Return the name of a request and the rest of its line; empty if a line is text. A lone dot asks for nothing."""
    if line.rstrip() in (".", "'"):
        return "nop", ""
    if line[:1] not in (".", "'"):
        return "", line
    match = re.match(r"[.'][ \t]*+([A-Za-z0-9%]{1,12}|\\\")[ \t]*+(.*)", line)
    return (match.group(1), match.group(2)) if match else ("", "")
