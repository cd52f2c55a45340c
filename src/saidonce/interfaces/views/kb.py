"""The knowledge base: ingest, search, blocks, decisions, the review queue, status, settings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import AliasPath, BeforeValidator, Field, JsonValue

from saidonce.errors import Refusal
from saidonce.foundation.model import (
    Approval,
    Attribution,
    Copies,
    Failure,
    Keep,
    Kind,
    Near,
    Objection,
    Opinion,
    Ruling,
    Verb,
)
from saidonce.foundation.settings.origins import OriginKind, how_to_change, origin_of
from saidonce.foundation.settings.policy import Settings, shown
from saidonce.interfaces.views.base import At, Number, View
from saidonce.kb.answer import Mode, SupportedSentence
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
    """name of the document with the same bytes, for same_source"""
    reason: Refusal | None
    """why it was refused"""
    detail: str
    n_segments: int
    n_kept: int
    n_exact: int
    n_near: int
    n_set_aside: int
    n_held_apart: int
    """segments that a guard kept although they are as similar as a repeat"""
    n_undecided: int
    """those of them that have more look-alikes than were compared with them"""
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
    """names of files of no known format"""
    removed: tuple[str, ...]
    """names of documents that were pruned"""
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
    """name of the document that the text stands in"""
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
    """place from 1; null if the ranking does not hold the block"""
    part: float
    """what it adds to the score"""


class TwinView(BlockView):
    """A lower ranked block that says what a hit says."""

    PARTS = ("block",)

    similarity: float
    score: float


class HeldApartView(View):
    """A higher hit that is as similar as a repeat but states another fact."""

    id: str = Field(validation_alias="block_id")
    objections: tuple[Objection, ...]


class UnderReviewView(View):
    """A block that a hit may repeat, which a person has not decided yet."""

    flag: int
    """number of the flag that waits"""
    id: str = _path("block", "id")
    document: str = _path("block", "document")
    similarity: float | None
    is_later: bool
    """whether that block came in later than the hit"""


class EvidenceView(View):
    """Reasons for a hit's relevance."""

    cosine: float
    """of question and block"""
    usual: float | None
    """median cosine of the question to blocks of the base; null where there are too few"""
    held: tuple[str, ...]
    """words of the question in the block, its title or its headings"""
    missed: tuple[str, ...]
    share: float
    """of the question's words those held, rare ones counting more, 0..1"""
    rarity: float
    """of the words held together; 1 is a word that one block of the base holds"""
    in_words: str


class HitView(BlockView):
    """A block that answers a query, with the blocks that repeat it and the parts of its score."""

    PARTS = ("block",)

    score: float
    """fused; comparable within one search only"""
    relevance: float
    """calibrated, 0..1; comparable between queries and bases"""
    evidence: EvidenceView | None
    signals: Annotated[dict[str, SignalView], BeforeValidator(lambda signals: {s.name: s for s in signals})]
    also_in: tuple[TwinView, ...]
    held_apart: HeldApartView | None
    under_review: tuple[UnderReviewView, ...]
    """blocks that it may repeat: pairs that wait for a person"""


class SearchView(View):
    """What a search found, hits best first."""

    query: str
    is_answered: bool
    """false where nothing in the base answers the query"""
    corrected: dict[str, str]
    """query words that nothing contains, and what was searched instead"""
    n_pool: int
    """ranked blocks looked at, those under the relevance cut (n_below of them) included"""
    n_below: int
    n_repeats: int
    """blocks listed under the hit that they repeat"""
    dedup_ratio: float
    took_ms: dict[str, float]
    """milliseconds by step"""
    warnings: tuple[str, ...]
    hits: tuple[HitView, ...]


class OriginView(View):
    """Where a passage stands."""

    block_id: str
    document: str
    title: str
    heading_path: tuple[str, ...]
    authored_at: At | None
    page: int | None


class PassageView(View):
    """The contribution of one hit to a packed context."""

    number: int
    """from 1, in order of rank"""
    origin: OriginView
    text: str
    """the whole text; of a variant the sentences that the passage it varies does not have, a line each"""
    also_in: tuple[OriginView, ...]
    """where the same, or a part of it and nothing else, is stated again"""
    variant_of: int | None
    """number of the passage that it varies; null for one that stands by itself"""
    repeats_all: bool
    """whether a variant states all else that the passage it varies states"""
    conflicts: tuple[Objection, ...]
    """facts that differ: `a` in this passage, `b` in the one it varies"""
    n_tokens: int


