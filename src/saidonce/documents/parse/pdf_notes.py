"""Annotations of a PDF: notes, comments on marked text, text typed over a page."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

from pypdfium2 import raw

from saidonce.documents.parse.draft import one_line

_WRITTEN = frozenset(
    {
        raw.FPDF_ANNOT_TEXT, raw.FPDF_ANNOT_FREETEXT, raw.FPDF_ANNOT_HIGHLIGHT, raw.FPDF_ANNOT_UNDERLINE,
        raw.FPDF_ANNOT_SQUIGGLY, raw.FPDF_ANNOT_STRIKEOUT, raw.FPDF_ANNOT_STAMP, raw.FPDF_ANNOT_CARET,
    }
)  # fmt: skip
MAX_NOTES = 1_000
"""Notes of one page that are read."""


def notes_of(page: Any, shown: str) -> Iterator[str]:
    """Yield the notes on a page, each once and with its author; text that the page itself displays is left out."""
    page_text = one_line(shown)
    for at in range(min(raw.FPDFPage_GetAnnotCount(page.raw), MAX_NOTES)):
        note = raw.FPDFPage_GetAnnot(page.raw, at)
        if not note:
            continue
        try:
            text = one_line(_string(note, b"Contents")) if raw.FPDFAnnot_GetSubtype(note) in _WRITTEN else ""
            author = one_line(_string(note, b"T")) if text else ""
        finally:
            raw.FPDFPage_CloseAnnot(note)
        if text and text not in page_text:
            yield f"[{author}] {text}" if author else text


def _string(note: Any, key: bytes) -> str:
    size = raw.FPDFAnnot_GetStringValue(note, key, None, 0)
    if size < 4:
        return ""
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    raw.FPDFAnnot_GetStringValue(note, key, buffer, size)
    return bytes(buffer)[: size - 2].decode("utf-16-le", "replace")
