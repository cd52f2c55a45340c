"""A file of the folder, and its expectations."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.mixed.case import MixedFile


@dataclass(frozen=True)
class AwkwardFile(MixedFile):
    """A file of the folder; content may be missing if a warning or a reason reports it.

    Attributes:
        or_warned: text that has to be in a segment, unless the document has a warning.
    """

    or_warned: tuple[str, ...] = ()
