"""Flow: access control: people of an organisation, their roles and API keys, and authentication of both."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from ipaddress import IPv6Address, ip_address, ip_network
from urllib.parse import quote, unquote

from saidonce.errors import AccessError, NotFoundError, StoreBusyError, UsageError
from saidonce.foundation.model import POLICY, SCOPES_OF, ApiKey, Person, Role, Scope
from saidonce.foundation.model.security import SecurityKind
from saidonce.foundation.ports import Store
from saidonce.foundation.ports.sending import Chance
from saidonce.platform.security_log import noted, present, record

SECRET_BYTES = 32
ID_BYTES = 8
NOTED_EVERY = timedelta(minutes=5)
"""Least time between two notes of a person's activity, so that reading a page rarely writes."""

NO_RESIDENTS = (
    "{name} may not see residents' data: `read` no longer includes conversations, issues, homes and their files; make"
    " a key with 'saidonce keys make NAME --scope residents', for a reviewer or owner"
)

_PRESENTED = re.compile(r"so1_(?P<org>[^\s/?#&]{1,12000})_(?P<id>[0-9a-f]{16})_(?P<secret>[0-9a-f]{64})")
_EMAIL = re.compile(r"[^\s@<>,;:\"()\[\]\\\x00-\x1f\x7f]+@[^\s@<>,;:\"()\[\]\\\x00-\x1f\x7f]+")
_NO_HASH = "0" * 64


@dataclass(frozen=True, slots=True)
class KeyWish:
    """A key that is wanted.

    Attributes:
        person: owner of the key.
        label: purpose of the key.
        scopes: a subset of the scopes of the person's role.
        expires_at: from when on it is no good; None if it does not run out.
        addresses: networks (CIDR) or addresses from which it may be used; empty allows all.
    """

    person: str
    label: str
    scopes: frozenset[Scope]
    expires_at: datetime | None = None
    addresses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Principal:
    """An authenticated person with their present scopes."""

    person: Person
    scopes: frozenset[Scope]


def allowed(principal: Principal, scope: Scope) -> bool:
    """Return whether a principal has a scope."""
    return scope in principal.scopes


def require(principal: Principal, scope: Scope) -> None:
    """Require a scope of a principal.

    Raises:
        AccessError: the principal lacks the scope.
    """
    if not allowed(principal, scope):
        if scope is Scope.RESIDENTS:
            raise AccessError(f"scope {scope}", NO_RESIDENTS.format(name=principal.person.name), is_known=True)
        raise AccessError(f"scope {scope}", f"{principal.person.name} may not do this", is_known=True)


def add_person(store: Store, name: str, email: str, role: Role, now: datetime) -> Person:
    """Add a person, or take back one who left, with the given role and address.

    Args:
        store: of the organisation.
        name: recorded with their decisions in the log.
        email: may be empty; identifies them at their first single sign-on.
        role: determines their scopes.
        now: aware UTC.

    Raises:
        UsageError: the name or the address is taken or invalid.
    """
    name, email = name.strip(), email.strip()
    if not name or not name.isprintable() or name.casefold() == POLICY:
        raise UsageError(f"{name!r} is not a valid name for a person: use printable characters, and not {POLICY!r}")
    if email and not _EMAIL.fullmatch(email):
        raise UsageError(f"{email!r} is not an e-mail address")
    with noted(store, now) as note:
        known = store.people.person(name)
        if known is not None and known.left_at is None:
            raise UsageError(f"a person {name!r} already exists; change their role with 'saidonce people role'")
        if email and any(_same_email(p.email, email) for p in store.people.people() if _is_here(p) and p.name != name):
            raise UsageError(f"the address {email!r} belongs to another person")
        if known is None:
            added = Person(name, email, role, added_at=now)
        else:
            # Another address is another account: the subject of the former one no longer signs in.
            subject = known.subject if _same_email(known.email, email) else ""
            added = replace(known, email=email, role=role, left_at=None, subject=subject)
        store.people.put_person(added)
        note(SecurityKind.PERSON_ADDED, name, role=role, again=known is not None or "")
    return added


def change_role(store: Store, name: str, role: Role, now: datetime) -> Person:
    """Change the role of a person; the scopes of their keys shrink with it at once.

    Raises:
        NotFoundError: nobody here has this name.
        UsageError: no owner would be left.
    """
    with noted(store, now) as note:
        before = _person(store, name)
        changed = replace(before, role=role)
        _check_owner_stays(store, changed)
        store.people.put_person(changed)
        note(SecurityKind.ROLE_CHANGED, name, role=role, before=before.role)
    return changed


