# ruff: noqa: E501
"""Files that are mislabelled, cut, locked, nearly empty, or huge."""

from __future__ import annotations

import json

from benchmarks.awkward.word import paragraph, word_file
from benchmarks.everyday.case import EverydayFile
from benchmarks.mixed.case import zipped

LINE = "The keeper of the lock writes the level into the book at seven, at noon and at dusk. "


def _page(words: str) -> bytes:
    return f"<!DOCTYPE html><html><body><h1>Tolls</h1><p>{words}</p></body></html>".encode()


def troubles() -> list[EverydayFile]:
    """Return files that are not what they seem."""
    whole = word_file(paragraph("Whole: the ledger has ninety leaves."))
    return [
        EverydayFile("trouble/page_as.doc", _page("A barge pays 4.20 at the gate."), ("A barge pays 4.20 at the gate.",)),
        EverydayFile("trouble/rtf_as.doc", rb"{\rtf1\ansi The ferryman sleeps till five.\par}", ("The ferryman sleeps till five.",)),
        EverydayFile("trouble/markdown.txt", b"# Not a heading in plain text?\n\n* first point\n* second point\n\nThe gate is blue.\n", ("The gate is blue.", "second point")),
        EverydayFile("trouble/text_as.md", (LINE * 3).encode() + b"\n\n    indented four\n", ("The keeper of the lock writes the level into the book at seven, at noon and at dusk.",)),
        EverydayFile("trouble/json_as.txt", json.dumps({"berth": "B-12", "depth": 3.5}).encode(), ("B-12", "3.5")),
        EverydayFile("trouble/semicolons.txt", b"name;berth;fee\nGull;7;12,50\nTern;14;3\n", ("Gull", "12,50"), ("50Tern",)),
        EverydayFile("trouble/cut.docx", whole[: len(whole) // 2], (), (), True),
        EverydayFile("trouble/cut.html", _page("Cut in the middle: the toll is due at " + "the lock. " * 5)[:-30], ("Cut in the middle: the toll is due at",)),
        EverydayFile("trouble/cut.json", b'{"a": "The cut file starts well.", "b": [1, 2', (), (), None, or_warned=("The cut file starts well.",)),
        EverydayFile("trouble/only_spaces.csv", b" ; ; \r\n ; ; \r\n", (), (), True),
        EverydayFile("trouble/only_front.md", b"---\ntitle: Only a title\ndate: 2025-01-01\n---\n", (), (), None),
        EverydayFile("trouble/empty_page.html", b"<html><head><title>t</title></head><body><script>x</script></body></html>", (), (), True),
        EverydayFile("trouble/binary.csv", bytes(range(256)) * 20, (), (), True),
        EverydayFile("trouble/database.sqlite.txt", b"SQLite format 3\0" + bytes(200), (), (), True),
        EverydayFile("trouble/long_line.txt", (LINE * 12_000).encode(), ("The keeper of the lock writes the level into the book at seven, at noon and at dusk.",)),
        EverydayFile("trouble/many_lines.csv", "".join(f"L{n},{n * 3}.5,{n % 7}\n" for n in range(20_000)).encode(), ("L19999 .. 59997.5 .. 0",)),
        EverydayFile("trouble/deep.html", b"<div>" * 3000 + b"<p>At the bottom of the page: mind the step.</p>" + b"</div>" * 3000, ("At the bottom of the page: mind the step.",), (), None),
        EverydayFile("trouble/quotes.md", b"> " * 2000 + b"deep\n\nAfter the quotes: all is well.\n", (), (), None, or_warned=("After the quotes: all is well.",)),
        EverydayFile("trouble/mixed_encoding.txt", "Grüße in UTF-8.\n".encode() + "Grüße in Latin.\n".encode("latin-1") + b"The rest is plain.\n", ("The rest is plain.",), (), None),
        EverydayFile("trouble/docs.zip.txt", zipped({"a.txt": "Packed under the name of a text.\n"}), (), (), None, or_warned=("Packed under the name of a text.",)),
        EverydayFile("trouble/invisible.md", "# Zero\u200bwidth\n\nA soft\u00adhyphen, a \u202eturned\u202c word and a no\u00a0break space.\n".encode(), ("A softhyphen,", "no break space.")),
    ]  # fmt: skip
