"""Play scenarios through the conversation service, and grade them by their turns and the final store.

scenario -> store with its rows -> (step -> take_in, once, as the service does -> expectations) -> rows at the end
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from saidonce.errors import ModelUnavailableError, ReplyError
from saidonce.foundation.model import UNKNOWN_LANGUAGE
from saidonce.foundation.model.conversation import Gathering, IdentityStatus, IssueDraft, Path, Tool, Turn
from saidonce.foundation.ports.conversations import Conversations, DeadlineChat
from saidonce.foundation.text import language
from saidonce.quality.acts import Outside, OutsideChat
from saidonce.quality.endings import graded
from saidonce.quality.figures import Rate, rate
from saidonce.quality.flaws import ConversationFlaw, FlawKind
from saidonce.quality.flaws import flaws as flaws_of
from saidonce.quality.playing import ScenarioClock, preset
from saidonce.quality.scenario import Scenario, ScenarioStep
from saidonce.quality.stage import MAX_TURNS, PlayedStep, Stage
from saidonce.repairs import conversation
from saidonce.repairs.conversation import ConversationDeps, Orchestration, Rules
from saidonce.repairs.conversation.tool_calls import parse_calls, select_call
from saidonce.repairs.conversation.tools import Condition, ToolRefusal, cell

Cell = tuple[IdentityStatus, Gathering, Tool]
Open = Callable[[], Conversations]
Equip = Callable[[ConversationDeps, Sequence[Mapping[str, Any]]], ConversationDeps]
"""(store, clock, model and rules, documents with title, text, property) -> the same with all that the service has."""

FLAGS = {"v1": Orchestration.OFF, "v2": Orchestration.ON, "default": Orchestration.ON}
"""Flows: the keyword flow; the model's, with the replies of the scenario if there is no model; and the service
without a model, as it is installed."""


@dataclass(frozen=True, slots=True)
class Played:
    """The result of a scenario with one flow.

    Attributes:
        failures: unmet expectations as text; empty if it passed.
        n_expected, n_right: steps that expect a tool, and those that used it.
        n_asked, n_first, n_asked_right: steps of these with a model call; those whose first named tool was the
            expected one; and those that used it.
        n_false: unexpected issues; urgent issues of active alarms do not count.
        turns: all turns, in order.
        tried: cells that a reply attempted and the gate refused.
        flaws: flaws for the resident, independent of the scenario's expectations.
        grade: grade of the matching end; empty if none matches.
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
    flaws: tuple[ConversationFlaw, ...] = ()
    grade: str = ""
    n_messages: int = 0

    @property
    def calls(self) -> tuple[int, ...]:
        """Model calls of each turn, except turns of timers and people."""
        return tuple(len(t.calls) for t in self.turns if t.path not in (Path.TIMER, Path.HUMAN))


class ScriptedChat:
    """A model that returns a scenario's scripted replies: for faults and attacks, never to grade a model."""

    name = "scripted"

    def __init__(self) -> None:
        self.replies: list[str] = []
        self.asked: list[tuple[str, str, Mapping[str, object]]] = []

    def complete_within(self, instructions: str, prompt: str, schema: Mapping[str, object], timeout_s: float) -> str:
        """Return the next reply; fail on "!timeout" and if the scenario has no more."""
        self.asked.append((instructions, prompt, schema))
        if not self.replies:
            raise ModelUnavailableError(self.name, f"no reply scripted (within {timeout_s:g} s)")
        reply = self.replies.pop(0)
        if reply == "!timeout":
            raise ModelUnavailableError(self.name, "time-out")
        return reply


@dataclass
class _Count:
    """Counts over the steps of a scenario so far."""

    failures: list[str] = field(default_factory=list)
    n_expected: int = 0
    n_right: int = 0
    n_asked: int = 0
    n_first: int = 0
    n_asked_right: int = 0


