"""What a child says is believed only in the agreed form."""

from __future__ import annotations

import copy
import json
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import samples
from saidonce.documents.parse import parse
from saidonce.documents.parse.wire import (
    FrameError,
    decode_reply,
    encode_document,
    encode_refusal,
    read_frame,
    write_frame,
)
from saidonce.errors import Refusal, SourceRefusedError

DOCUMENT = parse("rules.docx", samples.word())
REPLY = json.loads(encode_document(DOCUMENT, retire=False))


def test_a_document_survives() -> None:
    assert decode_reply("x", encode_document(DOCUMENT, retire=True)) == (DOCUMENT, True)


def test_a_refusal_survives() -> None:
    answer, retire = decode_reply("x", encode_refusal(SourceRefusedError("y", Refusal.LOCKED, "shut"), retire=False))
    assert isinstance(answer, SourceRefusedError)
    assert (answer.source, answer.reason, answer.detail, retire) == ("x", Refusal.LOCKED, "shut", False)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("retire",), 1),
        (("extra",), 1),
        (("document",), []),
        (("document", "title"), ""),
        (("document", "title"), None),
        (("document", "title"), "\ud800"),
        (("document", "format"), "../etc"),
        (("document", "language"), "EN"),
        (("document", "authored_at"), "2024-01-01T00:00:00"),
        (("document", "authored_at"), "yesterday"),
        (("document", "n_pages"), -1),
        (("document", "n_pages"), True),
        (("document", "n_pages"), 1.0),
        (("document", "warnings"), [1]),
        (("document", "elements"), []),
        (("document", "elements"), {}),
        (("document", "elements", 0), ["heading", "x", 1, None]),
        (("document", "elements", 0, 0), "picture"),
        (("document", "elements", 0, 1), " \n"),
        (("document", "elements", 0, 2), 0),
        (("document", "elements", 0, 2), 10),
        (("document", "elements", 1, 2), 1),
        (("document", "elements", 0, 3), "1"),
        (("document", "elements", 0, 4), [["a"]]),
        (("document", "elements", 4, 4), [["a", "b"], ["c"]]),
        (("document", "elements", 4, 4), [["a", "b\nc"]]),
        (("document", "elements", 4, 4), [["a", 1]]),
    ],
)
def test_other_forms_are_refused(path: tuple[str | int, ...], value: object) -> None:
    reply: Any = copy.deepcopy(REPLY)
    place = reply
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(FrameError):
        decode_reply("x", json.dumps(reply).encode())


@pytest.mark.parametrize(
    "payload", [b"", b"null", b"[]", b"{}", b"[" * 100_000, b"\xff", b'{"refused":["nonsense","x"],"retire":false}']
)
def test_nonsense_is_refused(payload: bytes) -> None:
    with pytest.raises(FrameError):
        decode_reply("x", payload)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda s: st.lists(s) | st.dictionaries(st.text(), s)
    )
)
def test_any_json_is_a_frame_error(value: object) -> None:
    with pytest.raises(FrameError):
        decode_reply("x", json.dumps({"document": value, "retire": False}).encode())


@given(st.binary(max_size=2_000))
def test_frames_survive(payload: bytes) -> None:
    stream = BytesIO()
    write_frame(stream, payload)
    stream.seek(0)
    assert read_frame(stream, 2_000) == payload
    assert read_frame(stream, 2_000) is None


def test_frames_are_bounded_and_may_be_cut_short() -> None:
    stream = BytesIO()
    write_frame(stream, b"x" * 100)
    with pytest.raises(FrameError):
        read_frame(BytesIO(stream.getvalue()), 99)
    assert read_frame(BytesIO(stream.getvalue()[:50]), 100) is None
