"""The signs of a LaTeX file in order, with arguments and the writer's own macros, within bounds."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import NamedTuple

VERBATIM = frozenset(
    "verbatim Verbatim BVerbatim lstlisting minted alltt filecontents comment listing semiverbatim".split()
)
"""Environments whose content is no LaTeX, or none to be read."""

MAX_DEPTH = 24
"""Macros that expand within one another."""

MAX_EXPANSIONS = 20_000
MAX_EXPANDED = 4_000_000
MAX_OPTION = 1_000

_TOKEN = re.compile(
    r"(?P<comment>%[^\n]*(?:\n[ \t]*(?P<then>\n\s*)?)?)"
    r"|(?P<par>[ \t]*\n[ \t]*\n\s*)|(?P<space>\s+)"
    r"|\\(?P<name>[a-zA-Z@]+)\*?(?P<after>[ \t]*+(?:\n(?![ \t]*\n)[ \t]*+)?)|\\(?P<sign>(?s:.))"
    r"|(?P<mark>\$\$?|[{}&~])|(?P<text>[^\\%\s{}&~$]+)|(?P<lone>\\)"
)
_BRACE = re.compile(r"\\[^a-zA-Z]|\\verb\*?([^\w\s*])[^\n]*?\1|\\begin\{([a-zA-Z]+)\*?\}|%[^\n]*|[{}]")
_BLANKS = re.compile(r"[ \t]*+\n?[ \t]*+")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")


class LatexToken(NamedTuple):
    """One sign, of kind "name", "sign", "mark", "text", "space" or "par"."""

    kind: str
    text: str
    is_apart: bool = False


@dataclass(slots=True)
class _LatexInput:
    """Text that is being read: the file, or what a macro stands for.

    Attributes:
        closing: place of the brace that closes the one at each place.
        places: of each string that was looked for.
    """

    text: str
    at: int = 0
    closing: dict[int, int] = field(default_factory=dict)
    blank_lines: list[int] = field(default_factory=list)
    places: dict[str, list[int]] = field(default_factory=dict)


class LatexSource:
    """Reads signs and arguments; what a macro stands for is read before what follows it.

    The length and the number of all expansions are bounded, so that macros which double one another end.
    """

    def __init__(self, text: str) -> None:
        self._inputs = [_opened(text)]
        self.n_expansions = 0
        self.n_expanded = 0

    def next(self) -> LatexToken | None:
        """Return the next sign; None at the end."""
        while self._inputs:
            top = self._inputs[-1]
            match = _TOKEN.match(top.text, top.at)
            if match is None:
                self._inputs.pop()
                continue
            top.at = match.end()
            kind = match.lastgroup or ""
            if kind == "after":
                return LatexToken("name", match["name"], is_apart=bool(match["after"]))
            if kind == "comment" and match["then"]:
                return LatexToken("par", "")
            if kind not in ("comment", "lone"):
                return LatexToken(kind, match[kind])
        return None

    def expand(self, text: str) -> bool:
        """Read a text before all that follows; return False if too much was expanded."""
        self.n_expansions += 1
        self.n_expanded += len(text)
        too_much = self.n_expansions > MAX_EXPANSIONS or self.n_expanded > MAX_EXPANDED
        if too_much or len(self._inputs) > MAX_DEPTH:
            return False
        self._inputs.append(_opened(text))
        return True

    def follows(self, sign: str) -> bool:
        """Return whether a sign follows at once, and pass it."""
        top = self._top()
        if top is None or not top.text.startswith(sign, top.at):
            return False
        top.at += len(sign)
        return True

    def is_group_next(self) -> bool:
        """Return whether an argument in braces follows at once."""
        top = self._top()
        return top is not None and top.at in top.closing

    def argument(self) -> str:
        """Return the text of the next argument, in braces or one sign; empty if there is none.

        An argument that nothing closes ends at the end of its line.
        """
        top = self._top()
        if top is None:
            return ""
        if blanks := _BLANKS.match(top.text, top.at):
            top.at = blanks.end()
        start = top.at
        if top.text.startswith("{", start):
            end = top.closing.get(start)
            if end is None:
                stop = top.text.find("\n", start)
                end = top.at = len(top.text) if stop < 0 else stop
            else:
                top.at = end + 1
            return top.text[start + 1 : end]
        match = re.compile(r"\\(?:[a-zA-Z@]+|(?s:.))|[^\s}&]").match(top.text, start)
        if match is None:
            return ""
        top.at = match.end()
        return match.group()

    def option(self) -> str | None:
        """Return the text of an optional argument in square brackets; None if none follows."""
        top = self._top()
        if top is None or not top.text.startswith("[", top.at):
            return None
        at = top.at + 1
        stop = min(len(top.text), at + MAX_OPTION)
        if top.text.find("]", at, stop) < 0:
            return None
        while at < stop and top.text[at] != "]":
            at = top.closing.get(at, at) + 1 if top.text[at] != "\\" else at + 2
        if at >= stop or self._has_blank_line(top, at):
            return None
        start, top.at = top.at + 1, at + 1
        return top.text[start:at]

    def until(self, end: str, most: int | None = None) -> str | None:
        """Return the text before a string, and pass both; None if it does not come, or not within `most` signs."""
        top = self._top()
        if top is None:
            return None
        if end not in top.places:
            top.places[end] = [hit.start() for hit in re.finditer(rf"(?<!\\){re.escape(end)}", top.text)]
        after = bisect_left(top.places[end], top.at)
        if after == len(top.places[end]) or (most is not None and top.places[end][after] > top.at + most):
            return None
        start, stop = top.at, top.places[end][after]
        top.at = stop + len(end)
        return top.text[start:stop]

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Return the match of a pattern that follows at once, and pass it."""
        top = self._top()
        match = pattern.match(top.text, top.at) if top is not None else None
        if top is not None and match is not None:
            top.at = match.end()
        return match

    def _top(self) -> _LatexInput | None:
        while len(self._inputs) > 1 and self._inputs[-1].at >= len(self._inputs[-1].text):
            self._inputs.pop()
        return self._inputs[-1] if self._inputs else None

    def _has_blank_line(self, top: _LatexInput, stop: int) -> bool:
        """Return whether an empty line stands between the place that is read and another one."""
        after = bisect_left(top.blank_lines, top.at)
        return after < len(top.blank_lines) and top.blank_lines[after] < stop


def _opened(text: str) -> _LatexInput:
    """Return a text to be read, with the place that closes each brace in it, found in one pass."""
    closing: dict[int, int] = {}
    ends = {name: text.rfind(f"\\end{{{name}") for name in VERBATIM}
    held: list[int] = []
    at = 0
    while (match := _BRACE.search(text, at)) is not None:
        at = match.end()
        name = match.group(2)
        if name:
            closing[text.index("{", match.start())] = at - 1
            if name in VERBATIM and ends[name] >= at:
                at = text.find(f"\\end{{{name}", at)
        elif match.group() == "{":
            held.append(match.start())
        elif match.group() == "}" and held:
            closing[held.pop()] = match.start()
    return _LatexInput(text, closing=closing, blank_lines=[m.start() for m in _BLANK_LINE.finditer(text)])
