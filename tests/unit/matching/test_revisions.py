"""An index that catches up by revision answers as a full scan of what the store holds, whatever came and went."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from saidonce.foundation.model import Vector
from saidonce.matching.vectors import IndexChange, RevisionIndex, canonical_cosines

DIM = 8


class Rows(RevisionIndex):
    """An index over a log of changes."""

    def catch_up(self, log: Sequence[IndexChange]) -> None:
        newer = list({change.id: change for change in log if change.rev > self.seen}.values())
        for at in range(0, len(newer), 3):
            self._take_in(newer[at : at + 3])

    def forget(self) -> None:
        self._drop_all()

    def nearest(self, partition: str, query: Vector, k: int) -> list[tuple[str, float]]:
        return self._nearest_in(partition, query[None, :], k)[0]


def row(number: int) -> Vector:
    vector = np.random.default_rng(number).standard_normal(DIM)
    unit: Vector = (vector / np.linalg.norm(vector)).astype(np.float32)
    return unit


changes = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.one_of(st.none(), st.integers(0, 4)), st.sampled_from(["", "p", "q"])),
    max_size=25,
)


@settings(deadline=None)
@given(changes, st.integers(1, 6))
def test_it_answers_as_a_full_scan(drawn: list[tuple[str, int | None, str]], step: int) -> None:
    log = [
        IndexChange(id_, rev, None if number is None else row(number), partition)
        for rev, (id_, number, partition) in enumerate(drawn, 1)
    ]
    index = Rows(DIM)
    for end in range(step, len(log) + step, step):
        index.catch_up(log[:end])
    assert index.seen == len(log)
    live = {change.id: change for change in log}
    query = row(99)
    for partition in ("", "p", "q", "never"):
        held = [(c.id, c.vector) for c in live.values() if c.partition == partition and c.vector is not None]
        scanned = [(id_, float(canonical_cosines(query, vector[None, :])[0])) for id_, vector in held]
        assert index.nearest(partition, query, 9) == sorted(scanned, key=lambda hit: (-hit[1], hit[0]))
    assert len(index) == sum(change.vector is not None for change in live.values())


def test_what_is_forgotten_is_taken_in_anew() -> None:
    log = [IndexChange("a", 1, row(1)), IndexChange("b", 2, row(2), "p")]
    index = Rows(DIM)
    index.catch_up(log)
    index.forget()
    assert (len(index), index.seen, index.nearest("p", row(3), 1)) == (0, 0, [])
    index.catch_up(log)
    assert index.seen == 2
    assert [id_ for id_, _ in index.nearest("p", row(3), 1)] == ["b"]
