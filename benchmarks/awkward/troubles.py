# ruff: noqa: E501
"""Archives, wrong and missing extensions, odd names, truncated files, random bytes, and special files."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import random
import socket
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from benchmarks.awkward import office, paper, texts, web, word
from benchmarks.awkward.case import AwkwardFile
from benchmarks.mixed.case import zipped

SAID = "{}: the paddle of gate {} is greased with tallow."


def _speech(name: str, number: int) -> str:
    return SAID.format(name, number)


def _tar(
    parts: Mapping[str, bytes],
    mode: Literal["w", "w:xz", "w:bz2", "w:gz"] = "w",
    links: Mapping[str, str] | None = None,
) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        for name, content in parts.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
        for name, target in (links or {}).items():
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = tarfile.SYMTYPE, target
            archive.addfile(entry)
    return out.getvalue()


def archives() -> list[AwkwardFile]:
    """Return archives: nested, of many compressors, encrypted, truncated, with odd members."""
    inner = zipped({"deep/inner.md": "# In\n\n" + _speech("Inner", 1)})
    layered = _tar(
        {"a/inner.zip": inner, "notes.txt.gz": gzip.compress(_speech("Zipped note", 2).encode(), mtime=0)}, "w:gz"
    )
    shown = zipped(
        {
            "umlaut/Größe.txt": _speech("Umlaut", 3),
            "__MACOSX/._x": b"\0\1",
            ".hidden/x.txt": "HIDDENMEMBER",
            "CON.txt": _speech("Device", 4),
            "empty/": b"",
            "a\\b.txt": _speech("Backslash", 5),
        }
    )
    locked = bytearray(zipped({"secret.txt": "locked words"}, ("secret.txt",)))
    for head, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        locked[bytes(locked).index(head) + at] |= 1
    return [
        AwkwardFile("packed/layers.tar.gz", layered, (_speech("Inner", 1), _speech("Zipped note", 2))),
        AwkwardFile("packed/plain.tar", _tar({"one.txt": _speech("Tarred", 6).encode()}, links={"evil": "/etc/passwd"}), (_speech("Tarred", 6),), ("root:",), None),
        AwkwardFile("packed/pages.tar.xz", _tar({"one.txt": _speech("Tarred and xz", 7).encode()}, "w:xz"), (_speech("Tarred and xz", 7),), (), None),
        AwkwardFile("packed/pages.tar.bz2", _tar({"one.txt": _speech("Tarred and bz2", 8).encode()}, "w:bz2"), (_speech("Tarred and bz2", 8),), (), None),
        AwkwardFile("packed/note.txt.xz", lzma.compress(_speech("Lone xz", 9).encode()), (_speech("Lone xz", 9),), (), None),
        AwkwardFile("packed/note.md.bz2", bz2.compress(_speech("Lone bz2", 10).encode()), (_speech("Lone bz2", 10),), (), None),
        AwkwardFile("packed/pages.7z", b"7z\xbc\xaf\x27\x1c\x00\x04" + b"\x11" * 200, (), (), True),
        AwkwardFile("packed/pages.rar", b"Rar!\x1a\x07\x01\x00" + b"\x11" * 200, (), (), True),
        AwkwardFile("packed/names.zip", shown, (_speech("Umlaut", 3), _speech("Device", 4), _speech("Backslash", 5)), ("HIDDENMEMBER",)),
        AwkwardFile("packed/locked.zip", bytes(locked), (), ("locked words",), True),
        AwkwardFile("packed/nothing.zip", zipped({}), (), (), True),
        AwkwardFile("packed/really_zip.txt", zipped({"in.txt": _speech("Under a text name", 11)}), (_speech("Under a text name", 11),), ("PK",), None),
        AwkwardFile("packed/joined.gz", gzip.compress(b"First member of two. ", mtime=0) + gzip.compress(_speech("Second member", 12).encode(), mtime=0), (_speech("Second member", 12),), (), None),
    ]  # fmt: skip


LONG = "very_" * 48


def names() -> list[AwkwardFile]:
    """Return files with names that shells and lists mishandle."""
    odd = ("with space.txt", "quote's \"two\".txt", "new\nline.txt", "tab\there.md", "-rf.txt", "*.txt", "$(HOME).txt", "Größe_ 水門_🚣.txt", "e\u0301.txt", "trailing .txt", "a;b&c|d.txt", "%2e%2e.txt", "caf\udce9.txt", f"{LONG}.txt", "no_dot", "double.txt.md", "ends.", "\u202etxt.exe.txt")  # fmt: skip
    return [AwkwardFile(f"names/{name}", _speech(f"Name {n}", n).encode(), (_speech(f"Name {n}", n),), (), None if name == "ends." else False) for n, name in enumerate(odd)]  # fmt: skip


def _sample() -> dict[str, bytes]:
    """Return a sound file of each format, by extension."""
    groups = (
        paper.structures,
        word.shaped,
        office.slides,
        office.sheets,
        office.open_document,
        office.rich_text,
        office.books,
        web.messages,
        texts.structured,
    )
    files = {file.name: file.content for group in groups for file in group()}
    return {
        "pdf": files["pdf/turned.pdf"], "docx": files["word/controls.docx"], "pptx": files["slides/catch.pptx"], "xlsx": files["excel/shapes.xlsx"], "odt": files["odf/dairy.odt"], "ods": files["odf/toll.ods"],
        "epub": files["epub/moor.epub"], "rtf": files["rtf/farm.rtf"], "eml": files["mail/attached.eml"], "ipynb": files["notebook/raw.ipynb"], "xml": files["xml/mixed.xml"], "zip": zipped({"x.txt": SAID, "y.txt": SAID * 40}),
        "tar.gz": _tar({"x.txt": bytes(range(256)) * 40}, "w:gz"),
    }  # fmt: skip


RANDOM = ("pdf", "docx", "pptx", "xlsx", "odt", "epub", "rtf", "eml", "html", "md", "txt", "csv", "json", "yaml", "xml", "ipynb", "py", "srt", "zip", "gz", "png", "mp3", "mbox", "log", "tar")  # fmt: skip


def broken() -> list[AwkwardFile]:
    """Return broken files: empty, blank, only a byte order mark, truncated, and random bytes with every extension."""
    blanks = [AwkwardFile(f"blank/{name}.{ending}", content, (), (), True) for ending in ("txt", "md", "csv", "json", "html", "docx", "pdf", "yaml", "eml") for name, content in (("zero", b""), ("spaces", b"  \n\t\r\n "), ("mark", b"\xef\xbb\xbf"))]  # fmt: skip
    halves = [
        AwkwardFile(f"cut/half.{ending}", content[: len(content) // 2], (), (), None)
        for ending, content in _sample().items()
    ]
    source = random.Random(20251)
    noise = [AwkwardFile(f"noise/random.{ending}", source.randbytes(30000), (), (), True) for ending in RANDOM]
    text_noise = [AwkwardFile(f"noise/letters.{ending}", bytes(source.choices(b"abc <>{}[]\"'\\:;,.#*_-\n\t", k=30000)), (), (), None) for ending in ("html", "md", "rst", "adoc", "json", "yaml", "xml", "csv", "eml", "rtf", "srt", "py", "txt")]  # fmt: skip
    return [*blanks, *halves, *noise, *text_noise]


def misnamed() -> list[AwkwardFile]:
    """Return files with the extension of another format."""
    files = _sample()
    return [
        AwkwardFile("misnamed/word.xlsx", files["docx"], ("locker .. 114",), (), None),
        AwkwardFile("misnamed/book.docx", files["epub"], ("Only in dry years.",), (), None),
        AwkwardFile("misnamed/page.txt", b"<!DOCTYPE html><html><body><p>A page under a text name: the ford is deep.</p></body></html>", ("A page under a text name: the ford is deep.",), ("<p>",), None),
        AwkwardFile("misnamed/text.pdf", b"Only text under a name of PDF: the ferry bell is cracked.\n", ("Only text under a name of PDF: the ferry bell is cracked.",), (), None),
        AwkwardFile("misnamed/json.yaml", b'{"note": "JSON under a name of YAML", "n": 3}', ("JSON under a name of YAML",)),
        AwkwardFile("misnamed/letter.html", b"From: a@x.example\nSubject: Gate\n\nA letter under a name of HTML.\n", ("A letter under a name of HTML.",), (), None),
        AwkwardFile("misnamed/pdf", files["pdf"], ("stone .. 1,450",), (), None),
        AwkwardFile("misnamed/sheet.csv", files["xlsx"], ("Asta .. dawn .. 7",), ("PK",), None),
        AwkwardFile("misnamed/half_page.md", b"<table><tr><td>fee</td><td>400.01</td><td>3</td></tr></table>\n\nMarkdown follows the table.\n", ("Markdown follows the table.", "fee .. 400.01 .. 3"), ("400.013",)),
    ]  # fmt: skip


def lay_out_oddities(folder: Path) -> None:
    """Create special files in a folder: links, pipes, sockets, sparse files, deep folders, unreadable files."""
    odd = folder / "oddities"
    odd.mkdir(parents=True)
    (odd / "outside.txt").symlink_to("/etc/passwd")
    (odd / "broken.txt").symlink_to("nowhere.txt")
    (odd / "loop").symlink_to(odd)
    (odd / "self.txt").symlink_to("self.txt")
    os.mkfifo(odd / "pipe.txt")
    (odd / "device.txt").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as server:
        before = Path.cwd()
        os.chdir(odd)
        server.bind("socket.txt")
        os.chdir(before)
    for name, size in (("hole.txt", 8 << 30), ("hole.pdf", 3 << 30), ("hole.csv", 300 << 20)):
        with (odd / name).open("wb") as file:
            file.truncate(size)
    (odd / "folder.pdf").mkdir()
    (odd / "folder.pdf" / "inside.txt").write_text(_speech("In a folder named as a file", 71), "utf-8")
    deep = odd
    for number in range(120):
        deep /= f"level{number}"
    deep.mkdir(parents=True)
    (deep / "bottom.txt").write_text(_speech("At a hundred and twenty levels", 72), "utf-8")


IN_ODDITIES = (
    AwkwardFile("oddities/folder.pdf/inside.txt", b"", (_speech("In a folder named as a file", 71),)),
    AwkwardFile("oddities/level0", b"", (), (), None),
    AwkwardFile("oddities/hole.txt", b"", (), (), True),
    AwkwardFile("oddities/hole.pdf", b"", (), (), True),
    AwkwardFile("oddities/hole.csv", b"", (), (), True),
)
