"""Door: the command line. Every command translates options, calls one flow, and prints its report."""

from __future__ import annotations

import logging
import signal
from pathlib import Path
from typing import Annotated

import typer

from saidonce import __version__
from saidonce.interfaces.cli import (
    adjudicator,
    calibrate,
    chat,
    conversations,
    database,
    dedupe,
    demo,
    evaluate,
    gate,
    homes,
    main_commands,
    mcp_command,
    opinions,
    people,
    review,
    serve,
    shared,
)

app = typer.Typer(
    name="saidonce",
    help="A knowledge base for RAG that says everything once and loses nothing.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done, 1 failed, 2 wrong use, 3 some sources were refused, 4 blocked by a gate,"
    " 130 interrupted.",
)
main_commands.register(app)
review.register(app)
opinions.register(app)
app.command(name="calibrate")(calibrate.calibrate)
app.command(name="dedupe")(dedupe.dedupe)
app.command(name="serve")(serve.serve)
app.command(name="mcp")(mcp_command.mcp)
app.command(name="worker")(people.worker)
app.add_typer(people.people_app, name="people")
app.add_typer(people.keys_app, name="keys")
app.add_typer(people.channels_app, name="channels")
app.add_typer(evaluate.app, name="evaluate")
app.add_typer(adjudicator.app, name="adjudicator")
app.add_typer(database.app, name="db")
app.add_typer(gate.app, name="gate")
app.command(name="chat")(chat.chat)
app.add_typer(conversations.app, name="conversations")
app.add_typer(conversations.issues_app, name="issues")
app.add_typer(homes.app, name="homes")
app.add_typer(demo.app, name="demo")


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"saidonce {__version__}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    data_dir: Annotated[str | None, typer.Option(help="Folder of the embedded database.")] = None,
    database_url: Annotated[str | None, typer.Option(help="PostgreSQL to use instead.")] = None,
    org: Annotated[str | None, typer.Option(help="Organisation whose base is used.")] = None,
    config: Annotated[Path | None, typer.Option(help="Settings file; `saidonce.toml` here by default.")] = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Write log lines to standard error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Take the options that stand before the command."""
    del version
    if verbose:
        logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    shared.give(context, shared.Given(config, {"data_dir": data_dir, "database_url": database_url, "org": org}))


def main() -> None:
    """Run the command line."""
    # A polite kill ends like any other error: what was opened is closed, the embedded server too.
    signal.signal(signal.SIGTERM, _stop)
    app()


def _stop(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)
