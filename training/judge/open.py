"""Which pairs a judge is asked about."""

from __future__ import annotations

from saidonce.foundation.model import Candidate
from saidonce.foundation.text import content_hash
from saidonce.matching.agreement import Agreement, agreement


def is_open(a: str, b: str) -> bool:
    """Return whether the guards leave a pair of English texts open; no judge is asked about any other."""
    one, two = (Candidate(text, content_hash(text), language="en") for text in (a, b))
    return agreement(one, two).agreement is Agreement.OPEN
