"""An interruption while the command line is being imported and reads its arguments: one line, and the exit code."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
from contextlib import suppress


def stop_at_once() -> None:
    """Let an interruption end the program at once; nothing is open yet, and an exception would be a traceback."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _stop)


def stop_by_exception() -> None:
    """Let an interruption be an exception again, so that what a command opens is closed."""
    if signal.getsignal(signal.SIGINT) is _stop:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def end(code: int) -> None:
    """End an interrupted program that has closed what it opened, with an exit code.

    Python would kill itself by the signal where the interruption fell into code that was compiled from a text, as that
    of dataclasses is, whatever was raised afterwards.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


class BareEnd:
    """Ends a program before its interpreter is taken apart under threads that still run.

    Python ends such a thread wherever it next waits for the interpreter; in C++ code that catches everything this
    aborts the program, whose exit code is then that of a crash. Made before anything registers an exit function, it
    comes after all of these, and after the threads that Python waits for.

    Attributes:
        code: exit code that the program ends with; None while Python is to say it.
    """

    def __init__(self) -> None:
        self.code: int | None = None
        atexit.register(self._end)

    def _end(self) -> None:
        if self.code is not None and any(thread.daemon for thread in threading.enumerate()):
            end(self.code)


def _stop(number: int, _frame: object) -> None:
    sys.stderr.write("saidonce: stopped\n")
    end(128 + number)
