"""Room: whether a block answers a query at all, on one scale for all queries and bases.

The fused score orders the blocks of one search; its scale says nothing, since some block is always the best.
Relevance is the share of relevant blocks among those with the same three pieces of evidence, where a relevant one
comes on three that were ranked for questions that the base cannot answer: the cosine to the query, above the low
end of those that blocks of the base have to it; how near the base is to the query as a whole; and the query's
words that the block holds, by their rarity in the base. Where a script writes no words apart, pieces stand for
them; where the model does not read it, the words decide alone. `python -m benchmarks.relevance fit` fits the
constants again.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import compress
from typing import NamedTuple

import numpy as np

from saidonce.foundation import text
from saidonce.foundation.model import UNKNOWN_LANGUAGE, Block, Vector
from saidonce.foundation.ports import BlockText, LexicalPool
from saidonce.foundation.stop_words import stop_words
from saidonce.kb.search import fusion
from saidonce.kb.search.compounds import COMPOUNDING, is_in_compound
from saidonce.kb.search.pieces import Piece, has_pieces, pieces, searched_text
from saidonce.matching.vectors import canonical_cosines, margin
from saidonce.matching.vectors.blas import one_thread

BIAS = -13.1
COSINE_WEIGHT = 22.0
RARITY_WEIGHT = 5.0
TOPIC_WEIGHT = 35.0
"""Source: fitted on the training questions of SciFact; docs/figures.md, docs/decisions/0016."""

BADLY_READ_BIAS = -6.0
BADLY_READ_COSINE_WEIGHT = 12.0
BADLY_READ_RARITY_WEIGHT = 4.0
"""Stand for those above where the model reads a block's language badly: cosines say less there, and that a base is near
a question says that both are in the language. Source: chosen on `python -m benchmarks.relevance_languages`;
docs/decisions/0129.
"""

LEAST_SURE, HALF = 0.6, 0.5
"""Most relevance in such a language of a block without any word of the query; it rises to 1 for one with half of them.
One rare word of several lets a block answer, and makes nothing sure.
"""

MOST_RARITY = 1.5
"""Rarer words than this count no more, so that a long question is not answered by its length."""

MOST_TOPIC = 0.12
"""Usual cosines, from the low end, above this count no more: the base is about the question's topic."""

UNKNOWN_TOPIC = 0.03
"""Stands for the usual cosine where there are too few blocks to measure it."""

UNDECIDED = 0.25
"""Least relevance of a block that holds all of a query (see ALL)."""

ALL = 0.9
"""Share of a query's words that counts as all of them, if the query is one word, or they are together as rare as one
that a single block holds; where there are too few blocks to measure rarity, the block must hold every word."""

LONE_WORDS = 2
"""Most words, counting articles and the like, of a query that is one word."""

WORDS_ALONE = 1.5
"""Power of the share of a query's words that is the relevance where its script is not read: half of them are .35,
a third .19."""

LEAST_PIECE = 0.5
"""Least rarity of a piece: it is counted among the ranked blocks, which hold it more often than others do."""

_HALVES = 2

LOW_END = 2
"""Percentile of the cosines of a query to blocks of the base from which its cosines are measured."""


