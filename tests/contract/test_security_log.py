"""The security log: every act stands in it with who, from where and when; it only grows, and no secret is in it."""

from __future__ import annotations

import json
import logging
import logging.handlers
import secrets
import socket
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from saidonce.errors import AccessError, SettingsError, StoreBusyError, UsageError
from saidonce.foundation.model import Role, Scope
from saidonce.foundation.model.personal_data import DataAct, DataActKind
from saidonce.foundation.model.security import SecurityEvent, SecurityFilter, SecurityKind
from saidonce.foundation.ports import Store
from saidonce.foundation.settings.policy import load_settings
from saidonce.platform import access
from saidonce.platform.security_log import (
    LOGGER,
    Acting,
    acting_as,
    forward_to,
    noted,
    record,
    record_act,
    record_refusal,
    record_settings,
)
from world import NOON

Open = Callable[[str], Store]
LATER = NOON + timedelta(hours=1)


@pytest.fixture
def store(opened: Open, org: str) -> Store:
    return opened(org)


@pytest.fixture
def _no_handlers() -> Iterator[None]:
    yield
    forward_to(load_settings())


def kinds(store: Store) -> list[str]:
    return [event.kind.value for event in store.security.events(SecurityFilter())][::-1]


def test_what_people_and_keys_go_through_is_written_down(store: Store) -> None:
    with acting_as(Acting("http", "root", "203.0.113.9")):
        access.add_person(store, "olga", "", Role.OWNER, NOON)
        access.add_person(store, "rita", "", Role.READER, NOON)
        access.change_role(store, "rita", Role.REVIEWER, NOON)
        key, presented = access.make_key(store, "rita", "laptop", [Scope.READ], NOON, secrets.token_bytes)
        other, _ = access.make_key(store, "rita", "", [Scope.READ], NOON, secrets.token_bytes)
        access.revoke(store, other.id, NOON)
        access.revoke(store, other.id, NOON)
    with acting_as(Acting("http", address="203.0.113.10")):
        access.authenticate(store, presented, LATER)
        access.authenticate(store, presented, LATER)
    with acting_as(Acting("command", "root")):
        access.leave(store, "rita", LATER)
    assert kinds(store) == [
        "person_added", "person_added", "role_changed", "key_made", "key_made", "key_revoked", "key_first_used",
        "person_left", "key_revoked",
    ]  # fmt: skip
    events = store.security.events(SecurityFilter())[::-1]
    assert [e.n for e in events] == list(range(1, 10))
    assert (events[2].person, events[2].address, events[2].door) == ("root", "203.0.113.9", "http")
    assert dict(events[2].detail) == {"before": "reader", "role": "reviewer"}
    assert (events[6].subject, events[6].person, events[6].address) == (key.id, "rita", "203.0.113.10")
    written = repr(events)
    assert presented not in written
    assert presented.rpartition("_")[2] not in written
    assert key.hash not in written


def test_a_change_that_fails_leaves_no_entry(store: Store) -> None:
    access.add_person(store, "olga", "", Role.OWNER, NOON)
    with pytest.raises(UsageError):
        access.change_role(store, "olga", Role.READER, NOON)

    def torn() -> None:
        with noted(store, NOON) as note:
            note(SecurityKind.KEY_MADE, "k")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        torn()
    assert kinds(store) == ["person_added"]


def test_the_filters(store: Store) -> None:
    for n, (person, address) in enumerate([("ann", "10.0.0.1"), ("ben", "10.0.0.2"), ("ann", "10.0.0.2")]):
        with acting_as(Acting("http", person, address)):
            record(store, SecurityKind.SIGNED_IN, NOON + timedelta(minutes=n), person)
    record(store, SecurityKind.EXPORTED, LATER)

    def numbers(**asked: object) -> list[int]:
        return [event.n for event in store.security.events(SecurityFilter(**asked))]  # type: ignore[arg-type]

    assert numbers() == [4, 3, 2, 1]
    assert numbers(person="ann") == [3, 1]
    assert numbers(address="10.0.0.2") == [3, 2]
    assert numbers(kinds=(SecurityKind.EXPORTED, SecurityKind.IMPORTED)) == [4]
    assert numbers(since=NOON + timedelta(minutes=1), until=LATER) == [3, 2]
    assert numbers(before=3, limit=1) == [2]
    assert numbers(after=1, limit=2) == [2, 3]
    assert numbers(person="' or true --") == []