class ContextView(View):
    """A context for a language model: nothing stands in it twice, and what did not fit is named."""

    query: str
    is_answered: bool
    """false where nothing in the base answers the query"""
    budget: int
    """tokens asked for"""
    n_tokens: int
    """tokens used, counted with the embedder's tokenizer"""
    text: str
    """all passages as one text: quotations from documents, data and no instructions"""
    passages: tuple[PassageView, ...]
    left_out: tuple[OriginView, ...]
    """hits that did not fit, best first"""


class AnswerView(View):
    """An answer with its passages, in which nothing stands twice; citations name them by number."""

    question: str
    mode: Mode
    """`not_in_base` where nothing in the base answers the question"""
    model: str
    sentences: tuple[SupportedSentence, ...]
    passages: tuple[PassageView, ...]


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
    """number of the decision that it takes back"""
    holds: bool = Field(validation_alias="live")
    """it was not taken back"""
    near: tuple[Near, ...]
    set_aside: tuple[str, ...]
    approval: Approval | None
    owner: str
    due: str
    """day by which an assigned pair is to be decided; empty for none"""
    copies: Copies | None
    """where later copies go, of a split of equal texts"""
    within: int | None
    """number of the bulk decision, the rule, or the revert of one, that it is a part of"""
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
    """who of several answered last"""
    duration_ms: int
    n_tokens: int
    cost: float
    """in US dollars"""
    failure: Failure | None
    cached: bool
    probability: float | None
    flag: int
    texts: str
    """hash of the texts that it is about"""
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
    """blocks with this text; the others are not listed"""
    similarity: float
    agreement: str
    """same, repeats_a, repeats_b, open or objected; empty while the pair waits to be compared"""
    objections: tuple[Objection, ...]
    unaccounted: tuple[Objection, ...]
    """what one states and nothing in the other bears out"""
    judge: str | None
    reasons: tuple[str, ...]
    """by which rules texts in other words say the same"""


class ExplanationView(View):
    """All that is known about an id."""

    id: str
    block: ExplainedBlock | None
    kept_by: str
    neighbours: dict[str, str]
    """texts of the segments that are named here, by id"""
    history: tuple[HistoryView, ...] = Field(validation_alias="histories")
    decisions: tuple[DecisionView, ...]
    opinions: tuple[OpinionView, ...]
    near: tuple[NeighbourView, ...]
    """blocks with near texts, most similar first"""


class DocumentAccountView(View):
    """A document with the blocks that it supports now."""

    document: DocumentView
    n_shared: int
    """of its blocks those that other documents support, too"""
    blocks: tuple[BlockView, ...]


class FlagView(View):
    """A candidate that waits for a person."""

    seq: int
    collection: str
    candidate: str
    of: str
    because: str
    worth: float
    """what a decision is worth; the queue is ordered by it, highest first"""
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
    """state of the two blocks as shown; a decision that gives it is refused if it changed since"""
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
    """all names under which its bytes were seen, `name` first"""
    tags: tuple[str, ...]
    """tags that it was ingested with, sorted"""
    warnings: tuple[str, ...]
    """what its parser could not carry over, such as pages that are pictures"""


class OpineView(View):
    """What a run of second opinions did."""

    n_open: int
    outcomes: dict[str, int]
    """opinions, or causes of failure, and how many"""
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
    """different texts of live blocks"""
    n_unlisted: int
    """texts that wait for their list of near texts"""
    n_pairs: int
    n_unjudged: int
    """pairs that wait to be compared, or to be compared again"""


class PairsComparedView(PairCountsView):
    """What a comparison of waiting pairs did, and how far the table has come by it."""

    n_listed: int
    n_compared: int


class PairRebuildView(View):
    """What a rebuild of the pair table came to."""

    counts: PairCountsView
    is_same: bool | None
    """whether every pair is as it was; null if the table had not caught up before"""


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
            name=name, value=shown(name, values[name]), unit=unit, help=info.description or "", origin=origin.kind,
            variable=origin.variable, change=how_to_change(settings, name),
        )  # fmt: skip
