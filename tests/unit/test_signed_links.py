"""Links of residents, contractors and receivers of alarms: signed by HMAC-SHA-256, and old ones go on."""

from __future__ import annotations

import base64
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from itsdangerous import URLSafeSerializer

from saidonce.repairs import alarm_links, chat_links, job_links

SECRET = "a secret of this server"
UNTIL = datetime(2026, 2, 1, tzinfo=UTC)

KINDS: dict[str, tuple[Callable[[], str], Callable[[str], object], str, list[object], object]] = {
    "a resident's": (
        lambda: chat_links.link_path(SECRET, chat_links.Visitor("acme", "ana")),
        lambda token: chat_links.read_link(SECRET, token),
        chat_links.SALT, ["acme", "ana"], chat_links.Visitor("acme", "ana"),
    ),
    "a contractor's": (
        lambda: job_links.job_path(SECRET, job_links.JobLink("acme", "i1", "a1")),
        lambda token: job_links.read_job_link(SECRET, token),
        job_links.SALT, ["acme", "i1", "a1"], job_links.JobLink("acme", "i1", "a1"),
    ),
    "a receiver's": (
        lambda: alarm_links.alarm_path(SECRET, alarm_links.AlarmPass("acme", "e1", "sms", UNTIL)),
        lambda token: alarm_links.read_alarm_pass(SECRET, token),
        alarm_links.SALT, ["acme", "e1", "sms", int(UNTIL.timestamp())],
        alarm_links.AlarmPass("acme", "e1", "sms", UNTIL),
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_a_link_is_signed_by_sha_256_and_opens_what_it_names(kind: str) -> None:
    write, read, _, _, named = KINDS[kind]
    token = write().rpartition("/")[2]
    assert len(base64.urlsafe_b64decode(token.rpartition(".")[2] + "=")) == 32
    assert read(token) == named


@pytest.mark.parametrize("kind", KINDS)
def test_a_link_that_was_sent_out_before_opens_on(kind: str) -> None:
    _, read, salt, content, named = KINDS[kind]
    old = URLSafeSerializer(SECRET, salt=salt).dumps(content)
    assert len(old.rpartition(".")[2]) == 27, "20 bytes of SHA-1"
    assert read(old) == named


@pytest.mark.parametrize("kind", KINDS)
def test_a_link_of_another_secret_or_kind_or_that_was_altered_opens_nothing(kind: str) -> None:
    write, read, _, content, _ = KINDS[kind]
    token = write().rpartition("/")[2]
    others = [URLSafeSerializer("another", salt=salt).dumps(content) for salt in (KINDS[k][2] for k in KINDS)]
    others += [KINDS[k][0]().rpartition("/")[2] for k in KINDS if k != kind]
    others += [token[:-1] + ("A" if token[-2] != "A" else "B"), token.partition(".")[0], "", "x" * 1_001]
    assert [read(other) for other in others] == [None] * len(others)
