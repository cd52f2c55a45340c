"""What all commands share: the opened base, errors turned into exit codes, safe printing."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from saidonce.errors import NotFoundError, SaidonceError, SettingsError, UsageError

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_REFUSED = 3
EXIT_INTERRUPTED = 130

CollectionOption = Annotated[
    str | None, typer.Option("--collection", "-c", help="Collection; the setting `collection` by default.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]

out = Console(highlight=False, markup=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)


@dataclass(frozen=True, slots=True)
class Given:
    """Options that stand before the command."""

    config: Path | None = None
    options: dict[str, Any] | None = None


_given: ContextVar[Given | None] = ContextVar("given", default=None)


def give(context: typer.Context, before: Given) -> None:
    """Note the options that stand before a command until that command has ended."""
    token = _given.set(before)
    context.call_on_close(lambda: _given.reset(token))


def settings_given() -> Any:
    """Give the settings of file, environment and options before the command; `model_fields_set` says which."""
    from saidonce.app import settings_from

    with told():
        before = _given.get() or Given()
        return settings_from(before.config, **(before.options or {}))


@contextmanager
def opened(**changes: Any) -> Iterator[Any]:
    """Open the knowledge base; errors end the command with a message and an exit code."""
    from saidonce.app import KnowledgeBase, settings_from  # heavy; --help does without

    with told():
        before = _given.get() or Given()
        settings = settings_from(before.config, **{**(before.options or {}), **changes})
        with KnowledgeBase(settings) as base:
            yield base


@contextmanager
def told() -> Iterator[None]:
    """Tell errors in one line each and end with their exit code."""
    try:
        yield
    except (UsageError, SettingsError, NotFoundError) as bad:
        err.print(f"saidonce: {clean(str(bad))}", style="red")
        raise typer.Exit(EXIT_USAGE) from bad
    except SaidonceError as failed:
        err.print(f"saidonce: {clean(str(failed))}", style="red")
        raise typer.Exit(EXIT_FAILED) from failed
    except KeyboardInterrupt as stopped:
        err.print("saidonce: stopped; what was finished is kept, and the same command goes on from there")
        raise typer.Exit(EXIT_INTERRUPTED) from stopped


def clean(content: str) -> str:
    """Text without characters that steer a terminal."""
    return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in content)


def print_json(document: object) -> None:
    """Print one JSON document on standard output, escapes for whatever is not ASCII-safe in a terminal."""
    sys.stdout.write(json.dumps(document, ensure_ascii=True, indent=2, sort_keys=False) + "\n")


@contextmanager
def progress(what: str, total: int | None) -> Iterator[Any]:
    """Show a progress bar on standard error while it is a terminal; gives a function that advances it."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task(what, total=total)
        yield lambda n=1: bar.advance(task, n)
