"""`evaluate pairs`: its document, whatever the use of the ladder, and what it cannot count."""

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


def test_names_the_labels_that_count_for_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAIDONCE_DATA_DIR", str(tmp_path / "data"))
    file = tmp_path / "pairs.jsonl"
    file.write_text("".join(json.dumps({**row, "label": "different"}) + "\n" for row in ROWS), "utf-8")
    done = CliRunner().invoke(app, ["evaluate", "pairs", str(file)])
    assert "not counted, neither merge_ok nor a known label: different (2); known are duplicate" in done.stdout
    calibrated = CliRunner().invoke(app, ["calibrate", str(file)])
    assert calibrated.exit_code == 1
    assert "no pair is labelled as one that must stay apart" in calibrated.output


def test_text_that_cannot_be_changed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAIDONCE_DATA_DIR", str(tmp_path / "data"))
    (tmp_path / "a.md").write_text("\u54c8\u7279\u97e6\u5c14\u51b7\u5e93\u3002\n", "utf-8")
    done = CliRunner().invoke(app, ["evaluate", "contrast", str(tmp_path / "a.md")])
    assert done.exit_code == 2
    assert "English sentences are needed" in done.output
