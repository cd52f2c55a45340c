"""Rewrite what site generators add to Markdown into CommonMark: indented boxes and tabs, fenced boxes, long footnotes.

CommonMark takes their indented content for code, and loses their titles.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

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
_FENCE = re.compile(r" *(?:>[ ]?)*(`{3,}|~{3,})")
_MARKED_BOX = re.compile(r" {0,3}<(?:div|section|aside|details)\b[^>\n]*\bmarkdown\b[^>\n]*>[ \t]*$")
"""The beginning of a box of HTML that says that its content is Markdown."""

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
    at, fences = 0, _Fences(lines)
    while at < len(lines):
        line = lines[at]
        boxed = _MYST.match(line)
        if boxed and (end := fences.closing(at, boxed.group(2))) is not None:
            body = lines[at + 1 : end]
            shown = myst.rewritten(boxed.group(1), boxed.group(2), (boxed.group(3), boxed.group(4)), body)
            if shown is not None:
                yield from ("", *_rewritten(shown, depth + 1), "")
                at = end + 1
                continue
        if fence := _FENCE.match(line):
            end = fences.closing(at, fence.group(1))
            after = end + 1 if end is not None else len(lines)
            yield from lines[at:after]
            at = after
            continue
        if begun := _begun(line):
            margin, title = begun
            inner, at = _indented(lines, at + 1, len(margin))
            yield from _box(title, inner, margin, depth)
            continue
        if note := _NOTE.match(line):
            inner, at = _continued(lines, at + 1, len(note.group(1)))
            yield line
            yield from inner
            continue
        if (end := grid_end(lines, at)) > at:
            yield from as_pipes(lines[at:end])
            at = end
            continue
        if defined := myst.definition(lines, at):
            inner, at = defined
            yield from ("", *_rewritten(inner, depth + 1), "")
            continue
        at += 1
        yield from _line(line)


def _begun(line: str) -> tuple[str, str] | None:
    """Return the margin and the title of a box or tab whose indented content follows; None if none begins."""
    if box := _BOX.match(line):
        kind = box.group(2).split()[0].capitalize()
        return box.group(1), ": ".join(filter(None, (kind, box.group(3) or "")))
    tab = _TAB.match(line)
    return (tab.group(1), tab.group(2)) if tab else None


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


class _Fences:
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
