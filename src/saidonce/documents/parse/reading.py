"""Parse a source of any family; the one place where a library's failure becomes a refusal."""

from __future__ import annotations

import re

from saidonce.documents.parse.bulleted import with_lists
from saidonce.documents.parse.draft import DocumentDraft, one_line
from saidonce.documents.parse.embedded import read_pictures
from saidonce.documents.parse.formats import reader
from saidonce.documents.parse.sniff import family_of
from saidonce.documents.parse.source import Limits, NamedBytes, RecognitionWantedError
from saidonce.errors import MissingExtraError, Refusal, SourceRefusedError
from saidonce.foundation.model import UNKNOWN_LANGUAGE, Document, Kind
from saidonce.foundation.text import language

MAX_TITLE = 300
_LANGUAGE_PIECES = 8
_LANGUAGE_PIECE = 250
"""Characters of each piece, taken evenly over the document; the detector reads 2,000 in all."""

_LIMIT = re.compile(
    r"xml_parse_huge|huge (?:text|input)|excessive depth|maximum (?:depth|recursion)|field larger than field limit"
    r"|too (?:large|long|deep|many)|exceeds? .{0,40}(?:limit|maximum)|limit .{0,40}(?:exceeded|reached)",
    re.I,
)
_TAG = re.compile(r"([a-zA-Z]{2,3})(?:[-_][A-Za-z0-9-]{1,20})?")


def parse(name: str, source: bytes, limits: Limits | None = None) -> Document:
    """Parse a source in this process; use a `Sandbox` for untrusted sources.

    Args:
        name: file name; its extension helps to recognise the format, its stem is the title if there is no other.

    Raises:
        SourceRefusedError: with the reason why the source cannot be read.
    """
    limits = limits or Limits()
    try:
        return parse_within(name, source, limits)
    except RecognitionWantedError:
        return parse_within(name, source, limits.for_recognition())


def parse_within(name: str, source: bytes, limits: Limits) -> Document:
    """Parse a source in this process within the limits it carries.

    Raises:
        SourceRefusedError: with the reason why the source cannot be read.
        RecognitionWantedError: words have to be recognised, which these limits leave to another process.
    """
    limits.check_size(name, source)
    return _finished(_read(NamedBytes(name, source, limits)))


def _read(source: NamedBytes) -> DocumentDraft:
    family = family_of(source)
    known = source.of_family(family)
    try:
        draft = reader(family, _read)(known)
        read_pictures(known, draft)
    except (SourceRefusedError, RecognitionWantedError):
        raise
    except MissingExtraError as absent:
        raise source.refuse(Refusal.UNSUPPORTED, str(absent)) from absent
    except MemoryError as full:
        raise source.refuse(Refusal.TOO_LARGE, "parsing takes too much memory") from full
    except RecursionError as deep:
        raise source.refuse(Refusal.HOSTILE, "it is nested too deeply") from deep
    except Exception as bad:  # a dozen parsers, without a base class in common: what they raise is said of the file
        if is_limit(bad):
            detail = f"it exceeds a limit of its parser: {one_line(str(bad))[:200]}"
            raise source.refuse(Refusal.TOO_LARGE, detail) from bad
        if isinstance(bad, NotImplementedError):
            detail = f"it uses what its parser cannot read: {one_line(str(bad))[:200]}"
            raise source.refuse(Refusal.UNSUPPORTED, detail) from bad
        raise source.refuse(Refusal.CORRUPT, f"{type(bad).__name__}: {one_line(str(bad))[:200]}") from bad
    if not draft.elements:
        raise source.refuse(Refusal.NO_TEXT, "it holds no text")
    return draft


def is_limit(failed: BaseException) -> bool:
    """Return whether a library failed because of the size or depth of a source, not because it is damaged."""
    return isinstance(failed, OverflowError) or bool(_LIMIT.search(str(failed)))


def _finished(draft: DocumentDraft) -> Document:
    return Document(
        title=_title(draft),
        format=draft.source.family,
        elements=tuple(with_lists(draft.elements)),
        language=_language(draft),
        authored_at=draft.authored_at,
        author=one_line(draft.author)[:MAX_TITLE],
        n_pages=draft.n_pages,
        warnings=tuple(draft.notes()),
        pictures=tuple(draft.pictures),
        mark=draft.mark,
    )


def _title(draft: DocumentDraft) -> str:
    """Return the title that the source states, or the heading over all others, or the file's name.

    The first of several headings of one level, such as the sheets of a workbook, is over none of the others.
    """
    headings = [element for element in draft.elements if element.kind is Kind.HEADING]
    is_over_all = all(other.level > headings[0].level for other in headings[1:])
    first = headings[0].text if headings and is_over_all else ""
    stem = one_line(draft.source.stem)
    return (one_line(draft.title) or one_line(first) or stem or one_line(draft.source.name) or "untitled")[:MAX_TITLE]


def _language(draft: DocumentDraft) -> str:
    """Return the language of the prose; the declared one if detection fails."""
    prose = [e.text for e in draft.elements if e.kind in (Kind.PARAGRAPH, Kind.LIST)]
    texts = prose or [e.text for e in draft.elements if e.kind is not Kind.CODE]
    long = [text for text in texts if len(text) >= _LANGUAGE_PIECE // 4] or texts
    step = max(len(long) // _LANGUAGE_PIECES, 1)
    detected = language("\n".join(text[:_LANGUAGE_PIECE] for text in long[::step][: _LANGUAGE_PIECES + 1]))
    if detected != UNKNOWN_LANGUAGE:
        return detected
    declared = _TAG.fullmatch(draft.language.strip())
    return declared.group(1).lower() if declared else UNKNOWN_LANGUAGE
