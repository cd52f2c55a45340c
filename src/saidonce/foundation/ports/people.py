"""Port: people, their keys, and what they are told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from saidonce.foundation.model import Activity, ApiKey, Channel, Notice, Person


class People(Protocol):
    """Keeps the people of one organisation, their keys, channels and notices."""

    def put_person(self, person: Person) -> None:
        """Add a person, or change the one of that name."""
        ...

    def people(self) -> tuple[Person, ...]:
        """Return all people, by name."""
        ...

    def person(self, name: str) -> Person | None:
        """Return one person, or None."""
        ...

    def activity(self, names: Sequence[str]) -> tuple[Activity, ...]:
        """Say how active some people are, by name; of those who are not known, that nothing is known."""
        ...

    def put_key(self, key: ApiKey) -> None:
        """Add a key, or change the one of that id."""
        ...

    def key(self, id: str) -> ApiKey | None:
        """Return one key, or None."""
        ...

    def keys(self) -> tuple[ApiKey, ...]:
        """Return all keys, by id."""
        ...

    def put_channel(self, channel: Channel) -> None:
        """Add a channel, or change the one of that id."""
        ...

    def drop_channel(self, id: str) -> None:
        """Take a channel away, with its notices.

        Raises:
            NotFoundError: there is none.
        """
        ...

    def channels(self) -> tuple[Channel, ...]:
        """Return all channels, by id."""
        ...

    def put_notice(self, notice: Notice) -> None:
        """Add a notice, or change the one of that id."""
        ...

    def notice(self, id: str) -> Notice | None:
        """Return one notice, or None."""
        ...

    def notices(self, channel: str, limit: int = 100) -> tuple[Notice, ...]:
        """Return notices of a channel, newest first."""
        ...
