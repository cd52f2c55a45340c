"""What is written line by line to a terminal or a file: texts of others stay on their line and steer nothing."""

from __future__ import annotations

import logging
from typing import Any


def clean(content: str) -> str:
    """Return a text without characters that control a terminal."""
    return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in content)


def one_clean_line(content: str) -> str:
    """Return a text without these and without line ends, which are written as escapes."""
    return clean(content.replace("\r", "\\r").replace("\n", "\\n"))


class LogLines(logging.Formatter):
    """One line for each record, whatever names it tells; only a traceback has further ones."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  logging calls it so
        """Return the line of a record."""
        record.message = one_clean_line(record.message)
        return super().formatMessage(record)

    def formatException(self, ei: Any) -> str:  # noqa: N802  logging calls it so
        """Return a traceback without control characters; its last line may quote user input."""
        return clean(super().formatException(ei))


def log_to_standard_error() -> None:
    """Write all lines of the log to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(LogLines("%(asctime)s %(name)s %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])


def n_of(n: float, noun: str) -> str:
    """Return a number with its noun, in the plural unless it is one."""
    return f"{n:.0f} {noun}{'' if n == 1 else 's'}"
