"""Rewrite what site generators add to Markdown into CommonMark: indented boxes and tabs, fenced boxes, long footnotes.

CommonMark takes their indented content for code, and loses their titles.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from saidonce.documents.parse import myst
from saidonce.documents.parse.markdown_grids import as_pipes, grid_end

_BOX = re.compile(r"( *)(?:!!!|\?\?\?\+?)[ \t]+([A-Za-z][\w -]{0,80}?)(?:[ \t]{1,20}\"([^\"\n]*)\")?[ \t]{0,20}$")
_TAB = re.compile(r"( *+)===[!+]?[ \t]++[\"']([^\"'\n]++)[\"'][ \t]*+$")
_NOTE = re.compile(r"( *)\[\^[^\]\s]{1,60}\]:")
_COLONS = re.compile(
    r"( *+)(:{3,}+)[ \t]*+(?:\{?\.?([A-Za-z][\w-]*+)\}?)?(?:\[([^\]\n]*+)\])?([^{}\n]*+)(?:\{[^}\n]*+\})?+$"
)
_MYST = re.compile(r"( *+)(`{3,}+|~{3,}+|:{3,}+)\{([A-Za-z][\w:-]*+)\}[ \t]*+(.*+)$")
_ALERT = re.compile(r"( {0,3}> ?)\[!([A-Za-z]++)\][+-]?[ \t]*+(.*+)$")
FENCE = re.compile(r" *(?:>[ ]?)*(`{3,}|~{3,})")
_MARKED_BOX = re.compile(r" {0,3}<(?:div|section|aside|details)\b[^>\n]*\bmarkdown\b[^>\n]*>[ \t]*$")
"""The beginning of a box of HTML that says that its content is Markdown."""

_FROM_PROGRAM = re.compile(
    r"^( *+):::[ \t]++(?:[A-Za-z_]\w*+(?:\.\w++)++|[A-Za-z_][\w-]*+(?=[ \t]*\n(?:[ \t]*\n)?\1(?:    |\t)\s*:?"
    r"(?:options|handler|module|command|selection|rendering)\b))[ \t]*$",
    re.M,
)
"""A line that a generator replaces by the description of a program."""

_NO_PARAGRAPH = re.compile(r"[-*+] |\d{1,9}[.)] |#{1,6} |>|`{3}|~{3}|:{3}|\||<|!!!|\?\?\?|=== |\[\^| {4}|\t")
_UNDER = re.compile(r"[\s|:=-]+$")
"""A line that makes another of the line above it: the lines of a title or a table."""

_HEADING_NAME = re.compile(r"(?<=\S)[ \t]*\{:?[ \t]*[#.][^{}\n]*\}[ \t]*$")
_ATTRIBUTES = re.compile(r" *\{:[ \t]?[^{}\n]*\}[ \t]*")
"""Classes and names that kramdown gives to the block beside them, on a line of their own."""

MOST_NESTED = 20
"""Boxes inside each other that are rewritten, as deep as CommonMark's reader goes; each reads its content again."""

_LONGEST_TITLE = 200
"""Characters of a title behind colons; what is longer is a line of text."""


def common(text: str) -> str:
    """Return Markdown without the forms that CommonMark would misread; everything else stays as it is."""
    lines = text.split("\n")
    return "\n".join(_rewritten(lines))


def _rewritten(lines: Sequence[str], depth: int = 0) -> Iterator[str]:
    if depth > MOST_NESTED:
        yield from lines
        return
    at, fences = 0, Fences(lines)
    while at < len(lines):
        hit = next((hit for form in _FORMS if (hit := form(lines, at, fences, depth)) is not None), None)
        shown, at = hit or (_line(lines[at]), at + 1)
        yield from shown


_Found: TypeAlias = "tuple[Iterable[str], int] | None"
"""What is written for the element that begins at a line, and the line after it; None if it is of another form."""


def _directive(lines: Sequence[str], at: int, fences: Fences, depth: int) -> _Found:
    boxed = _MYST.match(lines[at])
    if boxed is None or (end := fences.closing(at, boxed.group(2))) is None:
        return None
    name = boxed.group(3), boxed.group(4)
    shown = myst.rewritten(boxed.group(1), boxed.group(2), name, lines[at + 1 : end])
    return None if shown is None else (("", *_rewritten(shown, depth + 1), ""), end + 1)


