"""One turn of a conversation, step by step; every message takes this way.

stored once -> scanned for emergencies -> (debounced) -> claimed -> identity -> scripted replies -> orchestrator -> gate
-> written if the version is unchanged, or taken again
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from saidonce.errors import StaleWriteError
from saidonce.foundation.model.conversation import (
    Alarm,
    Conversation,
    IdentityStatus,
    Issue,
    LandlordEvent,
    LandlordNotice,
    OutboxKind,
    OutboxMessage,
    Path,
    ReportMove,
    Tool,
    Turn,
    TurnWrite,
)
from saidonce.foundation.model.residents import Home, Inbound, InboundKind, Media
from saidonce.foundation.text import digest
from saidonce.repairs.conversation import alarm, keyword_flow, llm_flow, recognition, timers, wording
from saidonce.repairs.conversation.acted_on import act_plan, with_acts, with_early_refusal, with_notes
from saidonce.repairs.conversation.alarm_state import (
    AlarmState,
    alarm_state,
    danger_answers,
    plan_during_alarm,
    wait_for_answer,
)
from saidonce.repairs.conversation.answers import with_answers
from saidonce.repairs.conversation.data_request import data_request_plan, with_data_request
from saidonce.repairs.conversation.debounce import debounce_rule
from saidonce.repairs.conversation.deps import ConversationDeps
from saidonce.repairs.conversation.executor import CLOSED, execute, turn_id
from saidonce.repairs.conversation.hand_over import NO_PROGRESS, beside, hand_over_text, with_progress
from saidonce.repairs.conversation.heard import dangers_heard, hear, issue_as_heard
from saidonce.repairs.conversation.identity import Event, activate
from saidonce.repairs.conversation.incoming_files import settled_name, without_photo_request
from saidonce.repairs.conversation.llm_flow import ModelPlan
from saidonce.repairs.conversation.not_understood import passed_on, passed_on_if_lost
from saidonce.repairs.conversation.one_person import alarms_elsewhere
from saidonce.repairs.conversation.one_report import OneReport, one_report, settled, waits_elsewhere
from saidonce.repairs.conversation.problems import texts_of
from saidonce.repairs.conversation.progress_replies import PendingNews, answered
from saidonce.repairs.conversation.queued_reports import with_next
from saidonce.repairs.conversation.rendering import in_their_language
from saidonce.repairs.conversation.rules import Orchestration
from saidonce.repairs.conversation.scripted_replies import opt_out_plan, with_unreadable, withdrawal_plan
from saidonce.repairs.conversation.taken_back import taken_back_beside
from saidonce.repairs.conversation.view import NoticeDraft, Plan, PromptLine, Refused, ResidentReply, TurnView
from saidonce.repairs.conversation.voice_notes import as_written, with_voice_notes


def keep(deps: ConversationDeps, inbound: Inbound) -> Inbound:
    """Store a message once; it still has to be scanned."""
    stored, _ = deps.store.receive(inbound, debounce_rule(deps.rules))
    return stored


def receive(deps: ConversationDeps, inbound: Inbound) -> Inbound:
    """Store a message once and scan it at once; safe to repeat after a crash.

    Raises:
        Exception: of the scan; the message is stored all the same.
    """
    stored = keep(deps, inbound)
    alarm.scan_message(deps, stored)
    return stored


def media_stored(deps: ConversationDeps, inbound: Inbound, stored: Media) -> Inbound:
    """Receive the stored file of a message as a message of its own, once; what is said in it is its text.

    So it is scanned for emergencies before anything else. Words that were not heard surely are no text, but for those
    that tell of a danger: in doubt they raise an alarm, and nothing else is done by them.
    """
    is_text = not stored.unclear or _tells_of_danger(deps, inbound, stored.transcript)
    arrived = replace(
        inbound, message_id=settled_name(inbound, stored.id), kind=InboundKind.MEDIA,
        text=stored.transcript if is_text else "",
        button="", media=(replace(stored, stored=True),), received_at=deps.clock.now(), scanned=False,
    )  # fmt: skip
    return receive(deps, arrived)


def _tells_of_danger(deps: ConversationDeps, inbound: Inbound, words: str) -> bool:
    before = deps.store.conversation(inbound.conversation_id).language
    return bool(dangers_heard(deps.pack, words, before, deps.dangers))


def media_refused(deps: ConversationDeps, inbound: Inbound, media: Media) -> Inbound:
    """Receive the refusal of a file of a message as a message of its own, once."""
    refusal = replace(
        inbound, message_id=settled_name(inbound, media.id), kind=InboundKind.FILE_REFUSED, text="", button="",
        media=(), received_at=deps.clock.now(), scanned=False,
    )  # fmt: skip
    return receive(deps, refusal)


def work(deps: ConversationDeps, worker: str) -> Turn | None:
    """Take the longest due turn, after scanning its messages; None if none is due."""
    conversation = claim(deps, worker)
    return take(deps, conversation, worker) if conversation is not None else None


def claim(deps: ConversationDeps, worker: str) -> Conversation | None:
    """Claim the conversation whose turn has been due longest, for the time of a lease; None if none is due."""
    now = deps.clock.now()
    return deps.store.claim(worker, now, now + timedelta(seconds=deps.rules.claim_s))


def take(deps: ConversationDeps, conversation: Conversation, worker: str) -> Turn | None:
    """Take the turn of a claimed conversation, again after a message meanwhile; None after too many runs.

    No run begins that may outlast the lease, for then another worker would ask the model as well.

    Raises:
        Exception: of the scan of a message: no message gets an answer before its scan.
    """
    lease_ends = conversation.lease_until
    for run in range(deps.rules.max_runs):
        if run and lease_ends is not None and deps.clock.now() + timedelta(seconds=deps.rules.turn_s) > lease_ends:
            break
        try:
            return _once(deps, conversation)
        except StaleWriteError:
            conversation = deps.store.conversation(conversation.id)
    deps.store.release(conversation.id, worker)
    return None


def _once(deps: ConversationDeps, conversation: Conversation) -> Turn:
    written = deps.store.inbounds(conversation.id)
    alarm.scan(deps, conversation.id)
    fresh = {i.seq for i in written if i.seq > conversation.seen or i.seq in conversation.parked}
    report = one_report(deps, conversation, written)
    arrived, heard = hear(written, fresh, report.conversation.language, deps.store.issues())
    view, alarmed, at = _look(deps, report, arrived)
    view = replace(view, heard=replace(heard, glosses=(*heard.glosses, *report.glosses)))
    decided = _as_true(deps, _decide(deps, view, alarmed, at))
    plan = _with_duplicate_check(deps, with_next(view, decided.plan))
    plan = without_photo_request(plan, (*report.elsewhere, *arrived), view.now)
    plan = with_voice_notes(view, arrived, with_data_request(view, plan))
    plan, moved = _with_its_report(deps, report, plan)
    decided = replace(decided, plan=plan)
    shadow = _shadow(deps, view, decided.plan)
    write = replace(_write(view, arrived, alarmed, decided, shadow, deps.clock.now()), moved=moved)
    deps.store.commit(write)
    return write.turn


def _with_its_report(deps: ConversationDeps, report: OneReport, plan: Plan) -> tuple[Plan, ReportMove | None]:
    """Return a plan with the resident's one report in its place, and what becomes of their other conversation."""
    after, moved, effects = settled(deps, report, plan.conversation)
    if report.is_with_a_person and plan.path is Path.SILENT and after.handed_off_at is not None:
        reply = ResidentReply(OutboxKind.REPLY, hand_over_text(deps.rules, deps.clock.now()))
        plan = replace(plan, replies=(*plan.replies, reply), reason="with_a_person_elsewhere")
    return replace(plan, conversation=after, effects=(*plan.effects, *effects)), moved


