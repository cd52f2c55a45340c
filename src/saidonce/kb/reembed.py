"""Flow: move a collection to another embedding model, as a whole or not at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from saidonce.foundation.context import Context
from saidonce.foundation.model import Vector
from saidonce.kb.canonical import embedding_key


def reembed(context: Context, name: str, on_batch: Callable[[int], None]) -> int:
    """Embed every live block's text and context anew and switch the collection in one transaction.

    Fates of segments stay; ingest a source again to judge its repeats by the new model. Memory grows
    with the collection: about 1.5 kB a vector of 384 numbers.

    Args:
        context: wired ports; the embedder is the new model.
        name: of an existing collection.
        on_batch: called with the number of blocks done since the last call.

    Returns:
        The number of blocks.
    """
    collection = next(c for c in context.store.collections() if c.name == name)
    model = context.embedder.model
    keys: dict[str, tuple[str, str]] = {}
    vectors: dict[str, Vector] = {}
    for batch in context.store.segments(name):
        texts: dict[str, str] = {}
        for segment, _, _ in batch:
            text_key = embedding_key(model, segment.text)
            context_key = embedding_key(model, segment.context) if segment.context else ""
            keys[segment.id] = (text_key, context_key)
            texts[text_key] = segment.text
            if context_key:
                texts[context_key] = segment.context
        known = context.store.known_vectors(list(texts))
        missing = [key for key in texts if key not in known and key not in vectors]
        vectors.update(zip(missing, context.embedder.embed([texts[key] for key in missing]), strict=True))
        on_batch(len(batch))
    context.store.reembed(replace(collection, model=model, dim=context.embedder.dim), keys, vectors)
    return len(keys)
