"""A model chooses a tool, code checks it; after one repair round, the cautious keyword flow answers.

prompt -> model -> strict reading -> step supported by evidence -> gate -> (reason -> once more) -> plan
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from saidonce.errors import ModelUnavailableError, ReplyError
from saidonce.foundation.model.conversation import Gathering, ModelCall, Path, Tool, Urgency
from saidonce.foundation.ports.conversations import DeadlineChat
from saidonce.foundation.text import digest
from saidonce.repairs.conversation import answers, keyword_flow, slots, tools
from saidonce.repairs.conversation.deps import ConversationDeps
from saidonce.repairs.conversation.executor import execute, extend_issue, tool_context
from saidonce.repairs.conversation.next_step import REPORT, supported_step
from saidonce.repairs.conversation.prompt import Prompt, build_prompt
from saidonce.repairs.conversation.spoken import ENGLISH, Spoken, spoken
from saidonce.repairs.conversation.standing_reports import asked_of_known
from saidonce.repairs.conversation.tool_calls import parse_calls, schema, select_call
from saidonce.repairs.conversation.tools import ToolRefusal
from saidonce.repairs.conversation.view import Call, Plan, Refused, TurnView
from saidonce.repairs.conversation.wording import HOW_CAN_I_HELP

MAX_REPLIES = 20
"""Latest replies whose document passages are not repeated; older ones may be."""


@dataclass(frozen=True, slots=True)
class ModelPlan:
    """A plan with the model's calls.

    Attributes:
        calls: every reply, word for word, with the reason for refusing it.
        prompt_hash, n_tokens: of the last and the longest prompt.
    """

    plan: Plan
    model: str = ""
    calls: tuple[ModelCall, ...] = ()
    prompt_hash: str = ""
    n_tokens: int = 0


def decide(deps: ConversationDeps, view: TurnView) -> ModelPlan:
    """Let the model choose; after any failure, use the cautious keyword flow."""
    if deps.chat is None:
        return ModelPlan(without_model(deps, view))
    view = _with_passages(deps, view)
    shown = tools.offered_tools(tool_context(view, view.draft))
    calls = _ModelCalls(deps.chat, deps, schema(shown))
    repair = ""
    for _ in range(deps.rules.max_calls):
        reply = calls.once(build_prompt(view, shown, repair))
        if reply is None:
            continue
        calls.note(reply)
        outcome = _read(view, reply)
        if isinstance(outcome, Plan):
            return calls.decided(answers.checked(deps, view, outcome))
        repair = outcome
        calls.refuse(outcome)
    return calls.decided(without_model(deps, view))


def without_model(deps: ConversationDeps, view: TurnView) -> Plan:
    """Return the plan without a model: questions are answered from documents, all else is for the keyword flow."""
    answered = answers.answer_questions(deps, view)
    if answered is None:
        return cautious(view)
    if not answered.quotes and (known := asked_of_known(view)) is not None:
        return known
    if answered.rest is not None:
        return answered.beside(cautious(answered.rest))
    return answers.answered_plan(view, answered) or cautious(view)


def cautious(view: TurnView) -> Plan:
    """Return the plan of the keyword flow that never creates without complete evidence; there always is one."""
    plan = execute(view, keyword_flow.conservative(view), Path.V1_FALLBACK)
    if isinstance(plan, Plan):
        return plan
    if (added := _added(view, plan)) is not None:
        return replace(added, path=Path.V1_FALLBACK)
    fixed = execute(view, Call(Tool.RESPOND, HOW_CAN_I_HELP, why="nothing_fits"), Path.V1_FALLBACK)
    assert isinstance(fixed, Plan)
    refused = f"{plan.tool}: {', '.join(plan.reasons)}"
    return replace(fixed, refused=(refused, *fixed.refused))


def prompt_hash(model: str, prompt: Prompt, reply_schema: dict[str, object]) -> str:
    """Return the name of a request, 32 hex digits: of model, instructions, prompt and schema."""
    return digest(model, prompt.instructions, prompt.prompt, json.dumps(reply_schema, sort_keys=True))


class _ModelCalls:
    """Model calls of one turn, within its time."""

    def __init__(self, chat: DeadlineChat, deps: ConversationDeps, reply_schema: dict[str, object]) -> None:
        self._chat = chat
        self._deps = deps
        self._schema = reply_schema
        self._began = deps.clock.now()
        self._calls: list[ModelCall] = []
        self._hash = ""
        self._n_tokens = 0
        self._is_alarming = False

    def once(self, prompt: Prompt) -> str | None:
        """Return a reply; None if the model failed or the turn's time is over."""
        rules = self._deps.rules
        left = rules.turn_timeout_s - (self._deps.clock.now() - self._began).total_seconds()
        if left <= 0:
            return None
        self._hash = prompt_hash(self._chat.name, prompt, self._schema)
        self._n_tokens = max(self._n_tokens, prompt.n_tokens)
        try:
            reply = self._chat.complete_within(
                prompt.instructions, prompt.prompt, self._schema, min(left, rules.call_timeout_s)
            )
        except ModelUnavailableError as failed:
            self._calls.append(ModelCall("", f"unavailable: {failed.reason}"))
            return None
        self._calls.append(ModelCall(reply))
        return reply

    def note(self, reply: str) -> None:
        """Note whether a reply reports an emergency, valid or not: a model may raise."""
        try:
            call, _ = select_call(parse_calls(reply))
        except ReplyError:
            return
        self._is_alarming = self._is_alarming or call.offered.urgency is Urgency.EMERGENCY

    def refuse(self, why: str) -> None:
        """Note the reason for refusing the last reply."""
        self._calls[-1] = replace(self._calls[-1], refused=why)

    def decided(self, plan: Plan) -> ModelPlan:
        """Return a plan with the calls that led to it."""
        refused = tuple(c.refused for c in self._calls if c.refused)
        joined = replace(plan, refused=(*refused, *plan.refused), is_alarming=self._is_alarming)
        return ModelPlan(joined, self._chat.name, tuple(self._calls), self._hash, self._n_tokens)


