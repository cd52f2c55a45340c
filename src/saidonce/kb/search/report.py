"""Result of a search: hits with their repeats and the parts of their scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from saidonce.foundation.model import Attribution, Block, Candidate, MediaPlace, Objection
from saidonce.foundation.text import content_hash
from saidonce.kb.canonical import UnderReview
from saidonce.kb.search.fusion import Signal
from saidonce.kb.search.relevance import Evidence
from saidonce.matching import facts
from saidonce.matching.agreement import Agreement, agreement
from saidonce.matching.facts import Pairing

NOTHING_ANSWERS = "nothing in the base answers this"
"""Warning of a search without hits."""


@dataclass(frozen=True, slots=True)
class RepeatedBlock:
    """A block that repeats a hit.

    Attributes:
        is_part: whether the hit says more than it.
    """

    block: Block
    similarity: float
    score: float
    is_part: bool = False

    def is_same_file_as(self, block: Block) -> bool:
        """Return whether it is the hit's own document, held in another collection: no further source."""
        return self.block.document == block.document and self.block.collection != block.collection

    @property
    def text(self) -> str:
        """The block's text."""
        return self.block.text

    @property
    def document(self) -> str:
        """Name of the document that it stands in."""
        return self.block.document

    def __repr__(self) -> str:
        return f"RepeatedBlock({shorten(self.text)!r} in {self.document!r}, similarity={self.similarity:.2f})"


@dataclass(frozen=True, slots=True)
class HeldApart:
    """A higher hit, as similar as a repeat, that states another fact."""

    block_id: str
    objections: tuple[Objection, ...]


@dataclass(frozen=True, slots=True)
class LookAlike:
    """A block below the last hit that is as similar to a hit as a repeat and states another fact."""

    block: Block
    objections: tuple[Objection, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """A block that answers a query, with its repeats and the parts of its score.

    Attributes:
        score: fused; comparable within one search only.
        relevance: calibrated, 0..1; comparable between queries and bases.
        also_in: its repeats, in ranked order.
        evidence: reasons for the relevance.
        under_review: blocks that it may repeat, which a person has not decided yet.
        place: where the answer is seen or heard: of a text of several lines, from the line that answers; None for text.
        look_alikes: blocks that differ from it in a fact and are no hits, since enough stand above them; in ranked
            order.
        in_place_of: id of a repeat that was ranked above it and states only a part of it; the hit has its place.
    """

    block: Block
    score: float
    relevance: float
    signals: tuple[Signal, ...]
    also_in: tuple[RepeatedBlock, ...] = ()
    held_apart: HeldApart | None = None
    evidence: Evidence | None = None
    under_review: tuple[UnderReview, ...] = ()
    place: MediaPlace | None = None
    look_alikes: tuple[LookAlike, ...] = ()
    in_place_of: str | None = None

    @property
    def text(self) -> str:
        """The block's text."""
        return self.block.text

    @property
    def document(self) -> str:
        """Name of the document that it stands in."""
        return self.block.document

    @property
    def also_under(self) -> tuple[Attribution, ...]:
        """The places that support its block, or a repeat, under another heading than that one's own, each once.

        The hit's own place is none of them, which a repeat in another collection may name again.
        """
        blocks = (self.block, *(twin.block for twin in self.also_in))
        own = (self.document, self.block.heading_path)
        places = dict.fromkeys(a for block in blocks for a in other_headings(block))
        return tuple(a for a in places if (a.document, a.heading_path) != own)

    @property
    def partly_in(self) -> frozenset[str]:
        """Names of documents that support its block, but state only a part of it."""
        whole = {a.document for a in self.block.attributions if not leaves_out(a.text, self.block)}
        return frozenset(a.document for a in self.block.attributions) - whole

    @property
    def documents(self) -> tuple[str, ...]:
        """Names of all documents that say it: its own, others that support it, those of its repeats, once each."""
        return tuple(dict.fromkeys((self.document, *self.block.documents, *(twin.document for twin in self.also_in))))

    def __repr__(self) -> str:
        more = f", also_in={len(self.also_in)}" if self.also_in else ""
        return f"Hit({shorten(self.text)!r} in {self.document!r}, relevance={self.relevance:.2f}{more})"


@dataclass(frozen=True, slots=True)
class SearchReport:
    """Result of a search, hits best first.

    Attributes:
        corrected: unknown query words, with the words of the base searched instead, as it writes them.
        n_pool: ranked blocks considered, including those under the relevance cut (n_below of them).
        n_repeats: blocks listed as repeats.
        took_ms: milliseconds of each step, by name.
    """

    query: str
    hits: tuple[Hit, ...]
    n_pool: int
    n_below: int
    n_repeats: int
    corrected: Mapping[str, str] = field(default_factory=dict)
    took_ms: Mapping[str, float] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"SearchReport({self.query!r}, hits={len(self.hits)}, repeats={self.n_repeats})"

    @property
    def is_answered(self) -> bool:
        """Return whether anything in the base answers the query."""
        return bool(self.hits)

    @property
    def dedup_ratio(self) -> float:
        """Share of repeats among the considered blocks above the cut, 0..1."""
        looked_at = self.n_pool - self.n_below
        return self.n_repeats / looked_at if looked_at else 0.0


def other_headings(block: Block) -> tuple[Attribution, ...]:
    """Return the places that support a block under another heading than its own, each document and heading once."""
    places = {(block.document, block.section.casefold())}
    others = []
    for a in block.attributions:
        place = a.document, a.section.casefold()
        if a.section and a.section.casefold() != block.section.casefold() and place not in places:
            places.add(place)
            others.append(a)
    return tuple(others)


def leaves_out(text: str, block: Block) -> bool:
    """Return whether a text that supports a block leaves out or contradicts some of what the block states.

    Other words for the same are no omission: the support was ruled to state the same. Nor is another layout, where it
    is shown that the support states all of the block there: points as members of a sentence.
    """
    if text == block.text:
        return False
    comparison = facts.compare(block.text, text, block.language)
    lacking = (Pairing.DELETED, Pairing.CONFLICT)
    if not comparison.a_facts and not any(c.a.text.strip() and c.relation in lacking for c in comparison.changes):
        return False
    one, two = (Candidate(side, content_hash(side), language=block.language) for side in (block.text, text))
    return agreement(one, two).agreement not in (Agreement.SAME, Agreement.REPEATS_B)


def shorten(text: str, n_chars: int = 60) -> str:
    """Return the beginning of a text on one line."""
    line = " ".join(text[: 2 * n_chars].split())
    return line if len(line) <= n_chars and len(text) <= 2 * n_chars else f"{line[: n_chars - 1].rstrip()}…"


def counters(report: SearchReport) -> dict[str, float]:
    """Return the increments of the organisation's running counters by a search, by counter name."""
    gained = {
        "search.queries": 1.0,
        "search.empty": float(not report.hits),
        "search.looked_at": float(report.n_pool - report.n_below),
        "search.repeats": float(report.n_repeats),
        "search.hits": float(len(report.hits)),
    }
    return {name: n for name, n in gained.items() if n}
