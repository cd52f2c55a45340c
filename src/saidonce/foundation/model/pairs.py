"""Texts of blocks that are near each other, and what was found when two of them were compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from saidonce.foundation.model.nouns import Kind, Objection
from saidonce.foundation.model.verdicts import Equivalence, Rewording

MOST_NEAR = 20
"""Nearest texts that are listed for one text."""


def text_id(text_key: str, kind: Kind, language: str) -> str:
    """Name a text as it is compared: the words, by their embedding, with kind and language.

    Blocks whose texts have one name are one text, however many documents they stand in.
    """
    return f"{text_key} {kind.value} {language}"


def split_text_id(name: str) -> tuple[str, Kind, str]:
    """Return the embedding's key, the kind and the language in the name of a text."""
    text_key, kind, language = name.split(" ", 2)
    return text_key, Kind(kind), language


@dataclass(frozen=True, slots=True)
class NearText:
    """A text that is among the MOST_NEAR nearest of another, the owner of the list.

    Attributes:
        similarity: canonical cosine.
    """

    owner: str
    other: str
    similarity: float


@dataclass(frozen=True, slots=True)
class TextPair:
    """Two different texts, one of which is among the nearest of the other, and what their comparison found.

    Attributes:
        a, b: names of the texts, `a` first by the alphabet.
        similarity: canonical cosine.
        guards: version of the guards that compared them; empty while nobody has.
        agreement: the guards' answer, a value of `Agreement`; empty while there is none.
        objections: differing values; `a` first.
        unaccounted: what one text states and nothing in the other bears out; `a` first.
        judge: name of the judge that was there, None without one; it is heard about open pairs only.
        judged: the answer after the judge, a value of `Agreement`; None where it was not asked.
        answers: what the judge was asked, and its answers.
    """

    a: str
    b: str
    similarity: float
    guards: str = ""
    agreement: str = ""
    objections: tuple[Objection, ...] = ()
    unaccounted: tuple[Objection, ...] = ()
    judge: str | None = None
    judged: str | None = None
    answers: tuple[tuple[Rewording, Equivalence], ...] = ()


@dataclass(frozen=True, slots=True)
class PairRule:
    """Who compares texts at present; what others found is stale.

    Attributes:
        similarity_from: lowest canonical similarity of texts that are listed.
        guards: version of the guards.
        judge: name of the judge, None without one; it is heard about open pairs only.
    """

    similarity_from: float
    guards: str
    judge: str | None = None

    def holds(self, pair: TextPair) -> bool:
        """Return whether a stored comparison is still valid."""
        return pair.guards == self.guards and (pair.agreement != "open" or pair.judge == self.judge)


@dataclass(frozen=True, slots=True)
class PairCounts:
    """How far the pair table has come.

    Attributes:
        n_texts: different texts of live blocks; `n_unlisted` of them wait for their list of near texts.
        n_pairs: listed pairs; `n_unjudged` of them wait to be compared, or to be compared again.
    """

    n_texts: int
    n_unlisted: int
    n_pairs: int
    n_unjudged: int

    @property
    def n_waiting(self) -> int:
        """Texts and pairs that wait."""
        return self.n_unlisted + self.n_unjudged


@dataclass(frozen=True, slots=True)
class Listed:
    """What a write of lists has come to.

    Attributes:
        step: number of the write.
        full: similarity of the farthest text in each changed list that is full, by its owner.
    """

    step: int
    full: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class NearBlock:
    """A block whose text is near that of another block.

    Attributes:
        pair: with the other block's own text on the side `is_a` says.
        block_id: of the block that is near; the first by id where several have its text.
        n_blocks: how many have it.
    """

    pair: TextPair
    is_a: bool
    block_id: str
    n_blocks: int
