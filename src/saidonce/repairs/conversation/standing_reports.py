"""Reports filed before: asked after, back again, taken back, corrected. Code finds the issue and tells its state.

Only issues of the resident's own tenancy are found, closed ones of late included.
"""

from __future__ import annotations

import re
from dataclasses import replace

from saidonce.foundation.model.conversation import (
    WITHDRAWN,
    Category,
    Conversation,
    Gathering,
    Issue,
    IssueState,
    LandlordEvent,
    OutboxKind,
    Path,
    Slot,
    Tool,
)
from saidonce.foundation.text import terms, words
from saidonce.repairs.conversation import corrections, lexicon, slots, vulnerable, wording
from saidonce.repairs.conversation.acts import SpeechAct, first_shown, shown_by
from saidonce.repairs.conversation.executor import CLOSED, turn_id
from saidonce.repairs.conversation.problems import clauses, is_trouble, place_of, things_in
from saidonce.repairs.conversation.progress_replies import reopening
from saidonce.repairs.conversation.questions import asks
from saidonce.repairs.conversation.view import NoticeDraft, Plan, ResidentReply, TurnView

MAX_BARE_WORDS = 3
"""Words of a message that names a thing and says nothing else."""

_OTHERS = (SpeechAct.MOVING_OUT, SpeechAct.OTHER_TROUBLE, SpeechAct.THANKS, SpeechAct.NOD)
"""What is no fact about a report, however it begins."""

_GOES_ON = re.compile(
    r"(?i)^\W*(?:and|also|oh and|p\.?s\b|btw|by the way|(?:i )?forgot to (?:say|mention|add)"
    r"|one more thing|should have said)\b"
    r"|\b(?:code|number|pin) is \w*\d|\b(?:home|in|free|back|here) (?:after|before|from|until|till|between|on)\b"
)

_DAY = (
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|tues?|weds?|thurs?|fri|sat)|tomorrow|next week|weekends?)"
)
_OTHER_TIME = re.compile(
    rf"(?i)\b{_DAY}\b.{{0,40}}\b(?:instead|please|pls|fine|ok|okay|better|works|suits?|good|bad|after|before|from|between"
    r"|mornings?|afternoons?|evenings?|only|\d{1,2})\b"
    rf"|\b(?:can't|cant|cannot|not) (?:do|make|in|home|at home) (?:on |it )?{_DAY}\b"
)
"""When somebody is in after all; a day by itself may belong to anything."""

_LEAD = re.compile(r"(?i)^\W*(?:(?:and|also|oh|btw|by the way)\W+)+")

MOST_LISTED = 3
"""Issues whose state is told at once."""

_TRADES = {
    "plumber": Category.PLUMBING, "electrician": Category.ELECTRICAL, "sparky": Category.ELECTRICAL,
    "locksmith": Category.SECURITY, "glazier": Category.SECURITY, "exterminator": Category.PESTS,
}  # fmt: skip


def standing_plan(view: TurnView) -> Plan | None:
    """Return the plan for a message about a filed report; None if it is about none, or a report is open."""
    if not view.texts:
        return None
    rules = (_taken_back, _corrected, _back_again, _asked_after, _named_with_a_question_mark, _more_facts)
    return next((plan for rule in rules if (plan := rule(view)) is not None), None)


def own_issues(view: TurnView) -> tuple[Issue, ...]:
    """Return the issues that the resident may ask after, the latest last."""
    of = view.conversation
    everything = (*view.closed_issues, *view.open_issues)
    mine = [i for i in everything if i.conversation_id == of.id or i.tenancy_id == of.tenancy_id]
    return tuple(sorted(mine, key=lambda i: (i.state not in CLOSED, i.created_at)))


def meant(view: TurnView, text: str) -> tuple[Issue, ...]:
    """Return the issues that words mean: those with most of their words, a trade's, or without any the last one.

    Empty if the words name a thing that is in none.
    """
    mine = own_issues(view)
    scores = {i.id: _likeness(text, i) for i in mine}
    best = max(scores.values(), default=0)
    if best > 0:
        return tuple(i for i in mine if scores[i.id] == best)
    if things_in(text):
        return ()
    last = tuple(i for i in mine if i.id == view.conversation.issue_id)
    still_open = tuple(i for i in mine if i.state not in CLOSED)
    return last or still_open or mine[-1:]