def _as_true(deps: ConversationDeps, decided: ModelPlan) -> ModelPlan:
    """Return a plan without claims that a person was told, while no channel reaches the landlord's team."""
    if not decided.plan.replies or alarm.can_tell(deps):
        return decided
    number = deps.pack.emergency
    replies = tuple(replace(r, text=wording.while_unreached(r.text, number)) for r in decided.plan.replies)
    return replace(decided, plan=replace(decided.plan, replies=replies))


def _look(
    deps: ConversationDeps, report: OneReport, arrived: Sequence[Inbound]
) -> tuple[TurnView, tuple[Inbound, ...], AlarmState]:
    """Return the view of the turn, its emergency messages, which go their own way, and the alarm state."""
    conversation = report.conversation
    events = deps.store.events(conversation.id)
    outbox = deps.store.outbox(conversation.id) if events else ()
    spent = danger_answers(events, outbox, arrived)
    answers = frozenset(spent | danger_answers(events, outbox, arrived, is_yes=True))
    fresh = [i for i in arrived if i.seq > conversation.seen or i.seq in conversation.parked]
    fresh.sort(key=Inbound.as_sent)
    alarmed = {e.inbound_seq for e in events if e.state is not Alarm.DISMISSED} | spent
    new = tuple(as_written(i) for i in fresh if i.seq not in alarmed)
    since = conversation.draft.since or min((i.seq for i in new), default=0)
    in_order = sorted((*report.elsewhere, *arrived), key=Inbound.as_sent)
    of_draft = {i.seq for i in in_order if i.seq >= since} | {i.seq for i in new}
    texts = tuple(i.text for i in in_order if i.seq in of_draft - alarmed and i.text.strip())
    texts_of_draft = texts_of(conversation.draft.own, conversation.draft.not_mine, texts)
    turns = deps.store.turns(conversation.id)
    home = deps.store.home(conversation.tenancy_id) if conversation.tenancy_id else None
    now = deps.clock.now()
    view = TurnView(
        conversation, new, texts_of_draft if new or conversation.draft.since else (), home, now, deps.rules, deps.voice,
        history=_history(deps, report, arrived, {i.seq for i in fresh}), elsewhere=report.elsewhere,
        open_issues=_open_issues(deps, home), n_escalations=_escalations(turns, now), n_stuck=_stuck(turns),
        agreed=_agreed(deps, conversation, now), spoken_by_voice=frozenset(i.seq for i in fresh if i.is_heard),
    )  # fmt: skip
    view = _with_closed_issues(deps, view)
    at = alarm_state(view, events, _issues(deps), turns, in_order, answers) if events else AlarmState()
    if at.alarms:
        issue = at.issue or _issue_elsewhere(deps, conversation, at)
        at = replace(at, contact=alarm.contact_of(deps, at.alarms), issue=issue)
    return view, tuple(i for i in fresh if i.seq in alarmed), at


