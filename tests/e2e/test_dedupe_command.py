"""`saidonce dedupe` as people run it: files in, files out, whatever happens in between."""

from __future__ import annotations

import gzip
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from command_line import environment, invoke
from saidonce.interfaces.cli import app
from waiting_for import eventually

TEXTS = [
    "Deleted files are kept for 30 days and then removed from all backups.",
    "Deleted files are kept for 30 days, and then removed from all backups.",
    "Deleted files are kept for 90 days and then removed from all backups.",
    "deleted  files are kept for 30 days and then removed from all backups.",
    "The gate to the yard is open until nine in the evening.",
]
LINES = [json.dumps({"id": f"r{n}", "body": text}) for n, text in enumerate(TEXTS)]
ENVIRONMENT = environment()


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "saidonce", "dedupe", *map(str, words)]


def run(folder: Path, *words: object) -> subprocess.CompletedProcess[str]:
    return invoke(("dedupe", *map(str, words)), ENVIRONMENT, folder)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_lines_are_kept_dropped_and_held_apart_and_broken_ones_are_told(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text("\n".join([*LINES, "broken", ""]))
    told = run(tmp_path, "c.jsonl", "--text-field", "body", "--id-field", "id", "--json", "--report", "report.json")
    assert told.returncode == 3, told.stderr
    assert "line 6 cannot be read" in told.stderr
    summed = json.loads(told.stdout)
    assert summed == json.loads((tmp_path / "report.json").read_text())
    assert (summed["rows"], summed["kept"], summed["dropped"]) == (6, 3, 2)
    assert (tmp_path / "c.kept.jsonl").read_text().splitlines() == [LINES[1], LINES[2], LINES[4]]
    dropped = lines(tmp_path / "c.dropped.jsonl")
    assert [(d["row"], d["id"], d["reason"], d.get("of")) for d in dropped] == [
        (1, "r0", "near", 2),
        (4, "r3", "near", 2),
        (6, "", "unreadable", None),
    ]
    assert all(d["similarity"] >= 0.9 for d in dropped[:2])
    (apart,) = lines(tmp_path / "c.held_apart.jsonl")
    assert (apart["row"], apart["of"]) == (3, 2)
    assert [(o["a"]["text"], o["b"]["text"]) for o in apart["objections"]] == [("90 days", "30 days")]
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "c.dropped.jsonl", "c.held_apart.jsonl", "c.jsonl", "c.kept.jsonl", "report.json",
    ]  # fmt: skip


def test_threads_and_the_order_of_the_rows_change_no_digest(tmp_path: Path) -> None:
    digests = set()
    for number, rows in enumerate([LINES, LINES[::-1], LINES[2:] + LINES[:2]]):
        name = f"c{number}.jsonl.gz"
        (tmp_path / name).write_bytes(gzip.compress("\n".join(rows).encode()))
        told = run(tmp_path, name, "--text-field", "body", "--threads", 1 + number % 2, "--json", "--cache", "vectors")
        assert told.returncode == 0, told.stderr
        digests.add(json.loads(told.stdout)["digest"])
        kept = gzip.decompress((tmp_path / f"c{number}.kept.jsonl.gz").read_bytes()).decode().splitlines()
        assert set(kept) == {LINES[1], LINES[2], LINES[4]}
    assert len(digests) == 1


def test_parquet_with_vectors_of_ones_own(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed: Parquet is NOT tested")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.table({"text": ["a cat", "a dog", "a cow"]}), tmp_path / "c.parquet")
    np.save(tmp_path / "v.npy", np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0]]))
    told = run(tmp_path, "c.parquet", "--embeddings", "v.npy", "--no-guards", "--keep", "first", "--out", "o.parquet")
    assert told.returncode == 0, told.stderr
    assert parquet.read_table(tmp_path / "o.parquet").column("text").to_pylist() == ["a cat", "a cow"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["none.jsonl"], "no file 'none.jsonl'"),
        (["c.jsonl"], "no row of 'c.jsonl' has a field 'text'; its fields are 'id', 'body'"),
        (["c.jsonl", "--text-field", "body", "--threshold", "1.5"], "threshold of 1.5"),
        (["c.jsonl", "--text-field", "body", "--out", "c.jsonl"], "never overwritten"),
        (["c.jsonl", "--text-field", "body", "--out", "c.docx"], "has no supported extension"),
        (["c.jsonl", "c.jsonl", "--text-field", "body"], "named twice"),
        (["*.none", "--text-field", "body"], "no files match the pattern"),
        (["c.jsonl", "-", "--text-field", "body"], "cannot be combined with other files"),
        (["c.jsonl", "--text-field", "body", "--address", "auto", "--work", "w"], "needs the engine 'ray'"),
        (["c.jsonl", "--text-field", "body", "--device", "cuda"], "torch"),
        (["verify", "c.jsonl"], "verify needs the kept rows and their certificate"),
        (["c.jsonl", "--text-field", "body", "--out", "no/o.jsonl"], "no folder 'no'"),
        (["c.jsonl", "--text-field", "body", "--keep", "newest"], "--date-field"),
        (["c.jsonl", "--text-field", "body", "--embeddings", "v.npy"], "no file 'v.npy'"),
    ],
)
def test_wrong_use_ends_with_2_and_says_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.jsonl").write_text("\n".join(LINES))
    told = CliRunner().invoke(app, ["dedupe", *words])
    assert told.exit_code == 2
    assert says in told.stderr
    assert not (tmp_path / "c.kept.jsonl").exists()
    assert not list(tmp_path.glob(".*.work"))


