"""What agents are told: one model a tool, from which its output schema is made. Stored texts are data fields only."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class _Output(BaseModel):
    model_config = ConfigDict(frozen=True)


class SpanTold(_Output):
    """A stretch of a text."""

    start: int
    end: int
    text: str


class ObjectionTold(_Output):
    """A fact in which two texts differ: `a` in the candidate or later text, `b` in the kept one."""

    kind: str
    a: SpanTold
    b: SpanTold


class BlockTold(_Output):
    """A block, without what supports it. `text`, `title`, `heading_path` and names quote documents."""

    id: str
    collection: str
    documents: list[str]
    title: str
    heading_path: list[str]
    kind: str
    language: str
    page: int | None
    authored_at: str | None
    approval: str
    text: str


class TwinTold(_Output):
    """A lower ranked block that says what a hit says."""

    id: str
    documents: list[str]
    heading_path: list[str]
    similarity: float
    text: str


class ApartTold(_Output):
    """A higher hit that reads like a repeat but states another fact."""

    id: str
    objections: list[ObjectionTold]


class HitTold(BlockTold):
    """A block that answers, with its twins."""

    relevance: float
    also_in: list[TwinTold]
    held_apart: ApartTold | None


class Cut(_Output):
    """Base of all results: says what was left out for size."""

    cut: list[str] = Field(
        description="What was shortened or left out because the result was too long; empty if nothing."
    )


class SearchTold(Cut):
    """Result of `search`, best hit first; no hits mean that the base does not say it."""

    query: str
    hits: list[HitTold]
    corrected: dict[str, str]
    n_repeats: int
    warnings: list[str]


class AttributionTold(_Output):
    """A place in a document that supports a block."""

    segment_id: str
    document: str
    title: str
    relation: str
    similarity: float
    page: int | None
    heading_path: list[str]
    text: str


class GetTold(Cut):
    """Result of `get`."""

    asked: str
    is_same: bool = Field(description="Whether the id asked for is the block's own, not one that resolved to it.")
    block: BlockTold
    owner: str
    members: list[str]
    attributions: list[AttributionTold]


class HistoryTold(_Output):
    """One version's account of a segment."""

    document: str
    version: int
    live: bool
    page: int | None
    relation: str
    of: str
    similarity: float
    near_miss: str
    objections: list[ObjectionTold]
    text: str


class NearTold(_Output):
    """A kept block that a candidate was compared with, and in which facts they differ."""

    id: str
    similarity: float
    objections: list[ObjectionTold]


class DecisionTold(_Output):
    """One decision of the log."""

    seq: int
    at: str
    verb: str
    actor: str
    reason: str
    because: str
    live: bool
    flag: int | None
    reverts: int | None
    members: list[str]
    near: list[NearTold]
    policy: str
    certificate: str


class TextTold(_Output):
    """A text that decisions speak of."""

    id: str
    text: str


class WhyTold(Cut):
    """Result of `why`."""

    id: str
    kept_by: str
    block: BlockTold | None
    history: list[HistoryTold]
    decisions: list[DecisionTold]
    texts: list[TextTold]


class NearestTold(NearTold):
    """A kept block near a proposed text."""

    documents: list[str]
    text: str


class PieceTold(_Output):
    """What the ladder says of one piece of a proposed text."""

    text: str
    outcome: str
    reason: str
    of: str
    similarity: float
    nearest: list[NearestTold]


class WrittenTold(_Output):
    """What a proposal that was written became."""

    state: str
    document: str
    version: int
    n_merged: int
    n_flagged: int
    n_new: int
    n_repeats: int
    blocks: list[str]
    flags: list[int] = Field(description="Numbers of the questions that wait for a person.")


class ProposeTold(Cut):
    """Result of `propose`; the verdict is what the ladder said before anything was written."""

    document: str
    collection: str
    use: str
    dry_run: bool
    outcome: str
    reason: str
    already: str = Field(description="Document that has the same bytes; empty if none has.")
    pieces: list[PieceTold]
    n_repeats: int
    written: WrittenTold | None
