"""Room: what the three Office formats share: the core properties."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from saidonce.documents.parse.dates import utc
from saidonce.documents.parse.draft import DocumentDraft, one_line

_JUNK_TITLE = re.compile(
    r"(?:microsoft (?:word|powerpoint|excel) - .*|(?:word|powerpoint|excel) (?:document|presentation|template)"
    r"|untitled.*|powerpoint[- ]pr.*|pr[eéä]sentation ?\d*|slide ?\d*|document ?\d*|dokument ?\d*|title|\(anonymous\)"
    r"|.*\.(?:docx?|pptx?|xlsx?|indd|tex|dvi|pdf))",
    re.I,
)
_TOOLS = frozenset("python-docx openpyxl xlsxwriter (anonymous) anonymous unknown user author administrator".split())
_TEMPLATE_DAYS = frozenset({(2013, 12, 23), (2013, 1, 27)})
"""Dates inside of the empty templates that popular writing libraries start from."""


def title_or_none(title: str) -> str:
    """A title as its author meant it; empty if a program filled it in."""
    plain = one_line(title)
    return "" if _JUNK_TITLE.fullmatch(plain) else plain


def author_or_none(author: str) -> str:
    """A person or organisation; empty for a program's name."""
    plain = one_line(author)
    return "" if plain.casefold() in _TOOLS else plain


def read_core(core: Any, draft: DocumentDraft) -> None:
    """Take title, author and date from core properties; the last change counts as the date of the text."""
    draft.title = title_or_none(core.title or "")
    draft.author = author_or_none(_text(core, "author", "creator"))
    draft.language = core.language or ""
    for moment in (core.modified, core.created):
        if isinstance(moment, datetime) and (moment.year, moment.month, moment.day) not in _TEMPLATE_DAYS:
            draft.authored_at = utc(moment)
            return


def _text(core: Any, *names: str) -> str:
    for name in names:
        value = getattr(core, name, None)
        if isinstance(value, str) and value:
            return value
    return ""
