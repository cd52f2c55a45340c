"""Every command that the page of figures names is understood, and runs small; one without a small run fails here."""

from __future__ import annotations

import argparse
import inspect
import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import pytest
from benchmarks.evaluation_data import DATA, FOLDER, MISSING

from command_line import environment, invoke
from conftest import reachable_folder
from forked_programs import Programs

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "tests/cases"


@dataclass(frozen=True)
class Small:
    """How a benchmark is run small.

    Attributes:
        given: arguments beside those of the page.
        needs: evaluation data, without which it ends with one line.
        codes: exit codes that a busy machine may bring about.
        is_slow: it takes more than about a second, minutes where nothing is cached; it runs in `make proofs`, and here
            its module is imported and its arguments are read.
    """

    given: tuple[str, ...] = ()
    needs: str = ""
    codes: tuple[int, ...] = (0,)
    is_slow: bool = False


BENCHMARKS = {
    "chaos": Small(
        ("--rounds", "1", "--kills", "4", "--server-kills", "3", "--acknowledged", "9", "--only", "races", "lives"),
        is_slow=True,
    ),
    "mixed_folder": Small(("tables/",), is_slow=True),
    "awkward_folder": Small(("tables/",), is_slow=True),
    "uncommon_folder": Small(("tables/",), is_slow=True),
    "everyday_folder": Small(("tables/",), is_slow=True),
    "shelf_folder": Small(("tables/",), is_slow=True),
    "fuzz": Small(("--inputs", "60", "--only", "replies", "posts"), codes=(0, 1), is_slow=True),
    "mutants": Small(("access",), is_slow=True),
    "patterns": Small(("--only", "gate/", "--every", "20"), is_slow=True),
    "mutants_sql": Small(("--sample", "3"), is_slow=True),
    "merging": Small(("300",), is_slow=True),
    "queue": Small(("site-policy", "--documents", "2"), "kb_docs.jsonl.gz", is_slow=True),
    "pairs": Small(("400",), is_slow=True),
    "corpus": Small(("300", "--no-peer"), "pairs.jsonl.gz", is_slow=True),
    "adjudication": Small(("--skip", "450", "--rows", "3", "--only", "shipped"), "pairs.jsonl.gz", is_slow=True),
    "adjudication_model": Small(("--known", "0", "--rows", "3"), "pairs.jsonl.gz", is_slow=True),
    "gate": Small(("300", "5"), "pairs.jsonl.gz", is_slow=True),
    "gray_zone": Small(("--rows", "2"), "pairs.jsonl.gz", is_slow=True),
    "equivalence": Small(("--rows", "12"), "summedits.jsonl.gz", is_slow=True),
    "faults": Small(("--trials", "1", "--most", "5"), codes=(0, 1)),
    "siege": Small(("--loris", "50", "--rounds", "5"), codes=(0, 1), is_slow=True),
    "safety_reply": Small(("2",), codes=(0, 1), is_slow=True),
    "posts": Small(("--residents", "2"), codes=(0, 1), is_slow=True),
    "exact_search": Small(("1000",), is_slow=True),
    "same_answers": Small(("--pairs", "20"), "pairs.jsonl.gz", is_slow=True),
    "rerank": Small(("--queries", "2", "--documents", "60"), "retrieval/scifact", codes=(0, 1), is_slow=True),
    "dedup": Small(is_slow=True),
    "translations": Small(("--every", "100", "--embedder", "minilm"), "pairs.jsonl.gz", is_slow=True),
    "recognition": Small(("1", "--only", "pictures"), is_slow=True),
    "dedupe_files": Small(("400", "--workers", "1"), is_slow=True),
    "join": Small(("1000", "--tiles", "1"), is_slow=True),
    "scale": Small(("400", "--workers", "1"), is_slow=True),
    "trial": Small(("400", "--shards", "4", "--runs", "local:1"), is_slow=True),
    "organisations": Small(("16", "--texts", "5", "--searches", "5", "--partitions", "2"), is_slow=True),
    "search_memory": Small(("2000", "5000"), is_slow=True),
    "cold_search": Small(("200", "--runs", "1"), is_slow=True),
    "static_pass": Small(("40",), "pairs.jsonl.gz", is_slow=True),
    "end_to_end": Small(("2",), is_slow=True),
    "end_to_end --growth": Small(("--growth", "200"), is_slow=True),
    "blind": Small(("--rows", "6"), is_slow=True),
    "blind --second": Small(("--second", "--rows", "2")),
    "blind --third": Small(("--third", "--rows", "2"), is_slow=True),
    "blind --fourth": Small(("--fourth", "--rows", "2"), is_slow=True),
    "blind --fifth": Small(("--fifth", "--rows", "2"), is_slow=True),
    "blind --sixth": Small(("--sixth", "--rows", "2"), is_slow=True),
    "blind --seventh": Small(("--seventh", "--rows", "2"), is_slow=True),
    "relevance_languages": Small(("later",), is_slow=True),
    "relevance": Small(("retrieval/cranfield",), "retrieval/cranfield", is_slow=True),
    "judging": Small(("parallel", "killed", "--small"), is_slow=True),
    "judging repeats": Small(("repeats", "--small"), "pairs.jsonl.gz", is_slow=True),
    "sync": Small(("30", "2"), is_slow=True),
    "parse_agreement": Small(("--format", "rtf"), "documents", is_slow=True),
}

