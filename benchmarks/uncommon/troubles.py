# ruff: noqa: E501
"""Archives, and files that are broken, locked, misnamed or hostile: each refused in one line, or read in part."""

from __future__ import annotations

import gzip
import io
import struct
import tarfile
import zipfile
import zlib

import openpyxl
from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen import canvas

from benchmarks.awkward.office import members_of
from benchmarks.awkward.word import paragraph, word_file
from benchmarks.mixed.case import zipped
from benchmarks.uncommon.case import UncommonFile

SAID = "Shed {} holds the mowers of parcel {}."
LINE_MB = 99  # below the limit of a source, above that of a text
LINED = ("txt", "md", "rst", "adoc", "html", "csv", "json", "jsonl", "yaml", "xml", "eml", "rtf", "srt", "py", "log", "tex", "vcf", "mbox")  # fmt: skip


def _said(number: int) -> str:
    return SAID.format(number, number * 3)


def _pdf(password: str = "", owner: str = "") -> bytes:
    out = io.BytesIO()
    lock = StandardEncryption(password, owner, canPrint=0) if password or owner else None
    page = canvas.Canvas(out, A4, encrypt=lock, invariant=1)
    page.drawString(60, 700, _said(40))
    page.save()
    return out.getvalue()


def _tar() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, text in ((f"{'long-' * 40}name.txt", _said(1)), ("unicode/Größe.md", _said(2))):
            entry = tarfile.TarInfo(name)
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
        for kind, name in ((tarfile.LNKTYPE, "hard"), (tarfile.SYMTYPE, "soft"), (tarfile.CHRTYPE, "device"), (tarfile.FIFOTYPE, "pipe")):  # fmt: skip
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = kind, name
            archive.addfile(entry)
    return out.getvalue()


def _named_in_sjis() -> bytes:
    """Return a ZIP whose names are in Shift-JIS, as old programs write them."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("AA.txt", _said(3))
    return out.getvalue().replace(b"AA.txt", "鍵".encode("shift_jis") + b".txt")


def archives() -> list[UncommonFile]:
    """Return archives that are in order."""
    stub = b"#!/bin/sh\nexit 0\n" + b"\x00" * 300
    nested = zipped({"inner.tar": _tar(), "b.txt": _said(4)})
    return [
        UncommonFile("packed/pax.tar", _tar(), (_said(1), _said(2)), ("root:",)),
        UncommonFile("packed/names.zip", _named_in_sjis(), (_said(3),)),
        UncommonFile("packed/tar_in.zip", nested, (_said(1), _said(4))),
        UncommonFile("packed/self_extracting.zip", stub + zipped({"c.txt": _said(5)}), (_said(5),)),
        UncommonFile("packed/office.zip", zipped({"letter.docx": word_file(paragraph(_said(6))), "page.html": f"<p>{_said(7)}</p>", "tool.exe": b"MZ\x00"}), (_said(6), _said(7))),
        UncommonFile("packed/remarked.gz", b"\x1f\x8b\x08\x18\0\0\0\0\0\x03notes.md\0a remark\0" + zlib.compress(_said(8).encode(), 9)[2:-4] + struct.pack("<II", zlib.crc32(_said(8).encode()), len(_said(8))), (_said(8),)),
        UncommonFile("packed/twice.zip", _twice(), (_said(9),), (), None),
    ]  # fmt: skip


def _twice() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("same.txt", _said(9))
        archive.writestr(zipfile.ZipInfo("same2.txt"), _said(9))
    return out.getvalue()


def _bomb(depth: int) -> bytes:
    inside = zipped({"zeros.txt": b"\0" * (40 << 20)})
    for level in range(depth):
        inside = zipped({f"{n}-{level}.zip": inside for n in range(8)})
    return inside


def _overlapping() -> bytes:
    """Return a ZIP in which 4,000 entries name the same compressed megabytes."""
    body = zlib.compress(b"a" * (8 << 20), 9)[2:-4]
    crc, size = zlib.crc32(b"a" * (8 << 20)), 8 << 20
    head = struct.pack("<4s5H3L2H", b"PK\x03\x04", 20, 0, 8, 0, 33, crc, len(body), size, 5, 0) + b"a.txt" + body
    one = struct.pack("<4s6H3L5H2L", b"PK\x01\x02", 20, 20, 0, 8, 0, 33, crc, len(body), size, 5, 0, 0, 0, 0, 0, 0) + b"a.txt"  # fmt: skip
    return head + one * 4000 + struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 4000, 4000, len(one) * 4000, len(head), 0)


def _locked_zip() -> bytes:
    content = bytearray(zipped({"a.txt": "hush"}, ("a.txt",)))
    for head, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[bytes(content).index(head) + at] |= 1
    return bytes(content)


def _png(width: int, height: int) -> bytes:
    """Return a PNG that claims a size, and holds a single line."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b"")
    )


def _ole(stream: str) -> bytes:
    """Return the beginning of a locked Office file: a compound file with one named stream."""
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 504 + stream.encode("utf-16-le") + b"\0" * 2000


def _huge_sheet() -> bytes:
    book = openpyxl.Workbook()
    book.active["XFD1048576"] = "far away"  # type: ignore[index]
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


LOOPED_PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[2 0 R 2 0 R]/Count 999999999>>endobj\ntrailer<</Root 1 0 R/Prev 9>>\nstartxref\n9\n%%EOF"
LAUGHS = '<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha">' + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(12)) + "]><l>&m;</l>"  # fmt: skip
ANCHORS = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12))


