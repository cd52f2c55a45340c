"""Print a table of the blind pairs joined by cosine, by the guards, and by guards with a judge.

Run as `python -m benchmarks.blind [--rows N] [--second | --third | --fourth | --fifth | --sixth | --seventh |
--eighth | --ninth | --tenth | --eleventh | --twelfth | --thirteenth | --fourteenth | --fifteenth | --sixteenth |
--seventeenth | --eighteenth | --nineteenth | --twentieth]`: the pairs of `tests/cases/blind` that must stay apart and
those that may be joined, by groups of kinds and by language, under the rule for repeats (.90) and the one for merges
(.94, both ways). `--second` and so on compare the pairs of `tests/cases/blind/second` and its like at any similarity,
by language; re-wordings by how far they go, too, where their kinds say so.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from saidonce.app.equivalence import open_judge
from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.foundation.model import Candidate
from saidonce.foundation.settings.policy import CANONICAL, REPEAT, Policy
from saidonce.foundation.text import content_hash
from saidonce.matching.agreement import Agreement, agreement, borne_out
from saidonce.quality import pairs
from saidonce.quality.arms import Arm, ArmLine, arm_lines
from saidonce.quality.figures import Rate

FOLDER = Path(__file__).parents[1] / "tests" / "cases" / "blind"
FILES = ("changed_en", "same_en", "repeats_en", "languages")
SETS = (
    "second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth"
    " sixteenth seventeenth eighteenth nineteenth twentieth"
).split()

GROUPS = {
    "values": "number unit date version amount percentage range-end ordinal frequency time-zone temperature-sign",
    "negation, modality, quantity": "negation negating-prefix double-negation-dropped negation-scope modality"
    " quantifier hedge place-of-only exception-removed opposite",
    "time, condition, tense": "time-or-condition tense",
    "who, which way, in which order": "role-swap role-swap-passive name-swap parties-regrouped plural-agents"
    " cause-reversed comparison-reversed step-order list-order",
    "list members, modifiers, last sentences": "list-member-missing list-item-replaced new-modifier last-sentence"
    " defined-term",
    "names and code": "channel-name path-segment letter-number code-argument identifier url email",
}
"""Kinds of `changed_en`, which also has look-alikes of each kind that say the same."""

_GROUP_OF = {kind: group for group, kinds in GROUPS.items() for kind in kinds.split()}


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table for each rule."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=None, help="first rows of each file only")
    sets = parser.add_mutually_exclusive_group()
    for name in SETS:
        sets.add_argument(
            f"--{name}", action="store_const", const=name, dest="of", help=f"the {name} set, at any similarity"
        )
    options = parser.parse_args(arguments)
    n_rows = options.rows
    if options.of:
        _at_any_similarity(FOLDER / options.of, n_rows)
        return
    with KnowledgeBase(metrics_enabled=False) as opened:
        base = opened.base
        for policy in (REPEAT, CANONICAL):
            lines = _measured(
                policy, lambda file, p: pairs.judge(file, base.embedder, p, _ignore_progress, base.judge), n_rows
            )
            _print(policy, lines)
        print(f"judge: {base.judge.name}" if base.judge else "no judge is installed")


def _at_any_similarity(folder: Path, n_rows: int | None) -> None:
    """Print the decisions of guards, and of guards with a judge, on a set in TOML files, by language and sort."""
    judge = open_judge("auto")
    print("| | apart: joined | apart: open | may: joined | may: open | may: objected to |\n|---|---|---|---|---|---|")
    total: Counter[str] = Counter()
    sorts: dict[str, Counter[str]] = defaultdict(Counter)
    for file in sorted(folder.glob("*.toml")):
        counts: Counter[str] = Counter()
        for row in islice(tomllib.loads(file.read_text(encoding="utf-8"))["cases"], n_rows):
            language = row.get("language", file.stem)
            a, b = (Candidate(row[s], content_hash(row[s]), language=language) for s in "ab")
            guarded = agreement(a, b)
            judged = borne_out(a, b, guarded, judge)
            outcome = Counter(
                (row["label"], f"{row['label']} {judged.agreement}", f"{row['label']} by {guarded.agreement}")
            )
            counts += outcome
            sort, colon, _ = row["kind"].partition(":")
            if colon:
                sorts[sort] += outcome
        total += counts
        print(_line(file.stem, counts))
    for sort in sorted(sorts, reverse=True):
        print(_line(f"*{sort}*", sorts[sort]))
    print(_line("**all**", total))
    print(f"judge: {judge.name}" if judge else "no judge is installed")


def _line(name: str, of: Counter[str]) -> str:
    """Return a line of the table: pairs joined by the guards, then by the judge, and those not joined."""
    cells = []
    for label in ("changed", "same"):
        by, after = (sum(of[f"{label} {how}{a}"] for a in JOINED) for how in ("by ", ""))
        cells += [f"{by}{f' -> {after}' if after != by else ''} of {of[label]}", str(of[f"{label} {Agreement.OPEN}"])]
    return f"| {name} | " + " | ".join((*cells, str(of[f"same {Agreement.OBJECTED}"]))) + " |"


JOINED = (Agreement.SAME, Agreement.REPEATS_A, Agreement.REPEATS_B)


def _ignore_progress(_n: int) -> None:
    """Ignore progress."""


def _measured(
    policy: Policy, judge: Callable[[Path, Policy], list[pairs.JudgedPair]], n_rows: int | None
) -> tuple[ArmLine, ...]:
    """Return the figures of a rule by groups of kinds (as sources) and by language."""
    arms = []
    for name in FILES:
        file = FOLDER / f"{name}.jsonl"
        groups = [_group(name, json.loads(row)) for row in file.read_text(encoding="utf-8").splitlines()]
        for judged, group in islice(zip(judge(file, policy), groups, strict=True), n_rows):
            is_equal = judged.pair.a.content_hash == judged.pair.b.content_hash and judged.pair.may_merge
            if not is_equal and (arm := pairs.arm_pair(judged, policy)):
                arms.append(replace(arm, source=group))
    return arm_lines(arms)


def _group(file: str, row: dict[str, str]) -> str:
    if file == "changed_en":
        return f"English, {_GROUP_OF[row['kind']]}"
    if file == "same_en":
        return f"English re-wordings, {row['note']}"
    return "English, one side says more" if file == "repeats_en" else f"other languages: {row['language']}"


_COLUMNS = (
    ("cosine", Arm.COSINE, None),
    ("guards", Arm.GUARDS, Arm.JUDGE),
    ("at any similarity", Arm.GUARDS_ANYWHERE, Arm.JUDGE_ANYWHERE),
)
"""Heads of columns, the arm of each, and the same arm with a judge behind it."""


def _print(policy: Policy, lines: Sequence[ArmLine]) -> None:
    """Print the pairs joined in each group, of those that must stay apart and of those that may be joined."""
    rows: dict[str, dict[Arm, ArmLine]] = {}
    for line in (*(one for one in lines if one.by == "source"), *(one for one in lines if one.by == "all")):
        rows.setdefault(line.group, {})[line.arm] = line
    heads = [f"{side}: {name}" for side in ("apart", "may") for name, _, _ in _COLUMNS]
    print(f"\n{policy.use}, from {policy.duplicate_from:.2f}\n\n| | " + " | ".join(heads) + " |")
    print("|" + "---|" * (1 + len(heads)))
    for group, of in rows.items():
        cells = [
            _cell(*(getattr(of[a], side) if a in of else None for a in (arm, judged)))
            for side in ("apart", "may")
            for _, arm, judged in _COLUMNS
        ]
        print(f"| {group} | " + " | ".join(cells) + " |")


def _cell(guarded: Rate | None, judged: Rate | None) -> str:
    """Return how many were joined, without and with a judge; empty if there is nothing to join."""
    if guarded is None or not guarded.of:
        return ""
    after = f" -> {judged.n}" if judged is not None and judged.n != guarded.n else ""
    return f"{guarded.n}{after} of {guarded.of}"


if __name__ == "__main__":
    main()
