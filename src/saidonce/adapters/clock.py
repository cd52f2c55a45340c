"""The machine's clock behind the port `Clock`."""

from __future__ import annotations

from datetime import UTC, datetime


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Return the present moment, aware UTC."""
        return datetime.now(UTC)
