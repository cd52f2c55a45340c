"""Digests of files: of their bytes, and of a JSON object that names its own."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file, 64 hex digits; it is read in pieces.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def seal_of(body: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a JSON object without its member `sha256`, 64 hex digits, whatever the order of keys."""
    content = json.dumps({k: v for k, v in body.items() if k != "sha256"}, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(content.encode("utf-8")).hexdigest()
