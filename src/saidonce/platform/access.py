"""Flow: who may do what; people of an organisation, their API keys, and how either is recognised."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from urllib.parse import quote, unquote

from saidonce.errors import AccessError, NotFoundError, UsageError
from saidonce.foundation.model import POLICY, SCOPES_OF, ApiKey, Person, Role, Scope
from saidonce.foundation.ports import Store
from saidonce.foundation.ports.sending import Chance

SECRET_BYTES = 32
ID_BYTES = 8
NOTED_EVERY = timedelta(minutes=5)
"""That somebody is active is written down so often at most: a reader shall not write with every page."""

_PRESENTED = re.compile(r"so1_(?P<org>[^\s/?#&]{1,12000})_(?P<id>[0-9a-f]{16})_(?P<secret>[0-9a-f]{64})")
_EMAIL = re.compile(r"[^\s@<>,;:\"()\[\]\\\x00-\x1f\x7f]+@[^\s@<>,;:\"()\[\]\\\x00-\x1f\x7f]+")
_NO_HASH = "0" * 64


@dataclass(frozen=True, slots=True)
class Principal:
    """Somebody who was recognised, with what they may do now."""

    person: Person
    scopes: frozenset[Scope]


def allowed(principal: Principal, scope: Scope) -> bool:
    """Tell whether somebody has a scope."""
    return scope in principal.scopes


def require(principal: Principal, scope: Scope) -> None:
    """Let pass whoever has a scope.

    Raises:
        AccessError: they have not.
    """
    if not allowed(principal, scope):
        raise AccessError(f"scope {scope}", f"{principal.person.name} may not do this", is_known=True)


def add_person(store: Store, name: str, email: str, role: Role, now: datetime) -> Person:
    """Add somebody, or take somebody back who left; they get the role and the address given.

    Args:
        store: of the organisation.
        name: under which their decisions stand in the log.
        email: may be empty; single sign-on recognises them by it once.
        role: what they may do.
        now: aware UTC.

    Raises:
        UsageError: the name or the address is taken, or is none.
    """
    name, email = name.strip(), email.strip()
    if not name or not name.isprintable() or name.casefold() == POLICY:
        raise UsageError(f"{name!r} is no name for a person: it needs printable characters and cannot be {POLICY!r}")
    if email and not _EMAIL.fullmatch(email):
        raise UsageError(f"{email!r} is no e-mail address")
    with store.ledger.exclusive():
        known = store.people.person(name)
        if known is not None and known.left_at is None:
            raise UsageError(f"there is a person {name!r} already; 'saidonce people role' changes what they may do")
        if email and any(_same_email(p.email, email) for p in store.people.people() if _is_here(p) and p.name != name):
            raise UsageError(f"somebody else has the address {email!r}")
        if known is None:
            added = Person(name, email, role, added_at=now)
        else:
            # Another address is another account: whoever signed in with the former one is not let in by it.
            subject = known.subject if _same_email(known.email, email) else ""
            added = replace(known, email=email, role=role, left_at=None, subject=subject)
        store.people.put_person(added)
    return added


def change_role(store: Store, name: str, role: Role) -> Person:
    """Give somebody another role; what their keys are good for shrinks with it at once.

    Raises:
        NotFoundError: nobody here has this name.
        UsageError: no owner would be left.
    """
    with store.ledger.exclusive():
        changed = replace(_person(store, name), role=role)
        _check_owner_stays(store, changed)
        store.people.put_person(changed)
    return changed


def leave(store: Store, name: str, now: datetime) -> Person:
    """Note that somebody left, and revoke their keys; their decisions stay under their name.

    Raises:
        NotFoundError: nobody here has this name.
        UsageError: no owner would be left.
    """
    with store.ledger.exclusive():
        left = replace(_person(store, name), left_at=now)
        _check_owner_stays(store, left)
        store.people.put_person(left)
        keys = store.people.keys()
        for key in keys:
            if key.person == name and key.revoked_at is None:
                store.people.put_key(replace(key, revoked_at=now))
    return left


def make_key(
    store: Store, person: str, label: str, scopes: Iterable[Scope], now: datetime, chance: Chance
) -> tuple[ApiKey, str]:
    """Make a key; only a hash of its secret is kept, so that it can be shown this once.

    Args:
        store: of the organisation.
        person: whose key it is.
        label: what it is for.
        scopes: some of those that the person's role has.
        now: aware UTC.
        chance: `secrets.token_bytes`.

    Returns:
        The key, and what its holder presents.

    Raises:
        NotFoundError: nobody here has this name.
        AccessError: the person's role does not have a scope.
        UsageError: no scope is named.
    """
    wanted = frozenset(scopes)
    secret = chance(SECRET_BYTES).hex()
    with store.ledger.exclusive():
        holder = _person(store, person)
        if not wanted:
            raise UsageError("name at least one scope: " + ", ".join(Scope))
        if beyond := wanted - SCOPES_OF[holder.role]:
            raise AccessError(
                "a role with scope " + ", ".join(sorted(beyond)), f"{person} is {holder.role}", is_known=True
            )
        key = ApiKey(chance(ID_BYTES).hex(), person, label.strip(), wanted, _hash(secret), added_at=now)
        store.people.put_key(key)
    return key, f"so1_{quote(store.org, safe='')}_{key.id}_{secret}"


def revoke(store: Store, key_id: str, now: datetime) -> ApiKey:
    """Revoke a key for ever; a second time changes nothing.

    Raises:
        NotFoundError: there is no such key.
    """
    with store.ledger.exclusive():
        key = store.people.key(key_id)
        if key is None:
            raise NotFoundError("key", key_id, "'saidonce keys list' lists them")
        if key.revoked_at is None:
            key = replace(key, revoked_at=now)
            store.people.put_key(key)
    return key


def org_of_key(presented: str) -> str:
    """Read the organisation from a presented key; this proves nothing.

    Raises:
        AccessError: it is no key.
    """
    return _parts(presented)[0]


def key_id_of(presented: str) -> str:
    """Read the id of a presented key; this proves nothing.

    Raises:
        AccessError: it is no key.
    """
    return _parts(presented)[1]


def authenticate(store: Store, presented: str, now: datetime) -> Principal:
    """Recognise the holder of a key, and note that they are active.

    Scopes are those of the key that the person's role has now.

    Raises:
        AccessError: the key is unknown or revoked, or its person left.
    """
    org, key_id, secret = _parts(presented)
    key = store.people.key(key_id)
    is_right = hmac.compare_digest(_hash(secret), key.hash if key is not None else _NO_HASH)
    if key is None or not is_right or org != store.org:
        raise AccessError("a valid API key", "this key is not known")
    if key.revoked_at is not None:
        raise AccessError("a valid API key", "this key was revoked")
    person = store.people.person(key.person)
    if person is None or person.left_at is not None:
        raise AccessError("a valid API key", "the person of this key left")
    return Principal(active(store, person, now), key.scopes & SCOPES_OF[person.role])


def signed_in(store: Store, subject: str, email: str, now: datetime) -> Principal:
    """Recognise somebody whom single sign-on vouches for: by subject, or once by a verified address.

    The subject is remembered with the address's person, who is known by it from then on.

    Args:
        store: of the organisation.
        subject: "issuer subject".
        email: empty unless the issuer has verified it.
        now: aware UTC.

    Raises:
        AccessError: nobody here is meant, or they left.
    """
    if not subject.strip():
        raise AccessError("a subject", "the sign-in names nobody")
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
            f"nobody of organisation {store.org!r} has this account" + (f" or the address {email!r}" if email else ""),
        )
    if person.left_at is not None:
        raise AccessError("an owner who takes you back", f"{person.name} left")
    return Principal(active(store, person, now), SCOPES_OF[person.role])


def active(store: Store, person: Person, now: datetime) -> Person:
    """Note that somebody is active, unless that was noted just before; give them as they are now."""
    if person.active_at is not None and now - person.active_at < NOTED_EVERY:
        return person
    with store.ledger.exclusive():
        # Whoever changed the person meanwhile must not be overwritten.
        fresh = store.people.person(person.name) or person
        noted = replace(fresh, active_at=now)
        store.people.put_person(noted)
    return noted


def _parts(presented: str) -> tuple[str, str, str]:
    found = _PRESENTED.fullmatch(presented)
    if found is None:
        raise AccessError("an API key, so1_...", "this is no API key")
    org = unquote(found["org"], errors="replace")
    if quote(org, safe="") != found["org"]:
        raise AccessError("an API key, so1_...", "this is no API key")
    return org, found["id"], found["secret"]


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("ascii")).hexdigest()


def _person(store: Store, name: str) -> Person:
    found = store.people.person(name)
    if found is None or not _is_here(found):
        raise NotFoundError("person", name, "'saidonce people list' lists them")
    return found


def _is_here(person: Person) -> bool:
    return person.left_at is None


def _check_owner_stays(store: Store, changed: Person) -> None:
    owners = {p.name for p in store.people.people() if _is_here(p) and p.role is Role.OWNER}
    stays_owner = _is_here(changed) and changed.role is Role.OWNER
    if owners == {changed.name} and not stays_owner:
        raise UsageError(f"{changed.name} is the last owner; make somebody else one first")


def _by_email(everyone: Iterable[Person], email: str) -> Person | None:
    found = [p for p in everyone if email and not p.subject and _is_here(p) and _same_email(p.email, email)]
    return found[0] if len(found) == 1 else None


def _same_email(one: str, other: str) -> bool:
    return one.casefold() == other.casefold()
