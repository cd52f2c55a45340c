"""Digest of the guards' results on some thousand pairs of texts: equal before and after a pure speed change.

The pairs of the case files and of the guards' probe; pairs of the evaluation data drawn at random; some of them
with parts exchanged, in other languages, and with characters inserted and removed. Of each pair, in both orders: its
tokens, its comparison, and what every guard objects to.

    python -m benchmarks.same_answers [--pairs 5000] [--out FILE]

With `--out` every answer goes to a line of a file, so that `diff` shows the first that differs.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import sys
import time
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.evaluation_data import ROOT, needed
from saidonce.foundation.model import UNKNOWN_LANGUAGE, Candidate
from saidonce.foundation.settings.policy import CANONICAL, GATE, REPEAT
from saidonce.foundation.text import content_hash
from saidonce.matching import facts
from saidonce.matching.facts.analyse import analyse
from saidonce.matching.guards import CANONICAL_GUARDS, COVERING_GUARDS, adds_figures, guards_name

SHARES = {
    "pairs.jsonl.gz": 0.5,
    "doc_pairs.jsonl.gz": 0.15,
    "coexisting_pairs.jsonl.gz": 0.08,
    "kb_citizens_pairs.jsonl.gz": 0.08,
    "kb_nist_pairs.jsonl.gz": 0.05,
    "summedits.jsonl.gz": 0.14,
}
"""Part of the drawn pairs that is of each file of the evaluation data."""

GUARDS = tuple(dict.fromkeys((*CANONICAL_GUARDS, *COVERING_GUARDS)))
LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pl", "pt", "ar", "zh", "ja", "ga", "und", "ru")
NOISE = "0123456789.,:-/%$€°#@`'’|()[]<>=*_+ \n"
SEED = 17

Pair = tuple[str, str, str]
"""Two texts, and the language they are read in."""


def cases(folder: Path) -> Iterator[Pair]:
    """Yield the pairs of all case files, by file, and those of the probe."""
    for file in sorted(folder.rglob("*.toml")):
        language = file.stem if file.parent.name == "languages" else UNKNOWN_LANGUAGE
        yield from _pairs_in(tomllib.loads(file.read_text("utf-8")), language)
    yield from _pairs_in(facts.table("probe"), UNKNOWN_LANGUAGE)


def _pairs_in(node: Any, language: str) -> Iterator[Pair]:
    if isinstance(node, dict):
        language = node["language"] if node.get("language") in LANGUAGES else language
        if isinstance(node.get("a"), str) and isinstance(node.get("b"), str):
            yield node["a"], node["b"], language
    for inner in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from _pairs_in(inner, language)


def drawn_pairs(n: int, random: Random) -> list[Pair]:
    """Yield about this number of random pairs of the evaluation data, and variants of a third of them."""
    plain: list[Pair] = []
    for name, share in SHARES.items():
        with gzip.open(needed(name), "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        few = random.sample(rows, min(len(rows), round(n * share)))
        plain += [(row["a"], row["b"], row.get("lang_a") or random.choice(("en", UNKNOWN_LANGUAGE))) for row in few]
    others: list[Pair] = []
    for a, b, language in random.sample(plain, len(plain) // 8):
        other = random.choice(plain)
        others += [(a, other[1], language), (a, b, random.choice(LANGUAGES)), (_noisy(a, random), b, language)]
    for a, b, language in random.sample(plain, len(plain) // 100):
        others.append((" ".join([a] * 40), "\n".join([b, random.choice(plain)[0]] * 30), language))
    return plain + others


def _noisy(text: str, random: Random) -> str:
    characters = list(text)
    for _ in range(max(1, len(characters) // 12)):
        at = random.randrange(len(characters) + 1)
        kept = characters[at : at + 1] if random.random() < 0.5 else []
        characters[at : at + 1] = [random.choice(NOISE), *(c.upper() for c in kept)]
    return "".join(characters)


def answers(pair: Pair) -> Iterator[object]:
    """Yield the tokens of two texts, and the results of the guards, in both orders."""
    a, b, language = pair
    yield from (analyse(a, language), analyse(b, language))
    one, two = (Candidate(text, content_hash(text), language=language) for text in (a, b))
    for x, y in ((one, two), (two, one)):
        yield from (facts.compare(x.text, y.text, language), facts.covers(x.text, y.text, language))
        yield from ((guard.__name__, tuple(guard(x, y))) for guard in GUARDS)
        yield adds_figures(x, y)


def stable_repr(answer: object) -> str:
    """Return a representation of a value that is equal in every run, independent of the order of sets."""
    if is_dataclass(answer) and not isinstance(answer, type):
        return f"{type(answer).__name__}({', '.join(stable_repr(getattr(answer, f.name)) for f in fields(answer))})"
    if isinstance(answer, frozenset | set):
        return f"{{{', '.join(sorted(map(stable_repr, answer)))}}}"
    if isinstance(answer, tuple | list):
        return f"({', '.join(map(stable_repr, answer))})"
    return repr(answer)


def main(arguments: Sequence[str]) -> int:
    """Print the number of pairs, the digest of all answers, and the processor time of finding and showing them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.same_answers", description=__doc__)
    parser.add_argument("--pairs", type=int, default=5_000)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args(arguments)
    pairs = [*cases(ROOT / "tests/cases"), *drawn_pairs(options.pairs, Random(SEED))]
    names = [guards_name(policy) for policy in (CANONICAL, REPEAT, GATE)]
    start, digest = time.process_time(), hashlib.sha256()
    out = options.out.open("w", encoding="utf-8", errors="backslashreplace") if options.out else None
    try:
        for pair in pairs:
            for answer in (pair, *answers(pair)):
                line = stable_repr(answer)
                digest.update(line.encode("utf-8", "backslashreplace"))
                if out is not None:
                    out.write(f"{line}\n")
    finally:
        if out is not None:
            out.close()
    took = time.process_time() - start
    sys.stdout.write(f"guards {' '.join(names)}\n")
    sys.stdout.write(f"{len(pairs):,} pairs, digest {digest.hexdigest()[:32]}, {took:.0f} s of processor time\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
