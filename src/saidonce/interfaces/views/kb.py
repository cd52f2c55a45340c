"""The knowledge base: ingest, search, blocks, decisions, the review queue, status, settings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, ClassVar

from pydantic import AliasPath, BeforeValidator, Field, JsonValue

from saidonce.errors import Refusal
from saidonce.foundation.model import (
    Approval,
    Attribution,
    Copies,
    Failure,
    Keep,
    Kind,
    MediaPlace,
    Near,
    Objection,
    Opinion,
    Ruling,
    Verb,
)
from saidonce.foundation.settings.origins import OriginKind, how_to_change, origin_of
from saidonce.foundation.settings.policy import Settings, displayed_value
from saidonce.interfaces.views.base import At, Number, View
from saidonce.kb.ingest import State
from saidonce.matching.agreement import Agreement


def _path(*names: str) -> Any:
    return Field(validation_alias=AliasPath(*names))


class DocumentReportView(View):
    """What became of one source at ingest."""

    name: str
    state: State
    format: str
    document_id: str
    version: int
    same_as: str
    """name of the identical document, for same_source"""
    reason: Refusal | None
    """why it was refused"""
    detail: str
    n_segments: int
    n_kept: int
    n_exact: int
    n_near: int
    n_set_aside: int
    n_held_apart: int
    """segments kept by a guard although they are as similar as a repeat"""
    n_undecided: int
    """of these, segments with more near segments than were compared"""
    n_added: int
    n_unchanged: int
    n_removed: int
    n_merged: int
    n_flagged: int
    boosts: tuple[float, ...]
    """relative salience boosts above 0"""
    warnings: tuple[str, ...]
    dedup_ratio: float
    """share of the segments removed as repeats, 0..1"""


class IngestView(View):
    """What an ingest did, in the order of its sources."""

    collection: str
    totals: dict[str, Number]
    dedup_ratio_by_format: dict[str, float]
    passed_over: tuple[str, ...]
    """names of skipped files without a parser"""
    removed: tuple[str, ...]
    """names of documents that were pruned"""
    unreadable: tuple[str, ...] = ()
    """names of folders that cannot be listed; their documents stay"""
    of_the_kernel: tuple[str, ...] = ()
    """names of folders on file systems of the kernel, such as /proc, which are not walked"""
    documents: tuple[DocumentReportView, ...]


class IngestRefused(IngestView):
    """What an ingest did that took nothing."""

    error: str
    message: str


class BlockView(View):
    """A block."""

    id: str
    collection: str
    document: str
    """name of the document that contains the text"""
    title: str
    kind: Kind
    language: str
    heading_path: tuple[str, ...]
    page: int | None
    salience: float
    """0..1, boosts included"""
    authored_at: At | None
    tags: tuple[str, ...]
    """tags of all documents that support it, sorted"""
    sender: str
    """who sent the mail that contains the text; empty for other documents"""
    text: str


class BlockDetail(BlockView):
    """A block with all that supports it."""

    documents: tuple[str, ...]
    """names of all documents that support it, sorted"""
    members: tuple[str, ...]
    """ids of the segments that it is made of, sorted"""
    approval: Approval
    owner: str
    attributions: tuple[Attribution, ...]


class SignalView(View):
    """One ranking's part in a fused score."""

    value: float
    """the ranking's own: cosine, BM25, salience or freshness"""
    rank: int | None
    """rank from 1; null if the block is not in the ranking"""
    part: float
    """contribution to the score"""


class RepeatedBlockView(BlockView):
    """A lower ranked block that says what a hit says."""

    PARTS = ("block",)

    similarity: float
    score: float
    is_part: bool
    """whether the hit states more than it"""


class HeldApartView(View):
    """A higher hit that is as similar as a repeat but states another fact."""

    id: str = Field(validation_alias="block_id")
    objections: tuple[Objection, ...]


