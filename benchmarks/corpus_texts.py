"""Real sentences for the corpus benchmark; their vectors are cached between runs, outside the repository."""

from __future__ import annotations

import gzip
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.evaluation_data import needed
from saidonce.adapters.embed.minilm import DIM, MODEL, MiniLM
from saidonce.foundation.model import Vector
from saidonce.foundation.text import content_hash, sentences, words

CACHE = Path(os.environ.get("EVALUATION_CACHE") or "/tmp/dedupe_cache")
SHORTEST = 20
LONGEST = 400
BATCH = 2_048
SMOOTH = 1e-3


def _rows(name: str) -> Iterator[dict[str, str]]:
    with gzip.open(needed(name), "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def _groups() -> Iterator[tuple[str, list[str]]]:
    """Yield groups of similar texts by a key: a labelled pair, one page in two releases."""
    for row in _rows("pairs.jsonl.gz"):
        yield row["id"], [row["a"], row["b"]]
    for row in _rows("kb_docs.jsonl.gz"):
        yield row["source"] + row["path"], _sentences(row["markdown"])
    for row in _rows("kb_citizens.jsonl.gz"):
        yield row["topic"], _sentences(row["markdown"])
    origin = {row["_id"]: row["of"] or row["_id"] for row in _rows("retrieval/scifact/polluted_truth.jsonl.gz")}
    for row in _rows("retrieval/scifact/polluted_corpus.jsonl.gz"):
        yield origin.get(row["_id"], row["_id"]), _sentences(row["text"])


def _sentences(document: str) -> list[str]:
    return [span.text for span in sentences(document)]


def real_texts(n: int) -> list[str]:
    """Return the first n different texts of 20 to 400 characters; groups in the order of their hashes."""
    path = CACHE / "texts.json"
    if not path.exists():
        CACHE.mkdir(exist_ok=True)
        texts = [
            text.strip()
            for _, group in sorted(_groups(), key=lambda named: content_hash(named[0]))
            for text in group
            if SHORTEST <= len(text.strip()) <= LONGEST
        ]
        path.write_text(json.dumps(list({content_hash(text): text for text in texts}.values())), encoding="utf-8")
    found: list[str] = json.loads(path.read_text(encoding="utf-8"))
    return found[:n]


def real_vectors(texts: list[str], threads: int = 0) -> Vector:
    """Return vectors of texts from `real_texts` by the built-in model, cached from earlier runs."""
    path = CACHE / f"{MODEL.replace(':', '-')}.f32"
    embedder = MiniLM(threads)
    with path.open("ab") as file:
        n_done = file.tell() // (4 * DIM)
        if n_done < len(texts):
            file.truncate(n_done * 4 * DIM)
        for at in range(n_done, len(texts), BATCH):
            file.write(embedder.embed(texts[at : at + BATCH]).tobytes())
            file.flush()
            sys.stderr.write(f"\rembedded {min(at + BATCH, len(texts))} of {len(texts)}")
    return np.fromfile(path, dtype=np.float32, count=len(texts) * DIM).reshape(len(texts), DIM)


def static_vectors(texts: list[str]) -> Vector:
    """Return vectors in the way of static models: weighted means of the built-in model's vectors of single words.

    Source: Arora et al., "A Simple but Tough-to-Beat Baseline for Sentence Embeddings" (2017), for the weights.
    """
    counts = Counter(word for text in texts for word in words(text))
    known = sorted(counts)
    of_word = dict(zip(known, range(len(known)), strict=True))
    path = CACHE / f"words-{content_hash(' '.join(known))}.npy"
    if not path.exists():
        np.save(path, MiniLM().embed(known))
    total = sum(counts.values())
    weights = np.array([SMOOTH / (SMOOTH + counts[word] / total) for word in known])
    weighted = np.load(path) * weights[:, None]
    sums = np.stack([weighted[[of_word[word] for word in words(text)] or [0]].sum(axis=0) for text in texts])
    sums -= sums.mean(axis=0)
    unit: Vector = (sums / np.linalg.norm(sums, axis=1, keepdims=True)).astype(np.float32)
    return unit


def with_edits(texts: list[str], n: int) -> list[str]:
    """Return at least this number of texts: the given ones, then copies that lack a word or have one twice."""
    edited = dict.fromkeys(texts)
    for text in texts:
        if len(edited) >= n:
            break
        parts = text.split()
        at = sum(map(ord, text)) % len(parts)
        edited[" ".join([*parts[:at], *parts[at + 1 :]])] = None
        edited[" ".join([*parts[: at + 1], *parts[at:]])] = None
    return list(edited)[:n]
