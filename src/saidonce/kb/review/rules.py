"""Rules of review: standing decisions that pairs which differ in one way only are kept apart."""

from __future__ import annotations

from dataclasses import dataclass, replace

from saidonce.errors import NotFoundError, UsageError
from saidonce.foundation.context import Context
from saidonce.foundation.model import POLICY, Decision, DecisionDraft, Detail, Differs, ReviewRule, Verb
from saidonce.foundation.ports import QueueFilter
from saidonce.kb.review.bulk import MOST_IN_BULK, keep_pairs_apart
from saidonce.kb.review.commit import By, RequestContent, mark_active, previous_decision
from saidonce.kb.review.differences import LABELS, RULABLE
from saidonce.kb.review.groups import GroupedPair, QueuePart, list_pairs

OFFERED_AFTER = 3
"""Equal decisions of one person after which a rule is offered."""

MOST_LOOKED_AT = 200
"""Newest decisions among which equal ones are looked for."""

MOST_RULES = 1_000


@dataclass(frozen=True, slots=True)
class RuleOffer:
    """A rule that a person's last decisions suggest.

    Attributes:
        n_equal: equal decisions that suggest it.
    """

    collection: str
    rule: ReviewRule
    n_equal: int

    @property
    def words(self) -> str:
        """What the rule would do."""
        return rule_in_words(self.collection, self.rule)


@dataclass(frozen=True, slots=True)
class RuleInForce:
    """A rule as it is listed: its decision, and the number of pairs that it has kept apart so far."""

    decision: Decision
    n_decided: int

    @property
    def rule(self) -> ReviewRule:
        """Which pairs it is about."""
        assert self.decision.detail.rule is not None  # It was listed for it.
        return self.decision.detail.rule

    @property
    def words(self) -> str:
        """What the rule does."""
        return rule_in_words(self.decision.collection, self.rule)


def rule_in_words(collection: str, rule: ReviewRule) -> str:
    """Return a rule as a sentence."""
    where = f"collection {collection!r}"
    if rule.documents:
        where = f"{' and '.join(dict.fromkeys(rule.documents))} ({where})"
    return f"Keep both if this is the only difference: {LABELS[Differs(rule.differs)]}; in {where}."


def rule_offer(context: Context, decision: Decision) -> RuleOffer | None:
    """Return the rule that a person's decision suggests, if it is the third of its kind or a later one.

    Equal decisions keep apart pairs of one collection that differ in the same single way. The rule is for two documents
    if all of them were about these, else for the collection. None is offered where somebody merged such a pair, where
    a rule decides it already, or for differences that no guard can show.
    """
    kind = decision.detail.differs
    if decision.verb is not Verb.KEEP_APART or kind not in set(RULABLE) or not decision.live:
        return None
    recent = [
        d
        for d in context.store.ledger.decisions([Verb.KEEP_APART, Verb.MERGE], limit=MOST_LOOKED_AT)
        if d.live and d.collection == decision.collection and d.detail.differs == kind
    ]
    if any(d.verb is Verb.MERGE for d in recent):
        return None
    equal = [d for d in recent if d.actor == decision.actor and d.detail.within is None]
    if len(equal) < OFFERED_AFTER:
        return None
    documents = {_documents(context, d) for d in equal}
    rule = ReviewRule(kind, documents.pop() if len(documents) == 1 else ())
    if any(_covers(known.rule, rule) for known in rules(context, decision.collection)):
        return None
    return RuleOffer(decision.collection, rule, len(equal))


def rules(context: Context, collection: str = "") -> tuple[RuleInForce, ...]:
    """Return the rules in force, newest first.

    Args:
        context: wired ports.
        collection: only those of this one.
    """
    ledger = context.store.ledger
    heads = [
        d
        for d in ledger.decisions([Verb.RULE], limit=MOST_RULES)
        if d.live and d.detail.rule is not None and collection in ("", d.collection)
    ]
    counts = {d.seq: 0 for d in heads}
    for part in ledger.within(sorted(counts)):
        if part.live and part.detail.within is not None:
            counts[part.detail.within] += 1
    return tuple(RuleInForce(d, counts[d.seq]) for d in heads)


