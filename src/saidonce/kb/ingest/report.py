"""Report of an ingest, document by document, with figures and warnings."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from saidonce.errors import Refusal
from saidonce.foundation.settings.policy import Settings


class State(StrEnum):
    """Outcome of one source."""

    NEW = "new"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    SAME_SOURCE = "same_source"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class DocumentReport:
    """Outcome of one source, with its figures.

    Attributes:
        same_as: name of the document that has the same bytes, for SAME_SOURCE.
        n_kept, n_exact, n_near, n_set_aside: fates of its `n_segments` segments.
        n_held_apart: segments as similar as a repeat that a guard kept.
        n_undecided: of these, segments with more near segments than were compared.
        boosts: relative salience boosts of its kept segments, those above 0 only.
        n_added, n_unchanged, n_removed: segments against the version before.
        n_merged, n_flagged: kept segments merged into blocks of other documents, and flagged for a person;
            0 outside canonical collections.
    """

    name: str
    state: State
    format: str = ""
    document_id: str = ""
    version: int = 0
    same_as: str = ""
    reason: Refusal | None = None
    detail: str = ""
    n_segments: int = 0
    n_kept: int = 0
    n_exact: int = 0
    n_near: int = 0
    n_set_aside: int = 0
    n_held_apart: int = 0
    n_undecided: int = 0
    n_added: int = 0
    n_unchanged: int = 0
    n_removed: int = 0
    n_merged: int = 0
    n_flagged: int = 0
    boosts: tuple[float, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def is_written(self) -> bool:
        """Return whether a version was written; a document that is not was stored already, or refused."""
        return self.state in (State.NEW, State.CHANGED)

    @property
    def dedup_ratio(self) -> float:
        """Share of the segments removed as repeats, 0..1."""
        return (self.n_exact + self.n_near) / self.n_segments if self.n_segments else 0.0


@dataclass(frozen=True, slots=True)
class IngestReport:
    """Outcome of an ingest, in the order of its sources.

    Attributes:
        passed_over: names of members of archives that no parser knows.
    """

    collection: str
    documents: tuple[DocumentReport, ...] = field(default_factory=tuple)
    passed_over: tuple[str, ...] = ()

    def count(self, state: State) -> int:
        """Count the sources that ended in a state."""
        return sum(d.state is state for d in self.documents)

    def __repr__(self) -> str:
        states = {state.value: self.count(state) for state in State if state not in (State.NEW, State.CHANGED)}
        counts = ", ".join(f"{name}={value:g}" for name, value in {**self.totals, **states}.items() if value)
        return f"IngestReport({self.collection!r}{', ' if counts else ''}{counts})"

    @property
    def refused(self) -> tuple[DocumentReport, ...]:
        """Sources that could not be ingested."""
        return tuple(d for d in self.documents if d.state is State.REFUSED)

    @property
    def written(self) -> tuple[DocumentReport, ...]:
        """Documents with a new version; the others were stored already, or refused."""
        return tuple(d for d in self.documents if d.is_written)

    @property
    def totals(self) -> dict[str, float]:
        """Figures over all written documents."""
        written = self.written
        n_segments = sum(d.n_segments for d in written)
        n_removed = sum(d.n_exact + d.n_near for d in written)
        boosts = [b for d in written for b in d.boosts]
        return {
            "n_documents": len(written),
            "n_segments": n_segments,
            "n_kept": sum(d.n_kept for d in written),
            "n_exact": sum(d.n_exact for d in written),
            "n_near": sum(d.n_near for d in written),
            "n_set_aside": sum(d.n_set_aside for d in written),
            "n_held_apart": sum(d.n_held_apart for d in written),
            "n_merged": sum(d.n_merged for d in written),
            "n_flagged": sum(d.n_flagged for d in written),
            "dedup_ratio": n_removed / n_segments if n_segments else 0.0,
            "mean_boost": sum(boosts) / len(boosts) if boosts else 0.0,
            "max_boost": max(boosts, default=0.0),
        }

    @property
    def dedup_ratio_by_format(self) -> dict[str, float]:
        """Share of segments removed as repeats for each format, by format name."""
        n_segments: Counter[str] = Counter()
        n_removed: Counter[str] = Counter()
        for d in self.written:
            n_segments[d.format] += d.n_segments
            n_removed[d.format] += d.n_exact + d.n_near
        return {name: n_removed[name] / n for name, n in sorted(n_segments.items()) if n}


def document_warnings(document: DocumentReport, settings: Settings) -> tuple[str, ...]:
    """Return warnings of unhealthy repeats in one document. Source: seed 001, "Debugging Tips"."""
    warnings = []
    if document.n_segments >= _ENOUGH and document.dedup_ratio > settings.warn_ingest_ratio:
        warnings.append(
            f"{document.dedup_ratio:.0%} of the segments are repeats; check for boilerplate or a generated document"
        )
    if document.n_undecided:
        warnings.append(
            f"{document.n_undecided} segments have more near segments than are compared; repeats may remain"
        )
    highest = max(document.boosts, default=0.0)
    if highest > settings.warn_boost:
        warnings.append(f"one segment was boosted by {highest:.0%}; check that its repetition is intended")
    return tuple(warnings)


_ENOUGH = 10
"""Fewest segments for a meaningful ratio."""


def counters(documents: Iterable[DocumentReport]) -> dict[str, float]:
    """Return the increments of the organisation's running counters by documents, by counter name."""
    gained: defaultdict[str, float] = defaultdict(float)
    for d in documents:
        gained[f"ingest.documents.{d.state}"] += 1
        if d.state is State.REFUSED:
            gained[f"ingest.refused.{d.reason}"] += 1
        if not d.is_written:
            continue
        for name in ("segments", "kept", "exact", "near", "set_aside", "held_apart"):
            gained[f"ingest.{name}.{d.format}"] += getattr(d, f"n_{name}")
        for name, n in merge_counters(d.format, d.n_merged, d.n_flagged).items():
            gained[name] += n
        gained["ingest.boosts"] += len(d.boosts)
        gained["ingest.boost_sum"] += sum(d.boosts)
    return {name: n for name, n in sorted(gained.items()) if n}


def merge_counters(format_: str, n_merged: int, n_flagged: int) -> dict[str, float]:
    """Return the increments of the counters by a document's merges and flags, by counter name."""
    gained = {f"ingest.merged.{format_}": float(n_merged), f"ingest.flagged.{format_}": float(n_flagged)}
    return {name: n for name, n in gained.items() if n}
