"""Commands are found by name: the table sums up what the modules say, and lists need no module but the table's."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from saidonce.interfaces.cli import app, walk
from saidonce.interfaces.cli.group import Entry, LazyCommand, plain, summary_of
from saidonce.interfaces.cli.table import COMMANDS

HEAVY = ["pydantic", "numpy", "rich", "httpx", "psycopg", "fastapi", "onnxruntime", "lxml"]


def loaded_by(code: str, names: list[str]) -> list[str]:
    """Which of these modules a new interpreter has loaded after some code."""
    ended = f"{code}\nimport json, sys\nprint(json.dumps([n for n in {names!r} if n in sys.modules]))"
    done = subprocess.run([sys.executable, "-c", ended], check=True, capture_output=True, text=True)
    loaded: list[str] = json.loads(done.stdout.splitlines()[-1])
    return loaded


@pytest.mark.parametrize("entry", COMMANDS, ids=lambda entry: entry.name)
def test_the_table_says_what_the_command_says(entry: Entry) -> None:
    command = LazyCommand(entry).load()
    assert command.name == entry.name
    assert summary_of(command) == entry.summary
    assert (command.rich_help_panel if isinstance(command.rich_help_panel, str) else "") == entry.panel or hasattr(
        command, "commands"
    )


def test_each_name_is_there_once() -> None:
    names = [entry.name for entry in COMMANDS]
    assert len(set(names)) == len(names)


def test_the_help_lists_every_command_with_its_whole_summary() -> None:
    shown = " ".join(CliRunner().invoke(app, ["--help"], env={"COLUMNS": "200"}).output.split())
    for entry in COMMANDS:
        assert f" {entry.name} {entry.summary[:40]}" in shown


def test_every_command_has_a_help_of_its_own() -> None:
    for path, command in walk():
        done = CliRunner().invoke(app, [*path.split()[1:], "--help"])
        assert done.exit_code == 0, path
        assert inspect.cleandoc(command.help).split()[0] in done.output, path


def test_examples_keep_their_lines() -> None:
    assert plain("Do it.\n\n**Examples**\n\n* `one`\n* `two`") == "Do it.\n\nExamples\n\n\b\n* `one`\n* `two`"


def test_a_mistyped_command_is_answered_with_the_nearest() -> None:
    done = CliRunner().invoke(app, ["serach", "x"])
    assert done.exit_code == 2
    assert "Did you mean 'search'?" in done.output


def test_a_command_of_an_older_version_still_works_and_says_its_new_name(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    base = str(tmp_path_factory.mktemp("base") / "base")
    old, new = (CliRunner().invoke(app, ["--data-dir", base, "gate", name]) for name in ("again", "retry"))
    assert "'gate again' is deprecated" in old.stderr
    assert (old.exit_code, old.stdout) == (new.exit_code, new.stdout)
    assert "\n  again" not in CliRunner().invoke(app, ["gate", "--help"]).output


def complete(words: str) -> str:
    """Code that completes the last of some words, as bash asks for it."""
    count = len(words.split()) - (not words.endswith(" "))
    return (
        "import os, sys\n"
        f"os.environ.update(_SAIDONCE_COMPLETE='complete_bash', COMP_WORDS={words!r}, COMP_CWORD='{count}')\n"
        "sys.argv = ['saidonce']\n"
        "from saidonce.interfaces.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass"
    )


HELP = "import sys\nsys.argv = ['saidonce', '--help']\nfrom saidonce.interfaces.cli import main\n" + (
    "try:\n    main()\nexcept SystemExit:\n    pass"
)


@pytest.mark.parametrize(
    "code",
    [
        "import saidonce",
        HELP,
        complete("saidonce ga"),
        complete("saidonce gate re"),
        complete("saidonce gate check --"),
    ],
    ids=["import", "help", "name", "name in a group", "option"],
)
def test_help_and_completion_load_nothing_heavy(code: str) -> None:
    assert loaded_by(code, HEAVY) == []


@pytest.mark.parametrize("module", sorted({entry.target.partition(":")[0] for entry in COMMANDS}))
def test_the_module_of_a_command_loads_nothing_heavy(module: str) -> None:
    name = f"saidonce.interfaces.cli{module}"
    assert loaded_by(f"import {name}", [*HEAVY, "saidonce.interfaces.views", name]) == [name]


def test_importing_the_package_does_not_load_the_command_line() -> None:
    assert loaded_by("import saidonce", ["typer", "saidonce.interfaces"]) == []


@pytest.mark.parametrize(
    ("words", "offered"),
    [("saidonce ga", ["gate"]), ("saidonce gate re", ["retry", "recheck", "release", "replay", "reembed"])],
)
def test_completion_offers_what_begins_so(words: str, offered: list[str]) -> None:
    done = subprocess.run([sys.executable, "-c", complete(words)], check=True, capture_output=True, text=True)
    assert done.stdout.split() == offered
