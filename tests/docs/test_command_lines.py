"""Every `saidonce` command line of the pages names a command that there is, with options that it has."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from saidonce.interfaces.cli import walk

ROOT = Path(__file__).resolve().parents[2]
WRITTEN_BY_THE_PROGRAM = ("reference", "decisions")
PAGES = [
    *(ROOT / name for name in ("README.md", "SECURITY.md", "examples/README.md")),
    *(p for p in sorted((ROOT / "docs").rglob("*.md")) if not set(WRITTEN_BY_THE_PROGRAM) & set(p.parts)),
]
_BLOCK = re.compile(r"^```(console|sh|bash)?\n(.*?)^```", re.S | re.M)
_COMMAND = re.compile(r"(?:^|[$|;] |&& )(?:\w+=\S+ )*(?:\.venv/bin/)?saidonce (.+)")
_END = re.compile(r"\s+(?:#|\||>|<|&&|2>).*")


@cache
def commands() -> dict[str, Any]:
    """Every command and group by its words."""
    return dict(walk())


def lines(page: str) -> Iterator[str]:
    """What a page shows to type: its blocks for a shell, and what it quotes."""
    for kind, body in _BLOCK.findall(page):
        for line in body.replace("\\\n", " ").splitlines():
            if kind != "console" or line.startswith("$ "):
                yield line.removeprefix("$ ")
    yield from (q for q in re.findall(r"`(saidonce [^`]+)`", _BLOCK.sub("", page)) if "\n\n" not in q)


def options(command: Any) -> dict[str, bool]:
    """The options of a command, each with whether it takes a value."""
    of = [p for p in command.params if p.param_type_name == "option"]
    return {"--help": False, "-h": False} | {
        name: not (p.is_flag or p.count) for p in of for name in (*p.opts, *p.secondary_opts)
    }


def wrong(line: str) -> str:
    """What is wrong with a command line; empty if nothing is."""
    try:
        words = shlex.split(_END.sub("", line))
    except ValueError as odd:
        return str(odd)
    path, at = "saidonce", 0
    while at < len(words):
        word, known = words[at].partition("=")[0], options(commands()[path])
        at += 1
        if re.fullmatch(r"--?[a-z][a-z-]*", word):
            if word not in known:
                return f"{path} has no option {word}"
            at += known[word] and "=" not in words[at - 1]
        elif f"{path} {word}" in commands():
            path = f"{path} {word}"
        elif path == "saidonce" or (hasattr(commands()[path], "commands") and re.fullmatch(r"[a-z][a-z-]+", word)):
            return f"{path} has no command {word!r}"
    return ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_command_lines_name_what_there_is(page: Path) -> None:
    shown = [
        match[1].strip()
        for line in lines(page.read_text(encoding="utf-8"))
        if (match := _COMMAND.search(" ".join(line.split())))
    ]
    assert [f"{line}: {trouble}" for line in shown if (trouble := wrong(line))] == []


def test_wrong_command_lines_are_noticed() -> None:
    assert wrong("serch 'how long'") == "saidonce has no command 'serch'"
    assert wrong("search 'how long' --colection a") == "saidonce search has no option --colection"
    assert wrong("gate held decid gv-1") == "saidonce gate held has no command 'decid'"
    assert wrong("--data-dir ./base search 'how long' -k 3 --explain") == ""
