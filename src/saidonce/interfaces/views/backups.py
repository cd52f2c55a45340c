"""Backups of the embedded database, and what was restored from them."""

from __future__ import annotations

from saidonce.interfaces.views.base import At, View


class BaseBackupView(View):
    """A whole copy of a base."""

    name: str
    began_at: At
    ended_at: At
    """the earliest moment that it can be restored to"""
    n_bytes: int
    server: str
    """version of PostgreSQL"""
    saidonce: str
    """version of the program"""


class BackupsView(View):
    """What a folder of backups holds."""

    folder: str
    backups: tuple[BaseBackupView, ...]
    until: At | None
    """latest moment that can be restored to; None without a backup"""
    keeps_log: bool
    """the log is kept, so that every moment since the oldest backup can be restored to"""
    made: str
    """name of the backup that this command made; empty if it made none"""
    removed: tuple[str, ...]
    """backups that gave way to newer ones"""
    verified: tuple[str, ...]
    """backups that were checked byte by byte"""


class RestoredView(View):
    """A base that was restored."""

    data_dir: str
    backup: str
    until: At
    """the base is as of this moment"""
    n_segments: int
    """segments of the log that followed the backup"""
    kept_aside: tuple[str, ...]
    """files that were replaced, under their new names"""
