"""Room: nouns as JSON, such as gate verdicts and rulings, and the hashes of their inputs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter, ValidationError

from saidonce.errors import StoreCorruptError
from saidonce.foundation.model import Admission, GateFields, GateRules, GateVerdict, Ruling, Submission, Verdict
from saidonce.foundation.text import digest

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class StoredVerdict:
    """A verdict with the admissions compared with it, by id."""

    verdict: GateVerdict
    kept: dict[str, Admission]


_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@lru_cache(maxsize=16)
def _adapter(noun: Any) -> TypeAdapter[Any]:
    return TypeAdapter(noun)


def _encode(noun: Any, value: Any) -> bytes:
    return _adapter(noun).dump_json(value, exclude_defaults=True)


def _decode(noun: Any, written: str | bytes, what: str) -> Any:
    try:
        return _adapter(noun).validate_json(written)
    except ValidationError as bad:
        raise StoreCorruptError(f"a {what} cannot be read: {bad.errors()[0]['msg']}") from bad


def to_plain(noun: type[T], value: T) -> Any:
    """Return a value of a noun as JSON types: objects, lists, strings and numbers, with every field."""
    return _adapter(cast("Any", noun)).dump_python(value, mode="json")


def from_plain(noun: type[T], plain: Any) -> T:
    """Return the value of a noun that `to_plain` took apart.

    Raises:
        ValueError: it is of another form.
    """
    value: T = _adapter(cast("Any", noun)).validate_python(plain)
    return value


def storable(text: str) -> str:
    """Return a text without characters that no store accepts, replaced one for one."""
    return _UNSTORABLE.sub("\ufffd", text)


def verdict_to_json(verdict: GateVerdict) -> str:
    """Write a gate verdict as JSON without empty fields; equal verdicts give equal bytes."""
    return _encode(GateVerdict, verdict).decode()


def verdict_from_json(written: str | bytes) -> GateVerdict:
    """Read a verdict of the gate.

    Raises:
        StoreCorruptError: the JSON is malformed.
    """
    verdict: GateVerdict = _decode(GateVerdict, written, "verdict")
    return verdict


def ladder_bytes(verdict: Verdict) -> bytes:
    """Write the ladder's verdict as JSON; equal for an equal replay."""
    return _encode(Verdict, verdict)


def exported_verdict_to_json(verdict: GateVerdict, kept: Mapping[str, Admission]) -> str:
    """Write a verdict with the admissions compared with it, by id: everything needed to replay it."""
    return (
        _adapter(StoredVerdict)
        .dump_json(StoredVerdict(verdict, dict(sorted(kept.items()))), exclude_defaults=True)
        .decode()
    )


def exported_verdict_from_json(written: str | bytes) -> tuple[GateVerdict, dict[str, Admission]]:
    """Read a verdict with the admissions compared with it.

    Raises:
        StoreCorruptError: the JSON is malformed.
    """
    stored: StoredVerdict = _decode(StoredVerdict, written, "exported verdict")
    return stored.verdict, stored.kept


def ruling_to_json(ruling: Ruling) -> str:
    """Write a ruling as JSON."""
    return _encode(Ruling, ruling).decode()


def ruling_from_json(written: str) -> Ruling:
    """Read a ruling.

    Raises:
        StoreCorruptError: the JSON is malformed.
    """
    ruling: Ruling = _decode(Ruling, written, "ruling")
    return ruling


def submission_to_json(submission: Submission) -> str:
    """Write a submission as JSON."""
    return _encode(Submission, submission).decode()


def submission_from_json(written: str) -> Submission:
    """Read a submission.

    Raises:
        StoreCorruptError: the JSON is malformed.
    """
    submission: Submission = _decode(Submission, written, "submission")
    return submission


def fields_to_json(fields: GateFields) -> str:
    """Write the roles of the fields of a submission as JSON."""
    return _adapter(GateFields).dump_json(fields).decode()


def fields_from_json(written: str) -> GateFields:
    """Read the roles of the fields of a submission.

    Raises:
        StoreCorruptError: the JSON is malformed.
    """
    fields: GateFields = _decode(GateFields, written, "gate's definition")
    return fields


def rules_hash(rules: GateRules) -> str:
    """Return the name of the rules of a gate, 32 hex digits."""
    return digest(_adapter(GateRules).dump_json(rules).decode())


def fingerprint_of(submission: Submission) -> str:
    """Return the name of the content of a submission, whatever its key, 32 hex digits."""
    flat = [part for pair in submission.fields for part in pair]
    return digest(submission.title, submission.text, *flat)