def test_organisations_do_not_see_each_other(store: Store) -> None:
    record(store, SecurityKind.SIGNED_IN, NOON, "ann")
    other = store.of_org(f"{store.org}-other")
    assert other.security.events(SecurityFilter()) == ()
    record(other, SecurityKind.SIGNED_IN, NOON, "ben")
    assert [e.n for e in other.security.events(SecurityFilter())] == [1]


def test_who_guesses_names_of_organisations_begins_none(store: Store) -> None:
    record_refusal(store, NOON, "unknown key")
    assert kinds(store) == []
    access.add_person(store, "olga", "", Role.OWNER, NOON)
    record_refusal(store, NOON, "unknown key", attempts=1)
    assert kinds(store) == ["person_added", "refused"]


def test_a_key_that_has_run_out_or_is_elsewhere_is_refused(store: Store) -> None:
    access.add_person(store, "olga", "", Role.OWNER, NOON)
    wish = access.KeyWish("olga", "", frozenset({Scope.READ}), LATER, ("10.1.2.3/16", "2001:db8::/32"))
    key, presented = access.make_limited_key(store, wish, NOON, secrets.token_bytes)
    assert key.addresses == ("10.1.0.0/16", "2001:db8::/32")
    for address, may in (
        ("10.1.255.1", True), ("::ffff:10.1.0.9", True), ("2001:db8:1::1", True), ("10.2.0.1", False), ("", False),
        ("testclient", False),
    ):  # fmt: skip
        with acting_as(Acting("http", address=address)):
            if may:
                access.authenticate(store, presented, NOON)
            else:
                with pytest.raises(AccessError, match="from your network"):
                    access.authenticate(store, presented, NOON)
    with acting_as(Acting("http", address="10.1.0.1")), pytest.raises(AccessError, match="key expired"):
        access.authenticate(store, presented, LATER)
    (kept,) = store.people.keys()
    assert kept.used_at == NOON
    access.revoke(store, key.id, LATER)
    (kept,) = store.people.keys()
    assert kept.used_at == NOON, "changing a key loses when it was used"


def test_the_last_use_of_a_key_is_noted_to_five_minutes(store: Store) -> None:
    access.add_person(store, "olga", "", Role.OWNER, NOON)
    _, presented = access.make_key(store, "olga", "", [Scope.READ], NOON, secrets.token_bytes)
    access.authenticate(store, presented, NOON)
    access.authenticate(store, presented, NOON + timedelta(minutes=4))
    assert [k.used_at for k in store.people.keys()] == [NOON]  # noqa: SIM118
    access.authenticate(store, presented, NOON + timedelta(minutes=6))
    assert [k.used_at for k in store.people.keys()] == [NOON + timedelta(minutes=6)]  # noqa: SIM118
    assert kinds(store).count("key_first_used") == 1
    assert store.security.note_key_use("nobody's", NOON) is False


@pytest.mark.parametrize("address", ["everywhere", "10.0.0.0/40", ""])
def test_a_network_that_is_none_is_refused(store: Store, address: str) -> None:
    access.add_person(store, "olga", "", Role.OWNER, NOON)
    wish = access.KeyWish("olga", "", frozenset({Scope.READ}), None, (address,))
    with pytest.raises(UsageError, match="neither an address nor a network"):
        access.make_limited_key(store, wish, NOON, secrets.token_bytes)
    with pytest.raises(UsageError, match="is in the past"):
        access.make_limited_key(
            store, access.KeyWish("olga", "", frozenset({Scope.READ}), NOON), NOON, secrets.token_bytes
        )
    assert kinds(store) == ["person_added"]


