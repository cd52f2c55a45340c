"""Who may do what: people, roles, keys, and how either is recognised."""

from __future__ import annotations

import hashlib
import secrets
from datetime import UTC, datetime, timedelta

import pytest

from saidonce.errors import AccessError, NotFoundError, UsageError
from saidonce.foundation.model import SCOPES_OF, Role, Scope
from saidonce.platform import access
from saidonce.testing import MemoryDatabase, MemoryStore

NOW = datetime(2026, 1, 17, 14, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)


@pytest.fixture
def store() -> MemoryStore:
    found = MemoryStore("north & south/ost_1")
    access.add_person(found, "olga", "olga@example.com", Role.OWNER, NOW)
    access.add_person(found, "rita", "Rita@example.com", Role.REVIEWER, NOW)
    access.add_person(found, "rolf", "", Role.READER, NOW)
    return found


def key_for(store: MemoryStore, person: str, *scopes: Scope) -> str:
    _, presented = access.make_key(store, person, "a label", scopes, NOW, secrets.token_bytes)
    return presented


def test_a_key_is_recognised_and_its_secret_is_not_kept(store: MemoryStore) -> None:
    key, presented = access.make_key(store, "rita", "laptop", [Scope.READ, Scope.REVIEW], NOW, secrets.token_bytes)
    secret = presented.rsplit("_", 1)[1]
    assert len(bytes.fromhex(secret)) == 32
    assert key.hash == hashlib.sha256(secret.encode()).hexdigest()
    assert secret not in repr(store.people.keys())
    assert access.org_of_key(presented) == store.org
    principal = access.authenticate(store, presented, LATER)
    assert principal.person.name == "rita"
    assert principal.scopes == {Scope.READ, Scope.REVIEW}
    assert access.allowed(principal, Scope.REVIEW)
    assert not access.allowed(principal, Scope.ADMIN)
    with pytest.raises(AccessError, match="scope admin") as refused:
        access.require(principal, Scope.ADMIN)
    assert refused.value.is_known
    assert refused.value.missing == "scope admin"


@pytest.mark.parametrize("org", ["default", "a_b", "ä ö/%2F", "so1_x_" + "0" * 16, "北", "x" * 1000])
def test_every_organisation_can_be_read_from_its_keys(org: str) -> None:
    store = MemoryStore(org)
    access.add_person(store, "ann", "", Role.OWNER, NOW)
    presented = key_for(store, "ann", Scope.ADMIN)
    assert presented.isascii()
    assert access.org_of_key(presented) == org
    assert access.authenticate(store, presented, NOW).person.name == "ann"


def test_chance_is_injected(store: MemoryStore) -> None:
    key, presented = access.make_key(store, "rita", "", [Scope.READ], NOW, lambda n: b"\7" * n)
    assert key.id == "07" * 8
    assert presented.endswith("_" + "07" * 8 + "_" + "07" * 32)


def test_unknown_revoked_and_altered_keys_are_refused(store: MemoryStore) -> None:
    presented = key_for(store, "rita", Scope.READ)
    last = "0" if presented[-1] != "0" else "1"
    other = MemoryStore("elsewhere")
    for wrong in (presented[:-1] + last, presented.replace("so1_", "so1_x"), "", "so1_", presented + "0", "Bearer x"):
        with pytest.raises(AccessError) as refused:
            access.authenticate(store, wrong, LATER)
        assert not refused.value.is_known
        assert len(wrong) < 10 or wrong not in str(refused.value)
    with pytest.raises(AccessError, match="unknown key"):
        access.authenticate(other, presented, LATER)
    key_id = presented.split("_")[-2]
    access.revoke(store, key_id, LATER)
    assert access.revoke(store, key_id, LATER + timedelta(days=1)).revoked_at == LATER
    with pytest.raises(AccessError, match="revoked"):
        access.authenticate(store, presented, LATER)
    with pytest.raises(NotFoundError):
        access.revoke(store, "0" * 16, LATER)


def test_a_key_of_one_organisation_opens_no_other(store: MemoryStore) -> None:
    database = MemoryDatabase()
    north, south = MemoryStore("north", database), MemoryStore("south", database)
    for each in (north, south):
        access.add_person(each, "ann", "", Role.OWNER, NOW)
    key, presented = access.make_key(north, "ann", "", [Scope.READ], NOW, lambda n: b"\1" * n)
    south.people.put_key(key)  # Even the same id and secret: the key names its organisation.
    with pytest.raises(AccessError):
        access.authenticate(south, presented, NOW)
    assert access.authenticate(north, presented, NOW).person.name == "ann"


@pytest.mark.parametrize("role", list(Role))
def test_no_key_has_more_than_its_persons_role(role: Role) -> None:
    store = MemoryStore("north")
    access.add_person(store, "first", "", Role.OWNER, NOW)
    access.add_person(store, "ann", "", role, NOW)
    for scope in Scope:
        if scope in SCOPES_OF[role]:
            assert access.authenticate(store, key_for(store, "ann", scope), NOW).scopes == {scope}
        else:
            with pytest.raises(AccessError, match=str(scope)):
                key_for(store, "ann", scope)
    with pytest.raises(UsageError, match="scope"):
        key_for(store, "ann")


