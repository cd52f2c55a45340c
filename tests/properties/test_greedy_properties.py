"""What must hold for every selection, whatever the texts: seed 001's guarantees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from saidonce.foundation.model import Candidate, FactKind, Kind, Objection, Relation, Segment, Span, Vector
from saidonce.foundation.settings.policy import load_settings
from saidonce.kb.ingest.repeats import remove_repeats
from saidonce.matching.ladder import keep_first
from saidonce.matching.vectors import canonical_cosine, near_pairs

THRESHOLD = 0.90
OBJECTION = Objection(FactKind.NUMBER, Span(0, 0, ""), Span(0, 0, ""))


@st.composite
def crowds(draw: st.DrawFn) -> tuple[list[Candidate], Vector]:
    """Texts around a few centres, many of them close to the threshold, some said word for word again."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, dim = draw(st.integers(1, 24)), draw(st.sampled_from([2, 3, 8, 32]))
    centres = rng.standard_normal((draw(st.integers(1, 4)), dim))
    noise = rng.choice([0.0, 1e-6, 0.1, 0.3, 0.5], (n, 1)) * rng.standard_normal((n, dim))
    rows = centres[rng.integers(0, len(centres), n)] + noise
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    vectors = rows.astype(np.float32)
    texts: list[Candidate] = []
    for place in range(n):
        again = draw(st.booleans()) and place > 0
        of = draw(st.integers(0, place - 1)) if again else place
        texts.append(texts[of] if again else Candidate(f"text {place}", f"hash {place}"))
        if again:
            vectors[place] = vectors[of]
    return texts, vectors


def objects(a: Candidate, b: Candidate) -> Sequence[Objection]:
    """Hold some pairs apart, always the same ones."""
    return (OBJECTION,) if (sum(map(ord, a.text)) * sum(map(ord, b.text))) % 5 == 0 else ()


@given(crowds(), st.booleans())
def test_every_dropped_text_points_at_a_kept_one_at_or_above_the_threshold(
    crowd: tuple[list[Candidate], Vector], guarded: bool
) -> None:
    texts, vectors = crowd
    fates = keep_first(texts, near_pairs(vectors, THRESHOLD), [objects] if guarded else [])
    for fate in fates:
        kept = fates[fate.of]
        assert kept.relation is Relation.KEPT
        assert kept.of == kept.index
        if fate.relation is Relation.NEAR:
            assert fate.of < fate.index
            assert fate.similarity == canonical_cosine(vectors[fate.index], vectors[fate.of]) >= THRESHOLD
            assert not guarded or not objects(texts[fate.index], texts[fate.of])
        if fate.relation is Relation.EXACT:
            assert texts[fate.index].content_hash == texts[fate.of].content_hash


@given(crowds())
def test_never_are_all_instances_of_a_concept_removed(crowd: tuple[list[Candidate], Vector]) -> None:
    texts, vectors = crowd
    fates = keep_first(texts, near_pairs(vectors, THRESHOLD), [objects])
    kept = [f.index for f in fates if f.relation is Relation.KEPT]
    assert kept[0] == 0
    for place, vector in enumerate(vectors):
        assert any(canonical_cosine(vector, vectors[k]) >= THRESHOLD or k == place for k in kept)
    assert {t.content_hash for t in texts} == {
        texts[f.index].content_hash for f in fates if f.relation is not Relation.EXACT
    }


@given(crowds())
def test_without_guards_no_two_kept_texts_are_repeats(crowd: tuple[list[Candidate], Vector]) -> None:
    texts, vectors = crowd
    fates = keep_first(texts, near_pairs(vectors, THRESHOLD), [])
    kept = [f.index for f in fates if f.relation is Relation.KEPT]
    assert all(canonical_cosine(vectors[i], vectors[j]) < THRESHOLD for i in kept for j in kept if i < j)


@given(crowds(), st.randoms(use_true_random=False))
def test_the_same_input_gives_the_same_fates_in_whatever_order_pairs_come(
    crowd: tuple[list[Candidate], Vector], chance: Random
) -> None:
    texts, vectors = crowd
    pairs = near_pairs(vectors, THRESHOLD)
    first = keep_first(texts, pairs, [objects])
    assert [f.index for f in first] == list(range(len(texts)))
    chance.shuffle(pairs)
    assert keep_first(texts, pairs, [objects]) == first


@given(crowds(), st.integers(1, 24))
def test_what_comes_later_changes_nothing_about_what_came_before(crowd: tuple[list[Candidate], Vector], n: int) -> None:
    texts, vectors = crowd
    whole = keep_first(texts, near_pairs(vectors, THRESHOLD), [objects])
    part = keep_first(texts[:n], near_pairs(vectors[:n], THRESHOLD), [objects])
    assert whole[:n] == part


def segments(texts: Sequence[Candidate], saliences: Sequence[float]) -> list[Segment]:
    plain = Segment("", 0, Kind.PARAGRAPH, "", (), None, "und", "", 1, "")
    return [
        replace(plain, id=f"{place:032x}", ordinal=place, text=t.text, content_hash=t.content_hash, salience=s)
        for place, (t, s) in enumerate(zip(texts, saliences, strict=False))
    ]


@given(crowds(), st.lists(st.sampled_from([0.0, 0.04, 0.05, 0.3, 0.3, 0.9]), min_size=24, max_size=24))
def test_every_segment_of_a_document_has_a_fate_and_the_most_salient_are_kept(
    crowd: tuple[list[Candidate], Vector], saliences: list[float]
) -> None:
    texts, vectors = crowd
    settings = load_settings()
    given_segments = segments(texts, saliences)
    found = remove_repeats(given_segments, list(vectors), settings)
    by_id = {s.id: s for s in given_segments}
    fates = {f.segment_id: f for f in found.fates}
    assert [f.segment_id for f in found.fates] == list(by_id)
    for fate in found.fates:
        segment = by_id[fate.segment_id]
        assert (fate.relation is None) is (segment.salience < settings.salience_floor)
        if fate.relation is not None:
            assert fates[fate.of].relation is Relation.KEPT
            assert by_id[fate.of].salience >= segment.salience
    assert all(boost > 0 and fates[kept].relation is Relation.KEPT for kept, boost in found.boosts.items())
