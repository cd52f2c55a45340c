"""A realistic run over a corpus in Parquet shards: deduplicated, killed twice, finished, verified, and compared with
a leaking test set; then the same with every other engine, with the same digest.

    python -m benchmarks.trial [ROWS] [--folder DIR] [--shards 40] [--runs local:2 ray:1 ray:2]

`python -m benchmarks.trial 1000000 --folder DIR` is the run of a million rows; the same command resumes a killed
one, since every finished step is recorded in DIR/trial.json, and `saidonce dedupe` resumes by itself.
Rows are those of `benchmarks.dedupe_files`. The driver is killed by SIGKILL when the rows are read, and again when the
first stripe is compared. CPU seconds are those of the process and the workers that it waited for: work under a
killed driver, and of Ray's own processes, is not included; wall time is, on a machine at rest.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.dedupe_files import DIM, EVERY, make

KILLED_AT = ("rows.npy", "fates/000000.npy")
"""Files of the work folder after whose coming the driver is killed."""

N_TEST = 200
"""Rows of each kind in the test set: those that leak, those with another figure, those that nobody has seen."""

BUSY = "another run uses"
AGAIN = "run the same command again"
"""What the command says when an engine gave up, Ray on a machine that is too busy to start it, for example."""

TRIES = 5
POLL_S = 0.02


class Trial:
    """The folder of a trial, and its finished steps."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._note = folder / "trial.json"
        self._ended: dict[str, Any] = json.loads(self._note.read_text()) if self._note.exists() else {}

    def step(self, name: str, do: Callable[[], Any]) -> Any:
        """Run a step unless it is finished; return and print its result."""
        if name not in self._ended:
            self._ended[name] = do()
            draft = self._note.with_suffix(".draft")
            draft.write_text(json.dumps(self._ended, indent=1))
            draft.replace(self._note)
        sys.stdout.write(f"{name}: {json.dumps(self._ended[name])}\n")
        sys.stdout.flush()
        return self._ended[name]


