"""The secret that signs sessions and links; a worker and a server that share a data folder share it."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

from saidonce.errors import UsageError


def session_secret(folder: Path) -> str:
    """Return the secret that signs sessions; created once, readable by this account only."""
    path = folder / "session.secret"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with suppress(FileExistsError), open(path, "x", encoding="ascii", opener=_private) as file:
            file.write(secrets.token_urlsafe(48))
    except OSError:
        path.unlink(missing_ok=True)  # an empty one would be in the way when there is room again
        raise
    secret = path.read_text(encoding="ascii").strip()
    if len(secret) < 32:
        raise UsageError(f"{path} does not contain a secret; remove it to create a new one")
    return secret


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
