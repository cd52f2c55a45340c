"""Step 1 of `make judge`: read the labelled pairs, script more, and write all of them as tokens.

`python -m training.judge.prepare --data ../shared/data --tokenizer tokenizer.json --out .judge/pairs.jsonl`
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from saidonce.adapters.judge.encoding import encode
from saidonce.foundation.wordpiece import WordPiece
from training.judge import pairs

N_SENTENCES = 4_500
"""Sentences of manuals that are altered, each up to four times."""

LABELS = {True: "same", False: "changed", None: "unknown"}


def main() -> None:
    """Write one line for each pair: its fields, and `ids` and `kinds` of both orders; None if it is too long."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    if absent := pairs.missing(options.data):
        sys.exit(f"training needs {', '.join(absent)} in {options.data}; give the folder with --data")
    tokenizer = WordPiece(options.tokenizer.read_bytes())
    counts: Counter[tuple[str, str, bool | None]] = Counter()
    labelled = pairs.read(options.data)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    with options.out.open("w", encoding="utf-8") as out:
        for pair in (*labelled, *pairs.scripted(options.data, N_SENTENCES), *pairs.recombined(labelled)):
            reduced = pairs.compared(pair)
            both = encode(tokenizer, reduced.a, reduced.b)
            counts[pair.source, pair.part, pair.same] += 1
            encoded = None if both is None else [{"ids": e.ids, "kinds": e.kinds} for e in both]
            fields = {**asdict(reduced), "group": pair.original or pair.id, "encoded": encoded}
            out.write(json.dumps(fields, ensure_ascii=False) + "\n")
    for (source, part, same), n in sorted(counts.items(), key=str):
        print(f"{source:18} {part:6} {LABELS[same]:8} {n:6}")


if __name__ == "__main__":
    main()
