"""db export, db import, db migrate, db new-key."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import typer

from saidonce.errors import NotFoundError, StoreCorruptError, UsageError
from saidonce.foundation.disk import naming_full_disk
from saidonce.foundation.files import whole_file
from saidonce.interfaces.cli.group import CommandSet
from saidonce.interfaces.cli.lines import clean
from saidonce.interfaces.cli.shared import (
    EXIT_FAILED,
    Steps,
    effective_settings,
    err,
    errors_reported,
    open_base,
    out,
    progress,
)

app = CommandSet("Export and import an organisation's data, and migrate the database.")

GZIP = 31
"""Window of zlib that writes a gzip header, without a name or time: same content, same bytes."""

CHUNK = 65_536

LONGEST_LINE = 48 * 1024 * 1024
"""Of an export that is read, in bytes."""


@app.command(name="export")
def export_(
    file: Annotated[Path, typer.Argument(help="File to write; compressed if it ends in .gz or .gz.age.")],
    force: Annotated[bool, typer.Option(help="Overwrite an existing file.")] = False,
    encrypt_to: Annotated[
        list[str] | None,
        typer.Option(help="Public key (age1..., ssh-ed25519 ...) to encrypt to; repeatable.", show_default=False),
    ] = None,
) -> None:
    """Export the organisation as self-contained JSON lines, readable by you alone: same content, same bytes.

    The export contains everything that `db import` needs to start elsewhere: documents, decisions, gates with their
    budgets and remembered rulings, homes, residents, conversations and their files, people, channels and pending
    notifications. It contains no secrets: keys come with names and scopes, webhooks with their hosts, and both have to
    be created again. It leaves out derived data (pairs, search terms), the security log (`saidonce security-log
    --json`), settings, and `session.secret`, which signs the links of residents: `saidonce backup` includes all of
    these.

    Encrypted exports of the same content differ.

    **Examples**

    * `saidonce db export base.jsonl.gz`
    * `saidonce db export base.jsonl.gz.age --encrypt-to age1...`
    """
    with open_base() as base:
        from saidonce.foundation.model.security import SecurityKind
        from saidonce.platform.security_log import record

        if file.exists() and not force:
            raise UsageError(f"{file} exists; --force overwrites it")
        if bool(encrypt_to) != (file.suffix == ".age"):
            raise UsageError("the file name must end in .age with --encrypt-to, and only then")
        recipients = _recipients(encrypt_to)
        with progress("exporting", None, lines=True) as steps, naming_full_disk(file), _new_file(file) as target:
            lines = _with_progress(base.store.dump(), steps)
            chunks = _gzip(lines) if ".gz" in file.suffixes[-2:] else lines
            _fill(target, chunks, recipients)
        record(
            base.store, SecurityKind.EXPORTED, base.base.clock.now(), str(file.resolve()), lines=steps.done,
            encrypted="yes" if encrypt_to else "no",
        )  # fmt: skip
        out.print(f"{steps.done} lines written to {clean(str(file))}")


@app.command(name="import")
def import_(
    file: Annotated[Path, typer.Argument(help="File that 'db export' wrote.", show_default=False)],
    identity: Annotated[
        Path | None, typer.Option(help="File with the secret key, if the export is encrypted.", show_default=False)
    ] = None,
) -> None:
    """Import an export into an empty organisation, all or nothing; existing people and keys stay as they are.

    **Examples**

    * `saidonce --org copy db import base.jsonl.gz`
    * `saidonce --org copy db import base.jsonl.gz.age --identity key.txt`
    """
    with open_base(creates=True) as base:
        from saidonce.foundation.model.security import SecurityKind
        from saidonce.platform.security_log import record

        if not file.is_file():
            raise NotFoundError("file", str(file))
        err.print(f"importing {clean(str(file))}")
        try:
            longest = max(LONGEST_LINE, 2 * base.settings.max_source_mb * 1024 * 1024)  # a file, in letters
            with _lines_of(file, identity, longest) as lines:
                n_lines = base.store.load(lines)
        except (EOFError, gzip.BadGzipFile, zlib.error) as bad:
            raise StoreCorruptError(f"{str(file)!r} is truncated or damaged; nothing was imported") from bad
        record(base.store, SecurityKind.IMPORTED, base.base.clock.now(), str(file.resolve()), lines=n_lines)
        out.print(f"{n_lines} lines imported into organisation {clean(base.settings.org)}")
        _say_what_is_missing(base)


@app.command(name="migrate")
def migrate_(
    check: Annotated[
        bool, typer.Option("--check", help="Only list pending steps; exit with code 1 if there are any.")
    ] = False,
    contract: Annotated[
        bool, typer.Option("--contract", help="Also apply steps that older versions of the program cannot work with.")
    ] = False,
) -> None:
    """Migrate the database to this version's schema, as every command does when it opens the base.

    Steps that remove what older versions of the program use wait for `--contract`: stop those programs first.

    **Example**: `saidonce db migrate --check`
    """
    from saidonce.adapters.postgres.upgrade import apply_migrations, migrations_waiting  # a driver; --help does without

    settings = effective_settings()
    at = settings.database_url, settings.data_dir.expanduser()
    with errors_reported():
        applied = () if check else apply_migrations(*at, contract)
        for step in applied:
            out.print(f"{step.number:04d} {step.name}: applied")
        left = migrations_waiting(*at)
        for step in left:
            out.print(f"{step.number:04d} {step.name}: pending ({step.phase})")
    if not applied and not left:
        out.print("the database schema is up to date")
    if left and not check:
        out.print("stop every program of an older version, then run 'saidonce db migrate --contract'")
    if check and left:
        raise typer.Exit(EXIT_FAILED)


@app.command(name="new-key")
def new_key(
    file: Annotated[Path, typer.Argument(help="File for the secret key; only you can read it.", show_default=False)],
) -> None:
    """Create a key pair for encrypting exports: write the secret key to a file, print the public one.

    Keep the file apart from the exports; without it nobody can read them.

    **Example**: `saidonce db new-key saidonce-export.key`
    """
    from saidonce.adapters.age import new_identity

    with errors_reported():
        public, secret = new_identity()
        try:
            with whole_file(file, is_private=True, is_new=True) as held:
                held.write(f"# public key: {public}\n{secret}\n".encode())
        except OSError as bad:
            raise UsageError(f"{str(file)!r} cannot be written: {bad.strerror}") from bad
        out.print(public)


def _recipients(written: list[str] | None) -> list[Any]:
    if not written:
        return []
    from saidonce.adapters.age import recipients_of

    return recipients_of(written)


def _fill(target: BinaryIO, chunks: Iterator[bytes], recipients: list[Any]) -> None:
    if recipients:
        from saidonce.adapters.age import encrypt

        encrypt(chunks, target, recipients)
        return
    for chunk in chunks:
        target.write(chunk)


def _with_progress(lines: Iterator[bytes], steps: Steps) -> Iterator[bytes]:
    for line in lines:
        steps()
        yield line.rstrip(b"\n") + b"\n"


def _gzip(lines: Iterator[bytes]) -> Iterator[bytes]:
    packer = zlib.compressobj(wbits=GZIP)
    for line in lines:
        if packed := packer.compress(line):
            yield packed
    yield packer.flush()


@contextmanager
def _new_file(file: Path) -> Iterator[BinaryIO]:
    """Yield a file that gets its name when all of it is on the disk; before, and if that fails, there is none."""
    part = file.with_name(file.name + ".part")
    try:
        with suppress(FileNotFoundError):
            part.unlink()
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as target:
            yield target
            target.flush()
            os.fsync(target.fileno())
        part.replace(file)
        folder = os.open(file.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except (FileNotFoundError, NotADirectoryError, PermissionError) as bad:
        raise UsageError(f"{str(file)!r} cannot be written: {bad.strerror}") from bad
    finally:
        with suppress(OSError):
            part.unlink()


@contextmanager
def _lines_of(file: Path, identity: Path | None, longest: int = LONGEST_LINE) -> Iterator[Iterator[bytes]]:
    """Yield the lines of an export, encrypted or not, compressed or not; none is longer than a row may be.

    What is longer is given in pieces, none of which is a row: nothing unfolds in memory as a whole.
    """
    with file.open("rb") as held:
        if not _begins(held, b"age-encryption.org/"):
            with _decompress(held) as lines:
                yield iter(partial(lines.readline, longest), b"")
            return
        if identity is None:
            raise UsageError(f"{str(file)!r} is encrypted; give the file with the secret key as --identity")
        from saidonce.adapters.age import decrypt_stream, identities_of

        with decrypt_stream(held, identities_of(identity)) as inside, _decompress(inside) as lines:
            yield iter(partial(lines.readline, longest), b"")


@contextmanager
def _decompress(held: BinaryIO) -> Iterator[BinaryIO]:
    peekable: Any = held
    is_packed = peekable.peek(2)[:2] == b"\x1f\x8b"
    if not is_packed:
        yield held
        return
    with gzip.GzipFile(fileobj=held, mode="rb") as opened_file:
        yield io.BufferedReader(opened_file, CHUNK)


def _begins(held: BinaryIO, with_: bytes) -> bool:
    peekable: Any = held
    return bool(peekable.peek(len(with_))[: len(with_)] == with_)


def _say_what_is_missing(base: Any) -> None:
    """Say what has to be made anew, since no export holds secrets."""
    people = base.store.people
    keys = sum(1 for key in people.keys() if not key.hash and key.revoked_at is None)  # noqa: SIM118  a method of ours
    hooks = sum(1 for c in people.channels() if c.kind == "webhook" and not c.secret)
    if keys:
        err.print(
            f"{keys} keys were exported without their secrets and are unusable; make new ones with 'saidonce keys make'"
        )
    if hooks:
        err.print(f"{hooks} webhooks were exported without address and secret; remove them and add them again")
    if waiting := sum(source.is_imported for source in base.syncs.sources()):
        err.print(
            f"{waiting} sources were imported; each is synced only after 'saidonce sync SOURCE' has run it here once"
        )
