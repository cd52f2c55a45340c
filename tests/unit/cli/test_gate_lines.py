"""Lines of submissions: what is wrong with one is said of that line alone."""

from __future__ import annotations

import pytest

from saidonce.interfaces.cli.gate_lines import read_line


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b'{"id": "1", "text": "x"\n', "invalid JSON: Expecting ',' delimiter, column 24"),
        (b"[1]\n", "a submission must be an object with a text"),
        (b'{"text": "\xff"}\n', "not UTF-8 text"),
        (b'{"text": {}}\n', "'text' is neither a string nor a number"),
    ],
)
def test_a_malformed_line_is_told_without_another_lines_number(line: bytes, why: str) -> None:
    assert read_line(line, 7) == why
