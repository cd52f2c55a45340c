"""Made-up documents with known repeats, for benchmarks, reproducible by seed."""

from __future__ import annotations

import hashlib

import numpy as np

from saidonce.foundation.model import Vector

_NOUNS = (
    "backup invoice tenant ticket server report contract review audit password retention export upload region cluster "
    "policy customer vendor meeting release incident owner manager request approval archive device network account"
).split()
_VERBS = (
    "keeps reviews exports approves deletes encrypts archives renews checks reports restores escalates logs signs"
).split()
_SYLLABLES = [a + b for a in "b c d f g h k l m n p r s t v w".split() for b in ("a", "e", "i", "o", "u")]
VOCABULARY = 30_000
_REST = ["every week", "on request", "before the audit", "after the release", "in the main region", "by hand"]


def words(rng: np.random.Generator, n: int) -> list[str]:
    """Return made-up words of three syllables, common ones often, as in real texts (rank log-uniform)."""
    ranks = np.floor(VOCABULARY ** rng.random(n)).astype(int)
    base = len(_SYLLABLES)
    return [_SYLLABLES[r % base] + _SYLLABLES[r // base % base] + _SYLLABLES[r // base**2 % base] for r in ranks]


def _pick(options: list[str], *key: object) -> str:
    digest = hashlib.blake2b(repr(key).encode(), digest_size=4).digest()
    return options[int.from_bytes(digest) % len(options)]


def sentence(*key: object) -> str:
    """Return one sentence of about twelve words."""
    return (
        f"The {_pick(_NOUNS, key, 1)} {_pick(_NOUNS, key, 2)} team {_pick(_VERBS, key, 3)} the {_pick(_NOUNS, key, 4)} "
        f"{_pick(_NOUNS, key, 5)} {_pick(_REST, key, 6)} and {_pick(_VERBS, key, 7)} the {_pick(_NOUNS, key, 8)}."
    )


def paragraph(*key: object, n_sentences: int = 5) -> str:
    """Return a paragraph of about sixty words."""
    return " ".join(sentence(*key, n) for n in range(n_sentences))


def document(number: int, n_paragraphs: int = 8) -> bytes:
    """Return a Markdown document; one paragraph in eight repeats another of the same document, in two variants."""
    lines = [f"# Document {number} about {_pick(_NOUNS, number)}", ""]
    for n in range(n_paragraphs):
        lines += [f"## Section {n}", "", paragraph(number, n), ""]
    lines += ["## Again", "", paragraph(number, 0), "", paragraph(number, 1).replace("team", "group"), ""]
    return "\n".join(lines).encode()


def varied_document(number: int, n_paragraphs: int = 8) -> bytes:
    """Return such a document with a large vocabulary, so that many documents differ like real ones."""
    rng = np.random.default_rng([3, number])
    paragraphs = [_varied_paragraph(rng) for _ in range(n_paragraphs)]
    lines = [f"# {' '.join(words(rng, 4)).capitalize()}", ""]
    for paragraph_ in paragraphs:
        lines += [f"## {' '.join(words(rng, 3)).capitalize()}", "", paragraph_, ""]
    lines += ["## Again", "", paragraphs[0], "", paragraphs[1].replace(". ", ", ", 1), ""]
    return "\n".join(lines).encode()


def _varied_paragraph(rng: np.random.Generator, n_sentences: int = 5) -> str:
    sentences = [words(rng, 12) for _ in range(n_sentences)]
    sentences[int(rng.integers(n_sentences))][6] = str(int(rng.integers(2, 900)))
    return " ".join(" ".join(s).capitalize() + "." for s in sentences)


def near_vectors(n: int, dim: int, share_near: float, seed: int) -> Vector:
    """Return unit rows, shape (n, dim) float32; a share of them within cosine 0.92 to 0.99 of an earlier row."""
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((n, dim))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    for i in range(1, n):
        if rng.random() < share_near:
            noise = rng.standard_normal(dim)
            noise /= np.linalg.norm(noise)
            rows[i] = rows[rng.integers(i)] + rng.uniform(0.15, 0.4) * noise
    unit: Vector = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit
