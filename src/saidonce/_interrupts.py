"""An interruption while the command line is being imported and reads its arguments: one line, and the exit code."""

from __future__ import annotations

import os
import signal
import sys


def stop_at_once() -> None:
    """Let an interruption end the program at once; nothing is open yet, and an exception would be a traceback."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _stop)


def stop_by_exception() -> None:
    """Let an interruption be an exception again, so that what a command opens is closed."""
    if signal.getsignal(signal.SIGINT) is _stop:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _stop(number: int, _frame: object) -> None:
    sys.stderr.write("saidonce: stopped\n")
    sys.stderr.flush()
    os._exit(128 + number)
