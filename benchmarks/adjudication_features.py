"""Features of labelled pairs, cached outside the repository so that a second run embeds nothing."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.adjudication_rows import Row
from saidonce.adapters.embed import minilm
from saidonce.adapters.embed.minilm import MiniLM
from saidonce.adapters.embed.rows import unit_rows
from saidonce.foundation.model import Candidate, Vector
from saidonce.foundation.text import content_hash, digest
from saidonce.matching.likeness import words as room
from saidonce.matching.likeness.features import Compared, features
from saidonce.matching.likeness.words import Pieces, nearness, words_of
from saidonce.matching.vectors import canonical_cosine

CACHE = Path(os.environ.get("ADJUDICATION_CACHE", "/tmp/local_cache"))
BATCH = 50

Seen = tuple[float, NDArray[np.float32]]
"""Similarity of a pair, and its words' nearness, flat."""


def matrix(rows: Sequence[Row]) -> NDArray[np.float64]:
    """Return the features of each row, shape (n, n_features), in the order of the rows."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(CACHE / "pairs.db", timeout=60)) as kept:
        kept.execute("create table if not exists seen (key text primary key, similarity real, near blob)")
        kept.execute("create table if not exists told (key text primary key, features blob)")
        missing = [r for r in rows if not kept.execute("select 1 from told where key = ?", (_digest(r),)).fetchone()]
        batches = [missing[at : at + BATCH] for at in range(0, len(missing), BATCH)]
        with ProcessPoolExecutor(2) as pool:
            for batch, made in zip(batches, pool.map(_batch, batches), strict=True):
                for row, (similarity, near, told) in zip(batch, made, strict=True):
                    seen = (_key(row), similarity, near.tobytes())
                    kept.execute("insert or replace into seen values (?, ?, ?)", seen)
                    kept.execute("insert or replace into told values (?, ?)", (_digest(row), told.tobytes()))
                kept.commit()
        stored = [kept.execute("select features from told where key = ?", (_digest(r),)).fetchone()[0] for r in rows]
    return np.array([np.frombuffer(blob, dtype=np.float64) for blob in stored])


def _key(row: Row) -> str:
    return digest(row.a, row.b)


def _digest(row: Row) -> str:
    return digest(_code(), row.a, row.b, str(row.fields_a), str(row.fields_b))


@cache
def _code() -> str:
    return digest(*((Path(room.__file__).parent / name).read_text() for name in ("features.py", "words.py")))


def _batch(rows: Sequence[Row]) -> list[tuple[float, NDArray[np.float32], NDArray[np.float64]]]:
    with closing(sqlite3.connect(CACHE / "pairs.db", timeout=60)) as kept:
        known = [kept.execute("select similarity, near from seen where key = ?", (_key(r),)).fetchone() for r in rows]
    fresh = iter(_looked([r for r, k in zip(rows, known, strict=True) if k is None]))
    results = []
    for row, told in zip(rows, known, strict=True):
        similarity, near = (told[0], np.frombuffer(told[1], dtype=np.float32)) if told else next(fresh)
        shape = (len(words_of(row.a)), len(words_of(row.b)))
        a, b = (
            Candidate(text, content_hash(text), language="en", fields=fields)
            for text, fields in ((row.a, row.fields_a), (row.b, row.fields_b))
        )
        values = features(Compared(a, b, similarity, near.astype(np.float64).reshape(shape)))
        results.append((similarity, near, np.array(values)))
    return results


def _looked(rows: Sequence[Row]) -> list[Seen]:
    if not rows:
        return []
    seen = _vectors_and_pieces(list(dict.fromkeys(t for row in rows for t in (row.a, row.b))))
    return [
        (
            canonical_cosine(seen[r.a][0], seen[r.b][0]),
            nearness(r.a, r.b, seen[r.a][1], seen[r.b][1]).ravel().astype(np.float32),
        )
        for r in rows
    ]


@cache
def _model() -> MiniLM:
    return MiniLM(1)


def _vectors_and_pieces(texts: Sequence[str]) -> dict[str, tuple[Vector, Pieces]]:
    """Return the vector and pieces of each text from one run, as `embed` and `embed_pieces`, at half the cost."""
    model = _model()
    encodings = list(map(model._loaded_tokenizer().encode, texts))
    windows = [(place, window) for place, e in enumerate(encodings) for window in minilm._windows(e.ids)]
    total = np.zeros((len(texts), minilm.DIM))
    layers: list[NDArray[np.float32]] = [np.empty(0, np.float32)] * len(windows)
    for batch in minilm._batches(windows):
        hidden = minilm._run(model._loaded_session(), [windows[at][1] for at in batch])
        for at, layer in zip(batch, hidden, strict=True):
            layers[at] = layer
    own: list[list[NDArray[np.float32]]] = [[] for _ in texts]
    for (place, _), layer in zip(windows, layers, strict=True):
        for row in layer:
            total[place] += row
        own[place].append(layer[1:-1])
    vectors = unit_rows(total, minilm.MODEL)
    return {
        text: (vectors[n], (np.array(e.offsets, dtype=np.intp).reshape(-1, 2), _unit(np.concatenate(own[n]))))
        for n, (text, e) in enumerate(zip(texts, encodings, strict=True))
    }


def _unit(rows: NDArray[np.float32]) -> Vector:
    return unit_rows(rows.astype(np.float64), minilm.MODEL)