@dataclass(frozen=True, slots=True)
class Background:
    """What a base holds of everything, seen from one query.

    Attributes:
        usual: median cosine of the query to a sample of blocks; None where there are too few.
        low: LOW_END percentile of those cosines, 0 at least.
    """

    usual: float | None = None
    low: float = 0.0

    @property
    def topic(self) -> float:
        """How near the base is to the query as a whole, 0..MOST_TOPIC."""
        if self.usual is None:
            return UNKNOWN_TOPIC
        return min(MOST_TOPIC, max(0.0, self.usual - self.low))


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why a block answers a query or does not.

    Attributes:
        cosine: of the block's search vector to the query's.
        usual: what blocks of the base usually have; None where there are too few.
        low: cosine from which evidence is counted.
        held: words of the query in the block, its title or its headings.
        missed: the other searchable words of the query.
        share: of the query's searchable words those held, rare ones counting more, 0..1.
        rarity: rarity of the words in the block together; 1: a word that a single block contains.
        is_read: the model reads the query's script, so that the cosine counts.
        is_lone: the query is one word.
        is_read_badly: the model reads the block's script, but not its language.
        beside: id of a block that answers the query, to which this one, below the cut, is as similar as a repeat.
        is_half: it holds one of two words that stand in no block together, see `_words_apart`.
    """

    cosine: float
    usual: float | None
    low: float
    held: tuple[str, ...]
    missed: tuple[str, ...]
    share: float
    rarity: float
    is_read: bool = True
    is_lone: bool = False
    is_read_badly: bool = False
    beside: str = ""
    is_half: bool = False

    @property
    def above(self) -> float:
        """How far the cosine lies above the low end, as a share of the way from there to 1."""
        return _above(self.cosine, self.low)

    @property
    def relevance(self) -> float:
        """The calibrated relevance, 0..1."""
        in_words = _InWords(self.held, self.missed, self.share, self.rarity, self.is_half)
        curve = _Curve(Background(self.usual, self.low), self.is_read_badly) if self.is_read else None
        return _relevance(self.cosine, in_words, curve, is_lone=self.is_lone, is_small=self.usual is None)

    @property
    def in_words(self) -> str:
        """The evidence in plain words."""
        usual = "" if self.usual is None else f", where blocks of the base usually have {self.usual:.2f}"
        held = f"holds {', '.join(self.held)}" if self.held else "holds none of the query's words"
        share = f" ({self.share:.0%} of the query's words, rare ones counting more)" if self.held else ""
        missed = f"; lacks {', '.join(self.missed)}" if self.missed else ""
        near = f"cosine {self.cosine:.2f}{usual}" if self.is_read else "the model does not read the query's script"
        near += ", in a language that the model reads badly" if self.is_read_badly else ""
        beside = f"; nearly repeats [{self.beside[:8]}], which answers the query" if self.beside else ""
        return f"{near}; {held}{share}{missed}{beside}"


class _InWords(NamedTuple):
    """What the words of a block say for and against it; see `Evidence`."""

    held: tuple[str, ...]
    missed: tuple[str, ...]
    share: float
    rarity: float
    is_half: bool


@dataclass(frozen=True, slots=True)
class _Curve:
    """How relevance rises with the cosine and the rarity of the words that a block holds, in one language.

    Attributes:
        is_read_badly: the model reads the language badly.
        most_rarity: of all words of the query together.
        may_hold_all: whether a block with all of them is undecided at least.
    """

    background: Background
    is_read_badly: bool
    most_rarity: float = MOST_RARITY
    may_hold_all: bool = False

    def relevance(self, cosine: float, rarity: float) -> float:
        """Return the calibrated relevance, 0..1."""
        above, rarity = _above(cosine, self.background.low), min(rarity, MOST_RARITY)
        if self.is_read_badly:
            logit = BADLY_READ_BIAS + BADLY_READ_COSINE_WEIGHT * above + BADLY_READ_RARITY_WEIGHT * rarity
        else:
            logit = BIAS + COSINE_WEIGHT * above + RARITY_WEIGHT * rarity + TOPIC_WEIGHT * self.background.topic
        return 1.0 / (1.0 + math.exp(-logit))


def _relevance(cosine: float, words: _InWords, curve: _Curve | None, *, is_lone: bool, is_small: bool) -> float:
    """Return the calibrated relevance of a block, 0..1.

    Args:
        curve: None where the model does not read the query's script.
        is_small: there are too few blocks to measure how near they usually are.
    """
    if curve is None:
        fitted: float = min(1.0, words.share**WORDS_ALONE * min(1.0, words.rarity))
    else:
        fitted = curve.relevance(cosine, words.rarity)
        if curve.is_read_badly:
            fitted = min(fitted, LEAST_SURE + (1.0 - LEAST_SURE) * min(1.0, words.share / HALF))
    # Of a few blocks no word is rare.
    holds_each = is_small and bool(words.held) and not words.missed
    holds_all = holds_each or (words.share >= ALL and (is_lone or words.rarity >= 1.0))
    return max(fitted, UNDECIDED) if holds_all or words.is_half else fitted


@dataclass(frozen=True, slots=True)
class Scale:
    """How blocks are judged for one reading of a query.

    Attributes:
        background: of blocks in none of the languages of `backgrounds`.
        words: the query's words by their terms, in the order of `weights`.
        weights: rarity of each term: 1 where one block holds it, or none.
        counts: occurrences of the terms by block, for the blocks that the lexical search nominated.
        is_read: the model reads the query's script.
        is_lone: the query is one word.
        pieces: of the query, to be looked up by `with_pieces`.
        characters: weight of each character of the pieces that were looked up, by its place in the query.
        looked_up: those pieces, the last of `words`.
        halves: numbers of the pieces of each of two words that stand in no block together; see `_words_apart`.
        backgrounds: of the blocks in a language, by its tag; see `with_backgrounds`.
        languages: that the model reads well; None for all.
        forms: terms that stand for each of the words, by its term; itself alone where it has none here.
        in_words: what was made out so far of the words that are held, by these and the block's language.
    """

    background: Background
    words: Mapping[str, str]
    weights: tuple[float, ...]
    counts: Mapping[str, Sequence[int]]
    is_read: bool = True
    is_lone: bool = False
    pieces: tuple[Piece, ...] = ()
    characters: Mapping[int, float] = field(default_factory=dict)
    looked_up: tuple[Piece, ...] = ()
    halves: tuple[frozenset[int], ...] = ()
    backgrounds: Mapping[str, Background] = field(default_factory=dict)
    languages: Collection[str] | None = None
    forms: Mapping[str, frozenset[str]] = field(default_factory=dict)
    in_words: dict[tuple[tuple[bool, ...], str], _InWords] = field(default_factory=dict, init=False, compare=False)
    _curves: dict[str, _Curve] = field(default_factory=dict, init=False, compare=False)
    _asked: list[frozenset[str]] = field(default_factory=list, init=False, compare=False)

    def with_backgrounds(self, backgrounds: Mapping[str, Background]) -> Scale:
        """Return the scale with the backgrounds of the ranked blocks' languages.

        A question is nearer to any text in its own language than to most in another: in a base of several, a block
        stands out among those in its language, or not at all.
        """
        return replace(self, backgrounds=backgrounds)

    def with_pieces(self, blocks: Mapping[str, BlockText] | Mapping[str, Block]) -> Scale:
        """Return the scale with the pieces of the query among its words, looked up in the ranked blocks."""
        if not self.pieces:
            return self
        texts = {id_: searched_text(b.title, b.heading_path, b.text) for id_, b in blocks.items()}
        n_written = sum(map(has_pieces, texts.values()))
        n_containing = [sum(piece.is_in(content) for content in texts.values()) for piece in self.pieces]
        rarities = _rarities(n_written, [max(n, 1) for n in n_containing])
        weights = tuple(
            max(LEAST_PIECE, rarity) * len(piece.text) / piece.whole
            for piece, rarity in zip(self.pieces, rarities, strict=True)
        )
        none = (0,) * len(self.weights)
        counts = {
            id_: (*self.counts.get(id_, none), *(int(piece.is_in(content)) for piece in self.pieces))
            for id_, content in texts.items()
        }
        words = {**self.words, **{piece.text: piece.written for piece in self.pieces}}
        return replace(
            self, words=words, weights=(*self.weights, *weights), counts=counts, pieces=(), is_lone=len(words) == 1,
            characters=_characters(self.pieces, weights), looked_up=self.pieces,
            halves=() if self.is_read or self.words else _words_apart(self.pieces, list(counts.values())),
        )  # fmt: skip

    def evidence(self, block: BlockText | Block, cosine: float) -> Evidence:
        """Return what speaks for and against a block; words of its title and headings count as its own.

        So do parts of compounds in languages that write these as one word.
        """
        in_words = self._words_of(block)
        background = self._background(block.language)
        return Evidence(
            cosine, background.usual, background.low, in_words.held, in_words.missed, in_words.share, in_words.rarity,
            self.is_read, self.is_lone, self._is_read_badly(block.language), is_half=in_words.is_half,
        )  # fmt: skip

    def relevance(self, block: BlockText | Block, cosine: float) -> float:
        """Return the relevance of a block alone: that of its evidence."""
        curve = self._curve(block.language)
        return _relevance(
            cosine, self._words_of(block), curve if self.is_read else None,
            is_lone=self.is_lone, is_small=curve.background.usual is None,
        )  # fmt: skip

    def _words_of(self, block: BlockText | Block) -> _InWords:
        """Return what the words of a block say; blocks are many, and there are few ways to hold some of a query's."""
        holds = tuple(self._holds(block))
        in_words = self.in_words.get((holds, block.language))
        if in_words is None:
            in_words = self.in_words[holds, block.language] = self._in_words(holds, block.language)
        return in_words

    def _in_words(self, holds: tuple[bool, ...], language: str) -> _InWords:
        """Return what is to be said of a block in a language that holds these words and pieces."""
        n_words = len(holds) - len(self.looked_up)
        small = _small_words(language)
        counted = [word not in small for word in tuple(self.words.values())[:n_words]]
        covered, missed = _covered(self.looked_up, holds[n_words:])
        weighed = [(w, held) for w, held in zip(compress(self.weights, counted), compress(holds, counted), strict=True)]
        weighed += [(self.characters[place], place in covered) for place in sorted(covered | missed)]
        rarity, total = math.fsum(w for w, held in weighed if held), math.fsum(w for w, _ in weighed)
        counted += [
            held or not missed.isdisjoint(p.places) for p, held in zip(self.looked_up, holds[n_words:], strict=True)
        ]
        named = list(compress(zip(self.words.values(), holds, strict=True), counted))
        return _InWords(
            tuple(word for word, held in named if held),
            tuple(word for word, held in named if not held),
            rarity / total if total > 0 else 0.0,
            rarity,
            any(all(holds[n_words + n] for n in half) for half in self.halves),
        )

    def _holds(self, block: BlockText | Block) -> list[bool]:
        """Return whether a block holds each of the words."""
        counts = self.counts.get(block.id, (0,) * len(self.weights))
        if all(counts):
            return [True] * len(counts)
        around = _terms_around(block.title, block.heading_path, block.language)
        is_compounding = block.language in COMPOUNDING
        if not is_compounding and around.isdisjoint(self._all_forms()):
            return [bool(n) for n in counts]
        content = "\n".join((block.title, *block.heading_path, block.text)) if is_compounding else ""
        return [
            bool(n)
            or not around.isdisjoint(self.forms.get(term, (term,)))
            or (is_compounding and is_in_compound(word, content, block.language))
            for n, (term, word) in zip(counts, self.words.items(), strict=True)
        ]

    def _all_forms(self) -> frozenset[str]:
        """Return the terms that stand for any of the words; made out once."""
        if not self._asked:
            self._asked.append(frozenset().union(*(self.forms.get(term, (term,)) for term in self.words)))
        return self._asked[0]

    def at_least(self, cosine: float, language: str = UNKNOWN_LANGUAGE) -> float:
        """Return the relevance of a block of this cosine and language if it held no word."""
        if not self.is_read:
            return 0.0
        return self._curve(language).relevance(cosine, 0.0)

    def at_most(self, cosine: float, language: str = UNKNOWN_LANGUAGE) -> float:
        """Return the relevance of a block of this cosine and language if it held all words."""
        if self.pieces or not self.is_read:
            return 1.0  # pieces are rare or not by the blocks that are fetched
        curve = self._curve(language)
        fitted = curve.relevance(cosine, curve.most_rarity)
        return max(fitted, UNDECIDED) if curve.may_hold_all else fitted

    def may_reach(self, cut: float, cosine: float, language: str) -> bool:
        """Return whether a block of this cosine and language may be that relevant, whatever words it holds."""
        if cut <= UNDECIDED and self._curve(language).may_hold_all:
            return True
        return self.at_most(cosine, language) >= cut

    def _curve(self, language: str) -> _Curve:
        """Return how relevance rises in a language."""
        if language not in self._curves:
            background, rarity = self._background(language), math.fsum(self.weights)
            may_hold_all = rarity >= 1.0 or self.is_lone or background.usual is None
            curve = _Curve(background, self._is_read_badly(language), min(rarity, MOST_RARITY), may_hold_all)
            self._curves[language] = curve
        return self._curves[language]

    def _background(self, language: str) -> Background:
        return self.backgrounds.get(language, self.background)

    def _is_read_badly(self, language: str) -> bool:
        """Return whether the model does not read a language; cosines of few blocks have no low end to count from."""
        is_known = self.languages is None or language in self.languages or language == UNKNOWN_LANGUAGE
        return self.is_read and not is_known and self._background(language).usual is not None

    @property
    def best_rarity(self) -> float:
        """Rarity of the words that one nominated block holds together, the most of all."""
        ways = {tuple(map(bool, row)) for row in self.counts.values()}
        return max((math.fsum(compress(self.weights, way)) for way in ways), default=0.0)


