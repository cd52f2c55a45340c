"""Room: JSON of decisions, and the hashes that chain the log."""

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
    """Write a detail as JSON without empty fields."""
    return _details().dump_json(detail, exclude_defaults=True).decode()


def detail_from_json(written: str) -> Detail:
    """Read a detail.

    Raises:
        StoreCorruptError: the JSON is malformed.
    """
    try:
        return _details().validate_json(written)
    except ValidationError as bad:
        raise StoreCorruptError(f"a decision's detail cannot be read: {bad.errors()[0]['msg']}") from bad


def hash_of(draft: DecisionDraft, seq: int, at: datetime, previous: str) -> str:
    """Return the hash of a decision at its place in the log, 64 hex digits.

    Args:
        draft: the decision; the additional fields of a stored one do not count.
        seq: its number.
        at: when it was appended.
        previous: hash of the decision before; empty for the first.
    """
    content = [
        seq, draft.verb, draft.collection, draft.members, draft.actor, draft.reason, at.astimezone(UTC).isoformat(),
        draft.flag, draft.reverts, detail_to_json(draft.detail), draft.policy, draft.certificate, draft.key, previous,
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()).hexdigest()


def first_broken(decisions: Iterable[Decision]) -> int | None:
    """Return the number of the first decision that was altered or lacks its predecessor; None without one."""
    previous, seq = "", 0
    for d in decisions:
        if d.seq != seq + 1 or d.previous != previous or d.hash != hash_of(d, d.seq, d.at, previous):
            return d.seq
        previous, seq = d.hash, d.seq
    return None


def live_of(decisions: Iterable[Decision]) -> dict[int, bool]:
    """Return whether each decision of a whole log is live, by number: a live revert ends the one it names."""
    ordered = sorted(decisions, key=lambda d: d.seq)
    live = {d.seq: True for d in ordered}
    for d in reversed(ordered):
        if d.reverts is not None and live[d.seq]:
            live[d.reverts] = False
    return live