def _evil_word() -> bytes:
    parts = dict(members_of(word_file(paragraph(_said(41)))))
    parts["word/document.xml"] = LAUGHS.encode()
    return zipped(parts)


def hostile() -> list[UncommonFile]:
    """Return locked, broken and hostile files; each is refused by name with a reason, or nothing bad is taken in."""
    whole = word_file(paragraph(_said(42)))
    return [
        UncommonFile("locked/user.pdf", _pdf("sesame"), (), (), True, refusal="password"),
        UncommonFile("locked/owner_only.pdf", _pdf("", "owner"), (_said(40),)),
        UncommonFile("locked/letter.docx", _ole("EncryptedPackage"), (), (), True, refusal="password"),
        UncommonFile("locked/sheet.xlsx", _ole("EncryptedPackage"), (), (), True, refusal="password"),
        UncommonFile("locked/old.doc", _ole("WordDocument"), (), (), True, refusal="DOCX"),
        UncommonFile("locked/files.zip", _locked_zip(), (), ("hush",), True, refusal="encrypted"),
        UncommonFile("bombs/nested.zip", _bomb(3), (), (), True),
        UncommonFile("bombs/overlap.zip", _overlapping(), (), (), True),
        UncommonFile("bombs/zeros.gz", gzip.compress(b"\0" * (300 << 20), 9, mtime=0), (), (), True),
        UncommonFile("bombs/spaces.txt.gz", gzip.compress(b"word " * (80 << 20), 9, mtime=0), (), (), True),
        UncommonFile("bombs/wide.png", _png(60000, 60000), (), (), True),
        UncommonFile("bombs/short.png", _png(400, 400), (), (), True),
        UncommonFile("bombs/laughs.xml", LAUGHS.encode(), (), ("haha",), None),
        UncommonFile("bombs/laughs.svg", LAUGHS.encode(), (), ("haha",), None),
        UncommonFile("bombs/laughs.docx", _evil_word(), (), ("haha",), True),
        UncommonFile("bombs/anchors.yaml", ANCHORS.encode(), (), (), None),
        UncommonFile("bombs/loop.pdf", LOOPED_PDF, (), (), True),
        UncommonFile("bombs/far.xlsx", _huge_sheet(), ("far away",), (), None),
        UncommonFile("bombs/deep.json", b"[" * 200_000 + b"]" * 200_000, (), (), True),
        UncommonFile("bombs/deep.xml", b"<a>" * 200_000 + b"deep" + b"</a>" * 200_000, (), (), None),
        UncommonFile("bombs/deep.md", b"> " * 100_000 + b"deep\n", (), (), None),
        UncommonFile("bombs/brackets.md", b"[" * 200_000 + b"![" * 100_000, (), (), None),
        UncommonFile("bombs/stars.rst", b"*" * 300_000 + b" `" * 100_000, (), (), None),
        UncommonFile("bombs/deep.rtf", b"{\\rtf1 " + b"{" * 500_000, (), (), None),
        UncommonFile("bombs/parts.eml", b"From: a@x.example\nContent-Type: multipart/mixed; boundary=b\n\n" + b"--b\nContent-Type: message/rfc822\n\nContent-Type: multipart/mixed; boundary=b\n\n" * 5000, (), (), None),
        UncommonFile("broken/tail.docx", whole[:-200], (), (), None),
        UncommonFile("broken/hole.docx", whole[:400] + b"\0" * 400 + whole[800:], (), (), None),
        UncommonFile("broken/only_head.pdf", b"%PDF-1.7\n", (), (), True),
        UncommonFile("broken/zero.xlsx", b"", (), (), True, refusal="no content"),
        UncommonFile("broken/zero.png", b"", (), (), True),
        UncommonFile("broken/zero.zip", b"", (), (), True),
        UncommonFile("broken/nulls.txt", b"\0" * 100_000, (), (), True),
        UncommonFile("broken/program.txt", b"MZ\x90\0\x03" + bytes(range(256)) * 60, (), (), True),
        UncommonFile("broken/mp3.wav", b"RIFF\xff\xff\xff\xffWAVEfmt " + b"\0" * 60, (), (), True),
        UncommonFile("broken/page.docx", f"<html><body><p>{_said(43)}</p></body></html>".encode(), (_said(43),), (), None),
        UncommonFile("broken/picture.pdf", _png(9, 9), (), (), True),
        UncommonFile("broken/sheet.pptx", _huge_sheet(), ("far away",), (), None),
        UncommonFile("broken/after_all.txt", _said(44).encode(), (_said(44),)),
    ]  # fmt: skip


def lines() -> list[UncommonFile]:
    """Return files of one line of 99 MB, one for each reader of text."""
    heads = {"html": b"<p>", "rtf": b"{\\rtf1 ", "xml": b"<a>", "json": b'{"a": "', "jsonl": b'{"a": "', "eml": b"From: a@x.example\n\n", "mbox": b"From a@x.example Tue Mar  4 09:30:00 2025\nFrom: a@x.example\n\n", "vcf": b"BEGIN:VCARD\nFN:", "srt": b"1\n00:00:01,000 --> 00:00:03,000\n", "yaml": b"a: "}  # fmt: skip
    return [
        UncommonFile(
            f"lines/line.{ending}", heads.get(ending, b"") + b"longword " * ((LINE_MB << 20) // 9), (), (), True
        )
        for ending in LINED
    ]