def _issue_elsewhere(deps: ConversationDeps, of: Conversation, at: AlarmState) -> Issue | None:
    """Return the issue of the same alarm, raised by the same resident on another channel; None without one."""
    elsewhere = alarms_elsewhere(deps, of, {e.kind for e in at.alarms})
    issue_ids = {e.issue_id for e in elsewhere} - {""}
    return next((i for i in _issues(deps) if i.id in issue_ids), None)


def _decide(deps: ConversationDeps, view: TurnView, alarmed: Sequence[Inbound], at: AlarmState) -> ModelPlan:
    is_free = view.conversation.handed_off_at is None and not at.alarms and not at.questions
    request = data_request_plan(view) if is_free else None
    if request is not None:
        return ModelPlan(request)
    plan = _first(deps, view, alarmed, at)
    if plan is not None:
        heard = replace(view, new=(*alarmed, *view.new))  # A person may be wanted in the words of the alarm itself.
        return ModelPlan(beside(heard, plan) if plan.path is Path.EMERGENCY else plan)
    if view.new and view.heard.is_foreign:
        return ModelPlan(passed_on(view, deps.pack.emergency))
    prior, view = _identified(deps, view)
    if not view.conversation.identity.is_known or (prior is not None and not view.new):
        return ModelPlan(prior or Plan(view.conversation, Path.SILENT, reason="nothing_new"))
    if prior is not None and waits_elsewhere(deps, view.conversation):
        return ModelPlan(_first_known(prior, view))
    decided = (
        _orchestrated(deps, view) if view.new else ModelPlan(Plan(view.conversation, Path.EMERGENCY, reason="alarm"))
    )
    understood = passed_on_if_lost(view, decided.plan, deps.pack.emergency)
    decided = replace(decided, plan=_raised(deps, view, understood))
    return replace(decided, plan=prior.then(decided.plan)) if prior is not None else decided


