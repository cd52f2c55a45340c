"""Programs that heed SIGINT, however the tests themselves were started."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path


def started(command: Sequence[str | Path], cwd: Path | None = None) -> subprocess.Popen[bytes]:
    """Start a program that an interruption ends, also when a shell started the tests in its background.

    What such a shell starts ignores SIGINT, and so does whatever that starts, unless it had a handler of its own.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return subprocess.Popen(command, cwd=cwd)
    finally:
        signal.signal(signal.SIGINT, before)
