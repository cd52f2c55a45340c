"""Door: the command line. Every command translates options, calls one flow, and prints its report."""

from __future__ import annotations

import gc
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.main import get_group

from saidonce import __version__, _interrupts
from saidonce.interfaces.cli.group import EXIT_INTERRUPTED, CommandTable, LazyCommand
from saidonce.interfaces.cli.table import COMMANDS


class _Root(CommandTable):
    """All commands."""

    entries = COMMANDS

    def invoke(self, ctx: Any) -> Any:
        """Run a command; from here on it may have to close something when it is interrupted."""
        _interrupts.stop_by_exception()
        return super().invoke(ctx)


app = typer.Typer(
    name="saidonce",
    cls=_Root,
    help="A knowledge base for RAG that says everything once and loses nothing.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done, 1 failed, 2 wrong use, 3 some sources were refused, 4 blocked by a gate,"
    " 130 interrupted.",
)


def _version(is_set: bool) -> None:
    if is_set:
        typer.echo(f"saidonce {__version__}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    data_dir: Annotated[str | None, typer.Option(help="Folder of the embedded database.")] = None,
    database_url: Annotated[str | None, typer.Option(help="PostgreSQL to use instead.")] = None,
    org: Annotated[str | None, typer.Option(help="Organisation whose knowledge base is used.")] = None,
    config: Annotated[Path | None, typer.Option(help="Settings file; `saidonce.toml` here by default.")] = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Write log lines to standard error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Read the options before the command."""
    from saidonce.foundation import tracing
    from saidonce.interfaces.cli import shared

    del version
    if verbose:
        from saidonce.interfaces.cli.lines import log_to_standard_error

        log_to_standard_error()
    tracing.start()
    shared.set_options(
        context, shared.GlobalOptions(config, {"data_dir": data_dir, "database_url": database_url, "org": org})
    )


def walk() -> Iterator[tuple[str, Any]]:
    """Import all commands; yield each with its full name, a group before its commands."""
    root = get_group(app)
    yield "saidonce", root
    for name, command in root.commands.items():
        loaded = command.load() if isinstance(command, LazyCommand) else command
        yield f"saidonce {name}", loaded
        yield from _inside(f"saidonce {name}", loaded)


def _inside(path: str, group: Any) -> Iterator[tuple[str, Any]]:
    for name, command in getattr(group, "commands", {}).items():
        yield f"{path} {name}", command
        yield from _inside(f"{path} {name}", command)


COLLECTED_AFTER = 50_000, 20, 100
"""Objects that are new before the young are collected, and collections of one generation before one of the next: what
is imported stays, and looking through it over and over is a tenth of a short command."""


def main() -> None:
    """Run the command line."""
    gc.set_threshold(*COLLECTED_AFTER)
    ending = _interrupts.BareEnd()
    # A polite kill ends like any other error: what was opened is closed, the embedded server too.
    signal.signal(signal.SIGTERM, _stop)
    try:
        app()
    except SystemExit as ended:
        if ended.code == EXIT_INTERRUPTED:
            _interrupts.end(EXIT_INTERRUPTED)
        ending.code = ended.code if isinstance(ended.code, int) else None
        raise
    finally:
        # An exception in the last moments would be a traceback.
        _interrupts.stop_at_once()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        gc.freeze()  # What ends with the program need not be looked through once more.


def _stop(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)
