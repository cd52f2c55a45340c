"""Texts of another framework with their metadata: searched as blocks, handed out again exactly as they came.

An original (id, text, payload) becomes a document of one block in a collection, named by its id. The original itself,
as JSON, stands beside it in the collection `NAME.originals`: as a segment set aside, which no search finds.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from saidonce.errors import SourceRefusedError, UsageError
from saidonce.foundation.context import Context, Source
from saidonce.foundation.model import (
    UNKNOWN_LANGUAGE,
    Document,
    DocumentWrite,
    Element,
    Filters,
    Kind,
    Segment,
    SegmentFate,
    StoredDocument,
)
from saidonce.foundation.settings.policy import SegmentStyle
from saidonce.foundation.text import content_hash, digest, fingerprint, languages
from saidonce.kb.ingest import State, ingest, open_collection, remove
from saidonce.kb.search import Hit, SearchIndex, search

ORIGINALS = ".originals"
"""End of the name of the collection beside the searched one."""

FORMAT = "original"
MOST_ID_CHARS = 500
LOOK_AT_FIRST = 50
"""Hits searched for at least, where a filter may leave some out; then twice as many, and so on."""


@dataclass(frozen=True, slots=True)
class FrameworkText:
    """A text of another framework.

    Attributes:
        id: unique in its collection; the same id again replaces it.
        text: what is searched; a blank one is kept and never found.
        payload: anything that JSON can hold, given back as it is.
        group: of the document that it was cut from, for instance; all of one group can be removed at once.
    """

    id: str
    text: str
    payload: Mapping[str, Any]
    group: str = ""


@dataclass(frozen=True, slots=True)
class FrameworkHit:
    """An original that a search returned, with those that repeat it.

    Attributes:
        relevance: calibrated, 0..1.
        also_in: the originals that say the same, with their similarity, in ranked order.
    """

    original: FrameworkText
    relevance: float
    also_in: tuple[tuple[FrameworkText, float], ...] = ()


Keeps = Callable[[FrameworkText], bool]
"""Whether a search may return an original."""


class FrameworkTexts:
    """Originals of one collection of a base.

    Args:
        context: wired ports and settings of the base.
        collection: created if it is new; one that holds other documents as well is refused.

    Raises:
        UsageError: the collection merges its documents, or its blocks are no whole texts.
        ModelMismatchError: it holds vectors of another model.
    """

    def __init__(self, context: Context, collection: str) -> None:
        changes = {"segment_style": SegmentStyle.WHOLE, "collection_use": "evidence", "min_relevance": 0.0,
                   "salience_floor": 0.0, "repeat_enabled": False}  # fmt: skip
        settings = context.settings.model_copy(update=changes)
        self._context = replace(context, parser=_OriginalParser(), settings=settings)
        self._collection = open_collection(self._context, collection)
        if self._collection.is_canonical or self._collection.segment_style != SegmentStyle.WHOLE:
            raise UsageError(
                f"collection {collection!r} contains documents that were not added by this store; use a new collection"
            )
        self._beside = open_collection(self._context, collection + ORIGINALS)
        self._index = SearchIndex(context.embedder.model, context.embedder.dim)
        self._from_json: dict[str, FrameworkText] = {}

    @property
    def collection(self) -> str:
        """Name of the searched collection."""
        return self._collection.name

    def put(self, originals: Sequence[FrameworkText]) -> None:
        """Write originals, in place of those with their ids; the last of one id counts.

        An original is written before its block, so that a write that is cut off is completed by writing it again.

        Raises:
            UsageError: an id is empty or too long, or JSON cannot hold a payload; nothing is written then.
            SourceRefusedError: a text cannot be taken in; those before it are written.
        """
        latest = {each.id: each for each in originals}
        written = {id_: _to_json(each) for id_, each in latest.items()}
        for id_, content in written.items():
            self._put_beside(id_, content)
        blank = [id_ for id_, each in latest.items() if not each.text.strip()]
        self._remove(self._collection.name, blank)
        sources = [_source(id_, content) for id_, content in written.items() if latest[id_].text.strip()]
        report = ingest(self._context, sources, self._collection.name)
        for document in report.documents:
            if document.state is State.REFUSED and document.reason is not None:
                raise SourceRefusedError(document.name, document.reason, document.detail)

    def get(self, ids: Sequence[str]) -> list[FrameworkText]:
        """Return the originals of these ids that there are, in the order of the ids."""
        return [each for id_ in ids if (each := self._original(id_)) is not None]

    def delete(self, ids: Iterable[str]) -> list[str]:
        """Remove originals; return the ids of those that were there."""
        named = list(dict.fromkeys(ids))
        self._remove(self._collection.name, named)
        return self._remove(self._beside.name, named)

    def delete_group(self, group: str) -> list[str]:
        """Remove all originals of a group; return their ids."""
        return self.delete([each.id for each in self.all() if each.group == group])

    def all(self) -> Iterator[FrameworkText]:
        """Yield all originals, by id."""
        for document in list(self._context.store.documents(self._beside.name)):
            if (original := self._of(document)) is not None:
                yield original

    def count(self) -> int:
        """Return the number of originals."""
        counts = {c.collection.name: c.n_documents for c in self._context.store.counts()}
        return counts.get(self._beside.name, 0)

    def search(self, query: str, k: int, keeps: Keeps | None = None) -> list[FrameworkHit]:
        """Return the k most relevant originals, best first; those that repeat a higher one stand under it.

        Args:
            keeps: which originals may be returned; a repeat that may stands in for a higher one that may not.

        Raises:
            UsageError: the query is empty or too long, or k is below 1.
        """
        n, filters = max(k, LOOK_AT_FIRST) if keeps else k, Filters(collections=(self._collection.name,))
        while True:
            hits = search(self._context, self._index, query, filters, n).hits
            results = [one for hit in hits if (one := self._result(hit, keeps)) is not None]
            if len(results) >= k or len(hits) < n:
                return results[:k]
            n *= 2

    def _result(self, hit: Hit, keeps: Keeps | None) -> FrameworkHit | None:
        named = [(hit.block.document, 1.0), *((twin.block.document, twin.similarity) for twin in hit.also_in)]
        stored = [(each, similarity) for id_, similarity in named if (each := self._original(id_)) is not None]
        kept = [(each, similarity) for each, similarity in stored if keeps is None or keeps(each)]
        return FrameworkHit(kept[0][0], hit.relevance, tuple(kept[1:])) if kept else None

    def _original(self, id_: str) -> FrameworkText | None:
        document = self._context.store.document(self._beside.name, id_)
        return None if document is None else self._of(document)

    def _of(self, document: StoredDocument) -> FrameworkText | None:
        """Read the original of a document; what was read once never changes."""
        key = _segment_id(document.id, document.fingerprint)
        if key not in self._from_json:
            accounts = self._context.store.history(key)
            if not accounts:
                return None
            self._from_json[key] = _from_json(accounts[-1].segment.text)
        return self._from_json[key]

    def _put_beside(self, id_: str, content: str) -> None:
        name, mark = self._beside.name, fingerprint(content.encode())
        document_id = digest(self._context.store.org, name, id_)
        segment_id = _segment_id(document_id, mark)
        segment = Segment(
            segment_id, 0, Kind.CODE, content, (), None, UNKNOWN_LANGUAGE, "", 0, content_hash(content)
        )  # fmt: skip
        fates = (SegmentFate(segment_id, None, "", 0.0),)
        write = DocumentWrite(document_id, name, id_, mark, FORMAT, Document(id_, FORMAT, ()), (segment,), fates, ())
        self._context.store.put_document(write)

    def _remove(self, collection: str, ids: Iterable[str]) -> list[str]:
        removed = []
        for id_ in ids:
            if self._context.store.document(collection, id_) is not None:
                remove(self._context, collection, id_)
                removed.append(id_)
        return removed


class _OriginalParser:
    """Parser of originals: the text is one paragraph, however long."""

    def map(self, sources: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, Document | SourceRefusedError]]:
        """Read originals; they were written by this module."""
        for name, content in sources:
            text = _from_json(content.decode()).text.strip()
            yield name, Document("", FORMAT, (Element(Kind.PARAGRAPH, text),), languages([text])[0])


def _to_json(original: FrameworkText) -> str:
    """Return an original as JSON.

    Raises:
        UsageError: its id is empty or too long, or JSON cannot hold its payload.
    """
    if not original.id or len(original.id) > MOST_ID_CHARS:
        raise UsageError(f"an id must have 1 to {MOST_ID_CHARS} characters: {original.id[:MOST_ID_CHARS]!r}")
    fields = {"id": original.id, "text": original.text, "payload": original.payload, "group": original.group}
    try:
        content = json.dumps(fields, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as bad:
        raise UsageError(f"the metadata of {original.id!r} cannot be stored as JSON: {bad}") from bad
    if json.loads(content)["payload"] != original.payload:
        raise UsageError(
            f"the metadata of {original.id!r} cannot be stored as JSON without changes; keys must be strings"
        )
    return content


def _from_json(content: str) -> FrameworkText:
    fields = json.loads(content)
    return FrameworkText(fields["id"], fields["text"], fields["payload"], fields["group"])


def _source(id_: str, content: str) -> Source:
    return Source(id_, content.encode)


def _segment_id(document_id: str, mark: str) -> str:
    return digest(FORMAT, document_id, mark)
