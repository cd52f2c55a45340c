"""A review of an auto-rater goes on in another process: over real HTTP, with what the first process noted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from benchmarks.rater_server import Rater

from saidonce.adjudication import AutoRater, RaterOptions, Remembering
from saidonce.adjudication.review_notes import LATEST, Noted
from saidonce.errors import StoreUnavailableError
from saidonce.foundation.model import Candidate, Failure, Match, Opinion, Question, ReviewNote, Shown
from saidonce.foundation.text import digest
from saidonce.gate import StoredReviews, StoredRulings
from saidonce.matching.presentation import question_digest
from saidonce.testing import MemoryStore
from world import NOON

QUESTION = Question(
    Candidate("Count the shirts of the northern shop.", "a"),
    (Shown(Match("m1", 0.9, Candidate("Count the boats of the northern shop.", "b"))),),
)


class DeadError(Exception):
    """Stands for a process that ends here."""


class Dying(StoredReviews):
    """Notes what it is told, and dies when it has noted so many reviews, accepted or not."""

    def __init__(self, gates: Any, dies_at: str) -> None:
        super().__init__(gates)
        self._dies_at = dies_at

    def note(self, review: ReviewNote) -> None:
        super().note(review)
        if bool(review.review) == (self._dies_at == "accepted"):
            raise DeadError


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Rater]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    made = Rater(0.0, lambda _payload: "distinct")
    yield made
    made.close()


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore("north")


def rater(server: Rater, notes: StoredReviews, secret: bytes) -> AutoRater:
    return AutoRater(server.url, secret, RaterOptions(20_000, 20, notes=notes))


@pytest.mark.parametrize("dies_at", ["sent", "accepted"])
def test_who_goes_on_pays_for_no_review_twice(server: Rater, store: MemoryStore, dies_at: str) -> None:
    gates = store.gates
    with pytest.raises(DeadError):
        rater(server, Dying(gates, dies_at), b"first secret").rule([QUESTION])
    assert server.paid.total() == (dies_at == "accepted")
    judge = Remembering(rater(server, StoredReviews(gates), b"other secret"), StoredRulings(gates))
    (ruling,) = judge.rule([QUESTION])
    assert (ruling.opinion, ruling.failure) == (Opinion.DISTINCT, None)
    assert server.paid.total() == 1
    assert judge.rule([QUESTION])[0].cached
    assert gates.review(digest(question_digest(QUESTION), judge.name)) is None


def test_a_review_that_the_service_has_lost_is_sent_again(server: Rater, store: MemoryStore) -> None:
    with pytest.raises(DeadError):
        rater(server, Dying(store.gates, "accepted"), b"first secret").rule([QUESTION])
    server.reviews.clear()
    server.by_key.clear()
    (ruling,) = rater(server, StoredReviews(store.gates), b"other secret").rule([QUESTION])
    assert (ruling.opinion, server.paid.total()) == (Opinion.DISTINCT, 2)


def test_a_failed_review_leaves_no_note(server: Rater, store: MemoryStore) -> None:
    server.decides = lambda _payload: "who knows"
    judge = rater(server, notes := StoredReviews(store.gates), b"a secret of it")
    (ruling,) = judge.rule([QUESTION])
    assert ruling.failure is Failure.MALFORMED
    assert notes.open_review(digest(question_digest(QUESTION), judge.name)) is None


def test_a_note_counts_for_a_day() -> None:
    gates = MemoryStore("north").gates
    notes = StoredReviews(gates)
    fresh = Noted.begun(notes, ("q", "r"), "mine", lambda: NOON)
    fresh.sent()
    fresh.accepted("r-1")
    later = Noted.begun(notes, ("q", "r"), "other", lambda: NOON + LATEST - timedelta(seconds=1))
    assert later.review == replace(fresh.review, review="r-1")
    assert Noted.begun(notes, ("q", "r"), "other", lambda: NOON + LATEST).review.nonce == "other"


def test_notes_that_cannot_be_kept_cost_no_ruling(server: Rater) -> None:
    class Broken:
        def open_review(self, key: str) -> ReviewNote | None:
            raise StoreUnavailableError(key)

        def note(self, review: ReviewNote) -> None:
            raise StoreUnavailableError(review.key)

        def drop(self, key: str) -> None:
            raise StoreUnavailableError(key)

    judge = AutoRater(server.url, b"a secret of it", RaterOptions(20_000, 20, notes=Broken()))
    assert judge.rule([QUESTION])[0].opinion is Opinion.DISTINCT
