"""An open base on an embedded PostgreSQL, with the built-in model."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from conftest import prepared, reachable_folder
from saidonce import KnowledgeBase

KEPT = "Backups are kept for 30 days and then removed from all servers."
AGAIN = "Backups are kept for 30 days, and then removed from all servers."
OTHER = "Backups are kept for 90 days and then removed from all servers."


@contextmanager
def open_base() -> Iterator[KnowledgeBase]:
    """Open a base, and remove it afterwards."""
    folder = reachable_folder()
    try:
        with KnowledgeBase(data_dir=prepared(folder / "base"), metrics_enabled=False, log_enabled=False) as base:
            yield base
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def new_name() -> str:
    """The name of a collection that no other test uses."""
    return f"c{uuid.uuid4().hex}"
