"""Verdicts of the gate as JSON for programs, and submissions as programs give them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from saidonce.errors import UsageError
from saidonce.foundation.codec import fingerprint_of
from saidonce.foundation.model import GateEvent, GateVerdict, Submission
from saidonce.foundation.text import digest
from saidonce.gate import GateAccount, GateStats, authorize
from saidonce.interfaces.views.kb import near_json

_PARTS = frozenset({"text", "title", "fields", "key", "id"})


def submission_of(given: object, place: int = 0) -> Submission:
    """Read a submission: text, title, `fields`, an idempotency key as `key` or `id`; other values count as fields.

    Args:
        given: a JSON value.
        place: of the line in its file, which with the content makes the key of one that gives none; 0 makes none.

    Raises:
        UsageError: it is no object of that shape.
    """
    if not isinstance(given, dict):
        raise UsageError("a submission is an object with a text")
    fields = given.get("fields", {})
    if not isinstance(fields, dict):
        raise UsageError("fields are an object of names and values")
    rest = {name: value for name, value in given.items() if name not in _PARTS}
    told = {name: _plain(name, value) for name, value in {**rest, **fields}.items()}
    if clash := sorted(set(rest) & set(fields)):
        raise UsageError(f"the field {clash[0]!r} is given twice")
    made = Submission(
        _plain("text", given.get("text", "")), _plain("title", given.get("title", "")), tuple(told.items())
    )
    if "key" in given and "id" in given:
        raise UsageError("the key is given twice, as 'key' and as 'id'")
    key = _plain("key", given.get("key", given.get("id", "")))
    if not key and place:
        key = "line-" + digest("line", str(place), fingerprint_of(made))
    return Submission(made.text, made.title, made.fields, key)


def _plain(name: str, value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or value is None or isinstance(value, int | float):
        return json.dumps(value) if value is not None else ""
    raise UsageError(f"{name!r} is neither text nor a number")


def gate_verdict_json(verdict: GateVerdict) -> dict[str, Any]:
    """Give a verdict without the ladder's trail."""
    ruling, override = verdict.ruling, verdict.override
    return {
        "id": verdict.id,
        "gate": verdict.gate,
        "key": verdict.submission.key,
        "state": verdict.state,
        "authorized": authorize(verdict),
        "outcome": verdict.verdict.outcome if verdict.verdict is not None else None,
        "reason": verdict.reason,
        "of": verdict.of,
        "similarity": verdict.similarity,
        "admitted": verdict.admitted,
        "released_at": verdict.released_at.isoformat() if verdict.released_at is not None else None,
        "ruling": asdict(ruling) if ruling is not None else None,
        "override": {**asdict(override), "at": override.at.isoformat()} if override is not None else None,
        "duration_ms": verdict.duration_ms,
        "at": verdict.at.isoformat(),
        "rev": verdict.rev,
    }


def gate_account_json(account: GateAccount) -> dict[str, Any]:
    """Give a verdict with its whole trail, what it was compared with, and what happened to it."""
    verdict = account.verdict
    kept = {id_: submission_json(a.submission) for id_, a in account.kept.items()}
    near = [{**near_json(each), **kept.get(each.id, {})} for each in verdict.near]
    return {
        **gate_verdict_json(verdict),
        "submission": submission_json(verdict.submission),
        "near": near,
        "trail": [
            {"rung": s.rung, "finding": s.finding, "of": s.of, "similarity": s.similarity}
            for s in (verdict.verdict.trail if verdict.verdict is not None else ())
        ],
        "rules": asdict(verdict.rules) if verdict.rules is not None else None,
        "policy": verdict.policy,
        "events": [event_json(e) for e in account.events],
    }


def submission_json(submission: Submission) -> dict[str, Any]:
    """Give a submission."""
    return {"title": submission.title, "text": submission.text, "fields": dict(submission.fields)}


def event_json(event: GateEvent) -> dict[str, Any]:
    """Give an entry of the pipeline's log."""
    return {**asdict(event), "at": event.at.isoformat()}


def stats_json(stats: GateStats) -> dict[str, Any]:
    """Give the figures of a gate."""
    definition = stats.definition
    told = {
        name: dict(value) if isinstance(value, Mapping) else value
        for name in GateStats.__slots__
        if name != "definition" and not callable(value := getattr(stats, name))
    }
    gate = {"name": definition.name, "fields": asdict(definition.fields), "model": definition.model}
    return {"gate": gate, "clear_rate": stats.clear_rate, "asked_share": stats.asked_share, **told}
