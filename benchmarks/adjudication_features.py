"""Features of labelled pairs; what the model says of them is kept outside the repository, so a second run embeds nothing."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

import numpy as np
from benchmarks.adjudication_rows import Row
from numpy.typing import NDArray

from saidonce.embed import minilm
from saidonce.embed.minilm import MiniLM
from saidonce.embed.rows import unit_rows
from saidonce.learned.features import Compared, features
from saidonce.learned.words import Pieces, nearness, words_of
from saidonce.model import Candidate, Vector
from saidonce.text import content_hash
from saidonce.vectors import canonical_cosine

CACHE = Path(os.environ.get("ADJUDICATION_CACHE", "/tmp/local_cache"))
BATCH = 100


def matrix(rows: Sequence[Row]) -> NDArray[np.float64]:
    """Features of each row, shape (n, n_features), in the order of the rows."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(2) as pool:
        found = list(pool.map(_batch, [rows[at : at + BATCH] for at in range(0, len(rows), BATCH)]))
    return np.concatenate(found)


def _batch(rows: Sequence[Row]) -> NDArray[np.float64]:
    told = "\x1e".join(f"{r.a}\x1f{r.b}" for r in rows)
    path = CACHE / f"{hashlib.sha256(told.encode('utf-8', 'replace')).hexdigest()[:24]}.npz"
    if not path.is_file():
        _save(path, rows)
    kept = np.load(path)
    at, made = 0, []
    for n, row in enumerate(rows):
        shape = (len(words_of(row.a)), len(words_of(row.b)))
        near = kept["near"][at : at + shape[0] * shape[1]].astype(np.float64).reshape(shape)
        at += near.size
        a, b = (
            Candidate(text, content_hash(text), language="en", fields=fields)
            for text, fields in ((row.a, row.fields_a), (row.b, row.fields_b))
        )
        made.append(features(Compared(a, b, float(kept["similarity"][n]), near)))
    return np.array(made)


def _save(path: Path, rows: Sequence[Row]) -> None:
    seen = _seen(list(dict.fromkeys(t for row in rows for t in (row.a, row.b))))
    similarity = [canonical_cosine(seen[r.a][0], seen[r.b][0]) for r in rows]
    near = [nearness(r.a, r.b, seen[r.a][1], seen[r.b][1]).ravel() for r in rows]
    np.savez(path, similarity=np.array(similarity), near=np.concatenate(near).astype(np.float32))


@cache
def _model() -> MiniLM:
    return MiniLM(1)


def _seen(texts: Sequence[str]) -> dict[str, tuple[Vector, Pieces]]:
    """Vector and pieces of each text from one run: what `embed` and `embed_pieces` give, at half the cost."""
    model = _model()
    encodings = model._loaded_tokenizer().encode_batch(list(texts), add_special_tokens=False)
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
