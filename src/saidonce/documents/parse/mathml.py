"""Write formulas of MathML on one line, so that fractions and exponents stay what they are."""

from __future__ import annotations

import re

from lxml import etree

MAX_DEPTH = 60
_SPACE = re.compile(r"\s+")
_DROPPED = frozenset({"annotation", "annotation-xml", "maction", "mphantom"})
_SCRIPTS = {"msup": ("^",), "msub": ("_",), "msubsup": ("_", "^"),
    "munder": ("_",), "mover": ("^",), "munderover": ("_", "^")}  # fmt: skip
_OF_TWO = {"mfrac": "{}/{}", "mroot": "root {1} of {0}"}
_SIMPLE = re.compile(r"-?[\w.,]*")


def formula(node: etree._Element, depth: int = 0) -> str:
    """Return a formula on one line: "(w L^2)/(8 T)"; a second notation of the same formula is left out."""
    name = _name(node)
    if not name or name in _DROPPED:
        return ""
    if depth > MAX_DEPTH:
        return one_line_of(node)
    parts = [formula(child, depth + 1) for child in node if _name(child) not in ("", *_DROPPED)]
    return _built(node, name, parts) if parts else _SPACE.sub(" ", node.text or "").strip()


def _built(node: etree._Element, name: str, parts: list[str]) -> str:
    """Return an element of a formula, built of its parts."""
    if name in _SCRIPTS and len(parts) == len(_SCRIPTS[name]) + 1:
        pairs = zip(_SCRIPTS[name], parts[1:], strict=True)
        return parts[0] + "".join(f"{sign}{_grouped(part)}" for sign, part in pairs if part)
    if name in _OF_TWO and len(parts) == 2:
        return _OF_TWO[name].format(*map(_grouped, parts))
    if name in ("mtable", "mtr", "mlabeledtr"):
        return (" " if name != "mtable" else "; ").join(parts)
    if name == "mfenced":
        return f"{node.get('open', '(')}{', '.join(parts)}{node.get('close', ')')}"
    return f"√({_joined(parts)})" if name == "msqrt" else _joined(parts)


def one_line_of(node: etree._Element) -> str:
    """Return all text below a node on one line, with spaces between its parts."""
    return " ".join(filter(None, (_SPACE.sub(" ", str(piece)).strip() for piece in node.itertext("*"))))


def _joined(parts: list[str]) -> str:
    """Return parts in a row, with a space where two numbers or words would run together."""
    whole = ""
    for part in parts:
        apart = whole[-1:].isalnum() and part[:1].isalnum()
        whole += f" {part}" if apart else part
    return whole


def _grouped(part: str) -> str:
    return part if _SIMPLE.fullmatch(part) else f"({part})"


def _name(node: etree._Element) -> str:
    return node.tag.rpartition("}")[2].rpartition(":")[2] if isinstance(node.tag, str) else ""
