"""Flow: documents of a played scenario in a base of their own, searched as the service searches them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.app.repairs_service.wiring import COMMON_DOCUMENTS, KnowledgeBasePassages
from saidonce.documents.parse import parse
from saidonce.errors import SourceRefusedError
from saidonce.foundation.context import Source
from saidonce.foundation.model import Document
from saidonce.foundation.ports import Embedder, Store
from saidonce.foundation.settings.policy import Settings


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


@dataclass(frozen=True, slots=True)
class ScenarioShelf:
    """Opens the retrieval over a scenario's documents.

    Attributes:
        open_store: opens an empty store of an organisation, which ends with the scenario.
    """

    settings: Settings
    embedder: Embedder
    open_store: Callable[[str], Store]

    def __call__(self, documents: Sequence[Mapping[str, Any]]) -> KnowledgeBasePassages:
        """Ingest documents (title, text, and the property whose they are, if they are not everybody's)."""
        base = BaseOverStore(self.settings, self.embedder, self.open_store(self.settings.org))
        for row in documents:
            content = f"# {row['title']}\n\n{row['text']}\n".encode()
            collection = f"property-{row['property']}" if row.get("property") else COMMON_DOCUMENTS
            base.ingest([Source(f"{row['title']}.md", lambda content=content: content)], collection)  # type: ignore[misc]
        return KnowledgeBasePassages(base)
