from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import examples
from saidonce.adapters.embed.minilm import MiniLM
from saidonce.adjudication.local_judge import NAMES, Compared, features, nearness
from saidonce.foundation.model import Candidate
from saidonce.matching.likeness.features import ABSENT
from saidonce.matching.likeness.words import weight_of, words_of
from saidonce.matching.vectors import canonical_cosine

CASES = tomllib.loads((Path(__file__).parents[2] / "cases/local_judge/features.toml").read_text("utf-8"))["case"]


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return MiniLM(1)


def candidate(text: str, fields: dict[str, str] | None = None) -> Candidate:
    return Candidate(text, "", language="en", fields=tuple((fields or {}).items()))


def seen(model: MiniLM, a: Candidate, b: Candidate) -> dict[str, float]:
    one, two = model.embed_pieces([a.text, b.text])
    similarity = canonical_cosine(*model.embed([a.text, b.text]))
    return dict(zip(NAMES, features(Compared(a, b, similarity, nearness(a.text, b.text, one, two))), strict=True))


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["name"])
def test_cases(case: dict[str, Any], model: MiniLM) -> None:
    a, b = candidate(case["a"], case.get("fields_a")), candidate(case["b"], case.get("fields_b"))
    found = seen(model, a, b)
    for name, wanted in case["expect"].items():
        low, _, high = wanted.partition("..")
        assert float(low) <= found[name] <= float(high or low), f"{name} is {found[name]}, not {wanted}"
    assert seen(model, b, a) == found


def test_every_feature_is_named_once_and_none_is_missing() -> None:
    assert len(set(NAMES)) == len(NAMES)
    assert len(features(Compared(candidate("a b"), candidate("b c"), 0.5))) == len(NAMES)


def test_without_pieces_what_the_embedder_sees_is_absent_and_the_rest_stays(model: MiniLM) -> None:
    a, b = candidate("Close the valve."), candidate("Open the valve.")
    without = dict(zip(NAMES, features(Compared(a, b, 0.5)), strict=True))
    full = seen(model, a, b)
    blind = [name for name in NAMES if name.startswith("seen_")]
    assert all(without[name] == ABSENT and full[name] != ABSENT for name in blind if "second" not in name)
    assert all(without[name] == full[name] for name in NAMES if name not in (*blind, "similarity"))


@settings(max_examples=examples(20, 60), deadline=None)
@given(st.text(max_size=60), st.text(max_size=60), st.floats(-1, 1))
def test_any_two_texts_have_finite_features_that_do_not_depend_on_order(a: str, b: str, similarity: float) -> None:
    one, two = candidate(a), candidate(b)
    found = features(Compared(one, two, similarity))
    assert np.isfinite(found).all()
    assert features(Compared(two, one, similarity)) == found


def test_pieces_belong_to_the_words_that_they_are_part_of(model: MiniLM) -> None:
    text = "Unaffordability, 12.5 km away"
    (offsets, rows) = model.embed_pieces([text])[0]
    near = nearness(text, text, (offsets, rows), (offsets, rows))
    assert [w.written for w in words_of(text)] == ["Unaffordability", "12.5", "km", "away"]
    assert near.shape == (4, 4)
    assert np.allclose(np.diag(near), 1.0)
    assert (near - np.diag(np.diag(near)) < 0.95).all()


def test_a_word_without_pieces_is_near_nothing() -> None:
    nothing = (np.zeros((0, 2), dtype=np.intp), np.zeros((0, 3), dtype=np.float32))
    assert (nearness("one two", "one", nothing, nothing) == 0).all()


def test_rare_words_weigh_more() -> None:
    assert weight_of("the") == 0.0 < weight_of("manager") < weight_of("reconcile") < weight_of("qwxzy") == 1.0
