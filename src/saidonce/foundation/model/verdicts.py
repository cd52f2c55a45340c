"""What is asked of the ladder, and what it and an adjudicator answer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from saidonce.foundation.model.nouns import UNKNOWN_LANGUAGE, Kind, MediaPlace, Objection, Row


class Outcome(StrEnum):
    """The three things a verdict can be."""

    DISTINCT = "distinct"
    REVIEW = "review"
    DUPLICATE = "duplicate"


class Reason(StrEnum):
    """Why a verdict is what it is; a closed list.

    `vetoed`, as older versions called what an adjudicator ruled a duplicate past a guard's objection, is read as
    `ruled_duplicate`.
    """

    SAME_CONTENT = "same_content"
    NO_MATCHES = "no_matches"
    BELOW_THRESHOLD = "below_threshold"
    ABOVE_THRESHOLD = "above_threshold"
    SAME_STATEMENT = "same_statement"
    OBJECTION = "objection"
    UNSURE = "unsure"
    UNCERTIFIED = "uncertified"
    SPLIT_COPY = "split_copy"
    SIDE_BY_SIDE = "side_by_side"
    RULED_DUPLICATE = "ruled_duplicate"
    LLM_CLEARED = "llm_cleared"
    NO_RULING = "no_ruling"
    AWAY = "away"
    MALFORMED = "malformed"
    CONTRADICTION = "contradiction"
    CANARY = "canary"
    OVERTAKEN = "overtaken"
    OVERRIDE = "override"
    ESCAPE_HATCH = "escape_hatch"
    RETRACTED = "retracted"

    @classmethod
    def _missing_(cls, value: object) -> Reason | None:
        return cls.RULED_DUPLICATE if value == "vetoed" else None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text that asks "have we this already?".

    Attributes:
        dated_at: tells which of two texts is newer; a candidate without it is newer than what is kept.
        fields: names and values that an adjudicator is shown beside the text, in the caller's order.
        place: where it is seen or heard; None for text.
        section: the heading right over it; empty where it is not known.
        sender: of the mail that it stands in; empty for other documents.
        also_under: headings of other texts that it stands for.
    """

    text: str
    content_hash: str
    kind: Kind = Kind.PARAGRAPH
    language: str = UNKNOWN_LANGUAGE
    section_role: str = ""
    rows: tuple[Row, ...] = ()
    dated_at: datetime | None = None
    fields: tuple[tuple[str, str], ...] = ()
    place: MediaPlace | None = None
    section: str = ""
    sender: str = ""
    also_under: tuple[str, ...] = ()

    @property
    def speaker(self) -> str:
        """Who says it, as the source names it; empty where it does not."""
        return self.place.speaker if self.place is not None else ""

    @property
    def is_quoted(self) -> bool:
        """Whether a mail quotes it of another one."""
        return self.place is not None and self.place.is_quoted

    @property
    def writer(self) -> str:
        """Who wrote it: the sender of the mail that it stands in, or the one whom that quotes; empty if unknown."""
        return self.speaker if self.is_quoted else self.sender

    @property
    def headings(self) -> tuple[str, ...]:
        """All headings that it stands under, its own first, as far as they are known."""
        return tuple(dict.fromkeys(heading for heading in (self.section, *self.also_under) if heading))


@dataclass(frozen=True, slots=True)
class Match:
    """A kept item and its canonical similarity to the candidate.

    Attributes:
        hashes: content hashes of other texts that the kept item stands for.
    """

    id: str
    similarity: float
    kept: Candidate
    hashes: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Step:
    """One rung's entry in the trail of a verdict."""

    rung: str
    finding: str
    of: str = ""
    similarity: float | None = None
    objections: tuple[Objection, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome for a candidate with its reason and the whole trail.

    Attributes:
        of: id of the kept item that a duplicate or a review points at; empty when distinct.
        similarity: canonical similarity to the nearest match, 0.0 without matches.
    """

    outcome: Outcome
    reason: Reason
    of: str
    similarity: float
    trail: tuple[Step, ...]

    @property
    def objections(self) -> tuple[Objection, ...]:
        """All objections of the trail, in order."""
        return tuple(o for step in self.trail for o in step.objections)


@dataclass(frozen=True, slots=True)
class Shown:
    """A match as an adjudicator sees it, with what the guards say of it and the candidate.

    Attributes:
        borne_out_by: see `Near`.
    """

    match: Match
    objections: tuple[Objection, ...] = ()
    borne_out_by: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """What an adjudicator is asked: is the candidate a duplicate of one of these?

    Attributes:
        shown: matches at or above the policy's `clear_below`, nearest first, ties by id; at least one.
    """

    candidate: Candidate
    shown: tuple[Shown, ...]


class Opinion(StrEnum):
    """What an adjudicator may say."""

    DUPLICATE = "duplicate"
    DISTINCT = "distinct"
    UNSURE = "unsure"


class Failure(StrEnum):
    """Why an adjudicator gave no ruling; a closed list."""

    UNREACHABLE = "unreachable"
    TIMEOUT = "timeout"
    REFUSED = "refused"
    MALFORMED = "malformed"
    CONTRADICTION = "contradiction"
    CANARY = "canary"
    BUDGET = "budget"
    CIRCUIT_OPEN = "circuit_open"
    OVERTAKEN = "overtaken"


@dataclass(frozen=True, slots=True)
class RaterReview:
    """The review behind a ruling, as an auto-rater's service knows it: it can be looked at again.

    Attributes:
        id: the service's.
        question, nonce: what its answer echoes.
    """

    id: str
    question: str
    nonce: str


@dataclass(frozen=True, slots=True)
class Ruling:
    """An adjudicator's answer to one question.

    Attributes:
        of: id of the shown match that the candidate repeats; empty unless the opinion is DUPLICATE.
        reason: the adjudicator's words, cleaned and shortened; nobody acts on them.
        confidence: 0..1, the adjudicator's own.
        adjudicator: name and fingerprint of who ruled: model, prompt version, options.
        duration_ms: wall time that the ruling took.
        n_tokens, cost: of all model calls for it; the cost in US dollars.
        failure: why there is no ruling; the opinion is then UNSURE.
        cached: taken from an earlier ruling on the same texts.
        probability: that the candidate repeats its likeliest match, 0..1, from an adjudicator that knows it; told when
            it is unsure too.
        review: of the service that ruled; None for an adjudicator that has no reviews.
    """

    opinion: Opinion
    of: str = ""
    reason: str = ""
    confidence: float = 0.0
    adjudicator: str = ""
    duration_ms: int = 0
    n_tokens: int = 0
    cost: float = 0.0
    failure: Failure | None = None
    cached: bool = False
    probability: float | None = None
    review: RaterReview | None = None


@dataclass(frozen=True, slots=True)
class Rewording:
    """Two aligned sentences that differ in words, to neither of which any guard objects.

    Attributes:
        language: two-letter tag of both, or `und`.
    """

    a: str
    b: str
    language: str = UNKNOWN_LANGUAGE


@dataclass(frozen=True, slots=True)
class Equivalence:
    """What an equivalence judge answers about a rewording.

    Attributes:
        is_same: whether one sentence may be folded under the other; what lies within the margin of the threshold
            may not.
        score: 0..1, rounded to 4 decimals; higher is more alike.
        is_certain: whether it is the same by the stricter threshold, too, at which one text may stand for both.
    """

    is_same: bool
    score: float
    is_certain: bool = False
