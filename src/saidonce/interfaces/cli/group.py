"""Commands by name: a command's module is imported when the command runs, and help is plain text, for speed."""

from __future__ import annotations

import inspect
import os
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group

from saidonce.foundation import extras
from saidonce.interfaces.cli.lines import clean

SWITCHES = {extras.REPAIRS: "repairs_enabled"}
"""Setting that switches off what an extra brings."""

_WRONG_USE: type[BaseException] = typer.BadParameter.__mro__[1]
"""What click raises, under a name that is the same whether typer brings click along or has it within."""

EXIT_INTERRUPTED = 130

_OFF = frozenset({"0", "off", "f", "false", "n", "no"})
_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the table: a name, where the command lies (`module:attribute`), its summary, its heading in the help.

    Attributes:
        extra: what has to be installed for it, and switched on; without that it stands in no list.
    """

    name: str
    target: str
    summary: str
    panel: str = ""
    extra: str = ""


def is_on(extra: str) -> bool:
    """Return whether an extra is installed and not switched off by the environment or this folder's settings file."""
    return extras.is_installed(extra) and (extra not in SWITCHES or _setting(SWITCHES[extra]) not in _OFF)


def _setting(name: str) -> str:
    """Return a setting as it is written, without loading and checking all of them; empty if it is not set."""
    value = os.environ.get(f"SAIDONCE_{name.upper()}", "")
    file = Path("saidonce.toml")
    if not value and file.is_file():
        try:
            value = str(tomllib.loads(file.read_text(encoding="utf-8")).get(name, ""))
        except (OSError, ValueError):  # the command that reads all settings says what is wrong
            return ""
    return value.strip().casefold()


def plain(markdown: str) -> str:
    r"""Return a help text as a terminal shows it; `\b` keeps the lines of a list apart, which click would join."""
    return re.sub(r"(^|\n\n)(?=\* )", "\\1\b\n", inspect.cleandoc(markdown).replace("**", ""))


def summary_of(command: Any) -> str:
    """Return the first paragraph of a command's help."""
    return " ".join((command.short_help or command.help or "").split("\n\n")[0].split())


def _in_words(message: str) -> str:
    """Return what is wrong with a value without words of the library that checks values."""
    from saidonce.interfaces.views.malformed import in_plain_words

    return in_plain_words(message)


def _unconverted(_ctx: Any, value: Any) -> Any:
    return value


class PlainHelp:
    """Help and completion of commands and groups without rich, whose import takes longer than both."""

    help: str | None

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters; completion leaves words as they are, since typer loads pydantic to convert them."""
        parameters = super().get_params(ctx)  # type: ignore[misc]
        if ctx.resilient_parsing:
            for parameter in parameters:
                parameter.process_value = _unconverted
        return parameters

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """Write the help text."""
        del ctx
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(plain(self.help or ""))

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Return completions without descriptions: typer renders these by rich."""
        items = super().shell_complete(ctx, incomplete)  # type: ignore[misc]
        for item in items:
            item.help = None
        return items


class Command(PlainHelp, TyperCommand):
    """A command.

    Attributes:
        extra: what has to be installed for it; without that it says how to add it, whatever its arguments are.
    """

    extra = ""

    def need(self, name: Any, parent: Any) -> None:
        """Say how its extra is added, and exit, if that is missing."""
        if self.extra:
            from saidonce.interfaces.cli.shared import errors_reported

            with errors_reported():
                extras.need(self.extra, f"'{f'{parent.command_path} ' if parent else ''}{name}'")

    def make_context(self, info_name: Any, args: Any, parent: Any = None, **options: Any) -> Any:
        """Parse the arguments."""
        self.need(info_name, parent)
        return super().make_context(info_name, args, parent=parent, **options)


class Group(PlainHelp, TyperGroup):
    """A group of commands; its help lists them under their headings, with whole summaries."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002  typer calls it so
        """Write names and summaries, in the order of the commands."""
        panels: dict[str, list[tuple[str, str]]] = {}
        for name, command in self.commands.items():
            if not command.hidden:
                panel = getattr(command, "rich_help_panel", None) or "Commands"
                panels.setdefault(str(panel), []).append((name, summary_of(command)))
        for panel, rows in panels.items():
            with formatter.section(panel):
                formatter.write_dl(rows)


class CommandSet(typer.Typer):
    """The commands of a module, below a name of the table."""

    def __init__(self, help_text: str) -> None:
        super().__init__(cls=Group, no_args_is_help=True, help=help_text, add_completion=False, rich_markup_mode=None)

    def command(self, name: str | None = None, *, extra: str = "", **options: Any) -> Callable[[_Function], _Function]:
        """Register a command whose help is plain text; it stands in no list if its extra is missing or switched off."""
        if extra:
            options |= {"cls": type("CommandOfExtra", (Command,), {"extra": extra}), "hidden": not is_on(extra)}
        return super().command(name, **{"cls": Command, **options})


class LazyCommand(Command):
    """A command or group as lists and completion need it; the command itself is imported when it runs."""

    def __init__(self, entry: Entry) -> None:
        super().__init__(
            entry.name,
            help=entry.summary,
            rich_help_panel=entry.panel or None,
            rich_markup_mode=None,
            hidden=bool(entry.extra) and not is_on(entry.extra),
        )
        self.entry, self.extra = entry, entry.extra

    def load(self) -> Any:
        """Import the command, or the group with its commands."""
        module, _, attribute = self.entry.target.partition(":")
        target = getattr(import_module(module, __package__), attribute)
        if isinstance(target, typer.Typer):
            loaded: Any = get_group(target)
            loaded.name = self.name
            return loaded
        single = typer.Typer(add_completion=False, rich_markup_mode=None)
        single.command(self.entry.name, cls=Command, rich_help_panel=self.entry.panel or None)(target)
        return get_command(single)

    def make_context(self, info_name: Any, args: Any, parent: Any = None, **options: Any) -> Any:
        """Parse the arguments as the command itself does."""
        self.need(info_name, parent)
        return self.load().make_context(info_name, args, parent=parent, **options)


class CommandTable(Group):
    """A group whose commands are those of a table."""

    entries: tuple[Entry, ...] = ()

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = {entry.name: LazyCommand(entry) for entry in self.entries}

    def invoke(self, ctx: Any) -> Any:
        """Run a command; control characters in its error messages are removed, and an interruption is one line."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as stopped:  # before it opens a base, or because it opens none
            typer.echo("saidonce: stopped", err=True)
            raise typer.Exit(EXIT_INTERRUPTED) from stopped
        except _WRONG_USE as wrong:
            option = getattr(wrong, "option_name", "")
            if option in (name for parameter in self.params for name in parameter.opts):
                right = f"{ctx.command_path} {option} ... {ctx.invoked_subcommand}"
                wrong.message = f"{option} goes before the command, as in '{right}'"  # type: ignore[attr-defined]
                wrong.possibilities = None  # type: ignore[attr-defined]
            wrong.message = _in_words(clean(wrong.message))  # type: ignore[attr-defined]
            raise