def made(trial: Trial, n: int, n_shards: int) -> dict[str, Any]:
    """Write the shards, and a test set of which a third is leaked."""
    import pyarrow as arrow
    from pyarrow import parquet

    shards, draft = trial.folder / "shards", trial.folder / "shards.draft"
    shutil.rmtree(draft, ignore_errors=True)
    copies, changed = make(draft, n, rows_a_file=-(-n // n_shards))
    first = parquet.read_table(draft / "00000.parquet")
    vectors = first["vector"].combine_chunks().flatten().to_numpy().reshape(-1, DIM)
    rng = np.random.default_rng(11)
    rows: list[tuple[str, str, Any]] = []
    for at in range(N_TEST):
        of = (at % (len(vectors) // EVERY)) * EVERY + 5
        text, figure = first["text"][of].as_py(), str(1_000 + of)
        rows.append((f"leak-{at}", text[:-1] + " ." if at % 2 else text, vectors[of]))
        rows.append((f"changed-{at}", text.replace(figure, str(7_000_000 + at)), vectors[of]))
        new = rng.standard_normal(DIM, dtype=np.float32)
        rows.append((f"unseen-{at}", f"Nobody has asked about number {8_000_000 + at} yet.", new / np.linalg.norm(new)))
    column = arrow.FixedSizeListArray.from_arrays(arrow.array(np.concatenate([row[2] for row in rows])), DIM)
    table = arrow.table({"id": [row[0] for row in rows], "text": [row[1] for row in rows], "vector": column})
    parquet.write_table(table, trial.folder / "test.parquet")
    if shards.exists():
        shutil.rmtree(shards)
    draft.rename(shards)
    return {"rows": n, "shards": len(list(shards.iterdir())), "copies": len(copies), "other_figures": len(changed)}


def dedupe(folder: Path, words: list[str], work: Path | None = None, killed_at: tuple[str, ...] = ()) -> dict[str, Any]:
    """Run the command to its end, killing it when each of some files appears in its work folder."""
    kills = 0
    for reached in (*killed_at, ""):
        place = work / reached if work is not None and reached else None
        if place is not None and place.exists():
            continue  # an earlier trial was here
        figures = _ended(folder, words, place)
        if figures is not None:
            return {**figures, "kills": kills}
        kills += 1
    raise AssertionError("the last run is not killed")


def _ended(folder: Path, words: list[str], kill_at: Path | None) -> dict[str, Any] | None:
    """Run the command once; None if it was killed."""
    tries = 0
    while True:
        start = time.monotonic()
        with (folder / "out.json").open("wb") as out, (folder / "err.txt").open("wb") as err:
            child = subprocess.Popen(
                [sys.executable, "-m", "saidonce", "dedupe", *words, "--json"], stdout=out, stderr=err, cwd=folder
            )
            killed = _waited(child, kill_at)
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        if killed and child.returncode == -signal.SIGKILL:
            return None
        failed = (folder / "err.txt").read_text()
        tries += AGAIN in failed
        if not child.returncode or tries == TRIES or (BUSY not in failed and AGAIN not in failed):
            break
        time.sleep(10)  # a run that an earlier trial started may have outlived it, for hours
    if child.returncode:
        sys.stderr.write((folder / "err.txt").read_text())
        raise SystemExit(f"saidonce dedupe ended with {child.returncode}")
    figures: dict[str, Any] = json.loads((folder / "out.json").read_text())
    measured = {"cpu_s": round(used.ru_utime + used.ru_stime, 1), "wall_s": round(time.monotonic() - start, 1)}
    return {**figures, **measured, "peak_mb": used.ru_maxrss // 1_024}


def _waited(child: subprocess.Popen[bytes], kill_at: Path | None) -> bool:
    """Wait until a process ends, without reaping it, or kill it once a file exists; return whether it was killed."""
    while os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if kill_at is not None and kill_at.exists():
            os.kill(child.pid, signal.SIGKILL)
            return True
        time.sleep(POLL_S)
    return False


TOLD = ("rows", "kept", "dropped", "undecided", "digest", "kills", "cpu_s", "wall_s", "peak_mb")


def deduplicated(trial: Trial, engine: str, workers: int) -> dict[str, Any]:
    """Deduplicate the shards with one engine, killed twice."""
    name = f"{engine}-{workers}"
    work = trial.folder / f"work-{name}"
    words = ["shards", "--out", f"kept-{name}", "--dropped", f"dropped-{name}.jsonl", "--work", str(work)]
    words += ["--held-apart", f"held-{name}.jsonl", "--certificate", f"claim-{name}.json", "--engine", engine]
    words += ["--vector-field", "vector", "--id-field", "id", "--keep", "first", "--threads", str(workers)]
    (trial.folder / f"kept-{name}").mkdir(exist_ok=True)
    figures = dedupe(trial.folder, words, work, KILLED_AT)
    shutil.rmtree(work)
    return {name: figures[name] for name in TOLD}


def verified(trial: Trial, name: str, sample: int) -> dict[str, Any]:
    """Check the certificate of a run."""
    words = ["verify", f"kept-{name}", "--certificate", f"claim-{name}.json", "--sample", str(sample)]
    figures = dedupe(trial.folder, words)
    return {name: figures[name] for name in ("holds", "digest", "rows", "rows_checked", "wrong", "cpu_s", "peak_mb")}


def held_against(trial: Trial, name: str) -> dict[str, Any]:
    """Compare the test set with the kept rows of a run; return the dropped rows of each kind."""
    words = ["test.parquet", "--against", f"kept-{name}", "--out", "unseen.parquet", "--vector-field", "vector"]
    words += ["--dropped", "leaks.jsonl", "--id-field", "id", "--keep", "first"]
    figures = dedupe(trial.folder, words)
    dropped = [json.loads(line)["id"] for line in (trial.folder / "leaks.jsonl").read_text().splitlines()]
    kinds = {kind: sum(each.startswith(kind) for each in dropped) for kind in ("leak", "changed", "unseen")}
    return {
        "of_each_kind": N_TEST,
        "dropped": kinds,
        "repeated": figures["against"]["repeated"],
        "cpu_s": figures["cpu_s"],
    }


def main() -> None:
    """Run the trial; exit with 1 if a check fails."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("rows", type=int, nargs="?", default=100_000)
    parser.add_argument("--folder", type=Path, help="where everything is made, and stays; a temporary one by default")
    parser.add_argument("--shards", type=int, default=40)
    parser.add_argument("--runs", nargs="+", default=["local:2", "ray:1", "ray:2"], help="ENGINE:WORKERS")
    parser.add_argument("--sample", type=int, default=1_000, help="rows that are verified against all kept ones")
    options = parser.parse_args()
    if options.folder is not None:
        raise SystemExit(0 if run_trial(options, options.folder.absolute()) else 1)
    with tempfile.TemporaryDirectory(prefix="saidonce-trial-") as folder:
        raise SystemExit(0 if run_trial(options, Path(folder)) else 1)


def run_trial(options: argparse.Namespace, folder: Path) -> bool:
    """Run the trial in a folder; return whether all checks hold."""
    trial = Trial(folder)
    begun = trial.step("made", lambda: made(trial, options.rows, options.shards))
    if begun["rows"] != options.rows:
        raise SystemExit(f"{folder} holds a trial of {begun['rows']} rows; name another folder")
    digests = set()
    for run in options.runs:
        engine, workers = run.split(":")
        digests.add(trial.step(run, lambda: deduplicated(trial, engine, int(workers)))["digest"])  # noqa: B023
    name = options.runs[0].replace(":", "-")
    proof = trial.step("verified", lambda: verified(trial, name, options.sample))
    against = trial.step("against", lambda: held_against(trial, name))
    rights = {
        "one digest": len(digests) == 1 and proof["digest"] in digests,
        "the certificate holds": proof["holds"],
        "all leaks are found, and nothing else": against["dropped"] == {"leak": N_TEST, "changed": 0, "unseen": 0},
    }
    for what, is_right in rights.items():
        sys.stdout.write(f"{'yes' if is_right else 'NO'}: {what}\n")
    return all(rights.values())


if __name__ == "__main__":
    main()
