"""Submissions as files hold them, and verdicts as people read them."""

from __future__ import annotations

import json
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from saidonce.errors import NotFoundError, UsageError
from saidonce.foundation.disk import naming_full_disk
from saidonce.interfaces.cli.lines import clean
from saidonce.interfaces.cli.shared import out, print_json

if TYPE_CHECKING:
    from saidonce.app.knowledge_base import KnowledgeBase
    from saidonce.foundation.model import GateVerdict, Submission
    from saidonce.gate import Gate, GateAccount, GateStats

ASKED_ABOUT_AGAIN = frozenset({"away", "unsure", "canary", "contradiction", "malformed"})
"""Reasons of what is held that `gate retry --failed` knows by the same name."""

USUAL_GATE = "main"
"""The gate of a command that names none."""

MAX_LINE = 4_000_000
"""Longest line of a file of submissions, in bytes."""


def tell_account(account: GateAccount, as_json: bool) -> None:
    """Print an account of a verdict."""
    from saidonce.interfaces.views.gate import GateAccountView

    if as_json:
        print_json(GateAccountView.show(account))
        return
    v = account.verdict
    lines = [verdict_line(v), f"submitted to {v.gate} at {v.at:%Y-%m-%d %H:%M:%S}: {snippet(v.submission)}"]
    lines += [f"  {name}: {value}" for name, value in v.submission.fields]
    if v.rules is not None:
        asks = "an adjudicator above" if v.rules.asks else "no adjudicator is asked"
        lines.append(f"rules: clear below {v.rules.clear_below:g}, duplicate from {v.rules.duplicate_from:g}, {asks}")
    for near in v.near:
        admission = account.kept.get(near.id)
        text = snippet(admission.submission) if admission else "gone"
        lines.append(f"near [{near.id[:8]}] {near.similarity:.4f} {text}")
        lines += [f"    {o.kind}: {o.a.text!r} here, {o.b.text!r} there" for o in near.objections]
    if v.verdict is not None:
        lines += [f"  {step.rung}: {step.finding}" for step in v.verdict.trail]
    if v.ruling is not None:
        r = v.ruling
        ruling = f"failed: {r.failure}" if r.failure else f"{r.opinion}, confidence {r.confidence:g}"
        lines.append(f"ruling by {r.adjudicator}: {ruling}, {r.duration_ms} ms, ${r.cost:.6f}: {r.reason}")
    if v.override is not None:
        lines.append(f"let through by {v.override.by} at {v.override.at:%Y-%m-%d %H:%M:%S}: {v.override.why}")
    lines += [f"{e.seq} {e.at:%Y-%m-%d %H:%M:%S} {e.act} by {e.actor} {e.detail}".rstrip() for e in account.events]
    out.print("\n".join(clean(line) for line in lines))


def verdict_line(verdict: GateVerdict) -> str:
    """Return a verdict in one line."""
    from saidonce.gate import authorize

    is_odd = verdict.is_through and not authorize(verdict) and verdict.released_at is None
    words = {"held": "blocked, held for a person", "let_through": "let through"}
    state = "blocked" if is_odd else words.get(verdict.standing, str(verdict.standing))
    of = f" of {verdict.of[:8]}" if verdict.of else ""
    key = f" key {verdict.submission.key}" if verdict.submission.key else ""
    return clean(f"{verdict.id} {state}: {verdict.reason or 'no ruling yet'}{of}, {verdict.similarity:.4f}{key}")


def held_line(gate: str, reasons: Mapping[str, int]) -> str:
    """Return how many blocked submissions wait for a person, why, and which commands deal with them."""
    ranked = sorted(reasons.items(), key=lambda row: (-row[1], row[0]))
    causes = ",".join(name for name, _ in ranked if name in ASKED_ABOUT_AGAIN)
    named = f" --gate {gate}" if gate != USUAL_GATE else ""
    failed = f" --failed {causes}" if causes != "away" else ""
    again = f"'saidonce gate retry{named}{failed}' asks again, " if causes else ""
    listed = ", ".join(f"{name} {n}" for name, n in ranked)
    total = sum(reasons.values())
    return f"{total} of the blocked are held for a person ({listed}); {again}'saidonce gate held{named}' lists them"


def stats_text(figures: GateStats) -> str:
    """Return the figures of a gate as text."""
    lines = ["THE ESCAPE HATCH IS OPEN"] if figures.hatch_open else []
    lines += [
        f"gate {figures.definition.name}: {figures.n_kept} kept, {figures.n_pending} pending",
        f"{figures.n} verdicts, {100 * figures.clear_rate:.1f} % cleared,"
        f" {100 * figures.asked_share:.1f} % asked about",
        f"check {figures.check_ms[0]} ms, 95 of 100 within {figures.check_ms[1]} ms, longest {figures.check_ms[2]} ms",
        f"ruling {figures.ruling_ms[0]} ms, 95 of 100 within {figures.ruling_ms[1]} ms; {figures.n_cached} remembered,"
        f" {figures.n_tokens} tokens, ${figures.cost:.4f}",
    ]
    lines.append(_people_line(figures))
    for what in ("reasons", "bands", "failures", "overrides"):
        counts = ", ".join(f"{name} {n}" for name, n in getattr(figures, what).items())
        lines.append(f"{what}: {counts or 'none'}")
    return "\n".join(clean(line) for line in lines)


