"""Bodies of API requests, and nouns as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from saidonce.cli.as_json import block_json, objection_json
from saidonce.model import Approval, Block, Decision, Flag, Near, Pair
from saidonce.review import Keep, PairView


class Body(BaseModel):
    """A request's body; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class Ruling(Body):
    """What a reviewer decides about a flag."""

    verb: Literal["merge", "keep_apart", "conflict", "dismiss", "assign"]
    keep: Keep = Field(
        default=Keep.NEWEST, description="whose text a merged block has; a is the kept block, b the candidate"
    )
    against: str = Field(default="", description="block of the shortlist to decide about; the nearest by default")
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


def whole_block_json(block: Block) -> dict[str, Any]:
    """Give a block with all that supports it."""
    return {
        **block_json(block),
        "documents": list(block.documents),
        "members": list(block.members),
        "approval": block.approval,
        "owner": block.owner,
        "attributions": [{**asdict(a), "heading_path": list(a.heading_path)} for a in block.attributions],
    }


def near_json(near: Near) -> dict[str, Any]:
    """Give what a candidate was compared with."""
    return {
        "id": near.id,
        "similarity": near.similarity,
        "objections": [objection_json(o) for o in near.objections],
    }


def decision_json(decision: Decision) -> dict[str, Any]:
    """Give a decision with its place in the log."""
    detail = decision.detail
    return {
        "seq": decision.seq,
        "verb": decision.verb,
        "collection": decision.collection,
        "members": list(decision.members),
        "actor": decision.actor,
        "reason": decision.reason,
        "because": detail.because,
        "at": decision.at.isoformat(),
        "flag": decision.flag,
        "reverts": decision.reverts,
        "holds": decision.live,
        "near": [near_json(n) for n in detail.near],
        "set_aside": list(detail.set_aside),
        "approval": detail.approval,
        "owner": detail.owner,
        "wrong": detail.wrong,
        "policy": decision.policy,
        "certificate": decision.certificate,
        "hash": decision.hash,
    }


def flag_json(flag: Flag) -> dict[str, Any]:
    """Give a flag."""
    return {
        "seq": flag.seq,
        "collection": flag.collection,
        "candidate": flag.candidate,
        "of": flag.of,
        "because": flag.because,
        "worth": flag.worth,
        "open": flag.open,
        "assignee": flag.assignee,
        "resolved_by": flag.resolved_by,
        "near": [near_json(n) for n in flag.near],
    }


def pair_json(pair: Pair) -> dict[str, Any]:
    """Give an open pair as the queue lists it."""
    return {**flag_json(pair.flag), "candidate_text": pair.candidate.text, "kept_text": pair.kept.text}


def view_json(view: PairView) -> dict[str, Any]:
    """Give a pair with everything that a decision needs; `a` is the kept block, `b` the candidate."""
    return {
        **flag_json(view.flag),
        "a": whole_block_json(view.kept),
        "b": whole_block_json(view.candidate),
        "shortlist": [block_json(b) for b in view.shortlist],
        "objections": [objection_json(o) for o in view.comparison.objections],
        "previews": {
            keep: {
                "text_of": golden.id,
                "text": golden.text_of.segment.text,
                "approval": golden.approval,
                "owner": golden.owner,
                "authored_at": golden.authored_at.isoformat() if golden.authored_at else None,
                "members": [m.id for m in golden.members],
            }
            for keep, golden in view.previews.items()
        },
        "seen": view.seen,
    }