def test_keys_shrink_and_grow_with_the_role(store: MemoryStore) -> None:
    presented = key_for(store, "rita", Scope.READ, Scope.REVIEW)
    access.change_role(store, "rita", Role.READER, NOW)
    assert access.authenticate(store, presented, LATER).scopes == {Scope.READ}
    access.change_role(store, "rita", Role.OWNER, NOW)
    assert access.authenticate(store, presented, LATER).scopes == {Scope.READ, Scope.REVIEW}


def test_whoever_leaves_is_refused_and_comes_back_without_old_keys(store: MemoryStore) -> None:
    presented = key_for(store, "rita", Scope.READ)
    access.leave(store, "rita", LATER)
    with pytest.raises(AccessError, match="revoked"):
        access.authenticate(store, presented, LATER)
    with pytest.raises(NotFoundError):
        access.leave(store, "rita", LATER)
    with pytest.raises(NotFoundError):
        key_for(store, "rita", Scope.READ)
    back = access.add_person(store, "rita", "rita@example.org", Role.READER, LATER)
    assert (back.left_at, back.role, back.added_at) == (None, Role.READER, NOW)
    with pytest.raises(AccessError):
        access.authenticate(store, presented, LATER)


def test_a_key_whose_person_left_is_refused_even_if_it_was_not_revoked(store: MemoryStore) -> None:
    key, presented = access.make_key(store, "rita", "", [Scope.READ], NOW, secrets.token_bytes)
    access.leave(store, "rita", LATER)
    store.people.put_key(key)
    with pytest.raises(AccessError, match="left"):
        access.authenticate(store, presented, LATER)


def test_the_last_owner_stays(store: MemoryStore) -> None:
    with pytest.raises(UsageError, match="last owner"):
        access.leave(store, "olga", LATER)
    with pytest.raises(UsageError, match="last owner"):
        access.change_role(store, "olga", Role.READER, NOW)
    access.change_role(store, "rita", Role.OWNER, NOW)
    access.leave(store, "olga", LATER)


@pytest.mark.parametrize("name", ["", "  ", "policy", "Policy", "a\nb", "a\x1b[31m", "olga"])
def test_names_that_are_none_or_taken_are_refused(store: MemoryStore, name: str) -> None:
    with pytest.raises(UsageError):
        access.add_person(store, name, "", Role.READER, NOW)


@pytest.mark.parametrize("email", ["x", "a@b@c", "a b@c.de", "a@c.de\r\nBcc: x@y.de", "<a@b.de>", "OLGA@example.com"])
def test_addresses_that_are_none_or_taken_are_refused(store: MemoryStore, email: str) -> None:
    with pytest.raises(UsageError):
        access.add_person(store, "new", email, Role.READER, NOW)


def test_single_sign_on_knows_a_person_by_address_once_and_then_by_subject(store: MemoryStore) -> None:
    subject = "https://login.example.com 42"
    principal = access.authenticate_subject(store, subject, "rita@EXAMPLE.com", NOW)
    assert (principal.person.name, principal.scopes) == ("rita", SCOPES_OF[Role.REVIEWER])
    assert access.authenticate_subject(store, subject, "", LATER).person.name == "rita"
    assert access.authenticate_subject(store, subject, "olga@example.com", LATER).person.name == "rita"
    with pytest.raises(AccessError, match="no person"):  # The address was remembered as another subject's.
        access.authenticate_subject(store, "https://login.example.com 43", "rita@example.com", LATER)
    access.leave(store, "rita", LATER)
    with pytest.raises(AccessError, match="left"):
        access.authenticate_subject(store, subject, "", LATER)


@pytest.mark.parametrize(("subject", "email"), [("iss 1", ""), ("iss 1", "eve@example.com"), ("", "olga@example.com")])
def test_single_sign_on_refuses_whom_nobody_added(store: MemoryStore, subject: str, email: str) -> None:
    with pytest.raises(AccessError) as refused:
        access.authenticate_subject(store, subject, email, NOW)
    assert not refused.value.is_known
    assert all(not p.subject for p in store.people.people())


def test_activity_is_noted_but_not_with_every_request(store: MemoryStore) -> None:
    presented = key_for(store, "rita", Scope.READ)

    def active_at() -> datetime | None:
        found = store.people.person("rita")
        assert found is not None
        return found.active_at

    assert active_at() is None
    access.authenticate(store, presented, NOW)
    access.authenticate(store, presented, NOW + timedelta(minutes=4))
    assert active_at() == NOW
    access.authenticate(store, presented, LATER)
    assert active_at() == LATER


def test_who_comes_back_under_another_address_is_not_known_by_the_former_account(store: MemoryStore) -> None:
    access.add_person(store, "sam", "sam@example.com", Role.REVIEWER, NOW)
    access.authenticate_subject(store, "iss 99", "sam@example.com", NOW)
    access.leave(store, "sam", NOW)
    assert access.add_person(store, "sam", "sam@example.com", Role.REVIEWER, LATER).subject == "iss 99"
    access.leave(store, "sam", LATER)
    access.add_person(store, "sam", "another.sam@example.com", Role.REVIEWER, LATER)
    with pytest.raises(AccessError, match="no person"):
        access.authenticate_subject(store, "iss 99", "", LATER)
