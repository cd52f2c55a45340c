"""Parse the catalogues of gettext: each message and its translation as a record."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from saidonce.documents.parse.draft import DocumentDraft, one_line, printable, text_draft
from saidonce.documents.parse.source import NamedBytes

_WORD = re.compile(r'(msgctxt|msgid_plural|msgid|msgstr(?:\[\d+\])?)[ \t]+"(.*)"[ \t]*$')
_MORE = re.compile(r'[ \t]*"(.*)"[ \t]*$')
_ESCAPE = re.compile(r"\\(.)")
_SIGNS = {"n": "\n", "t": "\t", "r": "\n"}
_LABELS = {"msgctxt": "context", "msgid": "message", "msgid_plural": "plural"}


def read(source: NamedBytes) -> DocumentDraft:
    """Read a catalogue; lines that are no part of an entry stay as code."""
    text, draft = text_draft(source)
    n_obsolete = 0
    for entry in _entries(printable(text).split("\n")):
        n_obsolete += sum(line.startswith("#~ msgid ") for line in entry)
        lines, odd = _record(entry)
        draft.record(lines)
        draft.code("\n".join(odd))
    if n_obsolete:
        draft.warn(f"translations that are no longer in use were left out: {n_obsolete}")
    draft.title = source.name.replace("\\", "/").rpartition("/")[2]
    return draft


def _entries(lines: Sequence[str]) -> Iterator[list[str]]:
    """Yield the lines of each entry: an empty line ends it, and so does a message behind a translation."""
    held: list[str] = []
    has_translation = False
    for line in lines:
        begins = has_translation and (line.startswith("#") or line.startswith(("msgctxt", "msgid ")))
        if (not line.strip() or begins) and held:
            yield held
            held, has_translation = [], False
        if line.strip():
            held.append(line)
            has_translation |= line.startswith("msgstr")
    if held:
        yield held


def _record(entry: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return an entry as lines "label: value", and the lines that are no part of it; of the file's head, remarks."""
    values: list[tuple[str, str]] = []
    odd: list[str] = []
    for line in entry:
        if line.startswith("#"):
            values += _remark(line)
        elif word := _WORD.match(line):
            values.append((_label(word.group(1)), _plain(word.group(2))))
        elif (more := _MORE.match(line)) and values:
            label, before = values[-1]
            values[-1] = (label, before + _plain(more.group(1)))
        else:
            odd.append(line)
    if not any(label == "message" and value for label, value in values):  # the head of the file
        values = [(label, value) for label, value in values if label == "remark"]
    return [f"{label}: {one_line(value)}" for label, value in values if value.strip()], odd


def _remark(line: str) -> list[tuple[str, str]]:
    """Return what is written about a message: remarks, and that its translation is a guess."""
    if line.startswith("#,"):
        return [("state", "fuzzy")] if "fuzzy" in line else []
    return [("remark", line[2:].strip())] if line[1:2] in ("", ".", " ") else []


def _label(word: str) -> str:
    return _LABELS.get(word, word.replace("msgstr", "translation"))


def _plain(text: str) -> str:
    return _ESCAPE.sub(lambda sign: _SIGNS.get(sign.group(1), sign.group(1)), text)