def _first_known(prior: Plan, view: TurnView) -> Plan:
    """Return the plan that recognises a resident; their report of another channel is there from the next turn on."""
    after = replace(view.conversation, parked=tuple(i.seq for i in view.new))
    return replace(prior, conversation=after, wakes=True)


def _first(deps: ConversationDeps, view: TurnView, alarmed: Sequence[Inbound], at: AlarmState) -> Plan | None:
    """Return the plan of what precedes recognition: a person in charge, an alarm, STOP, a timer, a withdrawal."""
    of = view.conversation
    if of.handed_off_at is not None:
        silent = _handed_off(view, bool(view.new or alarmed))
        return _with_issue(silent, plan_during_alarm(view, at)) if at.alarms else silent
    still = opt_out_plan(view) if view.new or alarmed else None
    if at.alarms:
        return _alarmed(deps, view, alarmed, at, still)
    if still is None and at.questions:
        return wait_for_answer(view)
    if not view.new and not alarmed:
        return timers.due_plan(view) or Plan(of, Path.SILENT, reason="nothing_new")
    has_nameless = not of.identity.is_known and bool(of.parked or of.draft.since)
    return still if still is not None or not has_nameless else withdrawal_plan(view)


def _alarmed(
    deps: ConversationDeps, view: TurnView, alarmed: Sequence[Inbound], at: AlarmState, still: Plan | None
) -> Plan:
    """Return the plan during an alarm: recognise or unbind the writer without asking; the rest goes to the alarm."""
    if still is not None:
        plan = plan_during_alarm(replace(view, conversation=still.conversation), at)
        replies = still.replies or plan.replies  # Safety comes through whatever the writer has opted out of.
        return replace(plan, replies=replies, tool=still.tool, path=still.path, reason=still.reason)
    before = view.conversation
    prior, seen = _identified(deps, view) if view.new or alarmed or not before.identity.is_known else (None, view)
    after = seen.conversation
    if prior is not None and before.identity.is_known and not after.identity.is_known:
        replies = tuple(replace(s, text=wording.UNDONE_IN_ALARM) for s in prior.replies[:1])
        return replace(prior, replies=replies, conversation=replace(after, parked=()))
    if prior is not None and after.identity.is_known:
        at = replace(at, issue=at.issue or _issue_elsewhere(deps, after, at))
        return prior.then(plan_during_alarm(replace(view, conversation=after, home=seen.home), at, alarmed))
    return plan_during_alarm(view, at, alarmed)


def _with_issue(silent: Plan, alarm_: Plan) -> Plan:
    """Return a silent plan, for a person in charge, that adds the messages to the alarm's issue."""
    return replace(
        silent, conversation=alarm_.conversation, extended=alarm_.extended, notices=(*silent.notices, *alarm_.notices),
        effects=alarm_.effects,
    )  # fmt: skip


