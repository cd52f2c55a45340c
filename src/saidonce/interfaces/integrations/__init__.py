"""Doors into other people's pipelines: retrieved texts, rows and packed passages, without their repeats."""

from saidonce.interfaces.integrations.packed import PackedText, packed_texts
from saidonce.interfaces.integrations.rows import DedupedRows, Dropped, dedupe_rows
from saidonce.interfaces.integrations.texts import DedupedTexts, TextTwin, dedup_texts

__all__ = [
    "DedupedRows",
    "DedupedTexts",
    "Dropped",
    "PackedText",
    "TextTwin",
    "dedup_texts",
    "dedupe_rows",
    "packed_texts",
]
