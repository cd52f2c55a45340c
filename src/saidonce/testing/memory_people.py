"""People, keys, channels and notices in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from saidonce.adapters.postgres.clean import clean, clean_name, cleaned
from saidonce.adapters.postgres.records import activity_of
from saidonce.errors import NotFoundError, StoreCorruptError
from saidonce.foundation.model import Activity, ApiKey, Channel, Notice, Person


class MemoryPeople:
    """Keeps the people of one organisation in memory; see `saidonce.foundation.ports.People`."""

    def __init__(self) -> None:
        self._people: dict[str, Person] = {}
        self._keys: dict[str, ApiKey] = {}
        self._channels: dict[str, Channel] = {}
        self._notices: dict[str, Notice] = {}

    def snapshot(self) -> dict[str, dict[str, Any]]:
        """Give what is kept now."""
        return {name: dict(kept) for name, kept in vars(self).items()}

    def restore(self, kept: dict[str, dict[str, Any]]) -> None:
        """Keep what was kept then."""
        vars(self).update(kept)

    def put_person(self, person: Person) -> None:
        """Add a person, or change the one of that name."""
        self._people[clean_name("person", person.name)] = cleaned(person)

    def people(self) -> tuple[Person, ...]:
        """Give all people, by name."""
        return tuple(p for _, p in sorted(self._people.items()))

    def person(self, name: str) -> Person | None:
        """Give one person, or None."""
        return self._people.get(clean(name))

    def activity(self, names: Sequence[str]) -> tuple[Activity, ...]:
        """Say how active some people are, by name."""
        return tuple(activity_of(name, self._people.get(name)) for name in sorted(set(names)))

    def put_key(self, key: ApiKey) -> None:
        """Add a key, or change the one of that id."""
        key = cleaned(key)
        if key.person not in self._people:
            raise StoreCorruptError("what was written contradicts what is stored (a key without its person)")
        self._keys[key.id] = key

    def key(self, id: str) -> ApiKey | None:
        """Give one key, or None."""
        return self._keys.get(clean(id))

    def keys(self) -> tuple[ApiKey, ...]:
        """Give all keys, by id."""
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
        """Give all channels, by id."""
        return tuple(c for _, c in sorted(self._channels.items()))

    def put_notice(self, notice: Notice) -> None:
        """Add a notice, or change the one of that id."""
        notice = cleaned(notice)
        if notice.channel not in self._channels:
            raise StoreCorruptError("what was written contradicts what is stored (a notice without its channel)")
        self._notices[notice.id] = notice

    def notice(self, id: str) -> Notice | None:
        """Give one notice, or None."""
        return self._notices.get(id)

    def notices(self, channel: str, limit: int = 100) -> tuple[Notice, ...]:
        """Give notices of a channel, newest first."""
        notices = [n for n in self._notices.values() if n.channel == channel]
        return tuple(sorted(notices, key=lambda n: (-n.made_at.timestamp(), n.id))[:limit])
