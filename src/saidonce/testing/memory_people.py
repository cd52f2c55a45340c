"""People, keys, channels and notices in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from saidonce.adapters.postgres.clean import clean, clean_name, cleaned
from saidonce.adapters.postgres.people_rows import (
    ChannelRow,
    KeyRow,
    channel_of_row,
    channel_row_of,
    key_of_row,
    key_row_of,
)
from saidonce.adapters.postgres.records import (
    activity_of,
)
from saidonce.errors import NotFoundError, StoreCorruptError
from saidonce.foundation.model import Activity, ApiKey, Channel, Notice, Person
from saidonce.foundation.model.security import SecurityEvent

PEOPLE_NOUNS = (Person, KeyRow, ChannelRow, Notice)


class MemoryPeople:
    """Keeps the people of one organisation in memory; see `saidonce.foundation.ports.People`."""

    def __init__(self) -> None:
        self._people: dict[str, Person] = {}
        self._keys: dict[str, ApiKey] = {}
        self._channels: dict[str, Channel] = {}
        self._notices: dict[str, Notice] = {}
        self.log: dict[int, SecurityEvent] = {}

    def rows(self) -> Iterator[object]:
        """Yield everything as rows of an export."""
        yield from self._people.values()
        yield from (key_row_of(key) for key in self._keys.values())
        yield from (channel_row_of(channel) for channel in self._channels.values())
        yield from self._notices.values()

    def load(self, rows: Iterable[object]) -> None:
        """Take in rows of an export; what is there already stays."""
        for row in rows:
            match row:
                case Person():
                    self._people.setdefault(row.name, row)
                case KeyRow():
                    self._keys.setdefault(row.id, key_of_row(row))
                case ChannelRow():
                    self._channels.setdefault(row.id, channel_of_row(row))
                case Notice():
                    self._notices.setdefault(row.id, row)

    def note_key_use(self, key: str, at: datetime) -> bool:
        """Note that a key was used; tell whether it was the first time."""
        key_row = self._keys.get(key)
        if key_row is None or (key_row.used_at is not None and key_row.used_at >= at):
            return False
        self._keys[key] = replace(key_row, used_at=at)
        return key_row.used_at is None

    def snapshot(self) -> dict[str, dict[str, Any]]:
        """Return what is kept now."""
        return {name: dict(kept) for name, kept in vars(self).items()}

    def restore(self, kept: dict[str, dict[str, Any]]) -> None:
        """Keep what was kept then."""
        vars(self).update(kept)

    def put_person(self, person: Person) -> None:
        """Add a person, or change the one of that name."""
        self._people[clean_name("person", person.name)] = cleaned(person)

    def people(self) -> tuple[Person, ...]:
        """Return all people, by name."""
        return tuple(p for _, p in sorted(self._people.items()))

    def person(self, name: str) -> Person | None:
        """Return one person, or None."""
        return self._people.get(clean(name))

    def activity(self, names: Sequence[str]) -> tuple[Activity, ...]:
        """Return how active some people are, by name."""
        return tuple(activity_of(name, self._people.get(name)) for name in sorted(set(names)))

    def put_key(self, key: ApiKey) -> None:
        """Add a key, or change the one of that id."""
        key = cleaned(key)
        if key.person not in self._people:
            raise StoreCorruptError("what was written contradicts what is stored (a key without its person)")
        earlier = self._keys.get(key.id)
        self._keys[key.id] = replace(key, used_at=None if earlier is None else earlier.used_at)

    def key(self, id: str) -> ApiKey | None:
        """Return one key, or None."""
        return self._keys.get(clean(id))

    def keys(self) -> tuple[ApiKey, ...]:
        """Return all keys, by id."""
        return tuple(k for _, k in sorted(self._keys.items()))

    def put_channel(self, channel: Channel) -> None:
        """Add a channel, or change the one of that id."""
        self._channels[clean(channel.id)] = cleaned(channel)

    def drop_channel(self, id: str) -> None:
        """Take a channel away, with its notices."""
        if self._channels.pop(id, None) is None:
            raise NotFoundError("channel", id)
        self._notices = {key: n for key, n in self._notices.items() if n.channel != id}

    def channels(self) -> tuple[Channel, ...]:
        """Return all channels, by id."""
        return tuple(c for _, c in sorted(self._channels.items()))

    def put_notice(self, notice: Notice) -> None:
        """Add a notice, or change the one of that id."""
        notice = cleaned(notice)
        if notice.channel not in self._channels:
            raise StoreCorruptError("what was written contradicts what is stored (a notice without its channel)")
        self._notices[notice.id] = notice

    def notice(self, id: str) -> Notice | None:
        """Return one notice, or None."""
        return self._notices.get(id)

    def notices(self, channel: str, limit: int = 100) -> tuple[Notice, ...]:
        """Return notices of a channel, newest first."""
        notices = [n for n in self._notices.values() if n.channel == channel]
        return tuple(sorted(notices, key=lambda n: (-n.made_at.timestamp(), n.id))[:limit])