def _fence(lines: Sequence[str], at: int, fences: Fences, _depth: int) -> _Found:
    if (fence := FENCE.match(lines[at])) is None:
        return None
    end = fences.closing(at, fence.group(1))
    after = end + 1 if end is not None else len(lines)
    return lines[at:after], after


def _titled(lines: Sequence[str], at: int, _fences: Fences, depth: int) -> _Found:
    if (begun := _begun(lines[at])) is None:
        return None
    margin, title, leads = begun
    inner, after = _indented(lines, at + 1, len(margin))
    led = _led(title, inner) if leads else _named(title, inner) if lines[at].lstrip().startswith("=") else None
    return _box("" if led else title, led or inner, margin, depth), after


def _alert(lines: Sequence[str], at: int, _fences: Fences, _depth: int) -> _Found:
    alert = _ALERT.match(lines[at])
    if alert is None or alert.group(3) or at + 1 == len(lines):
        return None
    mark = alert.group(1).rstrip()
    quoted = [line.removeprefix(mark).removeprefix(" ") for line in lines[at + 1 : at + 3]]
    led = _led(alert.group(2).capitalize(), quoted) if lines[at + 1].startswith(mark) else None
    return ((f"{mark} {led[0]}",), at + 2) if led and quoted[0].strip() else None


def _from_program(lines: Sequence[str], at: int, _fences: Fences, _depth: int) -> _Found:
    if not _FROM_PROGRAM.match("\n".join(lines[at : at + 3])):
        return None
    return (), _indented(lines, at + 1, len(lines[at]) - len(lines[at].lstrip()))[1]


def _footnote(lines: Sequence[str], at: int, _fences: Fences, _depth: int) -> _Found:
    if (note := _NOTE.match(lines[at])) is None:
        return None
    inner, after = _continued(lines, at + 1, len(note.group(1)))
    return (lines[at], *inner), after


def _grid(lines: Sequence[str], at: int, _fences: Fences, _depth: int) -> _Found:
    end = grid_end(lines, at)
    return (as_pipes(lines[at:end]), end) if end > at else None


def _defined(lines: Sequence[str], at: int, _fences: Fences, depth: int) -> _Found:
    defined = myst.definition(lines, at)
    return (("", *_rewritten(defined[0], depth + 1), ""), defined[1]) if defined else None


def takes_from_programs(text: str) -> bool:
    """Return whether a text has lines that a generator replaces by descriptions of programs."""
    return ":::" in text and _FROM_PROGRAM.search(text) is not None


def _begun(line: str) -> tuple[str, str, bool] | None:
    """Return the margin and the title of a box or tab whose indented content follows; None if none begins.

    A title that is the kind of a box leads its first paragraph.
    """
    if box := _BOX.match(line):
        kind = box.group(2).split()[0].capitalize()
        return box.group(1), ": ".join(filter(None, (kind, box.group(3) or ""))), not box.group(3)
    tab = _TAB.match(line)
    return (tab.group(1), tab.group(2), False) if tab else None


def _named(title: str, inner: Sequence[str]) -> list[str] | None:
    """Return lines that begin with code under its title, as other dialects write it; None if they begin otherwise."""
    at = next((n for n, line in enumerate(inner) if line.strip()), None)
    fence = FENCE.match(inner[at]) if at is not None else None
    if at is None or fence is None or ('"' in title and "'" in title):
        return None
    mark = "'" if '"' in title else '"'
    language = inner[at][fence.end() :].strip() or "text"
    return [f"{inner[at][: fence.end()]}{language} title={mark}{title}{mark}", *inner[at + 1 :]]


def _led(kind: str, inner: Sequence[str]) -> list[str] | None:
    """Return lines whose first paragraph begins with the kind of their box; None if they begin with no paragraph."""
    at = next((n for n, line in enumerate(inner) if line.strip()), None)
    if at is None or _NO_PARAGRAPH.match(inner[at]):
        return None
    if at + 1 < len(inner) and inner[at + 1].strip() and _UNDER.match(inner[at + 1]):
        return None
    return [f"{kind}: {inner[at].strip()}", *inner[at + 1 :]]


