"""Every refusal of access word by word, and what each door writes: the tests that changed code has to get past."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from saidonce.errors import AccessError, NotFoundError, SaidonceError, StoreBusyError, UsageError
from saidonce.foundation.model import ApiKey, Role, Scope
from saidonce.foundation.model.security import SecurityFilter
from saidonce.platform import access
from saidonce.platform.security_log import Acting, acting_as, present
from saidonce.testing import MemoryStore

NOW = datetime(2026, 1, 17, 14, tzinfo=UTC)
KEY = "so1_acme_" + "0" * 16 + "_" + "0" * 64


@pytest.fixture
def store() -> MemoryStore:
    made = MemoryStore("acme")
    access.add_person(made, "olga", "olga@example.com", Role.OWNER, NOW)
    access.add_person(made, "rita", "rita@example.com", Role.REVIEWER, NOW)
    access.add_person(made, "rolf", "", Role.READER, NOW)
    access.add_person(made, "gone", "gone@example.com", Role.READER, NOW)
    access.authenticate_subject(made, "issuer 1", "gone@example.com", NOW)
    access.leave(made, "gone", NOW)
    return made


def make(store: MemoryStore, person: str, *scopes: Scope) -> tuple[ApiKey, str]:
    return access.make_key(store, person, " a label ", scopes, NOW, secrets.token_bytes)


def revoked(store: MemoryStore) -> object:
    key, presented = make(store, "rita", Scope.READ)
    access.revoke(store, key.id, NOW)
    return access.authenticate(store, presented, NOW)


def orphaned(store: MemoryStore) -> object:
    _, presented = make(store, "rita", Scope.READ)
    person = store.people.person("rita")
    assert person is not None
    store.people.put_person(replace(person, left_at=NOW))
    return access.authenticate(store, presented, NOW)


def principal(store: MemoryStore, name: str) -> access.Principal:
    return access.authenticate(store, make(store, name, Scope.READ)[1], NOW)


REFUSED: dict[str, tuple[Callable[[MemoryStore], object], type[SaidonceError], str, bool]] = {
    "a scope": (
        lambda s: access.require(principal(s, "rolf"), Scope.ADMIN), AccessError,
        "not allowed: rolf may not do this; needed: scope admin", True,
    ),
    "residents": (
        lambda s: access.require(principal(s, "rolf"), Scope.RESIDENTS), AccessError,
        f"not allowed: {access.NO_RESIDENTS.format(name='rolf')}; needed: scope residents", True,
    ),
    "a name": (
        lambda s: access.add_person(s, "Policy", "", Role.READER, NOW), UsageError,
        "'Policy' is not a valid name for a person: use printable characters, and not 'policy'", False,
    ),
    "no name": (
        lambda s: access.add_person(s, " ", "", Role.READER, NOW), UsageError,
        "'' is not a valid name for a person: use printable characters, and not 'policy'", False,
    ),
    "an address": (
        lambda s: access.add_person(s, "ann", "ann", Role.READER, NOW), UsageError,
        "'ann' is not an e-mail address", False,
    ),
    "a name that is taken": (
        lambda s: access.add_person(s, "rolf", "", Role.READER, NOW), UsageError,
        "a person 'rolf' already exists; change their role with 'saidonce people role'", False,
    ),
    "an address that is taken": (
        lambda s: access.add_person(s, "ann", "OLGA@example.com", Role.READER, NOW), UsageError,
        "the address 'OLGA@example.com' belongs to another person", False,
    ),
    "an unknown person": (
        lambda s: access.leave(s, "ann", NOW), NotFoundError,
        "no person 'ann'; 'saidonce people list' lists them", False,
    ),
    "a person who left": (
        lambda s: access.change_role(s, "gone", Role.OWNER, NOW), NotFoundError,
        "no person 'gone'; 'saidonce people list' lists them", False,
    ),
    "the last owner's role": (
        lambda s: access.change_role(s, "olga", Role.READER, NOW), UsageError,
        "olga is the last owner; make another person an owner first", False,
    ),
    "the last owner's leave": (
        lambda s: access.leave(s, "olga", NOW), UsageError,
        "olga is the last owner; make another person an owner first", False,
    ),
    "no scope": (lambda s: make(s, "rolf"), UsageError, "give at least one scope: " + ", ".join(Scope), False),
    "scopes beyond the role": (
        lambda s: make(s, "rolf", Scope.REVIEW, Scope.ADMIN, Scope.READ), AccessError,
        "not allowed: rolf is reader; needed: a role with scope admin, review", True,
    ),
    "an unknown key": (
        lambda s: access.revoke(s, "0" * 16, NOW), NotFoundError,
        f"no key '{'0' * 16}'; 'saidonce keys list' lists them", False,
    ),
    "a wrong key": (
        lambda s: access.authenticate(s, KEY, NOW), AccessError,
        "not allowed: unknown key; needed: a valid API key", False,
    ),
    "a revoked key": (revoked, AccessError, "not allowed: the key was revoked; needed: a valid API key", False),
    "a key of somebody who left": (
        orphaned, AccessError, "not allowed: the owner of this key has left; needed: a valid API key", False,
    ),
    "no key": (
        lambda s: access.authenticate(s, "so1_acme", NOW), AccessError,
        "not allowed: this is not an API key; needed: an API key, so1_...", False,
    ),
    "a key whose organisation is written in another way": (
        lambda s: access.authenticate(s, KEY.replace("acme", "%61cme"), NOW), AccessError,
        "not allowed: this is not an API key; needed: an API key, so1_...", False,
    ),
    "a key whose organisation is no UTF-8": (
        lambda s: access.org_of_key(KEY.replace("acme", "%FF")), AccessError,
        "not allowed: this is not an API key; needed: an API key, so1_...", False,
    ),
    "no subject": (
        lambda s: access.authenticate_subject(s, " ", "olga@example.com", NOW), AccessError,
        "not allowed: the sign-in has no subject; needed: a subject", False,
    ),
    "a subject that nobody has": (
        lambda s: access.authenticate_subject(s, "issuer 9", "", NOW), AccessError,
        "not allowed: no person in organisation 'acme' has this account;"
        " needed: an owner who adds you ('saidonce people add NAME EMAIL')", False,
    ),
    "a subject and an address that nobody has": (
        lambda s: access.authenticate_subject(s, "issuer 9", "x@example.com", NOW), AccessError,
        "not allowed: no person in organisation 'acme' has this account or the address 'x@example.com';"
        " needed: an owner who adds you ('saidonce people add NAME EMAIL')", False,
    ),
    "a subject of somebody who left": (
        lambda s: access.authenticate_subject(s, "issuer 1", "", NOW), AccessError,
        "not allowed: gone has left; needed: an owner who adds you again", False,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_says_what_is_missing(store: MemoryStore, name: str) -> None:
    run, kind, message, is_known = REFUSED[name]
    with pytest.raises(kind) as refused:
        run(store)
    assert str(refused.value) == message
    if isinstance(refused.value, AccessError):
        assert refused.value.is_known is is_known


def test_who_has_the_scope_is_let_through(store: MemoryStore) -> None:
    access.require(principal(store, "rolf"), Scope.READ)


def test_a_key_is_stored_as_it_was_asked_for(store: MemoryStore) -> None:
    key, presented = make(store, "rita", Scope.READ)
    stored = store.people.key(key.id)
    assert stored == key
    assert (key.label, key.added_at, key.person, key.scopes) == ("a label", NOW, "rita", frozenset({Scope.READ}))
    assert access.key_id_of(presented) == key.id
    assert len(bytes.fromhex(key.id)) == 8


def test_a_slash_in_an_organisation_is_written_so_that_it_ends_nothing() -> None:
    store = MemoryStore("a/b")
    access.add_person(store, "olga", "", Role.OWNER, NOW)
    _, presented = access.make_key(store, "olga", "", [Scope.READ], NOW, secrets.token_bytes)
    assert presented.startswith("so1_a%2Fb_")
    assert access.authenticate(store, presented, NOW).person.name == "olga"


def test_who_leaves_loses_their_own_keys_and_an_old_revocation_keeps_its_day(store: MemoryStore) -> None:
    old, _ = make(store, "rita", Scope.READ)
    access.revoke(store, old.id, NOW - timedelta(days=3))
    new, _ = make(store, "rita", Scope.READ)
    others, _ = make(store, "rolf", Scope.READ)
    access.leave(store, "rita", NOW)
    days = [key.revoked_at if (key := store.people.key(id_)) else None for id_ in (old.id, new.id, others.id)]
    assert days == [NOW - timedelta(days=3), NOW, None]


def test_who_comes_back_has_their_account_with_their_address_only(store: MemoryStore) -> None:
    back = access.add_person(store, "gone", "Gone@example.com", Role.REVIEWER, NOW)
    assert (back.subject, back.email, back.role, back.left_at) == (
        "issuer 1", "Gone@example.com", Role.REVIEWER, None,
    )  # fmt: skip
    access.leave(store, "gone", NOW)
    other = access.add_person(store, "gone", "new@example.com", Role.READER, NOW)
    assert (other.subject, other.email) == ("", "new@example.com")
    assert store.people.person("gone") == other


def test_an_address_of_somebody_who_left_is_free(store: MemoryStore) -> None:
    assert access.add_person(store, "ann", "gone@example.com", Role.READER, NOW).email == "gone@example.com"


def test_activity_is_noted_every_five_minutes_and_never_waits(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float | None] = []
    exclusive = store.ledger.exclusive

    def noting(wait_s: float | None = None) -> AbstractContextManager[None]:
        waited.append(wait_s)
        return exclusive()

    rolf = store.people.person("rolf")
    assert rolf is not None
    monkeypatch.setattr(store.ledger, "exclusive", noting)
    noted = access.note_activity(store, rolf, NOW)
    assert (noted.active_at, waited) == (NOW, [0.0])
    assert access.note_activity(store, noted, NOW + timedelta(minutes=4, seconds=59)) is noted
    again = access.note_activity(store, noted, NOW + timedelta(minutes=5))
    assert again.active_at == NOW + timedelta(minutes=5)
    access.change_role(store, "rolf", Role.REVIEWER, NOW)
    changed = access.note_activity(store, noted, NOW + timedelta(minutes=10))
    assert changed.role is Role.REVIEWER
    assert store.people.person("rolf") == changed


def test_while_somebody_writes_nothing_is_noted(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(wait_s: float | None = None) -> AbstractContextManager[None]:
        raise StoreBusyError("acme", 0.0)

    rolf = store.people.person("rolf")
    assert rolf is not None
    monkeypatch.setattr(store.ledger, "exclusive", busy)
    assert access.note_activity(store, rolf, NOW) is rolf


def test_a_first_sign_in_is_noted(store: MemoryStore) -> None:
    signed_in = access.authenticate_subject(store, "issuer 2", "RITA@example.com", NOW)
    assert signed_in.person.active_at == NOW
    assert signed_in.person.subject == "issuer 2"
    assert store.people.person("rita") == signed_in.person


def test_what_is_done_after_signing_in_is_noted_under_the_persons_name(store: MemoryStore) -> None:
    with acting_as(Acting("http", address="10.9.9.9")):
        access.authenticate_subject(store, "issuer 2", "rita@example.com", NOW)
        assert present().person == "rita"


def test_the_use_of_a_key_is_noted_every_five_minutes(store: MemoryStore) -> None:
    key, presented = make(store, "rita", Scope.READ)

    def noted_after(minutes: int, seconds: int = 0) -> datetime | None:
        access.authenticate(store, presented, NOW + timedelta(minutes=minutes, seconds=seconds))
        used = store.people.key(key.id)
        return used.used_at if used else None

    assert noted_after(0) == NOW
    assert noted_after(4, 59) == NOW
    assert noted_after(5) == NOW + timedelta(minutes=5)
    assert noted_after(9, 59) == NOW + timedelta(minutes=5)


def test_an_owner_may_go_while_another_stays(store: MemoryStore) -> None:
    access.change_role(store, "olga", Role.OWNER, NOW)
    access.change_role(store, "rita", Role.OWNER, NOW)
    assert access.change_role(store, "olga", Role.READER, NOW).role is Role.READER


def limited(store: MemoryStore, *addresses: str, expires_at: datetime | None = None) -> tuple[ApiKey, str]:
    wish = access.KeyWish("rita", "", frozenset({Scope.READ}), expires_at, addresses)
    return access.make_limited_key(store, wish, NOW, secrets.token_bytes)


@pytest.mark.parametrize(
    ("networks", "address", "is_let_in"),
    [
        (("10.0.0.0/8",), "10.1.2.3", True),
        (("10.0.0.0/8",), "11.1.2.3", False),
        (("10.0.0.0/8", "192.0.2.7"), "192.0.2.7", True),
        (("192.0.2.7",), "192.0.2.8", False),
        (("10.0.0.0/8",), "::ffff:10.1.2.3", True),
        (("10.0.0.0/8",), "::ffff:11.1.2.3", False),
        (("2001:db8::/32",), "2001:db8::1", True),
        (("fe80::/10",), "fe80::1%eth0", True),
        (("fe80::1",), "fe80::1%eth0", True),
        (("fe80::1",), "fe80::2%eth0", False),
        (("2001:db8::/32",), "2001:db9::1", False),
        (("10.0.0.0/8",), "", False),
        (("10.0.0.0/8",), "nowhere", False),
        ((), "", True),
        ((), "203.0.113.9", True),
    ],
)
def test_a_key_is_good_from_its_networks_alone(
    store: MemoryStore, networks: tuple[str, ...], address: str, is_let_in: bool
) -> None:
    _, presented = limited(store, *networks)
    with acting_as(Acting("http", address=address)):
        if is_let_in:
            assert access.authenticate(store, presented, NOW).person.name == "rita"
            assert present().person == "rita"
            return
        with pytest.raises(AccessError) as refused:
            access.authenticate(store, presented, NOW)
    assert str(refused.value) == ("not allowed: the key may not be used from your network; needed: a valid API key")


def test_a_key_runs_out_at_its_moment_and_not_before(store: MemoryStore) -> None:
    end = NOW + timedelta(days=1)
    key, presented = limited(store, " 10.1.2.3/8 ", expires_at=end)
    assert (key.addresses, key.expires_at, key.added_at) == (("10.0.0.0/8",), end, NOW)
    with acting_as(Acting("http", address="10.9.9.9")):
        assert access.authenticate(store, presented, end - timedelta(seconds=1)).person.name == "rita"
        with pytest.raises(AccessError) as refused:
            access.authenticate(store, presented, end)
    assert str(refused.value) == (
        f"not allowed: the key expired at {end.isoformat()}; ask for a new one; needed: a valid API key"
    )


@pytest.mark.parametrize("moment", [NOW, NOW - timedelta(seconds=1)])
def test_a_key_that_has_run_out_already_is_not_made(store: MemoryStore, moment: datetime) -> None:
    with pytest.raises(UsageError) as refused:
        limited(store, expires_at=moment)
    assert str(refused.value) == f"the expiry {moment.isoformat()} is in the past"


def test_what_is_no_network_binds_no_key(store: MemoryStore) -> None:
    with pytest.raises(UsageError) as refused:
        limited(store, "10.0.0.0/8", "the office")
    assert str(refused.value) == "'the office' is neither an address nor a network such as 192.168.1.0/24"


def test_the_log_says_of_whom_and_what(store: MemoryStore) -> None:
    end = NOW + timedelta(days=1)
    rows = {event.n for event in store.security.events(SecurityFilter(limit=100))}
    access.add_person(store, "nora", "nora@example.com", Role.READER, NOW)
    access.add_person(store, "gone", "gone@example.com", Role.READER, NOW)
    access.change_role(store, "rolf", Role.REVIEWER, NOW)
    wish = access.KeyWish("rita", "", frozenset({Scope.READ, Scope.REVIEW}), end, ("10.0.0.0/8", "192.0.2.7"))
    key, presented = access.make_limited_key(store, wish, NOW, secrets.token_bytes)
    with acting_as(Acting("http", address="10.9.9.9")):
        access.authenticate(store, presented, NOW)
        access.authenticate(store, presented, NOW + access.NOTED_EVERY)
    left, _ = make(store, "nora", Scope.READ)
    access.revoke(store, key.id, NOW)
    access.leave(store, "nora", NOW)
    events = [e for e in store.security.events(SecurityFilter(limit=100)) if e.n not in rows]
    assert [(e.kind.value, e.subject, dict(e.detail)) for e in sorted(events, key=lambda e: e.n)] == [
        ("person_added", "nora", {"role": "reader"}),
        ("person_added", "gone", {"role": "reader", "again": "True"}),
        ("role_changed", "rolf", {"role": "reviewer", "before": "reader"}),
        (
            "key_made",
            key.id,
            {
                "of": "rita", "scopes": "read+review", "addresses": "10.0.0.0/8, 192.0.2.7/32",
                "expires_at": end.isoformat(),
            },
        ),
        ("key_first_used", key.id, {"of": "rita"}),
        ("key_made", left.id, {"of": "nora", "scopes": "read"}),
        ("key_revoked", key.id, {"of": "rita"}),
        ("person_left", "nora", {}),
        ("key_revoked", left.id, {"of": "nora"}),
    ]  # fmt: skip
