"""The type of a file by its bytes; the sender's claim is only compared."""

from __future__ import annotations

from collections.abc import Sequence

DECODED = frozenset({"image/jpeg", "image/png", "image/webp", "image/gif"})
"""Pictures that are decoded before they are stored."""

CONVERTED = frozenset({"image/heic"})
"""Pictures that are converted to JPEG before they are stored, where a decoder of them is installed."""

UNKNOWN = "application/octet-stream"
"""Type of unknown bytes: stored, and never shown as the claimed type."""

_MAGIC: Sequence[tuple[int, bytes, str]] = (
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (8, b"WAVE", "audio/wav"),
    (0, b"OggS", "audio/ogg"),
    (0, b"#!AMR", "audio/amr"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"\xff\xfb", "audio/mpeg"),
    (0, b"\xff\xf3", "audio/mpeg"),
    (0, b"\xff\xf1", "audio/aac"),
    (0, b"\xff\xf9", "audio/aac"),
    (0, b"\x1aE\xdf\xa3", "video/webm"),
    (0, b"%PDF-", "application/pdf"),
    (0, b"PK\x03\x04", "application/zip"),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
)
_BRANDS = {
    b"heic": "image/heic", b"heix": "image/heic", b"heim": "image/heic", b"mif1": "image/heic", b"avif": "image/avif",
    b"M4A ": "audio/mp4", b"qt  ": "video/quicktime", b"3gp4": "video/3gpp", b"3gp5": "video/3gpp",
}  # fmt: skip
_CONTAINERS = frozenset({"video/mp4", "video/3gpp", "video/quicktime", "audio/mp4", "video/webm", "audio/webm"})
_VAGUE = frozenset({"", UNKNOWN, "binary/octet-stream"})


def family(mime: str) -> str:
    """Return image, video, audio, or document for all else."""
    kind = mime.partition("/")[0]
    return kind if kind in ("image", "video", "audio") else "document"


def sniff(content: bytes) -> str:
    """Return the type of a file by its first bytes, or `UNKNOWN`."""
    if content[4:8] == b"ftyp":
        return _BRANDS.get(content[8:12], "video/mp4")
    for at, magic, mime in _MAGIC:
        if content[at : at + len(magic)] == magic and (at == 0 or content[:4] == b"RIFF"):
            return mime
    return UNKNOWN


def accepted_type(declared: str, content: bytes) -> str | None:
    """Return the type under which a file is stored, or None if it contradicts the sender's claim.

    The bytes decide. A container of sound or film keeps the claimed type; a picture sent as a document is a picture;
    unknown bytes may be a document of any kind, never a picture, film or sound.
    """
    sniffed, claimed = sniff(content), declared.partition(";")[0].strip().lower()
    if sniffed in _CONTAINERS and claimed in _CONTAINERS:
        return claimed
    if family(claimed) in (family(sniffed), "document") or claimed in _VAGUE:
        return sniffed
    return None
