"""What all commands share: the opened base, errors turned into exit codes, safe printing."""

from __future__ import annotations

import getpass
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from saidonce.errors import DiskFullError, NotFoundError, SaidonceError, SettingsError, UsageError, is_full
from saidonce.foundation.disk import disk_full
from saidonce.interfaces.cli.group import EXIT_INTERRUPTED
from saidonce.interfaces.cli.lines import clean

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_REFUSED = 3

LINE_EVERY_S = 5.0
"""Seconds between two lines of progress where there is no terminal."""


def named(name: Any) -> Any:
    """Refuse an empty name, as an unset variable of a script gives it: it would stand for another one unasked."""
    if "" in (name if isinstance(name, list) else (name,)):
        raise typer.BadParameter("a name is empty; give one, or leave the option out")
    return name


CollectionOption = Annotated[
    str | None,
    typer.Option("--collection", "-c", callback=named, help="Collection; the setting `collection` by default."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]
WorkersOption = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=256,
        help="Processes that compare when many texts wait; 0: one per core.",
        show_default="one per core",
    ),
]


@dataclass(frozen=True, slots=True)
class Printer:
    """Standard output or standard error, written line by line; rich is left to bars, since its import is slow."""

    name: Literal["stdout", "stderr"]

    @property
    def is_terminal(self) -> bool:
        """Return whether the output is a terminal."""
        return bool(getattr(sys, self.name).isatty())

    def print(self, text: str, style: Literal["", "red", "red bold", "yellow", "faint"] = "") -> None:
        """Write a line; in a style at a terminal, unless NO_COLOR is set."""
        if style and self.is_terminal and not os.environ.get("NO_COLOR"):
            colour = None if style == "faint" else style.split()[0]
            text = typer.style(text, fg=colour, bold="bold" in style, dim=style == "faint")
        stream = getattr(sys, self.name)
        stream.write(text + "\n")
        stream.flush()


out = Printer("stdout")
err = Printer("stderr")


@dataclass(frozen=True, slots=True)
class GlobalOptions:
    """Options that stand before the command."""

    config: Path | None = None
    values: dict[str, Any] | None = None


_options: ContextVar[GlobalOptions | None] = ContextVar("global options", default=None)


def set_options(context: typer.Context, options: GlobalOptions) -> None:
    """Store the options before a command until that command has ended."""
    token = _options.set(options)
    context.call_on_close(lambda: _options.reset(token))


def effective_settings() -> Any:
    """Return the settings of file, environment and options before the command; `model_fields_set` says which."""
    from saidonce.foundation.settings.reading import settings_from

    with errors_reported():
        options = _options.get() or GlobalOptions()
        return settings_from(options.config, **(options.values or {}))


def with_workers(n_workers: int | None) -> dict[str, Any]:
    """Return the setting for so many processes that compare; by default one per core, unless it is set elsewhere."""
    if n_workers is None:
        return {} if "pair_workers" in effective_settings().model_fields_set else {"pair_workers": 0}
    return {"pair_workers": n_workers}


@contextmanager
def open_base(*, creates: bool = False, embeds: bool = False, **changes: Any) -> Iterator[Any]:
    """Open the knowledge base; errors end the command with a message and an exit code.

    Args:
        creates: whether the command creates a base where there is none; others refuse such a place, since a mistyped
            data folder would look like an empty base.
        embeds: whether the command always embeds and reads the base: the model is then loaded and the database started
            while the rest is imported.
        changes: settings that the command's own options change.
    """
    from saidonce.foundation.settings.reading import settings_from  # heavy; --help does without

    with errors_reported():
        options = _options.get() or GlobalOptions()
        settings = settings_from(options.config, **{**(options.values or {}), **changes})
        with _begun_ahead(settings) if embeds else nullcontext():
            from saidonce.app.knowledge_base import KnowledgeBase
            from saidonce.platform.security_log import Acting, acting_as, forward_to

            forward_to(settings)
            with KnowledgeBase(settings, must_exist=not creates) as base, acting_as(Acting("command", account())):
                yield base


@contextmanager
def _begun_ahead(settings: Any) -> Iterator[None]:
    from saidonce.adapters.embed import load_ahead
    from saidonce.adapters.postgres import started_ahead

    load_ahead(settings.embedder)
    with started_ahead(settings.database_url, settings.data_dir.expanduser()):
        yield


def account() -> str:
    """Return the name of the account that runs the command; empty if it has none."""
    with suppress(OSError, KeyError):
        return getpass.getuser()
    return ""


@contextmanager
def errors_reported() -> Iterator[None]:
    """Report errors in one line each, and end with their exit code."""
    try:
        yield
    except (UsageError, SettingsError, NotFoundError) as bad:
        err.print(f"saidonce: {clean(str(bad))}", style="red")
        raise typer.Exit(EXIT_USAGE) from bad
    except SaidonceError as failed:
        err.print(f"saidonce: {clean(str(failed))}", style="red")
        raise typer.Exit(EXIT_FAILED) from failed
    except OSError as failed:
        if not is_full(failed):
            raise
        name = str(failed.filename or "")
        full = disk_full(repr(name), Path(name)) if name else DiskFullError("a file")
        err.print(f"saidonce: {clean(str(full))}", style="red")
        raise typer.Exit(EXIT_FAILED) from failed
    except KeyboardInterrupt as stopped:
        err.print("saidonce: stopped; finished work is kept, and the same command completes the rest")
        raise typer.Exit(EXIT_INTERRUPTED) from stopped


