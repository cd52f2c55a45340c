"""Properties, residents, tenancies and the files of residents in PostgreSQL."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

from saidonce.adapters.postgres.clean import clean
from saidonce.adapters.postgres.connection import Database
from saidonce.adapters.postgres.conversation_records import MediaRow, PropertyRow, ResidentRow, TalkRow, TenancyRow
from saidonce.adapters.postgres.conversation_rows import (
    cleaned,
    home_of,
    last_name,
    postcode_key,
    property_row,
    resident_row,
    tenancy_row,
)
from saidonce.adapters.postgres.postgres_write import Statements
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
            put_rented(statements, property_row(cleaned(property)))
            put_rented(statements, resident_row(cleaned(resident)))
            put_rented(statements, tenancy_row(cleaned(tenancy)))

    def homes(self) -> tuple[Home, ...]:
        """Give all tenancies with their properties and residents, ended or not, by tenancy id."""
        return tuple(map(home_of, self._database.rows("homes", id=None)))

    def home(self, tenancy_id: str) -> Home | None:
        """Give a tenancy with its property and resident, ended or not."""
        found = self._database.rows("homes", id=clean(tenancy_id))
        return home_of(found[0]) if found else None

    def homes_of(self, keys: Sequence[str], phone: str | None, at: datetime) -> tuple[Home, ...]:
        """Give the homes of residents with one of these channel identities or this phone, active, by id."""
        known = clean(phone) if phone else None
        return tuple(map(home_of, self._database.rows("homes_of", keys=list(map(clean, keys)), phone=known, at=at)))

    def homes_named(self, words: Sequence[str], at: datetime, limit: int = 10) -> tuple[Home, ...]:
        """Give active homes whose postcode or whose resident's last name is a word, by id."""
        found = self._database.rows("homes_named", words=list(map(clean, words)), at=at, limit=limit)
        return tuple(map(home_of, found))


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
            statements.run("put_media", sha256=sha256, mime=clean(mime), content=content)
        return sha256

    def get(self, sha256: str) -> tuple[bytes, str] | None:
        """Give a file's content and its type, or None."""
        found = next(self._database.stream("media", 1, sha256=clean(sha256)), [])
        return (bytes(found[0][0]), str(found[0][1])) if found else None


def put_rented(statements: Statements, row: PropertyRow | ResidentRow | TenancyRow) -> None:
    """Add or change a property, a resident or a tenancy."""
    match row:
        case PropertyRow():
            statements.run("put_property", **values_of(row), postcode_key=postcode_key(row.postcode))
        case TenancyRow():
            statements.run("put_tenancy", **values_of(row))
        case ResidentRow():
            statements.run("put_resident", resident_id=row.resident_id, name=row.name, last_name=last_name(row.name))
            statements.run("drop_contacts", resident_id=row.resident_id)
            for kind, keys in (("phone", row.phones), ("identity", row.external_ids)):
                statements.run("put_contacts", resident_id=row.resident_id, kind=kind, keys=list(keys))


def values_of(row: TalkRow | MediaRow) -> dict[str, Any]:
    """Give a row as query parameters."""
    values = {each.name: getattr(row, each.name) for each in fields(row)}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
