"""Parse plain text: paragraphs, lists and unambiguous headings."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import pairwise

from saidonce.documents.parse.code_lines import stretches
from saidonce.documents.parse.draft import WEIGHING, DocumentDraft, printable, text_draft
from saidonce.documents.parse.ordinals import is_spaceless, is_spaceless_prose, is_spaceless_title, ordinal_level
from saidonce.documents.parse.source import NamedBytes

_UNDERLINE = re.compile(r"(=|-|~|\*|\^|#)\1{2,}")
_RULE = re.compile(r"[-=_*~#+. ]{3,}")
_NUMBERED = re.compile(
    r"(?:(\d{1,2}(?:\.\d{1,3}){0,4})[.)]?|(?:chapter|section|appendix|part)\s+[\divxlca-d]+[.:]?)\s+\S", re.I
)
_BULLET = re.compile(
    r"(\s*)(?:(?P<sign>[-*+\u2212•‣◦▪●·–—])|(?P<number>\(?\d{1,3}[.)]|\(?(?:[a-z]|[ivx]{2,5}|[IVX]{1,5})[.)]))\s+(?=\S)"
)
_BARE_NUMBER = re.compile(r"(\d{1,2})\s+\S")
_NUMBERED_LINE = re.compile(r"^[^\S\n]*(\d{1,3})\s+[^\W\d_a-z]", re.M)
_TITLE_LINE = re.compile(r"[^\W\d_a-z][^\d.,;:!?@/\\<>{}|=]{2,49}")
_TITLE_FROM = 2
"""Lines that look like titles alone, from which a text has titles."""

_SENTENCE = re.compile(r"[.!?…][\"'”’»)\]]*$")
_BROKEN = re.compile(r"[^\W\d_]{2}-\Z")
_SENTENCE_END = re.compile(r"[.,;:!?]$")
_QUOTED = re.compile(r"(?:>[ ]?)+")
_LABELLED = re.compile(r"(?:[A-Z][\w.'\u2019-]{0,20} ){0,2}[A-Z][\w-]{1,20}:\s")
"""A label, or the name of who speaks: "Warning:", "Ms Hartwig:"."""

LOG_LINES = 40
"""Lines of a log that stand together at most."""

MAX_HEADING = 80
WRAPPED_FROM = 45
"""Shorter lines do not make a wrapped paragraph."""


class Sheet:
    """All of the text of one page: its words, and the numbers before its lines, each looked for once."""

    def __init__(self, text: str) -> None:
        self._text = text

    def has_word(self, word: str) -> bool:
        """Return whether the page has a word, in whatever case."""
        return word.casefold() in self._words

    def has_number(self, number: int) -> bool:
        """Return whether a line begins with a number and a capital."""
        return str(number) in self._numbers

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(re.findall(r"\w+", self._text.casefold()))

    @cached_property
    def _numbers(self) -> frozenset[str]:
        return frozenset(_NUMBERED_LINE.findall(self._text))


def read(source: NamedBytes) -> DocumentDraft:
    """Read a text file."""
    text, draft = text_draft(source)
    if source.family == "log":
        _read_log(printable(text), draft)
    else:
        read_text(text, draft)
    return draft


def _read_log(text: str, draft: DocumentDraft) -> None:
    """Read a log: every line stays separate; none is a heading, a list item or a rule."""
    for part in stretches(text.split("\n")):
        if part.is_code:
            draft.code("\n".join(part.lines))
            continue
        held: list[str] = []
        for line in [*part.lines, ""]:
            if line.strip() and len(held) < LOG_LINES:
                held.append(line)
            else:
                draft.paragraph("\n".join(held))
                held = [line] if line.strip() else []


def read_text(text: str, draft: DocumentDraft, page: int | None = None) -> None:
    """Add plain text to a draft; form feeds count pages if there are any."""
    sheets = text.split("\f")
    for number, sheet in enumerate(sheets, 1):
        at = page if page is not None or len(sheets) == 1 else number
        _read_sheet(printable(sheet), draft, at)
    if page is None and len(sheets) > 1:
        draft.n_pages = len(sheets)


def _read_sheet(text: str, draft: DocumentDraft, page: int | None) -> None:
    parts, sheet = list(stretches(text.split("\n"))), Sheet(text)
    for at, part in enumerate(parts, 1):
        if part.is_code:
            draft.code("\n".join(part.lines), page)
        else:
            lines = [line.expandtabs(4) for line in part.lines]
            _TextPart(draft, page, sheet).read(lines, is_last=at == len(parts))


class _TextPart:
    """Reads the text of one page, of which the sheet is the whole."""

    def __init__(self, draft: DocumentDraft, page: int | None, sheet: Sheet) -> None:
        self._draft = draft
        self._page = page
        self._sheet = sheet

    def read(self, lines: list[str], *, is_last: bool) -> None:
        """Add lines; empty lines separate blocks."""
        blocks: list[list[str]] = [[]]
        for line in lines:
            if line.strip() in ("", "--"):
                blocks.append([])
            else:
                blocks[-1].append(line.rstrip())
        filled = [block for block in blocks if block]
        titles = _titles(filled, self._sheet) | _ordinals(filled)
        for at, block in enumerate(filled, 1):
            self._block(block, titles.get(at - 1, 0), is_last=is_last and at == len(filled))

    def _block(self, block: list[str], title_level: int, *, is_last: bool) -> None:
        """Add the lines between two empty ones; a heading has something below it."""
        if len(block) >= 2 and _is_underlined(block[0], block[1]):
            self._draft.heading(block[0], 1 if block[1].strip()[0] in "=#*" else 2, self._page)
            block = block[2:]
        elif not is_last and (level := _heading_level(block, self._sheet) or title_level):
            self._draft.heading(block[0].strip(), level, self._page)
            block = block[1:]
        block = [line for line in block if not _RULE.fullmatch(line.strip())]
        if not block:
            return
        first = next((at for at, line in enumerate(block) if _BULLET.match(line)), len(block))
        if first == len(block) or sum(1 for line in block if _BULLET.match(line)) < min(2, len(block) - first):
            self._draft.paragraph(unwrapped(block, self._sheet), self._page)
            return
        self._draft.paragraph(unwrapped(block[:first], self._sheet), self._page)
        self._draft.listing(_items(block[first:]), self._page)


def _is_underlined(line: str, below: str) -> bool:
    mark = below.strip()
    if line.lstrip().startswith("#"):  # a comment in a box
        return False
    return bool(_UNDERLINE.fullmatch(mark)) and len(line.strip()) <= MAX_HEADING and len(mark) >= len(line.strip()) // 2


def _ordinals(blocks: list[list[str]]) -> dict[int, int]:
    """Return the levels of numbered headings in scripts without capitals, by their places."""
    levels = {at: ordinal_level(block[0], blocks[at + 1]) for at, block in enumerate(blocks[:-1]) if len(block) == 1}
    return {at: level for at, level in levels.items() if level}


def _titles(blocks: list[list[str]], sheet: Sheet) -> dict[int, int]:
    """Return the levels of lines that are titles, by their places.

    They are short ones on their own, each over prose and after the end of prose. A single one may be a greeting or a
    name; several make an outline.
    """
    titles = set()
    for at, block in enumerate(blocks[:-1]):
        line = block[0].strip()
        if len(block) > 1 or not _is_title_line(line):
            continue
        below = " ".join(blocks[at + 1])
        is_over_prose = is_spaceless_prose(below) or (
            len(below.split()) >= 6 and bool(_SENTENCE.search(below)) and not below.strip()[0].islower()
        )
        before = blocks[at - 1] if at else []
        is_after_end = not before or bool(_SENTENCE.search(before[-1].strip())) or _heading_level(before, sheet) > 0
        is_after_end = is_after_end or is_spaceless_prose(before[-1])
        if is_over_prose and is_after_end:
            titles.add(at)
    return dict.fromkeys(titles, 2) if len(titles) >= _TITLE_FROM else {}


def _is_title_line(line: str) -> bool:
    if is_spaceless(line):
        return is_spaceless_title(line)
    return len(line.split()) <= 6 and _TITLE_LINE.fullmatch(line) is not None


def _heading_level(block: list[str], sheet: Sheet) -> int:
    """Return the heading level of a line, numbered or in capitals; 0 if it is text. A hash begins a comment.

    A number without a mark after it begins a heading only beside its neighbour; "15 March" has none.
    """
    line = block[0].strip()
    if line.startswith("#") or len(block) > 1 or len(line) > MAX_HEADING or _SENTENCE_END.search(line):
        return 0
    numbered = _NUMBERED.match(line)
    if numbered and any(c.isupper() for c in line) and len(line.split()) <= 12:
        bare = _BARE_NUMBER.match(line)
        number = int(bare[1]) if bare else 1
        is_numbered = number == 1 or sheet.has_number(number - 1) or sheet.has_number(number + 1)
        return (numbered.group(1) or "").count(".") + 1 if is_numbered else 0
    letters = [c for c in line if c.isalpha()]
    return 1 if len(letters) >= 4 and all(c.isupper() for c in letters) and len(line.split()) <= 10 else 0


def _items(lines: list[str]) -> list[tuple[int, str, str]]:
    """Return the items of a list with their depths and the numbers before them, or the signs, where they weigh."""
    weights = WEIGHING if _weigh(lines) else {}
    indents: list[int] = []
    items: list[tuple[int, list[str], str]] = []
    for line in lines:
        bullet = _BULLET.match(line)
        if bullet or not items:
            indent = len(bullet.group(1)) if bullet else 0
            indents = [known for known in indents if known < indent] + [indent]
            mark = bullet["number"] or weights.get(bullet["sign"].translate(_DASHES), "") if bullet else ""
            items.append((len(indents) - 1, [line[bullet.end() :] if bullet else line], mark))
        else:
            items[-1][1].append(line)
    return [(depth, " ".join(part.strip() for part in parts), mark) for depth, parts, mark in items]


def _weigh(lines: list[str]) -> bool:
    """Return whether the points of a list have a plus or a minus, and either stands at one depth: for and against."""
    bullets = [bullet for line in lines if (bullet := _BULLET.match(line))]
    signs = {(len(b[1]), (b["sign"] or "").translate(_DASHES)) for b in bullets}
    return {sign for _, sign in signs} == set(WEIGHING) and len({depth for depth, _ in signs}) < len(signs)


_DASHES = str.maketrans("\u2212\u2013", "--")


def unwrapped(lines: list[str], known: Sheet) -> str:
    """Join wrapped lines; deliberate line breaks stay.

    A break counts as wrapping if the first word of the next line would not have fitted. A word broken at a hyphen is
    rejoined; the hyphen is removed only if `known` has the word without it.
    """
    width = max((len(line) for line in lines), default=0)
    if width < WRAPPED_FROM:
        return "\n".join(lines)
    parts = [lines[0].strip()]
    for line, after in pairwise(lines):
        quote = _QUOTED.match(after.lstrip())
        bare = after.lstrip()[quote.end() :] if quote and _QUOTED.match(line.lstrip()) else after.strip()
        first_word = bare.split(maxsplit=1)[0] if bare.strip() else ""
        apart = len(line) + 1 + len(first_word) <= width * 0.92 or not first_word or bool(_LABELLED.match(bare))
        apart = apart or "#" in (line.lstrip()[:1], bare[:1])
        if not apart and _BROKEN.search(parts[-1]) and bare[:1].islower():
            parts[-1] = _dehyphenated(parts[-1], bare, known)
            parts.append(bare)
        else:
            parts.append("\n" + after.strip() if apart else " " + bare)
    return "".join(parts)


def _dehyphenated(before: str, after: str, known: Sheet) -> str:
    """Return the line before a break, without its hyphen if the word occurs elsewhere without one."""
    begin, end = re.findall(r"\w+", before)[-1], re.findall(r"\w+", after)[0]
    return before[:-1] if known.has_word(begin + end) else before
