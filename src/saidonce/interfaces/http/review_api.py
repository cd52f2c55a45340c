"""The JSON API of bulk decisions, rules of review, and what people get done."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from saidonce.foundation.model import ReviewRule, Verb
from saidonce.foundation.ports import QueueFilter
from saidonce.interfaces.http.callers import Key, MayRead, MayReview
from saidonce.interfaces.http.schemas import BulkBody, RuleBody
from saidonce.interfaces.views.review import BulkOutcomeView, GroupsView, RuleMadeView, RuleView, ThroughputView
from saidonce.kb import review

review_api = APIRouter()


@review_api.get(
    "/review/groups",
    summary="Group the review queue by kind of difference, by documents and by change",
    tags=["review"],
)
def groups(
    caller: MayRead,
    collection: Annotated[list[str] | None, Query()] = None,
    differs: review.Differs | None = None,
    document: Annotated[list[str] | None, Query(max_length=2, description="both documents of the pairs")] = None,
    change: Annotated[str, Query(description="what was replaced by what, as a group by change has it")] = "",
) -> GroupsView:
    """Return the groups with their counts, and the pairs, most likely repeats first, each with its state."""
    names = tuple(sorted(document or ()))
    part = review.QueuePart(QueueFilter(tuple(collection or ())), differs, names, change, by_judge=True)
    return GroupsView.of(caller.base.base, part)


@review_api.post("/review/bulk", summary="Decide many pairs at once", tags=["review"])
def bulk(caller: MayReview, body: BulkBody, key: Key = "") -> BulkOutcomeView:
    """Decide pairs in one transaction; reverting the decision reopens all of them."""
    bulk_request = review.BulkRequest(
        Verb(body.verb), body.to, review.checked_day(body.due), None, body.with_objections
    )
    reviewer = caller.base.as_person(caller.name).because(body.reason, key)
    return BulkOutcomeView.show(reviewer.decide_in_bulk(bulk_request, [(p.flag, p.seen) for p in body.pairs]))


@review_api.get("/review/rules", summary="List review rules", tags=["review"])
def rules(caller: MayRead) -> list[RuleView]:
    """Return the rules in force, newest first; reverting a rule's decision ends it and reopens its pairs."""
    return [RuleView.show(rule) for rule in review.rules(caller.base.base)]


@review_api.post("/review/rules", summary="Add a review rule", tags=["review"], status_code=201)
def add_rule(caller: MayReview, body: RuleBody, key: Key = "") -> RuleMadeView:
    """Keep apart, now and after each ingest, all pairs that differ in one way only."""
    reviewer = caller.base.as_person(caller.name).because(body.reason, key)
    decision, n = reviewer.add_rule(body.collection, ReviewRule(body.differs, tuple(body.documents)))
    return RuleMadeView(seq=decision.seq, n_decided=n)


@review_api.get("/review/throughput", summary="Show each person's throughput", tags=["review"])
def throughput(caller: MayRead) -> list[ThroughputView]:
    """Return pairs decided, pairs per hour and agreement with audits, by person, busiest first."""
    return [ThroughputView.show(row) for row in review.throughput(caller.base.base)]
