"""`evaluate pairs --json`: its document, whatever the use of the ladder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from saidonce.foundation.settings.policy import POLICIES
from saidonce.interfaces.cli import app

ROWS = (
    {"id": "same", "a": "Backups are kept for 30 days.", "b": "Backups are kept for 30 days!", "label": "duplicate"},
    {"id": "other", "a": "Backups are kept for 30 days.", "b": "Backups are kept for 90 days.", "label": "distinct"},
)


@pytest.mark.parametrize("use", sorted(POLICIES))
def test_tells_the_policy_and_the_errors(use: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAIDONCE_DATA_DIR", str(tmp_path / "data"))
    file, verdicts = tmp_path / "pairs.jsonl", tmp_path / "verdicts.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in ROWS), "utf-8")
    asked = ["evaluate", "pairs", str(file), "--policy", use, "--verdicts", str(verdicts), "--json"]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["policy"]["use"] == use
    assert told["policy"]["may_rule"] == sorted(POLICIES[use].may_rule)
    assert told["n_pairs"] == 2
    assert told["under_policy"]["missed_merges"]["n"] == 0
    outcomes = {row["id"]: row["outcome"] for row in map(json.loads, verdicts.read_text("utf-8").splitlines())}
    assert outcomes["same"] == "duplicate"
