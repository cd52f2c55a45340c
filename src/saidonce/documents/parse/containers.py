"""Unpack archives and mailboxes in memory, with limits on number, size, ratio and depth."""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from email import message_from_bytes, policy
from io import BytesIO
from typing import IO

from saidonce.documents.parse.formats import container_of
from saidonce.documents.parse.sniff import is_supported
from saidonce.documents.parse.source import MIB, NamedBytes
from saidonce.errors import Refusal, SourceRefusedError
from saidonce.foundation.model import Unpacked

MAX_MEMBERS = 5_000
MAX_UNPACKED = 256 * MIB
MAX_RATIO = 200
RATIO_FROM = 16 * MIB
MAX_DEPTH = 3
_CHUNK = MIB
_FROM = re.compile(rb"^From [^\n]{1,300}\d{4}[^\n]{0,40}\r?\n(?=[!-9;-~]+:)", re.M)
_QUOTED = re.compile(rb"^>(>*From )", re.M)
_UNSAFE = re.compile(r"[^\w.@+-]")
_DAMAGED = (zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError)
_Stream = IO[bytes] | gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile
_PACKED: tuple[tuple[bytes, str, Callable[[BytesIO], _Stream]], ...] = (
    (b"\x1f\x8b", "gz|tgz", lambda packed: gzip.GzipFile(fileobj=packed)),
    (b"BZh", "bz2|tbz2?", bz2.BZ2File),
    (b"\xfd7zXZ", "xz|txz", lzma.LZMAFile),
)
"""First bytes of what packs one file, the ends of its name, and what unpacks it."""

_PACKAGES = ("[Content_Types].xml", "mimetype")


def unpack(source: NamedBytes) -> Unpacked:
    """Return the members of an archive or a mailbox, by name; an Office package or e-book is its only member.

    Nested archives are opened as well. Hidden members are left out, those of unsupported formats are counted, and
    one that cannot be read is named with the reason.

    Raises:
        SourceRefusedError: it is damaged, hostile, too large or nested too deeply, or holds nothing.
    """
    work = _Work()
    try:
        _open(source, work)
    except SourceRefusedError:
        raise
    except (*_DAMAGED, UnicodeError) as bad:
        raise source.refuse(Refusal.CORRUPT, f"its container is damaged: {bad}") from bad
    except (NotImplementedError, RuntimeError) as bad:
        raise source.refuse(Refusal.UNSUPPORTED, f"its compression method is not supported: {bad}") from bad
    if not (work.members or work.refused):
        n = len(work.passed_over)
        what = f"; {n} {'file' if n == 1 else 'files'} of other formats" if n else ""
        raise source.refuse(Refusal.NO_TEXT, f"it contains no file of a supported format{what}")
    return Unpacked(tuple(sorted(work.members)), tuple(sorted(work.refused)), tuple(sorted(work.passed_over)))


@dataclass(slots=True)
class _Work:
    """The progress of an unpacking, over all depths."""

    members: list[tuple[str, bytes]] = field(default_factory=list)
    refused: list[tuple[str, str, str]] = field(default_factory=list)
    passed_over: list[str] = field(default_factory=list)
    n_bytes: int = 0
    n_members: int = 0
    _names: dict[str, int] = field(default_factory=dict)

    def count(self, source: NamedBytes) -> None:
        """Count a member.

        Raises:
            SourceRefusedError: there are too many.
        """
        self.n_members += 1
        if self.n_members > MAX_MEMBERS:
            raise source.refuse(Refusal.TOO_LARGE, f"it has more than {MAX_MEMBERS} members; unpack it")

    def name(self, source: NamedBytes, inner: str) -> str:
        """Return the name of a member; a duplicate name gets a number."""
        full = f"{source.name}/{inner}"
        self._names[full] = n = self._names.get(full, 0) + 1
        return full if n == 1 else f"{full}~{n}"

    def refuse(self, name: str, reason: Refusal, detail: str) -> None:
        """Record a member that is not read."""
        self.refused.append((name, reason, detail))

    def add(self, source: NamedBytes, name: str, content: bytes) -> None:
        """Add a member, or the members inside it if it is an archive."""
        self.n_bytes += len(content)
        inner = replace(source, name=name, content=content, depth=source.depth + 1)
        if not container_of(name):
            self.members.append((name, content))
        elif inner.depth >= MAX_DEPTH:
            self.refuse(name, Refusal.HOSTILE, f"archives are opened to a depth of {MAX_DEPTH}")
        else:
            try:
                _open(inner, self)
            except SourceRefusedError as refused:
                if refused.reason in (Refusal.HOSTILE, Refusal.TOO_LARGE):
                    raise
                self.refuse(name, refused.reason, refused.detail)
            except _DAMAGED as bad:
                self.refuse(name, Refusal.CORRUPT, f"its container is damaged: {bad}")