def play(
    scenario: Scenario, flow: str, open_store: Open, chat: DeadlineChat | None = None, equip: Equip | None = None
) -> Played:
    """Play a scenario with one flow.

    Args:
        scenario: home, steps and expectations.
        flow: v1, v2 or default.
        open_store: opens an empty store.
        chat: a recording or a live model; None uses the replies in the scenario's steps.
        equip: adds services, such as retrieval over the scenario's documents; None adds none.

    Raises:
        UsageError: a step names an unknown act or event, or an issue that does not exist.
    """
    clock, outside = ScenarioClock(scenario.clock), Outside(reach=scenario.reach)
    script = ScriptedChat() if chat is None and flow != "default" else None
    flag = Orchestration(scenario.flag) if scenario.flag else FLAGS[flow]
    model = chat or script
    deps = ConversationDeps(
        open_store(), clock, chat=OutsideChat(model, outside) if model else None, rules=Rules(orchestration=flag),
        pack=conversation.named_pack(scenario.pack),
        reach=outside if scenario.reach else None,
    )  # fmt: skip
    deps = equip(deps, scenario.documents) if equip is not None else deps
    preset(deps, scenario)
    stage, count = Stage(deps, clock, outside), _Count()
    for number, step in enumerate(scenario.steps, 1):
        if script is not None:
            script.replies = list(step.scripted)
        moment = stage.do(step)
        if not step.row.get("waits"):
            _grade(count, step, number, moment)
    bad, grade = graded(scenario.ends, stage.moments)
    bad += [f"more than {MAX_TURNS} turns of a step"] if stage.is_looping else []
    turns, flaws = tuple(stage.turns), flaws_of(scenario, stage.moments)
    return Played(
        scenario.id, flow, (*count.failures, *bad), count.n_expected, count.n_right,
        sum(f.kind is FlawKind.FALSE_ISSUE for f in flaws), turns, _tried(turns), count.n_asked, count.n_first,
        count.n_asked_right, flaws, grade, sum(bool(s.text) for s in scenario.steps),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class ConversationReport:
    """Results of a model on scenarios (tier 1).

    Attributes:
        tool_accuracy: share of the steps that expect a tool that used it.
        asked, first: the same share of the steps with a model call; and the share of them whose first named tool
            was the expected one, before any check.
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
    scenarios: Sequence[Scenario],
    flow: str,
    open_store: Open,
    chat: DeadlineChat | None,
    reworded: bool = False,
    equip: Equip | None = None,
) -> ConversationReport:
    """Play every scenario suited to a real model, with a live model, a recording, or (v1) none.

    With a recording model, this makes the recordings.

    Args:
        reworded: play every wording.
        equip: adds services, such as retrieval over documents; None adds none.
    """
    live = [s for s in scenarios if s.is_live]
    chosen = [w for s in live for w in s.wordings()] if reworded else live
    played = tuple(play(s, flow, open_store, chat, equip) for s in chosen)
    seeds = [p for p, s in zip(played, chosen, strict=True) if "seed" in s.tags]
    calls = sorted(n for p in played for n in p.calls)
    n_asked = sum(p.n_asked for p in played)
    return ConversationReport(
        flow, rate(sum(p.n_right for p in played), sum(p.n_expected for p in played)),
        rate(sum(p.n_asked_right for p in played), n_asked), rate(sum(p.n_first for p in played), n_asked),
        sum(p.n_false for p in played), rate(sum(p.n_right == p.n_expected for p in seeds), len(seeds)),
        rate(sum(not p.failures for p in played), len(played)), every_wording(played),
        calls[int(0.95 * (len(calls) - 1))] if calls else 0,
        max((t.prompt_tokens for p in played for t in p.turns), default=0), played,
    )  # fmt: skip


def every_wording(played: Sequence[Played]) -> Rate:
    """Count scenarios in several wordings that used every expected tool in each (pass^k)."""
    right: dict[str, list[bool]] = {}
    for result in played:
        right.setdefault(result.scenario.partition("~")[0], []).append(result.n_right == result.n_expected)
    several = [all(each) for each in right.values() if len(each) > 1]
    return rate(sum(several), len(several))


def cells(played: Sequence[Played]) -> set[Cell]:
    """Return the cells of identity x gathering x tool visited by turns."""
    return {c for p in played for t in p.turns if (c := cell_of(t)) is not None}


def cell_of(turn: Turn) -> Cell | None:
    """Return the cell in which a turn's tool passed the gate; None for turns without a tool."""
    if turn.tool is None or turn.path is Path.HUMAN:
        return None
    return (_gated_as(turn), turn.gathering[0], turn.tool)


def legal() -> set[Cell]:
    """Return every cell that the gate allows under some condition."""
    every = {(i, g, t) for i in IdentityStatus for g in Gathering for t in Tool}
    return {c for c in every if cell(*c) is not Condition.NEVER}


def coverage(played: Sequence[Played]) -> tuple[int, int, int, int]:
    """Return the numbers of legal cells played, legal cells, illegal cells tried, and illegal cells."""
    may = legal()
    all_ = len(IdentityStatus) * len(Gathering) * len(Tool)
    tried = {c for p in played for c in p.tried} - may
    return len(cells(played) & may), len(may), len(tried), all_ - len(may)


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


def _grade(count: _Count, step: ScenarioStep, number: int, moment: PlayedStep) -> None:
    expect, turns = step.expect, moment.turns
    tools = [t.tool for t in turns if t.tool is not None]
    used = str(tools[-1]) if tools else "none"
    if "tool" in expect:
        _count_tool(count, used, _listed(expect["tool"]), turns)
    bad = _of_state(expect, moment, used) + _of_replies(expect, moment)
    n_calls = sum(len(t.calls) for t in turns)
    if n_calls > expect.get("max_calls", n_calls):
        bad.append(f"{n_calls} model calls")
    count.failures += [f"step {number}: {text}" for text in bad]


def _of_state(expect: Mapping[str, Any], moment: PlayedStep, used: str) -> list[str]:
    last, held = moment.turns[-1] if moment.turns else None, moment.held
    draft = held.draft if held else IssueDraft()
    actual = {
        "tool": used, "path": str(last.path) if last else "none", "identity": str(held.identity) if held else "",
        "gathering": str(held.gathering) if held else "", "reason": last.reason if last else "",
        "photo": str(draft.photo), "shadow": last.shadow if last else "",
    }  # fmt: skip
    bad = [
        f"{k} is {actual[k]!r}, not {expect[k]!r}"
        for k in actual
        if k in expect and actual[k] not in _listed(expect[k])
    ]
    if used in _listed(expect.get("not_tool", ())):
        bad.append(f"tool {used!r} was used")
    for name, slot in {"description": draft.description, "location": draft.location}.items():
        quote = slot.quote if slot else ""
        if name in expect and (expect[name] not in quote if expect[name] else bool(quote)):
            bad.append(f"{name} is {quote!r}, not {expect[name]!r}")
    return bad


def _of_replies(expect: Mapping[str, Any], moment: PlayedStep) -> list[str]:
    says = " | ".join(m.text for m in moment.says)
    bad = [f"reply lacks {t!r}: {says!r}" for t in _listed(expect.get("reply", ())) if t.lower() not in says.lower()]
    bad += [f"reply has {t!r}" for t in _listed(expect.get("reply_not", ())) if t.lower() in says.lower()]
    refused = " ".join(r for t in moment.turns for r in t.refused)
    bad += [f"{t!r} was not refused: {refused!r}" for t in _listed(expect.get("refused", ())) if t not in refused]
    if "reply_language" in expect and language(says) not in (expect["reply_language"], UNKNOWN_LANGUAGE):
        bad.append(f"the reply is in {language(says)!r}, not {expect['reply_language']!r}: {says!r}")
    return bad


def _count_tool(count: _Count, used: str, expected: Sequence[str], turns: Sequence[Turn]) -> None:
    count.n_expected += 1
    count.n_right += used in expected
    by_model = [t for t in turns if t.calls and t.tool is not None]
    if by_model:
        count.n_asked += 1
        count.n_asked_right += used in expected
        count.n_first += _first_tool(by_model[-1]) in expected


def _first_tool(turn: Turn) -> str:
    """Return the first tool named by the model; empty if its first reply broke the contract."""
    try:
        return str(select_call(parse_calls(turn.calls[0].reply))[0].tool)
    except ReplyError:
        return ""


def _listed(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)