def _likeness(text: str, issue: Issue) -> int:
    """Count the words that a text shares with an issue, without vague ones; a trade counts as one."""
    known = set(terms(f"{issue.description} {issue.location}"))
    clear = " ".join(w for w in words(text) if w not in lexicon.VAGUE)
    place = place_of(text)
    if place and issue.location and not set(terms(place)) & known:
        return 0
    asked = {t for t in terms(clear) if not t.isdigit()}
    trade = any(_TRADES.get(w.removesuffix("s")) is issue.category for w in words(text))
    shared = asked & known
    things = things_in(text)
    if things and not things & things_in(f"{issue.description} {issue.location}") and not trade:
        return 0
    return max(len(shared), len(things & things_in(issue.description))) + trade


def _is_busy(view: TurnView) -> bool:
    return view.conversation.gathering in (Gathering.GATHERING_DETAILS, Gathering.AWAITING_PHOTO)


def _asked_after(view: TurnView) -> Plan | None:
    quote = first_shown(SpeechAct.ASK_AFTER, view.texts, view.language)
    if not quote:
        return None
    text = " ".join(view.texts)
    issues = meant(view, text)
    if not issues:
        return _nothing_stands(view, text)
    shown = issues[-MOST_LISTED:]
    replies = [ResidentReply(OutboxKind.REPLY, _state(view, i)) for i in shown]
    news = [t for t in view.texts if _adds(t, quote)]
    if len(shown) == 1 and news:
        return _added(view, shown[0], "asked_after", tuple(replies))
    day = f"{view.now:%Y-%m-%d}"
    open_ = [i for i in shown if i.state not in CLOSED]
    notices = tuple(NoticeDraft(LandlordEvent.ISSUE_ASKED_AFTER, f"{i.id}:{day}", i.id) for i in open_)
    replies += [ResidentReply(OutboxKind.REPLY, wording.passed_question(i)) for i in open_[:1]]
    if view.agreed:
        replies.append(ResidentReply(OutboxKind.REPLY, wording.person_wrote(view.agreed)))
    return Plan(view.conversation, Path.FAST, Tool.RESPOND, "asked_after", tuple(replies), notices=notices)


def asked_of_known(view: TurnView) -> Plan | None:
    """Return the plan for a question that no document answers and that names the thing of one known report only.

    Its state is told, and the question passed on with it. None if a fault is named: that may be news.
    """
    text = " ".join(view.texts)
    named = things_in(text)
    known = [i for i in own_issues(view) if named and named <= things_in(f"{i.description} {i.location}")]
    if len(known) != 1 or known[0].state in CLOSED or _is_busy(view) or view.photos:
        return None
    if lexicon.names_fault(text) or shown_by(SpeechAct.FAULT, text, view.language):
        return None
    return _with_state(view, known[0])


def _named_with_a_question_mark(view: TurnView) -> Plan | None:
    """Return the plan for a message that is nothing but a thing of a known report and a question mark: "shower??"."""
    if len(view.texts) != 1 or _is_busy(view):
        return None
    text = view.texts[0]
    rest = [w for w in words(text) if w not in ("the", "my", "our", "and", "about", "hello", "hi")]
    is_bare = text.rstrip().endswith("?") and 0 < len(rest) <= MAX_BARE_WORDS and bool(things_in(text))
    issues = [i for i in own_issues(view) if is_bare and things_in(text) <= things_in(f"{i.description} {i.location}")]
    if not issues or lexicon.names_fault(text):
        return None
    return _with_state(view, issues[-1])


