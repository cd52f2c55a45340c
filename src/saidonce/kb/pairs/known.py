"""A guard that takes what the pair table knows, and compares on the spot what it does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from typing import Any

from saidonce.foundation.context import Context
from saidonce.foundation.model import Block, Candidate, Objection, text_id
from saidonce.foundation.text import digest
from saidonce.kb.pairs.catch_up import rule_in_force
from saidonce.kb.pairs.comparison import accord_of, compare_texts, held_apart_by, is_whole_in_words
from saidonce.matching.agreement import Accord, Agreement
from saidonce.matching.guards import apart_by_place, candidate_in_place, same_sender
from saidonce.matching.guards import candidate as candidate_for
from saidonce.matching.ladder import Guard

READ_AT_ONCE = 50
"""Ranked texts among which pairs are read at first; twice as many each time that one farther down is asked about."""


class _Named:
    """The names of texts in the pair table, and the ranks of these texts, of a mapping that may grow at its end."""

    def __init__(self, names: Mapping[Candidate, str]) -> None:
        self._names = names
        self._n_read = 0
        self.of: dict[Candidate, str] = {}
        self.ranks: dict[Candidate, int] = {}

    def read_on(self) -> None:
        """Take in what was added."""
        for text, name in islice(self._names.items(), self._n_read, None):
            if name and is_whole_in_words(text):
                self.ranks.setdefault(_alone(text), len(self.ranks))
                self.of[_alone(text)] = name
        self._n_read = len(self._names)


def known_guard(context: Context, names: Mapping[Candidate, str]) -> Guard:
    """Return a guard that objects unless the candidate says nothing that the kept text does not.

    It objects to the same pairs, in the same words, whatever stands in the table, which it reads when it is asked.

    Args:
        context: wired ports.
        names: of the texts that may be asked about, as the pair table has them, those asked about first in front;
            more may be added at the end later on.
    """
    named = _Named(names)
    known: dict[tuple[str, str], Accord] = {}
    compared: dict[tuple[Candidate, Candidate], Accord] = {}
    n_read = 0

    def compared_once(candidate: Candidate, kept: Candidate) -> Accord:
        pair = _bare(candidate), _bare(kept)
        if pair not in compared:
            accord = compare_texts(*pair, context.judge)
            compared[pair], compared[pair[1], pair[0]] = accord, accord.mirrored
        return compared[pair]

    def read_down_to(rank: int) -> None:
        nonlocal n_read
        if rank >= n_read:
            n_wanted = READ_AT_ONCE * 2 ** (rank // READ_AT_ONCE).bit_length()
            n_read = min(n_wanted, len(named.of))  # of those that are added later nothing is read yet
            known.update(_accords(context, sorted(set(islice(named.of.values(), n_read)))))

    def disagreement(candidate: Candidate, kept: Candidate) -> Sequence[Objection]:
        if apart := apart_by_place(candidate, kept):
            return apart
        named.read_on()
        accord, one, two = None, _alone(candidate), _alone(kept)
        if one in named.of and two in named.of:
            read_down_to(max(named.ranks[one], named.ranks[two]))
            accord = known.get((named.of[one], named.of[two]))
        return held_apart_by(accord or compared_once(candidate, kept))

    return disagreement


def accord_between(context: Context, a: Block, b: Block) -> Accord:
    """Return how the texts of two blocks agree where they stand, from the pair table where it is known."""
    (accord,) = accords_in_place(context, [(a, b)])
    return accord


def accords_between(context: Context, pairs: Sequence[tuple[Block, Block]]) -> list[Accord]:
    """Return how the texts of each of some pairs of blocks agree, read from the pair table at once where known."""
    return accords_of_texts(context, [(candidate_for(a), candidate_for(b)) for a, b in pairs])


def accords_in_place(context: Context, pairs: Sequence[tuple[Block, Block]]) -> list[Accord]:
    """Return how the texts of each of some pairs of blocks agree where they stand: below the headings over them."""
    accords = accords_between(context, pairs)
    return [_in_place(accord, a, b) for accord, (a, b) in zip(accords, pairs, strict=True)]


def _in_place(accord: Accord, a: Block, b: Block) -> Accord:
    """Return an accord of two texts with what the headings over them, and who says them, say against it."""
    apart = apart_by_place(candidate_in_place(a), candidate_in_place(b))
    if not apart:
        return accord
    objections = tuple(dict.fromkeys((*apart, *accord.objections)))
    return replace(accord, agreement=Agreement.OBJECTED, objections=objections)


def accords_of_texts(context: Context, pairs: Sequence[tuple[Candidate, Candidate]]) -> list[Accord]:
    """Return how the two texts of each of some pairs agree, read from the pair table at once where known."""
    candidates = [(_bare(a), _bare(b)) for a, b in pairs]
    names = {
        c: text_id(digest(context.embedder.model, c.text), c.kind, c.language)
        for pair in candidates
        for c in pair
        if is_whole_in_words(c)
    }
    known = _accords(context, sorted(set(names.values())))
    judge: Any = context.judge
    return [
        _of_two_senders(*pair) or known.get((names.get(a, ""), names.get(b, ""))) or _compared_once(a, b, judge)
        for pair, (a, b) in zip(pairs, candidates, strict=True)
    ]


def _of_two_senders(a: Candidate, b: Candidate) -> Accord | None:
    """Return how two mails agree of which each sender speaks of themselves; None for all other texts."""
    objections = tuple(same_sender(a, b))
    return Accord(Agreement.OBJECTED, objections, objections) if objections else None


def _alone(candidate: Candidate) -> Candidate:
    """Return a text without the headings of others that it stands for, which may become more."""
    return replace(candidate, also_under=()) if candidate.also_under else candidate


def _bare(candidate: Candidate) -> Candidate:
    """Return a text as the pair table has it, without what only a canonical collection looks at."""
    return replace(candidate, section_role="", section="", also_under=(), sender="", dated_at=None, fields=())


@lru_cache(maxsize=2_048)
def _compared_once(a: Candidate, b: Candidate, judge: Any) -> Accord:
    """Compare what does not stand in the table; the queue asks again with every page."""
    return compare_texts(a, b, judge)


def _accords(context: Context, names: Sequence[str]) -> dict[tuple[str, str], Accord]:
    """Return what the table knows under the rule in force, for both orders of each pair."""
    if not (pairs := context.store.pairs.among(names)):
        return {}
    rule = rule_in_force(context)
    known: dict[tuple[str, str], Accord] = {}
    for pair in pairs:
        if rule.holds(pair):
            known[pair.a, pair.b] = accord_of(pair)
            known[pair.b, pair.a] = known[pair.a, pair.b].mirrored
    return known
