"""A file of the folder, and its expectations."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.awkward.case import AwkwardFile


@dataclass(frozen=True)
class UncommonFile(AwkwardFile):
    """A file of the folder; expected texts may also have an expected role.

    Attributes:
        prose: texts that must each be in a segment of a kind other than code.
        code: texts that must each be in a segment of kind code.
        headings: texts that must each be a title or a heading on the path to a segment.
        refusal: text that must be in the one line that refuses the file; empty for no expectation.
    """

    prose: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()
    refusal: str = ""