def _with_state(view: TurnView, issue: Issue) -> Plan:
    """Return the plan that tells the state of a report, and passes the question on while it is open."""
    replies = [ResidentReply(OutboxKind.REPLY, _state(view, issue))]
    if issue.state in CLOSED:
        return Plan(view.conversation, Path.FAST, Tool.RESPOND, "asked_after", tuple(replies))
    replies.append(ResidentReply(OutboxKind.REPLY, wording.passed_question(issue)))
    notice = NoticeDraft(LandlordEvent.ISSUE_ASKED_AFTER, f"{issue.id}:{view.now:%Y-%m-%d}", issue.id)
    return Plan(view.conversation, Path.FAST, Tool.RESPOND, "asked_after", tuple(replies), notices=(notice,))


def _more_facts(view: TurnView) -> Plan | None:
    """Return the plan that adds what is said right after a report was filed: "and the gate code is 7733".

    The words have to show that they go on: by how they begin, or by saying when or by which number somebody is reached.
    """
    last = next((i for i in own_issues(view) if i.id == view.conversation.issue_id and i.state not in CLOSED), None)
    if last is None or view.conversation.gathering is not Gathering.ISSUE_CREATED:
        return None
    if not all(_goes_on(t) and lexicon.tells(t) and not t.rstrip().endswith("?") for t in view.texts):
        return None
    each = [c for t in view.texts for c in clauses(t)]
    if any(is_trouble(c, view.language) for c in each) or any(asks(t) for t in view.texts):
        return None
    bare = [_LEAD.sub("", t) for t in view.texts]
    if any(first_shown(act, texts, view.language) for act in _OTHERS for texts in (view.texts, bare)):
        return None
    return _added(view, last, "added", (ResidentReply(OutboxKind.REPLY, wording.added(last)),))


def _goes_on(text: str) -> bool:
    return _GOES_ON.search(text) is not None or _OTHER_TIME.search(text) is not None


def _nothing_stands(view: TurnView, text: str) -> Plan | None:
    """Return the plan for a question about no known report: what a person agreed, or that there is none."""
    if view.agreed:
        replies = (ResidentReply(OutboxKind.REPLY, wording.person_wrote(view.agreed)),)
        return Plan(view.conversation, Path.FAST, Tool.RESPOND, "asked_after_agreed", replies)
    if _is_busy(view) or (things_in(text) and shown_by(SpeechAct.FAULT, text, view.language)):
        return None
    replies = (ResidentReply(OutboxKind.REPLY, wording.NOTHING_STANDS),)
    return Plan(view.conversation, Path.FAST, Tool.RESPOND, "asked_after_nothing", replies)


def _back_again(view: TurnView) -> Plan | None:
    if _is_busy(view):
        return None
    text = " ".join(view.texts)
    issues = meant(view, text) if first_shown(SpeechAct.AGAIN, view.texts, view.language) else _still_so(view, text)
    if not issues:
        return None
    issue = issues[-1]
    if issue.state not in CLOSED and issue.review != WITHDRAWN:
        return _added(view, issue, "still_there", (ResidentReply(OutboxKind.REPLY, wording.added(issue)),))
    plan = _added(view, issue, "reopened", (ResidentReply(OutboxKind.REPLY, wording.reopened(issue)),))
    notice = NoticeDraft(LandlordEvent.ISSUE_REOPENED, turn_id(view), issue.id)
    advance = reopening(view, issue, text)
    return replace(plan, notices=(notice,), advances=(advance,), effects=(*plan.effects, f"reopened:{issue.id}"))


def _still_so(view: TurnView, text: str) -> tuple[Issue, ...]:
    """Return the issue of which a message says that something still is, its things in that issue; else none.

    Open ones come first; one that is done is found if the message says that it never was.
    """
    things = things_in(text)
    if not things or "still" not in words(text) or any(asks(t) for t in view.texts):
        return ()
    known = (i for i in own_issues(view) if i.state is not IssueState.CANCELLED and i.review != WITHDRAWN)
    return tuple(i for i in known if things <= things_in(f"{i.description} {i.location}"))[-1:]