def scale(
    background: Background,
    query: str,
    words: Mapping[str, str],
    pool: LexicalPool | None,
    scripts: Collection[str] | None = None,
    languages: Collection[str] | None = None,
) -> Scale:
    """Return how blocks are judged.

    Args:
        languages: which the model reads well; None for all.
        scripts: which the model reads; None for all.
        words: the query's words by their terms, in the order of the pool's.
        pool: candidates of the lexical search; None for a query without searchable words.
    """
    written = text.scripts(query)
    is_read = scripts is None or 2 * sum(written[script] for script in scripts) >= written.total()
    if pool is None:
        return Scale(background, {}, (), {}, is_read, languages=languages)
    small = frozenset() if is_read else stop_words()["question"]
    sought = pieces(query) if any(map(has_pieces, words)) else ()
    cut = {piece.text for piece in sought}
    apart = [
        place
        for place, (term, word) in enumerate(words.items())
        if not has_pieces(term) and word not in small and term not in cut
    ]
    is_lone = len(words) == 1 and len(text.search_words(query)) <= LONE_WORDS
    # A word that nothing contains says no more than one that a single block contains.
    weights = _rarities(pool.n_blocks, [max(pool.n_containing[place], 1) for place in apart])
    rows = pool.columns
    counts = dict(zip(rows.block_ids, rows.counts[:, apart].tolist(), strict=True))
    kept = dict(entry for place, entry in enumerate(words.items()) if place in apart)
    return Scale(background, kept, weights, counts, is_read, is_lone, sought, languages=languages)


