"""What waits for a person after two releases of a documentation went into one canonical collection.

    python -m benchmarks.queue SOURCE [--documents N] [--asks-all] [--sample 50 [--seed 1]] [--json]
    python -m benchmarks.queue --folders OLD NEW

SOURCE is one of the evaluation data's `kb_docs.jsonl.gz`, which has two releases of each; or two folders are read. The
older release goes in first, with the built-in model and default settings. Counts the open pairs by what differs and by
where their two texts stand, and the entries: pairs with one change are one. With --asks-all nothing is told apart
because it stands side by side in both releases. A sample is printed as text, in an order that says nothing, for a
person to read.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.evaluation_data import needed
from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.foundation.context import Source
from saidonce.foundation.model import Verb
from saidonce.foundation.ports import QueueFilter
from saidonce.kb import review
from saidonce.kb.review.groups import GroupedPair, QueuePart, list_pairs

COLLECTION = "docs"

OLD, NEW = "old/", "new/"
"""What the names of the documents of each release begin with."""

RELEASE, PAGE = slice(len(OLD)), slice(len(OLD), None)
"""The parts of such a name."""


def releases(source: str, n_documents: int) -> list[Source]:
    """Return the documents of both releases of a source, the older release first.

    Args:
        source: its name in the data, or the end of it.
        n_documents: of each release at most so many, the same paths in both first; 0 takes all.
    """
    rows = [json.loads(line) for line in gzip.decompress(needed("kb_docs.jsonl.gz").read_bytes()).splitlines()]
    mine = [r for r in rows if r["source"].endswith(source)]
    names = sorted({r["source"] for r in mine})
    if len(names) != 1:
        sys.exit(f"{source!r} is none of {', '.join(sorted({r['source'] for r in rows}))}")
    chosen: list[Source] = []
    versions = sorted({r["version"] for r in mine})
    by_version = {v: {r["path"]: r["markdown"] for r in mine if r["version"] == v} for v in versions}
    both = set.intersection(*(set(pages) for pages in by_version.values()))
    for prefix, version in zip((OLD, NEW), versions, strict=True):
        paths = sorted(by_version[version], key=lambda path: (path not in both, path))
        for path in sorted(paths[: n_documents or None]):
            chosen.append(_source(f"{prefix}{path}", by_version[version][path].encode()))
    return chosen


def folders(old: Path, new: Path) -> list[Source]:
    """Return the files of two folders, the older release first."""
    paths = [(prefix, folder, p) for prefix, folder in ((OLD, old), (NEW, new)) for p in sorted(folder.rglob("*"))]
    return [_source(f"{x}{p.relative_to(folder)}", p.read_bytes()) for x, folder, p in paths if p.is_file()]


def _source(name: str, content: bytes) -> Source:
    return Source(name, lambda: content)


def place(pair: GroupedPair, names: Mapping[str, tuple[str, ...]]) -> str:
    """Say where the two texts of a pair stand: in one document, in both releases, in one, or in one release each.

    Args:
        pair: an open pair.
        names: all names of a document by one of them; a page that is the same in both releases is one document.
    """
    mine, theirs = (
        {name for d in (block.document, *block.documents) for name in names.get(d, (d,))}
        for block in (pair.pair.candidate, pair.pair.kept)
    )
    pages, releases = ([{d[part] for d in each} for each in (mine, theirs)] for part in (PAGE, RELEASE))
    if mine & theirs:
        return "one document has both"
    if set.intersection(*pages):
        return "one page has the one in one release, the other in the other"
    if common := set.intersection(*releases):
        return "both releases have both" if len(common) > 1 else "one release has both"
    return "two pages have one each, in one release each"


def open_pairs(base: KnowledgeBase) -> list[tuple[GroupedPair, str]]:
    """Return the open pairs with where their texts stand."""
    names = {name: d.names for d in base.documents(COLLECTION) for name in d.names}
    return [(g, place(g, names)) for g in list_pairs(base.base, QueuePart(QueueFilter())).pairs]


def run(sources: Sequence[Source], base: KnowledgeBase) -> dict[str, Any]:
    """Take both releases in; return the figures."""
    report = base.ingest(list(sources), COLLECTION)
    placed = open_pairs(base)
    decided = Counter(d.verb for batch in _log(base) for d in batch)
    return {
        "documents": len(report.documents),
        "refused": sum(bool(d.reason) for d in report.documents),
        "pieces": sum(d.n_kept for d in report.documents),
        "merged": decided[Verb.MERGE],
        "flagged": decided[Verb.FLAG],
        "told apart": decided[Verb.KEEP_APART],
        "queue": len(placed),
        "entries": len(review.entries([g for g, _ in placed])),
        "by kind": dict(Counter(str(g.differs) for g, _ in placed).most_common()),
        "by place": dict(Counter(where for _, where in placed).most_common()),
        "by kind and place": dict(Counter(f"{g.differs}, {where}" for g, where in placed).most_common()),
    }


def _log(base: KnowledgeBase) -> Iterable[Sequence[Any]]:
    before = None
    while page := base.decisions(before=before, limit=1_000):
        yield page
        before = page[-1].seq


def text_of(number: int, pair: GroupedPair) -> str:
    """Write a pair as its reader sees it: documents, headings, texts."""
    sides = (("A", pair.pair.kept), ("B", pair.pair.candidate))
    shown = [f"{name} [{b.document} | {' > '.join(b.heading_path)} | {b.kind}]\n{b.text}" for name, b in sides]
    return "\n".join([f"=== {number}", *shown, ""])


def main() -> None:
    """Run, and print figures or a sample."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", nargs="?", default="")
    parser.add_argument("--folders", nargs=2, type=Path)
    parser.add_argument("--documents", type=int, default=0)
    parser.add_argument("--asks-all", action="store_true")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.asks_all:
        setattr(review, "tell_apart", lambda *_: 0)  # noqa: B010
    sources = folders(*options.folders) if options.folders else releases(options.source, options.documents)
    with tempfile.TemporaryDirectory(prefix="so-queue-", dir="/tmp") as folder:
        Path(folder).chmod(0o711)
        with KnowledgeBase(data_dir=Path(folder), collection_use="canonical") as base:
            figures = run(sources, base)
            if options.sample:
                pairs = sorted((g for g, _ in open_pairs(base)), key=lambda g: g.pair.flag.seq)
                drawn = random.Random(options.seed).sample(pairs, min(options.sample, len(pairs)))
                print("\n".join(text_of(n, g) for n, g in enumerate(drawn, 1)))
    if options.json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        print(f"{name:<20}{value}" if not isinstance(value, dict) else f"{name}\n" + _table(value))


def _table(counts: dict[str, int]) -> str:
    return "\n".join(f"  {n:>6}  {label}" for label, n in counts.items())


if __name__ == "__main__":
    main()
