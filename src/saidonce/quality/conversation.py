"""Flow: scenarios run through the corridor, and are graded by their turns and by the store at the end.

scenario -> store with its rows -> (step -> take_in, once, as the service does -> expectations) -> rows at the end
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from saidonce.errors import ModelUnavailableError, ReplyError
from saidonce.foundation.model.conversation import Gathering, IdentityStatus, Path, Tool, Turn
from saidonce.foundation.ports.conversations import Conversations, DeadlineChat
from saidonce.quality.figures import Rate, rate
from saidonce.quality.playing import ScenarioClock, grade_end, not_caught, preset, sent
from saidonce.quality.scenario import Scenario, ScenarioStep
from saidonce.repairs import conversation
from saidonce.repairs.channels.web import WebMessenger
from saidonce.repairs.conversation import ConversationDeps, Orchestration, Rules
from saidonce.repairs.conversation.tool_calls import parse_calls, select_call
from saidonce.repairs.conversation.tools import Condition, ToolRefusal, cell

Cell = tuple[IdentityStatus, Gathering, Tool]
Open = Callable[[], Conversations]

MAX_TURNS = 12
"""Turns of one step, at most; more is a loop."""

FLAGS = {"v1": Orchestration.OFF, "v2": Orchestration.ON}


@dataclass(frozen=True, slots=True)
class Played:
    """Result of a scenario with one flow.

    Attributes:
        failures: unmet expectations, in words; empty if it passed.
        n_expected, n_right: steps that expect a tool, and those that used it.
        n_asked, n_first, n_asked_right: of these, steps with a model call; those whose first named tool was the
            expected one; and those that used it.
        n_false: issues beyond the expected ones; urgent ones of standing alarms do not count.
        turns: all turns, in order.
        tried: cells tried by a reply and refused by the gate.
    """

    scenario: str
    flow: str
    failures: tuple[str, ...]
    n_expected: int
    n_right: int
    n_false: int
    turns: tuple[Turn, ...]
    tried: frozenset[Cell] = frozenset()
    n_asked: int = 0
    n_first: int = 0
    n_asked_right: int = 0

    @property
    def calls(self) -> tuple[int, ...]:
        """Model calls of each turn, without those of timers and people."""
        return tuple(len(t.calls) for t in self.turns if t.path not in (Path.TIMER, Path.HUMAN))


class ScriptedChat:
    """A model with a scenario's replies: for faults and attacks, never to grade a model's choices."""

    name = "scripted"

    def __init__(self) -> None:
        self.replies: list[str] = []
        self.asked: list[tuple[str, str, Mapping[str, object]]] = []

    def complete_within(self, instructions: str, prompt: str, schema: Mapping[str, object], timeout_s: float) -> str:
        """Return the next reply; fail on "!timeout" and where the scenario has none."""
        self.asked.append((instructions, prompt, schema))
        if not self.replies:
            raise ModelUnavailableError(self.name, f"no reply scripted (within {timeout_s:g} s)")
        reply = self.replies.pop(0)
        if reply == "!timeout":
            raise ModelUnavailableError(self.name, "time-out")
        return reply


@dataclass
class _Stage:
    """A scenario while it is played."""

    desk: ConversationDeps
    clock: ScenarioClock
    script: ScriptedChat | None
    failures: list[str] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    n_expected: int = 0
    n_right: int = 0
    n_asked: int = 0
    n_first: int = 0
    n_asked_right: int = 0


def play(scenario: Scenario, flow: str, open_store: Open, chat: DeadlineChat | None = None) -> Played:
    """Play a scenario with one flow.

    Args:
        scenario: home, steps and expectations.
        flow: v1 or v2.
        open_store: opens an empty store.
        chat: a recording or a live model; None uses the replies in the scenario's steps.
    """
    clock = ScenarioClock(scenario.clock)
    script = ScriptedChat() if chat is None else None
    flag = Orchestration(scenario.flag) if scenario.flag else FLAGS[flow]
    deps = ConversationDeps(
        open_store(), clock, chat=chat or script, rules=Rules(orchestration=flag),
        pack=conversation.named_pack(scenario.pack),
    )  # fmt: skip
    preset(deps, scenario)
    stage = _Stage(deps, clock, script)
    for number, step in enumerate(scenario.steps, 1):
        _play(stage, step, number)
    stage.failures += grade_end(deps.store, scenario.end, stage.turns)
    return Played(
        scenario.id, flow, tuple(stage.failures), stage.n_expected, stage.n_right,
        _n_false(deps.store, scenario), tuple(stage.turns), _tried(stage.turns), stage.n_asked, stage.n_first,
        stage.n_asked_right,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class ConversationReport:
    """Results of a model on scenarios (tier 1).

    Attributes:
        tool_accuracy: steps that used the expected tool, of those that expect one.
        asked, first: the same of the steps with a model call; and the share of them whose first named tool was the
            expected one, before any check.
        n_false: unexpected issues.
        seeds: situations of the seed (tag `seed`) that used every expected tool.
        passed: scenarios without an unmet expectation.
        every_wording: scenarios in several wordings that used every expected tool in each (pass^k).
        calls_p95, max_tokens: model calls of a turn, and estimated tokens of the longest prompt.
        played: results in order.
    """

    flow: str
    tool_accuracy: Rate
    asked: Rate
    first: Rate
    n_false: int
    seeds: Rate
    passed: Rate
    every_wording: Rate
    calls_p95: int
    max_tokens: int
    played: tuple[Played, ...]


def play_live(
    scenarios: Sequence[Scenario], flow: str, open_store: Open, chat: DeadlineChat | None, reworded: bool = False
) -> ConversationReport:
    """Play every scenario suited to a real model, with a live model, a recording, or (v1) none.

    A recording model makes the recordings in this way.

    Args:
        reworded: play every wording.
    """
    live = [s for s in scenarios if s.is_live]
    graded = [w for s in live for w in s.wordings()] if reworded else live
    played = tuple(play(s, flow, open_store, chat) for s in graded)
    seeds = [p for p, s in zip(played, graded, strict=True) if "seed" in s.tags]
    calls = sorted(n for p in played for n in p.calls)
    n_asked = sum(p.n_asked for p in played)
    return ConversationReport(
        flow, rate(sum(p.n_right for p in played), sum(p.n_expected for p in played)),
        rate(sum(p.n_asked_right for p in played), n_asked), rate(sum(p.n_first for p in played), n_asked),
        sum(p.n_false for p in played), rate(sum(p.n_right == p.n_expected for p in seeds), len(seeds)),
        rate(sum(not p.failures for p in played), len(played)), _every_wording(played),
        calls[int(0.95 * (len(calls) - 1))] if calls else 0,
        max((t.prompt_tokens for p in played for t in p.turns), default=0), played,
    )  # fmt: skip


def _every_wording(played: Sequence[Played]) -> Rate:
    right: dict[str, list[bool]] = {}
    for one in played:
        right.setdefault(one.scenario.partition("~")[0], []).append(one.n_right == one.n_expected)
    several = [all(each) for each in right.values() if len(each) > 1]
    return rate(sum(several), len(several))


def cells(played: Sequence[Played]) -> set[Cell]:
    """Return the cells of identity x gathering x tool visited by turns."""
    return {c for p in played for t in p.turns if (c := cell_of(t)) is not None}


def cell_of(turn: Turn) -> Cell | None:
    """Return the cell at which a turn's tool passed the gate; None for turns without one."""
    if turn.tool is None or turn.path is Path.HUMAN:
        return None
    return (_gated_as(turn), turn.gathering[0], turn.tool)