def _raised(deps: ConversationDeps, view: TurnView, plan: Plan) -> Plan:
    """Ask whether anybody is in danger after a model's "emergency"; once for each message."""
    if not plan.is_alarming or not view.texts:
        return plan
    known = {e.inbound_seq for e in deps.store.events(view.conversation.id)}
    last = next((i for i in reversed(view.new) if i.text.strip()), None)
    if last is None or last.seq in known:
        return plan
    waiting = wait_for_answer(view)
    return replace(
        waiting, reason="model_emergency", raised=alarm.raise_question(deps, last), refused=plan.refused,
        conversation=replace(
            waiting.conversation, parked=tuple(s for s in waiting.conversation.parked if s != last.seq)
        ),
    )  # fmt: skip


def _identified(deps: ConversationDeps, view: TurnView) -> tuple[Plan | None, TurnView]:
    """Move the identity as far as possible; the view keeps only messages that are no answers to us."""
    of, prior = view.conversation, None
    if of.identity.is_known:
        event = recognition.lost_identity(view)
        if event is None:
            return None, replace(view, conversation=replace(of, parked=()))
        prior = recognition.unbind(view, event)
        of = prior.conversation
        view = replace(view, conversation=of, home=None, open_issues=())
        if event is Event.UNDONE and not (recognition.denies_home(view) and _homes(deps, view)[1]):
            return prior, view
        taken_off = tuple(replace(s, text=wording.UNDONE_IN_ALARM) for s in prior.replies[:1])
        prior = replace(prior, replies=taken_off if event is Event.UNDONE else ())
    proven, named = _homes(deps, view)
    plan = recognition.identify(view, proven, named)
    plan = prior.then(plan) if prior is not None else plan
    after = plan.conversation
    if not after.identity.is_known:
        return plan, replace(view, conversation=after)
    home = deps.store.home(after.tenancy_id)
    new = tuple(i for i in view.new if i.seq in after.parked)
    issues, texts = _open_issues(deps, home), texts_of((), after.draft.not_mine, view.texts_of_draft)
    after = replace(after, parked=())
    seen = replace(view, conversation=after, home=home, new=new, open_issues=issues, texts_of_draft=texts)
    return plan, _with_closed_issues(deps, seen)


def _orchestrated(deps: ConversationDeps, view: TurnView) -> ModelPlan:
    """Return the plan for messages of a resident whose home is known."""
    of = view.conversation
    if of.identity is IdentityStatus.CONFIRMED and view.photos:
        after = replace(activate(of), parked=tuple(i.seq for i in view.new))
        effects = (f"identity:{of.identity}>{after.identity}",)
        return ModelPlan(Plan(after, Path.IDENTITY, None, "becomes_active", effects=effects, wakes=True))
    decided = _chosen_plan(deps, view)
    return replace(decided, plan=with_unreadable(view, decided.plan))


def _chosen_plan(deps: ConversationDeps, view: TurnView) -> ModelPlan:
    news = answered(view, _pending(deps, view))
    if news is not None:
        return ModelPlan(news[0]) if not news[1].new else _after_news(deps, *news)
    beside_it = taken_back_beside(view)
    if beside_it is not None:
        return _after_news(deps, beside_it.plan, beside_it.rest)
    plan = act_plan(view)
    if plan is not None:
        return ModelPlan(with_answers(deps, view, plan))
    seen, plan, changes = with_acts(view)
    if plan is not None:
        decided = ModelPlan(plan)
    elif deps.rules.orchestration is Orchestration.ON:
        decided = llm_flow.decide(deps, seen)
    else:
        decided = ModelPlan(_by_keywords(seen))
    plan = with_notes(seen, with_progress(seen, with_early_refusal(seen, decided.plan)))
    return replace(decided, plan=replace(plan, effects=(*plan.effects, *changes)))


def _after_news(deps: ConversationDeps, plan: Plan, view: TurnView) -> ModelPlan:
    """Return a plan for part of a turn, such as an answer to news of an issue, joined with that for its other words."""
    decided = _chosen_plan(deps, view)
    return replace(decided, plan=plan.then(decided.plan))


