"""Check that no regular expression of the program takes more than linear time.

Every expression of the sources and of the tables is run on texts generated to be hard for it (`pattern_texts`), of
growing length, and processor time is measured. The growth of the worst text is printed as an exponent: 1 is
linear, 2 means that twice the text costs four times as much. Growth that was judged harmless is listed with its
reason in `tests/cases/patterns.toml`; any other fails, and so does a run over too few expressions.

    python -m benchmarks.patterns [--only PART_OF_A_PATH ...] [--every N] [--json]
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import re
import signal
import sys
import time
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.pattern_sites import Census, Found, census
from benchmarks.pattern_texts import Pumped, hard_texts

LENGTHS = (1_000, 2_000, 4_000, 8_000)
SCREEN_SHORT, SCREEN = 500, 2_000
QUICK_S = 0.000_5
"""Of two thousand characters; a quarter of all pairs of places would take longer."""
MOST_GROWTH = 1.5
SLOW_S = 0.02
"""Of eight thousand characters; what is below is nobody's trouble."""
FELT_S = 0.05
"""Of the longest text that an expression meets."""

LIMIT_S, SCREEN_LIMIT_S = 0.5, 0.1
LEAST_PATTERNS = 2_000
JUDGED = Path(__file__).resolve().parents[1] / "tests/cases/patterns.toml"


class _TooLongError(Exception):
    """One reading took more than the limit of processor time."""


@dataclass(frozen=True)
class Growth:
    """The growth of one expression on the worst text found for it.

    Attributes:
        seconds: CPU time of the longest length that was completed.
        exponent: of the growth between the two longest lengths; infinite if the shortest did not end.
    """

    found: Found
    text: Pumped
    use: str
    length: int
    seconds: float
    exponent: float

    @property
    def is_steep(self) -> bool:
        """Whether it grows more than linearly, to a noticeable time."""
        if self.length < LENGTHS[-1]:
            return self.exponent > MOST_GROWTH
        return self.exponent > MOST_GROWTH and self.seconds > SLOW_S

    def as_json(self) -> dict[str, Any]:
        """Return its JSON form."""
        text = {"head": self.text.head[:60], "pump": self.text.pump[:60], "end": self.text.end}
        return {
            "file": self.found.file, "line": self.found.line, "pattern": str(self.found.pattern.pattern)[:200],
            "use": self.use, "text": text, "length": self.length, "seconds": round(self.seconds, 4),
            "exponent": round(min(self.exponent, 99.0), 2),
        }  # fmt: skip


