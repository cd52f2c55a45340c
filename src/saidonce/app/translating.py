"""Door: texts of a collection that may be translations of each other, by the model that the settings name."""

from __future__ import annotations

from saidonce.adapters.embed import open_embedder
from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.errors import NotFoundError, UsageError
from saidonce.foundation import extras
from saidonce.kb.translations import TranslationPair, translations


def named_translations(base: KnowledgeBase, collection: str | None = None) -> tuple[TranslationPair, ...]:
    """Return the pairs of a collection that may be translations, highest score first; nothing is written.

    Args:
        base: with the settings `translation_embedder` and `translation_from`.
        collection: by default that of the settings.

    Raises:
        UsageError: no model is set, or the collection is too large.
        NotFoundError: no such collection.
        SettingsError: the model's name is none.
        ModelUnavailableError: the model is absent or failed.
    """
    s = base.settings
    if not s.translation_embedder:
        raise UsageError(
            f"no multilingual model is set: {extras.command(extras.MULTILINGUAL)}, and set"
            ' translation_embedder = "multilingual"'
        )
    name = collection or s.collection
    known = [c.name for c in base.store.collections()]
    if name not in known:
        raise NotFoundError("collection", name, f"there are: {', '.join(known) or 'none yet'}")
    embedder = open_embedder(s.translation_embedder, s.embedder_url, s.embedder_key, s.embed_threads)
    return translations(base.store, embedder, name, s.translation_from)