def _people_line(figures: GateStats) -> str:
    """Return what waits for people, and what they did."""
    since = f" since {figures.held_since:%Y-%m-%d %H:%M} UTC" if figures.held_since is not None else ""
    audits = "".join(
        f"; {a.judge or 'an adjudicator'}: {a.n_right} clears audited right, {a.n_wrong} wrong" for a in figures.audits
    )
    return (
        f"{figures.n_held} held for a person{since}, {figures.n_overridden} let through by people,"
        f" {figures.n_let_through} by the escape hatch{audits}"
    )


def existing_gate(base: KnowledgeBase, name: str) -> Gate:
    """Return an existing gate.

    Raises:
        NotFoundError: nobody has asked a gate of that name anything.
    """
    if all(definition.name != name for definition in base.store.gates.gates()):
        raise NotFoundError("gate", name, "'saidonce gate list' shows the gates")
    return base.gate(name)


def write_lines(file: Path, lines: Iterable[str]) -> int:
    """Write lines to a file, all of them or none; return their number.

    Raises:
        UsageError: it cannot be written.
        DiskFullError: there is no space left.
    """
    part, n = file.with_name(file.name + ".part"), 0
    try:
        with naming_full_disk(file), part.open("w", encoding="utf-8") as target:
            for line in lines:
                target.write(line)
                n += 1
        part.replace(file)
    except OSError as failed:
        raise UsageError(f"cannot write {file}: {failed.strerror}") from failed
    finally:
        part.unlink(missing_ok=True)
    return n


def snippet(submission: Submission) -> str:
    """Return the beginning of a submission in one line."""
    text = " ".join(f"{submission.title} {submission.text}".split())
    return text if len(text) <= 120 else text[:117] + "..."


@contextmanager
def opened_lines(file: Path) -> Iterator[Iterator[tuple[int, bytes]]]:
    """Yield the lines of a file that are not empty, with their numbers from 1."""
    if str(file) != "-" and not file.is_file():
        raise NotFoundError("file", str(file))
    source: Any = nullcontext(sys.stdin.buffer) if str(file) == "-" else file.open("rb")
    with source as lines:
        yield _number_lines(lines)


def _number_lines(lines: BinaryIO) -> Iterator[tuple[int, bytes]]:
    place = 0
    while line := lines.readline(MAX_LINE + 1):
        place += 1
        rest = line
        while len(rest) > MAX_LINE and not rest.endswith(b"\n"):
            rest = lines.readline(MAX_LINE + 1)  # What follows a line that is too long is read all the same.
        if line.strip():
            yield place, line


def read_line(line: bytes, place: int, submitter: str = "") -> Submission | str:
    """Return a line's submission, or what is wrong with it."""
    from saidonce.interfaces.views.gate import submission_of

    if len(line) > MAX_LINE:
        return f"longer than {MAX_LINE} bytes"
    try:
        read = json.loads(line.rstrip(), object_pairs_hook=_once, parse_constant=_no_constant)
        return replace(submission_of(read, place), submitter=submitter)
    except json.JSONDecodeError as bad:
        return f"invalid JSON: {bad.msg}, column {bad.pos + 1}"  # the line is named by whoever tells it
    except UnicodeDecodeError:
        return "not UTF-8 text"
    except (ValueError, RecursionError) as bad:
        return str(bad)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        twice = next(name for n, (name, _) in enumerate(pairs) if name in dict(pairs[:n]))
        raise ValueError(f"{twice!r} appears twice")
    return fields


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def check_lines(
    gate: Gate, lines: Iterator[tuple[int, bytes]], reserve: bool, submitter: str = ""
) -> Iterator[tuple[int, GateVerdict | str]]:
    """Check lines in batches; yield each one's verdict, or what is wrong with it, in their order.

    Each is yielded as soon as it and all before it are reached.
    """
    from saidonce.gate import BATCH

    while batch := list(islice(lines, BATCH)):
        read = {place: read_line(line, place, submitter) for place, line in batch}
        reached: dict[int, GateVerdict | str] = {p: each for p, each in read.items() if isinstance(each, str)}
        good = {place: each for place, each in read.items() if not isinstance(each, str)}
        order = deque(read)
        yield from _reached_in_order(order, reached)
        for place, verdict in _check_batch(gate, good, reserve):
            reached[place] = verdict
            yield from _reached_in_order(order, reached)


def _reached_in_order(
    order: deque[int], reached: dict[int, GateVerdict | str]
) -> Iterator[tuple[int, GateVerdict | str]]:
    """Yield what stands before the first line that is not reached yet."""
    while order and order[0] in reached:
        place = order.popleft()
        yield place, reached[place]


def _check_batch(
    gate: Gate, submissions: dict[int, Submission], reserve: bool
) -> Iterator[tuple[int, GateVerdict | str]]:
    """Check a batch, and yield as they are reached; if one of it cannot be checked, check each separately."""
    places = list(submissions)
    done: set[int] = set()
    try:
        for at, verdict in gate.check_each(list(submissions.values()), reserve):
            done.add(places[at])
            yield places[at], verdict
    except UsageError:
        for place in places:
            if place not in done:
                yield place, _checked_alone(gate, submissions[place], reserve)


def _checked_alone(gate: Gate, submission: Submission, reserve: bool) -> GateVerdict | str:
    try:
        verdict: GateVerdict = gate.check(submission, reserve)
    except UsageError as bad:
        return str(bad)
    return verdict


def n_lines(file: Path) -> int | None:
    """Count the lines of a file that are not empty; None for standard input."""
    if str(file) == "-":
        return None
    with file.open("rb") as lines:
        return sum(1 for line in lines if line.strip())
