"""The passages of documents that look-alikes are seen beside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from saidonce.foundation.context import Context
from saidonce.foundation.model import Block, Kind, Member
from saidonce.kb.canonical import FEWEST_ENTRIES, Reference, columns_of_form, heading_of, numbers_of, without_name
from saidonce.matching.ladder import without_number


class PassagesBeside:
    """The passages of documents, read when they are asked for."""

    def __init__(self, context: Context, ids: Mapping[str, str]) -> None:
        """Begin with nothing read; `ids` are the documents by each of their names."""
        self._context = context
        self._ids = ids
        self._read: dict[str, list[Member]] = {}
        self._headings: frozenset[str] | None = None
        self._numbered: dict[str, Mapping[Reference, tuple[tuple[str, ...], ...]]] = {"": {}}

    @property
    def headings(self) -> frozenset[str]:
        """The headings and captions of all documents; each document is read, once."""
        if self._headings is None:
            segments = [m.segment for document in sorted(set(self._ids.values())) for m in self._of(document)]
            titles = {heading for path in {segment.heading_path for segment in segments} for heading in path}
            titles |= {without_name(segment.text) for segment in segments if segment.kind is Kind.CAPTION}
            self._headings = frozenset(map(heading_of, titles))
        return self._headings

    def around(self, block: Block) -> Iterator[tuple[list[str], list[str]]]:
        """Yield the texts before and behind one, under its headings, in each document that supports it."""
        for document in self.documents(block):
            section = (m.segment for m in self._of(document) if m.segment.heading_path == block.heading_path)
            texts = [segment.text for segment in section]
            for at, content in enumerate(texts):
                if content == block.text:
                    yield texts[:at], texts[at + 1 :]

    def wholes_of(self, block: Block) -> dict[str, list[list[str]]]:
        """Return the pieces of each list or table of which one is a piece, in their order, by document id.

        Pieces follow each other under its headings; behind any other passage another list begins.
        """
        path = folded(block.heading_path)
        mine = {a.segment_id for a in block.attributions}
        wholes = {}
        for document in self.documents(block):
            runs: list[list[Member]] = [[]]
            for m in self._of(document):
                if m.segment.kind is not block.kind or folded(m.segment.heading_path) != path:
                    continue
                if runs[-1] and runs[-1][-1].segment.ordinal + 1 != m.segment.ordinal:
                    runs.append([])
                runs[-1].append(m)
            wholes[document] = [[m.segment.text for m in run] for run in runs if any(m.id in mine for m in run)]
        return wholes

    def is_at_an_end(self, block: Block) -> bool:
        """Return whether a passage is the last one of each document that supports it, or the first below its title."""
        mine = {a.segment_id for a in block.attributions}
        pages = [self._of(document) for document in self.documents(block)]
        ends = [{page[-1].id, *(m.id for m in page[:1] if len(m.segment.heading_path) < 2)} for page in pages if page]
        return bool(ends) and all(end & mine for end in ends)

    def has_heading(self, document: str, heading: str) -> bool:
        """Return whether a passage of a document, by its name, stands under a heading, as `folded` has it."""
        mine = self._of(self._ids[document]) if document in self._ids else ()
        return any(heading in folded(m.segment.heading_path) for m in mine)

    def numbered(self, document: str) -> Mapping[Reference, tuple[tuple[str, ...], ...]]:
        """Return the paths of the headings with each number in a document, by its name, each as often as it begins."""
        id_ = self._ids.get(document, "")
        if id_ not in self._numbered:
            having: dict[Reference, list[tuple[str, ...]]] = {}
            before: tuple[str, ...] = ()
            for m in self._of(id_):
                path = m.segment.heading_path
                for begun in (path[:n] for n in range(1, len(path) + 1) if before[:n] != path[:n]):
                    for reference in numbers_of(begun):
                        having.setdefault(reference, []).append(begun)
                before = path
            self._numbered[id_] = {reference: tuple(paths) for reference, paths in having.items()}
        return self._numbered[id_]

    def title_of(self, document: str) -> str:
        """Return the heading over all passages of a document, by its name; empty if there is none."""
        mine = self._of(self._ids[document]) if document in self._ids else ()
        first = {m.segment.heading_path[0] for m in mine if m.segment.heading_path}
        return first.pop() if len(first) == 1 else ""

    def captions_beside(self, block: Block) -> list[str]:
        """Return the captions of all documents that support one."""
        segments = (m.segment for document in self.documents(block) for m in self._of(document))
        return [segment.text for segment in segments if segment.kind is Kind.CAPTION]

    def is_of_many(self, block: Block) -> bool:
        """Return whether a passage is a table of one row, and each page with it has more of them with its columns.

        They stand under other headings below the same one.
        """
        columns = columns_of_form(block.text)
        if not columns:
            return False
        above = {(self._ids.get(a.document, ""), a.heading_path[:-1]) for a in block.attributions}
        return bool(above) and all(len(self._entries(*place, columns)) >= FEWEST_ENTRIES for place in above)

    def _entries(self, document: str, above: Sequence[str], columns: str) -> set[tuple[str, ...]]:
        segments = (m.segment for m in self._of(document))
        return {s.heading_path for s in segments if s.heading_path[:-1] == above and columns_of_form(s.text) == columns}

    def documents(self, block: Block) -> list[str]:
        """Return the ids of the documents that support a block, sorted."""
        return sorted({self._ids[name] for name in {block.document, *block.documents} if name in self._ids})

    def _of(self, document: str) -> list[Member]:
        if document not in self._read:
            ledger = self._context.store.ledger
            members = ledger.members(ledger.members_of(documents=[document])).values()
            mine = (m for m in members if m.document_id == document)
            self._read[document] = sorted(mine, key=lambda m: m.segment.ordinal)
        return self._read[document]


def folded(path: Sequence[str]) -> tuple[str, ...]:
    """Return headings in the form in which those of two editions are compared: their numbers change with each."""
    return tuple(without_number(heading).casefold() for heading in path)
