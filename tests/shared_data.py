"""Where the shared evaluation data lies; tests that need it skip without it."""

from pathlib import Path

import pytest

SHARED = (Path(__file__).resolve().parents[1] / "../shared/data").resolve()


def shared(path: str) -> Path:
    """Path of a file or folder of the shared data; skips the test if it is missing."""
    found = SHARED / path
    if not found.exists():
        pytest.skip(f"needs the shared evaluation data: {path} is missing")
    return found
