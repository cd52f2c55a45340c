"""Exports of earlier formats, written by the versions that had them; made up, and small."""

from __future__ import annotations

from pathlib import Path

FORMAT_5 = Path(__file__).parent / "contract" / "exports" / "format_5.jsonl"
"""Documents, decisions, gates, second opinions and `talk_cases.whole`, of the organisation "made up"."""
