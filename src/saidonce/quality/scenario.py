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
from saidonce.foundation.model.residents import Via

_EXPECTED = frozenset(
    "tool not_tool path identity gathering reply reply_not reason refused description location photo max_calls"
    " shadow reply_language".split()
)
_STEP = frozenset(
    "text media button kind at id dup_of sent stored from scripted waits expect person unstored reworded"
    " wait_until clock happens means language via proven".split()
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
    """The true meaning of a message, independent of what the program makes of it."""

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
    """The grade of an end."""

    BEST = "best"
    ACCEPTABLE = "acceptable"


NOT_LIVE = frozenset({"fault", "gate", "injection", "output"})
"""Tags of scenarios in which the model errs on purpose."""

NOON = datetime(2026, 1, 17, 12, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class ScenarioStep:
    """A step: a message, a repeated message, a person's act, or only time passing.

    Attributes:
        row: the step as written; `via` names its channel, and `proven = false` a writer whom it does not prove.
        at: seconds after the step before.
        is_jump: everything that falls due in the meantime is done at its time, as in the service.
        reworded: other wordings of the text with the same expectations.
        scripted: replies of a scripted model, for faults and attacks on the gate; "!timeout" fails.
        expect: expectations after it.
        means: the true meaning of the message; None if unspecified.
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
        flows: orchestrators to play it with: v1, v2; `fails`: those known to fail it.
        ends: accepted ends; the first that matches counts.
        documents: documents of the organisation, or of a property.
        language: tag of the resident's language; empty if unspecified.
        reach: whether notices reach the landlord's team: "taken", "unreachable", or "" if they are not delivered.
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
        """Whether a real model can play it: it needs no scripted error."""
        return not NOT_LIVE.intersection(self.tags) and not self.flag

    def wordings(self) -> tuple[Scenario, ...]:
        """Return the scenario in each of its wordings, the original first."""
        n = max(len(s.reworded) for s in self.steps)
        return (self, *(replace(self, id=f"{self.id}~{k}", steps=tuple(_reworded(s, k) for s in self.steps))
                        for k in range(1, n + 1)))  # fmt: skip


def read_scenario(content: str, name: str) -> Scenario:
    """Read a scenario.

    Raises:
        UsageError: it is not a TOML scenario, or has an unknown key.
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
        UsageError: it has no scenario, or one of them is malformed.
    """
    if not folder.is_dir():
        raise NotFoundError("folder", str(folder))
    files = sorted(folder.glob("*.toml"))
    if not files:
        raise UsageError(f"folder {str(folder)!r} has no scenarios (.toml)")
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
    if row.get("via", "whatsapp") not in set(Via):
        raise UsageError(f"scenario {name!r} has via {row['via']!r}; it is one of {', '.join(sorted(Via))}")
    is_jump = isinstance(at, str) or "wait_until" in row or "clock" in row
    return ScenarioStep(row, seconds_of(name, at), scripted, expect, reworded, is_jump, means)


_PART = re.compile(r"(\d+(?:\.\d+)?)\s*([dhms])")
_UNITS = {"d": "days", "h": "hours", "m": "minutes", "s": "seconds"}


def seconds_of(name: str, at: float | str) -> float:
    """Return a time in seconds, of a number or of text such as "2d 4h".

    Raises:
        UsageError: the text is not a time.
    """
    if not isinstance(at, str):
        return float(at)
    parts = _PART.findall(at)
    if not parts or _PART.sub("", at).strip():
        raise UsageError(f"scenario {name!r} has {at!r}, which is not a time such as '2d 4h'")
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
    """Return a step in its k-th alternative wording, without expected quotes; unchanged if it has none."""
    if len(step.reworded) < k:
        return step
    expect = {key: value for key, value in step.expect.items() if key not in ("description", "location")}
    return replace(step, row={**step.row, "text": step.reworded[k - 1]}, expect=expect)


def _known(name: str, row: Mapping[str, Any], keys: frozenset[str]) -> None:
    unknown = set(row) - keys
    if unknown:
        raise UsageError(f"scenario {name!r} has unknown keys: {', '.join(sorted(unknown))}")
