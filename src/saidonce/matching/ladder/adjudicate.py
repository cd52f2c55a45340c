"""Rung 5: an adjudicator's ruling, which may pick only what the policy lets it, and never past a guard."""

from __future__ import annotations

from saidonce.foundation.model import Objection, Opinion, Outcome, Question, Reason, Ruling, Shown, Step
from saidonce.matching.ladder.rung import Case, Finding


def adjudicate(case: Case) -> Finding:
    """Settle as the ruling says, if the policy allows it and no guard objects.

    A ruling that is absent, failed, unsure, or names a match that was not shown is no ruling.
    """
    top = case.matches[0]
    if not is_asked(case):
        return Finding(Step("adjudicate", "not asked", top.id, top.similarity), case)
    ruling = case.ruling
    if ruling is None or ruling.failure is not None or ruling.opinion is Opinion.UNSURE:
        return _unsettled(case, Reason.NO_RULING, _why_none(ruling))
    return _cleared(case, ruling) if ruling.opinion is Opinion.DISTINCT else _joined(case, ruling)


def is_asked(case: Case) -> bool:
    """Return whether an adjudicator is asked about a case that no rung below has settled."""
    policy = case.policy
    return policy.asks and (policy.asks_above or case.matches[0].similarity < policy.duplicate_from)


def question(case: Case) -> Question:
    """Return what the adjudicator is asked: the matches that are near enough, each with what the guards say of it."""
    near = [m for m in case.matches if m.similarity >= case.policy.clear_below]
    objections = dict(case.objections)
    return Question(case.candidate, tuple(Shown(m, objections.get(m.id, ())) for m in near))


def _cleared(case: Case, ruling: Ruling) -> Finding:
    top = case.matches[0]
    if Outcome.DISTINCT not in case.policy.may_rule:
        return _unsettled(case, Reason.UNSURE, "says distinct, and may only propose it")
    step = Step("adjudicate", f"ruled distinct, confidence {ruling.confidence:g}", top.id, top.similarity)
    return Finding(step, case, Outcome.DISTINCT, Reason.LLM_CLEARED)


def _joined(case: Case, ruling: Ruling) -> Finding:
    shown = {s.match.id: s for s in question(case).shown}
    if ruling.of not in shown:
        return _unsettled(case, Reason.NO_RULING, "the ruling names a match that was not shown")
    if Outcome.DUPLICATE not in case.policy.may_rule:
        return _unsettled(case, Reason.UNSURE, "says duplicate, and may only propose it")
    if shown[ruling.of].objections:
        # Where an objection holds back no duplicate, the ruling is what keeps the candidate out; elsewhere a person is
        # asked because of the objection.
        blocks = case.policy.on_objection is Outcome.DUPLICATE
        because = Reason.RULED_DUPLICATE if blocks else Reason.OBJECTION
        return _unsettled(case, because, "says duplicate, past an objection", shown[ruling.of].objections)
    step = Step("adjudicate", "ruled duplicate", ruling.of, shown[ruling.of].match.similarity)
    return Finding(step, case, Outcome.DUPLICATE, Reason.RULED_DUPLICATE, ruling.of)


def _why_none(ruling: Ruling | None) -> str:
    if ruling is None:
        return "no ruling: nobody was asked"
    return f"no ruling: {ruling.failure or 'unsure'}"


def _unsettled(case: Case, because: Reason, finding: str, objections: tuple[Objection, ...] = ()) -> Finding:
    top = case.matches[0]
    from_case = case.because(because)
    return Finding(Step("adjudicate", finding, top.id, top.similarity, objections), from_case)
