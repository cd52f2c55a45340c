"""Parse RTF, by way of its plain text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from itertools import islice

from striprtf import striprtf

from saidonce.documents.parse.dates import utc
from saidonce.documents.parse.draft import DocumentDraft, one_line
from saidonce.documents.parse.plain import read_text
from saidonce.documents.parse.rtf_struck import without_struck
from saidonce.documents.parse.source import NamedBytes

_FIELD = r"\{\\%s\s++((?:[^{}\\]|\\'[0-9a-fA-F]{2}|\\u-?\d++\??)*)\}"
_TITLE = re.compile(_FIELD % "title")
_AUTHOR = re.compile(_FIELD % "author")
_MOMENT = re.compile(r"\{\\(revtim|creatim)\\yr(\d{4})\\mo(\d{1,2})\\dy(\d{1,2})(?:\\hr(\d{1,2}))?(?:\\min(\d{1,2}))?")
_HEAD = 64 * 1024
_NOTE = re.compile(
    r"\{\s*(?:\\\*)?\\(?:footnote|annotation|header[lrf]?|footer[lrf]?)\b(?:\s*\\ftnalt\b)?(?:\s*\\chftn\b)?"
)
_BEGUN = re.compile(rf"\\pard|{_NOTE.pattern}")
_BRACE = re.compile(r"\\.|[{}]", re.S)
_FIELD_CODE = re.compile(r"\{\s*(?:\\\*)?\\fldinst\b")
MAX_NOTES = 2_000
"""Headers, footers and notes of one file that are read."""

_Group = tuple[re.Match[str], int]
"""The beginning of a group, and the index of its closing brace."""

_FONT = re.compile(r"\{\\f(\d+)[^{};]{0,80}?\\fcharset(\d+)")
_CHARSETS = {
    "128": "cp932", "129": "cp949", "134": "gb18030", "136": "big5", "161": "cp1253", "162": "cp1254", "163": "cp1258",
    "177": "cp1255", "178": "cp1256", "186": "cp1257", "204": "cp1251", "222": "cp874", "238": "cp1250",
}  # fmt: skip
"""Encodings of fonts by their sets of signs. Source: Rich Text Format Specification 1.9.1, font table."""

_FOLLOWED = re.compile(r"\\f(\d+)(?!\d)|((?:\\'[0-9a-fA-F]{2})+)|\\[^a-z']|[{}]")
_RAISED = re.compile(r"(?<=\w)\{(?:\\[a-z]+-?\d*)*\\super(?:\\[a-z]+-?\d*)* ?([-+]?\d{1,4})\}")
"""A raised figure after a word or a figure: 10 to the power of 6 must not become 106."""

_DELETED = re.compile(r"\{(?:\\[a-z]+-?\d*)*\\deleted\b(?:[^{}\\]|\\[^{}])*\}")
"""What tracked changes took away."""

_HIDDEN = re.compile(r"\{(?:\\[a-z]+-?\d*)*\\v(?![a-z0-9])(?:[^{}\\]|\\[^{}])*\}")
"""Text that its author hid."""

_UNHIDDEN = re.compile(r"\\v(?![a-z0-9])")
_ROW = re.compile(r"[^|\n]*(?:\|[^|\n]*)+\|?")


def read(source: NamedBytes) -> DocumentDraft:
    """Read an RTF file."""
    raw = source.content.decode("latin-1")
    draft = DocumentDraft(source)
    head = raw[:_HEAD]
    for pattern, name in ((_TITLE, "title"), (_AUTHOR, "author")):
        match = pattern.search(head)
        if match:
            setattr(draft, name, one_line(_plain("{\\rtf1 " + match.group(1) + "}")))
    moments = {match.group(1): match.groups()[1:] for match in _MOMENT.finditer(head)}
    stated = moments.get("revtim") or moments.get("creatim")
    draft.authored_at = _moment(stated) if stated else None
    raw = _without_field_codes(_to_unicode(raw))
    if any(_plain("{\\rtf1 " + _UNHIDDEN.sub("", text) + "}").strip() for text in _HIDDEN.findall(raw)):
        draft.warn("hidden text was left out")
    raw = _HIDDEN.sub("", raw)
    draft.strike(sum(bool(_plain("{\\rtf1 " + text + "}").strip()) for text in _DELETED.findall(raw)))
    raw = without_struck(_DELETED.sub("", _RAISED.sub(r"^\1", raw)))
    body, notes = _without_notes(raw)
    for part in (body, *notes):
        _read_lines(draft.without_struck(_plain(part)), draft)
    return draft


def _to_unicode(raw: str) -> str:
    """Return the markup with font-specific charsets as Unicode: the library uses one charset for all fonts."""
    fonts = {m.group(1): _CHARSETS[m.group(2)] for m in _FONT.finditer(raw) if m.group(2) in _CHARSETS}
    if not fonts:
        return raw
    held = [""]

    def follow(match: re.Match[str]) -> str:
        if match.group() == "{":
            held.append(held[-1])
        elif match.group() == "}":
            held[:] = held[:-1] or [""]
        elif match.group(1) is not None:
            held[-1] = fonts.get(match.group(1), "")
        elif match.group(2) and held[-1]:
            text = bytes.fromhex(match.group(2).replace("\\'", "")).decode(held[-1], "replace")
            return "".join(f"\\u{ord(c) if ord(c) < 0x8000 else ord(c) - 0x10000}?" for c in text)
        return match.group()

    return _FOLLOWED.sub(follow, raw)


def _without_notes(raw: str) -> tuple[str, list[str]]:
    """Return the markup without headers, footers and notes, and each of these as a document, as they are lost else."""
    begun = _BEGUN.search(raw)
    head = raw[: begun.start()] if begun else "{\\rtf1 "
    groups = list(islice(_groups(raw, _NOTE), MAX_NOTES))
    return _without(raw, groups), [f"{head} {raw[match.end() : end]}}}" for match, end in groups]


def _without_field_codes(raw: str) -> str:
    """Return the markup without the codes of fields: the library puts the target of a link behind later text."""
    return _without(raw, _groups(raw, _FIELD_CODE))


def _groups(raw: str, beginning: re.Pattern[str]) -> Iterator[_Group]:
    """Yield the groups that begin so, none inside of another."""
    at = 0
    for match in beginning.finditer(raw):
        if match.start() >= at:
            end = _closing_brace(raw, match.start())
            yield match, end
            at = end + 1


def _without(raw: str, groups: Iterable[_Group]) -> str:
    kept: list[str] = []
    at = 0
    for match, end in groups:
        kept.append(raw[at : match.start()])
        at = end + 1
    return "".join([*kept, raw[at:]])


def _closing_brace(raw: str, start: int) -> int:
    """Return the index of the brace that closes the one at an index, or of the last character."""
    depth = 0
    for match in _BRACE.finditer(raw, start):
        depth += {"{": 1, "}": -1}.get(match.group(), 0)
        if depth == 0:
            return match.start()
    return len(raw) - 1


def _plain(markup: str) -> str:
    to_text: Callable[..., str] = striprtf.rtf_to_text
    return to_text(markup, errors="replace")


def _moment(parts: tuple[str | None, ...]) -> datetime | None:
    year, month, day, hour, minute = (int(part or 0) for part in parts)
    try:
        return utc(datetime(year, month, day, hour, minute, tzinfo=UTC))
    except ValueError:
        return None


def _read_lines(text: str, draft: DocumentDraft) -> None:
    """Add each line as a paragraph; runs of lines with cell marks become tables."""
    rows: list[list[str]] = []
    lines: list[str] = []
    for line in [*text.split("\n"), ""]:
        is_row = line.rstrip().endswith("|") and bool(_ROW.fullmatch(line.strip()))
        if rows and not is_row:
            draft.table(rows)
            rows = []
        if is_row:
            read_text("\n\n".join(lines), draft)
            lines = []
            rows.append(line.strip().removesuffix("|").split("|"))
        else:
            lines.append(line)
    read_text("\n\n".join(lines), draft)
