"""Port: the pair table, in which it stands what the texts of blocks have to do with their nearest ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from saidonce.foundation.model import Listed, NearBlock, NearText, PairCounts, PairRule, TextPair


class PairTable(Protocol):
    """Keeps the pairs of near texts of one organisation: derived, so it can be dropped at any time.

    A text enters with its first block and goes with its last, and its pairs go with it, in the transaction that
    writes the blocks. Whoever's list was full and loses a text waits for a new list. Writes hold the
    organisation's row lock and do not count as a revision, since nothing that a base says depends on them.
    """

    def n_texts(self) -> int:
        """Count the different texts of live blocks."""
        ...

    def unlisted(self, model: str, similarity_from: float) -> tuple[int, tuple[str, ...]]:
        """Return the number of the last write of lists, and the texts of a model that wait for a list, by name.

        A text waits if its list was never made, or only down to a higher similarity.
        """
        ...

    def full(self) -> dict[str, float]:
        """Return the similarity of the farthest text in each full list, by the list's owner."""
        ...

    def put_lists(
        self, owners: Sequence[str], near: Sequence[NearText], similarity_from: float, after: int
    ) -> Listed | None:
        """Add near texts to lists; of each list the MOST_NEAR nearest stay, ties by name.

        Texts that are gone are passed over; an owner that is to have one of them in its list goes on waiting.

        Args:
            owners: texts whose whole lists these are; they wait no more.
            near: entries of their lists and of others'.
            similarity_from: down to which the owners' lists were made.
            after: number of the write of lists that the caller has seen.

        Returns:
            What it came to; None if somebody else has written meanwhile, and then nothing was written.
        """
        ...

    def unjudged(self, rule: PairRule, limit: int) -> tuple[TextPair, ...]:
        """Return pairs that were not compared, most similar first, then those compared under another rule."""
        ...

    def texts(self, names: Sequence[str]) -> dict[str, str]:
        """Return the words of some texts, by name; those without a live block are left out."""
        ...

    def put_answers(self, answered: Sequence[TextPair]) -> None:
        """Store the comparisons of listed pairs; removed pairs are skipped."""
        ...

    def among(self, names: Sequence[str]) -> tuple[TextPair, ...]:
        """Return the listed pairs both of whose texts are among some, by (a, b)."""
        ...

    def near_block(self, block_id: str) -> tuple[NearBlock, ...]:
        """Return the blocks near a live one, most similar first, ties by text."""
        ...

    def counts(self, rule: PairRule) -> PairCounts:
        """Count texts and pairs, and those that wait."""
        ...

    def listed(self) -> Iterator[Sequence[TextPair]]:
        """Yield batches of all pairs, by (a, b)."""
        ...

    def drop(self) -> None:
        """Drop all pairs; every text waits for its list again."""
        ...