def _pending(deps: ConversationDeps, view: TurnView) -> PendingNews:
    """Return the issues of this home that the resident may be answering news of, and the last message to them."""
    if view.home is None:
        return PendingNews()
    mine = [i for i in deps.store.issues(view.home.property.id) if i.tenancy_id == view.home.tenancy.id]
    outbox = deps.store.outbox(view.conversation.id)
    return PendingNews(tuple(mine), outbox[-1] if outbox else None)


def _by_keywords(view: TurnView) -> Plan:
    plan = execute(view, keyword_flow.decide(view), Path.V1, strict=False, by_code=True)
    return llm_flow.cautious(view) if isinstance(plan, Refused) else plan


def _shadow(deps: ConversationDeps, view: TurnView, plan: Plan) -> str:
    """Return the model's choice beside the keyword flow's, without any effect."""
    if deps.rules.orchestration is not Orchestration.SHADOW or plan.path not in (Path.V1, Path.V1_FALLBACK):
        return ""
    _, seen = _identified(deps, view)
    other = llm_flow.decide(deps, seen).plan
    agrees = "agrees" if other.tool is plan.tool else "disagrees"
    return f"{other.tool}: {agrees}, {other.path}"


def _handed_off(view: TurnView, is_written: bool) -> Plan:
    """Return the silent plan for a person in charge, with a notice to them."""
    notices = (NoticeDraft(LandlordEvent.MESSAGE_WHILE_HANDED_OFF, turn_id(view)),) if is_written else ()
    return Plan(view.conversation, Path.SILENT, reason="handed_off", notices=notices)


def _with_duplicate_check(deps: ConversationDeps, plan: Plan) -> Plan:
    """Check a new issue for duplicates: link it for review, never drop it."""
    if plan.issue is None or deps.neighbours is None:
        return plan
    others = tuple(i for i in _issues(deps) if i.state not in CLOSED)
    outcome, of = deps.neighbours(plan.issue, others)
    duplicate = next((i for i in others if i.id == of), None)
    if outcome == "distinct" or duplicate is None:
        return plan
    if duplicate.property_id != plan.issue.property_id:
        return replace(plan, issue=replace(plan.issue, also_affected=(of,)))
    return replace(plan, issue=replace(plan.issue, review=f"possible_duplicate:{of}"))


def _write(
    view: TurnView,
    arrived: Sequence[Inbound],
    alarmed: Sequence[Inbound],
    decided: ModelPlan,
    shadow: str,
    at: datetime,
) -> TurnWrite:
    plan, before, id_, heard = decided.plan, view.conversation, turn_id(view), view.heard
    after = replace(plan.conversation, language=heard.language)
    wake = view.now if plan.wakes else timers.next_wake(after, view.rules)
    if wake is not None and plan.path is Path.EMERGENCY:  # Nothing is nudged beside an alarm.
        wake = max(wake, view.now + timedelta(seconds=view.rules.answer_wait_s))
    turn = Turn(
        id=id_, conversation_id=before.id, n=before.version + 1, at=view.now, path=plan.path,
        inbound=tuple(i.seq for i in sorted((*view.new, *alarmed), key=Inbound.as_sent)),
        identity=(before.identity, after.identity), gathering=(before.gathering, after.gathering),
        tool=plan.tool, reason=plan.reason, refused=plan.refused, effects=plan.effects, model=decided.model,
        prompt_hash=decided.prompt_hash, calls=decided.calls, prompt_tokens=decided.n_tokens,
        took_ms=round((at - view.now).total_seconds() * 1_000, 3), shadow=shadow,
    )  # fmt: skip
    outbox = tuple(
        in_their_language(
            OutboxMessage(digest("outbox", id_, str(n)), before.id, id_, s.kind, s.text, view.now, s.buttons),
            heard.language, heard.repeated,
        )
        for n, s in enumerate(plan.replies)
    )  # fmt: skip
    events = (plan.raised[0],) if plan.raised is not None else ()
    outbox += (plan.raised[1],) if plan.raised is not None else ()
    notices = tuple(
        LandlordNotice(f"{t.event}:{t.subject}", t.event, before.id, view.now, t.issue_id, t.detail)
        for t in plan.notices
    )
    seen = max((i.seq for i in arrived), default=0)
    issue = replace(heard.restored(plan.issue), language=heard.language) if plan.issue is not None else None
    extended = heard.restored(plan.extended) if plan.extended is not None else None
    return TurnWrite(
        replace(after, wake_at=wake), before.version, seen, turn, outbox, issue, extended, notices,
        plan.flagged, events, plan.advances, plan.withdrawn,
    )  # fmt: skip