def _open(source: NamedBytes, work: _Work) -> None:
    kind = container_of(source.name)
    has_stub = kind == "zip" and zipfile.is_zipfile(BytesIO(source.content))  # a program that unpacks it stands before
    if has_stub or source.content.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        _zip(source, work)
    elif kind == "mbox":
        _mailbox(source, work)
    elif packed := next((one for one in _PACKED if source.content.startswith(one[0])), None):
        _single(source, packed[1], packed[2](BytesIO(source.content)), work)
    elif kind == "tar":
        _tar(source, BytesIO(source.content), len(source.content), work)
    else:
        raise source.refuse(Refusal.CORRUPT, f"it does not begin like a {kind.upper()} file")


def _zip(source: NamedBytes, work: _Work) -> None:
    with zipfile.ZipFile(BytesIO(source.content)) as package:
        infos = [info for info in package.infolist() if not info.is_dir()]
        if any(info.filename in _PACKAGES for info in infos):
            work.members.append((source.name, source.content))
            return
        for info in infos:
            name = _member_name(source, info.filename, work)
            if not name:
                continue
            if info.flag_bits & 0x1:
                work.refuse(name, Refusal.LOCKED, "it is encrypted")
                continue
            with package.open(info) as stream:
                _take(source, name, stream, info.compress_size, work)


def _single(source: NamedBytes, ends: str, stream: _Stream, work: _Work) -> None:
    """Add a file compressed on its own, or the members of the archive that it contains."""
    base = source.name.rpartition("/")[2]
    with stream:
        if re.search(rf"\.(?:t[bgx]z2?|tar\.(?:{ends}))$", base, re.I):
            content = _decompress(source, source.name, stream, len(source.content), work)
            _tar(source, BytesIO(content), len(source.content), work)
        elif name := _member_name(source, re.sub(rf"\.(?:{ends})$", "", base, flags=re.I), work):
            _take(source, name, stream, len(source.content), work)


def _tar(source: NamedBytes, stream: IO[bytes], n_packed: int, work: _Work) -> None:
    with tarfile.open(fileobj=stream, mode="r:") as archive:
        for info in archive:
            if not info.isfile():
                continue
            name = _member_name(source, info.name, work)
            content = archive.extractfile(info) if name else None
            if content is not None:
                _take(source, name, content, n_packed, work)


def _mailbox(source: NamedBytes, work: _Work) -> None:
    """Add each message, named by its id, so that names do not depend on other messages."""
    starts = [match.span() for match in _FROM.finditer(source.content)]
    if not starts:
        raise source.refuse(Refusal.CORRUPT, "it has no message that begins with a 'From ' line")
    for (_, begin), end in zip(starts, [*(at for at, _ in starts[1:]), len(source.content)], strict=True):
        content = _QUOTED.sub(rb"\1", source.content[begin:end].strip(b"\r\n") + b"\n")
        head = message_from_bytes(content.split(b"\n\n", 1)[0] + b"\n\n", policy=policy.compat32)
        message_id = _UNSAFE.sub("_", str(head.get("message-id") or "").strip().strip("<>"))[:100]
        work.count(source)
        work.add(source, work.name(source, f"{message_id or f'message-{work.n_members}'}.eml"), content)


def _member_name(source: NamedBytes, inner: str, work: _Work) -> str:
    """Return the full name of a member to be read; empty for hidden members and unsupported formats."""
    inner = inner.replace("\\", "/").removeprefix("./")
    parts = inner.split("/")
    work.count(source)
    if inner.startswith("/") or ".." in parts or "\0" in inner or re.match(r"[A-Za-z]:", inner):
        work.refuse(work.name(source, inner.strip("/\0")), Refusal.HOSTILE, "its path leads outside the archive")
        return ""
    if any(part.startswith(".") or part == "__MACOSX" for part in parts) or not parts[-1]:
        return ""
    name = work.name(source, inner.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace"))
    if not is_supported(parts[-1]):
        work.passed_over.append(name)
        return ""
    return name


def _take(source: NamedBytes, name: str, stream: _Stream, n_packed: int, work: _Work) -> None:
    content = _decompress(source, name, stream, n_packed, work)
    if len(content) > source.limits.max_source_mb * MIB:
        work.refuse(name, Refusal.TOO_LARGE, f"it has more than {source.limits.max_source_mb} MiB")
    else:
        work.add(source, name, content)


def _decompress(source: NamedBytes, name: str, stream: _Stream, n_packed: int, work: _Work) -> bytes:
    """Decompress a member in chunks.

    Raises:
        SourceRefusedError: all members together are too large, or this one exceeds the compression ratio.
    """
    pieces: list[bytes] = []
    size = 0
    while piece := stream.read(_CHUNK):
        pieces.append(piece)
        size += len(piece)
        if work.n_bytes + size > MAX_UNPACKED:
            detail = f"its members inflate to more than {MAX_UNPACKED // MIB} MiB; unpack it"
            raise source.refuse(Refusal.TOO_LARGE, detail)
        if size > RATIO_FROM and size > MAX_RATIO * max(n_packed, 1):
            raise source.refuse(Refusal.HOSTILE, f"{name[-80:]!r} decompresses to {MAX_RATIO} times its size or more")
    return b"".join(pieces)
