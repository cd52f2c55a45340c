"""Detect the format family of a source by its first bytes, its extension and its text."""

from __future__ import annotations

import json
import re
from importlib import import_module

from saidonce.documents.parse import archive
from saidonce.documents.parse.decode import decode
from saidonce.documents.parse.formats import (
    BUILT_IN,
    CONTAINERS,
    FORMATS,
    NAMED_ALL_THE_SAME,
    added,
    container_of,
    extensions,
)
from saidonce.documents.parse.source import NamedBytes
from saidonce.errors import Refusal, SourceRefusedError
from saidonce.foundation import extras

_BINARY_FAMILIES = frozenset({"pdf", "docx", "pptx", "xlsx", "epub", "odf", "image"})
_FLAT = frozenset({"fodt", "fods", "fodp"})
_RECORDINGS = frozenset({"sound", "video"})
_OFFICE_FOLDERS = (("word/", "docx"), ("ppt/", "pptx"), ("xl/", "xlsx"))
_FOREIGN = (
    (b"\x1f\x8b", "a gzip archive; call it .gz, and its members are read"),
    (b"BZh", "a bzip2 archive; call it .bz2, and its members are read"),
    (b"\xfd7zXZ", "an xz archive; call it .xz, and its members are read"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"7z\xbc\xaf", "a 7-Zip archive"),
    (b"Rar!", "a RAR archive"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3", "a database"),
    (b"%!PS", "PostScript"),
)
_MEDIA = (
    (b"\x89PNG\r\n", "image"),
    (b"\xff\xd8\xff", "image"),
    (b"GIF8", "image"),
    (b"II*\x00", "image"),
    (b"MM\x00*", "image"),
    (b"ID3", "sound"),
    (b"OggS", "sound"),
    (b"fLaC", "sound"),
    (b"#!AMR", "sound"),
    (b"FORM", "sound"),
    (b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "sound"),
    (b"\x1a\x45\xdf\xa3", "video"),
)
_RIFF = {b"WEBP": "image", b"WAVE": "sound", b"AVI ": "video"}
_PICTURE_BRANDS = (b"heic", b"heix", b"hevc", b"mif1", b"msf1", b"avif", b"avis")
_OPEN = ("application/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.spreadsheet",
         "application/vnd.oasis.opendocument.presentation")  # fmt: skip
_COMPOUND = frozenset({"xls", "msg"})
_OLDEST_WORKBOOKS = (b"\x09\x00\x04\x00", b"\x09\x02\x06\x00", b"\x09\x04\x06\x00", b"\x09\x08")
_OLE2 = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_LOCKED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
_HTML = re.compile(
    r"\s*(?:<\?xml[^>]{0,200}>\s*)?(?>(?:<!--.{0,2000}?-->\s*+)*)<(?:!doctype\s+html|html\b|head\b|body\b)", re.I | re.S
)
_MAIL = re.compile(
    r"^(?:from|to|cc|subject|date|received|return-path|mime-version|message-id|delivered-to|reply-to|content-type)"
    r"[ \t]*:",
    re.I | re.M,
)
_NUMBER = re.compile(r".*\.\d{1,2}", re.S)
_PROGRAM = re.compile(r"\.so(?:\.\d+)+$")
_MANUAL_TITLE = re.compile(r"^\.(?:TH|Dd)[ \t]+\S[^\n]*\n", re.M)
_MANUAL_BODY = re.compile(r"^\.(?:SH|Sh|SS|Os|Dt|PP|so)\b", re.M)
_ODD = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x9f\ufffd]")
_HEAD = 4096
_FILE_OF = {"image": "a picture", "sound": "a recording", "video": "a video"}


def is_supported(name: str) -> bool:
    """Return whether sources of this name are read: by extension, or because there is none.

    A number is not an extension: manual pages (`winch.1`) and rotated logs (`pump.log.3`) have one.
    """
    extension = _extension(name)
    is_numbered = _NUMBER.fullmatch(name) is not None and not _PROGRAM.search(name)
    is_read = extension in extensions() or not extension or bool(container_of(name))
    return is_read or is_numbered or extension in NAMED_ALL_THE_SAME


def family_of(source: NamedBytes) -> str:
    """Return the format family of a source.

    A plug-in's extension takes precedence if its first bytes match. Otherwise the first bytes take precedence over the
    extension; the extension decides among kinds of text; text of an unknown extension is recognised by its content.

    Raises:
        SourceRefusedError: EMPTY, UNSUPPORTED (with the supported formats), LOCKED or CORRUPT.
    """
    if not source.content.strip(b"\0 \t\r\n"):
        raise source.refuse(Refusal.EMPTY, "it has no content")
    if plugin := _by_plugin(source):
        return plugin
    by_magic = _by_magic(source)
    if by_magic:
        return by_magic
    by_name = FORMATS.get(source.extension, "")
    if by_name in _RECORDINGS and _looks_binary(decode(source.content[:_HEAD]).text):
        return by_name
    if (by_name in _BINARY_FAMILIES and source.extension not in _FLAT) or by_name in _RECORDINGS:
        raise source.refuse(
            Refusal.CORRUPT, f"it does not begin like {_FILE_OF.get(by_name, f'a {by_name.upper()} file')}"
        )
    text = decode(source.content[:_HEAD]).text
    if _looks_binary(text):
        raise source.refuse(Refusal.UNSUPPORTED, f"it is not text in a known format; {_supported()}")
    if by_name in _COMPOUND:  # a page or a table under the name of a workbook is read as what it is
        by_name = ""
    if by_name and by_name != "txt":
        return by_name
    return _by_text(source, text, by_name)