def leave(store: Store, name: str, now: datetime) -> Person:
    """Mark a person as gone, and revoke their keys; their decisions stay under their name.

    Raises:
        NotFoundError: nobody here has this name.
        UsageError: no owner would be left.
    """
    with noted(store, now) as note:
        left = replace(_person(store, name), left_at=now)
        _check_owner_stays(store, left)
        store.people.put_person(left)
        note(SecurityKind.PERSON_LEFT, name)
        keys = store.people.keys()
        for key in keys:
            if key.person == name and key.revoked_at is None:
                store.people.put_key(replace(key, revoked_at=now))
                note(SecurityKind.KEY_REVOKED, key.id, of=name)
    return left


def make_key(
    store: Store, person: str, label: str, scopes: Iterable[Scope], now: datetime, chance: Chance
) -> tuple[ApiKey, str]:
    """Create a key; only a hash of its secret is stored, so that it can be shown only now.

    Args:
        store: of the organisation.
        person: owner of the key.
        label: purpose of the key.
        scopes: a subset of the scopes of the person's role.
        now: aware UTC.
        chance: `secrets.token_bytes`.

    Returns:
        The key, and the secret string that its holder presents.

    Raises:
        NotFoundError: nobody here has this name.
        AccessError: the person's role lacks a scope.
        UsageError: no scope is named.
    """
    return make_limited_key(store, KeyWish(person, label, frozenset(scopes)), now, chance)


def make_limited_key(store: Store, wish: KeyWish, now: datetime, chance: Chance) -> tuple[ApiKey, str]:
    """Create a key that may run out, and may be bound to networks; else as `make_key`.

    Raises:
        NotFoundError: nobody here has this name.
        AccessError: the person's role lacks a scope.
        UsageError: no scope is named, it would have run out already, or a network is none.
    """
    person, requested = wish.person, wish.scopes
    if wish.expires_at is not None and wish.expires_at <= now:
        raise UsageError(f"the expiry {wish.expires_at.isoformat()} is in the past")
    addresses = tuple(sorted({_network(each) for each in wish.addresses}))
    secret = chance(SECRET_BYTES).hex()
    with noted(store, now) as note:
        holder = _person(store, person)
        if not requested:
            raise UsageError("give at least one scope: " + ", ".join(Scope))
        if beyond := requested - SCOPES_OF[holder.role]:
            raise AccessError(
                "a role with scope " + ", ".join(sorted(beyond)), f"{person} is {holder.role}", is_known=True
            )
        key = ApiKey(
            chance(ID_BYTES).hex(), person, wish.label.strip(), requested, _hash(secret), added_at=now,
            expires_at=wish.expires_at, addresses=addresses,
        )  # fmt: skip
        store.people.put_key(key)
        note(
            SecurityKind.KEY_MADE, key.id, of=person, scopes="+".join(sorted(requested)),
            addresses=", ".join(addresses), expires_at=wish.expires_at and wish.expires_at.isoformat(),
        )  # fmt: skip
    return key, f"so1_{quote(store.org, safe='')}_{key.id}_{secret}"


def revoke(store: Store, key_id: str, now: datetime) -> ApiKey:
    """Revoke a key for ever; a second time changes nothing.

    Raises:
        NotFoundError: there is no such key.
    """
    with noted(store, now) as note:
        key = store.people.key(key_id)
        if key is None:
            raise NotFoundError("key", key_id, "'saidonce keys list' lists them")
        if key.revoked_at is None:
            key = replace(key, revoked_at=now)
            store.people.put_key(key)
            note(SecurityKind.KEY_REVOKED, key.id, of=key.person)
    return key


def org_of_key(presented: str) -> str:
    """Return the organisation named in a presented key; this proves nothing.

    Raises:
        AccessError: the string is no key.
    """
    return _parts(presented)[0]


def key_id_of(presented: str) -> str:
    """Return the id of a presented key; this proves nothing.

    Raises:
        AccessError: the string is no key.
    """
    return _parts(presented)[1]


def authenticate(store: Store, presented: str, now: datetime) -> Principal:
    """Authenticate the holder of a key, and note their activity.

    The scopes are those of the key that the person's role includes now.

    Raises:
        AccessError: the key is unknown, revoked, run out, or bound to another network, or its person left.
    """
    org, key_id, secret = _parts(presented)
    key = store.people.key(key_id)
    is_right = hmac.compare_digest(_hash(secret), key.hash if key is not None else _NO_HASH)
    if key is None or not is_right or org != store.org:
        raise AccessError("a valid API key", "unknown key")
    check_key(key, now)
    person = store.people.person(key.person)
    if person is None or person.left_at is not None:
        raise AccessError("a valid API key", "the owner of this key has left")
    present().person = person.name
    note_use(store, key, now)
    return Principal(note_activity(store, person, now), key.scopes & SCOPES_OF[person.role])


