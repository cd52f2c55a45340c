"""Small bases in which pairs wait for a person."""

from __future__ import annotations

import re

from saidonce.foundation.model import Block, Flag
from saidonce.foundation.ports import QueueFilter
from saidonce.kb import review
from saidonce.kb.review import By
from world import World, world

THIRTY = "Backups of all customer files are kept for thirty days in two regions."
AGAIN = "All customer files have backups which are kept for thirty days in two regions."
FORTY = "Backups of all customer files are kept for forty days in two regions."
ALMOST = "Backups of all the customer files are kept for thirty days in two regions."
OTHER = "Doors are locked at night by the guard on duty."


def doubting(**settings: object) -> World:
    return world(
        **{
            "collection_use": "canonical",
            "merge_investigate_from": 0.5,
            "merge_from": 0.99,
            "same_from": 1.0,
            **settings,
        }
    )


def flag_of(w: World) -> Flag:
    return w.base.store.ledger.queue(QueueFilter())[0]


def n_decisions(w: World) -> int:
    return len(list(w.base.store.ledger.log()))


def block(w: World, content: str) -> Block:
    return next(b for b in w.blocks() if b.text == content)


def three_pairs(w: World) -> None:
    for number, said in enumerate([THIRTY, OTHER, "Parking permits of visitors cost four euros and last for a week."]):
        w.put(f"{number}a.md", said)
        w.put(f"{number}b.md", re.sub("(of|at) (all|night|visitors)", r"\1 the \2", said).replace("the all", "all the"))


def clustered_base() -> World:
    """A flag whose kept block has two texts."""
    w = doubting()
    w.put("0.md", THIRTY)
    w.put("1.md", AGAIN)
    first = flag_of(w)
    review.merge(w.base, By("ann", flag=first.seq), first.of, first.candidate)
    w.put("2.md", FORTY)
    return w
