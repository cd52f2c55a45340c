"""Labelled pairs with licences that allow shipping weights trained on them, split by original."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

from saidonce.foundation.text import sentences
from training.judge.alterations import Alterer

SEED = 20261122

MANUALS = {
    "github+site-policy": "CC0-1.0", "cloud-gov+cg-site": "CC0-1.0", "kedacore+keda-docs": "Apache-2.0",
    "etcd-io+website": "CC-BY-4.0", "nist-800-53": "public domain (US)",
}  # fmt: skip
"""Manuals whose licences carry no share-alike clause."""

TEST, DEV, TRAIN = "test", "dev", "train"

OWN = Path(__file__).parent / "own"
"""Originals written for this training, each with re-wordings and with changes that look like re-wordings."""

MEASURED = ("manuals", "reports", "summaries")
"""Files of these of which some originals are the test part; later files have none."""

REBUILT = "rebuilt"
"""The file of sentences that are built otherwise, and the source of its pairs."""

UNSEEN = {"unseen": Path(__file__).parent / "unseen.toml", REBUILT: Path(__file__).parent / "unseen_rebuilt.toml"}
"""Originals by other writers, all of them in the test part, by the source of their pairs."""

HELD = Path(__file__).parents[2] / "tests" / "cases"
"""Cases that no judge is trained on."""

FILES = ("summedits", "pairs", "doc_pairs", "coexisting_pairs", "kb_nist_pairs", "kb_docs", "kb_nist_controls")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts and their label.

    Attributes:
        id: of the row, or of the script's product.
        source: the data set.
        part: test, dev or train; all pairs of one original are in one part.
        label: label in the data set.
        same: label to learn; None for unlabelled pairs, which teachers label.
        weight: of the pair in training.
        original: name of the original that it and other pairs are versions of.
    """

    id: str
    source: str
    part: str
    label: str
    same: bool | None
    a: str
    b: str
    weight: float = 1.0
    original: str = ""


def part_of(source: str, original: str) -> str:
    """Return the part of an original: by hash, a quarter test, an eighth dev, the rest train."""
    key = f"{SEED}\x1f{source}\x1f{original}".encode("utf-8", "surrogatepass")
    place = int.from_bytes(hashlib.blake2b(key, digest_size=8).digest(), "big") / 2**64
    return TEST if place < 0.25 else DEV if place < 0.375 else TRAIN


def parts_by_rank(source: str, originals: Iterable[str]) -> dict[str, str]:
    """Split few originals in exact shares: ordered by hash, the first quarter is test, the next eighth dev."""

    def place(original: str) -> bytes:
        return hashlib.blake2b(f"{SEED}\x1f{source}\x1f{original}".encode(), digest_size=8).digest()

    ranked = sorted(set(originals), key=place)
    n_test, n_dev = round(len(ranked) / 4), round(len(ranked) / 8)
    return {o: TEST if n < n_test else DEV if n < n_test + n_dev else TRAIN for n, o in enumerate(ranked)}


def missing(data: Path) -> list[str]:
    """Return the missing files."""
    return [f"{name}.jsonl.gz" for name in FILES if not (data / f"{name}.jsonl.gz").is_file()]


