"""Measure emergency detection by words, by the trained head and by both, on labelled sentences."""

from __future__ import annotations

import gzip
import json
import time
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from saidonce.errors import UsageError
from saidonce.repairs.conversation.dangers import DangerReader, by_words
from saidonce.repairs.conversation.emergency import Pack
from saidonce.repairs.conversation.heard import dangers_heard
from saidonce.repairs.conversation.spoken import ENGLISH

HARMLESS = "harmless"

WAYS = ("plain", "other", HARMLESS)
"""Danger by its usual word, danger without it, no danger."""


@dataclass(frozen=True, slots=True)
class EmergencyCase:
    """One labelled sentence; `kind` is empty and `way` is harmless if there is no danger."""

    language: str
    way: str
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Seen:
    """Detections in one case: by words, by the head alone, by both, and with an immediate safety text."""

    case: EmergencyCase
    words: bool
    head: bool
    both: bool
    sure: bool

    @property
    def is_wrong(self) -> bool:
        """Whether a danger was missed, or a harmless sentence caused a question or an alarm."""
        return self.both == (self.case.way == HARMLESS)


@dataclass(frozen=True, slots=True)
class CaughtLine:
    """Detections among sentences of one language, way and class.

    Attributes:
        language: from the file of cases; the file's name for texts without one.
        way: plain, other or harmless.
        kind: class of danger; empty for all.
        of: number of sentences.
        words: detected by words and phrases.
        head: detected by the trained head alone.
        both: detected, as sure or possible.
        sure: detected as sure.
    """

    language: str
    way: str
    kind: str
    of: int
    words: int
    head: int
    both: int
    sure: int


@dataclass(frozen=True, slots=True)
class EmergencyReport:
    """Results of emergency detection.

    Attributes:
        lines: by language and way; then by language, way and class.
        words_p95_ms: CPU milliseconds of the word scan for a message, 95th percentile.
        head_p95_ms: the same of the trained head.
        heard_p95_ms: the same of all that is done for a message, misspelt words included.
        wrong: missed dangers, and harmless sentences with a cost.
    """

    lines: tuple[CaughtLine, ...]
    words_p95_ms: float
    head_p95_ms: float
    heard_p95_ms: float
    wrong: tuple[Seen, ...]


def read_cases(folder: Path, language: str = "") -> tuple[EmergencyCase, ...]:
    """Read cases: one TOML file for each language, with `language`, `harmless` and `danger.CLASS.plain` and `.other`.

    Raises:
        UsageError: there are none, or a file has another format.
    """
    cases = [case for file in sorted(folder.glob("*.toml")) for case in _cases_of(file)]
    chosen = tuple(case for case in cases if language in ("", case.language))
    if not chosen:
        raise UsageError(f"no cases of emergencies{f' in {language!r}' if language else ''} in {str(folder)!r}")
    return chosen


def read_texts(file: Path) -> tuple[EmergencyCase, ...]:
    """Read JSON lines with `text`, gzipped or not, as harmless sentences.

    Raises:
        UsageError: the file has another format.
    """
    try:
        content = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        rows = [json.loads(line) for line in content.splitlines() if line.strip()]
        return tuple(EmergencyCase(file.name.partition(".")[0], HARMLESS, "", str(row["text"])) for row in rows)
    except (OSError, ValueError, KeyError, TypeError) as bad:
        raise UsageError(f"{str(file)!r} has no JSON lines with `text`: {bad}") from bad


def measure(cases: Sequence[EmergencyCase], pack: Pack, reader: DangerReader) -> EmergencyReport:
    """Run both detectors on every case, and count.

    What is done for a message is timed first, for the head keeps the vectors of the last ones.
    """
    results, words_ms, head_ms, heard_ms = [], [], [], []
    for case in cases:
        start = time.process_time()
        matches = dangers_heard(pack, case.text, ENGLISH, reader)
        heard_ms.append(1_000 * (time.process_time() - start))
        results.append((bool(matches), any(m.is_sure for m in matches)))
    seen = []
    for case, (is_heard, is_sure) in zip(cases, results, strict=True):
        start = time.process_time()
        by_word = bool(by_words(pack, case.text))
        middle = time.process_time()
        is_head = reader.read(case.text).certainty >= reader.card.asks_from
        words_ms.append(1_000 * (middle - start))
        head_ms.append(1_000 * (time.process_time() - middle))
        seen.append(Seen(case, by_word, is_head, is_heard, is_sure))
    wrong = tuple(one for one in seen if one.is_wrong)
    return EmergencyReport(tuple(_lines(seen)), _p95(words_ms), _p95(head_ms), _p95(heard_ms), wrong)


def _cases_of(file: Path) -> Iterator[EmergencyCase]:
    try:
        rows = tomllib.loads(file.read_text(encoding="utf-8"))
        language = str(rows["language"])
        for kind, ways in rows["danger"].items():
            yield from (EmergencyCase(language, way, kind, text) for way in WAYS[:2] for text in ways[way])
        yield from (EmergencyCase(language, HARMLESS, "", text) for text in rows[HARMLESS])
    except (tomllib.TOMLDecodeError, KeyError, TypeError, AttributeError) as bad:
        raise UsageError(f"{str(file)!r} is not a file of emergency cases: {bad!r}") from bad


def _lines(seen: Sequence[Seen]) -> Iterator[CaughtLine]:
    groups = dict.fromkeys((s.case.language, s.case.way) for s in seen)
    ordered = sorted(groups, key=lambda group: (group[0], WAYS.index(group[1])))
    for language, way in ordered:
        yield _line(language, way, "", (s for s in seen if (s.case.language, s.case.way) == (language, way)))
    for kind_of in sorted({(s.case.language, s.case.way, s.case.kind) for s in seen if s.case.kind}):
        yield _line(*kind_of, (s for s in seen if (s.case.language, s.case.way, s.case.kind) == kind_of))


def _line(language: str, way: str, kind: str, seen: Iterable[Seen]) -> CaughtLine:
    these = tuple(seen)
    by = {name: sum(getattr(one, name) for one in these) for name in ("words", "head", "both", "sure")}
    return CaughtLine(language, way, kind, len(these), **by)


def _p95(times: Sequence[float]) -> float:
    return round(sorted(times)[int(0.95 * (len(times) - 1))], 2) if times else 0.0
