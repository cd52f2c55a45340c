"""Adapters of the port `Embedder`; each one is imported when it is chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from saidonce.errors import SettingsError

if TYPE_CHECKING:
    from saidonce.foundation.ports import Embedder

ALLOWED = "minilm, openai:MODEL, sentence-transformers:NAME_OR_FOLDER, model2vec:NAME_OR_FOLDER"


def open_embedder(name: str, url: str = "", key: str = "", threads: int = 0) -> Embedder:
    """Give the embedder that the settings name; no model is loaded and nothing is sent yet.

    Args:
        name: as the setting `embedder` has it.
        url: base URL of an OpenAI-compatible endpoint, used by `openai:` only.
        key: API key of that endpoint.
        threads: threads that embed; 0 means one per core.

    Raises:
        SettingsError: no such embedder, or the URL is missing or malformed.
    """
    family, _, which = name.partition(":")
    if name == "minilm":
        from saidonce.adapters.embed.minilm import MiniLM  # noqa: PLC0415 - only the chosen adapter is imported

        return MiniLM(threads)
    if family == "openai" and which:
        from saidonce.adapters.embed.openai_compatible import OpenAICompatible  # noqa: PLC0415

        return OpenAICompatible(url, key, which)
    if family == "sentence-transformers" and which:
        from saidonce.adapters.embed.local_models import SentenceTransformers  # noqa: PLC0415

        return SentenceTransformers(which)
    if family == "model2vec" and which:
        from saidonce.adapters.embed.local_models import Model2Vec  # noqa: PLC0415

        return Model2Vec(which)
    raise SettingsError("embedder", name, ALLOWED)
