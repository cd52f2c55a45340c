"""What is noted of a review while it is under way, so that a process that goes on after another sends it only once."""

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
    """Notes of reviews, one a key; see `foundation.model.ReviewNote`.

    Whoever keeps them drops a note in the moment in which the ruling on it is remembered.
    """

    def open_review(self, key: str) -> ReviewNote | None:
        """Return the note of a review, or None.

        Raises:
            StoreError: it cannot be read.
        """
        ...

    def note(self, review: ReviewNote) -> None:
        """Note a review, in place of an earlier note of its key.

        Raises:
            StoreError: it cannot be written.
        """
        ...

    def drop(self, key: str) -> None:
        """Drop the note of a review; it is over.

        Raises:
            StoreError: it cannot be written.
        """
        ...


@dataclass(slots=True)
class Noted:
    """The note of one review; without a place for notes it is held in memory alone.

    A note that cannot be written costs another submission after a crash, and no ruling.
    """

    notes: ReviewNotes | None
    review: ReviewNote

    @classmethod
    def begun(
        cls, notes: ReviewNotes | None, names: tuple[str, str], nonce: str,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> Noted:  # fmt: skip
        """Return the note of a review that is under way, or a new one.

        Args:
            names: of the question, and of who rules.
            nonce: of a new review.
        """
        key, at = digest(*names), now()
        known: ReviewNote | None = None
        if notes is not None:
            try:
                known = notes.open_review(key)
            except StoreError:
                known = None
        if known is not None and at - known.at < LATEST:
            return cls(notes, known)
        return cls(notes, ReviewNote(key, nonce, "", at))

    def sent(self) -> None:
        """Note that the review is about to be sent, if it was not accepted before."""
        if not self.review.review:
            self._write()

    def accepted(self, review: str) -> None:
        """Note the service's id of the review."""
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
