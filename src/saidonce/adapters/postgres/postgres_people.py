"""People, keys, channels and notices in PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from enum import Enum
from typing import Any

from saidonce.adapters.postgres.clean import clean, clean_name
from saidonce.adapters.postgres.connection import Database
from saidonce.adapters.postgres.postgres_write import Writer
from saidonce.adapters.postgres.records import activity_of
from saidonce.errors import NotFoundError
from saidonce.foundation.model import Activity, ApiKey, Channel, Notice, Person


class PostgresPeople:
    """Keeps the people of one organisation in PostgreSQL; see `saidonce.foundation.ports.People`.

    Nothing of this counts as a change of the base: the organisation's revision stays.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def put_person(self, person: Person) -> None:
        """Add a person, or change the one of that name."""
        clean_name("person", person.name)
        self._put("put_person", person)

    def people(self) -> tuple[Person, ...]:
        """Return all people, by name."""
        return tuple(self._database.nouns(Person, "people", names=None))

    def person(self, name: str) -> Person | None:
        """Return one person, or None."""
        people = self._database.nouns(Person, "people", names=[clean(name)])
        return people[0] if people else None

    def activity(self, names: Sequence[str]) -> tuple[Activity, ...]:
        """Say how active some people are, by name."""
        distinct = sorted(set(names))
        known = {p.name: p for p in self._database.nouns(Person, "people", names=distinct)} if distinct else {}
        return tuple(activity_of(name, known.get(name)) for name in distinct)

    def put_key(self, key: ApiKey) -> None:
        """Add a key, or change the one of that id."""
        self._put("put_key", key)

    def key(self, id: str) -> ApiKey | None:
        """Return one key, or None."""
        keys = self._database.nouns(ApiKey, "keys", ids=[clean(id)])
        return keys[0] if keys else None

    def keys(self) -> tuple[ApiKey, ...]:
        """Return all keys, by id."""
        return tuple(self._database.nouns(ApiKey, "keys", ids=None))

    def put_channel(self, channel: Channel) -> None:
        """Add a channel, or change the one of that id."""
        self._put("put_channel", channel)

    def drop_channel(self, id: str) -> None:
        """Take a channel away, with its notices."""
        with self._database.turn() as turn:
            if not Writer(turn).run("drop_channel", id=clean(id)):
                raise NotFoundError("channel", id)

    def channels(self) -> tuple[Channel, ...]:
        """Return all channels, by id."""
        return tuple(self._database.nouns(Channel, "channels"))

    def put_notice(self, notice: Notice) -> None:
        """Add a notice, or change the one of that id."""
        self._put("put_notice", notice)

    def notice(self, id: str) -> Notice | None:
        """Return one notice, or None."""
        notices = self._database.nouns(Notice, "notice_by_id", id=clean(id))
        return notices[0] if notices else None

    def notices(self, channel: str, limit: int = 100) -> tuple[Notice, ...]:
        """Return notices of a channel, newest first."""
        return tuple(self._database.nouns(Notice, "notices", channel=clean(channel), limit=limit))

    def _put(self, query: str, noun: Person | ApiKey | Channel | Notice) -> None:
        with self._database.turn() as turn:
            Writer(turn).run(query, **{name: _plain(value) for name, value in asdict(noun).items()})


def _plain(value: Any) -> Any:
    if isinstance(value, frozenset):
        return sorted(each.value for each in value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple):
        return list(map(_plain, value))
    return clean(value) if isinstance(value, str) else value