def test_a_killed_run_goes_on_where_it_stood(tmp_path: Path) -> None:
    rows = [json.dumps({"text": f"House {n} has {n % 7} rooms."}) for n in range(2_100)]
    (tmp_path / "c.jsonl").write_text("\n".join(rows))
    arguments = ("c.jsonl", "--no-guards", "--json")
    killed = subprocess.Popen(
        command(*arguments), cwd=tmp_path, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    eventually(lambda: any(p.stat().st_size for p in tmp_path.glob(".c.kept.jsonl.vectors/*/keys")))
    assert killed.poll() is None, "it ended before it could be killed"
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert not (tmp_path / "c.kept.jsonl").exists()
    resumed = run(tmp_path, *arguments)
    assert resumed.returncode == 0, resumed.stderr
    assert "vectors of an earlier run" in resumed.stderr
    assert not list(tmp_path.glob(".c.kept*"))
    (tmp_path / "d.jsonl").write_text("\n".join(rows))
    afresh = run(tmp_path, "d.jsonl", "--no-guards", "--json")
    assert json.loads(afresh.stdout)["digest"] == json.loads(resumed.stdout)["digest"]
    assert (tmp_path / "c.kept.jsonl").read_bytes() == (tmp_path / "d.kept.jsonl").read_bytes()


def shards(folder: Path, n_rows: int) -> list[str]:
    """Four files of rows with vectors, many of which repeat each other."""
    vectors = np.random.default_rng(3).standard_normal((600, 16)).round(3).tolist()
    rows = [
        json.dumps(
            {"text": f"House {n % 600} has a cellar and a garden{'.' * (1 + n // 1_000)}", "v": vectors[n % 600]}
        )
        for n in range(n_rows)
    ]
    (folder / "in").mkdir()
    for at in range(4):
        (folder / f"in/{at}.jsonl").write_text("\n".join(rows[at::4]))
    return rows


@pytest.mark.slow
def test_a_driver_killed_twice_finishes_and_its_certificate_holds(tmp_path: Path) -> None:
    shards(tmp_path, 5_000)
    arguments = ("in", "--vector-field", "v", "--threads", 2, "--work", "work", "--certificate", "c.json", "--json")
    for reached in ("rows.npy", "fates/000000.npy"):
        killed = subprocess.Popen(
            command(*arguments), cwd=tmp_path, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        eventually(lambda: (tmp_path / "work" / reached).exists() or killed.poll() is not None)  # noqa: B023
        assert killed.poll() is None, "it ended before it could be killed"
        killed.send_signal(signal.SIGKILL)
        killed.wait()
    resumed = run(tmp_path, *arguments)
    assert resumed.returncode == 0, resumed.stderr
    assert "resuming an earlier run" in resumed.stderr
    afresh = run(tmp_path, "in", "--vector-field", "v", "--threads", 1, "--out", "afresh", "--json")
    assert json.loads(afresh.stdout)["digest"] == json.loads(resumed.stdout)["digest"]
    assert not list(tmp_path.glob(".*.work"))
    held = run(tmp_path, "verify", "in.kept", "--certificate", "c.json", "--json", "--sample", 200)
    assert held.returncode == 0, held.stderr
    assert json.loads(held.stdout)["holds"]
    (tmp_path / "in.kept/0.jsonl").write_text("")
    broken = run(tmp_path, "verify", "in.kept", "--certificate", "c.json")
    assert broken.returncode == 1
    assert "not the file that was certified" in broken.stderr


def test_standard_input_is_compared_against_files_and_leaks_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.jsonl").write_text("\n".join(LINES))
    new = [json.dumps({"body": TEXTS[0]}), json.dumps({"body": "The roof terrace is closed all winter long."})]
    told = CliRunner().invoke(
        app, ["dedupe", "-", "--against", "there.jsonl", "--text-field", "body", "--json"], input="\n".join(new)
    )
    assert told.exit_code == 0, told.stderr
    summed = json.loads(told.stdout)
    assert summed["against"] == {"rows": 5, "repeated": 1}
    assert (tmp_path / "stdin.kept.jsonl").read_text().splitlines() == new[1:]
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "stdin.dropped.jsonl", "stdin.held_apart.jsonl", "stdin.kept.jsonl", "there.jsonl",
    ]  # fmt: skip
