"""Answers of the MCP tools, from which their output schemas are made. Stored texts are data fields only.

A `Limit` says how much of a text or list an agent receives at most; `interfaces.mcp.size_budget` shortens to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import AliasPath, BeforeValidator, Field, GetJsonSchemaHandler
from pydantic_core import CoreSchema

from saidonce.foundation.model import Block, Reason, SubmissionStanding
from saidonce.gate import authorize
from saidonce.interfaces.views.base import At, View
from saidonce.kb.propose import ProposalSegment

MAX_TEXT_CHARS = 6_000
"""Characters of one stored text."""

MAX_DECISIONS = 100


@dataclass(frozen=True, slots=True)
class Limit:
    """Most characters of a text, or items of a list."""

    most: int

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Return the schema with the limit in it."""
        schema = handler(core)
        return {**schema, "maxItems" if schema.get("type") == "array" else "maxLength": self.most}


Text = Annotated[str, Limit(MAX_TEXT_CHARS)]
Name = Annotated[str, Limit(300)]
"""A title, a heading, a document's name."""
Names = Annotated[tuple[Name, ...], Limit(50)]
Ids = Annotated[tuple[str, ...], Limit(200)]


def _documents(noun: Any) -> tuple[str, ...]:
    block: Block = getattr(noun, "block", noun)
    return block.documents or (block.document,)


def _start_s(noun: Any) -> float | None:
    place = getattr(noun, "place", None)
    return place.start_s if place is not None else None


def _speaker(noun: Any) -> str:
    place = getattr(noun, "place", None)
    return place.speaker if place is not None else ""


def _is_quoted(noun: Any) -> bool:
    place = getattr(noun, "place", None)
    return place is not None and place.is_quoted


class McpSpan(View):
    """A stretch of a text."""

    start: int
    end: int
    text: Name


class McpObjection(View):
    """A fact in which two texts differ: `a` in the candidate or later text, `b` in the kept one."""

    kind: str
    a: McpSpan
    b: McpSpan


Objections = Annotated[tuple[McpObjection, ...], Limit(10)]


class McpBlock(View):
    """A block, without what supports it. `text`, `title`, `heading_path` and names quote documents."""

    DERIVED: ClassVar = {"documents": _documents}

    id: str
    collection: Name
    documents: Names
    title: Name
    heading_path: Names
    kind: str
    language: str
    page: int | None
    authored_at: At | None
    approval: str
    text: Text


class McpRepeatedBlock(View):
    """A lower ranked block that says what a hit says."""

    PARTS = ("block",)
    DERIVED: ClassVar = {"documents": _documents}

    id: str
    documents: Names
    heading_path: Names
    similarity: float
    is_part: bool = Field(description="Whether the hit states more than it.")
    text: Annotated[str, Limit(2_000)]


class McpHeldApart(View):
    """A higher hit that reads like a repeat but states another fact."""

    id: str = Field(validation_alias="block_id")
    objections: Objections


class McpUnderReview(View):
    """A block that a hit may repeat, which a person has not decided yet."""

    id: str = Field(validation_alias=AliasPath("block", "id"))
    document: Name = Field(validation_alias=AliasPath("block", "document"))


class McpHeaded(View):
    """A place that states a block under another heading."""

    document: Name
    heading_path: Names


class McpLookAlike(View):
    """A block that is no hit, reads like one and states another fact."""

    id: str = Field(validation_alias=AliasPath("block", "id"))
    document: Name = Field(validation_alias=AliasPath("block", "document"))
    text: Annotated[str, Limit(2_000)] = Field(validation_alias=AliasPath("block", "text"))
    objections: Objections


