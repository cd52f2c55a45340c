"""Lines of the log: one for each record, whatever somebody called their things."""

from __future__ import annotations

import io
import logging

import pytest

from saidonce.interfaces.cli.lines import LogLines, clean, one_clean_line


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("gate=main", "gate=main"),
        ("gate=a\nsaidonce all is well", "gate=a\\nsaidonce all is well"),
        ("gate=a\r\nb", "gate=a\\r\\nb"),
        ("gate=\x1b[2Ja\x9b1m\x07", "gate=\ufffd[2Ja\ufffd1m\ufffd"),
        ("gate=\u202eabc\u2028d\u200b", "gate=\ufffdabc\ufffdd\ufffd"),
        ("gate=\u00c4pfel \u6797\u6a8e", "gate=\u00c4pfel \u6797\u6a8e"),
    ],
)
def test_a_record_is_one_line(said: str, line: str) -> None:
    assert one_clean_line(said) == line
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(LogLines("%(name)s %(message)s"))
    handler.handle(logging.LogRecord("saidonce", logging.INFO, "", 0, "%s", (said,), None))
    assert written.getvalue() == f"saidonce {line}\n"


def test_a_traceback_keeps_its_lines_and_steers_nothing() -> None:
    try:
        int("a\x1b[2Jb")
    except ValueError as failed:
        shown = LogLines("%(message)s").format(
            logging.LogRecord(
                "saidonce", logging.ERROR, "", 0, "failed", (), (ValueError, failed, failed.__traceback__)
            )
        )
    first, *rest = shown.split("\n")
    assert first == "failed"
    assert rest[0].startswith("Traceback")
    assert "\x1b" not in rest[-1]
    assert clean("a\tb\n") == "a\tb\n"
