"""Programs that heed SIGINT and SIGQUIT, however the tests themselves were started."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO


def started(
    command: Sequence[str | Path],
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    output: int | None = None,
    typed: IO[bytes] | int = subprocess.DEVNULL,
) -> subprocess.Popen[bytes]:
    """Start a program that an interruption ends, also when a shell started the tests in its background.

    What such a shell starts ignores both signals, and so does whatever that starts, unless it had handlers of its own.
    """
    before = {signal.SIGINT: signal.signal(signal.SIGINT, signal.default_int_handler)}
    before[signal.SIGQUIT] = signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    try:
        return subprocess.Popen(command, cwd=cwd, env=env, stdin=typed, stdout=output, stderr=output)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
