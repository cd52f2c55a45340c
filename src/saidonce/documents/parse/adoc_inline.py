"""The visible text of a line of AsciiDoc."""

from __future__ import annotations

import html
import re
from typing import TypeAlias

from saidonce.documents.parse.struck import MARK

Attributes: TypeAlias = dict[str, str]
"""Values by name, which {name} stands for."""

_KNOWN = {
    "nbsp": " ", "sp": " ", "empty": "", "zwsp": "", "lt": "<", "gt": ">", "amp": "&", "plus": "+", "vbar": "|",
    "startsb": "[", "endsb": "]", "asterisk": "*", "tilde": "~", "backtick": "`", "two-colons": "::", "apos": "'",
    "quot": '"', "ldquo": "“", "rdquo": "”", "lsquo": "‘", "rsquo": "’", "caret": "^", "hash": "#", "backslash": "\\",
}  # fmt: skip
_REFERENCE = re.compile(r"(?<!\\)\{([\w-]+)\}")
_ANCHOR = re.compile(
    r"\[\[[^\]]*\]\]|\(\(\([^()]*\)\)\)|anchor:[\w-]+\[[^\]]*\]|indexterm:\[[^\]]*\]|indexterm2:\[([^\]]*)\]"
)
_CROSS = re.compile(r"<<([^<>,]+)(?:,(?:\s*+([^<>]++)|\s++))?>>")
_FOOTNOTE = re.compile(r"footnote(?:ref)?:[\w-]*\[((?:[^\]\\]|\\.){0,1000}+)\]")
_MACRO = re.compile(
    r"(?:link|xref|mailto|pass|kbd|btn|menu|icon|image|stem|latexmath|asciimath|ifdef|gitlink):([^\s\[\]]{0,1000}+)\[((?:[^\]\\]|\\.){0,1000}+)\]"
)
_COMMAND = re.compile(r"(?<![\w:])(\w[\w.-]{0,80}):(\w[\w-]{0,80})\[(\d\w*)\]")
_URL = re.compile(r"((?:https?|ftp|irc|file)://[^\s\[\]<>]{1,2000}+)\[((?:[^\]\\]|\\.){0,1000}+)\]")
_PASS = re.compile(r"\+\+\+(.*?)\+\+\+|\+\+(.+?)\+\+|\$\$(.+?)\$\$", re.S)
_PLUS = re.compile(r"(?<![\w+\\])\+(\S|\S.{0,400}?\S)\+(?![\w+])", re.S)
_CODED = re.compile(r"&(?:[A-Za-z]{2,31}\d{0,2}|#\d{2,7}|#x[\da-fA-F]{2,6});")
_APOSTROPHES = re.compile(r"(?<![\w'\\;:}])'(\S|\S[^']*?\S)'(?![\w'])", re.S)
COMPATIBLE = "compat-mode"
"""Attribute of texts in the older form of the language, in which 'this' is emphasis."""

_PLACED = re.compile(
    r"\{[\w-]+\}(?=[^\s\[\]{}]{0,300}[./#])[^\s\[\]{}]{1,600}+\[((?:[^\]\\]|\\.){1,1000}+)\]"
    r"|\{[\w-]+\}\[(\w[^\]\[\s]*+\s[^\]\[]{1,1000}+)\]"
)
"""A link whose address begins with an attribute that the file does not define."""

_MONO = re.compile(r"``(.+?)``|(?<![\w`])`(\+?)([^`]+?)\2`(?!\w)", re.S)
_STRONG = (
    re.compile(r"\*\*(.+?)\*\*", re.S),
    re.compile(r"__(.+?)__", re.S),
    re.compile(r"##(.+?)##", re.S),
    re.compile(r"(?<![\w*\\])\*(\S(?:[^*]*?\S)?)\*(?![\w*])", re.S),
    re.compile(r"(?<![\w_\\])_(\S(?:[^_]*?\S)?)_(?![\w_])", re.S),
    re.compile(r"(?<![\w#&\\])#(\S(?:[^#]*?\S)?)#(?![\w#])", re.S),
)
_WITH_ROLES = re.compile(r"(?<!\\)\[([\w.-]{1,80})\]##.+?##|(?<![\w\\])\[([\w.-]{1,80})\]#\S(?:[^#]*?\S)?#(?!\w)", re.S)
_ROLE = re.compile(r"\[[.#][\w.#-]+\](?=[*_#`])")
_RAISED = re.compile(r"\^([^\s^]+)\^")
_LOWERED = re.compile(r"(?<![~\w])~([^\s~]+)~|(?<=\w)~([^\s~]+)~")
_HELD = re.compile("\x02(\\d+)\x03")
_QUOTED = re.compile(r'"([^"]*)"(?:\s*,.*)?$', re.S)
_ENTITY = {"(C)": "©", "(R)": "®", "(TM)": "™"}


