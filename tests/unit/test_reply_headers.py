"""What headers say against a reply: `foundation.reply_headers`."""

from __future__ import annotations

import base64
import hashlib

import pytest

from saidonce.foundation.reply_headers import against_reply

BODY = b'{"status": "done"}'
PATH = "/api/v1/review/r-1"
RIGHT = base64.b64encode(hashlib.sha256(BODY).digest()).decode()
RIGHT_512 = base64.b64encode(hashlib.sha512(BODY).digest()).decode()


def against(name: str, value: str, path: str = PATH) -> str:
    return against_reply({"Content-Type": "application/json", name: value}, path, BODY)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("X-Amz-Function-Error", "Unhandled"),
        ("x-ms-error-code", "ServerBusy"),
        ("X-Fallback", "true"),
        ("X-Response-Partial", "1"),
        ("Warning", '199 - "something"'),
        ("Grpc-Status", "4"),
        ("Content-Range", "bytes 0-1/9"),
        ("Content-Location", "/api/v1/review/r-2"),
        ("Content-Location", "https://elsewhere.example/api/v1/review/r-2"),
        ("Content-Location", "r-2"),
        ("Cache-Status", "edge; hit; ttl=-1"),
        ("Cache-Status", "edge; fwd=stale"),
        ("Trailer", "Server-Timing, X-Verdict"),
        ("Content-Digest", f"sha-256=:{RIGHT_512}:"),
        ("Content-Digest", "sha-256=:no base 64:"),
        ("Digest", f"SHA-256={RIGHT[::-1]}"),
    ],
)
def test_a_header_speaks_against_its_reply(name: str, value: str) -> None:
    assert against(name, value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("X-Error", "none"),
        ("X-Errors", "0"),
        ("X-Fallback", "false"),
        ("Grpc-Status", "0"),
        ("Content-Location", PATH),
        ("Content-Location", f"https://rater.example{PATH}?v=2"),
        ("Content-Location", "r-1"),
        ("Cache-Status", "edge; fwd=miss; stored"),
        ("X-Cache", "MISS"),
        ("Trailer", "Server-Timing"),
        ("Content-Digest", f"sha-256=:{RIGHT}:, sha-512=:{RIGHT_512}:"),
        ("Digest", f"SHA-256={RIGHT}"),
        ("Digest", "crc32c=:AAAA:"),
        ("Set-Cookie", "error=1"),
        ("Server-Timing", "error;dur=1"),
        ("X-Content-Type-Options", "nosniff"),
    ],
)
def test_a_header_of_a_working_service_says_nothing(name: str, value: str) -> None:
    assert against(name, value) == ""


def test_a_reply_to_a_post_may_be_the_content_of_what_it_made() -> None:
    assert against("Content-Location", "/api/v1/review/r-9", path="") == ""