def check_key(key: ApiKey, now: datetime) -> None:
    """Refuse a key that is no good any more, or not from where its holder is.

    Raises:
        AccessError: it was revoked, has run out, or is bound to other networks.
    """
    if key.revoked_at is not None:
        raise AccessError("a valid API key", "the key was revoked")
    if key.expires_at is not None and key.expires_at <= now:
        raise AccessError("a valid API key", f"the key expired at {key.expires_at.isoformat()}; ask for a new one")
    if key.addresses and not _is_within(present().address, key.addresses):
        raise AccessError("a valid API key", "the key may not be used from your network")


def note_use(store: Store, key: ApiKey, now: datetime) -> None:
    """Note when a key was used, unless noted recently; its first use stands in the security log."""
    if key.used_at is not None and now - key.used_at < NOTED_EVERY:
        return
    if store.security.note_key_use(key.id, now):
        record(store, SecurityKind.KEY_FIRST_USED, now, key.id, of=key.person)


def _network(written: str) -> str:
    try:
        return str(ip_network(written.strip(), strict=False))
    except ValueError:
        raise UsageError(f"{written!r} is neither an address nor a network such as 192.168.1.0/24") from None


def _is_within(address: str, networks: Iterable[str]) -> bool:
    try:
        here = ip_address(address)
    except ValueError:
        return False
    mapped = here.ipv4_mapped if isinstance(here, IPv6Address) else None
    return any((mapped or here) in ip_network(each) for each in networks)


def authenticate_subject(store: Store, subject: str, email: str, now: datetime) -> Principal:
    """Authenticate a person by single sign-on: by subject, or once by a verified address.

    The subject is stored with the person of the address, and identifies them from then on.

    Args:
        store: of the organisation.
        subject: "issuer subject".
        email: empty unless the issuer has verified it.
        now: aware UTC.

    Raises:
        AccessError: nobody in the organisation has the account, or the person left.
    """
    if not subject.strip():
        raise AccessError("a subject", "the sign-in has no subject")
    with store.ledger.exclusive():
        everyone = store.people.people()
        person = next((p for p in everyone if p.subject == subject), None)
        if person is None:
            person = _by_email(everyone, email)
            if person is not None:
                person = replace(person, subject=subject)
                store.people.put_person(person)
    if person is None:
        raise AccessError(
            "an owner who adds you ('saidonce people add NAME EMAIL')",
            f"no person in organisation {store.org!r} has this account"
            + (f" or the address {email!r}" if email else ""),
        )
    if person.left_at is not None:
        raise AccessError("an owner who adds you again", f"{person.name} has left")
    present().person = person.name
    return Principal(note_activity(store, person, now), SCOPES_OF[person.role])


def note_activity(store: Store, person: Person, now: datetime) -> Person:
    """Note the activity of a person, unless noted recently; return the updated person.

    While somebody else writes, nothing is noted: a later request notes it, and reading never waits for a writer.
    """
    if person.active_at is not None and now - person.active_at < NOTED_EVERY:
        return person
    try:
        with store.ledger.exclusive(wait_s=0.0):
            # Do not overwrite a concurrent change of the person.
            fresh = store.people.person(person.name) or person
            noted = replace(fresh, active_at=now)
            store.people.put_person(noted)
    except StoreBusyError:
        return person
    return noted


def _parts(presented: str) -> tuple[str, str, str]:
    match = _PRESENTED.fullmatch(presented)
    if match is None:
        raise AccessError("an API key, so1_...", "this is not an API key")
    org = unquote(match["org"], errors="replace")
    if quote(org, safe="") != match["org"]:
        raise AccessError("an API key, so1_...", "this is not an API key")
    return org, match["id"], match["secret"]


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("ascii")).hexdigest()


def _person(store: Store, name: str) -> Person:
    person = store.people.person(name)
    if person is None or not _is_here(person):
        raise NotFoundError("person", name, "'saidonce people list' lists them")
    return person


def _is_here(person: Person) -> bool:
    return person.left_at is None


def _check_owner_stays(store: Store, changed: Person) -> None:
    owners = {p.name for p in store.people.people() if _is_here(p) and p.role is Role.OWNER}
    stays_owner = _is_here(changed) and changed.role is Role.OWNER
    if owners == {changed.name} and not stays_owner:
        raise UsageError(f"{changed.name} is the last owner; make another person an owner first")


def _by_email(everyone: Iterable[Person], email: str) -> Person | None:
    matches = [p for p in everyone if email and not p.subject and _is_here(p) and _same_email(p.email, email)]
    return matches[0] if len(matches) == 1 else None


def _same_email(one: str, other: str) -> bool:
    return one.casefold() == other.casefold()
