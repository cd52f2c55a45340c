"""Doors into other people's pipelines: retrieved texts, rows and packed passages, without their repeats."""

from saidonce.interfaces.integrations.gated import GateAnswer, gate_answers, submission_of
from saidonce.interfaces.integrations.once import once
from saidonce.interfaces.integrations.packed import PackedText, packed_texts
from saidonce.interfaces.integrations.rows import DedupedRows, Dropped, dedupe_rows
from saidonce.interfaces.integrations.texts import DedupedTexts, TextTwin, dedup_texts

__all__ = [
    "DedupedRows",
    "DedupedTexts",
    "Dropped",
    "GateAnswer",
    "PackedText",
    "TextTwin",
    "dedup_texts",
    "dedupe_rows",
    "gate_answers",
    "once",
    "packed_texts",
    "submission_of",
]
