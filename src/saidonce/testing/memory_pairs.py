"""The pair table in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from threading import RLock

from saidonce.adapters.postgres.records import BlockRow
from saidonce.foundation.model import (
    MOST_NEAR,
    Listed,
    NearBlock,
    NearText,
    PairCounts,
    PairRule,
    TextPair,
    text_id,
)
from saidonce.testing.memory_state import OrgState

_NEVER = 2.0
"""Similarity down to which a text is listed that has no list."""


@dataclass(slots=True)
class PairState:
    """What an organisation's pair table holds; `lists` has the nearest texts with their similarities, by owner."""

    listed_from: dict[str, float] = field(default_factory=dict)
    lists: dict[str, dict[str, float]] = field(default_factory=dict)
    answers: dict[tuple[str, str], TextPair] = field(default_factory=dict)
    step: int = 0


class MemoryPairs:
    """Keeps the pair table of one organisation in memory; see `saidonce.foundation.ports.PairTable`.

    Args:
        now: gives the organisation's state.
        state: what is kept of the table; brought in line with the blocks before every answer.
        lock: of the database.
    """

    def __init__(self, now: Callable[[], OrgState], state: PairState, lock: RLock) -> None:
        self._now = now
        self._state = state
        self._lock = lock

    def n_texts(self) -> int:
        """Count the different texts of live blocks."""
        return len(self._blocks())

    def unlisted(self, model: str, similarity_from: float) -> tuple[int, tuple[str, ...]]:
        """Return the number of the last write of lists, and the texts of a model that wait for a list."""
        live = self._blocks()
        waiting = (name for name, at in self._state.listed_from.items() if at > similarity_from)
        return self._state.step, tuple(sorted(name for name in waiting if live[name][0].model == model))

    def full(self) -> dict[str, float]:
        """Return the similarity of the farthest text in each full list."""
        self._blocks()
        return {owner: min(row.values()) for owner, row in self._state.lists.items() if len(row) >= MOST_NEAR}

    def put_lists(
        self, owners: Sequence[str], near: Sequence[NearText], similarity_from: float, after: int
    ) -> Listed | None:
        """Add near texts to lists; None if somebody else has written meanwhile."""
        with self._lock:
            known, state = self._blocks().keys(), self._state
            if state.step != after:
                return None
            short = {n.owner for n in near if n.other not in known}
            changed = {n.owner for n in near if {n.owner, n.other} <= known}
            for n in near:
                if {n.owner, n.other} <= known:
                    state.lists.setdefault(n.owner, {})[n.other] = n.similarity
            for owner in changed:
                nearest = sorted(state.lists[owner].items(), key=lambda entry: (-entry[1], entry[0]))
                state.lists[owner] = dict(nearest[:MOST_NEAR])
            for owner in known & set(owners) - short:
                state.listed_from[owner] = similarity_from
            there = {(pair.a, pair.b) for pair in self._pairs()}
            state.answers = {key: pair for key, pair in state.answers.items() if key in there}
            state.step += 1
            return Listed(state.step, {owner: at for owner, at in self.full().items() if owner in changed})

    def unjudged(self, rule: PairRule, limit: int) -> tuple[TextPair, ...]:
        """Return pairs that nobody compared, or others than the rule's."""
        waiting = (pair for pair in self._pairs() if not rule.holds(pair))
        return tuple(sorted(waiting, key=lambda p: (p.guards, -p.similarity, p.a, p.b))[:limit])

    def texts(self, names: Sequence[str]) -> dict[str, str]:
        """Return the words of some texts, by name."""
        live, segments = self._blocks(), self._now().segments
        return {name: segments[live[name][0].block_id].text for name in sorted(set(names)) if name in live}

    def put_answers(self, answered: Sequence[TextPair]) -> None:
        """Note what the comparison of listed pairs found."""
        with self._lock:
            there = {(pair.a, pair.b) for pair in self._pairs()}
            self._state.answers.update(((p.a, p.b), p) for p in answered if (p.a, p.b) in there)

    def among(self, names: Sequence[str]) -> tuple[TextPair, ...]:
        """Return the listed pairs both of whose texts are among some."""
        distinct = set(names)
        return tuple(pair for pair in self._pairs() if {pair.a, pair.b} <= distinct)

    def near_block(self, block_id: str) -> tuple[NearBlock, ...]:
        """Return the blocks near a live one."""
        block, live = self._now().blocks.get(block_id), self._blocks()
        if block is None:
            return ()
        own = _text_of(block)
        near = []
        for pair in self._pairs():
            if own in (pair.a, pair.b):
                others = live[pair.b if pair.a == own else pair.a]
                near.append(NearBlock(pair, pair.a == own, others[0].block_id, len(others)))
        return tuple(sorted(near, key=lambda n: (-n.pair.similarity, n.pair.a, n.pair.b)))

    def counts(self, rule: PairRule) -> PairCounts:
        """Count texts and pairs, and those that wait."""
        pairs = self._pairs()
        listed_from = self._state.listed_from.values()
        n_unlisted = sum(at > rule.similarity_from for at in listed_from)
        return PairCounts(len(listed_from), n_unlisted, len(pairs), sum(not rule.holds(pair) for pair in pairs))

    def listed(self) -> Iterator[Sequence[TextPair]]:
        """Yield all pairs in one batch."""
        if pairs := self._pairs():
            yield pairs

    def drop(self) -> None:
        """Drop all pairs; every text waits for its list again."""
        with self._lock:
            self._state.listed_from.clear()
            self._state.lists.clear()
            self._state.answers.clear()
            self._state.step += 1

    def _pairs(self) -> list[TextPair]:
        """Return all pairs by (a, b)."""
        self._blocks()
        similarities = {
            (min(owner, other), max(owner, other)): similarity
            for owner, row in self._state.lists.items()
            for other, similarity in row.items()
        }
        unanswered = TextPair("", "", 0.0)
        return [
            replace(self._state.answers.get(pair, unanswered), a=pair[0], b=pair[1], similarity=similarity)
            for pair, similarity in sorted(similarities.items())
        ]

    def _blocks(self) -> dict[str, list[BlockRow]]:
        """Return the live blocks of each text by id, after letting texts enter and go with their blocks."""
        with self._lock:
            live: dict[str, list[BlockRow]] = {}
            for _, block in sorted(self._now().blocks.items()):
                live.setdefault(_text_of(block), []).append(block)
            state = self._state
            if gone := state.listed_from.keys() - live.keys():
                for owner, row in state.lists.items():
                    if gone & row.keys() and len(row) >= MOST_NEAR:
                        state.listed_from[owner] = _NEVER
                    state.lists[owner] = {other: at for other, at in row.items() if other not in gone}
                for name in gone:
                    del state.listed_from[name]
                    state.lists.pop(name, None)
                state.answers = {key: p for key, p in state.answers.items() if gone.isdisjoint(key)}
            for name in live.keys() - state.listed_from.keys():
                state.listed_from[name] = _NEVER
            return live


def _text_of(block: BlockRow) -> str:
    return text_id(block.text_key, block.kind, block.language)
