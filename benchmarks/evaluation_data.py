"""Where the evaluation data lies, and what is said where it is missing."""

from __future__ import annotations

import os
import sys
from pathlib import Path

VARIABLE = "EVALUATION_DATA"
FOLDER = Path(os.environ.get(VARIABLE) or Path(__file__).resolve().parents[1] / "../shared/data").resolve()
MISSING = 2
"""Exit code where the data is not there."""


def needed(name: str, folder: Path = FOLDER) -> Path:
    """Give the path of a file or folder of the evaluation data.

    Raises:
        SystemExit: it is not there; one line says what is wanted and how to give it.
    """
    path = folder / name
    if not path.exists():
        sys.stderr.write(
            f"this needs the evaluation data {name}, which does not come with the program: it is not in {folder}; name "
            f"the folder that has it in {VARIABLE} (docs/figures.md says what was measured on)\n"
        )
        raise SystemExit(MISSING)
    return path