def _history(
    deps: ConversationDeps, report: OneReport, arrived: Sequence[Inbound], fresh: set[int]
) -> tuple[PromptLine, ...]:
    heard = (*report.elsewhere, *arrived)
    lines = [(i.received_at, 0, PromptLine(True, i.text)) for i in heard if i.seq not in fresh and i.text.strip()]
    ours = (*report.replies, *deps.store.outbox(report.conversation.id))
    lines += [(m.made_at, 1, PromptLine(False, m.english or m.text)) for m in ours]
    return tuple(line for _, _, line in sorted(lines, key=lambda row: row[:2]))


def _homes(deps: ConversationDeps, view: TurnView) -> tuple[tuple[Home, ...], tuple[Home, ...]]:
    sender = view.conversation.sender
    proven = deps.store.homes_of([sender.key], sender.phone, view.now) if sender.verified else ()
    return proven, deps.store.homes_named(recognition.lookup_words((*view.texts, *view.heard.sources)), view.now)


def _issues(deps: ConversationDeps, property_id: str = "") -> tuple[Issue, ...]:
    """Return issues in English words, for the rules; `_write` gives them the resident's own words again."""
    return tuple(map(issue_as_heard, deps.store.issues(property_id)))


def _open_issues(deps: ConversationDeps, home: Home | None) -> tuple[Issue, ...]:
    return tuple(i for i in _issues(deps, home.property.id) if i.state not in CLOSED) if home else ()


def _with_closed_issues(deps: ConversationDeps, view: TurnView) -> TurnView:
    """Return the view with the tenancy's issues closed of late, and the times of the last moves of all of them."""
    if view.home is None:
        return view
    since = view.now - timedelta(seconds=view.rules.remember_s)
    mine = [i for i in _issues(deps, view.home.property.id) if i.tenancy_id == view.home.tenancy.id]
    moves = {i.id: m.at for i in mine for m in deps.store.issue_moves(i.id)}
    closed = tuple(i for i in mine if i.state in CLOSED and moves.get(i.id, i.created_at) >= since)
    return replace(view, closed_issues=closed, moved_at=moves)


def _agreed(deps: ConversationDeps, conversation: Conversation, now: datetime) -> str:
    """Return what a person of the team wrote last, within the time that issues are remembered; empty if nothing."""
    since = now - timedelta(seconds=deps.rules.remember_s)
    lines = deps.store.outbox(conversation.id)
    return next((m.text for m in reversed(lines) if m.kind is OutboxKind.HUMAN and m.made_at >= since), "")


def _stuck(turns: Sequence[Turn]) -> int:
    """Count the last turns without progress; a person's turn and a new report end them."""
    n = 0
    for turn in reversed(turns):
        if not turn.inbound and turn.path is not Path.HUMAN:
            continue
        if turn.reason not in NO_PROGRESS:
            break
        n += 1
    return n


def _escalations(turns: Sequence[Turn], now: datetime) -> int:
    day = now - timedelta(days=1)
    return sum(t.tool is Tool.ESCALATE and t.at >= day for t in turns)
