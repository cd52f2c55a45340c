"""How active the owners of blocks are, whether or not they are registered people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from saidonce.foundation.context import Context
from saidonce.foundation.model import Activity, Block


def owners_activity(context: Context, *blocks: Block) -> tuple[Activity, ...]:
    """Return the present activity of the owners of some blocks, by name, as recorded by a merge of them.

    A registered person was active when they last did something. Of anybody else the newest text that they own in these
    blocks tells it: whose text is newer was active later.
    """
    members = context.store.ledger.members(sorted({m for block in blocks for m in block.members}))
    own = {block.owner for block in blocks}
    return activity_of_owners(context, own, [(m.owner, m.dated_at) for m in members.values()])


def activity_of_owners(
    context: Context, owners: Iterable[str], texts: Iterable[tuple[str, datetime | None]]
) -> tuple[Activity, ...]:
    """Return the activity of some owners, by name.

    Args:
        context: wired ports.
        owners: names; empty ones are left out.
        texts: moments of texts by owner, which tell the activity of those who are no registered people.
    """
    newest: dict[str, datetime] = {}
    for owner, at in texts:
        if at is not None:
            newest[owner] = max(at, newest.get(owner, at))
    known = context.store.people.activity(sorted({*owners} - {""}))
    registered = {a.owner for a in known if context.store.people.person(a.owner) is not None}
    return tuple(a if a.owner in registered else _of_texts(a.owner, newest) for a in known)


def _of_texts(owner: str, newest: Mapping[str, datetime]) -> Activity:
    at = newest.get(owner)
    return Activity(owner, at.isoformat() if at is not None else "")
