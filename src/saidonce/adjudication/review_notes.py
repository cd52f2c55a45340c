"""Notes of reviews in progress, so that a process that continues after a crash does not submit one twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Protocol

from saidonce.errors import StoreError
from saidonce.foundation.model import ReviewNote
from saidonce.foundation.text import digest

LATEST = timedelta(days=1)
"""Age from which a noted review counts no more: its service has forgotten it, or will never finish it."""


class ReviewNotes(Protocol):
    """A store of review notes, one for each key; see `foundation.model.ReviewNote`.

    An implementation drops a note in the transaction that stores the ruling on it.
    """

    def open_review(self, key: str) -> ReviewNote | None:
        """Return the note of a review, or None.

        Raises:
            StoreError: it cannot be read.
        """
        ...

    def note(self, review: ReviewNote) -> None:
        """Store the note of a review, replacing an earlier note of its key.

        Raises:
            StoreError: it cannot be written.
        """
        ...

    def drop(self, key: str) -> None:
        """Drop the note of a finished review.

        Raises:
            StoreError: it cannot be written.
        """
        ...


@dataclass(slots=True)
class Noted:
    """The note of one review; without a store it is kept in memory only.

    If a note cannot be written, a crash may cause another submission, but no ruling is lost.
    """

    notes: ReviewNotes | None
    review: ReviewNote

    @classmethod
    def begun(
        cls, notes: ReviewNotes | None, names: tuple[str, str], nonce: str,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> Noted:  # fmt: skip
        """Return the note of a review in progress, or a new one.

        Args:
            names: of the question, and of the adjudicator.
            nonce: of a new review.
        """
        key, at = digest(*names), now()
        stored: ReviewNote | None = None
        if notes is not None:
            try:
                stored = notes.open_review(key)
            except StoreError:
                stored = None
        if stored is not None and at - stored.at < LATEST:
            return cls(notes, stored)
        return cls(notes, ReviewNote(key, nonce, "", at))

    def sent(self) -> None:
        """Record that the review is about to be submitted, if it was not accepted before."""
        if not self.review.review:
            self._write()

    def accepted(self, review: str) -> None:
        """Record the service's id of the review."""
        self.review = replace(self.review, review=review)
        if review:
            self._write()

    def over(self) -> None:
        """Drop the note."""
        if self.notes is not None:
            try:
                self.notes.drop(self.review.key)
            except StoreError:
                return

    def _write(self) -> None:
        if self.notes is not None:
            try:
                self.notes.note(self.review)
            except StoreError:
                return
