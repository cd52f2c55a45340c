"""The review queue in groups, bulk decisions, rules, and what people get done."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import BeforeValidator

from saidonce.foundation.context import Context
from saidonce.interfaces.views.base import At, View
from saidonce.interfaces.views.kb import DecisionView
from saidonce.kb import review


class PairGroupView(View):
    """Open pairs with one kind of difference, of two documents, or with one change."""

    label: str
    n: int
    differs: review.Differs | None
    documents: tuple[str, ...]
    """both names; empty for other groups"""
    change: str
    """what was replaced by what, and nothing else; empty for other groups"""


class GroupedPairView(View):
    """An open pair with how its texts differ."""

    flag: int
    differs: review.Differs
    documents: tuple[str, ...]
    similarity: float
    kept_text: str
    candidate_text: str
    change: str
    """what was replaced by what, if nothing else differs; empty for other pairs"""
    seen: str
    """state of the two blocks; a bulk decision with it skips the pair if the state has changed"""


class GroupsView(View):
    """The review queue in groups, and its pairs, likeliest repeats first."""

    n: int
    """number of pairs that match the filter"""
    n_entries: int
    is_all: bool
    """false where the queue is too long to be compared as a whole"""
    by_kind: tuple[PairGroupView, ...]
    by_documents: tuple[PairGroupView, ...]
    by_change: tuple[PairGroupView, ...]
    """pairs that one and the same change makes of each other, from two on"""
    pairs: tuple[GroupedPairView, ...]
    entries: tuple[tuple[int, ...], ...]
    """flags of the pairs, together where one change of what something is called is all that differs"""

    @classmethod
    def of(cls, context: Context, part: review.QueuePart) -> Self:
        """Show a part of the queue."""
        listing = review.list_pairs(context, part)
        pairs = tuple(
            GroupedPairView(
                flag=g.pair.flag.seq, differs=g.differs, documents=g.documents, similarity=g.similarity,
                change=g.change, kept_text=g.pair.kept.text, candidate_text=g.pair.candidate.text,
                seen=review.state_token(g.pair.candidate, g.pair.kept),
            )
            for g in listing.pairs
        )  # fmt: skip
        kinds, documents = (tuple(PairGroupView.show(g) for g in some) for some in review.groups(listing))
        changes = tuple(PairGroupView.show(g) for g in review.changes(listing))
        entries = tuple(e.seqs for e in review.entries(listing.pairs, part))
        return cls(
            n=len(pairs), n_entries=len(entries), is_all=listing.is_all, by_kind=kinds, by_documents=documents,
            by_change=changes, pairs=pairs, entries=entries,
        )  # fmt: skip


class LeftPairView(View):
    """A pair that a bulk decision left open."""

    flag: int
    why: str


class BulkOutcomeView(View):
    """Outcome of a bulk decision."""

    decision: DecisionView | None
    """the decision, whose revert reopens all pairs; null if every pair was skipped"""
    n_decided: int
    left: Annotated[
        tuple[LeftPairView, ...],
        BeforeValidator(lambda left: tuple(LeftPairView(flag=flag, why=why) for flag, why in left)),
    ]


class RuleView(View):
    """A rule of review in force."""

    PARTS = ("rule", "decision")

    seq: int
    """number of its decision"""
    words: str
    collection: str
    differs: review.Differs
    documents: tuple[str, ...]
    """both documents of the pairs; empty: all of the collection"""
    actor: str
    at: At
    reason: str
    n_decided: int
    """pairs kept apart by it so far"""


class RuleMadeView(View):
    """A rule that was made."""

    seq: int
    n_decided: int
    """open pairs that it kept apart immediately"""


class ThroughputView(View):
    """What a person decided about pairs."""

    person: str
    n_pairs: int
    """pairs decided, single and in bulk"""
    n_acts: int
    """manual decisions; a bulk decision counts once"""
    n_taken_back: int
    hours: float
    """per hour, not counting pauses of more than five minutes"""
    pairs_per_hour: float
    n_audited: int
    n_agreed: int
    agreement: float | None
    """share of audited decisions that another person found right; null without an audit"""


class NamedTextView(View):
    """A text that a decision names."""

    id: str
    words: str
    """beginning of the text; empty if it was removed"""
    document: str


class DecisionInWords(DecisionView):
    """A decision, with what it did in words."""

    what: str
    sentence: str
    """summary in words, with the texts"""
    texts: tuple[NamedTextView, ...]
    n_parts: int
    """number of decisions within it, for a bulk decision, a rule, or the revert of one"""

    @classmethod
    def of(cls, account: review.DecisionAccount) -> Self:
        """Show a decision in words."""
        texts = tuple(NamedTextView.show(t) for t in account.texts)
        words = {"what": account.what, "sentence": account.sentence, "n_parts": account.n_parts}
        return cls.show(account.decision, texts=texts, **words)
