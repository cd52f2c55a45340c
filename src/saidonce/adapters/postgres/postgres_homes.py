"""Properties, residents, tenancies and the files of residents in PostgreSQL."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from datetime import datetime

from saidonce.adapters.postgres.clean import clean, cleaned
from saidonce.adapters.postgres.connection import Database
from saidonce.adapters.postgres.conversation_steps import last_name, postcode_key
from saidonce.adapters.postgres.postgres_write import Statements
from saidonce.adapters.postgres.records import MediaRow
from saidonce.foundation.model.residents import Home, Property, Resident, Tenancy


class PostgresHomes:
    """Keeps who lives where, of one organisation; see `saidonce.foundation.ports.Conversations`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put_home(self, property: Property, resident: Resident, tenancy: Tenancy) -> None:
        """Add or change a property, a resident and the tenancy that joins them; `ends_at` ends one."""
        with self._database.writing() as cursor:
            statements = Statements(cursor)
            statements.run("enter_org")
            put_rented(statements, cleaned(property))
            put_rented(statements, cleaned(resident))
            put_rented(statements, cleaned(tenancy))

    def homes(self) -> tuple[Home, ...]:
        """Return all tenancies with their properties and residents, ended or not, by tenancy id."""
        return tuple(self._database.nouns(Home, "homes", id=None))

    def home(self, tenancy_id: str) -> Home | None:
        """Return a tenancy with its property and resident, ended or not."""
        homes = self._database.nouns(Home, "homes", id=clean(tenancy_id))
        return homes[0] if homes else None

    def homes_of(self, keys: Sequence[str], phone: str | None, at: datetime) -> tuple[Home, ...]:
        """Return the homes of residents with one of these channel identities or this phone, active, by id."""
        known = clean(phone) if phone else None
        return tuple(self._database.nouns(Home, "homes_of", keys=list(map(clean, keys)), phone=known, at=at))

    def homes_named(self, words: Sequence[str], at: datetime, limit: int = 10) -> tuple[Home, ...]:
        """Return active homes whose postcode or whose resident's last name is a word, by id."""
        return tuple(self._database.nouns(Home, "homes_named", words=list(map(clean, words)), at=at, limit=limit))


class PostgresMedia:
    """Keeps the files of one organisation; see `saidonce.foundation.ports.MediaFiles`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, content: bytes, mime: str) -> str:
        """Keep a file, and give its SHA-256 in 64 lower-case hex digits."""
        sha256 = hashlib.sha256(content).hexdigest()
        if self._database.rows("media_type", sha256=sha256):
            return sha256
        with self._database.writing() as cursor:
            statements = Statements(cursor)
            statements.run("enter_org")
            statements.put("put_media", MediaRow(sha256, clean(mime), content))
        return sha256

    def get(self, sha256: str) -> tuple[bytes, str] | None:
        """Return a file's content and its type, or None."""
        row = next(self._database.stream("media", 1, sha256=clean(sha256)), [])
        return (bytes(row[0][0]), str(row[0][1])) if row else None

    def drop(self, sha256s: Collection[str]) -> int:
        """Remove files; give how many were there."""
        with self._database.writing() as cursor:
            return len(Statements(cursor).run("drop_media", sha256s=sorted(set(sha256s))))


def put_rented(statements: Statements, noun: Property | Resident | Tenancy) -> None:
    """Add or change a property, a resident or a tenancy."""
    match noun:
        case Property():
            statements.put("put_property", noun, postcode_key=postcode_key(noun.postcode))
        case Tenancy():
            statements.put("put_tenancy", noun)
        case Resident():
            statements.put("put_resident", noun, last_name=last_name(noun.name))
            statements.run("drop_contacts", resident_id=noun.id)
            for kind, keys in (("phone", noun.phones), ("identity", noun.external_ids)):
                statements.run("put_contacts", resident_id=noun.id, kind=kind, keys=list(keys))
