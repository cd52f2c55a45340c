"""Check a certificate without the ways that make a run quick: hashes, the digest row by row, and plain comparisons."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from saidonce.corpus.dedupe.ranking import KeepBy
from saidonce.corpus.dedupe.report import DigestSum
from saidonce.corpus.files import Fields, format_of, open_corpus
from saidonce.corpus.files.vectors import scaled
from saidonce.corpus.run.rows import Report
from saidonce.errors import NotFoundError, UsageError
from saidonce.foundation.files import sha256_of
from saidonce.foundation.model import UNKNOWN_LANGUAGE, Candidate, CorpusRow, Ending, Vector
from saidonce.foundation.ports import Embedder
from saidonce.foundation.text import content_hash, language, normalise
from saidonce.matching.guards import REPEAT_GUARDS, tables_name
from saidonce.matching.ladder import first_objection
from saidonce.matching.vectors import canonical_cosine

MOST_NAMED = 20
_NEAR_ENOUGH = 1e-3
"""Products within this of the threshold are decided by the canonical cosine; those of 10,000 numbers err by less."""

_LINES = (".jsonl", ".ndjson")


@dataclass(frozen=True, slots=True)
class _Claim:
    """A row of the corpus, and what the reports say of it; `of` is a place."""

    row: CorpusRow
    file: str
    ending: Ending
    of: int | None
    similarity: float
    undecided: bool
    vector: Vector | None


def verify_run(
    kept: Path, certificate: Path, sample: int, embedder: Callable[[], Embedder], report: Report
) -> dict[str, Any]:
    """Check that a certificate holds for the files that it names.

    Everything is read again and held in memory: hashes of all files, the digest from the reports, the kept rows
    themselves, and for a sample of the rows the comparison with every kept row.

    Args:
        kept: file or folder with the kept rows.
        sample: rows that are compared; 0 for all. Chosen by their hashes, so always the same ones.

    Raises:
        NotFoundError, UsageError: the certificate is missing or none.
    """
    document = _read_certificate(certificate)
    wrong = [*_changed_files(document, kept)]
    if not wrong:
        claims = _rows(document)
        wrong += _digest_differs(document, claims)
        wrong += _kept_differ(document, claims, kept)
    n_checked = 0
    if not wrong:
        check = _Check(document, claims, embedder, report)
        places = _sample_claims(claims, sample)
        n_checked = len(places)
        wrong += list(check.contradictions(places))
    return {
        "claim": document["claim"],
        "holds": not wrong,
        "digest": document["digest"],
        "rows": document["counts"]["rows"],
        "rows_checked": n_checked,
        "wrong": wrong[:MOST_NAMED],
    }


def _read_certificate(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise NotFoundError("file", str(path))
    try:
        document = json.loads(path.read_bytes())
    except ValueError as bad:
        raise UsageError(f"{str(path)!r} is not a certificate: {bad}") from bad
    if not isinstance(document, dict) or document.get("format") != 1 or "claim" not in document:
        raise UsageError(f"{str(path)!r} is not a certificate of a deduplication")
    return document


def _changed_files(document: Mapping[str, Any], kept: Path) -> Iterator[str]:
    """Yield the files that are missing or other than certified."""
    vectors = [document["vectors"]] if document["vectors"] else []
    reports = [document["dropped"], document["held_apart"]]
    for one in (*document["inputs"], *document["against"], *reports, *vectors):
        yield from _file_differs(Path(one["name"]), one)
    for one in document["outputs"]:
        path = Path(one["name"]) if Path(one["name"]).is_relative_to(kept) else kept / Path(one["name"]).name
        yield from _file_differs(kept if kept.is_file() else path, one)
    if document["guards"] and document["guards"] != tables_name():
        yield f"the certificate was made with guards {document['guards']}, these are {tables_name()}"
    for one in reports:
        if format_of(Path(one["name"])) not in _LINES:
            yield f"{one['name']!r} is not JSON lines; only reports of JSON lines can be verified"


def _file_differs(path: Path, one: Mapping[str, Any]) -> Iterator[str]:
    if one["name"] == "-":
        yield "the corpus came from standard input, which cannot be read again; write it to a file to verify it"
    elif not path.is_file():
        yield f"{str(path)!r} is missing"
    elif sha256_of(path) != one["sha256"]:
        yield f"{str(path)!r} is not the file that was certified"


def _fields(document: Mapping[str, Any]) -> Fields:
    return Fields(**document["fields"])


def _rows(document: Mapping[str, Any]) -> list[_Claim]:
    """Return all rows, those compared against first, with what the reports say of them."""
    vectors = np.load(document["vectors"]["name"], mmap_mode="r") if document["vectors"] else None
    read: list[tuple[str, CorpusRow, Vector | None]] = []
    for one in (*document["against"], *document["inputs"]):
        for row in open_corpus(Path(one["name"]), _fields(document)).rows():
            # A vector is held once: those of a million rows take 1.5 GB.
            read.append((one["name"], replace(row, vector=b""), _vector(row, vectors, len(read))))
    places = {(name, row.number): place for place, (name, row, _) in enumerate(read)}
    decisions = {}
    for report in ("dropped", "held_apart"):
        with Path(document[report]["name"]).open(encoding="utf-8") as lines:
            for line in map(json.loads, lines):
                decisions[line["file"], line["row"]] = line
    return [_parse_line(decisions.get((name, row.number)), (name, row), places, vector) for name, row, vector in read]


def _vector(row: CorpusRow, vectors: Any, place: int) -> Vector | None:
    if row.text is None:
        return None
    if row.vector:
        own: Vector = scaled(np.frombuffer(row.vector, dtype="<f4")[None, :], 0, "a column")[0]
        return own
    if vectors is None:
        return None
    vector: Vector = scaled(np.asarray(vectors[place], dtype=np.float32)[None, :], place, "a file")[0]
    return vector


def _parse_line(
    line: Mapping[str, Any] | None,
    named: tuple[str, CorpusRow],
    places: Mapping[tuple[str, int], int],
    vector: Vector | None,
) -> _Claim:
    name, row = named
    if line is None:
        ending = Ending.NO_TEXT if row.text is None and not row.trouble else Ending.KEPT
        return _Claim(row, name, ending, None, 1.0, False, vector)
    of = places.get((line["of_file"], line["of"])) if "of" in line else None
    undecided = bool(line.get("undecided"))
    return _Claim(row, name, Ending(line["reason"]), of, float(line.get("similarity", 1.0)), undecided, vector)


def _own(document: Mapping[str, Any], claims: Sequence[_Claim]) -> Sequence[_Claim]:
    return claims[sum(one["rows"] for one in document["against"]) :]


def _digest_differs(document: Mapping[str, Any], claims: Sequence[_Claim]) -> Iterator[str]:
    total = DigestSum()
    for one in _own(document, claims):
        of = "-" if one.of is None else claims[one.of].row.identity
        total.add(one.row.identity, str(one.ending), of, one.similarity)
    if str(total) != document["digest"]:
        yield f"the reports give the digest {total}, not the certified one"


def _kept_differ(document: Mapping[str, Any], claims: Sequence[_Claim], kept: Path) -> Iterator[str]:
    """Compare the texts of the kept rows with those of the written files."""
    expected = Counter(
        (one.row.text or "").strip() for one in _own(document, claims) if one.ending.is_kept or document["marked"]
    )
    n_broken = sum(bool(one.row.trouble) for one in _own(document, claims)) if document["marked"] else 0
    expected[""] -= n_broken
    written: Counter[str] = Counter()
    for one in document["outputs"]:
        path = Path(one["name"]) if Path(one["name"]).is_relative_to(kept) else kept / Path(one["name"]).name
        fields = _fields(document) if format_of(path) != ".txt" else Fields()
        written += Counter(
            (row.text or "").strip() for row in open_corpus(kept if kept.is_file() else path, fields).rows()
        )
    if +expected != +written:
        n = sum(((+expected) - written).values())
        yield f"{n} kept rows are not in the written files, and {sum((written - (+expected)).values())} others are"


def _sample_claims(claims: Sequence[_Claim], sample: int) -> list[int]:
    places = [place for place, one in enumerate(claims) if one.row.text is not None]
    if sample and sample < len(places):
        places = sorted(places, key=lambda place: hashlib.sha256(claims[place].row.identity.encode()).digest())[:sample]
    return sorted(places)


class _Check:
    """Compares rows with all kept ones."""

    def __init__(
        self, document: Mapping[str, Any], claims: Sequence[_Claim], embedder: Callable[[], Embedder], report: Report
    ) -> None:
        self._threshold = float(document["threshold"])
        self._keep_by = KeepBy(document["keep"])
        self._is_guarded = bool(document["guards"])
        self._n_against = sum(one["rows"] for one in document["against"])
        self._claims = claims
        self._embedder = embedder
        self._report = report
        self._kept = [
            place
            for place, one in enumerate(claims)
            if one.row.text is not None and (one.ending.is_kept or place < self._n_against)
        ]
        self._common = str(document["language"])
        self._vectors: Vector = np.zeros((0, 0), dtype=np.float32)

    def contradictions(self, places: Sequence[int]) -> Iterator[str]:
        """Yield what contradicts the claim, row by row."""
        self._vectors = self._of(self._kept)
        own = self._of(places)
        at_kept = {place: at for at, place in enumerate(self._kept)}
        for n_done, (place, vector) in enumerate(zip(places, own, strict=True), 1):
            near = np.flatnonzero(self._vectors @ vector >= self._threshold - _NEAR_ENOUGH)
            if place >= self._n_against:
                yield from self._contradiction(place, vector, near, at_kept)
            self._report("comparing with all kept rows", n_done, len(places))

    def _contradiction(self, place: int, vector: Vector, near: Any, at_kept: Mapping[int, int]) -> Iterator[str]:
        one = self._claims[place]
        name = f"{one.file}, row {one.row.number}"
        if not one.ending.is_kept:
            if one.of is None or one.of not in at_kept:
                yield f"{name} was dropped for a row that is not kept"
            elif not self._repeats(place, one.of, vector, self._vectors[at_kept[one.of]]):
                yield f"{name} was dropped, and does not repeat the row that it names"
            return
        if one.undecided:
            return
        for at in near.tolist():
            other = self._kept[at]
            if self._comes_before(other, place) and self._repeats(place, other, vector, self._vectors[at]):
                beside = self._claims[other]
                yield f"{name} was kept, and repeats {beside.file}, row {beside.row.number}"
                return

    def _repeats(self, place: int, other: int, vector: Vector, beside: Vector) -> bool:
        a, b = self._candidate(place), self._candidate(other)
        if a.content_hash == b.content_hash:
            return True
        if canonical_cosine(vector, beside) < self._threshold:
            return False
        return not self._is_guarded or not first_objection(REPEAT_GUARDS, a, b)

    def _candidate(self, place: int) -> Candidate:
        text = self._claims[place].row.text or ""
        return Candidate(text, content_hash(text), language=self._language(text))

    def _language(self, text: str) -> str:
        own = language(text) if self._is_guarded else UNKNOWN_LANGUAGE
        return self._common if own == UNKNOWN_LANGUAGE and self._is_guarded else own

    def _comes_before(self, a: int, b: int) -> bool:
        """Return whether a row precedes another one in the order of preference; rows compared against come first."""
        return self._key(a) < self._key(b)

    def _key(self, place: int) -> tuple[Any, ...]:
        row = self._claims[place].row
        text = row.text or ""
        longest = (-len(normalise(text)), content_hash(text), row.identity)
        dated = float("inf") if row.dated_at is None else -row.dated_at
        keys: dict[KeepBy, tuple[Any, ...]] = {
            KeepBy.FIRST: (),
            KeepBy.LONGEST: longest,
            KeepBy.NEWEST: (dated, *longest),
        }
        return (place >= self._n_against, *keys[self._keep_by], place)

    def _of(self, places: Sequence[int]) -> Vector:
        """Return the vectors of rows, given or embedded again."""
        if not places:
            return np.zeros((0, 1), dtype=np.float32)
        vectors = [self._claims[place].vector for place in places]
        if all(vector is not None for vector in vectors):
            return np.stack([vector for vector in vectors if vector is not None])
        texts = [self._claims[place].row.text or "" for place in places]
        parts = []
        for at in range(0, len(texts), 512):
            parts.append(self._embedder().embed(texts[at : at + 512]))
            self._report("embedding again", min(at + 512, len(texts)), len(texts))
        return np.concatenate(parts)
