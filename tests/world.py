"""A small base on shipped fakes: store in memory, hashed embedder, plain parser, fixed clock."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.documents.parse import parse
from saidonce.errors import SourceRefusedError
from saidonce.foundation.context import Context, Source
from saidonce.foundation.model import Block, Document, Filters, Vector
from saidonce.foundation.ports import Embedder, Store
from saidonce.foundation.settings.policy import SegmentStyle, Settings, load_settings
from saidonce.kb.explain import Explanation, why
from saidonce.kb.ingest import DocumentReport, IngestReport, OnDocument, ingest
from saidonce.kb.search import SearchIndex, SearchReport, search
from saidonce.kb.status import BaseStatus, status
from saidonce.testing.memory import MemoryStore

NOW = datetime(2026, 1, 17, 14, tzinfo=UTC)
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)

Files = Mapping[str, str | bytes | Callable[[], bytes]]


class FixedClock:
    def now(self) -> datetime:
        return NOW


@dataclass
class TickingClock:
    """A second later each time it is asked."""

    at: datetime = NOON

    def now(self) -> datetime:
        self.at += timedelta(seconds=1)
        return self.at


class PlainParser:
    """Parses in this process; remembers what it was given."""

    def __init__(self) -> None:
        self.parsed: list[str] = []

    def map(self, sources: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, Document | SourceRefusedError]]:
        for name, content in sources:
            self.parsed.append(name)
            try:
                yield name, parse(name, content)
            except SourceRefusedError as refused:
                yield name, refused


class CountingEmbedder(HashedEmbedder):
    """Remembers every text it embeds."""

    def __init__(self, dim: int = 256) -> None:
        super().__init__(dim)
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vector:
        self.texts.extend(texts)
        return super().embed(texts)


def wired(store: Store, embedder: Embedder, **settings: Any) -> Context:
    """Every element is a segment of its own, unless the settings say otherwise."""
    known: Settings = load_settings(**{"segment_style": SegmentStyle.WHOLE, **settings})
    return Context(store, embedder, PlainParser(), FixedClock(), known)


@dataclass
class World:
    """A base with its search cache."""

    base: Context
    embedder: CountingEmbedder
    shelf: SearchIndex = field(init=False)

    def __post_init__(self) -> None:
        self.shelf = SearchIndex(self.embedder.model, self.embedder.dim)

    def set(self, **changes: Any) -> None:
        self.base = replace(self.base, settings=self.base.settings.model_copy(update=changes))

    def ingest(self, files: Files, collection: str = "main", on_document: OnDocument | None = None) -> IngestReport:
        return ingest(self.base, [source(name, content) for name, content in files.items()], collection, on_document)

    def put(self, name: str, content: str, collection: str = "main") -> DocumentReport:
        (report,) = self.ingest({name: content}, collection).documents
        return report

    def search(self, query: str, k: int | None = None, **filters: Any) -> SearchReport:
        return search(self.base, self.shelf, query, Filters(**filters), k)

    def texts(self, query: str, k: int | None = None, **filters: Any) -> list[str]:
        return [hit.block.text for hit in self.search(query, k, **filters).hits]

    def blocks(self, collection: str = "main") -> list[Block]:
        ids = [segment.id for batch in self.base.store.segments(collection) for segment, _, _ in batch]
        return sorted(self.base.store.blocks(ids).values(), key=lambda b: (b.document, b.text))

    def why(self, prefix: str) -> Explanation:
        return why(self.base.store, prefix)

    def status(self) -> BaseStatus:
        return status(self.base.store, self.base.settings)


def source(name: str, content: str | bytes | Callable[[], bytes]) -> Source:
    if callable(content):
        return Source(name, content)
    written = content.encode() if isinstance(content, str) else content
    return Source(name, lambda: written)


def world(**settings: Any) -> World:
    embedder = CountingEmbedder()
    return World(wired(MemoryStore("north", clock=FixedClock()), embedder, **settings), embedder)
