"""Takes notes about place, time and camera off a picture without touching what can be seen; pure.

It loads nothing but the standard library, for it runs in the child process beside Pillow. What it returns is checked
by opening it once more; whatever it does not understand it refuses.
"""

from __future__ import annotations

import struct
import zlib

ORIENTATION = 274
"""Tag of how a picture is to be turned. Source: EXIF 2.32, 0x0112."""

_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_KEPT = frozenset(
    {b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"iCCP", b"sBIT", b"bKGD", b"pHYs",
     b"cICP", b"acTL", b"fcTL", b"fdAT"}
)  # fmt: skip
"""Chunks that say how a picture looks; texts, times and EXIF are none of them."""

_WEBP_DROPPED = frozenset({b"EXIF", b"XMP "})
_SOI, _EOI, _SOS = 0xD8, 0xD9, 0xDA
_BARE = frozenset({0x01, *range(0xD0, 0xD8)})
"""Markers of JPEG without a length."""


def stripped(content: bytes, orientation: int) -> bytes:
    """Return a picture without its notes, but for how it is to be turned.

    Raises:
        ValueError: it is of no kind that is known, or not built as it should be.
    """
    turned = orientation if 1 < orientation <= 8 else 0
    if content.startswith(b"\xff\xd8\xff"):
        return _jpeg(content, turned)
    if content.startswith(_PNG):
        return _png(content, turned)
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return _webp(content, turned)
    if content[:4] == b"GIF8":
        return _gif(content)
    raise ValueError("unknown kind")


def _exif(orientation: int) -> bytes:
    """Return the smallest EXIF that says how a picture is to be turned."""
    return b"MM\0*" + struct.pack(">IHHHIHHI", 8, 1, ORIENTATION, 3, 1, orientation, 0, 0)


def _jpeg(content: bytes, orientation: int) -> bytes:
    out = [b"\xff\xd8"]
    if orientation:
        body = b"Exif\0\0" + _exif(orientation)
        out.append(b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body)
    at, n_scans = 2, 0
    while True:
        marker, at = _marker(content, at)
        if marker == _EOI:
            out.append(b"\xff\xd9")
            break  # What lies behind the end, such as a film or a second picture, goes.
        if marker in _BARE:
            out.append(bytes((0xFF, marker)))
            continue
        (length,) = struct.unpack(">H", content[at : at + 2])
        segment = content[at : at + length]
        if length < 2 or len(segment) != length:
            raise ValueError("a segment is cut off")
        if _is_kept(marker, segment[2:]):
            out.append(bytes((0xFF, marker)) + segment)
        at += length
        if marker == _SOS:
            n_scans += 1
            end = _scan_end(content, at)
            out.append(content[at:end])
            at = end
    if not n_scans:
        raise ValueError("no picture")
    return b"".join(out)


def _marker(content: bytes, at: int) -> tuple[int, int]:
    if content[at : at + 1] != b"\xff":
        raise ValueError("no marker")
    while content[at : at + 1] == b"\xff":
        at += 1
    if at >= len(content):
        raise ValueError("cut off")
    return content[at], at + 1


def _is_kept(marker: int, body: bytes) -> bool:
    """Return whether a segment says how the picture looks: not EXIF, XMP, IPTC, remarks, or what a maker adds."""
    if 0xE0 <= marker <= 0xEF:
        return (
            (marker == 0xE0 and body.startswith(b"JFIF\0"))
            or (marker == 0xE2 and body.startswith(b"ICC_PROFILE\0"))
            or (marker == 0xEE and body.startswith(b"Adobe"))
        )
    return marker != 0xFE


def _scan_end(content: bytes, at: int) -> int:
    """Return where the data of a scan end: at the next marker that is neither stuffing nor a restart."""
    while True:
        at = content.find(b"\xff", at)
        if at < 0 or at + 1 >= len(content):
            raise ValueError("a scan is cut off")
        after = content[at + 1]
        if after == 0xFF:
            at += 1
        elif after == 0 or after in _BARE:
            at += 2
        else:
            return at


def _png(content: bytes, orientation: int) -> bytes:
    out, at, is_done = [_PNG], len(_PNG), False
    while not is_done:
        (length,) = struct.unpack(">I", content[at : at + 4])
        kind = content[at + 4 : at + 8]
        chunk = content[at : at + 12 + length]
        if len(chunk) != 12 + length:
            raise ValueError("a chunk is cut off")
        if kind in _PNG_KEPT:
            out.append(chunk)
        elif kind[:1].isupper():
            raise ValueError("an unknown chunk that cannot be left out")
        if kind == b"IHDR" and orientation:
            body = b"eXIf" + _exif(orientation)
            out.append(struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body)))
        at += 12 + length
        is_done = kind == b"IEND"
    return b"".join(out)


def _webp(content: bytes, orientation: int) -> bytes:
    (size,) = struct.unpack("<I", content[4:8])
    end, at = 8 + size, 12
    if end > len(content):
        raise ValueError("cut off")
    chunks: list[bytes] = []
    while at + 8 <= end:
        kind = content[at : at + 4]
        (length,) = struct.unpack("<I", content[at + 4 : at + 8])
        padded = length + (length & 1)
        chunk = content[at : at + 8 + padded]
        if at + 8 + length > end:
            raise ValueError("a chunk is cut off")
        if kind == b"VP8X":
            flags = chunk[8] & ~0x0C | (0x08 if orientation else 0)
            chunk = chunk[:8] + bytes((flags,)) + chunk[9:]
        if kind not in _WEBP_DROPPED:
            chunks.append(chunk)
        at += 8 + padded
    is_extended = any(chunk.startswith(b"VP8X") for chunk in chunks)
    if orientation and is_extended:
        body = _exif(orientation)
        chunks.append(b"EXIF" + struct.pack("<I", len(body)) + body + b"\0" * (len(body) & 1))
    joined = b"".join(chunks)
    return b"RIFF" + struct.pack("<I", len(joined) + 4) + b"WEBP" + joined


def _gif(content: bytes) -> bytes:
    flags = content[10]
    at = 13 + (3 << ((flags & 7) + 1) if flags & 0x80 else 0)
    out = [content[:at]]
    while content[at : at + 1] != b";":
        kind = content[at : at + 1]
        if kind == b"!":
            end = _blocks_end(content, at + 2)
            label, name = content[at + 1], content[at + 3 : at + 14]
            if label == 0xF9 or (label == 0xFF and name == b"NETSCAPE2.0"):
                out.append(content[at:end])
        elif kind == b",":
            local = content[at + 9]
            end = _blocks_end(content, at + 11 + (3 << ((local & 7) + 1) if local & 0x80 else 0))
            out.append(content[at:end])
        else:
            raise ValueError("no block")
        at = end
    return b"".join((*out, b";"))


def _blocks_end(content: bytes, at: int) -> int:
    while True:
        if at >= len(content):
            raise ValueError("a block is cut off")
        length = content[at]
        at += 1 + length
        if not length:
            return at
