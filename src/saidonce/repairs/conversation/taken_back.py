"""A report taken back beside another matter in the same message: "forget the tap, but the oven is cold".

What goes is named in so many words, or is the report that is open; all other clauses are read as if they stood alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from saidonce.foundation.model.conversation import Gathering, IssueDraft, OutboxKind, Path, Tool
from saidonce.repairs.conversation import lexicon, wording
from saidonce.repairs.conversation.acts import SpeechAct, shown_by
from saidonce.repairs.conversation.problems import clauses, is_another, is_trouble, texts_of, things_in, without
from saidonce.repairs.conversation.standing_reports import standing_plan
from saidonce.repairs.conversation.view import Plan, ResidentReply, TurnView


@dataclass(frozen=True, slots=True)
class TakenBack:
    """A withdrawal that stands beside another problem.

    Attributes:
        plan: what is taken back, in the state that the rest begins with.
        rest: the turn without those words.
    """

    plan: Plan
    rest: TurnView


def taken_back_beside(view: TurnView) -> TakenBack | None:
    """Return a withdrawal and what else the messages report; None unless they do both."""
    if not view.texts or view.photos:
        return None
    gone, kept = _split(view)
    new = [c for c in kept if is_trouble(c, view.language)]
    named = frozenset(thing for c in gone for thing in things_in(c))
    if not gone or not new:
        return None
    plan = _dropped(view, new, named) if view.conversation.draft.since else _filed(view, gone)
    return TakenBack(plan, _rest(replace(view, conversation=plan.conversation), gone)) if plan is not None else None


def _split(view: TurnView) -> tuple[list[str], list[str]]:
    """Return the clauses that take something back, with what is said of it, and all others."""
    gone: list[str] = []
    kept: list[str] = []
    for message in view.texts:
        into = kept
        for clause in clauses(message):
            if lexicon.takes_back(clause, view.language) or _names_what_goes(view, clause):
                into = gone
            elif is_trouble(clause, view.language):
                into = kept
            into.append(clause)
    return gone, kept


def _names_what_goes(view: TurnView, clause: str) -> bool:
    """Return whether a clause sets a thing aside that is reported: "forget the tap"."""
    if not shown_by(SpeechAct.TAKE_BACK_THING, clause, view.language):
        return False
    of = view.conversation
    reported = [d.description.value for d in (of.draft, *of.more_drafts) if d.description]
    reported += [i.description for i in view.open_issues if i.tenancy_id == of.tenancy_id]
    return any(things_in(clause) & things_in(text) for text in reported)


def _dropped(view: TurnView, new: Sequence[str], named: frozenset[str]) -> Plan | None:
    """Return the plan that drops the open problems that are named, or the one in hand; None if none of them is."""
    of = view.conversation
    drafts = (of.draft, *of.more_drafts)
    things = [things_in(_headline(d)) for d in drafts]
    out = [d for d, its in zip(drafts, things, strict=True) if named & its] if named else [of.draft]
    is_known = any(its & things_in(c) for d, its in zip(drafts, things, strict=True) if d not in out for c in new)
    if not out or is_known or not all(_is_other(d, c, view.language) for d in out for c in new):
        return None
    after = replace(of, more_drafts=tuple(d for d in of.more_drafts if d not in out))
    if of.draft in out:
        after = replace(after, draft=IssueDraft(), draft_expires_at=None, is_nudged=False, gathering=Gathering.IDLE)
    replies = (ResidentReply(OutboxKind.REPLY, wording.PART_WITHDRAWN),)
    return Plan(after, Path.FAST, Tool.RESPOND, "withdrawn", replies, effects=("withdrawn:part",))


def _is_other(draft: IssueDraft, clause: str, language: str) -> bool:
    """Return whether a clause reports another problem than a draft's: another thing, or the same one elsewhere."""
    place = draft.location.value if draft.location else ""
    return is_another(_headline(draft), place, clause, clause, language)


def _headline(draft: IssueDraft) -> str:
    return draft.description.value if draft.description else " ".join(draft.own)


def _filed(view: TurnView, gone: Sequence[str]) -> Plan | None:
    """Return the plan that takes a filed report back; None unless it is clear which one."""
    plan = standing_plan(_with_texts(view, {t: ", ".join(c for c in gone if c in t) for t in view.texts}))
    return plan if plan is not None and plan.withdrawn else None


def _rest(view: TurnView, gone: Sequence[str]) -> TurnView:
    """Return the turn without words that took something back; its draft leaves them out later, too."""
    of = view.conversation
    since = of.draft.since or min(i.seq for i in view.new)
    draft = replace(of.draft, since=since, not_mine=(*of.draft.not_mine, *gone))
    cut = {t: without(t, [c for c in gone if c in t]).strip(" ,;") for t in view.texts}
    open_texts = view.texts_of_draft if of.draft.since else view.texts
    seen = _with_texts(view, cut)
    return replace(seen, conversation=replace(of, draft=draft), texts_of_draft=texts_of((), gone, open_texts))


def _with_texts(view: TurnView, words: dict[str, str]) -> TurnView:
    new = tuple(replace(i, text=words.get(i.text, i.text)) if i.text.strip() else i for i in view.new)
    return replace(view, new=new)