class McpHit(McpBlock):
    """A block that answers, with its twins; `documents` are all that state it, those of the twins too."""

    PARTS = ("block",)
    DERIVED: ClassVar = {"start_s": _start_s, "speaker": _speaker, "is_quoted": _is_quoted}

    relevance: float
    start_s: float | None = Field(description="Second of a recording from which the answer is heard.")
    speaker: Name = Field(description="Who says it in a recording, or in what a mail quotes; empty if not named.")
    sender: Name = Field(description="Who sent the mail that it stands in; empty for other documents.")
    is_quoted: bool = Field(description="Whether the mail quotes it of another one: its sender does not say it.")
    also_in: Annotated[tuple[McpRepeatedBlock, ...], Limit(10)]
    also_under: Annotated[tuple[McpHeaded, ...], Limit(10)]
    held_apart: McpHeldApart | None
    look_alikes: Annotated[tuple[McpLookAlike, ...], Limit(5)]
    under_review: Annotated[tuple[McpUnderReview, ...], Limit(5)]


class McpResult(View):
    """Base of all results: names what was left out for size."""

    cut: tuple[str, ...] = Field(
        (), description="What was shortened or left out because the result was too long; empty if nothing."
    )


class McpSearch(McpResult):
    """Result of `search`, best hit first; no hits mean that the base does not say it."""

    query: str
    is_answered: bool = Field(description="False if nothing in the base answers the query.")
    hits: Annotated[tuple[McpHit, ...], Limit(50)]
    corrected: dict[str, str]
    n_repeats: int
    warnings: tuple[str, ...]


class McpOrigin(View):
    """Where a passage stands."""

    block_id: str
    document: Name
    title: Name
    heading_path: Names
    authored_at: At | None
    page: int | None
    start_s: float | None = Field(description="Second of a recording from which the answer is heard.")
    speaker: Name = Field(description="Who says it in a recording, or in what a mail quotes; empty if not named.")
    sender: Name = Field(description="Who sent the mail that it stands in; empty for other documents.")
    is_quoted: bool = Field(description="Whether the mail quotes it of another one: its sender does not say it.")


class McpPassage(View):
    """The contribution of one hit; a variant gives only what the passage that it varies does not state."""

    number: int
    origin: McpOrigin
    text: Text
    also_in: Annotated[tuple[McpOrigin, ...], Limit(20)]
    part_in: Annotated[tuple[McpOrigin, ...], Limit(20)]
    variant_of: int | None
    parts_of: tuple[int, ...]
    repeats_all: bool
    repeats_any: bool
    conflicts: Objections


class McpContext(McpResult):
    """Result of `context`: nothing stands in it twice; `left_out` names the hits that did not fit."""

    query: str
    is_answered: bool = Field(description="False if nothing in the base answers the query.")
    budget: int
    n_tokens: int
    passages: Annotated[tuple[McpPassage, ...], Limit(50)]
    left_out: Annotated[tuple[McpOrigin, ...], Limit(50)]


class McpAttribution(View):
    """A place in a document that supports a block."""

    DERIVED: ClassVar = {"start_s": _start_s, "speaker": _speaker, "is_quoted": _is_quoted}

    segment_id: str
    document: Name
    title: Name
    relation: str
    similarity: float
    page: int | None
    start_s: float | None = Field(description="Second of a recording at which the text begins.")
    speaker: Name = Field(description="Who says it in a recording, or in what a mail quotes; empty if not named.")
    sender: Name = Field(description="Who sent the mail that it stands in; empty for other documents.")
    is_quoted: bool = Field(description="Whether the mail quotes it of another one: its sender does not say it.")
    heading_path: Names
    text: Text


class McpGet(McpResult):
    """Result of `get`."""

    asked: str
    is_same: bool = Field(description="Whether the requested id is the block's own, and not one that resolved to it.")
    block: McpBlock
    owner: Name
    members: Ids
    attributions: Annotated[tuple[McpAttribution, ...], Limit(50)]


