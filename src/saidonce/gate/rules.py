"""What a gate's verdicts depend on: its rules, and a submission as the ladder sees it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from saidonce.errors import SettingsError, UsageError
from saidonce.foundation import text
from saidonce.foundation.codec import fingerprint_of, storable
from saidonce.foundation.lookalikes import as_seen
from saidonce.foundation.model import Candidate, GateDefinition, GateFields, GateRules, Outcome, Submission
from saidonce.foundation.settings.policy import GATE, Policy, Settings
from saidonce.matching.guards import GUARDS

MAX_CHARS = 200_000
"""Longest text, title or value of a field."""

MAX_FIELDS = 50
MAX_NAME = 200
_PARTS = ("title", "text")
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Prepared:
    """A submission as it is compared.

    Attributes:
        candidate: the embedded parts as its text, the other shown ones as its fields.
        partition: hash of the values that are compared exactly.
    """

    submission: Submission
    fingerprint: str
    candidate: Candidate
    partition: str

    @property
    def embedded(self) -> str:
        """Text to embed: the candidate's text with look-alike characters normalised, so that no disguise changes it."""
        return as_seen(self.candidate.text)


def fields_from(settings: Settings) -> GateFields:
    """Return the parts that a new gate compares and shows, from the settings.

    Raises:
        SettingsError: no part is embedded.
    """
    embedded = _names(settings.gate_embedded_fields)
    if not embedded:
        raise SettingsError("gate_embedded_fields", settings.gate_embedded_fields, "at least one part, such as text")
    return GateFields(embedded, _names(settings.gate_exact_fields), _names(settings.gate_shown_fields))


def _names(written: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in (part.strip() for part in written.split(",")) if name))


def rules_of(settings: Settings, definition: GateDefinition) -> GateRules:
    """Return the rules in force; without an adjudicator only the higher threshold applies. Source: seed 000."""
    asks = settings.gate_llm_enabled
    high = settings.gate_duplicate_from
    return GateRules(
        clear_below=min(settings.gate_clear_below, high) if asks else high,
        duplicate_from=high,
        k=GATE.k,
        asks=asks,
        objection_clears=settings.gate_objection_clears and not asks,
        escape_hatch=settings.gate_escape_hatch,
        fields=definition.fields,
        model=definition.model,
        guards=tuple(guard.__name__ for guard in GUARDS),
    )


def policy_of(rules: GateRules) -> Policy:
    """Return the ladder's policy under a gate's rules."""
    return replace(
        GATE,
        clear_below=rules.clear_below,
        duplicate_from=rules.duplicate_from,
        k=rules.k,
        on_objection=Outcome.DISTINCT if rules.objection_clears else Outcome.DUPLICATE,
        values_only=True,
        asks=rules.asks,
        asks_above=rules.asks,
        may_rule=frozenset({Outcome.DISTINCT, Outcome.DUPLICATE}) if rules.asks else frozenset(),
    )


def prepare_new(submission: Submission, fields: GateFields) -> Prepared:
    """Return a new submission as it is compared; where texts are compared by similarity, it needs one.

    A title alone is compared only with titles and is too little to clear anything; where only a title
    or fields are embedded, those are what counts. What was kept without a text stays comparable by `prepare`.

    Raises:
        UsageError: a part has another type than a submission's, it has no text, or `prepare` refuses it.
    """
    _check_types(submission)
    if "text" in fields.embedded and not submission.text.strip():
        raise UsageError("a submission must be an object with a text")
    return prepare(submission, fields)


def _check_types(value: object) -> None:
    """Refuse values of other types with the expected one: callers may have no type checker."""
    if not isinstance(value, Submission):
        raise UsageError(f"a submission must be a Submission(text, title, fields, key), not {type(value).__name__}")
    for name in ("text", "title", "key", "retry_of", "submitter"):
        _check_text(f"{name} of a submission", getattr(value, name))
    pairs: object = value.fields
    if not isinstance(pairs, list | tuple):
        hint = "; pass tuple(fields.items())" if isinstance(pairs, dict) else ""
        raise UsageError(f"fields must be pairs of name and value, not {type(pairs).__name__}{hint}")
    for pair in pairs:
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise UsageError('fields must be pairs of name and value, such as (("persona", "nurse"),)')
        _check_text("name of a field", pair[0])
        _check_text(f"value of the field {pair[0][:40]!r}", pair[1])


def _check_text(what: str, value: object) -> None:
    if not isinstance(value, str):
        raise UsageError(f"the {what} must be a str, not {type(value).__name__}")


def prepare(raw: Submission, fields: GateFields) -> Prepared:
    """Return a submission as it is compared.

    Two have the same content if all parts that count are the same in their normal form.

    Raises:
        UsageError: nothing is left to compare, a part is too long, or a field's name stands twice.
    """
    submission = _check(raw)
    parts = {"title": submission.title, "text": submission.text, **dict(submission.fields)}
    compared = "\n\n".join(
        parts[name] if name in _PARTS else f"{name}: {parts[name]}" for name in fields.embedded if parts.get(name)
    )
    if not compared.strip():
        raise UsageError(f"a submission needs a value in {' or '.join(fields.embedded)}")
    shown = [n for n in (fields.shown or parts) if n not in fields.embedded and parts.get(n)]
    counted = sorted({*fields.embedded, *fields.exact, *(fields.shown or parts)})
    contents = [part for name in counted if parts.get(name) for part in (name, text.normalise(parts[name]))]
    candidate = Candidate(
        compared,
        text.digest(*contents),
        language=text.language(as_seen(compared)),
        fields=tuple((n, parts[n]) for n in shown),
    )
    exact = [part for name in fields.exact for part in (name, text.normalise(parts.get(name, "")))]
    return Prepared(submission, fingerprint_of(submission), candidate, text.digest(*exact))


def _check(raw: Submission) -> Submission:
    texts = [raw.title, raw.text, *(value for _, value in raw.fields)]
    if any(len(part) > MAX_CHARS for part in texts):
        raise UsageError(f"a field of a submission can have at most {MAX_CHARS} characters")
    if len(raw.key) > MAX_NAME:
        raise UsageError(f"an idempotency key can have at most {MAX_NAME} characters")
    if len(raw.retry_of) > MAX_NAME or len(raw.submitter) > MAX_NAME:
        raise UsageError(f"retry_of and the submitter can have at most {MAX_NAME} characters")
    fields = tuple((_SPACES.sub(" ", storable(name)).strip(), storable(value)) for name, value in raw.fields)
    names = [name for name, _ in fields]
    _check_names(names)
    first, submitter = storable(raw.retry_of.strip().lower()), storable(raw.submitter.strip())
    return Submission(storable(raw.text), storable(raw.title), fields, storable(raw.key), first, submitter)


def _check_names(names: Sequence[str]) -> None:
    if len(names) > MAX_FIELDS:
        raise UsageError(f"a submission can have at most {MAX_FIELDS} fields")
    for name in names:
        if not 0 < len(name) <= MAX_NAME or name in _PARTS or names.count(name) > 1:
            raise UsageError(f"{name[:40]!r} is not a valid field name; use each name once, and neither title nor text")
