"""What each arm joins of labelled pairs, as tables for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from saidonce.interfaces.cli.lines import clean

if TYPE_CHECKING:
    from saidonce.quality.arms import Arm, ArmLine
    from saidonce.quality.figures import Rate

_CELL = 18
_HEADS = {"guards, any similarity": "guards anywhere", "guards + judge, any similarity": "judge anywhere"}


def arms_text(lines: Sequence[ArmLine], n_equal: int | None, judge: str) -> Iterator[str]:
    """Yield a table of wrong joins and one of right ones, by source, language and kind.

    Args:
        lines: figures by group, each arm of a group after the other.
        n_equal: pairs of equal texts that may be joined, left out; None where it is counted elsewhere.
        judge: name of the judge that was asked; empty without one.
    """
    if not lines:
        return
    yield f"judge: {clean(judge)}" if judge else "no judge is installed: arms with a judge are omitted"
    if n_equal:
        yield f"{n_equal} pairs of identical texts that may merge are not counted"
    arms = list(dict.fromkeys(line.arm for line in lines))
    far = {line.group: line.n_far for line in lines if line.by == "all" and line.arm.has_threshold}
    for title, of_apart in (("must stay apart: merged per 100", True), ("may merge: merged per 100", False)):
        yield ""
        yield f"{title:<36}" + "".join(f"{_HEADS.get(arm, arm):>{_CELL}}" for arm in arms)
        yield from _rows(lines, arms, of_apart)
    if n_far := far.get("all"):
        yield ""
        yield f"{n_far} pairs that must stay apart are not counted with thresholds: no pair of their group is near"


def _rows(lines: Sequence[ArmLine], arms: Sequence[Arm], of_apart: bool) -> Iterator[str]:
    groups: dict[tuple[str, str], dict[Arm, Rate]] = {}
    for line in lines:
        groups.setdefault((line.by, line.group), {})[line.arm] = line.apart if of_apart else line.may
    for (by, group), rates in groups.items():
        if any(r.of for r in rates.values()):
            name = group if by == "all" else f"{by} {group or '-'}"
            yield f"{clean(name)[:35]:<36}" + "".join(f"{_cell(rates[arm]):>{_CELL}}" for arm in arms)


def _cell(r: Rate) -> str:
    return "-" if r.per_100 is None else f"{r.per_100:.1f} ({r.n}/{r.of})"
