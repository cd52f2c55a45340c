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
from saidonce.foundation.disk import writing
from saidonce.interfaces.cli.group import CommandSet
from saidonce.interfaces.cli.lines import clean
from saidonce.interfaces.cli.shared import (
    EXIT_FAILED,
    Steps,
    effective_settings,
    err,
    errors_reported,
    opened,
    out,
    progress,
)

app = CommandSet("Export and import what an organisation holds, and migrate.")

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

    In it is what `db import` needs to begin anew elsewhere: documents, decisions, gates with their budgets and
    remembered rulings, homes, residents, conversations and their files, people, channels and notices to be sent. Not
    in it are secrets: of keys their names and scopes are kept, of webhooks where they lead; both are made anew. Nor
    are what is made of the rest (pairs, search terms), the security log (`saidonce security-log --json`), settings,
    and `session.secret`, with which links of residents are signed: `saidonce backup` keeps all of those.

    Encrypted, two exports of the same content differ.

    **Examples**

    * `saidonce db export base.jsonl.gz`
    * `saidonce db export base.jsonl.gz.age --encrypt-to age1...`
    """
    with opened() as base:
        from saidonce.foundation.model.security import SecurityKind
        from saidonce.platform.security_log import record

        if file.exists() and not force:
            raise UsageError(f"{file} exists; --force writes over it")
        if bool(encrypt_to) != (file.suffix == ".age"):
            raise UsageError("what is encrypted with --encrypt-to is named .age, and nothing else is")
        recipients = _recipients(encrypt_to)
        with progress("exporting", None, lines=True) as steps, writing(file), _written(file) as target:
            lines = _counted(base.store.dump(), steps)
            chunks = _gzipped(lines) if ".gz" in file.suffixes[-2:] else lines
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
    """Import an export into an empty organisation, all or nothing; people and keys that are there stay as they are.

    **Examples**

    * `saidonce --org copy db import base.jsonl.gz`
    * `saidonce --org copy db import base.jsonl.gz.age --identity key.txt`
    """
    with opened() as base:
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
            raise StoreCorruptError(f"{str(file)!r} is cut off or damaged; nothing was imported") from bad
        record(base.store, SecurityKind.IMPORTED, base.base.clock.now(), str(file.resolve()), lines=n_lines)
        out.print(f"{n_lines} lines imported into organisation {clean(base.settings.org)}")
        _say_what_is_missing(base)


@app.command(name="migrate")
def migrate_(
    check: Annotated[bool, typer.Option("--check", help="Only say what waits; exit code 1 if something does.")] = False,
    contract: Annotated[
        bool, typer.Option("--contract", help="Apply the steps too that end older programs on this database.")
    ] = False,
) -> None:
    """Bring the database to the schema of this program, as every other command does when it opens the base.

    Steps that only take away what older programs use wait until `--contract`: stop those programs first.

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
            out.print(f"{step.number:04d} {step.name}: waits ({step.phase})")
    if not applied and not left:
        out.print("the database has the schema of this program")
    if left and not check:
        out.print("stop every program of an older version, then run 'saidonce db migrate --contract'")
    if check and left:
        raise typer.Exit(EXIT_FAILED)


@app.command(name="new-key")
def new_key(
    file: Annotated[Path, typer.Argument(help="File for the secret key; only you can read it.", show_default=False)],
) -> None:
    """Make a key pair to encrypt exports with: the secret key goes into a file, the public one is printed.

    Keep the file elsewhere than the exports; without it nobody can read them.

    **Example**: `saidonce db new-key saidonce-export.key`
    """
    from saidonce.adapters.age import new_identity

    with errors_reported():
        public, secret = new_identity()
        try:
            with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as held:
                held.write(f"# public key: {public}\n{secret}\n")
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


def _counted(lines: Iterator[bytes], steps: Steps) -> Iterator[bytes]:
    for line in lines:
        steps()
        yield line.rstrip(b"\n") + b"\n"


def _gzipped(lines: Iterator[bytes]) -> Iterator[bytes]:
    packer = zlib.compressobj(wbits=GZIP)
    for line in lines:
        if packed := packer.compress(line):
            yield packed
    yield packer.flush()


@contextmanager
def _written(file: Path) -> Iterator[BinaryIO]:
    """Give a file that gets its name when all of it is on the disk; before, and if that fails, there is none."""
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
    """Give the lines of an export, whether it is encrypted or not, compressed or not; none is longer than a row may be.

    What is longer is given in pieces, none of which is a row: nothing unfolds in memory as a whole.
    """
    with file.open("rb") as held:
        if not _begins(held, b"age-encryption.org/"):
            with _unpacked(held) as lines:
                yield iter(partial(lines.readline, longest), b"")
            return
        if identity is None:
            raise UsageError(f"{str(file)!r} is encrypted; name the file with the secret key in --identity")
        from saidonce.adapters.age import decrypted, identities_of

        with decrypted(held, identities_of(identity)) as inside, _unpacked(inside) as lines:
            yield iter(partial(lines.readline, longest), b"")


@contextmanager
def _unpacked(held: BinaryIO) -> Iterator[BinaryIO]:
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
        err.print(f"{keys} keys came without their secrets and are of no use: make new ones with 'saidonce keys make'")
    if hooks:
        err.print(f"{hooks} webhooks came without address and secret: remove them, and add them again")
    if waiting := sum(source.is_imported for source in base.syncs.sources()):
        err.print(f"{waiting} sources came with it; none is synced until 'saidonce sync SOURCE' has run it here once")
