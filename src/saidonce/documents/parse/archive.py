"""Check ZIP packages before any library reads them; refuse decompression bombs and other attacks."""

from __future__ import annotations

import re
import zipfile
import zlib
from io import BytesIO

from saidonce.documents.parse.source import MIB, NamedBytes
from saidonce.errors import Refusal

MAX_ENTRIES = 20_000
MAX_PART = 256 * MIB
MAX_INFLATED = 512 * MIB
MAX_RATIO = 200
RATIO_FROM = 16 * MIB
"""Small parts of repeated markup compress far better than text; only large ones are judged by their ratio."""

_MARKUP = (".xml", ".rels", ".vml")
_FORBIDDEN = re.compile(b"<!(?:DOCTYPE|ENTITY)")
_FORBIDDEN_WIDE = ("<!DOCTYPE".encode("utf-16-le"), "<!DOCTYPE".encode("utf-16-be"))
_CHUNK = MIB

_STRICT = b"http://purl.oclc.org/ooxml/"
_STRICT_SPACES = (
    (b"http://purl.oclc.org/ooxml/officeDocument/relationships", b"http://schemas.openxmlformats.org/officeDocument/2006/relationships"),
    (b"http://purl.oclc.org/ooxml/officeDocument/", b"http://schemas.openxmlformats.org/officeDocument/2006/"),
    (b"http://purl.oclc.org/ooxml/wordprocessingml/main", b"http://schemas.openxmlformats.org/wordprocessingml/2006/main"),
    (b"http://purl.oclc.org/ooxml/spreadsheetml/main", b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"),
    (b"http://purl.oclc.org/ooxml/presentationml/main", b"http://schemas.openxmlformats.org/presentationml/2006/main"),
    (b"http://purl.oclc.org/ooxml/drawingml/", b"http://schemas.openxmlformats.org/drawingml/2006/"),
)  # fmt: skip


def entries(source: NamedBytes) -> tuple[str, ...]:
    """Return the names in a ZIP's directory, without opening any entry.

    Raises:
        SourceRefusedError: the directory cannot be read.
    """
    with _opened(source) as package:
        return tuple(info.filename for info in package.infolist()[:MAX_ENTRIES])


def first_entry(source: NamedBytes) -> str:
    """Return the content of a package's "mimetype" entry."""
    with _opened(source) as package:
        try:
            with package.open("mimetype") as stream:
                return stream.read(200).decode("ascii", "replace").strip()
        except (KeyError, RuntimeError, zipfile.BadZipFile, zlib.error, OSError, NotImplementedError):
            return ""


def checked(source: NamedBytes, *, may_declare: bool = False) -> BytesIO:
    """Check an Office package and return it in a form safe for libraries, with transitional namespaces.

    Every entry's path, declared size and ratio are checked, every markup part is inflated and searched for a
    document type (Office never writes one, and entities need it). Entries inside are never opened as archives.

    Args:
        may_declare: allow document type declarations, as in e-books; the parser expands no entity.

    Raises:
        SourceRefusedError: damaged, too large, or hostile.
    """
    with _opened(source) as package:
        infos = package.infolist()
        if len(infos) > MAX_ENTRIES:
            raise source.refuse(Refusal.HOSTILE, f"it has {len(infos)} entries; at most {MAX_ENTRIES} are read")
        for info in infos:
            _check_entry(source, info)
        if sum(info.file_size for info in infos) > MAX_INFLATED:
            raise source.refuse(Refusal.TOO_LARGE, f"it inflates to more than {MAX_INFLATED // MIB} MiB")
        left = MAX_INFLATED
        strict = False
        for info in infos:
            size, is_strict = (info.file_size, False) if may_declare else _check_content(source, package, info, left)
            left -= size
            strict = strict or is_strict
        return _to_transitional(package) if strict else BytesIO(source.content)


def part(source: NamedBytes, package: zipfile.ZipFile, name: str) -> bytes:
    """Return the content of an entry of a checked package; empty if it does not exist."""
    try:
        return package.read(name)
    except KeyError:
        return b""
    except (zipfile.BadZipFile, zlib.error, OSError, NotImplementedError) as bad:
        raise source.refuse(Refusal.CORRUPT, f"entry {name!r} is damaged: {bad}") from bad


def _opened(source: NamedBytes) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(BytesIO(source.content))
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, UnicodeError) as bad:
        raise source.refuse(Refusal.CORRUPT, f"its ZIP container is damaged: {bad}") from bad


def _check_entry(source: NamedBytes, info: zipfile.ZipInfo) -> None:
    name = info.orig_filename.replace("\\", "/")
    if name.startswith("/") or ".." in name.split("/") or ":" in name.split("/")[0] or "\0" in name:
        raise source.refuse(Refusal.HOSTILE, f"entry {name[:80]!r} points outside of the package")
    if info.flag_bits & 0x1:
        raise source.refuse(Refusal.LOCKED, "its entries are encrypted")
    if info.file_size > MAX_PART:
        raise source.refuse(Refusal.TOO_LARGE, f"entry {name[:80]!r} inflates to {info.file_size // MIB} MiB")
    if info.file_size > RATIO_FROM and info.file_size > MAX_RATIO * max(info.compress_size, 1):
        raise source.refuse(Refusal.HOSTILE, f"entry {name[:80]!r} inflates {MAX_RATIO}-fold and more")


def _check_content(source: NamedBytes, package: zipfile.ZipFile, info: zipfile.ZipInfo, left: int) -> tuple[int, bool]:
    """Decompress one markup part in chunks; return its true size and whether it is strict."""
    if not info.filename.casefold().endswith(_MARKUP):
        return info.file_size, False
    size, strict, tail = 0, False, b""
    try:
        with package.open(info) as stream:
            while piece := stream.read(_CHUNK):
                size += len(piece)
                if size > min(left, MAX_PART):
                    raise source.refuse(Refusal.HOSTILE, f"entry {info.filename[:80]!r} is larger than it declares")
                window = tail + piece
                if _FORBIDDEN.search(window) or any(mark in window for mark in _FORBIDDEN_WIDE):
                    raise source.refuse(Refusal.HOSTILE, f"entry {info.filename[:80]!r} declares a document type")
                strict = strict or _STRICT in window
                tail = window[-64:]
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError) as bad:
        raise source.refuse(Refusal.CORRUPT, f"entry {info.filename[:80]!r} is damaged: {bad}") from bad
    return size, strict


def _to_transitional(package: zipfile.ZipFile) -> BytesIO:
    """Repack with transitional namespaces, the only ones that libraries support; only markup is rewritten."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as copy:
        for info in package.infolist():
            content = package.read(info)
            if info.filename.casefold().endswith(_MARKUP):
                for strict, usual in _STRICT_SPACES:
                    content = content.replace(strict, usual)
            copy.writestr(info.filename, content)
    out.seek(0)
    return out
