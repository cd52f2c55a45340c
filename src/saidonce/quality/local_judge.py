"""Flow: an organisation's decisions, or labelled pairs, train and measure a local judge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from saidonce.adjudication.local_judge import (
    LONGEST,
    NAMES,
    Artefact,
    Compared,
    Labelled,
    LocalJudge,
    TrainingFigures,
    TrainingOptions,
    features,
    load,
    nearness,
    recalibrated,
    trained,
    write,
)
from saidonce.adjudication.local_judge.training import measured
from saidonce.errors import ArtefactError, UsageError
from saidonce.foundation import text
from saidonce.foundation.model import POLICY, UNKNOWN_LANGUAGE, Candidate, Decision, Opinion, Verb
from saidonce.foundation.ports import Embedder, Ledger, PieceEmbedder
from saidonce.matching.vectors import canonical_cosine
from saidonce.quality.pairs import DIFFERENT, SAME
from saidonce.quality.rows import read

BATCH = 64

APART = (Verb.KEEP_APART, Verb.CONFLICT, Verb.SPLIT)
"""Verbs by which people say that texts are not the same."""

PAGE = 500


@dataclass(frozen=True, slots=True)
class Example:
    """Two texts and what somebody said of them."""

    a: Candidate
    b: Candidate
    same: bool


def labelled(file: Path) -> Iterator[Example]:
    """Examples of a JSON lines file: a, b, label, and optionally merge_ok, lang_a, lang_b, fields.

    `fields` holds named values of either text: {"a": {"persona": ...}, "b": {...}}. Rows whose label does not say
    whether the texts are the same are passed over.

    Raises:
        NotFoundError, UsageError: see `rows.read`; a malformed `fields`; no row says whether its texts are the same.
    """
    number = n_said = 0
    for number, row in enumerate(read(file, ("a", "b", "label")), 1):
        said, label = row.get("merge_ok"), str(row["label"])
        same = said if isinstance(said, bool) else True if label in SAME else False if label in DIFFERENT else None
        if same is not None:
            n_said += 1
            yield Example(_side(row, "a", file, number), _side(row, "b", file, number), same)
    if not n_said:
        known = ", ".join(sorted(SAME | DIFFERENT))
        raise UsageError(
            f"{file} has no pair whose label says whether its texts are the same, in {number} rows; labels are {known}"
        )


def _side(row: Mapping[str, Any], side: str, file: Path, number: int) -> Candidate:
    fields = row.get("fields") or {}
    own = fields.get(side, {}) if isinstance(fields, dict) else None
    if not isinstance(own, dict):
        raise UsageError(f"{file}, row {number}: fields has to be {{'a': {{name: value}}, 'b': {{name: value}}}}")
    told = tuple((str(name), str(value)) for name, value in own.items())
    content, tag = str(row[side]), row.get(f"lang_{side}")
    language = tag if isinstance(tag, str) and tag else UNKNOWN_LANGUAGE
    return Candidate(content, text.content_hash(content), language=language, fields=told)


def decided(ledger: Ledger) -> Iterator[Example]:
    """Examples that people decided, oldest decision first: merges are duplicates, what was kept apart is distinct.

    Decisions that were taken back do not count, nor do those of the ladder itself, nor texts that are gone.
    """
    for decision in reversed(_decisions(ledger)):
        yield from _merged(ledger, decision) if decision.verb is Verb.MERGE else _apart(ledger, decision)


def _decisions(ledger: Ledger) -> list[Decision]:
    found: list[Decision] = []
    before: int | None = None
    while page := ledger.decisions((Verb.MERGE, *APART), before, PAGE):
        found += [d for d in page if d.live and d.actor != POLICY]
        before = page[-1].seq
    return found


def _merged(ledger: Ledger, decision: Decision) -> Iterator[Example]:
    members = ledger.members(decision.members)
    first, *others = decision.members
    for other in others:
        if first in members and other in members:
            yield Example(_candidate(members[first].segment), _candidate(members[other].segment), True)


def _apart(ledger: Ledger, decision: Decision) -> Iterator[Example]:
    hashes = sorted({h for pair in decision.detail.pairs for h in pair})
    blocks = ledger.same_content(decision.collection, hashes)
    ids = ledger.members_of(blocks=sorted({b for found in blocks.values() for b in found}))
    texts = {m.segment.content_hash: m.segment for m in ledger.members(ids).values()}
    for a, b in decision.detail.pairs:
        if a in texts and b in texts:
            yield Example(_candidate(texts[a]), _candidate(texts[b]), False)


def _candidate(segment: Any) -> Candidate:
    return Candidate(segment.text, segment.content_hash, segment.kind, segment.language, segment.section_role)


def unique(examples: Iterable[Example]) -> list[Example]:
    """Each pair once, in order; exact repeats are left out, and so are pairs that were labelled both ways."""
    found: dict[tuple[str, str], list[Example]] = {}
    for example in examples:
        one, two = sorted((example.a.content_hash, example.b.content_hash))
        if one != two and max(len(example.a.text), len(example.b.text)) <= LONGEST:
            found.setdefault((one, two), []).append(example)
    return [told[0] for told in found.values() if len({e.same for e in told}) == 1]


def looked_at(examples: Sequence[Example], embedder: Embedder, on_pairs: Callable[[int], None]) -> Labelled:
    """Features of examples, in order, grouped by shared texts.

    Raises:
        EmbeddingError: the embedder failed.
    """
    rows: list[tuple[float, ...]] = []
    for at in range(0, len(examples), BATCH):
        part = examples[at : at + BATCH]
        rows += _rows(part, embedder)
        on_pairs(len(part))
    return Labelled(np.array(rows).reshape(len(rows), len(NAMES)), tuple(e.same for e in examples), _groups(examples))


def _rows(part: Sequence[Example], embedder: Embedder) -> Iterator[tuple[float, ...]]:
    texts = list(dict.fromkeys(t for e in part for t in (e.a.text, e.b.text)))
    vectors = dict(zip(texts, embedder.embed(texts), strict=True))
    pieces = dict(zip(texts, embedder.embed_pieces(texts), strict=True)) if isinstance(embedder, PieceEmbedder) else {}
    for e in part:
        a, b = e.a.text, e.b.text
        near = nearness(a, b, pieces[a], pieces[b]) if pieces else None
        yield features(Compared(e.a, e.b, canonical_cosine(vectors[a], vectors[b]), near))


def _groups(examples: Sequence[Example]) -> tuple[str, ...]:
    """Name of each example's group: examples that a chain of shared texts connects are in one."""
    above: dict[str, str] = {}

    def root(name: str) -> str:
        while (up := above.setdefault(name, name)) != name:
            above[name] = name = above.setdefault(up, up)
        return name

    for e in examples:
        one, two = sorted((root(e.a.content_hash), root(e.b.content_hash)))
        above[two] = one
    return tuple(root(e.a.content_hash) for e in examples)