def _extension(name: str) -> str:
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    return last.rpartition(".")[2].casefold() if "." in last.lstrip(".") else ""


def _supported() -> str:
    """Return the families of formats that are read; their endings are too many for one message."""
    return "read are: " + ", ".join([*BUILT_IN, *added(), *dict.fromkeys(CONTAINERS.values())])


def _by_plugin(source: NamedBytes) -> str:
    for family, plugin in added().items():
        if source.extension in plugin.extensions:
            return family if not plugin.begins or source.content.startswith(plugin.begins) else ""
    return ""


def _by_magic(source: NamedBytes) -> str:
    head = source.content[:_HEAD]
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n\0")
    if start.startswith(b"%PDF-") or (source.extension == "pdf" and b"%PDF-" in head):
        return "pdf"
    if start.startswith(b"{\\rtf"):
        return "rtf"
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _package(source)
    if head.startswith(_OLE2) or (source.extension in ("xls", "xlt") and head.startswith(_OLDEST_WORKBOOKS)):
        return _old_office(source) if head.startswith(_OLE2) else "xls"
    if media := _by_media(source, head):
        return media
    for magic, what in _FOREIGN:
        if head.startswith(magic):
            raise source.refuse(Refusal.UNSUPPORTED, f"it is {what}; {_supported()}")
    return ""


def _old_office(source: NamedBytes) -> str:
    """Return the family of a compound file by its content, or by its name where the extra that opens it is missing."""
    if _LOCKED_PACKAGE in source.content:
        raise source.refuse(Refusal.LOCKED, "it is encrypted; save it without a password")
    by_name = FORMATS.get(source.extension, "")
    family = by_name if by_name in _COMPOUND else ""
    if not extras.missing(extras.OFFICE):
        try:
            family = import_module("saidonce.documents.parse.ole").family_of(source)
        except SourceRefusedError:
            if family:
                raise
    if not family:
        raise source.refuse(
            Refusal.UNSUPPORTED, f"it is an old Office file; save it as DOCX, PPTX or XLSX; {_supported()}"
        )
    return family


def _by_media(source: NamedBytes, head: bytes) -> str:
    """Return image, sound or video by the first bytes; empty for anything else."""
    by_name = FORMATS.get(source.extension, "")
    if head[:4] == b"RIFF":
        return _RIFF.get(head[8:12], "")
    if head[4:8] == b"ftyp":
        if head[8:12] in _PICTURE_BRANDS:
            return "image"
        return "sound" if head[8:11] == b"M4A" or by_name == "sound" else "video"
    if by_name == "image" and head.startswith(b"BM"):
        return "image"
    if source.extension in ("mp3", "aac") and head[:1] == b"\xff" and head[1:2] >= b"\xe0":
        return "sound"
    family = next((family for magic, family in _MEDIA if head.startswith(magic)), "")
    return "video" if family == "sound" and by_name == "video" else family


def _package(source: NamedBytes) -> str:
    names = archive.entries(source)
    for folder, family in _OFFICE_FOLDERS:
        if any(name.replace("\\", "/").lstrip("/").startswith(folder) for name in names):
            return family
    if "mimetype" in names:
        kind = archive.first_entry(source)
        if kind == "application/epub+zip":
            return "epub"
        if kind.startswith(_OPEN):
            return "odf"
    if FORMATS.get(source.extension) in _BINARY_FAMILIES and "[Content_Types].xml" not in names:
        raise source.refuse(Refusal.CORRUPT, "its package contains no document")
    raise source.refuse(
        Refusal.UNSUPPORTED, f"it is an archive; rename it to .zip to have its members read; {_supported()}"
    )


def _looks_binary(text: str) -> bool:
    return len(_ODD.findall(text)) > len(text) * 0.1


def _by_text(source: NamedBytes, text: str, named: str) -> str:
    if _HTML.match(text):
        return "html"
    if named:
        return named
    for begin, family in ((r"\s*WEBVTT", "subtitles"), (r"\s*<\?xml", "xml"), (r"\.so man\d", "man")):
        if re.match(begin, text):
            return family
    if len(_MAIL.findall(text.split("\n\n", 1)[0])) >= 2:
        return "eml"
    if text.lstrip()[:1] in ("{", "[") and _is_json(source):
        return "json"
    title = _MANUAL_TITLE.search(text)
    return "man" if title and _MANUAL_BODY.search(text, title.end()) else "txt"


def _is_json(source: NamedBytes) -> bool:
    try:
        json.loads(source.content)
    except (ValueError, RecursionError):
        return False
    return True
