"""Drafts that wait for their turn: two problems are asked about one after another, and filed once each."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from saidonce.foundation.model.conversation import (
    Gathering,
    IssueDraft,
    OutboxKind,
    Path,
    PhotoStatus,
    Slot,
    Tool,
)
from saidonce.repairs.conversation import lexicon, problems, wording
from saidonce.repairs.conversation.problems import Trouble
from saidonce.repairs.conversation.view import Plan, ResidentReply, TurnView

MOST_DRAFTS = 5
"""Problems of one conversation at the same time; further ones stay in the words of the open one."""

SETTLED = ("withdrawn", "draft_expired")
"""Reasons of turns that end a draft without an issue."""


def with_problems(view: TurnView) -> TurnView:
    """Return the view with a draft for each further problem in its messages; the open draft keeps the rest."""
    view = _with_places(view)
    of = view.conversation
    if not view.texts or len(of.more_drafts) >= MOST_DRAFTS:
        return view
    if of.draft.since and of.draft.description is not None:
        others = _beside_open(view)
    else:
        first, *others = problems.troubles(view.texts, view.language) or (Trouble(()),)
        view = _with_first(view, first) if others else view
        of = view.conversation
    if not others:
        return view
    since = of.draft.since or min(i.seq for i in view.new)
    taken = tuple(c for t in others for c in t.clauses)
    draft = replace(of.draft, since=since, not_mine=(*of.draft.not_mine, *taken))
    queue = (*of.more_drafts, *map(_draft, others))[:MOST_DRAFTS]
    texts = problems.texts_of((), taken, view.texts_of_draft or view.texts)
    return replace(view, conversation=replace(of, draft=draft, more_drafts=queue), texts_of_draft=texts)


def queued_plan(view: TurnView, before: TurnView) -> Plan | None:
    """Return the plan for a message that only adds another problem while a photo is awaited; None otherwise."""
    n_more = len(view.conversation.more_drafts) - len(before.conversation.more_drafts)
    if n_more < 1 or before.conversation.gathering is not Gathering.AWAITING_PHOTO or view.photos:
        return None
    added = view.conversation.more_drafts[-n_more:]
    rest = problems.texts_of((), view.conversation.draft.not_mine, view.texts)
    if any(lexicon.declines(t) or lexicon.puts_off(t) for t in rest):
        return None
    replies = tuple(ResidentReply(OutboxKind.REPLY, wording.second_noted(_headline(d))) for d in added)
    return Plan(view.conversation, Path.FAST, Tool.RESPOND, "another_problem", replies, effects=("queued",) * n_more)


def with_next(view: TurnView, plan: Plan) -> Plan:
    """Return a plan that, after a report is filed or taken back, goes on with the next problem."""
    of = plan.conversation
    is_free = not of.draft.since and of.handed_off_at is None and plan.path is not Path.EMERGENCY
    is_settled = plan.issue is not None or plan.extended is not None or plan.reason in SETTLED
    if not (of.more_drafts and is_free and is_settled and of.tenancy_id):
        return plan
    first, *rest = of.more_drafts
    since = max([of.seen, *(i.seq for i in view.new)]) + 1
    draft, replies = _begun(replace(first, since=since))
    after = replace(
        of, draft=draft, more_drafts=tuple(rest), gathering=_gathering(draft), is_nudged=not replies,
        draft_expires_at=view.now + timedelta(seconds=_life_s(view, draft) if replies else 1.0),
    )  # fmt: skip
    return replace(plan, conversation=after, replies=(*plan.replies, *replies), effects=(*plan.effects, "next_problem"))


def _gathering(draft: IssueDraft) -> Gathering:
    return Gathering.AWAITING_PHOTO if draft.is_full else Gathering.GATHERING_DETAILS


def _life_s(view: TurnView, draft: IssueDraft) -> float:
    return view.rules.photo_ttl_s if draft.is_full else view.rules.details_ttl_s


def _begun(draft: IssueDraft) -> tuple[IssueDraft, tuple[ResidentReply, ...]]:
    """Return the next draft with the question about it; none if nothing is missing, and it can be filed at once."""
    what = _headline(draft)
    if not draft.is_full:
        return replace(draft, detail_asks=1), (ResidentReply(OutboxKind.REPLY, wording.next_where(what)),)
    if draft.photo in (PhotoStatus.DECLINED, PhotoStatus.PROVIDED):
        return draft, ()
    question = ResidentReply(OutboxKind.REPLY, wording.next_photo(what), wording.PHOTO_BUTTONS)
    return replace(draft, photo=PhotoStatus.ASKED), (question,)


def _with_places(view: TurnView) -> TurnView:
    """Return the view with the places that its messages give to queued problems: "and the door is the bathroom's"."""
    of = view.conversation
    known = problems.things_in(_headline(of.draft))
    queue, taken = list(of.more_drafts), []
    for clause in (c for t in view.texts for c in problems.clauses(t)) if queue else ():
        its, place = problems.things_in(clause), problems.place_of(clause)
        if not place or not its or its & known or problems.is_trouble(clause, view.language):
            continue
        at = next((n for n, d in enumerate(queue) if d.location is None and its & problems.things_in(_headline(d))), -1)
        if at >= 0:
            queue[at] = replace(queue[at], location=Slot(place, place), own=(*queue[at].own, clause))
            taken.append(clause)
    if not taken:
        return view
    draft = replace(of.draft, not_mine=(*of.draft.not_mine, *taken))
    texts = problems.texts_of((), taken, view.texts_of_draft or view.texts)
    new = tuple(replace(i, text=problems.without(i.text, taken).strip(" ,;")) if i.text else i for i in view.new)
    after = replace(of, draft=draft, more_drafts=tuple(queue))
    return replace(view, conversation=after, texts_of_draft=texts, new=new)


def _beside_open(view: TurnView) -> list[Trouble]:
    """Return the problems in new messages that are others than the open draft's and the queued ones."""
    draft = view.conversation.draft
    assert draft.description is not None
    place = draft.location.value if draft.location else ""
    known = " ".join([draft.description.value, *(t for d in view.conversation.more_drafts for t in d.own)])
    others: list[Trouble] = []
    for message in view.texts:
        for clause in problems.clauses(message):
            if problems.is_another(known, place, clause, message, view.language):
                others.append(Trouble((clause,), problems.place_of(clause)))
    return others


def _with_first(view: TurnView, first: Trouble) -> TurnView:
    """Return the view with the place of the first problem, and with its words if nothing but they name it."""
    draft = view.conversation.draft
    if draft.location is not None or not first.place:
        return view
    draft = replace(draft, location=Slot(first.place, first.place))
    if draft.description is None and not problems.things_in(first.text):
        draft = replace(draft, description=Slot(first.clauses[0], first.clauses[0]))
    return replace(view, conversation=replace(view.conversation, draft=draft))


def _draft(trouble: Trouble) -> IssueDraft:
    what, where = problems.slots_of(trouble)
    return IssueDraft(what or Slot(trouble.text, trouble.clauses[0]), where, own=trouble.clauses)


def _headline(draft: IssueDraft) -> str:
    return draft.description.value if draft.description else " ".join(draft.own)
