"""Pictures made for the tests: sound ones, ones with notes of a place, and ones that mean harm."""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any

from PIL import Image

GPS = 0x8825
ORIENTATION = 0x0112
BLOCK = 1 << 20


def jpeg(width: int = 64, height: int = 48, color: Any = "teal", **options: Any) -> bytes:
    return encoded(Image.new("RGB", (width, height), color), "JPEG", **options)


def photo_with_place(width: int = 64, height: int = 48) -> bytes:
    """As a telephone makes it: turned, with its place, and with a remark."""
    notes = Image.Exif()
    notes[ORIENTATION] = 6
    notes[0x010E] = "at home, top secret"
    notes.get_ifd(GPS)[1] = "N"
    notes.get_ifd(GPS)[2] = (51.0, 30.0, 26.0)
    return jpeg(width, height, exif=notes.tobytes(), comment=b"a remark")


def encoded(picture: Image.Image, form: str, **options: Any) -> bytes:
    made = io.BytesIO()
    picture.save(made, form, **options)
    return made.getvalue()


def png_bomb(width: int, height: int) -> bytes:
    """A PNG that unpacks to nothing but zeroes, a thousand times its size."""

    def part(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    n = height * (1 + width * 3)
    block = zlib.compressobj(9, zlib.DEFLATED, -15)
    zeroes = block.compress(bytes(BLOCK)) + block.flush(zlib.Z_FULL_FLUSH)  # stands by itself, so it can be repeated
    rest = zlib.compressobj(9, zlib.DEFLATED, -15)
    check = struct.pack(">HH", n % 65_521, 1)  # Adler-32 of n zeroes
    packed = b"\x78\xda" + zeroes * (n // BLOCK) + rest.compress(bytes(n % BLOCK)) + rest.flush() + check
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", packed) + part(b"IEND", b"")


def opened(content: bytes) -> Image.Image:
    return Image.open(io.BytesIO(content))
