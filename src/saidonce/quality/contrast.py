"""Evaluate the ladder on sentences and blocks with one fact changed, and on rewrites that change none.

A decision that cannot distinguish the two would merge texts that must stay apart. Each use of the ladder is tested.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from saidonce.errors import SourceRefusedError, UsageError
from saidonce.foundation import text
from saidonce.foundation.context import Source
from saidonce.foundation.model import Candidate, Kind, Match, Outcome, Verdict
from saidonce.foundation.ports import Embedder, EquivalenceJudge, Parser
from saidonce.foundation.settings.policy import CANONICAL, GATE, REPEAT, Policy
from saidonce.foundation.text import sentences
from saidonce.matching.agreement import Agreement, agreement, borne_out
from saidonce.matching.guards import guards_of
from saidonce.matching.ladder import Case, decide
from saidonce.matching.vectors import canonical_cosine
from saidonce.quality.alterations import MAKERS, names_of
from saidonce.quality.block_alterations import BLOCK_MAKERS, one_item_less
from saidonce.quality.claims import one_member_less
from saidonce.quality.excerpts import Dice, Excerpt, Meaning
from saidonce.quality.figures import Rate, rate

BATCH = 256


class Level(StrEnum):
    """The amount of text around the altered words."""

    SENTENCE = "sentence"
    BLOCK = "block"


@dataclass(frozen=True, slots=True)
class Contrast:
    """A text and an altered copy of it.

    Attributes:
        kind: of the alteration, such as "number" or "layout".
        keeps_altered: the altered text is kept and the original is the candidate, so that removed content would be
            lost; the other way round, the original still says everything.
    """

    kind: str
    relation: Meaning
    original: str
    altered: str
    level: Level
    keeps_altered: bool = False


MIN_WORDS, MAX_WORDS = 5, 60
"""Length of the sentences that are altered."""


MISSING = "member missing"
"""Kind of a list with one member less; makers know its counterpart as "member added"."""


def contrasts(texts: Iterable[str], seed: int) -> Iterator[Contrast]:
    """Return every possible alteration of the sentences and paragraphs of English texts.

    The order is that of the texts; the same texts and seed give the same contrasts everywhere.
    """
    corpus = tuple(texts)
    names = names_of(corpus)
    dice = Dice(seed)
    for whole in corpus:
        for paragraph in _paragraphs(whole):
            spans = [s for s in sentences(paragraph) if _is_prose(s.text)]
            for span in spans:
                yield from _of_sentence(Excerpt(span.text, dice, names))
            places = [(s.start, s.end) for s in spans]
            if len(spans) > 1:
                yield from _of_sentences(paragraph, places, dice, names)
            yield from _of_block(paragraph, places, dice)


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", text):
        if stripped := paragraph.strip():
            yield stripped


def _is_prose(sentence: str) -> bool:
    n_words = len(sentence.split())
    return MIN_WORDS <= n_words <= MAX_WORDS and sentence[0].isupper() and sentence[-1] in ".?!" and "|" not in sentence


def _of_sentence(excerpt: Excerpt) -> Iterator[Contrast]:
    for relation, makers in MAKERS.items():
        for kind, maker in makers.items():
            altered = maker(excerpt)
            if altered and altered != excerpt.text:
                yield Contrast(kind, relation, excerpt.text, altered, Level.SENTENCE)
    if less := one_member_less(excerpt.text):
        yield Contrast(MISSING, Meaning.CHANGED, excerpt.text, less, Level.SENTENCE, keeps_altered=True)


def _of_sentences(
    paragraph: str, spans: list[tuple[int, int]], dice: Dice, names: tuple[str, ...]
) -> Iterator[Contrast]:
    """Alter one sentence of a paragraph in each possible way."""
    for relation, makers in MAKERS.items():
        for kind, maker in makers.items():
            first = dice.pick(len(spans), kind, paragraph)
            for start, end in (*spans[first:], *spans[:first]):
                altered = maker(Excerpt(paragraph[start:end], dice, names))
                if altered and altered != paragraph[start:end]:
                    yield Contrast(
                        kind, relation, paragraph, paragraph[:start] + altered + paragraph[end:], Level.BLOCK
                    )
                    break


def _of_block(paragraph: str, spans: list[tuple[int, int]], dice: Dice) -> Iterator[Contrast]:
    """Alter a paragraph or a list as a whole."""
    for relation, makers in BLOCK_MAKERS.items():
        for kind, maker in makers.items():
            altered = maker(paragraph, spans, dice)
            if altered and altered != paragraph:
                yield Contrast(kind, relation, paragraph, altered, Level.BLOCK)
    if less := one_item_less(paragraph):
        yield Contrast(MISSING, Meaning.CHANGED, paragraph, less, Level.BLOCK, keeps_altered=True)


USES: Mapping[str, Policy] = {
    "repeat": REPEAT,
    "canonical": CANONICAL,
    "gate": replace(GATE, on_objection=Outcome.DISTINCT),
}
"""The uses of the ladder; the gate as where an objection clears, since otherwise it holds whatever is near."""


@dataclass(frozen=True, slots=True)
class JudgedContrast:
    """A contrast, and the uses in which it counts as a duplicate.

    Attributes:
        verdict: of the ladder for repeats.
        is_near: whether it is a duplicate by cosine alone.
        uses: names of the uses in which it is a duplicate.
        is_borne_out: whether it is a repeat after a judge decided what is open; None without a judge.
    """

    contrast: Contrast
    verdict: Verdict
    is_near: bool
    uses: frozenset[str]
    is_borne_out: bool | None = None

    @property
    def is_lost(self) -> bool:
        """Whether it is a duplicate in a use that keeps only one text; the gate keeps both."""
        return bool(self.uses - {"gate"} or self.is_borne_out)


@dataclass(frozen=True, slots=True)
class ContrastLine:
    """The share of contrasts of one kind that count as duplicates, by cosine alone and in each use.

    Attributes:
        relation: "changed" (one fact differs: duplicates are false merges) or "rewritten" (none does).
        kind: of the alteration, or "all".
        cosine: at the threshold for repeats.
        repeat, canonical, gate: with the guards of that use; for the gate, an objection clears.
        judged: repeats, with a judge for what the guards leave open; None without a judge.
        any_use: repeat, canonical or judged; not the gate, which holds a text for a person and loses none.
    """

    relation: str
    level: str
    kind: str
    cosine: Rate
    repeat: Rate
    canonical: Rate
    gate: Rate
    judged: Rate | None
    any_use: Rate


def paragraphs(parser: Parser, sources: Iterable[Source]) -> list[str]:
    """Return the prose paragraphs of all sources in order, without repeats; refused sources are skipped.

    Raises:
        UsageError: no source has prose.
    """
    texts: dict[str, None] = {}
    for _, result in parser.map((s.name, s.read()) for s in sources):
        if not isinstance(result, SourceRefusedError):
            texts.update((e.text, None) for e in result.elements if e.kind in (Kind.PARAGRAPH, Kind.LIST))
    if not texts:
        raise UsageError("there is no running text to alter; give a file or folder with English paragraphs")
    return list(texts)


def choose(texts: Sequence[str], seed: int, limit: int) -> list[Contrast]:
    """Select contrasts, at most `limit` of each relation, level and kind, spread by hash over all texts."""
    by_group: dict[tuple[str, str, str], list[tuple[str, Contrast]]] = {}
    for contrast in contrasts(texts, seed):
        key = (contrast.relation, contrast.level, contrast.kind)
        order = text.digest(str(seed), contrast.original, contrast.altered)
        by_group.setdefault(key, []).append((order, contrast))
    return [c for key in sorted(by_group) for _, c in sorted(by_group[key], key=lambda item: item[0])[:limit]]


def judge(
    chosen: Sequence[Contrast],
    embedder: Embedder,
    on_pairs: Callable[[int], None],
    equivalence: EquivalenceJudge | None = None,
) -> list[JudgedContrast]:
    """Judge every contrast in each use: the altered text is the candidate, unless `keeps_altered`.

    Args:
        chosen: the contrasts.
        embedder: for similarities.
        on_pairs: called with the number of contrasts done since the last call.
        equivalence: judge of what the guards leave open.

    Raises:
        ModelUnavailableError: a model's files failed.
    """
    done: list[JudgedContrast] = []
    for start in range(0, len(chosen), BATCH):
        batch = chosen[start : start + BATCH]
        texts = list(dict.fromkeys(t for c in batch for t in (c.original, c.altered)))
        vectors = dict(zip(texts, embedder.embed(texts), strict=True))
        for c in batch:
            similarity = canonical_cosine(vectors[c.altered], vectors[c.original])
            done.append(_judged(c, similarity, equivalence))
        on_pairs(len(batch))
    return done


def _judged(contrast: Contrast, similarity: float, equivalence: EquivalenceJudge | None) -> JudgedContrast:
    sides = (contrast.altered, contrast.original) if contrast.keeps_altered else (contrast.original, contrast.altered)
    kept, candidate = (Candidate(t, text.content_hash(t), language="en") for t in sides)
    matches = (Match("kept", similarity, kept),)
    verdicts = {use: decide(Case(candidate, matches, p, guards_of(p))) for use, p in USES.items()}
    duplicate = frozenset(use for use, verdict in verdicts.items() if verdict.outcome is Outcome.DUPLICATE)
    is_near = similarity >= REPEAT.duplicate_from
    borne = None
    if equivalence is not None:
        joined = {Agreement.SAME, Agreement.REPEATS_A} if is_near else {Agreement.SAME}
        is_compared = is_near or similarity >= REPEAT.same_from
        accord = borne_out(kept, candidate, agreement(kept, candidate), equivalence) if is_compared else None
        borne = accord is not None and accord.agreement in joined
    return JudgedContrast(contrast, verdicts[REPEAT.use], is_near, duplicate, borne)


def report(judged: Sequence[JudgedContrast]) -> list[ContrastLine]:
    """Count duplicates by relation, level and kind; a line "all" closes each relation and level."""
    groups: dict[tuple[str, str], dict[str, list[JudgedContrast]]] = {}
    for j in judged:
        c = j.contrast
        groups.setdefault((c.relation, c.level), {}).setdefault(c.kind, []).append(j)
    lines = []
    for (relation, level), kinds in sorted(groups.items()):
        for kind in sorted(kinds):
            lines.append(_line(relation, level, kind, kinds[kind]))
        lines.append(_line(relation, level, "all", [j for of in kinds.values() for j in of]))
    return lines


def _line(relation: str, level: str, kind: str, of: Sequence[JudgedContrast]) -> ContrastLine:
    n = len(of)
    repeat, canonical, gate = (rate(sum(use in j.uses for j in of), n) for use in USES)
    borne = [j.is_borne_out for j in of if j.is_borne_out is not None]
    return ContrastLine(
        relation=relation,
        level=level,
        kind=kind,
        cosine=rate(sum(j.is_near for j in of), n),
        repeat=repeat,
        canonical=canonical,
        gate=gate,
        judged=rate(sum(borne), n) if borne else None,
        any_use=rate(sum(j.is_lost for j in of), n),
    )


def wrong(judged: Sequence[JudgedContrast]) -> Iterator[dict[str, object]]:
    """Yield the wrongly decided contrasts: changed ones lost in any use, rewrites that stay apart."""
    for j in judged:
        c = j.contrast
        if c.relation is Meaning.CHANGED and not j.is_lost:
            continue
        if c.relation is Meaning.REWRITTEN and "repeat" in j.uses:
            continue
        objections = [{"kind": o.kind, "a": o.a.text, "b": o.b.text} for o in j.verdict.objections]
        yield {
            "relation": c.relation, "level": c.level, "kind": c.kind, "original": c.original,
            "altered": c.altered, "uses": sorted(j.uses), "borne_out": j.is_borne_out,
            "similarity": j.verdict.similarity, "objections": objections,
        }  # fmt: skip