def print_json(document: object) -> None:
    """Print views, nouns or plain data as one JSON document, escapes for whatever is not ASCII-safe in a terminal."""
    sys.stdout.write(_json(document, indent=2))


def print_json_line(document: object) -> None:
    """Print the same in one line, at once."""
    sys.stdout.write(_json(document))
    sys.stdout.flush()


def _json(document: object, indent: int | None = None) -> str:
    from pydantic_core import to_jsonable_python

    return json.dumps(to_jsonable_python(document), ensure_ascii=True, indent=indent) + "\n"


@dataclass(slots=True)
class StepPace:
    """How fast something goes: from its first count to its last."""

    clock: Callable[[], float] = time.monotonic
    began: tuple[float, int] | None = None

    def words(self, done: int, total: int | None) -> str:
        """Return rate and time left after some are done; empty while nothing can be said, after one count only."""
        now = self.clock()
        if self.began is None or done < self.began[1]:
            self.began = now, done
        since, first = self.began
        if done <= first or now <= since:
            return ""
        rate = (done - first) / (now - since)
        shown = f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s" if rate >= 0.1 else f"{60 * rate:.1f}/min"
        left = f", about {span((total - done) / rate)} left" if total is not None and total > done else ""
        return f" ({shown}{left})"


def moment_of(
    written: str, such_as: str = "a time with its time zone, such as 2026-11-22T10:15:00Z"
) -> datetime | None:
    """Read a moment of an option; None if nothing is written.

    Args:
        written: ISO 8601 with a zone.
        such_as: what the option takes, for the error.

    Raises:
        UsageError: it is no moment, or one without its zone.
    """
    if not written:
        return None
    with suppress(ValueError, OverflowError):
        moment = datetime.fromisoformat(written)
        if moment.tzinfo is not None:
            return moment.astimezone(UTC)
    raise UsageError(f"{written!r} is not {such_as}")


def span(seconds: float) -> str:
    """Return a length of time in words, in the unit that says enough."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 5_400 else f"{seconds / 3_600:.1f} h"


@dataclass(slots=True)
class Steps:
    """Progress of a long command: items done of all, and the progress inside the current one, each with its pace."""

    what: str
    total: int | None
    done: int = 0
    begun: int = 0
    inside: str = ""
    show: Callable[[], None] = field(default=lambda: None)
    pace: StepPace = field(default_factory=StepPace)
    pace_inside: StepPace = field(default_factory=StepPace)

    def __call__(self, n: int = 1) -> None:
        """Count items as done; members of an archive count one by one, so that there may be more than at first."""
        self.done += n
        if self.total is not None:
            self.total = max(self.total, self.done)
        self.inside = ""
        self.pace_inside.began = None
        self.show()

    def reading(self, _name: str = "") -> None:
        """Count a file as read; many may be read before the first of them is done."""
        self.begun += 1
        self.inside = f"{self.begun:,} read"
        self.show()

    def within(self, done: int, total: int) -> None:
        """Set the progress inside the current item."""
        self.inside = f"embedded {done:,} of {total:,} texts{self.pace_inside.words(done, total)}"
        self.show()

    @property
    def line(self) -> str:
        """Return the progress in one line."""
        of = f" of {self.total:,}" if self.total is not None else ""
        pace = self.pace.words(self.done, self.total) if self.done else ""
        return f"{self.what}: {self.done:,}{of} done{pace}" + (f"; {self.inside}" if self.inside else "")


@contextmanager
def progress(what: str, total: int | None, lines: bool = False) -> Iterator[Steps]:
    """Show the progress of a command on standard error: a bar at a terminal, otherwise a line every few seconds.

    Args:
        lines: whether to write lines where standard error is no terminal.
    """
    steps = Steps(what, total)
    if not err.is_terminal:
        with _lines(steps) if lines else nullcontext():
            yield steps
        return
    from rich.progress import TimeElapsedColumn

    with bars(TimeElapsedColumn()) as bar:
        task = bar.add_task(what, total=total)

        def show() -> None:
            description = f"{steps.what} {steps.inside}".rstrip()
            bar.update(task, completed=steps.done, total=steps.total, description=description)

        steps.show = show
        yield steps


def bars(clock: ProgressColumn) -> Progress:
    """Return transient progress bars on standard error; other output is printed above them."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), clock)
    return Progress(*columns, console=Console(stderr=True, highlight=False, markup=False), transient=True)


@contextmanager
def _lines(steps: Steps) -> Iterator[None]:
    """Print the progress every LINE_EVERY_S seconds, also during a single long file."""
    ended = threading.Event()

    def write() -> None:
        while not ended.wait(LINE_EVERY_S):
            err.print(steps.line)

    writer = threading.Thread(target=write, name="saidonce-progress", daemon=True)
    writer.start()
    try:
        yield
    finally:
        ended.set()
        writer.join()
