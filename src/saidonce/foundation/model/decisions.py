"""What is decided about blocks: appended events, the members they speak of, and what waits for a person."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from saidonce.foundation.model.nouns import Block, Objection, Segment
from saidonce.foundation.model.opinions import SecondOpinion
from saidonce.foundation.model.verdicts import Candidate, Ruling

POLICY = "policy"
"""Actor of what the ladder decided by itself."""


class Verb(StrEnum):
    """What a decision does."""

    MERGE = "merge"
    FLAG = "flag"
    KEEP_APART = "keep_apart"
    CONFLICT = "conflict"
    SPLIT = "split"
    EDIT = "edit"
    APPROVE = "approve"
    OWN = "own"
    DISMISS = "dismiss"
    ASSIGN = "assign"
    AUDIT = "audit"
    BULK = "bulk"
    RULE = "rule"
    REVERT = "revert"


HEADING = frozenset({Verb.BULK, Verb.RULE})
"""Verbs of decisions over many pairs; what follows from one carries its number as `within`."""

JOINING = frozenset({Verb.MERGE, Verb.SPLIT, Verb.EDIT})
"""Verbs that say which members share a block."""


class Approval(StrEnum):
    """Approval of a block."""

    DRAFT = "draft"
    REVIEW = "review"
    APPROVED = "approved"


class Differs(StrEnum):
    """The kind of difference between two texts; each pair has one."""

    SAME = "same"
    MORE = "more"
    WORDING = "wording"
    NAME = "name"
    VERSION = "version"
    NUMBER = "number"
    DATE = "date"
    DENIAL = "denial"
    DEGREE = "degree"
    ROLE = "role"
    SHAPE = "shape"
    DECIDED = "decided"
    SEVERAL = "several"


class Copies(StrEnum):
    """Where a later copy of a text goes after its equal texts were split into two blocks."""

    ASK = "ask"
    STAY = "stay"
    GO = "go"
    ALONE = "alone"


class Keep(StrEnum):
    """Whose text a merged block has."""

    NEWEST = "newest"
    A = "a"
    B = "b"


CAUTION = (Approval.DRAFT, Approval.REVIEW, Approval.APPROVED)
"""Approvals, most conservative first."""


@dataclass(frozen=True, slots=True)
class Near:
    """A kept block that a candidate was compared with.

    Attributes:
        objections: of the guards; the candidate is `a`.
        borne_out_by: name of the equivalence judge that takes both for the same although guards object to the
            wording; empty where none does.
    """

    id: str
    similarity: float
    objections: tuple[Objection, ...] = ()
    borne_out_by: str = ""


@dataclass(frozen=True, slots=True)
class Activity:
    """How active an owner was when a decision was made; `active_at` is empty for one never seen."""

    owner: str
    active_at: str = ""
    left: bool = False


@dataclass(frozen=True, slots=True)
class ReviewRule:
    """A standing decision: pairs that differ in one way only are kept apart.

    Attributes:
        differs: the kind of difference that a pair has, and no other.
        documents: both documents of a pair, sorted by name; empty for all of the collection.
    """

    differs: str
    documents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Detail:
    """What a decision says beside whom it concerns; each verb uses some.

    Attributes:
        near: of a flag or an automatic merge, what the candidate was compared with, best first.
        because: the verdict's reason, or what a person chose.
        set_aside: members whose text shall not be the block's, whatever their date.
        approval: of an approve.
        owner: of an own; whom an assign gives the flag to.
        activity: owners of the merged blocks as they stood then.
        pairs: content hashes of texts kept apart, each pair sorted.
        wrong: of an audit, whether the merge was wrong.
        sampled: of an automatic merge, whether it was drawn for the audit.
        ruling: of what a second opinion settled, what that opinion was.
        texts: of an automatic dismissal, content hashes of the candidate's text and of those it was compared with; it
            lapses when the candidate has another text, or a text is there that is none of these.
        within: number of the bulk decision, the rule, or the revert of one of these that this one is a part of.
        differs: of a decision about a flag, the kind of difference that its two texts had.
        rule: of a rule, the pairs that it is about.
        due: of an assign, the day by which the decision is wanted, as an ISO date; may be empty.
        copies: of a split of equal texts, where a later copy goes; None as ALONE.
    """

    near: tuple[Near, ...] = ()
    because: str = ""
    set_aside: tuple[str, ...] = ()
    approval: Approval | None = None
    owner: str = ""
    activity: tuple[Activity, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    wrong: bool | None = None
    sampled: bool = False
    ruling: Ruling | None = None
    texts: tuple[str, ...] = ()
    within: int | None = None
    differs: str = ""
    rule: ReviewRule | None = None
    due: str = ""
    copies: Copies | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionDraft:
    """A decision that has not been appended yet.

    Attributes:
        members: ids of the segments concerned; the candidate or the text chosen stands first.
        flag: number of the flag that this settles.
        reverts: number of the decision that this takes back.
        policy, certificate: what was in force, for decisions that the ladder made.
        key: idempotency key; a second draft of one key is not appended.
    """

    verb: Verb
    collection: str
    members: tuple[str, ...]
    actor: str
    reason: str = ""
    flag: int | None = None
    reverts: int | None = None
    detail: Detail = Detail()
    policy: str = ""
    certificate: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision(DecisionDraft):
    """An appended event; never altered.

    Attributes:
        seq: place in the organisation's log, from 1.
        live: not reverted, as the log stands now.
        previous: hash of the decision before, so that no event can be altered or left out unseen.
        hash: 64 hex digits of everything but `live`.
    """

    seq: int
    at: datetime
    live: bool
    previous: str
    hash: str

    def __repr__(self) -> str:
        undone = "" if self.live else ", reverted"
        what = f"{self.verb.value} of {len(self.members)} in {self.collection!r} by {self.actor!r}"
        return f"Decision({self.seq}, {self.at:%Y-%m-%d %H:%M}, {what}{undone})"


@dataclass(frozen=True, slots=True)
class Member:
    """A kept segment of a canonical collection, as survivorship sees it.

    Attributes:
        authored_at: what its document says; None if it says nothing.
        dated_at: that, or else the moment when the segment first came in; orders members by age.
        boost: relative salience boost inside its document; `salience` includes it.
        owner: who answers for it; may be empty.
        block_id: the block that it supports now; empty while that is being settled.
        similarity: canonical cosine to that block's text.
        tags: of its document.
        sender: of the mail that it stands in; empty for other documents.
    """

    segment: Segment
    collection: str
    document_id: str
    document: str
    title: str
    authored_at: datetime | None
    dated_at: datetime
    salience: float
    boost: float
    owner: str = ""
    block_id: str = ""
    similarity: float = 1.0
    tags: tuple[str, ...] = ()
    sender: str = ""

    @property
    def id(self) -> str:
        """Id of the segment, which is the member's too."""
        return self.segment.id


