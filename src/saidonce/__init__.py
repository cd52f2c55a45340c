"""saidonce: a knowledge base for RAG that says everything once and loses nothing."""

import os
from typing import TYPE_CHECKING, Any

from saidonce import _moved

# onnxruntime reports to its maker, and keeps a device id at home, unless it is told not to before it is loaded.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

_moved.install()

__version__ = "0.2.0"

_HOMES = {
    "AsyncKnowledgeBase": "saidonce.app.async_knowledge_base",
    "KnowledgeBase": "saidonce.app.knowledge_base",
    "Gate": "saidonce.gate",
    "Submission": "saidonce.foundation.model",
    "Filters": "saidonce.foundation.model",
    "Candidate": "saidonce.foundation.model",
    "Settings": "saidonce.foundation.settings.policy",
    "SaidonceError": "saidonce.errors",
    "GUARDS": "saidonce.matching.guards",
    "REPEAT_GUARDS": "saidonce.matching.guards",
    "once": "saidonce.interfaces.integrations.once",
    "keep_first": "saidonce.matching.ladder",
    "decide": "saidonce.matching.ladder",
    "compare": "saidonce.matching.facts",
    "content_hash": "saidonce.foundation.text",
    "near_pairs": "saidonce.matching.vectors",
    "canonical_cosine": "saidonce.matching.vectors",
}

__all__ = [
    "GUARDS",
    "REPEAT_GUARDS",
    "AsyncKnowledgeBase",
    "Candidate",
    "Filters",
    "Gate",
    "KnowledgeBase",
    "SaidonceError",
    "Settings",
    "Submission",
    "canonical_cosine",
    "compare",
    "content_hash",
    "decide",
    "keep_first",
    "near_pairs",
    "once",
]

if TYPE_CHECKING:
    from saidonce.app.async_knowledge_base import AsyncKnowledgeBase
    from saidonce.app.knowledge_base import KnowledgeBase
    from saidonce.errors import SaidonceError
    from saidonce.foundation.model import Candidate, Filters, Submission
    from saidonce.foundation.settings.policy import Settings
    from saidonce.foundation.text import content_hash
    from saidonce.gate import Gate
    from saidonce.interfaces.integrations.once import once
    from saidonce.matching.facts import compare
    from saidonce.matching.guards import GUARDS, REPEAT_GUARDS
    from saidonce.matching.ladder import decide, keep_first
    from saidonce.matching.vectors import canonical_cosine, near_pairs


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `saidonce --help` is quick."""
    if name not in _HOMES:
        raise AttributeError(f"module 'saidonce' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415  needed only here

    return getattr(import_module(_HOMES[name]), name)