def _line(line: str) -> Iterator[str]:
    """Yield one line: an alert by its kind, a fence of colons by its title, a heading without its name."""
    if alert := _ALERT.match(line):
        title = f": {alert.group(3)}" if alert.group(3) else ""
        yield f"{alert.group(1)}{alert.group(2).capitalize()}{title}"
        yield alert.group(1).rstrip()
    elif (colons := _COLONS.match(line)) and len(colons.group(5).strip()) <= _LONGEST_TITLE:
        title = colons.group(4) or colons.group(5).strip()
        kind = (colons.group(3) or "").capitalize()
        yield from ("", f"{colons.group(1)}{': '.join(filter(None, (kind, title)))}".rstrip(), "")
    elif _MARKED_BOX.match(line) or _ATTRIBUTES.fullmatch(line) or myst.is_target(line):
        yield ""
    elif line.lstrip().startswith("#"):
        yield _HEADING_NAME.sub("", line)
    else:
        yield line


class Fences:
    """The lines that may close a fence, so that one without an end is known at once, and not by all lines behind it."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._all = [_fence_of(line) for line in lines]
        self._outer = [("", 0) if _is_indented(line) else fence for line, fence in zip(lines, self._all, strict=True)]
        self._widest_of_all, self._widest_outer = _widest_behind(self._all), _widest_behind(self._outer)
        self._lines = lines

    def closing(self, at: int, fence: str) -> int | None:
        """Return the line that closes the fence of another line; None if none does.

        One that is indented by four columns or more belongs to what is inside.
        """
        inside = _is_indented(self._lines[at])
        fences, widest = (self._all, self._widest_of_all) if inside else (self._outer, self._widest_outer)
        if widest[fence[0]][len(fences) - at - 1] < len(fence):
            return None
        behind = range(at + 1, len(fences))
        return next(n for n in behind if fences[n][0] == fence[0] and fences[n][1] >= len(fence))


def _is_indented(line: str) -> bool:
    return line.expandtabs(4).startswith("    ")


def _widest_behind(fences: Sequence[tuple[str, int]]) -> dict[str, list[int]]:
    """Return for each sign its widest fence among the last lines, by their number."""
    widest = {"`": [0], "~": [0], ":": [0]}
    for sign, width in reversed(fences):
        for key, behind in widest.items():
            behind.append(max(behind[-1], width) if key == sign else behind[-1])
    return widest


def _fence_of(line: str) -> tuple[str, int]:
    """Return the sign that a line is made of, and how many it has; no sign if there is another one."""
    bare = line.lstrip(" >").rstrip()
    sign = bare[:1]
    return (sign, len(bare)) if sign in ("`", "~", ":") and bare == sign * len(bare) else ("", 0)


def _indented(lines: Sequence[str], at: int, indent: int) -> tuple[list[str], int]:
    """Return the lines that are indented by four columns more than the line above, moved left, and the next line."""
    inner: list[str] = []
    end = at
    while at < len(lines):
        wide = lines[at].expandtabs(4)
        if wide.strip() and len(wide) - len(wide.lstrip()) < indent + 4:
            break
        inner.append(wide[indent + 4 :] if wide.strip() else "")
        at += 1
        end = at if wide.strip() else end
    return inner[: len(inner) - (at - end)], end


def _continued(lines: Sequence[str], at: int, indent: int) -> tuple[list[str], int]:
    """Return the indented paragraphs of a footnote, moved left, and the next line; its own lines stay."""
    first = at
    while at < len(lines) and lines[at].strip() and not _NOTE.match(lines[at]):
        at += 1
    own = list(lines[first:at])
    inner, end = _indented(lines, at, indent)
    if not any(inner) or _NOTE.match(next(filter(None, inner))):
        return own, at
    return [*own, *inner], end


def _box(title: str, inner: Sequence[str], margin: str, depth: int) -> Iterator[str]:
    yield ""
    if title:
        yield f"{margin}{title}"
        yield ""
    for line in _rewritten(inner, depth + 1):
        yield f"{margin}{line}" if line else ""
    yield ""


_FORMS: tuple[Callable[[Sequence[str], int, Fences, int], _Found], ...] = (
    _directive, _fence, _titled, _alert, _from_program, _footnote, _grid, _defined,
)  # fmt: skip
"""The forms in which an element may begin, in the order in which they are tried."""
