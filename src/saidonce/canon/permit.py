"""Whether the ladder may merge without asking: the switch, the certificate and the audit."""

from __future__ import annotations

from saidonce.base import Base


def withheld(base: Base) -> str:
    """Say why nothing may be merged without a person now; empty if it may.

    Raises:
        UsageError: the certificate cannot be read.
    """
    if not base.settings.auto_merge:
        return "automatic merging is switched off (setting auto_merge)"
    return ""