def look_alikes(vectors: Mapping[str, Vector], answering: Sequence[str], threshold: float) -> dict[str, str]:
    """Return the blocks that do not answer by themselves but are as similar as a repeat to one that does.

    Args:
        vectors: unit rows of the blocks' texts, shape (dim,) each, by id.
        answering: ids of the blocks that answer, best first.
        threshold: least canonical similarity.

    Returns:
        For each such block the most similar one that answers, the first of equals.
    """
    kept = [id_ for id_ in answering if id_ in vectors]
    above_cut = set(answering)
    others = [id_ for id_ in vectors if id_ not in above_cut]
    if not kept or not others:
        return {}
    rows = np.stack([vectors[id_] for id_ in kept])
    least = threshold - margin(rows.shape[1])
    beside = {}
    with one_thread():
        all_products = np.stack([vectors[id_] for id_ in others]) @ rows.T
    is_near = all_products >= least
    for n in np.flatnonzero(is_near.any(axis=1)).tolist():
        id_, places = others[n], np.flatnonzero(is_near[n])
        similar = canonical_cosines(vectors[id_], rows[places])
        nearest = int(similar.argmax())
        if similar[nearest] >= threshold:
            beside[id_] = kept[places[nearest]]
    return beside


def _rarities(n_blocks: int, n_containing: Sequence[int]) -> tuple[float, ...]:
    """Return the weight of each word by the blocks that hold it; 1 where it is one."""
    unit, *weights = fusion.idf(LexicalPool(n_blocks, 0.0, (1, *n_containing), ()))
    return tuple(weight / unit if unit > 0 else 0.0 for weight in weights)


