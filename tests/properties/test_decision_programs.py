"""Random programs of ingest, merge, split, edit, approve, removal and undo: blocks are always the fold of the log."""

from __future__ import annotations

import os
from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from programs import Program, steps
from saidonce.foundation.model import Verb
from saidonce.kb import review

N_PROGRAMS = int(os.environ.get("TEST_PROGRAMS", "60"))
"""`make proofs` runs 2,000."""


@settings(max_examples=N_PROGRAMS, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(steps, min_size=1, max_size=14))
def test_blocks_are_the_fold_of_the_log_and_every_decision_can_be_taken_back(program: list[tuple[object, ...]]) -> None:
    running = Program()
    for name, *values in program:
        before = running.state()
        seq = running.run(str(name), *values)
        after = running.state()
        if seq:
            review.revert(running.world.base, running.by, seq)
            assert running.state() == before, f"{name} was not taken back exactly"
            undone = next(iter(running.world.base.store.ledger.decisions([Verb.REVERT], limit=1)))
            review.revert(running.world.base, running.by, undone.seq)
            assert running.state() == after, f"taking back the undo of {name} did not restore it"
    report = review.rebuild(running.world.base)
    assert report.is_sound, report
    everything_supported(running)
    again = replace(running.world, base=running.world.base)
    assert running.state() == sorted(again.blocks(), key=lambda b: b.id)


def everything_supported(running: Program) -> None:
    """No live segment is lost: each supports exactly one block, and every block's members resolve to it."""
    store = running.world.base.store
    held = [m for b in running.blocks() for m in b.members]
    assert len(held) == len(set(held))
    withdrawn = {d.members[0] for d in store.ledger.log() if d.verb is Verb.EDIT and not d.live}
    documents = [d.id for c in store.collections() for d in store.documents(c.name)]
    there = set(store.ledger.members_of(documents=documents)) - withdrawn
    edits = {d.members[0] for d in store.ledger.log() if d.verb is Verb.EDIT}
    assert set(held) <= there
    assert there - set(held) <= edits, "only what people wrote goes, with all in whose place it stands"
    bound = bound_together(running)
    for block in running.blocks():
        assert len({bound.get(m, m) for m in block.members}) == 1, "texts share a block that no live decision joins"
        for member in block.members:
            assert review.current_block(store, member).id == block.id


def bound_together(running: Program) -> dict[str, str]:
    """A name for each text that live merges and edits bind, the same for all that they bind together."""
    name: dict[str, str] = {}
    for d in running.world.base.store.ledger.log():
        if d.live and d.verb in (Verb.MERGE, Verb.EDIT):
            joined = {name.get(m, m) for m in d.members}
            name.update({m: min(joined) for m in (*name, *d.members) if name.get(m, m) in joined})
    return name
