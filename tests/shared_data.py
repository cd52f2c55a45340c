"""The evaluation data, which does not come with the repository; tests that need it skip without it."""

from pathlib import Path

import pytest
from benchmarks.evaluation_data import FOLDER, missing


def shared(path: str) -> Path:
    """Return the path of a file or folder of the evaluation data; skip the test if it is missing."""
    found = FOLDER / path
    if not found.exists():
        pytest.skip(missing(path))
    return found