def rows(data: Path, name: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table."""
    with gzip.open(data / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def read(data: Path) -> list[Pair]:
    """Read every labelled pair of the mix, in the order of the files."""
    return [*_summedits(data), *_pairs(data), *_manuals(data), *own(), *unseen()]


def own(folder: Path = OWN) -> Iterator[Pair]:
    """Yield each original in a folder of TOML files with each of its re-wordings and changes, in order."""
    for file in sorted(folder.glob("*.toml")):
        document = tomllib.loads(file.read_text(encoding="utf-8"))
        for n, original in enumerate(document["original"]):
            part = part_of("own", original["text"])
            if part == TEST and file.stem not in MEASURED:
                part = TRAIN
            kind = "own" if file.stem in MEASURED else "later"
            source = REBUILT if file.stem == REBUILT else "own"
            yield from _versions(f"{kind}/{file.stem}/{n}", source, part, original)


def unseen(files: Mapping[str, Path] = UNSEEN) -> Iterator[Pair]:
    """Yield the pairs of originals of which no judge has learned and by which no threshold is fixed."""
    for source, file in files.items():
        for n, original in enumerate(tomllib.loads(file.read_text(encoding="utf-8"))["original"]):
            yield from _versions(f"{file.stem}/{n}", source, TEST, original)


def _versions(named: str, source: str, part: str, original: dict[str, Any]) -> Iterator[Pair]:
    for label in ("same", "changed"):
        for m, other in enumerate(original[label]):
            texts = original["text"], other
            yield Pair(f"{named}/{label}/{m}", source, part, label, label == "same", *texts, original=named)


def held(folder: Path = HELD) -> Iterator[Pair]:
    """Yield the English test pairs that must not be joined: written blind, or held out from all training."""
    yield from (pair for pair in own(folder / "judge") if not pair.same)
    for file in sorted((folder / "blind").glob("*/en.toml")):
        for n, row in enumerate(tomllib.loads(file.read_text(encoding="utf-8")).get("cases", ())):
            if row["label"] == "changed":
                yield Pair(f"{file.parent.name}/{n}", "held", DEV, "changed", False, row["a"], row["b"])
    words = tomllib.loads((folder / "blind" / "small_words" / "en.toml").read_text(encoding="utf-8"))
    for n, (a, b) in enumerate(words["differ"]):
        yield Pair(f"small_words/{n}", "held", DEV, "changed", False, a, b)
    with (folder / "blind" / "changed_en.jsonl").open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if row["label"] == "changed":
                yield Pair(f"first/{row['id']}", "held", DEV, "changed", False, row["a"], row["b"])


def _summedits(data: Path) -> Iterator[Pair]:
    table = list(rows(data, "summedits"))
    parts: dict[tuple[str, str], str] = {}
    for domain in sorted({row["domain"] for row in table}):
        of_domain = parts_by_rank(f"summedits {domain}", (row["a"] for row in table if row["domain"] == domain))
        parts.update({(domain, original): part for original, part in of_domain.items()})
    for row in table:
        part = parts[row["domain"], row["a"]]
        named = f"summedits/{row['domain']}/{hashlib.blake2b(row['a'].encode(), digest_size=8).hexdigest()}"
        texts = row["a"], row["b"]
        yield Pair(row["id"], "summedits", part, row["label"], bool(row["merge_ok"]), *texts, original=named)


def _pairs(data: Path) -> Iterator[Pair]:
    for row in rows(data, "pairs"):
        source = row["source"]
        if source == "paws":
            part = part_of(source, " ".join(sorted(re.findall(r"\w+", row["a"].lower()))))
            yield Pair(row["id"], source, part, row["label"], bool(row["merge_ok"]), row["a"], row["b"])
        elif source == "condaqa":
            part = part_of(source, row["id"].split("/")[1].split("-")[0])
            yield Pair(row["id"], source, part, row["label"], row["label"] == "duplicate", row["a"], row["b"])
        elif source == "scifact-claims":
            yield Pair(row["id"], source, part_of(source, row["id"]), row["label"], False, row["a"], row["b"])


def _manuals(data: Path) -> Iterator[Pair]:
    for name in ("doc_pairs", "coexisting_pairs", "kb_nist_pairs"):
        for row in rows(data, name):
            label, prose = row["label"], row["block"] in ("paragraph", "list")
            if row["source"] not in MANUALS or label in ("undecided", "identical") or not prose:
                continue
            part = part_of("manual", row["source"] + row["doc_a"].removeprefix("nist/rev4/"))
            yield Pair(row["id"], name, part, label, label == "reworded", row["a"], row["b"])


def scripted(data: Path, n_sentences: int) -> list[Pair]:
    """Yield altered sentences of manuals that are in no test or dev part."""
    chance = Random(SEED)
    paragraphs = sorted(
        {
            block.strip()
            for row in rows(data, "kb_docs")
            if row["source"] in MANUALS and part_of("manual", row["source"] + row["path"]) == TRAIN
            for block in re.split(r"\n\s*\n", row["markdown"])
            if re.match(r"[A-Z]", block.strip()) and not re.search(r"[|`{}<>\[\]*]", block)
        }
        | {
            row["guidance"]
            for row in rows(data, "kb_nist_controls")
            if row.get("guidance") and part_of("manual", "nist-800-53" + row["control"]) == TRAIN
        }
    )
    unique = sorted({s.text.strip() for p in paragraphs for s in sentences(p)})
    plain = [s for s in unique if 6 <= len(s.split()) <= 40 and s[0].isupper() and s[-1] in ".?!"]
    chosen = chance.sample(plain, min(n_sentences, len(plain)))
    alterer = Alterer(chance)
    alterer.learn(chosen, SEED)
    labels = {(x.original, x.altered): x.same for sentence in chosen for x in alterer.altered(sentence, 2)}
    return [
        Pair(f"scripted/{n}", "scripted", TRAIN, "rewritten" if same else "changed", same, a, b)
        for n, ((a, b), same) in enumerate(labels.items())
    ]


MOST_RECOMBINED = 6
"""Pairs of versions of one original that was written later: there are many originals."""


def recombined(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """Yield pairs of versions of one original of the train part.

    Of originals written for this training two re-wordings say the same, and a re-wording and a change do not. Two
    changes have no label, and no pair of another set has one: with labels by people that are wrong now and then, a
    pair's is wrong nearly twice as often.
    """
    versions: dict[str, list[Pair]] = {}
    for pair in pairs:
        if pair.part == TRAIN and pair.original:
            versions.setdefault(pair.original, []).append(pair)
    for original, own_versions in versions.items():
        both = list(combinations(own_versions, 2))
        if original.startswith("later/"):
            both = Random(f"{SEED} {original}").sample(both, min(MOST_RECOMBINED, len(both)))
        for one, other in both:
            is_sure = one.source in ("own", REBUILT) and (one.same or other.same)
            same = bool(one.same and other.same) if is_sure else None
            yield replace(
                one, id=f"{one.id}+{other.id}", source="recombined", label="unknown", same=same, a=one.b, b=other.b
            )


def without_common(a: str, b: str) -> tuple[str, str]:
    """Return texts without their common sentences, as in the ladder; never an empty side."""
    of_a, of_b = ([s.text.strip() for s in sentences(t)] for t in (a, b))
    own_a, own_b = [s for s in of_a if s not in set(of_b)], [s for s in of_b if s not in set(of_a)]
    return (" ".join(own_a), " ".join(own_b)) if own_a and own_b else (a, b)


def compared(pair: Pair) -> Pair:
    """Return a pair reduced to the texts that a judge is asked about."""
    a, b = without_common(pair.a, pair.b)
    return replace(pair, a=a, b=b)
