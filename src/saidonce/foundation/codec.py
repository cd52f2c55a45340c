"""Room: verdicts of the gate as they are written down, and the hashes that name what they depend on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from saidonce.errors import StoreCorruptError
from saidonce.foundation.model import Admission, GateFields, GateRules, GateVerdict, Ruling, Submission, Verdict
from saidonce.foundation.text import digest


@dataclass(frozen=True, slots=True)
class StoredVerdict:
    """A verdict with what it was compared with, by id."""

    verdict: GateVerdict
    kept: dict[str, Admission]


_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@lru_cache(maxsize=16)
def _adapter(noun: Any) -> TypeAdapter[Any]:
    return TypeAdapter(noun)


def _written(noun: Any, value: Any) -> bytes:
    return _adapter(noun).dump_json(value, exclude_defaults=True)


def _read(noun: Any, written: str | bytes, what: str) -> Any:
    try:
        return _adapter(noun).validate_json(written)
    except ValidationError as bad:
        raise StoreCorruptError(f"a {what} cannot be read: {bad.errors()[0]['msg']}") from bad


def storable(text: str) -> str:
    """Give a text without the characters that no store keeps, one for one."""
    return _UNSTORABLE.sub("\ufffd", text)


def verdict_to_json(verdict: GateVerdict) -> str:
    """Write a verdict of the gate as JSON, without what it leaves empty; equal verdicts give equal bytes."""
    return _written(GateVerdict, verdict).decode()


def verdict_from_json(written: str | bytes) -> GateVerdict:
    """Read a verdict of the gate.

    Raises:
        StoreCorruptError: it is none.
    """
    found: GateVerdict = _read(GateVerdict, written, "verdict")
    return found


def ladder_bytes(verdict: Verdict) -> bytes:
    """Write what the ladder said; equal for a replay that says the same."""
    return _written(Verdict, verdict)


def told_to_json(verdict: GateVerdict, kept: Mapping[str, Admission]) -> str:
    """Write a verdict with what it was compared with, by id: all that telling it anew needs."""
    return (
        _adapter(StoredVerdict)
        .dump_json(StoredVerdict(verdict, dict(sorted(kept.items()))), exclude_defaults=True)
        .decode()
    )


def told_from_json(written: str | bytes) -> tuple[GateVerdict, dict[str, Admission]]:
    """Read a verdict with what it was compared with.

    Raises:
        StoreCorruptError: it is nothing of the kind.
    """
    found: StoredVerdict = _read(StoredVerdict, written, "exported verdict")
    return found.verdict, found.kept


def ruling_to_json(ruling: Ruling) -> str:
    """Write a ruling as JSON."""
    return _written(Ruling, ruling).decode()


def ruling_from_json(written: str) -> Ruling:
    """Read a ruling.

    Raises:
        StoreCorruptError: it is none.
    """
    found: Ruling = _read(Ruling, written, "ruling")
    return found


def submission_to_json(submission: Submission) -> str:
    """Write a submission as JSON."""
    return _written(Submission, submission).decode()


def submission_from_json(written: str) -> Submission:
    """Read a submission.

    Raises:
        StoreCorruptError: it is none.
    """
    found: Submission = _read(Submission, written, "submission")
    return found


def fields_to_json(fields: GateFields) -> str:
    """Write which parts of a submission count for what."""
    return _adapter(GateFields).dump_json(fields).decode()


def fields_from_json(written: str) -> GateFields:
    """Read which parts of a submission count for what.

    Raises:
        StoreCorruptError: it is nothing of the kind.
    """
    found: GateFields = _read(GateFields, written, "gate's definition")
    return found


def rules_hash(rules: GateRules) -> str:
    """Name the rules of a gate by 32 hex digits."""
    return digest(_adapter(GateRules).dump_json(rules).decode())


def fingerprint_of(submission: Submission) -> str:
    """Name what is submitted, whatever its key, by 32 hex digits."""
    flat = [part for pair in submission.fields for part in pair]
    return digest(submission.title, submission.text, *flat)
