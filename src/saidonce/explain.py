"""Flow: an account of a block or a segment: where it came from, what it absorbed, what was dropped and why."""

from __future__ import annotations

from dataclasses import dataclass

from saidonce.errors import NotFoundError, UsageError
from saidonce.model import Block
from saidonce.ports import SegmentHistory, Store


@dataclass(frozen=True, slots=True)
class Account:
    """All that is known about an id.

    Attributes:
        block: the live block of that id; None if the id is of a segment that is no block's.
        histories: accounts of the segment by version, oldest first.
        kept_by: id of the block that keeps the segment now, empty if none does.
        neighbours: texts of the kept segments named as near misses, by id.
    """

    id: str
    block: Block | None
    histories: tuple[SegmentHistory, ...]
    kept_by: str
    neighbours: dict[str, str]


def why(store: Store, prefix: str) -> Account:
    """Account for a block or segment by its id or the beginning of it.

    Raises:
        NotFoundError: nothing has this id any more.
        UsageError: several ids begin so, or the prefix is no id.
    """
    wanted = prefix.strip().lower().replace("-", "")
    if len(wanted) < 4 or any(c not in "0123456789abcdef" for c in wanted):
        raise UsageError(f"{prefix!r} is no id: give at least four of its hexadecimal digits, as 'search' shows them")
    ids = store.find_ids(wanted)
    if not ids:
        raise NotFoundError("block or segment", prefix, "'saidonce search' shows ids")
    if len(ids) > 1:
        raise UsageError(f"{len(ids)} ids begin with {prefix!r}: {', '.join(ids[:5])}; give more digits")
    (id_,) = ids
    histories = store.history(id_)
    if not histories:
        raise NotFoundError("block or segment", prefix, "its document was removed")
    live = [h for h in histories if h.live]
    kept_by = live[-1].fate.of if live else ""
    block = store.blocks([id_]).get(id_)
    near = {h.fate.near_miss for h in histories if h.fate.near_miss}
    near |= {kept_by} - {"", id_}
    neighbours = {other: found[-1].segment.text for other in sorted(near) if (found := store.history(other))}
    return Account(id_, block, histories, kept_by, neighbours)