def pairs_of_rule(context: Context, collection: str, rule: ReviewRule) -> tuple[GroupedPair, ...]:
    """Return the open pairs that a rule would keep apart now."""
    part = QueuePart(QueueFilter((collection,)), Differs(rule.differs), rule.documents)
    return list_pairs(context, part).pairs


def add_rule(context: Context, by: By, collection: str, rule: ReviewRule) -> tuple[Decision, int]:
    """Add a rule, and keep apart the open pairs that it is about; `revert` takes both back.

    Returns:
        The rule's decision, and the number of pairs decided.

    Raises:
        NotFoundError: there is no such collection.
        UsageError: no rule may be about this difference, or there is such a rule.
    """
    names = {c.name for c in context.store.collections() if c.is_canonical}
    if collection not in names:
        raise NotFoundError("collection", collection, f"there are: {', '.join(sorted(names)) or 'none yet'}")
    if rule.differs not in set(RULABLE):
        raise UsageError(f"a rule cannot be about {rule.differs!r}; choose from {', '.join(sorted(RULABLE))}")
    rule = replace(rule, documents=tuple(sorted(rule.documents)))
    ledger = context.store.ledger
    with ledger.exclusive():
        if (known := previous_decision(context, by, RequestContent(Verb.RULE))) is not None:
            return known, sum(d.live for d in ledger.within([known.seq]))
        if (same := next((r for r in rules(context, collection) if _covers(r.rule, rule)), None)) is not None:
            raise UsageError(f"rule {same.decision.seq} already says so: {same.words}")
        head = DecisionDraft(
            verb=Verb.RULE, collection=collection, members=(), actor=by.actor, reason=by.reason,
            detail=Detail(because=Verb.KEEP_APART, differs=rule.differs, rule=rule), key=by.key,
        )  # fmt: skip
        (decision,) = ledger.append([head])
        n = _apply(context, RuleInForce(decision, 0))
        mark_active(context, by.actor)
    return decision, n


def apply_rules(context: Context, collection: str = "") -> int:
    """Keep apart the open pairs that rules in force are about; return their number.

    The parts are decisions of the rule, by `policy`; whoever reverts one keeps it out of the rule, since its flag is
    open again and the pair is then a person's to decide.
    """
    if not rules(context, collection):
        return 0
    with context.store.ledger.exclusive():
        return sum(_apply(context, rule) for rule in reversed(rules(context, collection)))


def _apply(context: Context, rule: RuleInForce) -> int:
    """Decide what a rule is about, under the organisation's lock; return the number of decisions.

    A flag whose candidate has another near text shows that one next, which may be of the rule, too.
    """
    seq = rule.decision.seq
    taken_back = [d for d in context.store.ledger.within([seq]) if not d.live]
    flags, texts = {d.flag for d in taken_back if d.flag is not None}, {d.members[:2] for d in taken_back}
    by, n = By(POLICY, f"rule {seq}", within=seq), 0
    while True:
        pairs = [
            g.pair
            for g in pairs_of_rule(context, rule.decision.collection, rule.rule)
            if g.pair.flag.seq not in flags and (g.pair.candidate.id, g.pair.kept.id) not in texts
        ][:MOST_IN_BULK]
        if not pairs:
            return n
        n += len(keep_pairs_apart(context, by, pairs, rule.rule.differs))
        texts |= {(p.candidate.id, p.kept.id) for p in pairs}


def _covers(known: ReviewRule, rule: ReviewRule) -> bool:
    return known.differs == rule.differs and known.documents in ((), rule.documents)


def _documents(context: Context, decision: Decision) -> tuple[str, ...]:
    """Return the documents of a decision's first two texts, sorted; empty if one is gone."""
    members = context.store.ledger.members(decision.members[:2])
    names = [m.document for m in members.values()]
    return tuple(sorted(names)) if len(names) == len(set(decision.members[:2])) else ()
