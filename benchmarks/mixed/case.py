"""A file of the folder, and its expectations."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class MixedFile:
    """A file of the folder.

    Attributes:
        keeps: texts that must each be in one segment; runs of space count as one. Parts around " .. " must follow
            each other on one line, each as separate words: the cells of a row.
        never: texts that must not occur: joined figures, markup, deleted text.
        refused: whether it has to be refused; None allows both, if the kept content is right.
        warns: texts that must each be in one of the warnings; empty for no expectation.
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
