"""The child process: read one picture from stdin, write its size, a thumbnail and the picture without notes, and end.

Runs as a file in isolated mode, so that it loads Pillow and, of this package, only the file beside it and the fence
around a process. Any error ends it with a status other than 0, which is all that the parent needs.
"""

from __future__ import annotations

import importlib
import importlib.util
import io
import json
import os
import resource
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image, ImageOps, WebPImagePlugin

FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "HEIF")
"""What is opened; HEIF only where its decoder is installed, and converted to JPEG."""

QUALITY = 90
"""Of a converted picture."""

TOO_MANY_PIXELS = 3
ORIENTATION = 274
_DENIED = ("socket.", "subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.remove", "os.rename")


def main() -> int:
    """Decode one picture."""
    limits = json.loads(sys.argv[1])
    content = sys.stdin.buffer.read()
    stripped = _stripping()
    _add_heif()
    warnings.simplefilter("error", Image.DecompressionBombWarning)
    Image.MAX_IMAGE_PIXELS = limits["pixels"]
    Image.preinit()
    _limit_time(limits)
    _confine(limits["memory_mb"])
    sys.addaudithook(_deny)
    try:
        picture: Image.Image = Image.open(io.BytesIO(content), formats=FORMATS)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        return TOO_MANY_PIXELS
    width, height = picture.size
    if width * height > limits["pixels"]:
        return TOO_MANY_PIXELS
    is_heif = picture.format == "HEIF"
    bare = _as_jpeg(picture) if is_heif else _without_notes(content, picture, limits["pixels"], stripped)
    small = _small(picture, limits["side"])
    small.info.clear()  # remarks would go along; EXIF, place and profile are not handed over anyway
    buffer = io.BytesIO()
    small.save(buffer, "JPEG", quality=80)
    head = {
        "width": width, "height": height, "small": len(buffer.getvalue()), "bare": len(bare),
        "bare_mime": "image/jpeg" if is_heif else "",
    }  # fmt: skip
    sys.stdout.buffer.write(json.dumps(head).encode() + b"\n" + buffer.getvalue() + bare)
    sys.stdout.buffer.flush()
    return 0


def _stripping() -> Callable[[bytes, int], bytes]:
    """Load the file beside this one, before the fence is up."""
    spec = importlib.util.spec_from_file_location("stripping", Path(__file__).with_name("stripping.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function: Callable[[bytes, int], bytes] = module.stripped
    return function


def _add_heif() -> None:
    """Add the decoder of HEIC, if it is installed, before the fence is up; one thread, so that it opens none."""
    if importlib.util.find_spec("pillow_heif") is None:
        return
    heif = importlib.import_module("pillow_heif")
    heif.options.DECODE_THREADS = 1
    heif.register_heif_opener(thumbnails=False)


def _as_jpeg(picture: Image.Image) -> bytes:
    """Return a whole picture as JPEG, upright and without its notes; its colours as they are meant to be seen."""
    upright = _upright(picture).convert("RGB")
    upright.info.clear()
    buffer = io.BytesIO()
    upright.save(buffer, "JPEG", quality=QUALITY, icc_profile=picture.info.get("icc_profile"))
    return buffer.getvalue()


def _without_notes(
    content: bytes, picture: Image.Image, pixels: int, stripped: Callable[[bytes, int], bytes]
) -> bytes:  # fmt: skip
    """Return the picture without notes, checked by opening it again; nothing if that cannot be done safely."""
    try:
        orientation = int(picture.getexif().get(ORIENTATION, 1))
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001  broken notes say nothing; Pillow raises many kinds, without a base class
        orientation = 1
    try:
        bare = stripped(content, orientation)
        again = Image.open(io.BytesIO(bare), formats=FORMATS)
        if again.size[0] * again.size[1] > pixels:
            return b""
        again.load()
        notes = dict(again.getexif())
    except Exception:  # noqa: BLE001  what cannot be understood is kept apart, whatever Pillow or we stumble over
        return b""
    turned = {ORIENTATION: orientation} if 1 < orientation <= 8 else {}
    is_clean = notes == turned and not {"xmp", "comment", "XML:com.adobe.xmp", "photoshop", "mp"} & set(again.info)
    return bare if is_clean and again.size == picture_size(content) and again.mode == picture_mode(content) else b""


def picture_size(content: bytes) -> tuple[int, int]:
    """Return the size of a picture as it lies in its file."""
    return Image.open(io.BytesIO(content), formats=FORMATS).size


def picture_mode(content: bytes) -> str:
    """Return the kind of a picture's pixels as they lie in its file."""
    return Image.open(io.BytesIO(content), formats=FORMATS).mode


def _small(picture: Image.Image, side: int) -> Image.Image:
    """Return an upright thumbnail; a JPEG is decoded as a whole, but no larger than needed."""
    picture.draft("RGB", (2 * side, 2 * side))
    picture.load()
    upright = _upright(picture)
    if upright.mode in ("P", "PA", "LA", "La", "RGBa", "RGBA") or "transparency" in upright.info:
        upright = upright.convert("RGBA")
        upright.thumbnail((side, side))
        paper = Image.new("RGBA", upright.size, "white")
        return Image.alpha_composite(paper, upright).convert("RGB")
    upright = upright.convert("RGB")
    upright.thumbnail((side, side))
    return upright


def _upright(picture: Image.Image) -> Image.Image:
    try:
        return ImageOps.exif_transpose(picture)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001  broken notes beside a sound picture do not cost the picture
        return picture


def _limit_time(limits: dict[str, Any]) -> None:
    seconds = int(limits["cpu_s"]) + 2
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


def _confine(memory_mb: int) -> None:
    """Raise the same fence as around a parser of documents."""
    sys.path.insert(0, str(Path(__file__).parents[3]))
    from saidonce.foundation.confinement import Bounds, confine  # noqa: PLC0415  found only now

    confine(Bounds(memory_mb * 1024 * 1024), ("PATH", "LD_LIBRARY_PATH"))


def _deny(event: str, args: tuple[Any, ...]) -> None:
    """Deny connections, programs and file writes, as a second fence."""
    if event.startswith(_DENIED):
        raise PermissionError(event)
    if event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        raise PermissionError(event)


if __name__ == "__main__":
    assert WebPImagePlugin.WebPImageFile.format == "WEBP"
    sys.exit(main())
