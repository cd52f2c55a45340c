"""Rewrite what site generators add to Markdown into CommonMark: indented boxes and tabs, fenced boxes, long footnotes.

CommonMark takes their indented content for code, and loses their titles.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_BOX = re.compile(r"( *)(?:!!!|\?\?\?\+?)[ \t]+([A-Za-z][\w -]{0,80}?)(?:[ \t]{1,20}\"([^\"\n]*)\")?[ \t]{0,20}$")
_TAB = re.compile(r"( *)===[!+]?[ \t]+[\"']([^\"'\n]+)[\"'][ \t]*$")
_NOTE = re.compile(r"( *)\[\^[^\]\s]{1,60}\]:")
_COLONS = re.compile(
    r"( *)(:{3,})[ \t]*(?:\{?\.?([A-Za-z][\w-]*)\}?)?(?:\[([^\]\n]*)\])?"
    r"[ \t]{0,20}([^{}\n]{0,200}?)[ \t]{0,20}(?:\{[^}\n]*\})?$"
)
_MYST = re.compile(r"( *)(`{3,}|~{3,}|:{3,})\{([A-Za-z][\w:-]*)\}[ \t]*(.*)$")
_OPTION = re.compile(r" *:[\w-]+:(?: |$)")
_ALERT = re.compile(r"( {0,3}> ?)\[!([A-Za-z]+)\][+-]?[ \t]*(.*)$")
_FENCE = re.compile(r" *(?:>[ ]?)*(`{3,}|~{3,})")
_MARKED_BOX = re.compile(r" {0,3}<(?:div|section|aside|details)\b[^>\n]*\bmarkdown\b[^>\n]*>[ \t]*$")
"""The beginning of a box of HTML that says that its content is Markdown."""

_HEADING_NAME = re.compile(r"(?<=\S)[ \t]*\{:?[ \t]*[#.][^{}\n]*\}[ \t]*$")
_PROSE_BOXES = frozenset(
    (
        "admonition note tip hint important warning caution danger attention error seealso dropdown card margin"
        " sidebar topic epigraph versionadded versionchanged deprecated tab-item grid-item-card exercise solution"
        " proof theorem"
    ).split()
)
"""Directives of MyST whose content is Markdown."""


def common(text: str) -> str:
    """Return Markdown without the forms that CommonMark would misread; everything else stays as it is."""
    lines = text.split("\n")
    return "\n".join(_rewritten(lines))


def _rewritten(lines: Sequence[str]) -> Iterator[str]:
    at = 0
    while at < len(lines):
        line = lines[at]
        if boxed := _MYST.match(line):
            end = _closing(lines, at, boxed.group(2))
            if end is not None and boxed.group(3) in _PROSE_BOXES:
                yield from _fenced_box(lines[at + 1 : end], boxed.group(4))
                at = end + 1
                continue
        if fence := _FENCE.match(line):
            end = _closing(lines, at, fence.group(1))
            after = end + 1 if end is not None else len(lines)
            yield from lines[at:after]
            at = after
            continue
        if begun := _BOX.match(line) or _TAB.match(line):
            inner, at = _indented(lines, at + 1, len(begun.group(1)))
            title = begun.group(begun.lastindex or 0) if begun.re is _TAB else begun.group(3) or ""
            kind = "" if begun.re is _TAB else begun.group(2).split()[0].capitalize()
            yield from _box(": ".join(filter(None, (kind, title))), inner, begun.group(1))
            continue
        if note := _NOTE.match(line):
            inner, at = _continued(lines, at + 1, len(note.group(1)))
            yield line
            yield from inner
            continue
        at += 1
        yield from _line(line)


def _line(line: str) -> Iterator[str]:
    """Yield one line: an alert by its kind, a fence of colons by its title, a heading without its name."""
    if alert := _ALERT.match(line):
        title = f": {alert.group(3)}" if alert.group(3) else ""
        yield f"{alert.group(1)}{alert.group(2).capitalize()}{title}"
        yield alert.group(1).rstrip()
    elif colons := _COLONS.match(line):
        title = colons.group(4) or colons.group(5)
        kind = (colons.group(3) or "").capitalize()
        yield from ("", f"{colons.group(1)}{': '.join(filter(None, (kind, title)))}".rstrip(), "")
    elif _MARKED_BOX.match(line):
        yield ""
    elif line.lstrip().startswith("#"):
        yield _HEADING_NAME.sub("", line)
    else:
        yield line


def _closing(lines: Sequence[str], at: int, fence: str) -> int | None:
    """Return the line that closes a fence; None if none does."""
    for number in range(at + 1, len(lines)):
        bare = lines[number].lstrip(" >").rstrip()
        if len(bare) >= len(fence) and set(bare) == {fence[0]}:
            return number
    return None


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


def _box(title: str, inner: Sequence[str], margin: str) -> Iterator[str]:
    yield ""
    if title:
        yield f"{margin}{title}"
        yield ""
    for line in _rewritten(inner):
        yield f"{margin}{line}" if line else ""
    yield ""


def _fenced_box(inner: Sequence[str], title: str) -> Iterator[str]:
    body = list(inner)
    while body and _OPTION.match(body[0]):
        body.pop(0)
    yield from _box(title, body, "")
