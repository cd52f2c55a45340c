"""Room: scenarios of conversations as data: homes, messages, expectations."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from saidonce.errors import NotFoundError, UsageError

_EXPECTED = frozenset(
    "tool not_tool path identity gathering reply reply_not reason refused description location photo max_calls"
    " shadow reply_language".split()
)
_STEP = frozenset(
    "text media button kind at id dup_of sent stored from scripted waits expect person unstored reworded".split()
)
_END = frozenset("issues notices outbox events max_calls max_tokens turns".split())
_SCENARIO = frozenset("id source tags pack flag flows fails clock home issue state step end".split())

NOT_LIVE = frozenset({"fault", "gate", "injection", "output"})
"""Tags of scenarios in which the model errs on purpose."""

NOON = datetime(2026, 1, 17, 12, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class ScenarioStep:
    """Something that happens: a message, a repetition of one, a person's act, or only time.

    Attributes:
        row: the step as written.
        at: seconds after the step before.
        reworded: other wordings of the text with the same expectations.
        scripted: replies of a fictitious model, for faults and for attacks on the gate; "!timeout" fails.
        expect: expectations after it.
    """

    row: Mapping[str, Any]
    at: float
    scripted: tuple[str, ...]
    expect: Mapping[str, Any]
    reworded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scenario:
    """One conversation with its expectations.

    Attributes:
        flows: its orchestrators: v1, v2; `fails`: those known to fail it.
    """

    id: str
    source: str
    tags: tuple[str, ...]
    pack: str
    flag: str
    flows: tuple[str, ...]
    fails: tuple[str, ...]
    clock: datetime
    homes: tuple[Mapping[str, Any], ...]
    issues: tuple[Mapping[str, Any], ...]
    state: Mapping[str, Any]
    steps: tuple[ScenarioStep, ...]
    end: Mapping[str, Any]

    @property
    def is_live(self) -> bool:
        """Whether it suits a real model: it needs no reply with a particular error."""
        return not NOT_LIVE.intersection(self.tags) and not self.flag

    def wordings(self) -> tuple[Scenario, ...]:
        """Return the scenario in each of its wordings, the original first."""
        n = max(len(s.reworded) for s in self.steps)
        return (self, *(replace(self, id=f"{self.id}~{k}", steps=tuple(_reworded(s, k) for s in self.steps))
                        for k in range(1, n + 1)))  # fmt: skip


def read_scenario(content: str, name: str) -> Scenario:
    """Read a scenario.

    Raises:
        UsageError: it is not a TOML scenario; an unknown key is an error, so that no expectation is lost.
    """
    try:
        row = tomllib.loads(content)
    except tomllib.TOMLDecodeError as bad:
        raise UsageError(f"scenario {name!r} is not valid TOML: {bad}") from bad
    _known(name, row, _SCENARIO)
    _known(name, row.get("end", {}), _END)
    steps = tuple(_step(name, s) for s in row.get("step", ()))
    if row.get("id") != name or not steps or not row.get("source"):
        raise UsageError(f"scenario {name!r} needs its file's name as id, a source and steps")
    flows = tuple(row.get("flows", ("v2",)))
    return Scenario(
        id=row["id"], source=row["source"], tags=tuple(row.get("tags", ())), pack=row.get("pack", "uk"),
        flag=row.get("flag", ""), flows=flows, fails=tuple(row.get("fails", ())), clock=row.get("clock", NOON),
        homes=tuple(row.get("home", ())), issues=tuple(row.get("issue", ())), state=row.get("state", {}),
        steps=steps, end=row.get("end", {}),
    )  # fmt: skip


def read_scenarios(folder: Path) -> tuple[Scenario, ...]:
    """Read every scenario of a folder, by name.

    Raises:
        NotFoundError: there is no such folder.
        UsageError: it holds no scenario, or one of them is malformed.
    """
    if not folder.is_dir():
        raise NotFoundError("folder", str(folder))
    files = sorted(folder.glob("*.toml"))
    if not files:
        raise UsageError(f"folder {str(folder)!r} holds no scenarios (.toml)")
    return tuple(_read(p) for p in files)


def _read(file: Path) -> Scenario:
    try:
        return read_scenario(file.read_text(encoding="utf-8"), file.stem)
    except UnicodeDecodeError as bad:
        raise UsageError(f"scenario {file.stem!r} is not UTF-8 text") from bad


def _step(name: str, row: Mapping[str, Any]) -> ScenarioStep:
    _known(name, row, _STEP)
    expect = row.get("expect", {})
    _known(name, expect, _EXPECTED)
    scripted = tuple(r if isinstance(r, str) else json.dumps(r) for r in row.get("scripted", ()))
    reworded = tuple(row.get("reworded", ()))
    if reworded and "text" not in row:
        raise UsageError(f"scenario {name!r} rewords a step without a text")
    return ScenarioStep(row, float(row.get("at", 60)), scripted, expect, reworded)


def _reworded(step: ScenarioStep, k: int) -> ScenarioStep:
    """Return a step in its k-th other wording, unchanged if it has none; expected quotes are dropped."""
    if len(step.reworded) < k:
        return step
    expect = {key: value for key, value in step.expect.items() if key not in ("description", "location")}
    return replace(step, row={**step.row, "text": step.reworded[k - 1]}, expect=expect)


def _known(name: str, row: Mapping[str, Any], keys: frozenset[str]) -> None:
    unknown = set(row) - keys
    if unknown:
        raise UsageError(f"scenario {name!r} has unknown keys: {', '.join(sorted(unknown))}")
