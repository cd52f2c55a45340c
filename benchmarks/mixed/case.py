"""A file of the folder, and what is expected of it."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class MixedFile:
    """A file of the folder.

    Attributes:
        keeps: what has to stand in one segment each; runs of space count as one. Parts around " .. " have to follow
            each other on one line, each as words of their own: the cells of a row.
        never: what may stand nowhere: joined figures, markup, text that was taken back.
        refused: whether it has to be refused; None allows both, if what is kept is right.
        warns: words of which one of the warnings has to have each; empty expects none in particular.
    """

    name: str
    content: bytes
    keeps: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    refused: bool | None = False
    warns: tuple[str, ...] = ()


def zipped(parts: Mapping[str, bytes | str], stored: tuple[str, ...] = ()) -> bytes:
    """Return a ZIP of members; those in `stored` are not compressed."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            kind = zipfile.ZIP_STORED if name in stored else zipfile.ZIP_DEFLATED
            archive.writestr(zipfile.ZipInfo(name, (2025, 3, 4, 5, 6, 8)), content, kind)
    return out.getvalue()
