"""Lines at the console: a bad one is named with its number, and neither ends the chat nor is sent as text."""

from __future__ import annotations

from typing import Any

import pytest

from saidonce.foundation.model.conversation import Button
from saidonce.interfaces.cli import chat

BUTTONS = (Button("Yes", "yes"), Button("No", "no"))


def console(as_json: bool, buttons: tuple[Button, ...] = ()) -> chat._Console:
    """A console on which nothing can be sent: whoever tries fails."""
    nothing: Any = None
    return chat._Console(nothing, nothing, nothing, as_json, buttons=buttons)


@pytest.mark.parametrize(
    ("as_json", "line", "why"),
    [
        (False, "/photo nope.jpg", "line 4: cannot read 'nope.jpg': No such file or directory"),
        (False, "/photo no\x00pe", "line 4: cannot read"),
        (False, "/photo", "line 4: /photo needs a file"),
        (False, "/photo  ", "line 4: /photo needs a file"),
        (False, "/7", "line 4: /7: there are no buttons to press"),
        (False, "/foo", "line 4: unknown command '/foo'; /photo FILE sends a photo"),
        (False, "/", "line 4: unknown command '/'"),
        (True, "{", "line 4: invalid JSON"),
        (True, "[" * 100_000, "line 4: invalid JSON"),
        (
            True,
            '{"words": "x"}',
            "line 4: each line must be a JSON object with string values and the keys button, id, photo, text",
        ),
        (True, '{"id": "one"}', "line 4: each line needs a text, a photo or a button"),
        (True, '{"photo": "nope.jpg"}', "line 4: cannot read 'nope.jpg'"),
    ],
)
def test_a_bad_line_is_named(capsys: pytest.CaptureFixture[str], as_json: bool, line: str, why: str) -> None:
    assert not chat._try_send(console(as_json), 4, line)
    told = capsys.readouterr()
    assert why in told.err
    assert not told.out


@pytest.mark.parametrize("line", ["/0", "/3", "/" + "9" * 5_000])
def test_a_button_that_is_not_there_is_refused(capsys: pytest.CaptureFixture[str], line: str) -> None:
    assert not chat._try_send(console(False, BUTTONS), 1, line)
    assert "choose from /1 to /2" in capsys.readouterr().err


def test_a_line_is_read() -> None:
    assert chat._from_text(console(False, BUTTONS), "/2") == chat.ConsoleLine(button="no")
    assert chat._from_text(console(False), "/photo my tap.jpg") == chat.ConsoleLine(photo="my tap.jpg")
    assert chat._from_text(console(False), "1/2 of it leaks") == chat.ConsoleLine(text="1/2 of it leaks")