class McpHistory(View):
    """One version's account of a segment."""

    PARTS = ("segment", "fate", "document")
    DERIVED: ClassVar = {"document": lambda history: history.document.name}

    document: Name
    version: int
    live: bool
    page: int | None
    relation: Annotated[str, BeforeValidator(lambda relation: relation or "set_aside")]
    of: str
    similarity: float
    near_miss: str
    objections: Objections
    text: Text


class McpNear(View):
    """A kept block that a candidate was compared with, and in which facts they differ."""

    id: str
    similarity: float
    objections: Objections


class McpDecision(View):
    """One decision of the log."""

    PARTS = ("detail",)

    seq: int
    at: At
    verb: str
    actor: Name
    reason: Annotated[str, Limit(1_000)]
    because: Name
    live: bool
    flag: int | None
    reverts: int | None
    members: Ids
    near: Annotated[tuple[McpNear, ...], Limit(10)]
    policy: str
    certificate: str


class McpText(View):
    """A text that decisions speak of."""

    id: str
    text: Text


class McpWhy(McpResult):
    """Result of `why`."""

    DERIVED: ClassVar = {
        "decisions": lambda account: account.decisions[-MAX_DECISIONS:],
        "texts": lambda account: [McpText(id=id_, text=text) for id_, text in sorted(account.neighbours.items())],
    }

    id: str
    kept_by: str
    block: McpBlock | None
    history: Annotated[tuple[McpHistory, ...], Limit(MAX_DECISIONS), Field(validation_alias="histories")]
    decisions: Annotated[tuple[McpDecision, ...], Limit(MAX_DECISIONS)]
    texts: Annotated[tuple[McpText, ...], Limit(MAX_DECISIONS)]


class McpNearest(McpNear):
    """A kept block near a proposed text."""

    documents: Names
    text: Text


class McpPiece(View):
    """What the ladder says of one piece of a proposed text."""

    PARTS = ("verdict", "segment")

    text: Annotated[str, Limit(1_000)]
    outcome: str
    reason: str
    of: str
    similarity: float
    nearest: Annotated[tuple[McpNearest, ...], Limit(10)]

    @classmethod
    def among(cls, piece: ProposalSegment, blocks: Mapping[str, Block]) -> McpPiece:
        """Show a piece with its nearest blocks, as far as they are there."""
        near = [(each, blocks[each.id]) for each in piece.near if each.id in blocks]
        return cls.show(
            piece, nearest=[McpNearest.show(n, documents=_documents(block), text=block.text) for n, block in near]
        )


class McpWritten(View):
    """What a proposal that was written became."""

    state: str
    document: str
    version: int
    n_merged: int
    n_flagged: int
    n_new: int
    n_repeats: int
    blocks: tuple[str, ...]
    flags: tuple[int, ...] = Field(description="Numbers of the open flags.")


class McpPropose(McpResult):
    """Result of `propose`; the verdict is what the ladder said before anything was written."""

    document: str
    collection: str
    use: str
    dry_run: bool
    outcome: str
    reason: str
    already: str = Field(description="Identical document; empty if there is none.")
    pieces: Annotated[tuple[McpPiece, ...], Limit(MAX_DECISIONS)]
    n_repeats: int
    written: McpWritten | None


class McpKeptSubmission(View):
    """An admitted submission near to the one that was checked."""

    id: str
    similarity: float
    title: Name
    text: Text


class McpCheck(McpResult):
    """Result of `check`: create it only if `authorized`."""

    DERIVED: ClassVar = {
        "authorized": authorize,
        "retry_of": lambda verdict: verdict.submission.retry_of,
    }

    id: str
    gate: str
    authorized: bool = Field(description="True allows creating it; nothing else does.")
    standing: SubmissionStanding = Field(
        description="pending: ask again with the same key. held: a person decides. blocked: it repeats `of`."
    )
    reason: Reason | None
    of: str = Field(description="Id of the admitted submission that it repeats or is held for.")
    similarity: float
    retry_of: str
    near: Annotated[tuple[McpKeptSubmission, ...], Limit(3)]
