"""What kind of picture some bytes are, by their beginning; what a sender says of them is not asked."""

from __future__ import annotations


def picture_type(content: bytes) -> str:
    """Give the media type of a picture, or nothing if it is none that a page can show or a phone sends."""
    if content.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if content.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    if content[4:8] == b"ftyp" and content[8:12] in (b"heic", b"heix", b"mif1", b"msf1", b"hevc"):
        return "image/heic"
    return ""
