"""Which open issue a new one repeats, told by the built-in embedding model."""

from __future__ import annotations

from datetime import timedelta

import pytest

from saidonce.adapters.embed.minilm import MiniLM
from saidonce.foundation.model.conversation import Category, Issue, PhotoStatus, Urgency
from saidonce.foundation.model.residents import Property, Resident, Tenancy
from saidonce.quality.scenario import NOON
from saidonce.repairs.conversation import Rules
from saidonce.repairs.conversation.duplicates import IssueDuplicates
from saidonce.testing.memory_conversations import MemoryConversations

HOMES = {
    "flat-1": Property("flat-1", "12 Elm Road", "Flat 1"),
    "flat-2": Property("flat-2", "12 elm  road", "Flat 2"),
    "tower": Property("tower", "3 High Street", "9B", "Ash Tower"),
    "tower-2": Property("tower-2", "5 High Street", "1A", "Ash tower"),
    "far": Property("far", "90 Lake Lane"),
}
TAP = ("The kitchen tap drips all night", "kitchen")


@pytest.fixture(scope="module")
def twins() -> IssueDuplicates:
    store = MemoryConversations()
    for n, (id_, home) in enumerate(HOMES.items()):
        store.put_home(home, Resident(f"r{n}", f"Person {n}"), Tenancy(f"t-{id_}", id_, f"r{n}", NOON))
    return IssueDuplicates(store, MiniLM(), Rules())


def issue(id_: str, at: str, said: tuple[str, str], days: float = 0.0) -> Issue:
    return Issue(
        id_, f"turn-{id_}", "c", f"t-{at}", at, *said, Category.PLUMBING, Urgency.ROUTINE, PhotoStatus.DECLINED,
        NOON + timedelta(days=days),
    )  # fmt: skip


CASES = {
    "the same words": ("flat-1", TAP, 1.0, "duplicate", "old"),
    "other words": ("flat-1", ("kitchen tap is dripping the whole night", "kitchen"), 1.0, "duplicate", "old"),
    "freer words": ("flat-1", ("Water keeps dripping from the tap in my kitchen", "kitchen"), 1.0, "review", "old"),
    "another tap": ("flat-1", ("The bathroom tap drips all night", "bathroom"), 1.0, "review", "old"),
    "another problem": ("flat-1", ("The bedroom window does not close", "bedroom"), 1.0, "distinct", ""),
    "the same after a quarter": ("flat-1", TAP, 91.0, "distinct", ""),
    "a neighbour with the same": ("flat-2", TAP, 1.0, "duplicate", "old"),
    "a neighbour after a fortnight": ("flat-2", TAP, 15.0, "distinct", ""),
    "somebody elsewhere": ("far", TAP, 1.0, "distinct", ""),
}


@pytest.mark.parametrize("case", CASES)
def test_an_open_issue_is_recognised(twins: IssueDuplicates, case: str) -> None:
    at, said, days, outcome, of = CASES[case]
    assert twins(issue("new", at, said, days), [issue("old", "flat-1", TAP)]) == (outcome, of)


def test_a_building_may_have_several_addresses(twins: IssueDuplicates) -> None:
    lift = ("The lift is stuck on the second floor", "lift")
    assert twins(issue("new", "tower-2", lift, 1.0), [issue("old", "tower", lift)]) == ("duplicate", "old")


def test_ones_own_flat_comes_before_the_neighbours(twins: IssueDuplicates) -> None:
    old = [issue("a-theirs", "flat-2", TAP), issue("b-ours", "flat-1", TAP)]
    assert twins(issue("new", "flat-1", TAP, 1.0), old) == ("duplicate", "b-ours")


def test_an_issue_is_no_twin_of_itself(twins: IssueDuplicates) -> None:
    old = issue("old", "flat-1", TAP)
    assert twins(old, [old]) == ("distinct", "")