PAIRS = [
    {"id": f"p{n}", "a": f"Backups are kept for {n + 3} days.", "b": f"Backups are kept for {n + 3 + n % 2} days!",
     "label": "distinct" if n % 2 else "reworded", "merge_ok": not n % 2}
    for n in range(8)
]  # fmt: skip

HANDBOOK = ("ingest", "{docs}", "--collection", "docs", "--use", "canonical")
COMMANDS: dict[str, tuple[str, ...]] = {
    "evaluate retrieval": ("evaluate", "retrieval", str(HERE / "property_documents"), "--k", "5"),
    "evaluate context": ("evaluate", "context", str(HERE / "property_documents"), "--limit", "2", "--tokens", "500"),
    "evaluate pairs": ("evaluate", "pairs", "{pairs}", "--policy", "canonical"),
    "evaluate contrast": ("evaluate", "contrast", "{docs}", "--limit", "5"),
    "evaluate scenarios": ("evaluate", "scenarios", str(HERE / "conversation"), "--help"),
    "evaluate emergencies": ("evaluate", "emergencies", "--cases", str(HERE / "emergencies/tune"), "--language", "de"),
    "evaluate tenants": ("evaluate", "tenants", "--help"),
    "evaluate questions": ("evaluate", "questions", str(HERE / "residents_questions"), "--half", "tune", "--help"),
    "calibrate": (
        "calibrate",
        "{pairs}",
        "--bound",
        "0.9",
        "--certificate",
        "{out}/c.json",
        "--picture",
        "{out}/p.svg",
    ),
    "ingest": HANDBOOK,
    "search": ("search", "how long are backups kept?"),
    "status": ("status",),
    "adjudicator train": ("adjudicator", "train", "--help"),
}
"""Commands of the program; two are asked for their help only: they need a recording, and a year of decisions."""


def named() -> list[str]:
    """The commands of the page, on one line each, without those of `make` that stand for others."""
    page = (ROOT / "docs/figures.md").read_text(encoding="utf-8")
    quoted = [" ".join(found.split()) for found in re.findall(r"`([^`]+)`", page)]
    found = [q for q in quoted if q.startswith(("python ", "saidonce ", "make "))]
    recipes = re.split(r"^(?=[a-z]+:)", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.M)
    for target in [f.split()[1] for f in found if f.startswith("make ")]:
        (recipe,) = [r for r in recipes if r.startswith(f"{target}:")]
        found += [f"python {words}" for words in re.findall(r"/python (.+?)(?: \|\| .*)?$", recipe, flags=re.M)]
    return list(dict.fromkeys(f for f in found if not f.startswith("make ")))


def benchmark(command: str) -> str:
    """What a `python -m benchmarks.NAME` stands under in the table."""
    found = re.fullmatch(r"python -m benchmarks\.(\w+)( --growth| repeats)?.*", command)
    assert found is not None, f"{command!r} is no module of benchmarks"
    return found[1] + (found[2] or "")


def module(name: str) -> str:
    """The module that a small run of the table starts."""
    return f"benchmarks.{name.split(maxsplit=1)[0]}"