class UnderReviewView(View):
    """A block that a hit may repeat, which a person has not decided yet."""

    flag: int
    """number of the open flag"""
    id: str = _path("block", "id")
    document: str = _path("block", "document")
    similarity: float | None
    is_later: bool
    """whether that block was ingested later than the hit"""


class EvidenceView(View):
    """Reasons for a hit's relevance."""

    cosine: float
    """cosine of question and block"""
    usual: float | None
    """median cosine of the question to the blocks of the base; null if there are too few"""
    held: tuple[str, ...]
    """words of the question in the block, its title or its headings"""
    missed: tuple[str, ...]
    share: float
    """share of the question's words in the block, weighted by rarity, 0..1"""
    rarity: float
    """rarity of the words in the block together; 1: a word that a single block contains"""
    beside: str
    """id of the block above the cut that this one, below it, nearly repeats; empty if it answers by itself"""
    in_words: str


class HeadedView(View):
    """A place that states a block under another heading."""

    document: str
    heading_path: tuple[str, ...]


class LookAlikeView(View):
    """A block below the last hit that is as similar to a hit as a repeat and states another fact."""

    id: str = _path("block", "id")
    document: str = _path("block", "document")
    text: str = _path("block", "text")
    objections: tuple[Objection, ...]
    """facts that differ: `a` in this block, `b` in the hit"""


class HitView(BlockView):
    """A block that answers a query, with the blocks that repeat it and the parts of its score."""

    PARTS = ("block",)
    DERIVED: ClassVar = {"partly_in": lambda hit: tuple(sorted(hit.partly_in))}

    score: float
    """fused score; comparable within one search only"""
    relevance: float
    """calibrated relevance, 0..1; comparable between queries and bases"""
    evidence: EvidenceView | None
    signals: Annotated[dict[str, SignalView], BeforeValidator(lambda signals: {s.name: s for s in signals})]
    documents: tuple[str, ...]
    """names of all documents that state it: its own first, then those merged into its block and those of `also_in`"""
    partly_in: tuple[str, ...]
    """names of those merged into its block that state only a part of it, sorted"""
    also_in: tuple[RepeatedBlockView, ...]
    """blocks that repeat it; a document merged into its block has none, and is in `documents` alone"""
    in_place_of: str | None
    """id of a block of `also_in` that was ranked above it and states only a part of it; the hit has its place"""
    also_under: tuple[HeadedView, ...]
    """places that state it, or a block of `also_in`, under another heading"""
    held_apart: HeldApartView | None
    look_alikes: tuple[LookAlikeView, ...]
    """blocks that differ from it in a fact and are no hits, since k hits stand above them"""
    under_review: tuple[UnderReviewView, ...]
    """blocks that it may repeat: pairs that wait for review"""
    place: MediaPlace | None
    """where the answer is seen or heard: in a recording from the line that answers; null for text"""


class SearchView(View):
    """What a search found, hits best first."""

    query: str
    is_answered: bool
    """false if nothing in the base answers the query"""
    corrected: dict[str, str]
    """misspelt query words that occur nowhere, and the words of the base searched instead"""
    n_pool: int
    """number of ranked blocks, including those below the relevance cut (n_below)"""
    n_below: int
    n_repeats: int
    """blocks listed under the hit that they repeat"""
    dedup_ratio: float
    took_ms: dict[str, float]
    """milliseconds by step"""
    warnings: tuple[str, ...]
    hits: tuple[HitView, ...]


class DecisionView(View):
    """A decision with its place in the log."""

    PARTS = ("detail",)

    seq: int
    verb: Verb
    collection: str
    members: tuple[str, ...]
    actor: str
    reason: str
    because: str
    at: At
    flag: int | None
    """number of the flag that it settles"""
    reverts: int | None
    """number of the decision that it reverts"""
    holds: bool = Field(validation_alias="live")
    """false if it was reverted"""
    near: tuple[Near, ...]
    set_aside: tuple[str, ...]
    approval: Approval | None
    owner: str
    due: str
    """due date of an assigned pair; empty: none"""
    copies: Copies | None
    """for a split of identical texts, where later copies go"""
    within: int | None
    """number of the bulk decision or rule, or of the revert of one, that it is part of"""
    wrong: bool | None
    ruling: Ruling | None
    policy: str
    certificate: str
    hash: str


