"""What cosine, the guards, and a judge behind them join of the pairs that were written blind, as a table.

Run as `python -m benchmarks.blind [--rows N]`: the pairs of `tests/cases/blind` that must stay apart and those that may
be joined, by groups of kinds and by language, under the rule for repeats (.90) and the one for merges (.94, both ways).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.foundation.settings.policy import CANONICAL, REPEAT, Policy
from saidonce.quality import pairs
from saidonce.quality.arms import Arm, ArmLine, arm_lines
from saidonce.quality.figures import Rate

FOLDER = Path(__file__).parents[1] / "tests" / "cases" / "blind"
FILES = ("changed_en", "same_en", "repeats_en", "languages")

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
    wanted = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    wanted.add_argument("--rows", type=int, default=None, help="first rows of each file only")
    n_rows = wanted.parse_args(arguments).rows
    with KnowledgeBase(metrics_enabled=False) as opened:
        base = opened.base
        for policy in (REPEAT, CANONICAL):
            lines = _measured(policy, lambda file, p: pairs.judge(file, base.embedder, p, _quiet, base.judge), n_rows)
            _print(policy, lines)
        print(f"judge: {base.judge.name}" if base.judge else "no judge is installed")


def _quiet(_n: int) -> None:
    """Take no notice of progress."""


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


def _print(policy: Policy, lines: Sequence[ArmLine]) -> None:
    rows: dict[tuple[str, str], dict[Arm, ArmLine]] = {}
    for line in lines:
        if line.by in ("all", "source"):
            rows.setdefault((line.by, line.group), {})[line.arm] = line
    arms = list(dict.fromkeys(line.arm for line in lines))
    print(f"\n{policy.use}, from {policy.duplicate_from:.2f}: joined though apart | joined as they may\n")
    print("| | " + " | ".join([f"apart: {arm}" for arm in arms] + [f"may: {arm}" for arm in arms]) + " |")
    print("|" + "---|" * (1 + 2 * len(arms)))
    for (by, group), of in [*((k, v) for k, v in rows.items() if k[0] != "all"), *rows.items()][: len(rows)]:
        cells = [_cell(of[arm].apart) for arm in arms] + [_cell(of[arm].may) for arm in arms]
        print(f"| {'**all**' if by == 'all' else group} | " + " | ".join(cells) + " |")


def _cell(r: Rate) -> str:
    return f"{r.n} of {r.of}" if r.of else ""


if __name__ == "__main__":
    main()
