"""Remove a document, with everything that nothing else supports."""

from __future__ import annotations

from saidonce.foundation.context import Context
from saidonce.foundation.model import Receipt
from saidonce.kb.canonical import rebuild_blocks


def remove(context: Context, collection: str, name: str) -> Receipt:
    """Remove a name, and the document with its last name; rebuild shared blocks from their other members.

    Decisions about the document stay in the log, and hold again if the same source comes again under this name.

    Raises:
        NotFoundError: no such document.
    """
    store = context.store
    with store.ledger.exclusive():
        document = store.document(collection, name)
        is_canonical = any(c.name == collection and c.is_canonical for c in store.collections())
        if is_canonical and document is not None and len(document.names) == 1:
            rebuild_blocks(context, collection, store.ledger.put_members(document.id, ()))
        return store.remove_document(collection, name)
