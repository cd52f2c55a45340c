"""Step: the collection that an ingest writes to, created once there is something to write."""

from __future__ import annotations

from saidonce.errors import ModelMismatchError, StaleWriteError
from saidonce.foundation.context import Context
from saidonce.foundation.model import Collection


def open_collection(context: Context, name: str) -> Collection:
    """Return a collection, creating it if it is new.

    Raises:
        ModelMismatchError: it holds vectors of another model than the embedder's.
    """
    collection = expected_collection(context, name)
    store_collection(context, collection)
    return collection


def expected_collection(context: Context, name: str) -> Collection:
    """Return a collection as it is stored, or as it will be created.

    Raises:
        ModelMismatchError: it holds vectors of another model than the embedder's.
    """
    settings, embedder = context.settings, context.embedder
    new = Collection(name, settings.collection_use, settings.segment_style, embedder.model, embedder.dim)
    collection = next((each for each in context.store.collections() if each.name == name), new)
    if collection.model != new.model:
        raise ModelMismatchError(name, collection.model, new.model)
    return collection


def store_collection(context: Context, collection: Collection) -> None:
    """Create a collection if it is new.

    Raises:
        ModelMismatchError: somebody created it meanwhile for another model.
        StaleWriteError: somebody created it meanwhile with another use or segment style.
    """
    stored = context.store.ensure_collection(collection)
    if stored.model != collection.model:
        raise ModelMismatchError(collection.name, stored.model, collection.model)
    if (stored.use, stored.segment_style) != (collection.use, collection.segment_style):
        raise StaleWriteError(f"collection {collection.name!r} was created meanwhile with other settings; try again")
