"""Data protection: what was erased, handed out or let go."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from saidonce.foundation.model.personal_data import DataActKind
from saidonce.interfaces.views.base import At, View


class DataActView(View):
    """An entry of the log of data protection; it holds nothing of a person."""

    DERIVED: ClassVar[Mapping[str, Callable[[Any], object]]] = {"counts": lambda act: dict(act.counts)}

    n: int
    kind: DataActKind
    at: At
    by: str
    subject: str
    why: str
    counts: dict[str, int]


class ErasureView(View):
    """What was erased, or would be; `act` is null of a dry run."""

    counts: dict[str, int]
    others: tuple[str, ...]
    act: DataActView | None


class ExportedView(View):
    """Where everything about a resident was written to."""

    file: str
    act: DataActView


class RetentionView(View):
    """What went because it was too old, or would go; `act` is null of a dry run, or if nothing went."""

    counts: dict[str, int]
    act: DataActView | None
