"""The marks before the lines that a mail quotes, made whole where a program broke a line or writes them its own way."""

from __future__ import annotations

import re
from collections.abc import Sequence

MARKED = re.compile(r"\s{0,3}> ?")
_MARKS = re.compile(r"(?:\s{0,3}>)+ ?")
_INITIALS = re.compile(r"\s{0,3}([A-Z]{2,4})> ?")
_SENTENCE_END = re.compile(r"[.!?:;\u2026\u3002\uff01\uff1f][\"')\]\u201d\u00bb]*\s*$")
_WIDE = 72
"""Characters to which programs break lines, at the least: one that had room for its next word was not broken."""

_LONGEST_NAMING = 300
"""Characters of a line that names somebody; no longer one is searched for a name."""

_NEAR = 3
"""Lines over the first one with initials among which one has the name that they are of."""


def with_whole_marks(lines: Sequence[str]) -> list[str]:
    """Return the lines of a mail, those that are surely quoted with a mark."""
    whole = list(lines)
    for at in range(1, len(whole)):
        if _is_broken_end(whole, at):
            whole[at] = f"{_marks(whole[at - 1])}{whole[at]}"
    initials = ""
    for at, line in enumerate(lines):
        match = _INITIALS.match(line)
        if match is None or (match[1] != initials and not _is_named(match[1], lines[max(at - _NEAR, 0) : at])):
            initials = initials if not line.strip() else ""
            continue
        initials = match[1]
        whole[at] = f"> {line[match.end() :]}"
    return whole


def _is_broken_end(lines: Sequence[str], at: int) -> bool:
    """Return whether a line is the end of the long line over it, which was broken when it was quoted.

    It goes on in the middle of a sentence, for which there was no room, and the quotation goes on right below it: with
    the sentence, unless that has ended. A short answer below a question that nobody has ended is its writer's own.
    """
    before, line = lines[at - 1], lines[at].strip()
    if at + 1 >= len(lines) or not line[:1].islower() or len(line) >= len(before):
        return False
    marks = _marks(before)
    if not marks or marks != _marks(lines[at + 1]) or _SENTENCE_END.search(before) is not None:
        return False
    behind = lines[at + 1][len(marks) :].lstrip()
    has_room = len(before.rstrip()) + 1 + len(line.split(maxsplit=1)[0]) <= _WIDE
    return not has_room and (behind[:1].islower() or _SENTENCE_END.search(line) is not None)


def _marks(line: str) -> str:
    match = _MARKS.match(line)
    return f"{match[0].rstrip()} " if match else ""


def _is_named(initials: str, lines: Sequence[str]) -> bool:
    """Return whether a line with a colon at its end has a name of these initials."""
    name = re.compile(r"\b" + r"[\w.'-]*\s+".join(initials[:-1] + initials[-1]) + r"\w")
    named = (line for line in lines if len(line) <= _LONGEST_NAMING and line.rstrip().endswith(":"))
    return any(name.search(line) for line in named)
