"""Blocks, accounts and verdicts as agents are told of them, within a result's size."""

from __future__ import annotations

from collections.abc import Mapping

from saidonce.foundation.model import Attribution, Block, Decision, Near, Objection, Span
from saidonce.foundation.ports import SegmentHistory
from saidonce.interfaces.mcp import outputs
from saidonce.interfaces.mcp.size_budget import SizeBudget
from saidonce.kb.explain import Explanation
from saidonce.kb.propose import ProposalSegment
from saidonce.kb.search import HeldApart, Hit, Twin

MAX_OBJECTIONS = 10
MAX_TWINS = 10
MAX_ATTRIBUTIONS = 50
MAX_DECISIONS = 100
MAX_IDS = 200


def block(found: Block, room: SizeBudget, where: str) -> outputs.BlockTold:
    """Tell of a block."""
    return outputs.BlockTold(
        id=found.id,
        text=room.text(found.text, f"{where}.text"),
        collection=room.name(found.collection, f"{where}.collection"),
        documents=documents(found, room, where),
        title=room.name(found.title, f"{where}.title"),
        heading_path=room.names(found.heading_path, f"{where}.heading_path"),
        kind=found.kind,
        language=found.language,
        page=found.page,
        authored_at=found.authored_at.isoformat() if found.authored_at else None,
        approval=found.approval,
    )


def documents(found: Block, room: SizeBudget, where: str) -> list[str]:
    """Tell which documents support a block."""
    return room.names(found.documents or (found.document,), f"{where}.documents")


def hit(found: Hit, room: SizeBudget, where: str) -> outputs.HitTold:
    """Tell of a hit and its twins."""
    return outputs.HitTold(
        **block(found.block, room, where).model_dump(),
        relevance=found.relevance,
        also_in=room.items(found.also_in, f"{where}.also_in", MAX_TWINS, lambda twin, at: _twin(twin, room, at)),
        held_apart=_apart(found.held_apart, room, f"{where}.held_apart") if found.held_apart else None,
    )


def objections(found: tuple[Objection, ...], room: SizeBudget, where: str) -> list[outputs.ObjectionTold]:
    """Tell which facts differ, with both spans."""
    return room.items(
        found,
        f"{where}.objections",
        MAX_OBJECTIONS,
        lambda o, at: outputs.ObjectionTold(
            kind=o.kind, a=_span(o.a, room, f"{at}.a"), b=_span(o.b, room, f"{at}.b")
        ),
    )  # fmt: skip


def attribution(found: Attribution, room: SizeBudget, where: str) -> outputs.AttributionTold:
    """Tell of a place that supports a block."""
    return outputs.AttributionTold(
        segment_id=found.segment_id,
        document=room.name(found.document, f"{where}.document"),
        title=room.name(found.title, f"{where}.title"),
        relation=found.relation,
        similarity=found.similarity,
        page=found.page,
        heading_path=room.names(found.heading_path, f"{where}.heading_path"),
        text=room.text(found.text, f"{where}.text"),
    )


def account(found: Explanation, room: SizeBudget) -> outputs.WhyTold:
    """Tell where a text came from and what was decided about it; of very many decisions the newest."""
    decisions = found.decisions[-MAX_DECISIONS:]
    left_out = len(found.decisions) - len(decisions)
    whole = outputs.WhyTold(
        id=found.id,
        kept_by=found.kept_by,
        block=block(found.block, room, "block") if found.block else None,
        history=room.items(found.histories, "history", MAX_DECISIONS, lambda h, at: _history(h, room, at)),
        decisions=room.items(decisions, "decisions", MAX_DECISIONS, lambda d, at: _decision(d, room, at)),
        texts=room.items(
            sorted(found.neighbours.items()),
            "texts",
            MAX_DECISIONS,
            lambda item, at: outputs.TextTold(id=item[0], text=room.text(item[1], f"{at}.text")),
        ),
        cut=[],
    )
    earlier = [f"decisions: {left_out} earlier ones"] if left_out else []
    return whole.model_copy(update={"cut": [*earlier, *room.cuts]})


def piece(found: ProposalSegment, blocks: Mapping[str, Block], room: SizeBudget, where: str) -> outputs.PieceTold:
    """Tell what the ladder says of one piece of a proposed text."""
    verdict = found.verdict
    near = [n for n in found.near if n.id in blocks]
    return outputs.PieceTold(
        text=room.text(found.segment.text, f"{where}.text", 1_000),
        outcome=verdict.outcome,
        reason=verdict.reason,
        of=verdict.of,
        similarity=verdict.similarity,
        nearest=room.items(near, f"{where}.nearest", 10, lambda n, at: _nearest(n, blocks[n.id], room, at)),
    )


def _apart(found: HeldApart, room: SizeBudget, where: str) -> outputs.ApartTold:
    return outputs.ApartTold(id=found.block_id, objections=objections(found.objections, room, where))


def _span(found: Span, room: SizeBudget, where: str) -> outputs.SpanTold:
    return outputs.SpanTold(start=found.start, end=found.end, text=room.name(found.text, where))


def _twin(found: Twin, room: SizeBudget, where: str) -> outputs.TwinTold:
    return outputs.TwinTold(
        id=found.block.id,
        documents=documents(found.block, room, where),
        heading_path=room.names(found.block.heading_path, f"{where}.heading_path"),
        similarity=found.similarity,
        text=room.text(found.block.text, f"{where}.text", 2_000),
    )


def _nearest(found: Near, of: Block, room: SizeBudget, where: str) -> outputs.NearestTold:
    return outputs.NearestTold(
        id=found.id,
        similarity=found.similarity,
        objections=objections(found.objections, room, where),
        documents=documents(of, room, where),
        text=room.text(of.text, f"{where}.text"),
    )


def _history(found: SegmentHistory, room: SizeBudget, where: str) -> outputs.HistoryTold:
    fate = found.fate
    return outputs.HistoryTold(
        document=room.name(found.document.name, f"{where}.document"),
        version=found.document.version,
        live=found.live,
        page=found.segment.page,
        relation=fate.relation or "set_aside",
        of=fate.of,
        similarity=fate.similarity,
        near_miss=fate.near_miss,
        objections=objections(fate.objections, room, where),
        text=room.text(found.segment.text, f"{where}.text"),
    )


def _decision(found: Decision, room: SizeBudget, where: str) -> outputs.DecisionTold:
    return outputs.DecisionTold(
        seq=found.seq,
        at=found.at.isoformat(),
        verb=found.verb,
        actor=room.name(found.actor, f"{where}.actor"),
        reason=room.text(found.reason, f"{where}.reason", 1_000),
        because=room.name(found.detail.because, f"{where}.because"),
        live=found.live,
        flag=found.flag,
        reverts=found.reverts,
        members=room.items(found.members, f"{where}.members", MAX_IDS, lambda id_, _at: id_),
        near=room.items(
            found.detail.near,
            f"{where}.near",
            MAX_OBJECTIONS,
            lambda n, at: outputs.NearTold(
                id=n.id, similarity=n.similarity, objections=objections(n.objections, room, at)
            ),
        ),
        policy=found.policy,
        certificate=found.certificate,
    )  # fmt: skip
