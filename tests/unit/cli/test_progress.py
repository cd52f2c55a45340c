"""Progress where there is no terminal, and how the command line tells of a full disk."""

from __future__ import annotations

import errno
import time

import psycopg
import pytest
import typer

from saidonce.adapters.postgres.connection import translated
from saidonce.errors import DiskFullError
from saidonce.interfaces.cli import shared


def test_a_line_comes_every_few_seconds_also_within_one_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shared, "LINE_EVERY_S", 0.05)
    with shared.progress("ingesting", 2, lines=True) as steps:
        steps.within(64, 4_000)
        time.sleep(0.3)
        steps()
        time.sleep(0.3)
    shown = capsys.readouterr()
    lines = shown.err.splitlines()
    assert "ingesting: 0 of 2 done; embedded 64 of 4,000 texts" in lines
    assert "ingesting: 1 of 2 done" in lines
    assert shown.out == ""


def test_no_more_is_done_than_there_is_where_an_archive_holds_many() -> None:
    steps = shared.Steps("ingesting", 2)
    for _ in range(3):
        steps()
    assert steps.line.startswith("ingesting: 3 of 3 done")


@pytest.mark.parametrize("lines", [False, True])
def test_a_short_or_quiet_command_writes_none(lines: bool, capsys: pytest.CaptureFixture[str]) -> None:
    with shared.progress("ingesting", 2, lines=lines) as steps:
        steps()
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_ends_a_command_with_what_to_do(number: int, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as ended, shared.errors_reported():
        raise OSError(number, "No space left on device", "/data/base")
    assert ended.value.exit_code == shared.EXIT_FAILED
    reported = capsys.readouterr().err
    assert "the disk is full: '/data/base' cannot be written (volume /" in reported
    assert "; free some space, then retry" in reported


def test_other_failures_of_files_are_no_full_disk() -> None:
    with pytest.raises(FileNotFoundError), shared.errors_reported():
        raise FileNotFoundError(2, "No such file")


def test_a_databases_full_disk_is_said_as_such() -> None:
    with pytest.raises(DiskFullError, match="the disk is full: the database"), translated("acme"):
        raise psycopg.errors.DiskFull("could not extend file")
