"""Train and measure a local judge on an organisation's decisions, or on labelled pairs."""

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
from saidonce.quality.groups import NameGroups
from saidonce.quality.pairs import DIFFERENT, SAME
from saidonce.quality.rows import read

BATCH = 64

APART = (Verb.KEEP_APART, Verb.CONFLICT, Verb.SPLIT)
"""Verbs of decisions that keep texts apart."""

PAGE = 500


@dataclass(frozen=True, slots=True)
class Example:
    """Two texts and their label."""

    a: Candidate
    b: Candidate
    same: bool


def labelled(file: Path) -> Iterator[Example]:
    """Yield the examples of a JSON lines file: a, b, label, and optionally merge_ok, lang_a, lang_b, fields.

    `fields` holds named values of either text: {"a": {"persona": ...}, "b": {...}}. Rows with a neutral label are
    skipped.

    Raises:
        NotFoundError, UsageError: see `rows.read`; a malformed `fields`; every row has a neutral label.
    """
    number = n_labelled = 0
    for number, row in enumerate(read(file, ("a", "b", "label")), 1):
        stated, label = row.get("merge_ok"), str(row["label"])
        same = stated if isinstance(stated, bool) else True if label in SAME else False if label in DIFFERENT else None
        if same is not None:
            n_labelled += 1
            yield Example(_side(row, "a", file, number), _side(row, "b", file, number), same)
    if not n_labelled:
        labels = ", ".join(sorted(SAME | DIFFERENT))
        raise UsageError(
            f"{file} has no pair whose label says whether its texts are the same, in {number} rows; labels are {labels}"
        )


def _side(row: Mapping[str, Any], side: str, file: Path, number: int) -> Candidate:
    fields = row.get("fields") or {}
    own = fields.get(side, {}) if isinstance(fields, dict) else None
    if not isinstance(own, dict):
        raise UsageError(f"{file}, row {number}: fields must be {{'a': {{name: value}}, 'b': {{name: value}}}}")
    values = tuple((str(name), str(value)) for name, value in own.items())
    content, tag = str(row[side]), row.get(f"lang_{side}")
    language = tag if isinstance(tag, str) and tag else UNKNOWN_LANGUAGE
    return Candidate(content, text.content_hash(content), language=language, fields=values)


def decided(ledger: Ledger) -> Iterator[Example]:
    """Yield people's decisions as examples, oldest first: merges are duplicates, pairs kept apart are distinct.

    Undone decisions, those of the ladder itself, and removed texts do not count.
    """
    for decision in reversed(_decisions(ledger)):
        yield from _merged(ledger, decision) if decision.verb is Verb.MERGE else _apart(ledger, decision)


def _decisions(ledger: Ledger) -> list[Decision]:
    decisions: list[Decision] = []
    before: int | None = None
    while page := ledger.decisions((Verb.MERGE, *APART), before, PAGE):
        decisions += [d for d in page if d.live and d.actor != POLICY]
        before = page[-1].seq
    return decisions


def _merged(ledger: Ledger, decision: Decision) -> Iterator[Example]:
    members = ledger.members(decision.members)
    first, *others = decision.members
    for other in others:
        if first in members and other in members:
            yield Example(_candidate(members[first].segment), _candidate(members[other].segment), True)


def _apart(ledger: Ledger, decision: Decision) -> Iterator[Example]:
    hashes = sorted({h for pair in decision.detail.pairs for h in pair})
    blocks = ledger.same_content(decision.collection, hashes)
    ids = ledger.members_of(blocks=sorted({b for block_ids in blocks.values() for b in block_ids}))
    texts = {m.segment.content_hash: m.segment for m in ledger.members(ids).values()}
    for a, b in decision.detail.pairs:
        if a in texts and b in texts:
            yield Example(_candidate(texts[a]), _candidate(texts[b]), False)


def _candidate(segment: Any) -> Candidate:
    return Candidate(segment.text, segment.content_hash, segment.kind, segment.language, segment.section_role)


def unique(examples: Iterable[Example]) -> list[Example]:
    """Return each pair once, in order, without exact repeats and pairs labelled both ways."""
    by_pair: dict[tuple[str, str], list[Example]] = {}
    for example in examples:
        one, two = sorted((example.a.content_hash, example.b.content_hash))
        if one != two and max(len(example.a.text), len(example.b.text)) <= LONGEST:
            by_pair.setdefault((one, two), []).append(example)
    return [labels[0] for labels in by_pair.values() if len({e.same for e in labels}) == 1]


def compute_features(examples: Sequence[Example], embedder: Embedder, on_pairs: Callable[[int], None]) -> Labelled:
    """Compute the features of examples, in order, grouped by shared texts.

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
    """Return the name of each example's group: a chain of shared texts makes one group."""
    groups = NameGroups()
    for e in examples:
        groups.connect((e.a.content_hash, e.b.content_hash))
    return tuple(groups.root(e.a.content_hash) for e in examples)


def train_judge(
    folder: Path,
    labelled: Labelled,
    embedder: str,
    description: Mapping[str, Any],
    options: TrainingOptions,
    keep_trees: bool,
) -> tuple[Artefact, TrainingFigures]:
    """Train a judge, or recalibrate the shipped one, and write it into a folder.

    Args:
        folder: of the new judge.
        labelled: features with labels.
        embedder: fingerprint of their embedding model.
        description: of the pairs and their licence.
        options: of the training.
        keep_trees: only fit calibration and cut-offs to the shipped judge.

    Raises:
        UsageError: too few pairs, or one side missing.
        ArtefactError: the shipped judge is of another embedder, or the folder cannot be written.
    """
    if not keep_trees:
        body, figures = trained(labelled, embedder, description, options)
    else:
        shipped = load()
        if shipped.embedder != embedder:
            reason = (
                f"its trees read similarities of {shipped.embedder!r}, not of {embedder!r}; train without --keep-trees"
            )
            raise ArtefactError(shipped.name, reason)
        body, figures = recalibrated(labelled, shipped, description, options)
    return write(folder, body), figures


@dataclass(frozen=True, slots=True)
class Measured:
    """A judge's results on labelled pairs.

    Attributes:
        figures: over all pairs; `band` over those at or above `clear_below` only.
        opinions: pairs by (is a duplicate, opinion).
        probabilities: in the order of the examples.
    """

    figures: TrainingFigures
    band: TrainingFigures | None
    opinions: dict[tuple[bool, Opinion], int]
    probabilities: tuple[float, ...]


def measure(judge: LocalJudge, examples: Sequence[Example], labelled: Labelled, clear_below: float) -> Measured:
    """Ask a judge about every pair as a question with one match, and count its opinions."""
    line, trees, ends = judge.artefact.calibration, judge.artefact.forest, judge.artefact.cuts
    probabilities = [line.probability(trees.score(row)) for row in labelled.rows]
    opinions: dict[tuple[bool, Opinion], int] = {}
    for e, p in zip(examples, probabilities, strict=True):
        opinion = Opinion.DUPLICATE if p >= ends.high else Opinion.DISTINCT if p <= ends.low else Opinion.UNSURE
        opinions[e.same, opinion] = opinions.get((e.same, opinion), 0) + 1
    near = np.flatnonzero(labelled.rows[:, 0] >= clear_below)
    band = None
    if len(near):
        band = measured(labelled.rows[near], [probabilities[n] for n in near], [labelled.same[n] for n in near], ends)
    return Measured(measured(labelled.rows, probabilities, labelled.same, ends), band, opinions, tuple(probabilities))
