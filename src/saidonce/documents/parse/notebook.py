"""Parse Jupyter notebooks: Markdown cells, code cells, and the texts and tables of code outputs."""

from __future__ import annotations

import json
from typing import Any

from saidonce.documents.parse.decode import decode
from saidonce.documents.parse.draft import DocumentDraft
from saidonce.documents.parse.html import read_fragment
from saidonce.documents.parse.markdown import read_text as read_markdown
from saidonce.documents.parse.source import NamedBytes
from saidonce.errors import Refusal

MAX_OUTPUT = 20_000
"""Characters kept of one printed output."""


def read(source: NamedBytes) -> DocumentDraft:
    """Read a notebook of format 3 or 4.

    Raises:
        SourceRefusedError: CORRUPT, it is not a notebook.
    """
    draft = DocumentDraft(source)
    try:
        book = json.loads(decode(source.content).text)
    except ValueError as bad:
        raise source.refuse(Refusal.CORRUPT, f"it is not JSON: {bad}") from bad
    cells = _cells(book)
    if cells is None:
        raise source.refuse(Refusal.CORRUPT, "it has no cells, as a notebook has")
    meta = book.get("metadata") or {}
    draft.title = meta.get("title", "") if isinstance(meta.get("title"), str) else ""
    n_pictures = 0
    for cell in cells:
        n_pictures += _read_cell(cell, draft)
    if n_pictures:
        draft.warn(f"{n_pictures} pictures in outputs were not read")
    return draft


def _cells(book: Any) -> list[Any] | None:
    if not isinstance(book, dict):
        return None
    if isinstance(book.get("cells"), list):
        return list(book["cells"])
    sheets = book.get("worksheets")
    if isinstance(sheets, list):
        return [cell for sheet in sheets if isinstance(sheet, dict) for cell in sheet.get("cells") or []]
    return None


def _read_cell(cell: Any, draft: DocumentDraft) -> int:
    """Add a cell; return the number of its pictures."""
    if not isinstance(cell, dict):
        return 0
    text = _text(cell.get("source", cell.get("input", "")))
    kind = cell.get("cell_type")
    if kind == "code":
        draft.code(text)
        return sum(_read_output(output, draft) for output in cell.get("outputs") or [] if isinstance(output, dict))
    if kind == "heading":
        draft.heading(text, int(cell.get("level") or 1))
    elif kind == "raw":
        draft.code(text)
    else:
        known = draft.title
        read_markdown(text, draft)
        draft.title = known
    return sum(1 for _ in cell.get("attachments") or {})


def _read_output(output: dict[str, Any], draft: DocumentDraft) -> int:
    data = output.get("data")
    formats = data if isinstance(data, dict) else output
    if output.get("output_type") in ("error", "pyerr"):
        draft.code(f"{output.get('ename', '')}: {output.get('evalue', '')}")
        return 0
    html, plain = _text(formats.get("text/html", "")), _text(formats.get("text/plain", output.get("text", "")))
    n_pictures = sum(1 for key in formats if key.startswith("image/") or key in ("png", "jpeg", "svg"))
    if "<table" in html:
        read_fragment(html, draft)
    elif markdown := _text(formats.get("text/markdown", "")):
        read_markdown(markdown, draft)
    elif not n_pictures:
        draft.code(plain[:MAX_OUTPUT])
        if len(plain) > MAX_OUTPUT:
            draft.warn(f"outputs of more than {MAX_OUTPUT} characters were cut")
    return n_pictures


def _text(value: Any) -> str:
    if isinstance(value, list):
        return "".join(piece for piece in value if isinstance(piece, str))
    return value if isinstance(value, str) else ""
