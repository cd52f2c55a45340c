"""A document leaves, and with it what nothing else supports."""

from __future__ import annotations

from saidonce.foundation.context import Context
from saidonce.foundation.model import Receipt
from saidonce.kb.canonical import settle


def remove(context: Context, collection: str, name: str) -> Receipt:
    """Take a name away, and the document with its last name; blocks that it shared are told by the other members.

    Decisions about it stay in the log: if the same source comes again under this name, they hold again.

    Raises:
        NotFoundError: no such document.
    """
    store = context.store
    with store.ledger.exclusive():
        document = store.document(collection, name)
        is_canonical = any(c.name == collection and c.is_canonical for c in store.collections())
        if is_canonical and document is not None and len(document.names) == 1:
            settle(context, collection, store.ledger.put_members(document.id, ()))
        return store.remove_document(collection, name)
