"""Scenarios of conversations as data: homes, messages, expectations."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any

from saidonce.errors import NotFoundError, UsageError
from saidonce.foundation.model.conversation import Issue

_EXPECTED = frozenset(
    "tool not_tool path identity gathering reply reply_not reason refused description location photo max_calls"
    " shadow reply_language".split()
)
_STEP = frozenset(
    "text media button kind at id dup_of sent stored from scripted waits expect person unstored reworded"
    " wait_until clock happens means language".split()
)
_END = frozenset(
    "issues notices outbox events max_calls max_tokens turns grade notices_any some_notice live_issues reopened person"
    " emergency says never_says reply_language gathering identity opted_out max_questions".split()
)
_ISSUE = frozenset(f.name for f in fields(Issue)) | {"contains", "contains_not", "location_not"}
_SCENARIO = frozenset(
    "id source tags pack flag flows fails clock home issue state step end document language reach".split()
)
_DOCUMENT = frozenset("title text property".split())
_REACH = frozenset({"", "taken", "unreachable"})


class MessageMeaning(StrEnum):
    """What a message of a scenario truly is, whatever the program takes it for."""

    REPORT = "report"
    QUESTION = "question"
    EMERGENCY = "emergency"
    HARMLESS = "harmless"
    PERSON = "person"
    WITHDRAWAL = "withdrawal"
    CORRECTION = "correction"
    ASK_AFTER = "ask_after"
    REOPEN = "reopen"
    STOP = "stop"
    PHOTO_REFUSED = "photo_refused"
    PHOTO_LATER = "photo_later"


class EndGrade(StrEnum):
    """How good an end is."""

    BEST = "best"
    ACCEPTABLE = "acceptable"


NOT_LIVE = frozenset({"fault", "gate", "injection", "output"})
"""Tags of scenarios in which the model errs on purpose."""

NOON = datetime(2026, 1, 17, 12, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class ScenarioStep:
    """Something that happens: a message, a repetition of one, a person's act, or only time.

    Attributes:
        row: the step as written.
        at: seconds after the step before.
        is_jump: time passes as it does for the service: everything that falls due meanwhile is done when it is due.
        reworded: other wordings of the text with the same expectations.
        scripted: replies of a fictitious model, for faults and for attacks on the gate; "!timeout" fails.
        expect: expectations after it.
        means: what the message truly is; None if the scenario does not say.
    """

    row: Mapping[str, Any]
    at: float
    scripted: tuple[str, ...]
    expect: Mapping[str, Any]
    reworded: tuple[str, ...] = ()
    is_jump: bool = False
    means: MessageMeaning | None = None

    @property
    def text(self) -> str:
        """The message's text."""
        return str(self.row.get("text", ""))


@dataclass(frozen=True, slots=True)
class Scenario:
    """One conversation with its expectations.

    Attributes:
        flows: its orchestrators: v1, v2; `fails`: those known to fail it.
        ends: any of these ends is right, the first that fits counts.
        documents: of the organisation, or of a property.
        language: tag of the language in which the resident writes; empty if nothing is said of it.
        reach: whether notices reach the landlord's team: "taken", "unreachable", or "" where nobody delivers them.
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
    ends: tuple[Mapping[str, Any], ...] = ()
    documents: tuple[Mapping[str, Any], ...] = ()
    language: str = ""
    reach: str = ""

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
    ends = _ends(name, row.get("end", ()))
    for document in row.get("document", ()):
        _known(name, document, _DOCUMENT)
    if row.get("reach", "") not in _REACH:
        raise UsageError(f"scenario {name!r} has reach {row['reach']!r}; it is taken or unreachable")
    steps = tuple(_step(name, s) for s in row.get("step", ()))
    if row.get("id") != name or not steps or not row.get("source"):
        raise UsageError(f"scenario {name!r} needs its file's name as id, a source and steps")
    flows = tuple(row.get("flows", ("v2",)))
    return Scenario(
        id=row["id"], source=row["source"], tags=tuple(row.get("tags", ())), pack=row.get("pack", "uk"),
        flag=row.get("flag", ""), flows=flows, fails=tuple(row.get("fails", ())), clock=row.get("clock", NOON),
        homes=tuple(row.get("home", ())), issues=tuple(row.get("issue", ())), state=row.get("state", {}),
        steps=steps, ends=ends, documents=tuple(row.get("document", ())), language=row.get("language", ""),
        reach=row.get("reach", ""),
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
    at = row.get("at", 60)
    try:
        means = MessageMeaning(row["means"]) if "means" in row else None
    except ValueError as bad:
        raise UsageError(f"scenario {name!r}: {bad}") from bad
    is_jump = isinstance(at, str) or "wait_until" in row or "clock" in row
    return ScenarioStep(row, seconds_of(name, at), scripted, expect, reworded, is_jump, means)


_PART = re.compile(r"(\d+(?:\.\d+)?)\s*([dhms])")
_UNITS = {"d": "days", "h": "hours", "m": "minutes", "s": "seconds"}


def seconds_of(name: str, at: float | str) -> float:
    """Return a time in seconds, of a number or of text such as "2d 4h".

    Raises:
        UsageError: the text is no time.
    """
    if not isinstance(at, str):
        return float(at)
    parts = _PART.findall(at)
    if not parts or _PART.sub("", at).strip():
        raise UsageError(f"scenario {name!r} has {at!r}, which is no time such as '2d 4h'")
    return sum(timedelta(**{_UNITS[unit]: float(n)}).total_seconds() for n, unit in parts)


def _ends(name: str, rows: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> tuple[Mapping[str, Any], ...]:
    ends = (rows,) if isinstance(rows, Mapping) else tuple(rows)
    for end in ends:
        _known(name, end, _END)
        for issue in end.get("issues", ()):
            _known(name, issue, _ISSUE)
        if end.get("grade", EndGrade.BEST) not in set(EndGrade):
            raise UsageError(f"scenario {name!r} has grade {end['grade']!r}; it is best or acceptable")
    return ends


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
