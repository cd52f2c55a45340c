"""Random programs of ingest, merge, split, edit, approve, removal and undo, for tests of whatever store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from hypothesis import strategies as st

from saidonce.errors import NotFoundError, UsageError
from saidonce.foundation.model import Approval, Block
from saidonce.kb import review
from saidonce.kb.ingest import remove
from saidonce.kb.review import By, Keep
from world import World, world

NAMES = ("a.md", "b.md", "c.md", "d.md")
TEXTS = (
    "Backups of all customer files are kept for thirty days in two regions.",
    "Backups of all customer files are kept for ninety days in two regions.",
    "All customer files have backups which are kept for thirty days in two regions.",
    "Doors are locked at night by the guard on duty.",
    "The guard on duty locks all doors at night.",
    "Invoices are sent on the first working day of the month.",
)

numbers = st.integers(0, 10_000)
steps = st.one_of(
    st.tuples(st.just("ingest"), st.sampled_from(NAMES), st.lists(st.sampled_from(TEXTS), min_size=1, max_size=3)),
    st.tuples(st.just("remove"), st.sampled_from(NAMES)),
    st.tuples(st.just("merge"), numbers, numbers, st.sampled_from(Keep)),
    st.tuples(st.just("split"), numbers, numbers, st.sampled_from(["stay", "go"])),
    st.tuples(st.just("edit"), numbers, st.sampled_from(TEXTS)),
    st.tuples(st.just("approve"), numbers, st.sampled_from(Approval)),
    st.tuples(st.just("own"), numbers, st.sampled_from(["ann", "bob"])),
    st.tuples(st.just("keep_apart"), numbers, numbers),
    st.tuples(st.just("revert"), numbers),
)


@dataclass
class Program:
    """A base under a random program."""

    world: World = field(default_factory=lambda: world(collection_use="canonical", merge_from=0.8))
    by: By = field(default_factory=lambda: By("ann"))

    def blocks(self) -> list[Block]:
        return self.world.blocks() if self.world.base.store.collections() else []

    def state(self) -> list[Block]:
        """All blocks as a reader sees them."""
        return sorted(self.blocks(), key=lambda b: b.id)

    def run(self, name: str, *values: object) -> int:
        """Do one step; give the number of the decision that it made, 0 if none."""
        step: Callable[..., int] = getattr(self, name)
        try:
            return step(*values)
        except (UsageError, NotFoundError):
            return 0

    def ingest(self, name: str, texts: list[str]) -> int:
        self.world.put(name, "# Handbook\n\n" + "\n\n".join(texts))
        return 0

    def remove(self, name: str) -> int:
        remove(self.world.base, "main", name)
        return 0

    def _block(self, number: int) -> Block:
        blocks = self.state()
        if not blocks:
            raise UsageError("the base is empty")
        return blocks[number % len(blocks)]

    def merge(self, a: int, b: int, keep: Keep) -> int:
        return review.merge(self.world.base, self.by, self._block(a).id, self._block(b).id, keep).seq

    def split(self, block: int, member: int, edits: str) -> int:
        whole = self._block(block)
        start, n = member % len(whole.members), 1 + member // 7 % 2
        return review.split(self.world.base, self.by, whole.id, whole.members[start : start + n], edits).seq

    def edit(self, block: int, text: str) -> int:
        return review.edit(self.world.base, self.by, self._block(block).id, text).seq

    def approve(self, block: int, approval: Approval) -> int:
        return review.approve(self.world.base, self.by, self._block(block).id, approval).seq

    def own(self, block: int, owner: str) -> int:
        return review.set_owner(self.world.base, self.by, self._block(block).id, owner).seq

    def keep_apart(self, a: int, b: int) -> int:
        return review.keep_apart(self.world.base, self.by, self._block(a).id, [self._block(b).id]).seq

    def revert(self, number: int) -> int:
        log = [d for d in self.world.base.store.ledger.log() if d.live]
        if not log:
            raise UsageError("nothing was decided")
        return review.revert(self.world.base, self.by, log[number % len(log)].seq).seq
