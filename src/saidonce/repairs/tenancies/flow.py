"""Import homes from a table, end and resume tenancies, and name residents for the web chat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from saidonce.errors import NotFoundError, UsageError
from saidonce.foundation.model.residents import Home, Tenancy, Via
from saidonce.foundation.ports.conversations import Conversations
from saidonce.foundation.ports.sending import Chance
from saidonce.repairs.tenancies.sheet import HomeRow, TenancySheet

NAME_BYTES = 12
ENDING = 4
"""Last digits of a number, for display."""


class RowChange(StrEnum):
    """Effect of a line of the table."""

    ADDED = "added"
    CHANGED = "changed"
    SAME = "same"


@dataclass(frozen=True, slots=True)
class Planned:
    """A line, its effect, and the resulting home."""

    row: HomeRow
    change: RowChange
    home: Home


@dataclass(frozen=True, slots=True)
class TenancyImport:
    """Number of lines by effect."""

    n_added: int
    n_changed: int
    n_same: int


@dataclass(frozen=True, slots=True)
class SharedPhone:
    """A line with a number that another resident has at the same time; families share phones, so it is no flaw.

    Attributes:
        ending: last digits of the number.
        other: name and home of the other resident.
    """

    line: int
    ending: str
    other: str

    def __str__(self) -> str:
        return f"line {self.line}: phones: the number ending in {self.ending} is also that of {self.other}"


def plan(store: Conversations, sheet: TenancySheet) -> tuple[Planned, ...]:
    """Return the effects of importing a table, without writing anything; in the order of lines.

    Channel identities proven for a resident stay, whatever the table says.
    """
    stored = {h.tenancy.id: h for h in store.homes()}
    proven = {h.resident.id: h.resident.external_ids for h in stored.values()}
    return tuple(_planned(row, stored.get(row.home.tenancy.id), proven) for row in sheet.rows)


def shared_phones(store: Conversations, planned: Sequence[Planned]) -> tuple[SharedPhone, ...]:
    """Return the lines with a number of another resident, stored or in the table, at the same time; in order of lines.

    A writer with such a number is asked for the home, so that nobody is mistaken for another.
    """
    homes = {h.tenancy.id: h for h in store.homes()} | {p.home.tenancy.id: p.home for p in planned}
    by_phone: dict[str, list[Home]] = {}
    for home in homes.values():
        for phone in home.resident.phones:
            by_phone.setdefault(phone, []).append(home)
    shared = {
        SharedPhone(each.row.line, phone[-ENDING:], f"{other.resident.name} ({other.property.line})"): None
        for each in planned
        for phone in each.home.resident.phones
        for other in by_phone[phone]
        if other.resident.id != each.home.resident.id and _overlap(each.home.tenancy, other.tenancy)
    }
    return tuple(shared)


def import_homes(store: Conversations, planned: Sequence[Planned]) -> TenancyImport:
    """Store planned homes; the same table again changes nothing."""
    for each in planned:
        if each.change is not RowChange.SAME:
            store.put_home(each.home.property, each.home.resident, each.home.tenancy)
    counts = {change: sum(p.change is change for p in planned) for change in RowChange}
    return TenancyImport(counts[RowChange.ADDED], counts[RowChange.CHANGED], counts[RowChange.SAME])


def end(store: Conversations, tenancy_id: str, at: datetime) -> Home:
    """End a tenancy; from then on its resident must identify again.

    Raises:
        NotFoundError: no such tenancy.
        UsageError: it ended before.
    """
    home = _home(store, tenancy_id)
    if home.tenancy.ends_at is not None and home.tenancy.ends_at <= at:
        raise UsageError(f"tenancy {tenancy_id!r} ended on {home.tenancy.ends_at:%Y-%m-%d}")
    return _put(store, replace(home, tenancy=replace(home.tenancy, ends_at=at)))


def resume(store: Conversations, tenancy_id: str) -> Home:
    """Undo the end of a tenancy.

    Raises:
        NotFoundError: no such tenancy.
        UsageError: it has no end.
    """
    home = _home(store, tenancy_id)
    if home.tenancy.ends_at is None:
        raise UsageError(f"tenancy {tenancy_id!r} has no end to undo")
    return _put(store, replace(home, tenancy=replace(home.tenancy, ends_at=None)))


def chat_name(store: Conversations, tenancy_id: str, chance: Chance, renew: bool = False) -> str:
    """Return a resident's name for the web page, made at the first request.

    Args:
        store: of the organisation.
        tenancy_id: of the resident.
        chance: `secrets.token_bytes`.
        renew: make another one; links with the former one become invalid.

    Raises:
        NotFoundError: no such tenancy.
    """
    home = _home(store, tenancy_id)
    begins = f"{Via.WEB}:"
    known = [key for key in home.resident.external_ids if key.startswith(begins)]
    if known and not renew:
        return known[0].removeprefix(begins)
    name = chance(NAME_BYTES).hex()
    others = tuple(key for key in home.resident.external_ids if key not in known)
    _put(store, replace(home, resident=replace(home.resident, external_ids=(f"{begins}{name}", *others))))
    return name


def _planned(row: HomeRow, stored: Home | None, proven: dict[str, tuple[str, ...]]) -> Planned:
    resident = replace(row.home.resident, external_ids=proven.get(row.home.resident.id, ()))
    home = replace(row.home, resident=resident)
    change = RowChange.ADDED if stored is None else RowChange.SAME if stored == home else RowChange.CHANGED
    return Planned(row, change, home)


def _overlap(one: Tenancy, other: Tenancy) -> bool:
    return all(a.ends_at is None or a.ends_at > b.starts_at for a, b in ((one, other), (other, one)))


def _home(store: Conversations, tenancy_id: str) -> Home:
    home = store.home(tenancy_id)
    if home is None:
        raise NotFoundError("tenancy", tenancy_id)
    return home


def _put(store: Conversations, home: Home) -> Home:
    store.put_home(home.property, home.resident, home.tenancy)
    return home