@contextlib.contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Interrupt a block that takes more CPU time than this."""

    def end(_number: int, _frame: object) -> None:
        raise _TooLongError

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _seconds(pattern: re.Pattern[Any], use: str, text: str, limit: float = LIMIT_S) -> float:
    """Return the processor time of one reading; infinite beyond the limit."""
    subject: Any = text if isinstance(pattern.pattern, str) else text.encode("latin-1", "replace")
    begun = time.process_time()
    try:
        with _limited(limit):
            if use == "search":
                for _ in pattern.finditer(subject):
                    pass
            else:
                pattern.fullmatch(subject)
                pattern.match(subject)
    except _TooLongError:
        return math.inf
    return time.process_time() - begun


def _seems_steep(found: Found, use: str, text: Pumped) -> float:
    """Return the extrapolated time at the longer of two lengths, from the shorter; 0 if harmless."""
    longer = _seconds(found.pattern, use, text.of(SCREEN), SCREEN_LIMIT_S)
    if longer < QUICK_S or math.isinf(longer):
        return longer if math.isinf(longer) else 0.0
    shorter = max(_seconds(found.pattern, use, text.of(SCREEN_SHORT)), 1e-6)
    return longer if math.log(longer / shorter) / math.log(SCREEN / SCREEN_SHORT) > MOST_GROWTH - 0.15 else 0.0


def growth_on(found: Found, text: Pumped, use: str) -> Growth:
    """Measure how the time of one text grows."""
    measured: list[tuple[int, float]] = []
    for length in LENGTHS:
        seconds = _seconds(found.pattern, use, text.of(length))
        if math.isinf(seconds):
            break
        measured.append((length, max(seconds, 1e-6)))
    if len(measured) < 2:
        return Growth(found, text, use, measured[-1][0] if measured else 0, LIMIT_S, math.inf)
    first = measured[-3] if len(measured) == len(LENGTHS) else measured[-2]  # two doublings are steadier than one
    (short, before), (long, after) = first, measured[-1]
    return Growth(found, text, use, long, after, math.log(after / before) / math.log(long / short))


def worst(found: Found) -> Growth | None:
    """Return the growth of one expression on its slowest text; None if all are linear."""
    use = "search" if found.begins_anywhere else "match"
    feared: list[tuple[float, Pumped]] = []
    for text in hard_texts(found.pattern):
        feared.append((_seems_steep(found, use, text), text))
        if math.isinf(feared[-1][0]):
            break
    seconds, text = max(feared, key=lambda each: each[0])
    return growth_on(found, text, use) if seconds else None


def _measured(chosen: Sequence[Found]) -> list[Growth]:
    """Measure expressions, each once for its use, regardless of its place."""
    kept: dict[tuple[Any, int, bool], Growth | None] = {}
    for found in chosen:
        key = (found.pattern.pattern, found.pattern.flags, found.begins_anywhere)
        if key not in kept:
            kept[key] = worst(found)
    keys = ((f, kept[f.pattern.pattern, f.pattern.flags, f.begins_anywhere]) for f in chosen)
    return [replace(growth, found=found) for found, growth in keys if growth]


@dataclass(frozen=True)
class Judged:
    """The reason why growing expressions are harmless.

    Attributes:
        file: of the expressions.
        begins: their beginning; empty for all of the file.
        why: the reason.
        most: longest text that they read, which must take negligible time; 0 if they never read external text.
        is_asked: they are matched against a whole text, and never searched for.
    """

    file: str
    begins: str
    why: str
    most: int = 0
    is_asked: bool = False

    def holds(self, growth: Growth) -> bool:
        """Return whether this covers a growth, and a text of the greatest length takes negligible time."""
        pattern = growth.found.pattern
        if growth.found.file != self.file or not str(pattern.pattern).startswith(self.begins):
            return False
        if not self.most:
            return True
        use = "match" if self.is_asked else growth.use
        return max(_seconds(pattern, use, text.of(self.most)) for text in hard_texts(pattern)) < FELT_S


def judged() -> list[Judged]:
    """Read the table of expressions that grow and are harmless."""
    return [Judged(**row) for row in tomllib.loads(JUDGED.read_text("utf-8"))["pattern"]]


def reason(growth: Growth, rows: Sequence[Judged]) -> str:
    """Return why a growth is harmless; empty if it is not listed, or noticeable below its bound."""
    return next((row.why for row in rows if row.holds(growth)), "")


def _flaws(steep: dict[Growth, str], seen: Census, met: int, is_whole: bool) -> list[str]:
    flaws = [
        f"{g.found.place} grows by the power {min(g.exponent, 99):.1f}: {str(g.found.pattern.pattern)[:80]!r}"
        for g, why in steep.items()
        if not why
    ]
    flaws += [f"{s.file}:{s.line}: the pattern of this call was not seen" for s in seen.unseen if is_whole]
    if is_whole and met < LEAST_PATTERNS:
        flaws.append(f"only {met} expressions were met, of at least {LEAST_PATTERNS}")
    return flaws if met else [*flaws, "no expression was met"]


def main(arguments: Sequence[str]) -> int:
    """Print what grows; return 1 if something grows without a reason, or if nothing was proven."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.patterns", description=__doc__)
    parser.add_argument("--only", nargs="+", default=[], metavar="PART", help="files whose path has one of these")
    parser.add_argument("--every", type=int, default=1, help="each Nth expression")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    seen = census()
    chosen = [f for f in seen.found if not options.only or any(part in f.file for part in options.only)]
    chosen = chosen[:: options.every]
    begun, rows = time.process_time(), judged()
    grown = sorted((g for g in _measured(chosen) if g.is_steep), key=lambda g: (-g.exponent, g.found.place))
    steep = {g: reason(g, rows) for g in grown}
    flaws = _flaws(steep, seen, len(chosen), not options.only and options.every == 1)
    if options.json:
        figures = {"calls": seen.sites, "met": len(chosen), "steep": len(steep), "flaws": flaws}
        growth = [{**g.as_json(), "why": why} for g, why in steep.items()]
        print(json.dumps({**figures, "growth": growth}, indent=1))
        return 1 if flaws else 0
    taken = time.process_time() - begun
    print(f"{seen.sites:,} calls, {len(chosen):,} expressions met in {taken:.0f} s of processor time")
    for g, why in steep.items():
        print(f"{min(g.exponent, 99):5.1f}  {g.seconds:7.3f} s at {g.length:,}  {g.found.place}  {why or 'NOT JUDGED'}")
    print(*flaws, sep="\n")
    return 1 if flaws else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
