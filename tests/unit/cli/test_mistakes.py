"""What commands say to a mistake: one line that names it, and the exit code of wrong use; never a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from saidonce.interfaces.cli import app


def said(tmp_path: Path, *given: str, stdin: str = "") -> Result:
    """Run a command over a base that is not there, and let no error through but an exit."""
    return CliRunner().invoke(app, ["--data-dir", str(tmp_path / "base"), *given], input=stdin, catch_exceptions=False)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("retrieval", "nope", "--k", "5"), "no file 'nope/qrels.jsonl'"),
        (("scenarios", "nope", "--flow", "v1"), "no folder 'nope'"),
        (("scenarios", "{empty}", "--flow", "v1"), "has no scenarios (.toml)"),
        (("scenarios", "{binary}", "--flow", "v1"), "scenario 'one' is not UTF-8 text"),
        (("scenarios", "{cases}", "--flow", "v3"), "'v1'"),
        (("scenarios", "{cases}", "--recording", "nope.json"), "python -m benchmarks.record_conversations"),
    ],
)
def test_an_evaluation_of_nothing_is_refused(tmp_path: Path, given: tuple[str, ...], told: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "binary").mkdir()
    (tmp_path / "binary" / "one.toml").write_bytes(b"\xff\x00")
    cases = Path(__file__).parents[2] / "cases" / "conversation"
    named = {"empty": tmp_path / "empty", "binary": tmp_path / "binary", "cases": cases}
    done = said(tmp_path, "evaluate", *(part.format(**named) for part in given))
    assert done.exit_code == 2, done.output
    assert told in done.output
    assert not done.stdout


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "no file"),
        (b"\x89PNG\xff", "is not UTF-8 text; export the table as CSV"),
        ("folder", "cannot be read: Is a dir"),
    ],
)
def test_a_table_that_is_none_is_refused(tmp_path: Path, content: bytes | str | None, why: str) -> None:
    file = tmp_path / "homes.csv"
    if isinstance(content, bytes):
        file.write_bytes(content)
    elif content:
        file.mkdir()
    done = said(tmp_path, "homes", "import", str(file))
    assert (done.exit_code, why in done.stderr) == (2, True), done.output
    assert "Errno" not in done.output
    assert not (tmp_path / "base").exists()


def test_an_unknown_state_of_an_issue_lists_the_known_ones(tmp_path: Path) -> None:
    done = said(tmp_path, "issues", "move", "5a1c", "flying")
    assert done.exit_code == 2
    assert all(state in done.output for state in ("open", "in_progress", "done", "cancelled"))


@pytest.mark.parametrize("option", ["--data-dir", "--org", "--config"])
def test_an_option_of_the_program_behind_its_command_is_told_its_place(option: str) -> None:
    done = CliRunner().invoke(app, ["queue", option, "x"], prog_name="saidonce")
    assert done.exit_code == 2
    assert f"Error: {option} goes before the command, as in 'saidonce {option} ... queue'\n" in done.output


def test_an_unknown_option_is_named_with_the_nearest() -> None:
    done = CliRunner().invoke(app, ["queue", "--jsn"], prog_name="saidonce")
    assert done.exit_code == 2
    assert "No such option: --jsn" in done.output
    assert "--json" in done.output