def legal() -> set[Cell]:
    """Return every cell that the gate may open under some condition."""
    every = {(i, g, t) for i in IdentityStatus for g in Gathering for t in Tool}
    return {c for c in every if cell(*c) is not Condition.NEVER}


def coverage(played: Sequence[Played]) -> tuple[int, int, int, int]:
    """Count (legal cells played, legal cells, illegal cells tried, illegal cells)."""
    may = legal()
    all_ = len(IdentityStatus) * len(Gathering) * len(Tool)
    tried = {c for p in played for c in p.tried} - may
    return len(cells(played) & may), len(may), len(tried), all_ - len(may)


def _n_false(store: Conversations, scenario: Scenario) -> int:
    if "issues" not in scenario.end:
        return 0
    opened = [i for i in store.issues() if not i.turn_id.startswith(("preset-", "emergency:"))]
    expected = [row for row in scenario.end["issues"] if row.get("urgency") != "emergency"]
    return max(0, len(opened) - len(expected))


def _gated_as(turn: Turn) -> IdentityStatus:
    if turn.path is not Path.IDENTITY and any(e.endswith(">confirmed") for e in turn.effects):
        return IdentityStatus.CONFIRMED
    return turn.identity[0]


def _tried(turns: Sequence[Turn]) -> frozenset[Cell]:
    refused_cells = set()
    for turn in turns:
        for refused in turn.refused:
            name, _, reasons = refused.partition(": ")
            if name in set(Tool) and ToolRefusal.NOT_IN_THIS_STATE in reasons:
                refused_cells.add((_gated_as(turn), turn.gathering[0], Tool(name)))
    return frozenset(refused_cells)


