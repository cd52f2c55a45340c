"""A document has the title that it states, or its one heading over all others, or its file's name."""

from __future__ import annotations

import io

import openpyxl
import pytest

from saidonce.documents.parse import parse

PROSE = "The pool opens at six in the morning and closes at nine in the evening on every day but Sunday."


@pytest.mark.parametrize(
    ("name", "content", "title"),
    [
        ("pool.md", f"# Pool\n\n{PROSE}\n\n## Hours\n\n{PROSE}\n", "Pool"),
        ("pool.md", f"## Pool\n\n{PROSE}\n\n### Hours\n\n{PROSE}\n", "Pool"),
        ("hours-2025.md", f"# Pool\n\n{PROSE}\n\n# Café\n\n{PROSE}\n", "hours-2025"),
        ("hours-2025.md", f"## Pool\n\n{PROSE}\n\n# Café\n\n{PROSE}\n", "hours-2025"),
        ("hours-2025.md", f"---\ntitle: Hours\n---\n# Pool\n\n{PROSE}\n\n# Café\n\n{PROSE}\n", "Hours"),
        ("hours-2025.html", f"<title>Hours</title><h1>Pool</h1><p>{PROSE}</p><h1>Café</h1><p>{PROSE}</p>", "Hours"),
        ("hours-2025.html", f"<h1>Pool</h1><p>{PROSE}</p><h2>Sauna</h2><p>{PROSE}</p>", "Pool"),
        ("hours-2025.md", PROSE, "hours-2025"),
    ],
)
def test_the_title(name: str, content: str, title: str) -> None:
    assert parse(name, content.encode()).title == title


def test_a_workbook_is_not_called_by_its_first_sheet() -> None:
    book = openpyxl.Workbook()
    for name in ("Pool", "Café"):
        sheet = book.create_sheet(name)
        sheet.append(["Day", "Opens"])
        sheet.append(["Monday", "06:00"])
    del book["Sheet"]
    content = io.BytesIO()
    book.save(content)
    assert parse("hours-2025.xlsx", content.getvalue()).title == "hours-2025"