def _characters(cut: Sequence[Piece], weights: Sequence[float]) -> dict[int, float]:
    """Return the weight of each character of the pieces: its part of the rarest one."""
    characters: dict[int, float] = {}
    for piece, weight in zip(cut, weights, strict=True):
        for place in piece.places:
            characters[place] = max(characters.get(place, 0.0), weight / len(piece.text))
    return characters


def _covered(cut: Sequence[Piece], holds: Sequence[bool]) -> tuple[set[int], set[int]]:
    """Return the places in the query that held pieces cover, and those of the others that count as missed."""
    covered = {place for piece, held in zip(cut, holds, strict=True) if held for place in piece.places}
    others = {place for piece in cut for place in piece.places if place not in piece.weak}
    return covered, others - covered


def _words_apart(cut: Sequence[Piece], counts: Sequence[Sequence[int]]) -> tuple[frozenset[int], ...]:
    """Return the numbers of the pieces of each of two words, if blocks hold each of them whole and none holds both.

    Each is asked for by itself then, as a query of one word is: what holds it is never cut, however many do. A question
    with a word that no block holds has no such words, and neither has one of three.

    Args:
        cut: all that the query consists of.
        counts: of the pieces, for each block.
    """
    words: list[tuple[set[int], set[int]]] = []
    for number, piece in enumerate(cut):
        if words and not words[-1][0].isdisjoint({piece.places[0] - 1, *piece.places}):
            words[-1][0].update(piece.places)
            words[-1][1].add(number)
        else:
            words.append((set(piece.places), {number}))
    if len(words) != _HALVES or any(len(places) < cut[min(of)].whole for places, of in words):
        return ()  # one ideograph alone may be a part of any word
    halves = tuple(frozenset(numbers) for _, numbers in words)
    held = {tuple(all(row[n] for n in half) for half in halves) for row in counts}
    return halves if {(True, False), (False, True)} <= held and (True, True) not in held else ()


def _small_words(language: str) -> frozenset[str]:
    """Return what is left out of a question before it is compared with a text in a language."""
    return stop_words().get(f"question_{language}", frozenset())


def _above(cosine: float, low: float) -> float:
    return max(0.0, cosine - low) / (1.0 - low) if low < 1.0 else 0.0


@lru_cache(maxsize=20_000)
def _terms_around(title: str, heading_path: tuple[str, ...], language: str) -> frozenset[str]:
    """Return the searchable terms of a block's title and headings; many blocks share them."""
    return frozenset(text.terms("\n".join((title, *heading_path)), language))
