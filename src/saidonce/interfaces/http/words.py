"""Words of the pages: what people read for kinds of differences, for reasons, and for long names of documents."""

from __future__ import annotations

from collections.abc import Mapping

from saidonce.foundation.model import FactKind

BECAUSE: Mapping[str, str] = {
    "unsure": "similar, but not certainly the same",
    "objection": "similar, but something differs",
    "uncertified": "no measurement allows merging it automatically",
    "split_copy": "another copy of a text that was split",
    "side_by_side": "two things side by side",
    "above_threshold": "as similar as a repeat",
    "same_content": "the same words",
    "same_statement": "shown to say the same in other words",
    "ruled_duplicate": "by a second opinion",
    "vetoed": "similar, but a fact differs",
    "llm_cleared": "by a second opinion",
}
"""Why a pair waits, or why it was decided without a person."""

KINDS: Mapping[str, str] = {
    FactKind.NUMBER: "another number",
    FactKind.UNIT: "another unit",
    FactKind.AMOUNT: "another amount",
    FactKind.DATE: "another date",
    FactKind.VERSION: "another version",
    FactKind.IDENTIFIER: "another command or code",
    FactKind.NEGATION: "one denies it",
    FactKind.MODALITY: "must or may",
    FactKind.QUANTIFIER: "all or some",
    FactKind.FREQUENCY: "how often",
    FactKind.OPPOSITE: "the opposite",
    FactKind.TENSE: "is, was or has been",
    FactKind.NAME: "another name",
    FactKind.ROLE: "who does what to whom",
    FactKind.TERM: "another word that matters",
    FactKind.KIND: "another kind of text",
    FactKind.LANGUAGE: "another language",
    FactKind.TABLE_SHAPE: "other rows or columns",
    FactKind.SECTION_ROLE: "another part of its document",
    FactKind.HEADING: "headings that contradict each other",
    FactKind.SPEAKER: "another speaker or writer",
    FactKind.DECISION: "a person's decision",
    FactKind.RECOGNISED: "read in a picture, or heard",
}
"""What an objection says that two texts differ in."""


def short(name: str) -> str:
    """Return the last two parts of a path from the root, which tell documents apart; other names as they are."""
    parts = [part for part in name.replace("\\", "/").split("/") if part]
    is_path = name.startswith(("/", "\\")) or name[1:3] in (":\\", ":/")
    return "\N{HORIZONTAL ELLIPSIS}/" + "/".join(parts[-2:]) if is_path and len(parts) > 2 else name
