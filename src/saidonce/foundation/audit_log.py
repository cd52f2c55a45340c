"""Room: decisions as they are written down, and the hashes that chain them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import lru_cache

from pydantic import TypeAdapter, ValidationError

from saidonce.errors import StoreCorruptError
from saidonce.foundation.model import Decision, DecisionDraft, Detail


@lru_cache(maxsize=1)
def _details() -> TypeAdapter[Detail]:
    return TypeAdapter(Detail)


def detail_to_json(detail: Detail) -> str:
    """Write a detail as JSON, without what it leaves empty."""
    return _details().dump_json(detail, exclude_defaults=True).decode()


def detail_from_json(written: str) -> Detail:
    """Read a detail.

    Raises:
        StoreCorruptError: it is none.
    """
    try:
        return _details().validate_json(written)
    except ValidationError as bad:
        raise StoreCorruptError(f"a decision's detail cannot be read: {bad.errors()[0]['msg']}") from bad


def hash_of(draft: DecisionDraft, seq: int, at: datetime, previous: str) -> str:
    """Name a decision at its place in the log by 64 hex digits.

    Args:
        draft: what is decided; what a decision has beside does not count.
        seq: its number.
        at: when it was appended.
        previous: hash of the decision before; empty for the first.
    """
    told = [
        seq, draft.verb, draft.collection, draft.members, draft.actor, draft.reason, at.astimezone(UTC).isoformat(),
        draft.flag, draft.reverts, detail_to_json(draft.detail), draft.policy, draft.certificate, draft.key, previous,
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode()).hexdigest()


def first_broken(decisions: Iterable[Decision]) -> int | None:
    """Give the number of the first decision, of all in order, that was altered or whose forerunner is missing."""
    previous, seq = "", 0
    for d in decisions:
        if d.seq != seq + 1 or d.previous != previous or d.hash != hash_of(d, d.seq, d.at, previous):
            return d.seq
        previous, seq = d.hash, d.seq
    return None


def live_of(decisions: Iterable[Decision]) -> dict[int, bool]:
    """Say of each decision of a whole log whether it holds: what a live revert names does not."""
    ordered = sorted(decisions, key=lambda d: d.seq)
    live = {d.seq: True for d in ordered}
    for d in reversed(ordered):
        if d.reverts is not None and live[d.seq]:
            live[d.reverts] = False
    return live
