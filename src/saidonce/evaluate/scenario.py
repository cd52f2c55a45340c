"""Room: scenarios of conversations as data: who lives where, what is written, what has to happen."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from saidonce.errors import UsageError

_EXPECTED = frozenset(
    "tool not_tool path identity gathering reply reply_not reason refused description location photo max_calls"
    " shadow".split()
)
_STEP = frozenset("text media button kind at id dup_of sent stored from scripted waits expect person unstored".split())
_END = frozenset("issues notices outbox events max_calls max_tokens turns".split())
_SCENARIO = frozenset("id source tags pack flag flows fails clock home issue state step end".split())

NOT_LIVE = frozenset({"fault", "gate", "injection", "output"})
"""Tags of scenarios in which the model errs on purpose."""

NOON = datetime(2026, 1, 17, 12, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Step:
    """Something that happens: a message, a repetition of one, a person's act, or only time.

    Attributes:
        given: the step as written.
        at: seconds after the step before.
        scripted: replies of a model that exists only here, for faults and for attacks on the gate; "!timeout" fails.
        expect: what has to be true after it.
    """

    given: Mapping[str, Any]
    at: float
    scripted: tuple[str, ...]
    expect: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Scenario:
    """One conversation with what has to come of it.

    Attributes:
        flows: orchestrators it is run with: v1, v2; `fails`: those that are known to fail it.
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
    steps: tuple[Step, ...]
    end: Mapping[str, Any]

    @property
    def is_live(self) -> bool:
        """Whether a real model can be graded by it: it needs no reply that errs in a way of its own."""
        return not NOT_LIVE.intersection(self.tags) and not self.flag


def read_scenario(content: str, name: str) -> Scenario:
    """Read a scenario.

    Raises:
        UsageError: it is no TOML of this shape; an unknown key is an error, so that no expectation is lost.
    """
    try:
        row = tomllib.loads(content)
    except tomllib.TOMLDecodeError as bad:
        raise UsageError(f"scenario {name!r} is no TOML: {bad}") from bad
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
        UsageError: one of them is malformed.
    """
    return tuple(read_scenario(p.read_text(encoding="utf-8"), p.stem) for p in sorted(folder.glob("*.toml")))


def _step(name: str, row: Mapping[str, Any]) -> Step:
    _known(name, row, _STEP)
    expect = row.get("expect", {})
    _known(name, expect, _EXPECTED)
    scripted = tuple(r if isinstance(r, str) else json.dumps(r) for r in row.get("scripted", ()))
    return Step(row, float(row.get("at", 60)), scripted, expect)


def _known(name: str, row: Mapping[str, Any], keys: frozenset[str]) -> None:
    unknown = set(row) - keys
    if unknown:
        raise UsageError(f"scenario {name!r} has unknown keys: {', '.join(sorted(unknown))}")
