"""Add up the proofs of several runs in a file, so that long runs can be split over days."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.proof import Proof

GREATEST = ("longest", "memory")
"""Beginnings of the figures of which the greatest counts, not the sum."""


@dataclass
class Tally:
    """The sum of all parts so far; an interrupted part adds nothing, and a part with a flaw stays in it.

    Attributes:
        path: file that stores the sum; None stores none.
        parts: how many parts were added, by kind.
    """

    path: Path | None = None
    by_name: dict[str, Proof] = field(default_factory=dict)
    parts: Counter[str] = field(default_factory=Counter)

    @classmethod
    def at(cls, path: Path | None) -> Tally:
        """Continue with a file, or begin without one.

        Raises:
            ValueError: the file is not a tally.
        """
        if path is None or not path.exists():
            return cls(path)
        try:
            kept = json.loads(path.read_text(encoding="utf-8"))
            proofs = [proof_of(row) for row in kept["proofs"]]
            return cls(path, {one.name: one for one in proofs}, Counter(kept["parts"]))
        except (KeyError, TypeError, AttributeError, ValueError) as unfit:
            raise ValueError(f"{path} does not hold what proofs showed; name another file") from unfit

    @property
    def proofs(self) -> list[Proof]:
        """All proofs so far, each with the sum of its parts."""
        return list(self.by_name.values())

    def add(self, kind: str, proofs: Sequence[Proof]) -> None:
        """Add a part, and store the sum."""
        self.parts[kind] += 1
        for one in proofs:
            known = self.by_name.setdefault(one.name, Proof(one.name))
            for what, n in one.happened.items():
                known.happened[what] += n
            known.wrong += one.wrong
            for what, figure in one.counts.items():
                former = known.counts.get(what, 0)
                known.counts[what] = max(former, figure) if what.startswith(GREATEST) else round(former + figure, 1)
        if self.path is not None:
            draft = self.path.with_name(f".{self.path.name}.part")
            rows = [row_of(one) for one in self.proofs]
            draft.write_text(json.dumps({"parts": self.parts, "proofs": rows}, indent=1), encoding="utf-8")
            draft.replace(self.path)

    def happened(self, what: str, *names: str) -> int:
        """Count how often something happened in the proofs of these names."""
        return sum(self.by_name[name].happened[what] for name in names if name in self.by_name)


def row_of(one: Proof) -> dict[str, Any]:
    """Return the JSON form of a proof in a file."""
    return {"name": one.name, "happened": dict(one.happened), "wrong": one.wrong, "counts": one.counts}


def proof_of(row: dict[str, Any]) -> Proof:
    """Return the proof from its JSON form in a file."""
    return Proof(str(row["name"]), Counter(row["happened"]), list(row["wrong"]), dict(row["counts"]))
