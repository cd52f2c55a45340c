"""Duplicate check of issues: one that resembles an open issue is shown to a person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from saidonce.foundation.model import Outcome
from saidonce.foundation.model.conversation import Issue
from saidonce.foundation.model.residents import Property
from saidonce.foundation.ports import Embedder
from saidonce.foundation.ports.conversations import Conversations
from saidonce.foundation.settings.policy import CANONICAL, GATE
from saidonce.repairs.conversation.rules import Rules
from saidonce.repairs.conversation.similar_texts import candidate, compare

ISSUES = replace(CANONICAL, use="issues", clear_below=GATE.clear_below, same_from=1.0)
"""Reports are short and freely worded, so review begins at the gate's lower threshold."""


@dataclass(frozen=True, slots=True)
class IssueDuplicates:
    """Find the open issue of the unit, or else of the building, that a new one repeats; see `Neighbours`.

    Costs an embedding of the new issue and of each open issue of the building.
    """

    store: Conversations
    embedder: Embedder
    rules: Rules

    def __call__(self, issue: Issue, open_issues: Sequence[Issue]) -> tuple[str, str]:
        """Return (outcome, id): outcome "duplicate", "review" or "distinct"; id of the open issue, or empty."""
        properties = {home.property.id: home.property for home in self.store.homes()}
        here = properties.get(issue.property_id)
        unit = [i for i in open_issues if i.property_id == issue.property_id]
        building = [
            i for i in open_issues
            if i.property_id != issue.property_id and _share_building(here, properties.get(i.property_id))
        ]  # fmt: skip
        for others, within_s in ((unit, self.rules.same_unit_s), (building, self.rules.same_building_s)):
            since = issue.created_at - timedelta(seconds=within_s)
            outcome, of = self._nearest(issue, [i for i in others if i.created_at >= since and i.id != issue.id])
            if outcome is not Outcome.DISTINCT:
                return outcome.value, of
        return Outcome.DISTINCT.value, ""

    def _nearest(self, issue: Issue, others: Sequence[Issue]) -> tuple[Outcome, str]:
        if not others:
            return Outcome.DISTINCT, ""
        ordered = sorted(others, key=lambda i: i.id)
        mine, *theirs = (candidate(_report_text(i)) for i in (issue, *ordered))
        vectors = self.embedder.embed([c.text for c in (mine, *theirs)])
        candidates = [(i.id, c) for i, c in zip(ordered, theirs, strict=True)]
        verdict = compare(mine, candidates, vectors, ISSUES)
        return verdict.outcome, verdict.of


def _report_text(issue: Issue) -> str:
    return f"{issue.description}. {issue.location}".strip(". ")


def _share_building(a: Property | None, b: Property | None) -> bool:
    if a is None or b is None:
        return False
    by_name = bool(a.building.strip()) and a.building.casefold().split() == b.building.casefold().split()
    return by_name or a.address.casefold().split() == b.address.casefold().split()