def _taken_back(view: TurnView) -> Plan | None:
    """Take a filed report back: a person sees it, and decides; nothing is deleted."""
    if _is_busy(view) or view.photos:
        return None
    shown = [c for t in view.texts for c in (t, *clauses(t)) if lexicon.takes_back(c, view.language)]
    if not shown:
        return None
    mine = [i for i in meant(view, shown[0]) if i.state not in CLOSED]
    rest = [c for t in view.texts for c in clauses(t) if c not in shown and shown[0] != t]
    if any(shown_by(SpeechAct.FAULT, c, view.language) for c in rest) and not things_in(shown[0]):
        return None
    if len(mine) != 1:
        return _taken_back_somewhere(view) if own_issues(view) else None
    issue = mine[0]
    more = replace(issue, description=slots.verbatim(issue.description, view.texts))
    return Plan(
        _about(view, issue), Path.FAST, Tool.RESPOND, "withdrawn_after",
        (ResidentReply(OutboxKind.REPLY, wording.WITHDRAWN_LATER),), extended=more,
        notices=(NoticeDraft(LandlordEvent.ISSUE_WITHDRAWN, turn_id(view), issue.id),), withdrawn=(issue.id,),
        effects=(f"withdrawn:{issue.id}",),
    )  # fmt: skip


def _taken_back_somewhere(view: TurnView) -> Plan:
    """Pass on that something is taken back, where it is not clear what: a person finds out."""
    notice = NoticeDraft(LandlordEvent.RESIDENT_NOTE, turn_id(view), detail="something_taken_back")
    replies = (ResidentReply(OutboxKind.REPLY, wording.WITHDRAWN_SOMEWHERE),)
    return Plan(view.conversation, Path.FAST, Tool.RESPOND, "withdrawn_somewhere", replies, notices=(notice,))


def _corrected(view: TurnView) -> Plan | None:
    """Correct the issue created last, or the one that the words mean; the old words stay in it."""
    if _is_busy(view) or not view.texts:
        return None
    change = corrections.edited(view) or corrections.correction(view.texts, view.language)
    mine = [i for i in own_issues(view) if i.id == view.conversation.issue_id and i.state not in CLOSED]
    if change is None and mine and corrections.denied(view.texts[-1], mine[0].description):
        change = corrections.Correction(view.texts[-1])
    if change is None or not mine or view.conversation.gathering is not Gathering.ISSUE_CREATED:
        return None
    issue = mine[0]
    more = replace(
        issue, description=slots.verbatim(issue.description, view.texts), location=change.place or issue.location
    )
    move = f"corrected:{issue.id}:{issue.location}>{more.location}"
    return Plan(
        view.conversation, Path.FAST, Tool.RESPOND, "corrected",
        (ResidentReply(OutboxKind.REPLY, wording.corrected(more)),), extended=more,
        notices=(NoticeDraft(LandlordEvent.ISSUE_CORRECTED, turn_id(view), issue.id),), effects=(move,),
    )  # fmt: skip


def _added(view: TurnView, issue: Issue, why: str, replies: tuple[ResidentReply, ...]) -> Plan:
    """Return the plan that adds the new messages and photos to an issue, word for word."""
    description = slots.full_description(Slot(issue.description, issue.description), issue.location, view.texts)
    more = replace(issue, description=description, media=tuple(dict.fromkeys((*issue.media, *view.photos))))
    more = vulnerable.raised(more, view.texts, view.language)
    return Plan(
        _about(view, issue), Path.FAST, Tool.RESPOND, why, replies, extended=more,
        notices=(NoticeDraft(LandlordEvent.ISSUE_EXTENDED, turn_id(view), issue.id),),
        effects=(f"extended:{issue.id}",),
    )  # fmt: skip


def _about(view: TurnView, issue: Issue) -> Conversation:
    """Return the conversation with an issue as the last one, unless a report is open."""
    of = view.conversation
    if _is_busy(view):
        return of
    return replace(of, gathering=Gathering.ISSUE_CREATED, issue_id=issue.id, issue_at=view.now)


def _adds(text: str, quote: str) -> bool:
    """Return whether a message tells more than the question in it."""
    rest = text.replace(quote, " ")
    return lexicon.reports(rest) or any(w.isdigit() for w in words(rest)) or len(words(rest)) > 3


def _state(view: TurnView, issue: Issue) -> wording.Text:
    since = view.moved_at.get(issue.id, issue.created_at)
    return wording.standing(issue, f"{since:%d.%m.%Y}")