class OpinionView(View):
    """A second opinion on a pair."""

    PARTS = ("ruling",)

    opinion: Opinion
    of: str
    reason: str
    confidence: float
    adjudicator: str = _path("ruling", "adjudicator")
    """adjudicator that answered last, of several"""
    duration_ms: int
    n_tokens: int
    cost: float
    """in US dollars"""
    failure: Failure | None
    cached: bool
    probability: float | None
    flag: int
    texts: str
    """hash of both texts"""
    asked: str = Field(validation_alias="adjudicator")
    outcome: str
    """the opinion, or the cause of the failure"""
    likelihood: float | None
    n_failed: int
    at: At


class HistoryView(View):
    """One version's account of a segment."""

    PARTS = ("segment", "fate", "document")

    document: str = _path("document", "name")
    version: int
    live: bool
    ordinal: int
    page: int | None
    salience: float
    text: str
    relation: Annotated[str, BeforeValidator(lambda relation: relation or "set_aside")]
    """kept, exact, near or set_aside"""
    of: str
    similarity: float
    near_miss: str
    objections: tuple[Objection, ...]


class ExplainedBlock(BlockView):
    """A block with its boost and what supports it."""

    boost: float
    attributions: tuple[Attribution, ...]


class NeighbourView(View):
    """A block whose text is near that of the block in question, which is `a`."""

    id: str = _path("block", "id")
    document: str = _path("block", "document")
    text: str = _path("block", "text")
    n_blocks: int
    """number of blocks with this text; only one is listed"""
    similarity: float
    agreement: str
    """same, repeats_a, repeats_b, open or objected; empty while the pair is not compared yet"""
    objections: tuple[Objection, ...]
    unaccounted: tuple[Objection, ...]
    """what one text states and the other does not account for"""
    judge: str | None
    reasons: tuple[str, ...]
    """rules by which differing words say the same"""


class AbsorbedTextView(View):
    """How an absorbed text, which is `a`, agrees with the block's own."""

    segment_id: str
    agreement: str
    """same, repeats_a, repeats_b, open or objected"""
    reasons: tuple[str, ...]
    """rules by which differing words say the same"""
    judge: str | None


class ExplanationView(View):
    """All that is known about an id."""

    id: str
    block: ExplainedBlock | None
    kept_by: str
    neighbours: dict[str, str]
    """texts of the segments named here, by id"""
    history: tuple[HistoryView, ...] = Field(validation_alias="histories")
    decisions: tuple[DecisionView, ...]
    opinions: tuple[OpinionView, ...]
    near: tuple[NeighbourView, ...]
    """blocks with near texts, most similar first"""
    absorbed: tuple[AbsorbedTextView, ...]
    """how at most 50 absorbed texts in other words agree with the block's"""


class DocumentAccountView(View):
    """A document with the blocks that it supports now."""

    document: DocumentView
    n_shared: int
    """number of its blocks that other documents also support"""
    blocks: tuple[BlockView, ...]


class FlagView(View):
    """A candidate that waits for a person."""

    seq: int
    collection: str
    candidate: str
    of: str
    because: str
    worth: float
    """value of a decision; the queue is ordered by it, highest first"""
    open: bool
    assignee: str
    resolved_by: int | None
    near: tuple[Near, ...]


class _OfFlag(FlagView):
    PARTS = ("flag",)

    candidate: str = _path("flag", "candidate")


class OpenPairView(_OfFlag):
    """An open pair as the queue lists it."""

    candidate_text: str = _path("candidate", "text")
    kept_text: str = _path("kept", "text")
    opinion: OpinionView | None


class QueuedPair(OpenPairView):
    """An open pair with its place, which asks for the pairs that follow."""

    place: float


