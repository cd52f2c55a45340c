"""Which files of evidence are kept, with the pictures that their words were read in."""

from __future__ import annotations

from saidonce.foundation.model import Document, Original
from saidonce.foundation.settings.policy import Settings

MIB = 1024 * 1024
OTHER = "application/octet-stream"

PICTURE_MIME = "image/jpeg"
"""Type of the pictures of an original: parsers make them anew, without notes."""

_BRANDS = {
    b"M4A": "audio/mp4",
    b"hei": "image/heic",
    b"mif": "image/heic",
    b"avi": "image/avif",
    b"qt ": "video/quicktime",
}
_MAGIC = (
    (b"\x89PNG\r\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"BM", "image/bmp"),
    (b"%PDF-", "application/pdf"),
    (b"ID3", "audio/mpeg"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
    (b"\x1a\x45\xdf\xa3", "video/webm"),
    (b"\xff", "audio/mpeg"),
)
_RIFF = {b"WAVE": "audio/wav", b"WEBP": "image/webp", b"AVI ": "video/x-msvideo"}


def may_be_kept(content: bytes, settings: Settings) -> bool:
    """Return whether a source is small enough to be kept; whether it shows anything is known once it is parsed."""
    return 0 < len(content) <= settings.originals_mb * MIB and mime_of(content) != OTHER


def shows_evidence(document: Document) -> bool:
    """Return whether words of a document were seen in a picture or heard in a recording."""
    return any(element.place is not None and element.place.is_recognised for element in document.elements)


def originals_of(document: Document, sha256: str, content: bytes, settings: Settings) -> tuple[Original, ...]:
    """Return the originals to keep of a source: the file, if its text was recognised, and the pictures that contain it.

    With `originals_mb` 0 nothing is kept but the marks by which near copies are nominated.
    """
    keeps = settings.originals_mb > 0
    pictures = tuple(
        Original(sha256, picture.number, PICTURE_MIME, picture.content if keeps else b"", picture.mark)
        for picture in document.pictures
    )
    if not content and not document.mark:
        return pictures
    return (Original(sha256, 0, mime_of(content), content if keeps else b"", document.mark), *pictures)


def mime_of(content: bytes) -> str:
    """Return the type of a file by its first bytes; nothing that a browser would run is ever among them."""
    if content[:4] == b"RIFF":
        return _RIFF.get(content[8:12], OTHER)
    if content[4:8] == b"ftyp":
        return _BRANDS.get(content[8:11], "video/mp4")
    return next((mime for magic, mime in _MAGIC if content.startswith(magic)), OTHER)
