"""Decisions in words: what was decided, about which texts, and how many pairs a bulk decision or a rule decided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from saidonce.foundation.context import Context
from saidonce.foundation.model import HEADING, Decision, Detail, Reason, Verb, each_once
from saidonce.kb.review.differences import kind_in_words
from saidonce.kb.review.rules import rule_in_words

SNIPPET = 100

MOST_TEXTS = 3
"""Texts of a decision that are told; the others are counted."""

MOST_FACTS = 2
"""Differing facts of a flag that are shown; the others are counted."""

VERB_LABELS = {
    "merge": "Merged",
    "keep_apart": "Kept both",
    "conflict": "Marked as a conflict",
    "dismiss": "Dismissed",
    "assign": "Assigned",
    "split": "Split",
    "edit": "Edited",
    "approve": "Approval set",
    "own": "Owner set",
    "audit": "Audited",
    "revert": "Taken back",
    "flag": "Sent to review",
    "bulk": "Decided in bulk",
    "rule": "Rule",
}
"""What people read for each verb."""


@dataclass(frozen=True, slots=True)
class NamedText:
    """A text that a decision names.

    Attributes:
        words: its beginning on one line; empty where nothing stores it any more.
        document: its document; empty where that is gone.
    """

    id: str
    words: str
    document: str

    @property
    def quoted(self) -> str:
        """The text with its document, or that it is gone."""
        where = f" ({self.document})" if self.document else ""
        return f"“{self.words}”{where}" if self.words else f"a removed text ({self.id[:8]})"


@dataclass(frozen=True, slots=True)
class DecisionAccount:
    """A decision in words.

    Attributes:
        what: what it did, as a sentence without a full stop.
        texts: those that it names, at most MOST_TEXTS; `n_more` others are named too.
        n_parts: decisions that are its parts.
    """

    decision: Decision
    what: str
    texts: tuple[NamedText, ...]
    n_more: int
    n_parts: int

    @property
    def sentence(self) -> str:
        """What it did, and about which texts."""
        texts = "; ".join(t.quoted for t in self.texts) + (f"; and {self.n_more} more" if self.n_more else "")
        return f"{self.what}: {texts}" if texts else self.what


def accounts(context: Context, decisions: Sequence[Decision]) -> tuple[DecisionAccount, ...]:
    """Return some decisions in words, in their order; costs a few queries for all of them."""
    ledger = context.store.ledger
    targets = {d.seq: d for d in ledger.chosen(sorted({d.reverts for d in decisions if d.reverts is not None}))}
    heads = [d.seq for d in (*decisions, *targets.values()) if d.verb in HEADING or d.verb is Verb.REVERT]
    parts = Counter(d.detail.within for d in ledger.within(sorted(set(heads))))
    named = _texts(context, [m for d in decisions for m in d.members[:MOST_TEXTS]])
    return tuple(
        DecisionAccount(
            d,
            _what(d, targets, parts),
            tuple(named[m] for m in d.members[:MOST_TEXTS]),
            max(0, len(d.members) - MOST_TEXTS),
            parts[d.seq],
        )
        for d in decisions
    )


def undo_in_words(context: Context, revert: Decision) -> str:
    """Return what a revert took back, as a sentence without a full stop."""
    (account,) = accounts(context, [revert])
    return account.what


def _what(decision: Decision, targets: dict[int, Decision], parts: Counter[int | None]) -> str:
    detail = decision.detail
    if decision.verb is Verb.REVERT and decision.reverts in targets:
        target = targets[decision.reverts]
        inner = _what(target, {}, parts)
        return f"Undone: {inner[:1].lower()}{inner[1:]} (decision {target.seq})"
    if decision.verb is Verb.BULK:
        n = parts[decision.seq]
        done = VERB_LABELS.get(detail.because, "decided")
        to = f" to {detail.owner}" if detail.owner else ""
        return f"{done}{to}, {n} pair{'s' if n != 1 else ''} at once"
    if decision.verb is Verb.RULE and detail.rule is not None:
        return f"Rule. {rule_in_words(decision.collection, detail.rule)} {parts[decision.seq]} pairs so far"
    if decision.verb is Verb.FLAG and (why := _why_flagged(detail)):
        return f"{VERB_LABELS[Verb.FLAG]}, {why}"
    return _single(decision)


def _single(decision: Decision) -> str:
    detail, label = decision.detail, VERB_LABELS[decision.verb]
    match decision.verb:
        case Verb.ASSIGN:
            due = f", due {detail.due}" if detail.due else ""
            return f"Assigned to {detail.owner}{due}" if detail.owner else "Assigned to nobody"
        case Verb.AUDIT:
            return f"Audited as {'wrong' if detail.wrong else 'right'} (decision {decision.flag})"
        case Verb.OWN:
            return f"Owner set to {detail.owner}"
        case Verb.APPROVE:
            return f"Approval set to {detail.approval}"
    return label + _REASONS.get((decision.verb, detail.because), "")


_REASONS: Mapping[tuple[Verb, str], str] = {
    (Verb.KEEP_APART, Reason.SIDE_BY_SIDE): ", as two things side by side",
    (Verb.MERGE, Reason.SAME_STATEMENT): ", shown to say the same in other words",
}
"""What is added to the name of a decision that was made for a reason."""


def _why_flagged(detail: Detail) -> str:
    """Return the facts that differ from the nearest text with any, or else the verdict's reason; empty if none is kept.

    What differs counts up to MOST_FACTS; the others are counted.
    """
    differing = each_once(next((near.objections for near in detail.near if near.objections), ()))
    shown = [f"{kind_in_words(o.kind)} {_quoted(o.a.text)} / {_quoted(o.b.text)}" for o in differing[:MOST_FACTS]]
    more = [f"and {len(differing) - MOST_FACTS} more"] if len(differing) > MOST_FACTS else []
    return "; ".join([*shown, *more]) or detail.because.replace("_", " ")


def _quoted(content: str) -> str:
    return f"“{_line(content)}”" if content else "nothing"


def _texts(context: Context, ids: Sequence[str]) -> dict[str, NamedText]:
    members = context.store.ledger.members(sorted(set(ids)))
    named = {id_: NamedText(id_, _line(m.segment.text), m.document) for id_, m in members.items()}
    for id_ in sorted(set(ids) - named.keys()):
        past = context.store.history(id_)
        named[id_] = NamedText(id_, _line(past[-1].segment.text) if past else "", "")
    return named


def _line(content: str) -> str:
    flat = " ".join(content.split())
    return flat if len(flat) <= SNIPPET else f"{flat[: SNIPPET - 1].rstrip()}…"