@dataclass(frozen=True, slots=True)
class Golden:
    """A block as the join of its live members.

    Attributes:
        id: of the member whose text wins; ids of the others keep resolving to it.
        members: all of them, by id.
        authored_at: the earliest that any of their documents states.
    """

    id: str
    members: tuple[Member, ...]
    salience: float
    boost: float
    authored_at: datetime | None
    approval: Approval
    owner: str

    @property
    def text_of(self) -> Member:
        """The member whose text wins."""
        return next(m for m in self.members if m.id == self.id)

    @property
    def tags(self) -> tuple[str, ...]:
        """Tags of all its members' documents, sorted: a merge loses none."""
        return tuple(sorted({tag for m in self.members for tag in m.tags}))


@dataclass(frozen=True, slots=True)
class Kept:
    """A kept block as the ladder sees it.

    Attributes:
        document_ids: of all documents that support it.
        hashes: content hashes of all its members, that of its own text among them.
        owner: of the block.
    """

    id: str
    candidate: Candidate
    document_ids: frozenset[str]
    hashes: frozenset[str] = frozenset()
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Flag:
    """A candidate that waits for a person, with the shortlist it was compared with.

    Attributes:
        seq: number of its decision.
        candidate, of: blocks that the candidate and its nearest match belong to now.
        near: the shortlist, by present block, best first.
        worth: value of a decision; the queue is ordered by it, highest first.
        open: both are there, apart, and nobody has decided.
        assignee: whom it is assigned to; may be empty.
    """

    seq: int
    collection: str
    candidate: str
    of: str
    near: tuple[Near, ...]
    because: str
    worth: float
    open: bool
    assignee: str
    resolved_by: int | None = None

    @property
    def comparison(self) -> Near | None:
        """The comparison with `of`, which need not be the best of the shortlist; None if it was not compared."""
        return next((near for near in self.near if near.id == self.of), None)


@dataclass(frozen=True, slots=True)
class Pair:
    """A flag with its two blocks, as a reviewer sees them, and the newest second opinion on it."""

    flag: Flag
    candidate: Block
    kept: Block
    opinion: SecondOpinion | None = None

    @property
    def objections(self) -> tuple[Objection, ...]:
        """The facts in which the candidate differs from the kept block; empty if no guard objects.

        If the two were not compared, these are the facts in which it differs from any block of the shortlist.
        """
        compared = self.flag.comparison
        return tuple(o for near in ([compared] if compared else self.flag.near) for o in near.objections)

    def __repr__(self) -> str:
        differs = f", differs in {len(self.objections)}" if self.objections else ""
        sides = (" ".join(block.text.split())[:60] for block in (self.candidate, self.kept))
        return f"Pair(flag {self.flag.seq}: {' <-> '.join(map(repr, sides))}{differs})"