class QueueView(View):
    """The review queue, or a page of it."""

    n: int
    """open pairs in all"""
    pairs: tuple[OpenPairView, ...]


class QueuePage(QueueView):
    """A page of the review queue."""

    pairs: tuple[QueuedPair, ...]


class PreviewView(View):
    """The block that merging would make."""

    text_of: str = Field(validation_alias="id")
    text: str = _path("text_of", "segment", "text")
    approval: Approval
    owner: str
    authored_at: At | None
    members: Annotated[tuple[str, ...], BeforeValidator(lambda members: tuple(m.id for m in members))]


class PairDetail(_OfFlag):
    """A pair with everything that a decision needs; `a` is the kept block, `b` the candidate."""

    a: BlockDetail = Field(validation_alias="kept")
    b: BlockDetail = Field(validation_alias="candidate")
    shortlist: tuple[BlockView, ...]
    objections: tuple[Objection, ...]
    agreement: Agreement
    """how the two texts agree"""
    previews: dict[Keep, PreviewView]
    seen: str
    """state of the two blocks as shown; a decision with it is refused if the state has changed"""
    opinion: OpinionView | None
    proposes: Verb | None


class RemovedView(View):
    """What the removal of a document did."""

    document_id: str
    n_removed: int
    rev: int


class DocumentView(View):
    """A document of a collection."""

    id: str
    collection: str
    name: str
    fingerprint: str
    version: int
    title: str
    format: str
    language: str
    authored_at: At | None
    ingested_at: At
    n_segments: int
    n_blocks: int
    settings_hash: str
    names: tuple[str, ...]
    """all names under which the same file was ingested, `name` first"""
    tags: tuple[str, ...]
    """tags that it was ingested with, sorted"""
    warnings: tuple[str, ...]
    """what its parser could not extract, such as pages that are pictures"""
    author: str
    """who wrote or sent it, as the source names them; empty if it does not"""


class OpineView(View):
    """What a run of second opinions did."""

    n_open: int
    outcomes: dict[str, int]
    """number of opinions, by opinion or cause of failure"""
    n_merged: int
    n_dismissed: int
    stopped: Failure | None
    again_at: At | None


class RebuildView(View):
    """What a rebuild found."""

    n_decisions: int
    n_blocks: int
    broken_at: int | None
    wrongly_live: tuple[int, ...]
    different: tuple[str, ...]
    repaired: bool
    is_sound: bool


class PairCountsView(View):
    """How far the pair table has come."""

    n_texts: int
    """distinct texts of live blocks"""
    n_unlisted: int
    """texts whose neighbours are not listed yet"""
    n_pairs: int
    n_unjudged: int
    """pairs that are not compared yet, or have to be compared again"""


class PairsComparedView(PairCountsView):
    """What a comparison of waiting pairs did, and how far the table has come by it."""

    n_listed: int
    n_compared: int


class PairRebuildView(View):
    """What a rebuild of the pair table came to."""

    counts: PairCountsView
    is_same: bool | None
    """whether the rebuilt table is identical; null if the old table was not up to date"""


class SettingView(View):
    """A setting with its value now; of a secret only whether it is set.

    Attributes:
        origin: where the value comes from: default, environment or file.
        variable: of the environment that sets it; empty if none does.
        change: what to do to give it another value.
    """

    name: str
    value: JsonValue
    unit: str
    help: str
    origin: OriginKind
    variable: str
    change: str


def settings_view(settings: Settings) -> list[SettingView]:
    """Show every setting; secrets only as set or not."""
    return list(_settings(settings))


def _settings(settings: Settings) -> Iterable[SettingView]:
    values = settings.model_dump(mode="json")
    for name, info in Settings.model_fields.items():
        extra = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
        unit = str(extra.get("unit", ""))
        origin = origin_of(settings, name)
        yield SettingView(
            name=name, value=displayed_value(name, values[name]), unit=unit, help=info.description or "",
            origin=origin.kind, variable=origin.variable, change=how_to_change(settings, name),
        )  # fmt: skip
