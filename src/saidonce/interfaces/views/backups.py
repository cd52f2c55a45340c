"""Backups of the embedded database, and what was restored from them."""

from __future__ import annotations

from saidonce.interfaces.views.base import At, View


class BaseBackupView(View):
    """A whole copy of a base."""

    name: str
    began_at: At
    ended_at: At
    """the earliest time that it can be restored to"""
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
    """latest time that can be restored to; null without a backup"""
    keeps_log: bool
    """the log is archived, so that any time since the oldest backup can be restored"""
    made: str
    """name of the backup that this command made; empty if none"""
    removed: tuple[str, ...]
    """backups removed in favour of newer ones"""
    verified: tuple[str, ...]
    """backups that were checked byte by byte"""


class RestoredView(View):
    """A base that was restored."""

    data_dir: str
    backup: str
    until: At
    """time to which the base was restored"""
    n_segments: int
    """log segments replayed after the backup"""
    kept_aside: tuple[str, ...]
    """replaced files, under their new names"""
