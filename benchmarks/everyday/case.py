"""A file of the folder, and its expectations."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.uncommon.case import UncommonFile


@dataclass(frozen=True)
class EverydayFile(UncommonFile):
    """A file of the folder; expected texts may also have an expected order.

    Attributes:
        tables: texts that must each be in a segment of kind table.
        lists: texts that must each be in a segment of kind list.
        order: texts of which each must begin after the one before it, in the order of the document.
    """

    tables: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
