"""db export, db import, db migrate."""

from __future__ import annotations

import gzip
import zlib
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import typer

from saidonce.errors import NotFoundError, StoreCorruptError, UsageError
from saidonce.foundation.disk import writing
from saidonce.interfaces.cli.group import CommandSet
from saidonce.interfaces.cli.shared import EXIT_FAILED, clean, effective_settings, err, errors_reported, opened, out

app = CommandSet("Export and import everything an organisation holds, and migrate.")


@app.command(name="export")
def export_(
    file: Annotated[Path, typer.Argument(help="File to write; compressed if it ends in .gz.", show_default=False)],
    force: Annotated[bool, typer.Option(help="Overwrite an existing file.")] = False,
) -> None:
    """Export the organisation as self-contained JSON lines: same content, same bytes.

    **Example**: `saidonce db export backup.jsonl.gz`
    """
    with opened() as base:
        if file.exists() and not force:
            raise UsageError(f"{file} exists; --force writes over it")
        part = file.with_name(file.name + ".part")
        n_lines = 0
        try:
            with writing(file), part.open("wb") as written, _packed(written, file) as target:
                for line in base.store.dump():
                    target.write(line.rstrip(b"\n") + b"\n")
                    n_lines += 1
            part.replace(file)
        finally:
            part.unlink(missing_ok=True)
        out.print(f"{n_lines} lines written to {clean(str(file))}")


@app.command(name="import")
def import_(
    file: Annotated[Path, typer.Argument(help="File that 'db export' wrote.", show_default=False)],
) -> None:
    """Import an export into an empty organisation, all or nothing.

    **Example**: `saidonce --org copy db import backup.jsonl.gz`
    """
    with opened() as base:
        if not file.is_file():
            raise NotFoundError("file", str(file))
        err.print(f"importing {clean(str(file))}")
        try:
            with gzip.open(file, "rb") if file.suffix == ".gz" else file.open("rb") as lines:
                n_lines = base.store.load(lines)
        except (EOFError, gzip.BadGzipFile, zlib.error) as bad:
            raise StoreCorruptError(f"{str(file)!r} is cut off or damaged; nothing was imported") from bad
        out.print(f"{n_lines} lines imported into organisation {clean(base.settings.org)}")


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


def _packed(written: BinaryIO, file: Path) -> AbstractContextManager[Any]:
    """Compress what is written to a .gz file, without a name or time in its header: same content, same bytes."""
    if file.suffix == ".gz":
        return gzip.GzipFile(filename="", mode="wb", fileobj=written, mtime=0)
    return nullcontext(written)
