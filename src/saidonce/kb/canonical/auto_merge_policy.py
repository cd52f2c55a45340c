"""Conditions for merging without a person: the setting, the certificate and the audit."""

from __future__ import annotations

from saidonce.foundation import text
from saidonce.foundation.certificate import Audit, record_audit
from saidonce.foundation.context import Context
from saidonce.foundation.model import POLICY, Decision, Verb
from saidonce.kb.canonical.match import canonical_policy

MOST_AUDITED = 10_000
"""Audits and reversals by people that are read, newest first."""


def why_not_automatic(context: Context, audit: Audit | None = None) -> str:
    """Return the reason for merging nothing without a person now; empty if merging is allowed.

    Args:
        context: wired ports.
        audit: result of `audit_state`, if known already.
    """
    s = context.settings
    if not s.auto_merge:
        return "automatic merging is switched off (setting auto_merge)"
    if s.require_certificate and (context.certificate is None or context.certificate_flaw):
        return context.certificate_flaw or "there is no certificate (setting certificate)"
    so_far = audit if audit is not None else audit_state(context)
    if so_far.alarmed(s.audit_delta):
        return "the audit found too many wrong merges; calibrate again before merging automatically"
    return ""


def why_not_automatic_for(context: Context, adjudicator: str, similarity: float) -> str:
    """Return the reason against a merge of two texts on an adjudicator's opinion alone; empty if allowed.

    A certificate speaks of similarities from its threshold on, where no opinion is asked; below it nothing is
    certified. Each adjudicator has an audit of its own: a bad one stops itself, and not the ladder.
    """
    if reason := why_not_automatic(context):
        return reason
    if context.settings.require_certificate and similarity < canonical_policy(context).duplicate_from:
        return "the certificate does not cover this similarity"
    if audit_state(context, adjudicator).alarmed(context.settings.audit_delta):
        return "the audit found too many wrong merges by this adjudicator; train or choose another"
    return ""


def is_audit_sample(context: Context, member: str, *others: str) -> bool:
    """Return whether an automatic merge belongs to the audit sample: by its texts, not by chance."""
    return int(text.digest("audit", member, *others)[:12], 16) / 16**12 < context.settings.audit_share


def audit_state(context: Context, adjudicator: str = "") -> Audit:
    """Return the audit of automatic merges so far, one step for each judged merge.

    Only merges of the audit sample count. An audit judges a merge; without one, a revert of the merge or a split of
    its two texts by a person judges it wrong.

    Args:
        context: wired ports.
        adjudicator: restricts the audit to merges by its opinions; by default to the ladder's own merges under
            the certificate in force.
    """
    named = context.certificate.digest if context.certificate is not None else ""
    audit = Audit()
    for merge, wrong in _audited_merges(context):
        by = merge.detail.ruling.adjudicator if merge.detail.ruling is not None else ""
        if merge.detail.sampled and by == adjudicator and (by or merge.certificate == named):
            audit = record_audit(audit, wrong, context.settings.audit_alpha)
    return audit


def _audited_merges(context: Context) -> list[tuple[Decision, bool]]:
    """Return automatic merges judged by people, in the order of their first judgement, and whether each was wrong."""
    ledger = context.store.ledger
    newest_first = ledger.decisions([Verb.AUDIT, Verb.REVERT, Verb.SPLIT], limit=MOST_AUDITED)
    rulings = [d for d in reversed(newest_first) if d.live and d.actor != POLICY]
    about = {seq for d in rulings if (seq := d.flag if d.verb is Verb.AUDIT else d.reverts) is not None}
    parted = sorted({m for d in rulings if d.verb is Verb.SPLIT for m in d.members})
    merges = {d.seq: d for d in (*ledger.chosen(sorted(about)), *ledger.concerning(parted)) if _is_automatic(d)}
    by_text: dict[str, list[Decision]] = {}
    for merge in merges.values():
        for member in merge.members[:2]:
            by_text.setdefault(member, []).append(merge)
    audits = {d.flag: d for d in rulings if d.verb is Verb.AUDIT}
    judged: dict[int, bool] = {}
    for d in rulings:
        if d.verb is Verb.SPLIT:
            earlier = {m.seq: m for each in d.members for m in by_text.get(each, ()) if m.seq < d.seq}
            affected = [m for m in earlier.values() if len(set(m.members[:2]).intersection(d.members)) == 1]
        else:
            affected = [merges[seq] for seq in (d.flag, d.reverts) if seq in merges]
        for merge in affected:
            audit = audits.get(merge.seq)
            judged.setdefault(merge.seq, bool(audit.detail.wrong) if audit is not None else True)
    return [(merges[seq], wrong) for seq, wrong in judged.items()]


def _is_automatic(d: Decision) -> bool:
    return d.verb is Verb.MERGE and d.actor == POLICY
