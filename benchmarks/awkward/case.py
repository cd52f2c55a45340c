"""A file of the folder, and what is expected of it."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.mixed.case import MixedFile


@dataclass(frozen=True)
class AwkwardFile(MixedFile):
    """A file of the folder, of which some may be left out if a warning or a reason is there.

    Attributes:
        or_warned: what has to stand in a segment, or else the document has to have a warning.
    """

    or_warned: tuple[str, ...] = ()