def test_other_settings_are_named_once_and_secrets_never_shown(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SAIDONCE_DATA_DIR")
    first = load_settings(k=7, smtp_url="smtp://u:hunter2@h:587")
    assert record_settings(store, first, NOON) == ("k", "smtp_url")
    assert record_settings(store, first, NOON) == ()
    assert record_settings(store, load_settings(k=8, smtp_url="smtp://u:hunter2@h:587"), NOON) == ("k",)
    assert record_settings(store, load_settings(), NOON) == ("k", "smtp_url")
    assert "hunter2" not in repr(store.security.events(SecurityFilter()))


def test_what_is_done_with_residents_data_is_written_down(store: Store) -> None:
    record_act(store, DataAct(DataActKind.ERASED, NOON, "ann", "s1", (("messages", 3),), n=1))
    record_act(store, DataAct(DataActKind.EXPORTED, NOON, "ann", "s2", n=2))
    record_act(store, DataAct(DataActKind.EXPIRED, NOON, "policy", "s3", n=3))
    assert kinds(store) == ["erased", "handed_out"]


@pytest.mark.usefixtures("_no_handlers")
def test_entries_are_forwarded_to_a_file_and_a_syslog(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "security.jsonl"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as heard:
        heard.bind(("127.0.0.1", 0))
        heard.settimeout(10)
        port = heard.getsockname()[1]
        forward_to(load_settings(security_log_file=str(file), security_log_syslog=f"udp://127.0.0.1:{port}"))
        with acting_as(Acting("http", "ann\n{}", "10.0.0.1")):
            record(store, SecurityKind.SIGNED_IN, NOON, "ann\u2028")
        sent = heard.recv(65_536)
    (line,) = file.read_text("ascii").splitlines()
    values = json.loads(line)
    assert (values["org"], values["kind"], values["n"], values["address"]) == (store.org, "signed_in", 1, "10.0.0.1")
    assert line.encode() in sent
    assert sent.startswith(b"<86>saidonce: "), "authpriv.info"
    assert file.stat().st_mode & 0o777 == 0o600
    forward_to(load_settings())
    assert logging.getLogger(LOGGER).handlers == []


@pytest.mark.usefixtures("_no_handlers")
@pytest.mark.parametrize(
    "changes",
    [
        {"security_log_syslog": "example.com"},
        {"security_log_syslog": "http://example.com"},
        {"security_log_syslog": "udp://:514"},
        {"security_log_syslog": "/dev/no-such-log"},
        {"security_log_file": "/no/such/folder/log"},
    ],
)
def test_what_cannot_be_forwarded_to_is_said_at_the_start(changes: dict[str, str]) -> None:
    with pytest.raises(SettingsError, match=next(iter(changes))):
        forward_to(load_settings(**changes))  # type: ignore[arg-type]


@pytest.mark.parametrize("written", ["everybody", "10.0.0.0/33", "10.0.0.1;::1"])
def test_proxies_are_addresses(written: str) -> None:
    with pytest.raises(SettingsError, match="trusted_proxies"):
        load_settings(trusted_proxies=written)


def test_an_entry_that_waits_for_nobody(store: Store) -> None:
    """A refusal is written while a turn to write is held elsewhere."""
    access.add_person(store, "olga", "", Role.OWNER, NOON)
    other = store.of_org(store.org)
    with store.ledger.exclusive():
        try:
            record_refusal(other, NOON, "wrong", attempts=1)
        except StoreBusyError:
            pytest.fail("it waited for the turn")
    assert kinds(store) == ["person_added", "refused"]


def test_an_event_reads_back_as_it_was_written(store: Store) -> None:
    event = SecurityEvent(
        SecurityKind.REFUSED, NOON, "ann", "::1", "mcp", "x", (("attempts", "3"), ("reason", "\u00e4\n"))
    )
    logged = store.security.append(event)
    assert logged is not None
    assert store.security.events(SecurityFilter()) == (logged,)
    assert (logged.detail, logged.n) == (event.detail, 1)
