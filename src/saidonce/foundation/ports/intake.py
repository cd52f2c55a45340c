"""Ports of the way of a file: who fetches it from its channel, and who looks at pictures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from saidonce.foundation.model.residents import WaitingMedia


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """A small picture of a picture; it holds nothing of the file but what can be seen.

    Attributes:
        width, height: of the whole picture, in pixels, as it lies in the file.
        bare: the whole picture without notes about place, time and camera, turned as before; empty if they could not
            be taken off safely.
        bare_mime: type of `bare` where it was converted; empty if it is the picture's own.
    """

    content: bytes
    mime: str
    width: int
    height: int
    bare: bytes = b""
    bare_mime: str = ""


class MediaFetcher(Protocol):
    """Fetches files of one channel."""

    def fetch(self, waiting: WaitingMedia, most: int) -> bytes:
        """Return a file's bytes.

        Args:
            waiting: the file and its message.
            most: largest file that is taken, in bytes.

        Raises:
            MediaError: it is too large, gone, not what was announced, or could not be had this time.
        """
        ...


class Pictures(Protocol):
    """Looks at pictures whose makers nobody trusts."""

    def thumbnail(self, content: bytes) -> Thumbnail:
        """Decode a whole JPEG, PNG, WebP or GIF (its first frame), and give a small one; the same for the same bytes.

        A HEIC picture is converted to JPEG where its decoder is installed (extra `images`), and is refused elsewhere.

        Raises:
            MediaError: it cannot be decoded, or has too many pixels.
        """
        ...
