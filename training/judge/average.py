"""Step 3 of `make judge`: average the weights of several runs.

`python -m training.judge.average --runs .judge/run-* --out .judge/trained.pt`

The runs start from the same weights and differ in the order of the pairs and in what is left out of them. Their mean is
as fast as one of them and depends less on a seed (Source: Wortsman et al. 2022, "Model soups").
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch


def main() -> None:
    """Write the mean of the runs' weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=Path, nargs="+", required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    states = [torch.load(run / "trained.pt", weights_only=True) for run in sorted(options.runs)]
    torch.save({name: torch.stack([s[name] for s in states]).mean(0) for name in states[0]}, options.out)
    print(f"{options.out}: the mean of {len(states)} runs")


if __name__ == "__main__":
    main()
