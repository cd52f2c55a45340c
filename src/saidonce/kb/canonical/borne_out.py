"""The equivalence judge in canonical collections: what it bears out is said of a flag, and merged if certified."""

from __future__ import annotations

from collections.abc import Sequence

from saidonce.foundation.context import Context
from saidonce.foundation.model import Candidate, Objection
from saidonce.kb.pairs import accords_of_texts
from saidonce.matching.guards import CANONICAL_GUARDS, COVERING_GUARDS, PLACED_GUARDS
from saidonce.matching.ladder import Guard, first_objection


def guards_in_force(context: Context) -> tuple[Guard, ...]:
    """Return the guards of canonical use under the base's settings.

    Where the certificate in force was made with the equivalence judge, they do not object to what it bears out.
    """
    guards = COVERING_GUARDS if context.settings.merge_additions else CANONICAL_GUARDS
    return (_unless_borne_out(context, guards),) if merges_rest_on_judge(context) else guards


def merges_rest_on_judge(context: Context) -> bool:
    """Return whether the certificate in force allows merges on the word of the judge in use."""
    certificate, judge = context.certificate, context.judge
    if certificate is None or context.certificate_flaw or judge is None:
        return False
    return certificate.judge == judge.name


def borne_out_by(context: Context, a: Candidate, b: Candidate) -> str:
    """Return the name of the judge that takes two texts for the same by its stricter threshold; empty without one.

    The pair table is read where it knows the pair. A judge lifts no objection: only wording is left to it.

    Raises:
        ModelUnavailableError: the judge's files failed.
    """
    if context.judge is None or first_objection(PLACED_GUARDS, a, b):
        return ""
    (accord,) = accords_of_texts(context, [(a, b)])
    return accord.judge if accord.is_borne_out else ""


def _unless_borne_out(context: Context, guards: Sequence[Guard]) -> Guard:
    def unless_borne_out(a: Candidate, b: Candidate) -> Sequence[Objection]:
        objections = first_objection(guards, a, b)
        return () if objections and borne_out_by(context, a, b) else objections

    # Decisions name the guards by which they were made.
    unless_borne_out.__name__ = f"{'+'.join(g.__name__ for g in guards)} unless {context.judge and context.judge.name}"
    return unless_borne_out
