"""What protects this machine: each protection, whether it is on, and why; and what else it can do."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from saidonce.app.opening import sandbox_of
from saidonce.app.repairs_service.hearing import why_unheard
from saidonce.errors import SaidonceError
from saidonce.foundation import extras
from saidonce.foundation.disk import MIB, free_bytes, volume_of
from saidonce.foundation.settings.policy import Settings
from saidonce.matching.vectors import native

ROOM = 1024 * MIB
"""Free space under which a base is soon in the way of its own log of changes."""

_OTHERS = stat.S_IRWXO & ~stat.S_IXOTH | stat.S_IRWXG & ~stat.S_IXGRP


@dataclass(frozen=True, slots=True)
class Check:
    """One protection of this machine, or something else that it can do or do quicker.

    Attributes:
        area: parsing, database, files, speed or repairs.
        name: what it is, in a word or two.
        is_on: it holds here.
        why: how it holds, or why it does not and what to do.
        protects: nothing is less safe without it if false.
    """

    area: str
    name: str
    is_on: bool
    why: str
    protects: bool = True


def examine(settings: Settings) -> tuple[Check, ...]:
    """Look at a real parsing process, the database's login and the files of a base; nothing is made or changed."""
    folder = settings.data_dir.expanduser()
    speed = (_native(), *_replica(settings))
    is_answering = settings.repairs_enabled and extras.is_installed(extras.REPAIRS)
    repairs = (_voice(settings), _heic()) if is_answering else ()
    return (*_parsing_checks(settings), _login(settings, folder), *_files(folder), *speed, *repairs)


def _parsing_checks(settings: Settings) -> tuple[Check, ...]:
    try:
        with sandbox_of(settings) as sandbox:
            return tuple(Check("parsing", one.name, one.is_on, one.why) for one in sandbox.protections())
    except SaidonceError as failed:
        return (Check("parsing", "process", is_on=False, why=str(failed)),)


def _login(settings: Settings, folder: Path) -> Check:
    from saidonce.adapters.postgres.rights import login_rights  # noqa: PLC0415  heavy, and for this check alone

    try:
        is_on, why = login_rights(settings.database_url, folder)
    except SaidonceError as failed:
        is_on, why = False, str(failed)
    return Check("database", "login", is_on, why)


def _native() -> Check:
    return Check("speed", "native comparison", native.INSTALLED is not None, native.WHY, protects=False)


def _voice(settings: Settings) -> Check:
    why = why_unheard(settings)
    how = f"transcribed in a sandboxed process, up to {settings.media_voice_minutes} minutes each (media_voice_minutes)"
    unheard = f"kept for people to listen to: {why}"
    return Check("repairs", "voice messages of residents", not why, unheard if why else how, protects=False)


def _heic() -> Check:
    is_on = find_spec("pillow_heif") is not None
    why = "converted to JPEG without metadata"
    kept = f"kept, but not shown; run: {extras.command(extras.IMAGES)}"
    return Check("repairs", "HEIC photos of residents", is_on, why if is_on else kept, protects=False)


def _replica(settings: Settings) -> tuple[Check, ...]:
    if not settings.replica_url or not settings.database_url:
        return ()
    from saidonce.adapters.postgres.rights import replica_check  # noqa: PLC0415  heavy, and for this check alone

    is_on, why = replica_check(settings.database_url, settings.replica_url)
    return (Check("speed", "copy for pages", is_on, why, protects=False),)


def _files(folder: Path) -> tuple[Check, ...]:
    checks = [_private("data folder", folder), _private("session secret", folder / "session.secret")]
    free = free_bytes(folder)
    if free is not None:
        room = f"{free // MIB} MiB free on {volume_of(folder)}"
        more = "" if free >= ROOM else f"; make it at least {ROOM // MIB} MiB"
        checks.append(Check("files", "room", free >= ROOM, room + more))
    return tuple(checks)


def _private(name: str, path: Path) -> Check:
    """Check that no other account may read a file or list a folder."""
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return Check(
            "files", name, is_on=True, why=f"{path} does not exist yet; it will be readable by this account only"
        )
    except OSError as failed:
        return Check("files", name, is_on=False, why=f"{path} cannot be checked: {failed.strerror}")
    if mode & _OTHERS:
        return Check("files", name, is_on=False, why=f"{path} is readable by others; run: chmod go-rw {path}")
    return Check("files", name, is_on=True, why=f"{path} is readable by this account only")
