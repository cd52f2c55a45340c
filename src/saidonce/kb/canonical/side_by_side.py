"""Room: which near texts a person is not asked about, since the candidate's document shows them to stand apart."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from saidonce.foundation.model import VALUE_KINDS, Kind, Match, Outcome, Step, Verdict
from saidonce.matching.ladder import Case, decide, first_objection, is_one_section


def decide_together(cases: Sequence[Case]) -> list[tuple[Case, Verdict]]:
    """Decide the cases of one document, each with the matches that were left to it.

    A case that would go to a person is decided anew without the near texts from below `duplicate_from` that need no
    question, unless they have the candidate's own words:

    - texts that state another value or name, and that the document has in a place of its own: another of its texts
      joins them, or is the nearer one and near enough to be the same. A text that stood under the candidate's heading,
      where now no such text of the document does, may have been changed there, and is asked about;
    - code with other words or signs under another heading: another example.

    What a text joins stands for its headings, too, when the next one is decided.
    """
    before = [{match.id: match.kept.headings for match in case.matches} for case in cases]
    cases, verdicts = _in_turn(cases)
    here: dict[str, set[str]] = {}
    for case, v in zip(cases, verdicts, strict=True):
        is_near = v.outcome is Outcome.REVIEW and v.similarity >= case.policy.duplicate_from
        if v.outcome is Outcome.DUPLICATE or is_near:
            here.setdefault(v.of, set()).add(case.candidate.section.casefold())
    return [
        _without_others(case, v, {id_ for id_ in here if not _has_left(case, headings.get(id_, ()), here[id_])})
        for case, v, headings in zip(cases, verdicts, before, strict=True)
    ]


def _has_left(case: Case, headings: Sequence[str], now: AbstractSet[str]) -> bool:
    """Return whether a near text stood under the heading of a candidate, and stands elsewhere in its document now.

    Args:
        case: of the candidate.
        headings: of the near text, as other documents have it.
        now: those under which texts of the candidate's document join it or come near it, in small letters.
    """
    own = case.candidate.section.casefold()
    return bool(own) and own in {heading.casefold() for heading in headings} and own not in now


def _in_turn(cases: Sequence[Case]) -> tuple[list[Case], list[Verdict]]:
    """Return the cases with the headings of those before them that joined one of their matches, and their verdicts."""
    joined: dict[str, tuple[str, ...]] = {}
    seen: list[Case] = []
    verdicts: list[Verdict] = []
    for case in cases:
        headed = replace(case, matches=tuple(_under(match, joined.get(match.id, ())) for match in case.matches))
        verdict = decide(headed)
        if verdict.outcome is Outcome.DUPLICATE:
            joined[verdict.of] = (*joined.get(verdict.of, ()), *case.candidate.headings)
        seen.append(headed)
        verdicts.append(verdict)
    return seen, verdicts


def _under(match: Match, headings: tuple[str, ...]) -> Match:
    """Return a match that stands for texts under some more headings."""
    if not headings:
        return match
    return replace(match, kept=replace(match.kept, also_under=(*match.kept.also_under, *headings)))


def _without_others(case: Case, verdict: Verdict, here: AbstractSet[str]) -> tuple[Case, Verdict]:
    if verdict.outcome is not Outcome.REVIEW:
        return case, verdict
    left = tuple(match for match in case.matches if not _stands_apart(case, match, here))
    if len(left) == len(case.matches):
        return case, verdict
    alone = replace(case, matches=left)
    decided = decide(alone)
    n = len(case.matches) - len(left)
    step = Step(
        "side_by_side", f"{n} near texts are listed as different by the document", verdict.of, verdict.similarity
    )
    return alone, replace(decided, trail=(step, *decided.trail))


def _stands_apart(case: Case, match: Match, here: AbstractSet[str]) -> bool:
    mine, kept = case.candidate, match.kept
    if match.similarity >= case.policy.duplicate_from or mine.content_hash in (kept.content_hash, *match.hashes):
        return False
    objections = first_objection(case.guards, mine, kept)
    if match.id in here:
        return any(o.kind in VALUE_KINDS for o in objections)
    is_elsewhere = bool(mine.section and kept.section) and not is_one_section(mine, kept)
    return mine.kind is kept.kind is Kind.CODE and is_elsewhere and bool(objections)
