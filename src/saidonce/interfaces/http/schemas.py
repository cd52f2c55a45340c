"""Bodies of API requests."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, JsonValue
from pydantic.config import JsonDict

from saidonce.foundation.model import Approval, Copies
from saidonce.kb.review import MOST_IN_BULK, Differs, Keep

_A, _B = "3f2a9c71d0b84e5f9a6c2d1e8b7f4a30", "91c04be27a5d4f3388e6f0a1b2c3d4e5"


def example(body: dict[str, JsonValue]) -> JsonDict:
    """Return the part of a body's schema that shows it."""
    return {"examples": [body]}


def _in_utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("a time must lie between the years 1 and 9999 in UTC") from None


Moment = Annotated[AwareDatetime, AfterValidator(_in_utc)]
"""A moment with its zone, read as UTC."""


class Body(BaseModel):
    """A request's body, with an example; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class ShownPair(Body):
    """A pair, and its state as shown."""

    flag: int = Field(ge=1)
    seen: str = Field(description="state of its two blocks as shown; the pair is skipped if it has changed")


class RulingBody(Body, json_schema_extra=example({"verb": "merge", "keep": "newest", "reason": "the same rule"})):
    """A reviewer's decision about a flag."""

    verb: Literal["merge", "keep_apart", "conflict", "dismiss", "assign"]
    keep: Keep = Field(
        default=Keep.NEWEST, description="text of the merged block: a is the kept block's, b the candidate's"
    )
    against: str = Field(default="", description="block of the shortlist to compare with; the nearest by default")
    leave_out: list[str] = Field(
        default_factory=list, max_length=1_000, description="texts of the kept block to leave out of the merge"
    )
    to: str = Field(default="", description="person to assign the flag to")
    due: str = Field(default="", max_length=10, description="due date of the assigned decision, ISO 8601")
    reason: str = Field(default="", max_length=2_000)
    seen: str = Field(default="", description="state of the two blocks as shown; refused if it has changed")


class BulkBody(
    Body,
    json_schema_extra=example({"verb": "keep_apart", "pairs": [{"flag": 12, "seen": "5f0c"}], "reason": "editions"}),
):
    """One decision about many pairs."""

    verb: Literal["merge", "keep_apart", "dismiss", "assign"]
    pairs: list[ShownPair] = Field(min_length=1, max_length=MOST_IN_BULK)
    to: str = Field(default="", description="person to assign the flags to")
    due: str = Field(default="", max_length=10, description="due date of the assigned decisions, ISO 8601")
    with_objections: bool = Field(default=False, description="also merge pairs not shown to say the same")
    reason: str = Field(default="", max_length=2_000)


class RuleBody(Body, json_schema_extra=example({"collection": "main", "differs": "version"})):
    """A review rule."""

    collection: str
    differs: Differs = Field(description="kind of difference; pairs that differ in this way only are kept apart")
    documents: list[str] = Field(
        default_factory=list, max_length=2, description="only pairs of these two documents; all by default"
    )
    reason: str = Field(default="", max_length=2_000)


class AskBody(Body, json_schema_extra=example({"question": "how long are backups kept?"})):
    """A question to the base."""

    question: str = Field(min_length=1, max_length=10_000, description="question in plain words")
    collections: list[str] = Field(
        default_factory=list, max_length=100, description="only these collections; all by default"
    )
    languages: list[str] = Field(default_factory=list, max_length=100, description="only texts in these languages")
    tags: list[str] = Field(default_factory=list, max_length=100, description="only texts with one of these tags")
    k: int | None = Field(default=None, ge=1, le=100, description="maximum number of hits to use")


class Merge(Body, json_schema_extra=example({"a": _A, "b": _B, "keep": "newest"})):
    """Two blocks to merge."""

    a: str
    b: str
    keep: Keep = Keep.NEWEST
    reason: str = Field(default="", max_length=2_000)


class Apart(Body, json_schema_extra=example({"a": _A, "others": [_B], "reason": "another country"})):
    """A block, and others that differ from it or contradict it."""

    a: str
    others: list[str] = Field(min_length=1, max_length=100)
    is_conflict: bool = False
    reason: str = Field(default="", max_length=2_000)


class Split(Body, json_schema_extra=example({"leaving": [_B], "reason": "states another period"})):
    """Members to move out of a block."""

    leaving: list[str] = Field(min_length=1, max_length=1_000)
    edits: Literal["", "stay", "go"] = ""
    copies: Copies | None = Field(
        default=None,
        description="where a later copy of a text goes that both sides contain: ask (default) flags it, stay and go"
        " let it join that side, alone gives it a block of its own",
    )
    reason: str = Field(default="", max_length=2_000)


class Edit(Body, json_schema_extra=example({"text": "Backups are kept for 90 days."})):
    """New text of a block."""

    text: str = Field(min_length=1, max_length=100_000)
    reason: str = Field(default="", max_length=2_000)


class Approve(Body, json_schema_extra=example({"approval": "approved"})):
    """Approval of a block."""

    approval: Approval = Approval.APPROVED
    reason: str = Field(default="", max_length=2_000)


class Own(Body, json_schema_extra=example({"owner": "ann"})):
    """Owner of a block."""

    owner: str = Field(min_length=1, max_length=200)
    reason: str = Field(default="", max_length=2_000)


class Because(Body, json_schema_extra=example({"reason": "decided by mistake"})):
    """Reason of a decision."""

    reason: str = Field(default="", max_length=2_000)


class AuditRuling(Body, json_schema_extra=example({"wrong": False})):
    """Whether an automatic merge was right."""

    wrong: bool
    reason: str = Field(default="", max_length=2_000)
