"""One child process per picture; see `saidonce.foundation.ports.intake.Pictures`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from saidonce.errors import FileRefusal, MediaError
from saidonce.foundation.ports.intake import Thumbnail
from saidonce.foundation.settings.channels import ChannelSettings

LONGEST_SIDE = 512
"""Longest side of a thumbnail, in pixels."""

MIME = "image/jpeg"
TOO_MANY_PIXELS = 3
"""Exit status of the child for more pixels than allowed."""

_WORKER = Path(__file__).with_name("worker.py")
_MAX_REPLY = 5_000_000
_PASSED_ON = ("PATH", "LD_LIBRARY_PATH", "SYSTEMROOT")


class ThumbnailSandbox:
    """Decodes each picture in its own process, without secrets, files or connections."""

    def __init__(self, settings: ChannelSettings) -> None:
        self._timeout_s = settings.media_picture_s
        self._limits = json.dumps(
            {
                "pixels": settings.media_image_pixels,
                "side": LONGEST_SIDE,
                "memory_mb": settings.media_picture_memory_mb,
                "cpu_s": settings.media_picture_s,
            }
        )

    def thumbnail(self, content: bytes) -> Thumbnail:
        """Decode a whole picture, and return a thumbnail, with the picture without its notes."""
        try:
            done = subprocess.run(  # noqa: S603 - our own file, no shell
                [sys.executable, "-I", str(_WORKER), self._limits],
                input=content,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=self._timeout_s,
                env={name: os.environ[name] for name in _PASSED_ON if name in os.environ},
                cwd=os.sep,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise MediaError(FileRefusal.BROKEN, "decoding took too long", is_final=True) from None
        except OSError as bad:
            raise MediaError(FileRefusal.UNREACHABLE, f"no process: {type(bad).__name__}", is_final=False) from None
        if done.returncode == TOO_MANY_PIXELS:
            raise MediaError(FileRefusal.TOO_LARGE, "it has too many pixels", is_final=True)
        if done.returncode != 0:
            raise MediaError(FileRefusal.BROKEN, "it cannot be decoded", is_final=True)
        return _read(done.stdout)


def _read(reply: bytes) -> Thumbnail:
    head, _, body = reply.partition(b"\n")
    try:
        size: Any = json.loads(head)
        width, height = int(size["width"]), int(size["height"])
        n_small, n_bare, bare_mime = int(size["small"]), int(size["bare"]), str(size["bare_mime"])
    except (ValueError, KeyError, TypeError):
        raise MediaError(FileRefusal.BROKEN, "decoding returned nothing", is_final=True) from None
    small, bare = body[:n_small], body[n_small:]
    if not small.startswith(b"\xff\xd8\xff") or n_small > _MAX_REPLY or len(bare) != n_bare:
        raise MediaError(FileRefusal.BROKEN, "decoding returned no picture", is_final=True)
    if bare_mime not in ("", MIME) or (bare_mime and bare and not bare.startswith(b"\xff\xd8\xff")):
        raise MediaError(FileRefusal.BROKEN, "decoding returned no picture", is_final=True)
    return Thumbnail(small, MIME, width, height, bare, bare_mime)
