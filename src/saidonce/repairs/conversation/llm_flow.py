"""Flow: the model chooses a tool, code checks it; one repair round, then the cautious keyword flow.

prompt -> model -> strict reading -> step that evidence bears out -> gate -> (reason -> the same again) -> plan
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from saidonce.errors import ModelUnavailableError, ReplyError
from saidonce.foundation.model.conversation import Gathering, ModelCall, Path, Tool, Urgency
from saidonce.foundation.ports.conversations import DeadlineChat
from saidonce.foundation.text import digest
from saidonce.repairs.conversation import keyword_flow, slots, tools
from saidonce.repairs.conversation.calls import chosen, read_calls, schema
from saidonce.repairs.conversation.deps import ConversationDeps
from saidonce.repairs.conversation.execute import execute, extended, situation
from saidonce.repairs.conversation.prompt import Prompt, written
from saidonce.repairs.conversation.steps import REPORT, borne_out
from saidonce.repairs.conversation.tools import ToolRefusal
from saidonce.repairs.conversation.view import Call, Plan, Refused, TurnView
from saidonce.repairs.conversation.wording import HOW_CAN_I_HELP

MAX_TOLD = 20
"""Replies within which nothing of a document is told twice; what was said longer ago may be asked for again."""


@dataclass(frozen=True, slots=True)
class ModelPlan:
    """A plan, and how the model came to it.

    Attributes:
        calls: every reply, word for word, with why it was not used.
        prompt_hash, n_tokens: of the last and the longest prompt.
    """

    plan: Plan
    model: str = ""
    calls: tuple[ModelCall, ...] = ()
    prompt_hash: str = ""
    n_tokens: int = 0


def decide(deps: ConversationDeps, view: TurnView) -> ModelPlan:
    """Let the model choose; whatever goes wrong, the cautious keyword flow answers."""
    if deps.chat is None:
        return ModelPlan(cautious(view))
    view = _with_passages(deps, view)
    shown = tools.shown(situation(view, view.draft))
    asked = _ModelCalls(deps.chat, deps, schema(shown))
    repair = ""
    for _ in range(deps.rules.max_calls):
        reply = asked.once(written(view, shown, repair))
        if reply is None:
            continue
        asked.note(reply)
        outcome = _read(view, reply)
        if isinstance(outcome, Plan):
            return asked.decided(outcome)
        repair = outcome
        asked.refuse(outcome)
    return asked.decided(cautious(view))


def cautious(view: TurnView) -> Plan:
    """The keyword flow that may ask but never creates without complete evidence; it always has an answer."""
    made = execute(view, keyword_flow.conservative(view), Path.V1_FALLBACK)
    if isinstance(made, Plan):
        return made
    if (added := _added(view, made)) is not None:
        return replace(added, path=Path.V1_FALLBACK)
    fixed = execute(view, Call(Tool.RESPOND, HOW_CAN_I_HELP, why="nothing_fits"), Path.V1_FALLBACK)
    assert isinstance(fixed, Plan)
    refused = f"{made.tool}: {', '.join(made.reasons)}"
    return replace(fixed, refused=(refused, *fixed.refused))


def prompt_hash(model: str, prompt: Prompt, wanted: dict[str, object]) -> str:
    """Name what was asked by 32 hex digits: model, instructions, prompt and schema."""
    return digest(model, prompt.instructions, prompt.prompt, json.dumps(wanted, sort_keys=True))


class _ModelCalls:
    """The model calls of one turn, within its time."""

    def __init__(self, chat: DeadlineChat, deps: ConversationDeps, wanted: dict[str, object]) -> None:
        self._chat = chat
        self._desk = deps
        self._wanted = wanted
        self._began = deps.clock.now()
        self._calls: list[ModelCall] = []
        self._hash = ""
        self._n_tokens = 0
        self._is_alarming = False

    def once(self, prompt: Prompt) -> str | None:
        """Give a reply; None if the model failed or the turn's time is over."""
        rules = self._desk.rules
        left = rules.turn_timeout_s - (self._desk.clock.now() - self._began).total_seconds()
        if left <= 0:
            return None
        self._hash = prompt_hash(self._chat.name, prompt, self._wanted)
        self._n_tokens = max(self._n_tokens, prompt.n_tokens)
        try:
            reply = self._chat.complete_within(
                prompt.instructions, prompt.prompt, self._wanted, min(left, rules.call_timeout_s)
            )
        except ModelUnavailableError as failed:
            self._calls.append(ModelCall("", f"unavailable: {failed.reason}"))
            return None
        self._calls.append(ModelCall(reply))
        return reply

    def note(self, reply: str) -> None:
        """Note whether a reply calls it an emergency, whatever else is wrong with it: a model may raise."""
        try:
            call, _ = chosen(read_calls(reply))
        except ReplyError:
            return
        self._is_alarming = self._is_alarming or call.offered.urgency is Urgency.EMERGENCY

    def refuse(self, why: str) -> None:
        """Note why the last reply was not used."""
        self._calls[-1] = replace(self._calls[-1], refused=why)

    def decided(self, plan: Plan) -> ModelPlan:
        """Give a plan with what led to it."""
        refused = tuple(c.refused for c in self._calls if c.refused)
        joined = replace(plan, refused=(*refused, *plan.refused), is_alarming=self._is_alarming)
        return ModelPlan(joined, self._chat.name, tuple(self._calls), self._hash, self._n_tokens)


def _read(view: TurnView, reply: str) -> Plan | str:
    """A plan, or the machine-readable reason why there is none."""
    try:
        call, others = chosen(read_calls(reply))
    except ReplyError as bad:
        return bad.reason
    if call.tool is Tool.RESPOND and not call.message.strip():
        return f"{call.tool}: {ToolRefusal.EMPTY_MESSAGE}"
    call, why = _stepped(view, call)
    others = (*others, *why)
    made = execute(view, call, Path.V2)
    if isinstance(made, Refused):
        added = _added(view, made)
        if added is None:
            return f"{made.tool}: {', '.join(made.reasons)}"
        made = replace(added, path=Path.V2)
    return replace(made, refused=(*others, *made.refused))


def _added(view: TurnView, refused: Refused) -> Plan | None:
    """What says the issue created last once more is added to it; None of anything else."""
    if refused.reasons[0] is not ToolRefusal.SAME_PROBLEM:
        return None
    plan = extended(view, str(ToolRefusal.SAME_PROBLEM))
    return replace(plan, refused=(f"{refused.tool}: {ToolRefusal.SAME_PROBLEM}",)) if plan is not None else None


def _stepped(view: TurnView, call: Call) -> tuple[Call, tuple[str, ...]]:
    """The call with the step that evidence bears out, and why it is not the one that was asked for."""
    if call.tool in REPORT and view.conversation.gathering is Gathering.AWAITING_PHOTO:
        call = replace(call, offered=slots.with_photo_words(call.offered, view.texts))
    at = situation(view, slots.checked(view.draft, call.offered, view.said).draft)
    step, why = borne_out(at, call.tool)
    if why is None:
        return call, ()
    message = call.message if why is ToolRefusal.ONLY_ASKS else ""
    return replace(call, tool=step, message=message), (f"{call.tool}: {why}",)


def _with_passages(deps: ConversationDeps, view: TurnView) -> TurnView:
    if deps.passages is None or view.home is None or not view.texts:
        return view
    told = [line.text for line in view.history if not line.is_resident][-MAX_TOLD:]
    return replace(view, passages=tuple(deps.passages(view.home.property.id, " ".join(view.texts), told)))
