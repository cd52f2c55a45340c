"""Flow: size of the base and health of its repeats."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from saidonce.errors import NotFoundError
from saidonce.foundation.model import PairCounts, StoredDocument
from saidonce.foundation.ports import CollectionCounts, Store
from saidonce.foundation.settings.policy import Settings


@dataclass(frozen=True, slots=True)
class BaseStatus:
    """Contents of the base, and all that ingest and search have removed so far.

    Attributes:
        metrics: shares of repeats at ingest and in searches, largest and mean salience boost.
        dedup_by_doc_type: share of segments removed at ingest by format.
        pairs: how far the pair table has come; None where nobody looked.

    Source: seed 001.
    """

    org: str
    rev: int
    collections: tuple[CollectionCounts, ...]
    metrics: dict[str, float]
    dedup_by_doc_type: dict[str, float]
    counters: dict[str, float]
    warnings: tuple[str, ...]
    pairs: PairCounts | None = None

    def __repr__(self) -> str:
        blocks = ", ".join(f"{each.collection.name}={each.n_blocks} blocks" for each in self.collections)
        return f"BaseStatus({self.org!r}, rev={self.rev}{', ' if blocks else ''}{blocks})"


def status(store: Store, settings: Settings, pairs: PairCounts | None = None) -> BaseStatus:
    """Sum up the base and its running counters.

    Args:
        store: of the organisation.
        settings: with the shares from which to warn.
        pairs: how far the pair table has come.
    """
    counted = store.counters()
    by_format = {name: _by_format(counted, name) for name in ("segments", "exact", "near")}
    total = {name: sum(values.values()) for name, values in by_format.items()}
    metrics = {
        "dedup_ratio_ingestion": _share(total["exact"] + total["near"], total["segments"]),
        "dedup_ratio_retrieval": _share(counted.get("search.repeats", 0), counted.get("search.looked_at", 0)),
        "max_salience_boost": max((c.max_boost for c in store.counts()), default=0.0),
        "avg_salience_boost": _share(counted.get("ingest.boost_sum", 0), counted.get("ingest.boosts", 0)),
    }
    by_type = {
        name: _share(by_format["exact"][name] + by_format["near"][name], n)
        for name, n in sorted(by_format["segments"].items())
    }
    warnings = []
    if metrics["dedup_ratio_ingestion"] > settings.warn_ingest_ratio:
        warnings.append(
            f"ingest removed {metrics['dedup_ratio_ingestion']:.0%} of all segments as repeats; check for boilerplate"
        )
    if metrics["dedup_ratio_retrieval"] > settings.warn_search_ratio:
        warnings.append(
            f"searches removed {metrics['dedup_ratio_retrieval']:.0%} of ranked blocks: many alike documents"
        )
    return BaseStatus(store.org, store.rev(), store.counts(), metrics, by_type, counted, tuple(warnings), pairs)


def _by_format(counted: dict[str, float], name: str) -> Counter[str]:
    prefix = f"ingest.{name}."
    totals: Counter[str] = Counter()
    for key, n in counted.items():
        if key.startswith(prefix):
            totals[key.removeprefix(prefix)] += int(n)
    return totals


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def documents(store: Store, collection: str | None, default: str) -> list[StoredDocument]:
    """Return the current documents of a collection, by name; none if the default one does not exist yet.

    Raises:
        NotFoundError: a collection that is asked for by name does not exist.
    """
    known = [each.name for each in store.collections()]
    if collection is not None and collection != default and collection not in known:
        raise NotFoundError("collection", collection, f"there are: {', '.join(known) or 'none yet'}")
    return list(store.documents(collection or default))
