"""Flow: played conversations get what the service has: retrieval over documents of their own, and the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.app.repairs_service.passages import COMMON_DOCUMENTS
from saidonce.app.repairs_service.wiring import Repairs
from saidonce.documents.parse import parse
from saidonce.errors import SourceRefusedError
from saidonce.foundation.context import Source
from saidonce.foundation.model import Document
from saidonce.foundation.ports import Embedder, Store
from saidonce.foundation.settings.policy import Settings
from saidonce.repairs.conversation import ConversationDeps


class ParserHere:
    """Parses in this process: a scenario's documents are its author's own; see `foundation.ports.Parser`."""

    def map(self, sources: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, Document | SourceRefusedError]]:
        """Parse sources, in their order."""
        for name, content in sources:
            try:
                yield name, parse(name, content)
            except SourceRefusedError as refused:
                yield name, refused


class BaseOverStore(KnowledgeBase):
    """A knowledge base over a store that is open already.

    Args:
        settings: of the base; its database is not opened.
        embedder: shared with other bases.
    """

    def __init__(self, settings: Settings, embedder: Embedder, store: Store) -> None:
        super().__init__(settings)
        self._store = store
        self._lazy.get("embedder", lambda: embedder)
        self._lazy.get("parser", ParserHere)

    @property
    def store(self) -> Store:
        """The open store."""
        return self._store


@dataclass(frozen=True)
class PlayedService:
    """Equips played conversations with all that the service has beside store, clock, model and rules.

    Attributes:
        open_store: opens an empty store of an organisation for the documents; it ends with this object.
    """

    settings: Settings
    embedder: Embedder
    open_store: Callable[[str], Store]
    _services: dict[str, ConversationDeps] = field(default_factory=dict)

    def __call__(self, deps: ConversationDeps, documents: Sequence[Mapping[str, Any]]) -> ConversationDeps:
        """Return the dependencies with retrieval over documents (title, text, and the property whose they are)."""
        key = repr([sorted(row.items()) for row in documents])
        if key not in self._services:
            self._services[key] = self._open_deps(documents)
        return replace(
            self._services[key], store=deps.store, clock=deps.clock, chat=deps.chat, rules=deps.rules, voice=deps.voice,
            pack=deps.pack, neighbours=deps.neighbours, reach=deps.reach, wake=None, outlets=deps.outlets,
        )  # fmt: skip

    def _open_deps(self, documents: Sequence[Mapping[str, Any]]) -> ConversationDeps:
        settings = self.settings.model_copy(update={"conversation_model": ""})
        base = BaseOverStore(settings, self.embedder, self.open_store(settings.org))
        for row in documents:
            content = f"# {row['title']}\n\n{row['text']}\n".encode()
            collection = f"property-{row['property']}" if row.get("property") else COMMON_DOCUMENTS
            base.ingest([Source(f"{row['title']}.md", lambda content=content: content)], collection)  # type: ignore[misc]
        return Repairs(base, lambda _: base).deps()