def with_values(text: str, attributes: Attributes) -> str:
    """Return a text with its references to attributes replaced by their values; unknown ones stay."""
    return _REFERENCE.sub(lambda m: attributes.get(m.group(1), _KNOWN.get(m.group(1), m.group(0))), text)


def plain(text: str, attributes: Attributes) -> str:
    """Return the visible text: without markup, links by their labels, references by their values."""
    held: list[str] = []

    def hold(content: str) -> str:
        held.append(content)
        return f"\x02{len(held) - 1}\x03"

    text = _PASS.sub(lambda m: hold(m.group(1) or m.group(2) or m.group(3) or ""), text)
    text = with_values(text, attributes)
    text = _PLUS.sub(lambda m: hold(m.group(1)), text)
    text = _MONO.sub(lambda m: hold(_decoded(m.group(1) or m.group(3))), text)
    text = _ANCHOR.sub(lambda m: m.group(1) or "", text)
    text = _CROSS.sub(lambda m: m.group(2) or m.group(1).rpartition("#")[2].strip("_").replace("_", " "), text)
    text = _MACRO.sub(lambda m: hold(shown) if "://" in (shown := _macro(m)) else shown, text)
    text = _URL.sub(lambda m: _link_label(m.group(2)) or hold(m.group(1)), text)
    text = _PLACED.sub(lambda m: _link_label(m.group(1) or m.group(2)), text)
    text = _COMMAND.sub(lambda m: f"{m.group(2)}({m.group(3)})", text)
    text = _FOOTNOTE.sub(_note, text)
    text = _WITH_ROLES.sub(_unless_struck, text)
    text = _ROLE.sub("", text)
    for mark in (*_STRONG, _APOSTROPHES) if COMPATIBLE in attributes else _STRONG:
        text = mark.sub(r"\1", text)
    text = _RAISED.sub(r"^\1", text)
    text = _LOWERED.sub(lambda m: m.group(1) or m.group(2), text)
    for sign, shown in _ENTITY.items():
        text = text.replace(sign, shown)
    text = _decoded(text)
    while _HELD.search(text):
        text = _HELD.sub(lambda m: held[int(m.group(1))] if int(m.group(1)) < len(held) else "", text)
    return re.sub(r"\\(?=[*_#`{\[<])", "", text)


def _decoded(text: str) -> str:
    """Return a text with its references to characters replaced by the characters: "&#x2e;" is a full stop."""
    return _CODED.sub(lambda m: html.unescape(m.group()), text) if "&" in text else text


def _note(match: re.Match[str]) -> str:
    """Return a footnote in brackets; one that is named again elsewhere has no text of its own there."""
    return f" ({match.group(1)})" if match.group(1) else ""


def _unless_struck(match: re.Match[str]) -> str:
    roles = (match.group(1) or match.group(2)).split(".")
    return MARK if "line-through" in roles else match.group()


def _macro(match: re.Match[str]) -> str:
    target, words = match.group(1), _link_label(match.group(2))
    kind = match.group(0).partition(":")[0]
    if kind == "image":
        return words if len(words.split()) > 1 else ""
    if kind == "menu":
        return " > ".join([target, *filter(None, (w.strip() for w in match.group(2).split(">")))])
    if kind == "gitlink":
        return f"{target}({words})" if words else target
    return "" if kind == "icon" else words or target


def _link_label(attributes: str) -> str:
    """Return the label of a link without its attributes."""
    if quoted := _QUOTED.match(attributes.strip()):
        return quoted.group(1)
    text = re.sub(r",\s*(?:role|window|title|opts|options|width|height)\s*=.*$", "", attributes.strip())
    return text.removesuffix("^").strip('"').replace("\\]", "]")