def _read(view: TurnView, reply: str) -> Plan | str:
    """Return a plan, or the machine-readable reason for refusing the reply."""
    try:
        call, others = select_call(parse_calls(reply))
    except ReplyError as bad:
        return bad.reason
    if call.tool is Tool.RESPOND and not call.message.strip():
        return f"{call.tool}: {ToolRefusal.EMPTY_MESSAGE}"
    call, why = _stepped(view, _in_their_language(view, call))
    others = (*others, *why)
    plan = execute(view, call, Path.V2)
    if isinstance(plan, Refused):
        added = _added(view, plan)
        if added is None:
            return f"{plan.tool}: {', '.join(plan.reasons)}"
        plan = replace(added, path=Path.V2)
    return replace(plan, refused=(*others, *plan.refused))


def _in_their_language(view: TurnView, call: Call) -> Call:
    """Return a call without a message in another language than the resident's: a fixed sentence stands in for it."""
    if view.heard.language == ENGLISH or spoken(call.message, view.heard.language) == Spoken(view.heard.language):
        return call
    return replace(call, message="")


def _added(view: TurnView, refused: Refused) -> Plan | None:
    """Return the plan that adds a repeated report to the issue created last; None for other refusals."""
    if refused.reasons[0] is not ToolRefusal.SAME_PROBLEM:
        return None
    plan = extend_issue(view, str(ToolRefusal.SAME_PROBLEM))
    return replace(plan, refused=(f"{refused.tool}: {ToolRefusal.SAME_PROBLEM}",)) if plan is not None else None


def _stepped(view: TurnView, call: Call) -> tuple[Call, tuple[str, ...]]:
    """Return the call with the step that the evidence supports, and the reason for any change."""
    if call.tool in REPORT and view.conversation.gathering is Gathering.AWAITING_PHOTO:
        call = replace(call, offered=slots.with_photo_words(call.offered, view.texts))
    at = tool_context(view, slots.verify_slots(view.draft, call.offered, view.texts_of_draft).draft)
    step, why = supported_step(at, call.tool)
    if why is None:
        return call, ()
    message = call.message if why is ToolRefusal.ONLY_ASKS else ""
    return replace(call, tool=step, message=message), (f"{call.tool}: {why}",)


def _with_passages(deps: ConversationDeps, view: TurnView) -> TurnView:
    if deps.passages is None or view.home is None or not view.texts:
        return view
    replies = [line.text for line in view.history if not line.is_resident][-MAX_REPLIES:]
    return replace(view, passages=tuple(deps.passages(view.home.property.id, " ".join(view.texts), replies)))
