"""Adapters of the port `Embedder`; each one is imported when it is chosen."""

# ruff: noqa: PLC0415 - only the chosen adapter is imported
from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from threading import Thread
from types import MappingProxyType
from typing import TYPE_CHECKING

from saidonce.errors import ModelUnavailableError, SettingsError
from saidonce.foundation import plugins

if TYPE_CHECKING:
    from saidonce.foundation.ports import Embedder

GROUP = "saidonce.embedders"
ALLOWED = "minilm, multilingual, openai:MODEL, sentence-transformers:NAME_OR_FOLDER, model2vec:NAME_OR_FOLDER"


@dataclass(frozen=True, slots=True)
class EmbedderOptions:
    """What the settings say about an embedder.

    Attributes:
        which: what stands behind the colon of the setting `embedder`; empty without.
        url: base URL of an endpoint.
        key: API key of that endpoint.
        threads: threads that embed; 0 means one per core.
    """

    which: str = ""
    url: str = ""
    key: str = ""
    threads: int = 0


OpenEmbedder = Callable[[EmbedderOptions], "Embedder"]
"""Opens an embedder without loading a model or sending anything; what a plug-in of `saidonce.embedders` is."""


def _minilm(options: EmbedderOptions) -> Embedder:
    from saidonce.adapters.embed.minilm import MiniLM

    return MiniLM(options.threads)


def _openai(options: EmbedderOptions) -> Embedder:
    from saidonce.adapters.embed.openai_compatible import OpenAICompatible

    return OpenAICompatible(options.url, options.key, options.which)


def _sentence_transformers(options: EmbedderOptions) -> Embedder:
    from saidonce.adapters.embed.local_models import SentenceTransformers

    return SentenceTransformers(options.which)


def _model2vec(options: EmbedderOptions) -> Embedder:
    from saidonce.adapters.embed.local_models import Model2Vec

    return Model2Vec(options.which)


def _multilingual(options: EmbedderOptions) -> Embedder:
    from saidonce.adapters.embed.multilingual import Multilingual

    del options
    return Multilingual()


WHOLE = frozenset({"minilm", "multilingual"})
"""Those whose name says everything: nothing stands behind a colon."""

EMBEDDERS: Mapping[str, OpenEmbedder] = MappingProxyType(
    {
        "minilm": _minilm,
        "multilingual": _multilingual,
        "openai": _openai,
        "sentence-transformers": _sentence_transformers,
        "model2vec": _model2vec,
    }
)
"""What is built in, by the name that stands before the colon; all but those in WHOLE want a name behind it."""


def open_embedder(name: str, url: str = "", key: str = "", threads: int = 0) -> Embedder:
    """Open the embedder that the settings name; no model is loaded and nothing is sent yet.

    Args:
        name: as the setting `embedder` has it: a built-in one, or NAME or NAME:WHICH of a plug-in.
        url: base URL of an endpoint, used by `openai:` and by plug-ins.
        key: API key of that endpoint.
        threads: threads that embed; 0 means one per core.

    Raises:
        SettingsError: no such embedder, or the URL is missing or malformed.
        PluginError: the plug-in cannot be loaded, or one takes a name that is built in.
    """
    family, colon, which = name.partition(":")
    options = EmbedderOptions(which, url, key, threads)
    if family in EMBEDDERS:
        if bool(which) == (family in WHOLE) or (colon and not which):
            raise SettingsError("embedder", name, ALLOWED)
        return EMBEDDERS[family](options)
    added = plugins.find(GROUP, EMBEDDERS)
    if family not in added or (colon and not which):
        raise SettingsError("embedder", name, ", ".join((ALLOWED, *added)))
    embedder: Embedder = plugins.load(added[family], plugins.not_callable)(options)
    return embedder


def load_ahead(name: str) -> None:
    """Begin to load the model in a thread, for a program that starts and is about to embed.

    Args:
        name: as the setting `embedder` has it; only the built-in model, which is in files here, is loaded ahead. If its
            files are absent or altered, whoever embeds learns it.
    """
    if name == "minilm":
        Thread(target=_load_built_in, name="saidonce-load").start()


def _load_built_in() -> None:
    from saidonce.adapters.embed.minilm import MiniLM

    with suppress(ModelUnavailableError):
        MiniLM().load()