def _play(stage: _Stage, step: ScenarioStep, number: int) -> None:
    stage.clock.forward(step.at)
    if stage.script is not None:
        stage.script.replies = list(step.scripted)
    before, n_outbox = len(stage.turns), len(stage.desk.store.outbox())
    sent(stage.desk, step)
    if step.row.get("waits"):
        return
    stage.clock.forward(stage.desk.rules.longest_wait_s + 1)
    turns = conversation.once(stage.desk, WebMessenger(), "worker", not_caught, MAX_TURNS)
    stage.turns += turns
    if len(turns) == MAX_TURNS:
        stage.failures.append(f"step {number}: more than {MAX_TURNS} turns")
    says = " | ".join(m.text for m in stage.desk.store.outbox()[n_outbox:])
    _grade(stage, step, number, stage.turns[before:], says)


def _grade(stage: _Stage, step: ScenarioStep, number: int, turns: Sequence[Turn], says: str) -> None:
    expect = step.expect
    last = turns[-1] if turns else None
    tools = [t.tool for t in turns if t.tool is not None]
    used = str(tools[-1]) if tools else "none"
    if "tool" in expect:
        _count_tool(stage, used, _listed(expect["tool"]), turns)
    held = stage.desk.store.conversations(1)[0]
    draft = held.draft
    seen = {
        "tool": used, "path": str(last.path) if last else "none", "identity": str(held.identity),
        "gathering": str(held.gathering), "reason": last.reason if last else "", "photo": str(draft.photo),
        "shadow": last.shadow if last else "",
    }  # fmt: skip
    bad = [f"{k} is {seen[k]!r}, not {expect[k]!r}" for k in seen if k in expect and seen[k] not in _listed(expect[k])]
    if used in _listed(expect.get("not_tool", ())):
        bad.append(f"tool {used!r} was used")
    quotes = {"description": draft.description, "location": draft.location}
    for name, slot in quotes.items():
        quote = slot.quote if slot else ""
        if name in expect and (expect[name] not in quote if expect[name] else bool(quote)):
            bad.append(f"{name} is {quote!r}, not {expect[name]!r}")
    bad += [f"reply lacks {t!r}: {says!r}" for t in _listed(expect.get("reply", ())) if t.lower() not in says.lower()]
    bad += [f"reply has {t!r}" for t in _listed(expect.get("reply_not", ())) if t.lower() in says.lower()]
    spoken = {m.language for m in stage.desk.store.outbox()[-1:]}
    bad += [f"the reply is in {spoken}" for tag in _listed(expect.get("reply_language", ())) if {tag} != spoken]
    refused = " ".join(r for t in turns for r in t.refused)
    bad += [f"{t!r} was not refused: {refused!r}" for t in _listed(expect.get("refused", ())) if t not in refused]
    n_calls = sum(len(t.calls) for t in turns)
    if n_calls > expect.get("max_calls", n_calls):
        bad.append(f"{n_calls} model calls")
    stage.failures += [f"step {number}: {text}" for text in bad]


def _count_tool(stage: _Stage, used: str, expected: Sequence[str], turns: Sequence[Turn]) -> None:
    stage.n_expected += 1
    stage.n_right += used in expected
    by_model = [t for t in turns if t.calls and t.tool is not None]
    if by_model:
        stage.n_asked += 1
        stage.n_asked_right += used in expected
        stage.n_first += _first_tool(by_model[-1]) in expected


def _first_tool(turn: Turn) -> str:
    """Return the first tool named by the model; empty if its first reply broke the contract."""
    try:
        return str(select_call(parse_calls(turn.calls[0].reply))[0].tool)
    except ReplyError:
        return ""


def _listed(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)
