"""Macros that the writer of a LaTeX file defined, and quantities with their units."""

from __future__ import annotations

import re
from dataclasses import dataclass

from saidonce.documents.parse import latex_names as names
from saidonce.documents.parse.latex_source import LatexSource

MAX_ARGUMENTS = 9
_PARAMETER = re.compile(r"#([1-9])")
_DEF = re.compile(r"\s*+\\([a-zA-Z@]++)\s*+((?:#\d)*+)\s*+(?=\{)")
_OPTIONAL_FIRST = re.compile(r"\s*(?:O\{([^{}]*)\}|(o))")
_UNIT = re.compile(r"\\([a-zA-Z]+)")


@dataclass(frozen=True, slots=True)
class Macro:
    """A macro that the writer defined: its number of arguments, the value of an optional first one, and its text."""

    n_arguments: int
    default: str | None
    body: str


def filled(macro: Macro, arguments: list[str]) -> str:
    """Return what a macro stands for."""
    text = _PARAMETER.sub(lambda m: arguments[int(m[1]) - 1] if int(m[1]) <= len(arguments) else "", macro.body)
    return text.replace("##", "#")


def definition(command: str, source: LatexSource) -> tuple[str, Macro] | None:
    """Read the definition of a macro behind the command that defines it; return its name and the macro."""
    if command in names.DEFINITIONS_BY_SIGNS:
        match = source.match(_DEF)
        return (match[1], Macro(len(match[2]) // 2, None, source.argument())) if match is not None else None
    name = source.argument().strip().removeprefix("\\")
    if command in names.DEFINITIONS_BY_SPECIFICATION:
        specification = source.argument()
        optional = _OPTIONAL_FIRST.match(specification)
        n_arguments = len(re.findall(r"[moO]", re.sub(r"\{[^{}]*\}", "", specification)))
        default = None if optional is None else optional[1] or ""
        return name, Macro(min(n_arguments, MAX_ARGUMENTS), default, source.argument())
    count, default = source.option() or "", source.option()
    return name, Macro(int(count) if re.fullmatch(r"[0-9]", count) else 0, default, source.argument())


def quantity(command: str, source: LatexSource) -> str:
    """Read the arguments of a command for numbers and units; return them in words: "9 kilo metre per second"."""
    source.option()
    first = source.argument()
    if command == "ang":
        return f"{first}°"
    if command == "num":
        return first
    if command in ("si", "unit"):
        return _unit(first)
    if command not in ("SI", "qty"):
        first = f"{first}–{source.argument()}"
    return first if command == "numrange" else f"{first} {_unit(source.argument())}"


def _unit(raw: str) -> str:
    return " ".join(_UNIT.sub(r" \1 ", raw).replace("{", " ").replace("}", " ").replace("~", " ").split())