MODULES = sorted({benchmark(c) for c in named() if c.startswith("python ")} | {"chaos"})
PROGRAM = sorted({c.removeprefix("saidonce ") for c in named() if c.startswith("saidonce ")})


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    made = reachable_folder()
    (made / "pairs.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in PAIRS), encoding="utf-8")
    (made / "docs").mkdir()
    (made / "docs" / "a.md").write_text("# Backups\n\nBackups are kept for 30 days in two places.\n", encoding="utf-8")
    yield made
    shutil.rmtree(made, ignore_errors=True)


@pytest.fixture(scope="module")
def programs() -> Iterator[Programs]:
    with Programs(ROOT) as running:
        yield running


def test_the_page_names_commands() -> None:
    assert len(named()) >= 20
    assert {"merging", "corpus", "faults", "exact_search"} <= set(MODULES)


@pytest.mark.parametrize("name", MODULES)
def test_a_benchmark_has_a_small_run(name: str) -> None:
    assert name in BENCHMARKS, f"give 'benchmarks.{name}' a small run in this file"


LINES = {
    " ".join((module(name), *words)): (module(name), words)
    for name, words in [
        *((c.split()[2].partition(".")[2], tuple(shlex.split(c)[3:])) for c in named() if c.startswith("python ")),
        *((name, small.given) for name, small in BENCHMARKS.items()),
    ]
    # It has no options: whatever it is called with is the name of a folder.
    if module(name) != "benchmarks.relevance"
}
"""Each command line of a benchmark, as the page has it and as it runs small."""


class _UnderstoodError(Exception):
    """The arguments were read, and nothing has run yet."""


@pytest.mark.parametrize("line", LINES)
def test_a_benchmark_understands_its_arguments(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, words = LINES[line]
    for threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.setenv(threads, "1")  # set by some modules when they are imported; taken back after the test
    read = argparse.ArgumentParser.parse_args

    def understood(*given: Any, **options: Any) -> NoReturn:
        read(*given, **options)
        raise _UnderstoodError

    program = import_module(name).main
    monkeypatch.setattr("sys.argv", [name, *words])
    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", understood)
    with pytest.raises(_UnderstoodError):
        program(*([list(words)] if inspect.signature(program).parameters else []))


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow if BENCHMARKS[n].is_slow else ()) for n in BENCHMARKS]
)
@pytest.mark.timeout(1_200)
def test_a_benchmark_runs_small(name: str, programs: Programs, tmp_path: Path) -> None:
    small = BENCHMARKS[name]
    if small.needs and not (FOLDER / small.needs).exists():
        pytest.skip(f"needs the evaluation data {small.needs}")
    done = programs.ran(module(name), small.given, tmp_path, environment(NO_PROXY="127.0.0.1"))
    assert done.returncode in small.codes, done.stderr[-3_000:]
    assert "Traceback" not in done.stderr
    assert done.stdout.strip()


WANTING = {n: small for n, small in BENCHMARKS.items() if small.needs} | {
    "train_shipped": Small(needs="kb_docs.jsonl.gz")
}


@pytest.mark.parametrize("name", WANTING)
def test_without_the_evaluation_data_one_line_says_what_is_wanted(
    name: str, programs: Programs, tmp_path: Path
) -> None:
    small = WANTING[name]
    caches = {"EVALUATION_CACHE": str(tmp_path / "cache"), "ADJUDICATION_CACHE": str(tmp_path / "features")}
    env = environment(EVALUATION_DATA=str(tmp_path), **caches)
    done = programs.ran(module(name), small.given, tmp_path, env)
    assert done.returncode == MISSING, done.stderr[-3_000:]
    (line,) = done.stderr.strip().splitlines()
    assert small.needs in line
    assert "EVALUATION_DATA" in line


@pytest.fixture(scope="module")
def run_once(folder: Path) -> Callable[[str], subprocess.CompletedProcess[str]]:
    """Runs what a command stands under in the table, which several commands of the page may share."""
    put = {"docs": folder / "docs", "pairs": folder / "pairs.jsonl", "out": folder}
    env = environment(SAIDONCE_DATA_DIR=str(folder / "data"))

    def run(name: str) -> subprocess.CompletedProcess[str]:
        return invoke(tuple(word.format(**put) for word in COMMANDS[name]), env, ROOT)

    def run_in_a_base(name: str) -> subprocess.CompletedProcess[str]:
        return run(name) if name == "ingest" else (once("ingest"), run(name))[1]

    once = cache(run_in_a_base)
    return once


LONG = ("evaluate retrieval", "evaluate context", "evaluate emergencies")
"""They run over whole folders of cases; in the check, `test_json_schema.py` runs them over a few of them."""


@pytest.mark.parametrize(
    "command", [pytest.param(c, marks=pytest.mark.slow if c.startswith(LONG) else ()) for c in PROGRAM]
)
def test_a_command_of_the_program_runs_small(
    command: str, run_once: Callable[[str], subprocess.CompletedProcess[str]]
) -> None:
    known = [name for name in COMMANDS if f"{command} ".startswith(f"{name} ")]
    assert len(known) == 1, f"give 'saidonce {command}' a small run in this file"
    done = run_once(known[0])
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_all_data_that_is_wanted_is_described() -> None:
    page = (ROOT / "docs/evaluation-data.md").read_text(encoding="utf-8")
    assert {name for name in DATA if f"`{name}`" not in page} == set()


def test_no_benchmark_is_left_out() -> None:
    files = (ROOT / "benchmarks").glob("*.py")
    programs = {file.stem for file in files if 'if __name__ == "__main__"' in file.read_text(encoding="utf-8")}
    # `scale` starts it for each peer.
    programs -= {"peers"}
    run_small = {name.split()[0] for name in BENCHMARKS}
    assert programs - run_small == {"evaluation_data", "train_shipped", "record_conversations"}
