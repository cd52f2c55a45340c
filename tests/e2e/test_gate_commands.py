"""The gate on the command line: a real database, files of submissions, one real process."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from command_line import Shell
from conftest import prepared, reachable_folder

pytestmark = pytest.mark.xdist_group("gate_commands")

TASKS: list[dict[str, Any]] = [
    {
        "id": "t1",
        "title": "Inventory",
        "text": "Count the shirts in the stock room and note what is missing.",
        "line": 1,
    },
    {"id": "t2", "title": "Ferry", "text": "Plan the summer timetable of the ferry between the islands."},
    {
        "id": "t3",
        "title": "Inventory",
        "text": "Count the shirts in the stock room, and note what is missing.",
        "line": 1,
    },
]


@pytest.fixture(scope="module")
def shell() -> Iterator[Shell]:
    folder = reachable_folder()
    with Shell(prepared(folder / "data")) as opened:
        yield opened
    shutil.rmtree(folder, ignore_errors=True)


def written(shell: Shell, name: str, lines: list[Any]) -> str:
    path = shell.data_dir.parent / name
    path.write_text("\n".join(each if isinstance(each, str) else json.dumps(each) for each in lines) + "\n", "utf-8")
    return str(path)


def checked(shell: Shell, *given: str, code: int) -> list[dict[str, Any]]:
    return [json.loads(line) for line in shell.invoke("gate", "check", *given, "--json", code=code).stdout.splitlines()]


def test_a_file_is_checked_and_the_same_file_again_says_the_same(shell: Shell) -> None:
    tasks = written(shell, "tasks.jsonl", TASKS)
    first = checked(shell, tasks, code=4)
    assert [v["authorized"] for v in first] == [True, True, False]
    assert [v["reason"] for v in first] == ["no_matches", "below_threshold", "above_threshold"]
    assert first[2]["of"] == first[0]["admitted"]
    assert checked(shell, tasks, code=4) == first
    assert checked(shell, written(shell, "new.jsonl", TASKS[:2]), code=0) == first[:2]
    process = shell.start("gate", "check", tasks)
    out, err = process.communicate(timeout=240)
    assert (process.returncode, err) == (4, "")
    assert "2 cleared, 1 blocked, 0 refused" in out


def test_lines_that_are_no_submissions_are_refused_and_the_others_checked(shell: Shell) -> None:
    lines = ["{", "[]", {"text": ""}, {"id": "ok", "text": "Paint the fence of the kindergarten green."}, {"text": {}},
             {"id": "10", "title": "x"}]  # fmt: skip
    told = checked(shell, written(shell, "bad.jsonl", lines), "--gate", "other", code=3)
    assert [(v["line"], v["authorized"]) for v in told] == [(4, True)]


def test_a_line_that_says_something_twice_or_is_too_long_is_refused_and_what_follows_is_read(shell: Shell) -> None:
    lines = [
        '{"id": "1", "id": "2", "text": "Sweep the yard."}',
        '{"id": "3", "text": "Sweep the yard.", "size": NaN}',
        '{"id": "4", "key": "5", "text": "Sweep the yard."}',
        json.dumps({"id": "6", "text": "x" * 4_100_000}),
        {"id": "7", "text": "Sweep the yard."},
    ]
    told = checked(shell, written(shell, "twice.jsonl", lines), "--gate", "yard", code=3)
    assert [(v["line"], v["key"]) for v in told] == [(5, "7")]


def test_a_gate_that_nobody_asked_is_not_made_by_looking_at_it(shell: Shell) -> None:
    for command in (["stats"], ["replay"], ["retry"], ["export", "-"]):
        assert "no gate 'typo'" in shell.run("gate", *command, "--gate", "typo", code=2)
    assert "typo" not in shell.run("gate", "list")


def test_a_verdict_is_accounted_for_overridden_and_released(shell: Shell) -> None:
    tasks = written(shell, "again.jsonl", [{**t, "id": f"x{t['id']}"} for t in TASKS])
    told = checked(shell, tasks, "--gate", "life", code=4)
    blocked = told[2]["id"]
    account = shell.json("why", blocked)
    assert account["near"][0]["text"] == TASKS[0]["text"]
    assert account["events"][-1]["act"] == "held"
    assert account == shell.json("gate", "verdict", blocked[:12])
    assert "blocked" in shell.run("why", blocked)
    shell.run("gate", "override", blocked, "--why", " ", code=2)
    through = shell.json("gate", "override", blocked, "--why", "another shop", "--as", "ann")
    assert (through["authorized"], through["override"]["by"]) == (True, "ann")
    released = shell.json("gate", "release", told[0]["id"])
    assert (released["authorized"], released["released_at"] is not None) == (False, True)
    shell.run("gate", "release", told[0]["id"], code=2)
    shell.run("why", "gv-00000000", code=2)


def test_an_export_replays_to_the_same_bytes_and_an_altered_one_does_not(shell: Shell) -> None:
    checked(shell, written(shell, "audit.jsonl", TASKS), "--gate", "audit", code=4)
    out = shell.data_dir.parent / "out.jsonl"
    shell.run("gate", "export", str(out), "--gate", "audit")
    first = out.read_bytes()
    shell.run("gate", "export", str(out), "--gate", "audit", "--force")
    assert out.read_bytes() == first
    assert shell.json("gate", "replay", "--gate", "audit")["n"] == 3
    assert shell.json("gate", "replay", str(out))["different"] == []
    altered = first.replace(b'"reason":"above_threshold"', b'"reason":"unsure"')
    assert altered != first
    out.write_bytes(altered)
    assert "1 differ" in shell.run("gate", "replay", str(out), code=1)


def test_an_export_to_a_folder_that_is_not_there_is_refused(shell: Shell, tmp_path: Path) -> None:
    checked(shell, written(shell, "one.jsonl", TASKS[:1]), "--gate", "out", code=0)
    nowhere = str(tmp_path / "none" / "x.jsonl")
    assert "cannot write" in shell.run("gate", "export", nowhere, "--gate", "out", code=2)


def test_what_exists_is_imported_and_newcomers_are_compared_with_it(shell: Shell) -> None:
    old = written(shell, "old.jsonl", TASKS[:2])
    assert shell.json("gate", "import", old, "--gate", "seeded") == {"n_kept": 2, "n_known": 0}
    assert shell.json("gate", "import", old, "--gate", "seeded") == {"n_kept": 0, "n_known": 2}
    (told,) = checked(shell, written(shell, "one.jsonl", TASKS[:1]), "--gate", "seeded", code=4)
    assert told["reason"] == "same_content"
    stats = shell.json("gate", "stats", "--gate", "seeded")
    assert (stats["n_kept"], stats["reasons"]) == (2, {"same_content": 1})
    assert "2 kept" in shell.run("gate", "list")


def test_nobody_to_ask_holds_and_says_so(shell: Shell) -> None:
    shell.env["AUTO_SEED_DEDUP_LLM_ENABLED"] = "true"
    try:
        told = checked(shell, written(shell, "llm.jsonl", TASKS), "--gate", "llm", code=4)
    finally:
        del shell.env["AUTO_SEED_DEDUP_LLM_ENABLED"]
    assert [v["reason"] for v in told] == ["no_matches", "below_threshold", "no_ruling"]


def test_malformed_settings_are_refused_at_start(shell: Shell, tmp_path: Path) -> None:
    for name, value in (
        ("AUTO_SEED_DEDUP_LLM_TIMEOUT_MS", "soon"),
        ("AUTO_SEED_DEDUP_LLM_NONSENSE", "1"),
        ("SAIDONCE_GATE_CLEAR_BELOW", "nan"),
    ):
        shell.env[name] = value
        try:
            assert name.removeprefix("SAIDONCE_").lower() in shell.run("gate", "list", code=2).lower()
        finally:
            del shell.env[name]
