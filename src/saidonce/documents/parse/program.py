"""Parse source code, split where functions and classes begin, without losing a line."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from saidonce.documents.parse.draft import DocumentDraft, printable, text_draft
from saidonce.documents.parse.source import NamedBytes

_PYTHON = ("py", "pyi")
_BEGINS = re.compile(
    r"(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub(?:\([^)]*\))?|unsafe|inline"
    r"|virtual|override|sealed|data|open|extern|const)\s+)*"
    r"(?:function\b|func\s|fn\s|def\s|class\s|interface\s|trait\s|impl\b|struct\s|enum\s|module\s|namespace\s|object\s|sub\s"
    r"|defmodule\s|create\s+(?:or\s+replace\s+)?(?:table|view|function|procedure|index|trigger)\b|\[[\w.\"' -]+\]\s*$"
    r"|(?:const|let|var)\s+\w+\s*=\s*(?:async\s*)?(?:function\b|\([^)]*\)\s*=>)"
    r"|(?:[\w:<>,*&\[\]]+\s+)+[\w:~]+\s*\([^;{}]*\)\s*(?:const\s*)?\{?\s*$|[\w-]+\s*\(\)\s*\{)",
    re.I,
)
_LEADS = re.compile(r"\s*(?://|/\*|\*|#|--|;|@|\[\w+(?:\(.*\))?\]\s*$|\"\"\")")
LONGEST_START = 1_000
"""Characters of a line that are looked at for the beginning of a definition."""

MIN_LINES = 4
"""Shorter pieces stay with what follows them."""


def read(source: NamedBytes) -> DocumentDraft:
    """Read a file of source code."""
    text, draft = text_draft(source)
    lines = printable(text).split("\n")
    starts = _of_python(text) if source.extension in _PYTHON else None
    for piece in _pieces(lines, starts if starts is not None else list(_by_signs(lines))):
        draft.code("\n".join(piece))
    draft.title = source.name.replace("\\", "/").rpartition("/")[2]
    return draft


def _of_python(text: str) -> list[int] | None:
    """Return the lines, from 0, at which functions and classes of a module begin; None if it does not parse."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    starts = []
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            starts.append(min([node.lineno, *(d.lineno for d in node.decorator_list)]) - 1)
            starts.append(node.end_lineno or node.lineno)
            if isinstance(node, ast.ClassDef):
                starts += [
                    min([inner.lineno, *(d.lineno for d in inner.decorator_list)]) - 1
                    for inner in node.body
                    if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef))
                ]
    return starts


def _by_signs(lines: Sequence[str]) -> Iterator[int]:
    """Yield the lines at which an unindented definition begins."""
    for at, line in enumerate(lines):
        if line[:1].strip() and _BEGINS.match(line[:LONGEST_START]):
            yield at


def _pieces(lines: Sequence[str], starts: Sequence[int]) -> Iterator[Sequence[str]]:
    """Split lines at the starts, together with the comments above them; short pieces are joined with the next one."""
    cuts = [0]
    for start in sorted(set(starts)):
        at = start
        while at - 1 > cuts[-1] and _LEADS.match(lines[at - 1]):
            at -= 1
        if sum(1 for line in lines[cuts[-1] : at] if line.strip()) >= MIN_LINES:
            cuts.append(at)
    for begin, end in zip(cuts, [*cuts[1:], len(lines)], strict=True):
        yield lines[begin:end]