def made(
    folder: Path, seen: Labelled, embedder: str, told: Mapping[str, Any], wanted: TrainingOptions, keep_trees: bool
) -> tuple[Artefact, TrainingFigures]:
    """Train a judge, or calibrate the shipped one anew, and write it into a folder.

    Args:
        folder: where it goes.
        seen: labelled features.
        embedder: fingerprint of the model that they come from.
        told: description of the pairs and their licence.
        wanted: what is asked.
        keep_trees: only fit calibration and cut-offs to the shipped judge.

    Raises:
        UsageError: too few pairs, or one side missing.
        ArtefactError: the shipped judge is of another embedder, or the folder cannot be written.
    """
    if not keep_trees:
        body, figures = trained(seen, embedder, told, wanted)
    else:
        shipped = load()
        if shipped.embedder != embedder:
            reason = (
                f"its trees read similarities of {shipped.embedder!r}, not of {embedder!r}; train without --keep-trees"
            )
            raise ArtefactError(shipped.name, reason)
        body, figures = recalibrated(seen, shipped, told, wanted)
    return write(folder, body), figures


@dataclass(frozen=True, slots=True)
class Measured:
    """What a judge makes of labelled pairs.

    Attributes:
        figures: over all pairs; `band` over those at or above `clear_below` only.
        opinions: pairs by (is a duplicate, opinion).
        probabilities: in the order of the examples.
    """

    figures: TrainingFigures
    band: TrainingFigures | None
    opinions: dict[tuple[bool, Opinion], int]
    probabilities: tuple[float, ...]


def measure(judge: LocalJudge, examples: Sequence[Example], seen: Labelled, clear_below: float) -> Measured:
    """Put every pair to a judge as a question with one match, and count."""
    line, trees, ends = judge.artefact.calibration, judge.artefact.forest, judge.artefact.cuts
    said = [line.probability(trees.score(row)) for row in seen.rows]
    opinions: dict[tuple[bool, Opinion], int] = {}
    for e, p in zip(examples, said, strict=True):
        opinion = Opinion.DUPLICATE if p >= ends.high else Opinion.DISTINCT if p <= ends.low else Opinion.UNSURE
        opinions[e.same, opinion] = opinions.get((e.same, opinion), 0) + 1
    near = np.flatnonzero(seen.rows[:, 0] >= clear_below)
    band = None
    if len(near):
        band = measured(seen.rows[near], [said[n] for n in near], [seen.same[n] for n in near], ends)
    return Measured(measured(seen.rows, said, seen.same, ends), band, opinions, tuple(said))
