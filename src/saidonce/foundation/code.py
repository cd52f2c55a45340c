"""Room: the layout of code, as far as it says something: which lines are statements of their own, and how deep."""

from __future__ import annotations

import re

_STRING = r'"(?:[^"\\\n]|\\.)*+"|' + r"'(?:[^'\\\n]|\\.)*+'"
CODE_TOKEN = re.compile(rf"{_STRING}|\w+|[^\w\s]")
"""A string in quotation marks, a word, or a sign."""

_COMMENT = re.compile(r"(?:^|\s)(?:#|--\s)|(?:^|[^:])//")
_CHAINED = re.compile(r"\.\w")
_UNFINISHED = re.compile(r"\s(?:[-+*/=]|&&|\|\||and|or)$")
"""An operator that wants what stands on the next line."""
_OPENS = {"(": ")", "[": "]", "{": "}"}
_CLOSES = frozenset(_OPENS.values())
_NO_END = frozenset(",;{}")
"""After these a line in braces may end anywhere."""


def code_lines(text: str) -> list[tuple[str, str]]:
    """Return the lines of code, each with its separator: nothing, a space, or a line break and its indent in tabs.

    A break that says nothing is a space: within brackets, behind a comma or a semicolon in braces, behind an operator,
    before a chained call, after a backslash, which is left out. Depth counts levels of indentation, not spaces; in
    braces it counts for nothing. Where a comment ends at the break, it always counts.
    """
    lines = [line.expandtabs().rstrip() for line in text.splitlines()]
    marked: list[tuple[str, str]] = []
    brackets: list[str] = [""]
    levels: list[int] = []
    before = ""
    for line in filter(None, lines):
        bare = line.lstrip()
        mark = _mark(before, bare, brackets[-1], _depth(levels, len(line) - len(bare)))
        if before.endswith("\\") and mark == " ":
            marked[-1] = (marked[-1][0], before[:-1].rstrip())
        marked.append((mark if marked else "", bare))
        _count(brackets, bare)
        before = bare
    return marked


def code_form(text: str) -> str:
    """Return code in the form in which equal texts are exact repeats: its words, and the breaks that say something."""
    return "".join(mark + " ".join(line.split()) for mark, line in code_lines(text))


def _mark(before: str, line: str, bracket: str, depth: int) -> str:
    if not _COMMENT.search(before):
        if bracket in ("(", "[") or before.endswith("\\") or _CHAINED.match(line) or _UNFINISHED.search(before):
            return " "
        ends = before[-1:] in _NO_END if bracket == "{" else before[-1:] == ";"
        if ends or line[0] in _CLOSES:
            return " "
    return "\n" if bracket else "\n" + "\t" * depth


def _depth(levels: list[int], indented: int) -> int:
    """Return on which level of indentation a line stands, and note it."""
    while len(levels) > 1 and levels[-1] > indented:
        levels.pop()
    if not levels or indented > levels[-1]:
        levels.append(indented)
    return len(levels) - 1


def _count(brackets: list[str], line: str) -> None:
    """Note the brackets that a line opens and closes; one that closes nothing is passed over."""
    for token in CODE_TOKEN.findall(line):
        if token in _OPENS:
            brackets.append(token)
        elif token in _CLOSES and _OPENS.get(brackets[-1]) == token:
            brackets.pop()
