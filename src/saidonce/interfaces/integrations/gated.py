"""One function under all gate adapters: what somebody wants to create in, whether it may be created out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.errors import UsageError
from saidonce.foundation.model import GateState, GateVerdict, Reason, Submission
from saidonce.foundation.text import content_hash
from saidonce.gate import Gate

REPEATS = frozenset({Reason.SAME_CONTENT, Reason.ABOVE_THRESHOLD, Reason.RULED_DUPLICATE})
"""Reasons by which a blocked submission is a repeat; by all others it waits for somebody."""

TEXT_KEYS = ("text", "page_content", "content", "input")
"""Keys under which frameworks hand a text on, the first one that is there counts."""


@dataclass(frozen=True, slots=True)
class GateAnswer:
    """What the gate says of one thing to be created.

    Attributes:
        may_create: whether its verdict authorises it; nothing else does.
        is_repeat: it is known to repeat `of`; if neither this nor `may_create`, it is held for a person or pending.
        verdict: its id, for `saidonce gate verdict`.
        reason: of the verdict; "pending" while there is none.
        of: id of what it repeats, or is nearest to; empty without any.
        existing: the text of that; empty without any.
        similarity: to that.
    """

    may_create: bool
    is_repeat: bool
    verdict: str
    reason: str
    of: str
    existing: str
    similarity: float

    @property
    def state(self) -> str:
        """`new`, `repeat`, `held` or `pending`."""
        if self.may_create:
            return "new"
        if self.reason == GateState.PENDING:
            return str(GateState.PENDING)
        return "repeat" if self.is_repeat else "held"

    def as_dict(self) -> dict[str, Any]:
        """Return it in plain values, the state included."""
        names = ("may_create", "is_repeat", "verdict", "reason", "of", "existing", "similarity")
        return {"state": self.state, **{name: getattr(self, name) for name in names}}

    def as_sentence(self) -> str:
        """Return it in words for a language model that called the gate as a tool."""
        sentences = {
            "new": f"NEW: nothing like it exists. Create it now; it is reserved (verdict {self.verdict}).",
            "repeat": f"REPEAT: do not create it. This already exists: {self.existing!r} (verdict {self.verdict}).",
            "held": f"HELD: do not create it; a person decides (verdict {self.verdict}). Nearest: {self.existing!r}.",
            "pending": f"PENDING: do not create it yet; ask again later (verdict {self.verdict}).",
        }
        return sentences[self.state]


def submission_of(thing: Any) -> Submission:
    """Return an item as a submission: a text, or a mapping with text, title, key and further fields.

    Raises:
        UsageError: it is neither, or holds no text.
    """
    if isinstance(thing, Submission):
        return thing
    if isinstance(thing, str):
        return Submission(thing)
    if not isinstance(thing, Mapping):
        raise UsageError(f"cannot check a {type(thing).__name__}; pass a string, or a mapping that contains one")
    name = next((key for key in TEXT_KEYS if isinstance(thing.get(key), str)), "")
    if not name:
        raise UsageError(f"the mapping contains no text; use one of the keys {', '.join(TEXT_KEYS)}")
    taken = {name, "title", "key", "fields"}
    further = thing.get("fields") or {}
    if not isinstance(further, Mapping):
        raise UsageError("fields must be a mapping of names to values")
    fields = {**{k: v for k, v in thing.items() if k not in taken}, **further}
    pairs = tuple((str(k), str(v)) for k, v in fields.items() if v is not None and v != "")
    return Submission(thing[name], str(thing.get("title") or ""), pairs, str(thing.get("key") or ""))


def named_submission(id: str, text: str, fields: Mapping[str, Any] | None = None) -> Submission:
    """Return a document of a framework as a submission: under its id and content, so that a repeated run is one check.

    Args:
        id: of the document in its framework; may be empty.
        fields: plain values that the gate may compare or show.
    """
    pairs = tuple((k, str(v)) for k, v in (fields or {}).items() if isinstance(v, str | int | float | bool))
    return Submission(text, fields=pairs, key=f"{id[:100]}:{content_hash(text)}" if id else "")


def gate_answers(
    base: KnowledgeBase, gate: str, things: Sequence[Submission], reserve: bool = True
) -> list[GateAnswer]:
    """Check what is to be created, in its order: each is also compared with those before it.

    Args:
        base: an open knowledge base.
        gate: its name.
        reserve: keep what may be created, so that nobody else creates the same.

    Raises:
        UsageError: one is empty or too long, or its key stands for another submission.
        ModelMismatchError: the gate keeps vectors of another embedding model.
    """
    verdicts = base.gate(gate).check_many(things, reserve) if things else ()
    nearest = {v.id: _nearest(v) for v in verdicts}
    admissions = base.store.gates.admissions(sorted({near for near in nearest.values() if near}))
    texts = {id: admission.submission.text for id, admission in admissions.items()}
    return [_answer(verdict, nearest[verdict.id], texts) for verdict in verdicts]


def _nearest(verdict: GateVerdict) -> str:
    return verdict.of or (verdict.near[0].id if verdict.near else "")


def _answer(verdict: GateVerdict, nearest: str, texts: Mapping[str, str]) -> GateAnswer:
    reason = str(verdict.reason) if verdict.reason is not None else str(verdict.state)
    return GateAnswer(
        Gate.authorize(verdict), verdict.blocked and verdict.reason in REPEATS, verdict.id, reason, nearest,
        texts.get(nearest, ""), verdict.similarity,
    )  # fmt: skip
