"""Recognise code in plain text by fences, indentation and punctuation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

INDENT = 4
"""Columns from which indented text is code, unless it reads as prose; a tab counts to the next multiple of four."""

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[^`]*$")
_LISTING = re.compile(r"(-{4,})\s*$")
_ANNOUNCES = re.compile(r"(?!\s*\.\. ).*::\s*$|\s*\.\. (?:code|code-block|sourcecode|parsed-literal|console)::.*$")
_SIGNS = re.compile(
    r"[{}<>|\\`~^;]\s*$|^[{}\])#$@]|^(?://|/\*|\*/|--\w|<\?|</?\w)|[=!<>:]=|=>|->|::|&&|\|\||\+\+|\w\(.*\)\S*$|\w\[|"
    r"^\w+\s*=|^[\w.-]+:(?:\s|$)(?!.*[.!?]$)|\w_\w|[a-z][A-Z]|(?:^|\s)(?:/|\./|~/|--?)\w|\$\w|^\w[\w.-]*/$|\.\w+\(|"
    r"^[\"'][\w. -]+[\"']\s*:|\s=\s"
)
_KEYWORDS = re.compile(
    r"(?:def|class|import|from|return|if|elif|else|for|while|do|done|fi|then|end|try|except|with|func|fn|let|var|const"
    r"|public|private|static|void|int|echo|exit|set|export|sudo|cd|select|insert|update|delete|where)\b"
    r"(?=.*[(){}:;=*$<>]|\s*$)",
    re.I,
)
_QUERY = re.compile(
    r"(?:SELECT|FROM|WHERE|(?:INNER |LEFT )?JOIN|GROUP BY|ORDER BY|INSERT INTO|UPDATE|DELETE FROM|CREATE|ALTER|VALUES)"
    r"\b(?!:)"
)
"""In capitals, as a query is written."""

_CAPITAL_LABEL = re.compile(r"[^\W\d_a-z][\w ]*:(?:\s|$)")
_PLAIN = re.compile(
    r"[(\[\"'“‘„«¿¡—–-]*(?:[^\W_]+(?:['’.:,/&-][^\W_]+)*|\d[\d.,:]*+\s?[%°€$£]?)[)\]\"'”’»,.;:!?…%—–-]*|[—–&%+-]"
)
_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’»)\]]*$")
_MARKED = re.compile(r"\s*(?:>|[-*+•‣◦▪●·–—]\s|\(?\d{1,3}[.)]\s|\(?(?:[a-z]|[ivx]{2,5}|[IVX]{1,5})[.)]\s)")
_INLINE = re.compile(
    r":[\w:]{1,80}:`[^`]*`|``[^`]+``|`[^`]+`_*|<?(?:https?://|mailto:)[^\s>]+>?|<?(?<![\w.+-])[\w.+-]++@[\w-]+\.[\w.-]+>?"
)
"""Parts of prose that stand for words: literals, roles, addresses."""

_EMPHASIS = re.compile(r"(?<!\S)[*_=#~-]{2,}(?!\S)|(?<!\*)\*++(?=\w)|(?<=[\w.,;:!?])\*+")
_PROSE_SHARE = 0.85


@dataclass(frozen=True, slots=True)
class Stretch:
    """Consecutive lines of one kind: code unchanged, or text without leading and trailing empty lines."""

    lines: tuple[str, ...]
    is_code: bool


def stretches(lines: Sequence[str], listing: bool = False) -> Iterator[Stretch]:
    """Split text into stretches of code and prose, in order; only the fences are dropped.

    Code is text between fences, text announced by a line ending in two colons, and text indented by INDENT columns
    more than its surroundings, unless it reads as prose: sentences, running words, lines that begin with capitals as
    in addresses and verse, lists and quotations. Lines that look like code and touch such a stretch belong to it, and
    so do empty lines inside it.

    Args:
        listing: lines of four dashes are fences, as in AsciiDoc.
    """
    marks = _marked(lines, listing)
    for is_code, group in _groups(lines, marks):
        while group and not group[0].strip():
            group.pop(0)
        while group and not group[-1].strip():
            group.pop()
        if group:
            yield Stretch(tuple(group), is_code)


def indent(line: str) -> int:
    """Return the number of columns before the first character."""
    wide = line.expandtabs(4)
    return len(wide) - len(wide.lstrip(" "))


def looks_like_code(line: str) -> bool:
    """Return whether a single line has punctuation or keywords of code that prose lacks."""
    bare = line.strip()
    if not bare or (_SENTENCE_END.search(bare) and _is_running(bare.split())):
        return False
    if _CAPITAL_LABEL.match(bare):
        return False
    return bool(_SIGNS.search(bare) or _KEYWORDS.match(bare) or _QUERY.match(bare))


_TEXT, _CODE, _FENCED, _DROPPED = range(4)


def _groups(lines: Sequence[str], marks: Sequence[int]) -> Iterator[tuple[bool, list[str]]]:
    """Group neighbouring lines of one kind; a fence ends a group, and is left out."""
    number = 0
    keys = []
    for mark in marks:
        number += mark == _DROPPED
        keys.append((mark in (_CODE, _FENCED), number if mark in (_FENCED, _DROPPED) else 0, mark == _DROPPED))
    for (is_code, _, dropped), group in groupby(zip(keys, lines, strict=True), key=lambda pair: pair[0]):
        if not dropped:
            yield is_code, [line for _, line in group]


def _marked(lines: Sequence[str], listing: bool) -> list[int]:
    marks = [_TEXT] * len(lines)
    _mark_fences(lines, marks, listing)
    blocks = _blocks(lines, marks)
    base = min((indent(lines[at]) for block in blocks for at in block), default=0)
    announced: int | None = None
    for block in blocks:
        if announced is not None and indent(lines[block[0]]) > announced:
            _mark(marks, block)
            continue
        announced = None
        _mark_block(lines, marks, block, base)
        last = lines[block[-1]]
        if marks[block[-1]] == _TEXT and _ANNOUNCES.fullmatch(last):
            announced = indent(last)
    _bridge(lines, marks)
    return marks


def _mark_fences(lines: Sequence[str], marks: list[int], listing: bool) -> None:
    """Mark the lines between two fences; an unclosed fence is ignored."""
    at = 0
    while at < len(lines):
        opening = _FENCE.match(lines[at]) or (_LISTING.match(lines[at]) if listing else None)
        if opening:
            fence = opening.group(1)
            closing = (n for n in range(at + 1, len(lines)) if _closes(lines[n], fence))
            end = next(closing, None)
            if end is not None:
                marks[at] = marks[end] = _DROPPED
                _mark(marks, range(at + 1, end), _FENCED)
                at = end
        at += 1


def _closes(line: str, fence: str) -> bool:
    bare = line.strip()
    return len(bare) >= len(fence) and set(bare) == {fence[0]} and (fence[0] != "-" or len(bare) == len(fence))


def _blocks(lines: Sequence[str], marks: Sequence[int]) -> list[list[int]]:
    """Return the ranges of lines between empty lines and fences."""
    filled = (
        (is_text, [at for at, _ in group])
        for is_text, group in groupby(
            enumerate(lines), key=lambda pair: bool(pair[1].strip()) and marks[pair[0]] == _TEXT
        )
    )
    return [group for is_text, group in filled if is_text]


def _mark_block(lines: Sequence[str], marks: list[int], block: list[int], base: int) -> None:
    """Mark the code in one block."""
    content = [lines[at] for at in block]
    least = min(map(indent, content))
    if least >= base + INDENT:
        if not _is_prose(content):
            _mark(marks, block)
        return
    for deeper, run in groupby(block, key=lambda at: indent(lines[at]) > least):
        places = list(run)
        if places[0] > block[0] and _hangs(lines[places[0] - 1], lines[places[0]]):
            continue
        if deeper and _is_code_run([lines[at] for at in places], least):
            _mark(marks, places)
    if any(marks[at] == _CODE for at in block):
        _extend_code(lines, marks, block)


def _hangs(item: str, line: str) -> bool:
    """Return whether a line goes on below the text of a list item, right after its mark."""
    mark = _MARKED.match(item)
    return (
        mark is not None
        and indent(line) == len(mark.group()) + indent(item[mark.end() :])
        and not looks_like_code(line)
    )


def _is_code_run(content: list[str], least: int) -> bool:
    """Return whether lines indented deeper than their surroundings are code."""
    n_signs = sum(map(looks_like_code, content))
    if min(map(indent, content)) >= least + INDENT:
        return not _is_prose(content)
    return n_signs * 2 > len(content) and not any(_MARKED.match(line) for line in content)


def _extend_code(lines: Sequence[str], marks: list[int], block: list[int]) -> None:
    """Extend code to adjacent lines of the same block that look like code."""
    for order in (block, block[::-1]):
        inside = False
        for at in order:
            inside = marks[at] == _CODE or (inside and looks_like_code(lines[at]))
            if inside:
                marks[at] = _CODE


def _bridge(lines: Sequence[str], marks: list[int]) -> None:
    """Mark empty lines between two stretches of code as code."""
    last: int | None = None
    for at, mark in enumerate(marks):
        if mark == _CODE:
            if last is not None and not any(line.strip() for line in lines[last + 1 : at]):
                _mark(marks, range(last + 1, at))
            last = at


def _mark(marks: list[int], places: Sequence[int], mark: int = _CODE) -> None:
    for at in places:
        marks[at] = mark


def _is_prose(lines: Sequence[str]) -> bool:
    """Return whether indented lines are prose, merely indented."""
    content = [line for line in (_EMPHASIS.sub("", _INLINE.sub("Word", line)) for line in lines) if line.strip()]
    n_signs = sum(map(looks_like_code, content))
    words = " ".join(content).split()
    if not words:
        return False
    if _MARKED.match(content[0]) and all(_MARKED.match(line) or not looks_like_code(line) for line in content):
        return True
    if not any(c.isascii() and c.isalpha() for c in "".join(words)):
        return any(c.isalpha() for c in "".join(words))  # no letter that code is written in
    if n_signs * 3 > len(content) or _share_plain(words) < _PROSE_SHARE:
        return False
    is_sentence = bool(_SENTENCE_END.search(content[-1].strip())) and len(words) >= 4
    is_running = _is_running(words) and len(words) / len(content) >= 5
    return is_sentence or is_running or all(map(_begins_with_capital, content))


def _share_plain(words: Sequence[str]) -> float:
    return sum(bool(_PLAIN.fullmatch(word)) for word in words) / len(words)


def _is_running(words: Sequence[str]) -> bool:
    """Return whether words are prose: several of them, mostly plain."""
    return len(words) >= 5 and _share_plain(words) >= _PROSE_SHARE


def _begins_with_capital(line: str) -> bool:
    """Return whether a line begins with a capital, as lines of addresses, titles and verse do."""
    first = line.lstrip(" \t\"'“‘„«(¿¡")[:1]
    return first.isupper() or first.isdigit() or (first.isalpha() and not first.islower())
