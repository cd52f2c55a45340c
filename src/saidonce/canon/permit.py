"""Whether the ladder may merge without asking: the switch, the certificate and the audit."""

from __future__ import annotations

from saidonce.base import Base
from saidonce.certify import Audit, audited
from saidonce.model import Verb

MOST_AUDITED = 10_000
"""Audits that are read; as many newest ones as decide anything."""


def withheld(base: Base) -> str:
    """Say why nothing may be merged without a person now; empty if it may."""
    s = base.settings
    if not s.auto_merge:
        return "automatic merging is switched off (setting auto_merge)"
    if s.require_certificate and (base.certificate is None or base.certificate_flaw):
        return base.certificate_flaw or "no certificate is given (setting certificate)"
    if audit_of(base).alarmed(s.audit_delta):
        return "the audit found more wrong merges than it tolerates; calibrate again before merging automatically"
    return ""


def audit_of(base: Base) -> Audit:
    """The audit of automatic merges so far, under the certificate in force: one step for each judged merge."""
    ledger = base.store.ledger
    named = base.certificate.digest if base.certificate is not None else ""
    rulings = [d for d in reversed(ledger.decisions([Verb.AUDIT], limit=MOST_AUDITED)) if d.live]
    audit = Audit()
    for ruling in rulings:
        merged = ledger.decision(ruling.flag or 0)
        if merged is not None and merged.certificate == named and ruling.detail.wrong is not None:
            audit = audited(audit, ruling.detail.wrong, base.settings.audit_alpha)
    return audit
