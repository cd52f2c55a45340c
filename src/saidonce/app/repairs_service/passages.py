"""Passages of the documents of a resident's property, each with its sentences that answer a question."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from saidonce.foundation.model import Block, Filters
from saidonce.foundation.model.conversation import Passage
from saidonce.foundation.ports import Embedder, Store
from saidonce.foundation.ports.conversations import Conversations
from saidonce.foundation.text import normalise, sentences
from saidonce.kb import verbatim
from saidonce.kb.search import SearchReport
from saidonce.repairs.conversation.novelty import are_new

COMMON_DOCUMENTS = "organisation"
"""Collection with an organisation's documents for all residents; `property-ID` has those for one property."""

N_PASSAGES = 3
N_JUDGED = 5
"""Passages of one search that are read for an answer."""

SHORTEST_NAME = 4
"""Shorter names of buildings are words of any sentence."""

Others = Callable[[str], Sequence[str]]
"""id of a property -> names of the other ones, in normal form."""


class SearchedBase(Protocol):
    """What is searched: a knowledge base."""

    @property
    def store(self) -> Store:
        """Its store."""
        ...

    @property
    def embedder(self) -> Embedder:
        """Its embedding model."""
        ...

    def search(self, query: str, filters: Filters | None = None, k: int | None = None) -> SearchReport:
        """Search it."""
        ...


@dataclass(frozen=True, slots=True)
class PropertyPassages:
    """Searches documents of one property and of the organisation; see `foundation.ports.conversations.Passages`.

    Attributes:
        others: sentences with such a name, and without that of the resident's own property, answer nothing.
    """

    base: SearchedBase
    others: Others = lambda _: ()

    def __call__(self, property_id: str, query: str, earlier: Sequence[str]) -> Sequence[Passage]:
        """Return passages of this property and of the organisation as a whole: what answers first, then by rank."""
        there = {c.name for c in self.base.store.collections()}
        collections = tuple(c for c in (f"property-{property_id}", COMMON_DOCUMENTS) if c in there)
        if not collections or not query.strip():
            return ()
        foreign = tuple(self.others(property_id))
        question = verbatim.read_question(query)
        ranked: list[Passage] = []
        for wording in dict.fromkeys((*verbatim.plain_query(question), query)):
            hits = self.base.search(wording, Filters(collections), 2 * N_PASSAGES).hits
            passages = [self._judge(question, h.block, h.relevance, foreign) for h in hits[:N_JUDGED]]
            best = verbatim.best_passage([cited for _, cited in passages])
            ranked = ranked or [_passage(h.block) for h in hits]
            if best is not None:
                block, cited = passages[best]
                answering = Passage(block.text, _source(block), cited.quote, cited.evidence)
                ranked = [answering, *(p for p in ranked if p.text != block.text)]
                break
        is_new = are_new(self.base.embedder, earlier, [p.text for p in ranked])
        return tuple(islice((p for p, new in zip(ranked, is_new, strict=True) if new), N_PASSAGES))

    def _judge(
        self, question: verbatim.ParsedQuestion, block: Block, relevance: float, foreign: Sequence[str]
    ) -> tuple[Block, verbatim.Cited]:
        around = "\n".join((block.title, *block.heading_path))
        text = _without(block.text, foreign)
        return block, verbatim.judge_passage(
            question, verbatim.CitedPassage(text, around, block.language, relevance), self._alike
        )

    def _alike(self, words: Sequence[str], known: Sequence[str]) -> Mapping[str, tuple[str, float]]:
        """Return for each word the nearest known one by the base's embedding model, with their cosine."""
        if not words or not known:
            return {}
        vectors = self.base.embedder.embed([*words, *known])
        cosines = vectors[: len(words)] @ vectors[len(words) :].T
        return {w: (known[int(row.argmax())], float(row.max())) for w, row in zip(words, cosines, strict=True)}


def names_of_others(conversations: Conversations) -> Others:
    """Return who says the names of an organisation's other buildings, by a property's id."""

    def others(property_id: str) -> Sequence[str]:
        places = {h.property.id: h.property for h in conversations.homes()}
        own = {normalise(places[property_id].building)} if property_id in places else set()
        names = {normalise(p.building) for p in places.values()} - own
        return sorted(n for n in names if len(n) >= SHORTEST_NAME)

    return others


def _without(text: str, foreign: Sequence[str]) -> str:
    """Return a text without the sentences that speak of another property."""
    if not any(name in normalise(text) for name in foreign):
        return text
    return " ".join(s.text for s in sentences(text) if not any(name in normalise(s.text) for name in foreign))


def _passage(block: Block) -> Passage:
    return Passage(block.text, _source(block))


def _source(block: Block) -> str:
    """Return the place of a passage, as a resident may read it."""
    return ", ".join(dict.fromkeys(part.strip() for part in (block.title, *block.heading_path) if part.strip()))
