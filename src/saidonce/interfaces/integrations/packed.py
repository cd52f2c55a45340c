"""One function under all retrievers: a question in, the base's packed passages out, with their sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.kb.packed_context import DEFAULT_TOKENS, Origin, PackedPassage, lines_of


@dataclass(frozen=True, slots=True)
class PackedText:
    """A passage with what varies it, as one text.

    Attributes:
        id: of the passage's block.
        text: place and text of the passage, then of each one that varies it, with the values that conflict.
        metadata: where the passage stands, under "also_in" where it is stated again,
            under "part_in" where a part of it is, under "variants" what varies it.
    """

    id: str
    text: str
    metadata: dict[str, Any]


def packed_texts(
    base: KnowledgeBase, question: str, n_tokens: int = DEFAULT_TOKENS, collection: str | None = None
) -> list[PackedText]:
    """Return what a base says about a question, nothing twice, best first; empty if nothing answers it.

    Args:
        base: an open knowledge base.
        n_tokens: budget of all texts together.
        collection: only this one.

    Raises:
        UsageError: as `KnowledgeBase.context`.
        NotFoundError: no such collection.
    """
    groups = base.context(question, n_tokens, collection=collection).groups
    return [PackedText(g[0].origin.block_id, "\n".join(map(lines_of, g)), _metadata(g)) for g in groups]


def _metadata(group: tuple[PackedPassage, ...]) -> dict[str, Any]:
    first, *variants = group
    return {
        **_source(first.origin),
        "also_in": [_source(origin) for origin in first.also_in],
        "part_in": [_source(origin) for origin in first.part_in],
        "variants": [
            {
                **_source(v.origin),
                "text": v.text,
                "differs": list(v.differences),
                "also_in": [_source(origin) for origin in v.also_in],
                "part_in": [_source(origin) for origin in v.part_in],
            }
            for v in variants
        ],
    }


def _source(origin: Origin) -> dict[str, Any]:
    """Return a place in plain values, which every store of documents takes."""
    return {
        "block_id": origin.block_id,
        "source": origin.document,
        "title": origin.title,
        "heading_path": list(origin.heading_path),
        "page": origin.page,
        "start_s": origin.start_s,
        "speaker": origin.speaker,
        "sender": origin.sender,
        "is_quoted": origin.is_quoted,
        "authored_at": origin.authored_at.isoformat() if origin.authored_at else None,
    }
