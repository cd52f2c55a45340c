"""The contract of second opinions, kept by every store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from judges import Judge, duplicate
from open_pairs import ALMOST, OTHER, THIRTY
from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.errors import NotFoundError, StoreCorruptError
from saidonce.foundation.context import Context
from saidonce.foundation.model import UNKNOWN, Failure, Opinion, Ruling, SecondOpinion, Verb
from saidonce.foundation.ports import QueueFilter, Store
from saidonce.kb import review
from saidonce.kb.ingest import ingest
from saidonce.kb.second_opinions import ask_second_opinions
from world import NOON, source, wired

Open = Callable[[str], Store]

FULL = Ruling(
    Opinion.DUPLICATE, "0" * 32, "the same \u2028 words \ud800\0", 0.5, "judge", 12, 40, 0.001, cached=True,
    probability=1 / 3,
)  # fmt: skip
SAFE = replace(FULL, reason="the same \u2028 words \ufffd\ufffd")


def wired_on(store: Store) -> Context:
    base = wired(
        store, HashedEmbedder(256), collection_use="canonical", merge_investigate_from=0.5, merge_from=0.99,
        same_from=1.0, gray_zone="settle",
    )  # fmt: skip
    said = {
        "a.md": THIRTY, "b.md": ALMOST, "c.md": OTHER, "d.md": OTHER.replace("at night", "at the night"),
        "e.md": "Parking permits of visitors cost four euros and last for a week.",
        "f.md": "Parking permits of the visitors cost four euros and last for a week.",
    }  # fmt: skip
    ingest(base, [source(name, text) for name, text in said.items()], "main")
    return base


@pytest.fixture
def context(opened: Open, org: str) -> Context:
    return wired_on(opened(org))


def flags(context: Context) -> list[int]:
    return sorted(f.seq for f in context.store.ledger.queue(QueueFilter()))


def opinion(flag: int, likelihood: float | None, n: int = 0) -> SecondOpinion:
    failure = Failure.TIMEOUT if likelihood is None else None
    ruling = Ruling(Opinion.UNSURE, reason=f"r{n}", adjudicator="j", failure=failure, probability=likelihood)
    return SecondOpinion(flag, f"texts {n}", "judge", ruling, NOON + timedelta(seconds=n), n if failure else 0)


def test_what_is_added_is_given_as_it_was(context: Context) -> None:
    a, b, _ = flags(context)
    given = SecondOpinion(a, "t", "judge > rater", SAFE, NOON, 0)
    (first,) = context.store.opinions.add([replace(given, ruling=FULL)])
    assert first == replace(given, seq=1)
    later = context.store.opinions.add([opinion(b, 0.25, 1), opinion(a, None, 2)])
    assert [o.seq for o in later] == [2, 3]
    assert context.store.opinions.on([b, a]) == (first, *later)
    assert context.store.opinions.latest([a, b, 10_000]) == {b: later[0], a: later[1]}
    assert context.store.opinions.outcomes() == {"duplicate": 1, "timeout": 1, "unsure": 1}
    assert context.store.opinions.add([]) == ()
    assert (context.store.opinions.on([]), context.store.opinions.latest([])) == ((), {})


def test_writing_counts_as_a_change_and_reading_does_not(context: Context) -> None:
    before = context.store.rev()
    context.store.opinions.add([opinion(flags(context)[0], 0.5)])
    assert context.store.rev() == before + 1
    context.store.opinions.outcomes()
    assert context.store.rev() == before + 1


def test_an_opinion_needs_its_flag(context: Context) -> None:
    with pytest.raises(NotFoundError):
        context.store.opinions.add([opinion(flags(context)[0], 0.5), opinion(10_000, 0.5)])
    assert context.store.opinions.outcomes() == {}


def test_what_is_rolled_back_was_never_said(context: Context) -> None:
    given = [opinion(flags(context)[0], 0.5)]

    def torn() -> None:
        with context.store.ledger.exclusive():
            context.store.opinions.add(given)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        torn()
    assert context.store.opinions.outcomes() == {}


def test_the_queue_by_likelihood(context: Context) -> None:
    a, b, c = flags(context)
    wanted = QueueFilter(by_likelihood=True)
    ledger = context.store.ledger
    assert [f.seq for f in ledger.queue(wanted)] == [a, b, c], "no judge was asked"
    context.store.opinions.add([opinion(a, 0.1), opinion(b, 0.9), opinion(c, 0.9)])
    assert [f.seq for f in ledger.queue(wanted)] == [b, c, a]
    assert [f.seq for f in ledger.queue(wanted, (0.9, b))] == [c, a]
    assert [f.seq for f in ledger.queue(wanted, (0.9, c), 1)] == [a]
    context.store.opinions.add([opinion(b, None, 1)])
    assert [f.seq for f in ledger.queue(wanted)] == [c, a, b], "the newest counts, and a failure says nothing"
    assert [f.seq for f in ledger.queue(wanted, (0.1, a))] == [b]
    assert ledger.queue(wanted, (UNKNOWN, b)) == ()
    assert [f.seq for f in ledger.queue(replace(wanted, is_open=False))] == []
    assert {f.seq for f in ledger.queue(QueueFilter())} == {a, b, c}


def test_organisations_do_not_see_each_other(opened: Open, org: str) -> None:
    base = wired_on(opened(org))
    base.store.opinions.add([opinion(flags(base)[0], 0.5)])
    other = base.store.of_org(f"{org}-other")
    assert (other.opinions.outcomes(), other.opinions.on(flags(base))) == ({}, ())
    with pytest.raises(NotFoundError):
        other.opinions.add([opinion(flags(base)[0], 0.5)])
    back = other.of_org(org)
    assert back.opinions.outcomes() == {"unsure": 1}


def test_an_export_brings_opinions_along(opened: Open, org: str) -> None:
    base = wired_on(opened(org))
    a, b, _ = flags(base)
    base.store.opinions.add([SecondOpinion(a, "t", "j", FULL, NOON), opinion(b, None, 3), opinion(b, 0.125, 4)])
    lines = list(base.store.dump())
    other = opened(f"{org}-2")
    other.load(lines)
    assert list(other.dump()) == lines
    assert other.opinions.on([a, b]) == base.store.opinions.on([a, b])
    cut = [line for line in lines if b'"row":"flag"' not in line]
    with pytest.raises(StoreCorruptError):
        opened(f"{org}-3").load(cut)


def test_what_an_opinion_settles_can_be_read_and_the_log_stays_whole(context: Context) -> None:
    report = ask_second_opinions(context, Judge(lambda q: replace(duplicate(q), confidence=1, cost=0)))
    assert report.n_merged == 3
    merges = [d for d in context.store.ledger.log() if d.verb is Verb.MERGE]
    assert [d.detail.ruling and d.detail.ruling.confidence for d in merges] == [1.0] * 3
    assert review.rebuild(context).is_sound
    for merge in merges:
        review.revert(context, review.By("ann"), merge.seq)
    assert review.rebuild(context).is_sound
    assert ask_second_opinions(context, Judge(duplicate)).n_merged == 0
