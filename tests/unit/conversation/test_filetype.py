"""What a file is, by its bytes and against what its sender says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saidonce.repairs.conversation.filetype import UNKNOWN, accepted_type, family, sniff

JPEG, PNG, PDF = b"\xff\xd8\xff\xe0rest", b"\x89PNG\r\n\x1a\nrest", b"%PDF-1.7 rest"
MP4, M4A, OGG, ZIP = b"\0\0\0 ftypisom", b"\0\0\0 ftypM4A ", b"OggS\0\2", b"PK\x03\x04rest"
HTML = b"<!doctype html><script>alert(1)</script>"


@pytest.mark.parametrize(
    ("declared", "content", "kept"),
    [
        ("image/jpeg", JPEG, "image/jpeg"),
        ("image/jpeg", PNG, "image/png"),
        ("image/jpeg; charset=binary", JPEG, "image/jpeg"),
        ("image/webp", b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        ("image/jpeg", HTML, None),
        ("image/jpeg", PDF, None),
        ("image/jpeg", MP4, None),
        ("image/jpeg", b"", None),
        ("image/svg+xml", b"<svg/>", None),
        ("application/pdf", PDF, "application/pdf"),
        ("application/pdf", JPEG, "image/jpeg"),
        ("application/pdf", HTML, UNKNOWN),
        ("text/html", HTML, UNKNOWN),
        ("text/plain", b"hello", UNKNOWN),
        ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", ZIP, "application/zip"),
        ("", JPEG, "image/jpeg"),
        ("application/octet-stream", MP4, "video/mp4"),
        ("video/mp4", MP4, "video/mp4"),
        ("video/3gpp", b"\0\0\0 ftyp3gp4", "video/3gpp"),
        ("audio/mp4", MP4, "audio/mp4"),
        ("audio/mp4", M4A, "audio/mp4"),
        ("video/mp4", JPEG, None),
        ("audio/ogg", OGG, "audio/ogg"),
        ("audio/ogg", JPEG, None),
        ("audio/amr", b"#!AMR\n", "audio/amr"),
    ],
)
def test_the_bytes_decide(declared: str, content: bytes, kept: str | None) -> None:
    assert accepted_type(declared, content) == kept


@given(st.text(max_size=40), st.binary(max_size=40))
def test_nothing_is_ever_kept_as_a_picture_that_does_not_begin_like_one(declared: str, content: bytes) -> None:
    kept = accepted_type(declared, content)
    if kept is not None and family(kept) == "image":
        assert family(sniff(content)) == "image"
    assert kept is None or not kept.startswith(("text/", "image/svg"))
