"""MyST, the Markdown of Sphinx: its directives are rewritten into Markdown, or read as those of reStructuredText."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from textwrap import dedent, indent

from saidonce.documents.parse.rst import CODE, OBJECTS, SHOWN_OPTIONS, SILENT, VERSIONS

DIRECTIVE = re.compile(r"\{([A-Za-z][\w:-]*+)\}[ \t]*+(.*+)")
"""What stands behind a fence that begins one: its name and its argument."""

_OPTION = re.compile(r" *:([\w-]+):(?: |$)")
_TARGET = re.compile(r" {0,3}\([^()\s][^()\n]*+\)=[ \t]*+")
_DEFINED = re.compile(r" {0,3}:[ \t]++(?=\S)")
_BLOCK = r"[#>|<]|```|~~~|:::|[-*+] |\d+[.)] "
"""Beginnings of lines that are no paragraph."""

_NO_TERM = re.compile(rf"\s|[:%]|{_BLOCK}")
_NO_PROSE = re.compile(rf"\s*(?:{_BLOCK}|!\[|$)| {{4}}")

_BOXES = {name: name.capitalize() for name in "note tip hint important warning caution danger attention error".split()}
_HEADED = {"seealso": "See also:", "todo": "To do:"}
_TITLED = frozenset(
    (
        "admonition dropdown card margin sidebar topic epigraph tab-item grid-item-card exercise solution proof theorem"
        " rubric centered table list aside pull-quote highlights"
    ).split()
)
"""Their argument is a title, and their content Markdown."""

_BARE = frozenset("tab-set grid grid-item container div only compound hlist".split())
"""Their argument says how they look, and their content is Markdown."""

_AS_RST = (
    frozenset(("eval-rst", "toctree", "list-table", "csv-table", "image", "raw", "code", "code-cell")) | CODE | SILENT
)
"""Read as directives of reStructuredText: nothing in them is Markdown, or it is the same in both."""


def rewritten(margin: str, fence: str, directive: tuple[str, str], body: Sequence[str]) -> list[str] | None:
    """Return a directive as lines of Markdown; None if it is read where it stands, or unknown.

    Args:
        margin: the space before its fence; the lines of the body have their own.
        fence: the signs that it stands between.
        directive: its name and its argument.
        body: its lines.
    """
    name, argument = directive[0], directive[1].strip()
    if name in _AS_RST:
        wide = "~" * max(3, *(len(line) for line in (*body, "")))
        return [f"{margin}{wide}{{{name}}} {argument}", *body, f"{margin}{wide}"] if fence[0] == ":" else None
    options, content = _without_options(body)
    if name in _BOXES:
        return _box(margin, _BOXES[name], argument, content)
    if name == "glossary":
        return list(_glossary(content))
    head = _head(name, argument, options)
    return None if head is None else [*(f"{margin}{line}" for line in head), "", *content]


def _head(name: str, argument: str, options: Mapping[str, str]) -> list[str] | None:
    """Return the lines that a directive shows above its content; None for an unknown one."""
    version, _, change = argument.partition(" ")
    beside = [f"{key}: {options[key]}" for key in SHOWN_OPTIONS if options.get(key)]
    heads: tuple[tuple[bool, list[str]], ...] = (
        (name in VERSIONS, [f"{name} {version}" + (f": {change.strip()}" if change.strip() else "")]),
        (name in _HEADED, [f"{_HEADED.get(name)} {argument}".rstrip()]),
        (name in _TITLED, [argument]),
        (name in _BARE, []),
        (name == "figure", [f"![{options.get('alt', '')}](picture)"]),
        (name.rpartition(":")[2] in OBJECTS, ["~~~", argument, *beside, "~~~"]),
    )
    return next((head for holds, head in heads if holds), None)


def as_rst(name: str, argument: str, body: str) -> str | None:
    """Return a directive as reStructuredText; None if it is not read so."""
    if name not in _AS_RST:
        return None
    if name == "eval-rst":
        return dedent(body)
    options, content = _without_options(body.split("\n"))
    known = "code-block" if name in ("code", "code-cell") else name
    head = [f".. {known}:: {argument}".rstrip(), *(f"   :{key}: {value}".rstrip() for key, value in options.items())]
    return "\n".join((*head, "", indent(dedent("\n".join(content)), "   ")))


def is_target(line: str) -> bool:
    """Return whether a line is only a name for what follows, which nobody sees."""
    return _TARGET.fullmatch(line) is not None


def definition(lines: Sequence[str], at: int) -> tuple[list[str], int] | None:
    """Return terms with their definitions as paragraphs, and the line behind them; None if none begins at a line."""
    if at and lines[at - 1].strip():
        return None
    shown: list[str] = []
    while (first := _first_definition(lines, at)) is not None:
        shown += ["", f"{lines[at].rstrip().removesuffix(':')}: {_DEFINED.sub('', lines[first], count=1)}"]
        at = first + 1
        while at < len(lines) and _is_within(lines, at):
            shown += (
                ["", _DEFINED.sub("", lines[at], count=1)] if _DEFINED.match(lines[at]) else [_moved_left(lines[at])]
            )
            at += 1
    return (shown, at) if shown else None


def _first_definition(lines: Sequence[str], at: int) -> int | None:
    """Return the line on which the definition of a term begins, below it or below an empty line; None without one."""
    if at >= len(lines) or not lines[at] or _NO_TERM.match(lines[at]):
        return None
    below = next((n for n in range(at + 1, min(at + 3, len(lines))) if lines[n].strip()), None)
    return below if below is not None and _DEFINED.match(lines[below]) else None


def _is_within(lines: Sequence[str], at: int) -> bool:
    """Return whether a line belongs to the definition above it: indented, empty, a further one, or not a new term."""
    line = lines[at]
    if not line.strip() or line.startswith(("  ", "\t")) or _DEFINED.match(line):
        return True
    return bool(lines[at - 1].strip()) and _first_definition(lines, at) is None


def _moved_left(line: str) -> str:
    wide = line.expandtabs(4)
    return wide[min(4, len(wide) - len(wide.lstrip())) :]


def _without_options(body: Sequence[str]) -> tuple[dict[str, str], Sequence[str]]:
    """Return the options at the head of a directive, and the lines behind them."""
    if body and body[0].strip() == "---" and "---" in (rest := [line.strip() for line in body[1:]]):
        end = rest.index("---") + 1
        pairs = (line.partition(":") for line in body[1:end])
        return {key.strip(): value.strip() for key, _, value in pairs if key.strip()}, body[end + 1 :]
    first = next((n for n, line in enumerate(body) if not _OPTION.match(line)), len(body))
    named = (line.strip()[1:].partition(":") for line in body[:first])
    return {key: value.strip() for key, _, value in named}, body[first:]


def _box(margin: str, kind: str, argument: str, content: Sequence[str]) -> list[str]:
    """Return a box with its kind before its first paragraph."""
    if argument:
        return [f"{margin}{kind}: {argument}", "", *content]
    first = next((n for n, line in enumerate(content) if line.strip()), len(content))
    if first == len(content) or _NO_PROSE.match(content[first][len(margin) :]):
        return [f"{margin}{kind}:", "", *content[first:]]
    return [f"{margin}{kind}: {content[first].strip()}", *content[first + 1 :]]


def _glossary(content: Sequence[str]) -> Iterator[str]:
    """Yield terms with the indented lines below them as definitions; everything else stays as it is."""
    at = 0
    while at < len(content):
        term = content[at]
        below = content[at + 1] if at + 1 < len(content) else ""
        if not term.strip() or term[0].isspace() or not below[:1].isspace() or not below.strip():
            yield term
            at += 1
            continue
        end = at + 1
        while end < len(content) and (content[end][:1].isspace() or not content[end].strip()):
            end += 1
        first, *more = dedent("\n".join(content[at + 1 : end])).split("\n")
        yield from ("", f"{term.strip()}: {first}", *more)
        at = end
