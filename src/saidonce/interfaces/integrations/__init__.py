"""Doors into other people's pipelines: retrieved texts and rows of a corpus, without their repeats."""

from saidonce.interfaces.integrations.rows import DedupedRows, Dropped, dedupe_rows
from saidonce.interfaces.integrations.texts import DedupedTexts, TextTwin, dedup_texts

__all__ = ["DedupedRows", "DedupedTexts", "Dropped", "TextTwin", "dedup_texts", "dedupe_rows"]
