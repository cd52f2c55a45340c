"""Bodies of API requests."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from saidonce.foundation.model import Approval
from saidonce.kb.review import Keep


class Body(BaseModel):
    """A request's body; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class RulingBody(Body):
    """What a reviewer decides about a flag."""

    verb: Literal["merge", "keep_apart", "conflict", "dismiss", "assign"]
    keep: Keep = Field(
        default=Keep.NEWEST, description="whose text a merged block has; a is the kept block, b the candidate"
    )
    against: str = Field(default="", description="block of the shortlist to decide about; the nearest by default")
    leave_out: list[str] = Field(
        default_factory=list, max_length=1_000, description="texts of the kept block that a merge leaves out"
    )
    to: str = Field(default="", description="whom an assign gives the flag to")
    reason: str = Field(default="", max_length=2_000)
    seen: str = Field(default="", description="state of the two blocks as it was shown; refused if it changed since")


class Merge(Body):
    """Two blocks to be made one."""

    a: str
    b: str
    keep: Keep = Keep.NEWEST
    reason: str = Field(default="", max_length=2_000)


class Apart(Body):
    """A block that is not the same as others, or contradicts them."""

    a: str
    others: list[str] = Field(min_length=1, max_length=100)
    is_conflict: bool = False
    reason: str = Field(default="", max_length=2_000)


class Split(Body):
    """Members that leave a block."""

    leaving: list[str] = Field(min_length=1, max_length=1_000)
    edits: Literal["", "stay", "go"] = ""
    reason: str = Field(default="", max_length=2_000)


class Edit(Body):
    """A text that a person wrote for a block."""

    text: str = Field(min_length=1, max_length=100_000)
    reason: str = Field(default="", max_length=2_000)


class Approve(Body):
    """How far a block is approved."""

    approval: Approval = Approval.APPROVED
    reason: str = Field(default="", max_length=2_000)


class Own(Body):
    """Who answers for a block."""

    owner: str = Field(min_length=1, max_length=200)
    reason: str = Field(default="", max_length=2_000)


class Because(Body):
    """Why something is done."""

    reason: str = Field(default="", max_length=2_000)


class AuditRuling(Body):
    """Whether an automatic merge was right."""

    wrong: bool
    reason: str = Field(default="", max_length=2_000)
