"""Mutation testing: check that the tests notice changes of critical parts.

    python -m benchmarks.mutants [PART ...] [--again] [--only NAME ...] [--json]

Each part is a file of `tests/cases/mutants`: which modules are changed, which tests must notice, and which changes
nobody can notice, with the reason. Every other change that the tests let pass is printed and fails the run, and so does
a part of which nothing was changed at all. An interrupted run resumes; results are in `.mutants`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PARTS = ROOT / "tests/cases/mutants"
WORK = ROOT / ".mutants"
SHARE = 0.95
"""Of the changes that can be noticed, the share that the tests have to notice."""

PATIENCE_S = 15
"""Added to what the tests of a change take, before it counts as one without an end: time passes for others, too, and a
change that passed after five seconds was taken for a noticed one on a busy machine."""

NOTICED, UNNOTICED, UNREACHED = frozenset({1, 3, 24, -24, 36, 152, 255, -9, -11}), 0, 33
"""Exit codes of mutmut: a test failed, or did not end, or died; all passed; none runs the function."""

SHOW = """
import json, sys
from mutmut.__main__ import get_diff_for_mutant
json.dump({name: str(get_diff_for_mutant(name)) for name in json.load(sys.stdin)}, sys.stdout)
"""


@dataclass(frozen=True)
class Change:
    """One change of a function, identified by the lines that it touches.

    Attributes:
        function: module and name.
        was: the lines before, without indentation.
        now: the lines after.
    """

    function: str
    was: str
    now: str


@dataclass(frozen=True)
class Part:
    """A critical part.

    Attributes:
        mutate: its modules, as paths from the root.
        tests: test files that have to notice, the quick ones.
        known: changes that may pass, with the reason.
        equivalent: those of them that change nothing that anybody could see.
    """

    name: str
    mutate: tuple[str, ...]
    tests: tuple[str, ...]
    known: dict[Change, str]
    equivalent: frozenset[Change]


@dataclass
class Figures:
    """The results of the changes of one part."""

    part: str
    mutants: int = 0
    noticed: int = 0
    equivalent: int = 0
    accepted: int = 0
    waiting: int = 0
    unlisted: list[Change] = field(default_factory=list)
    outdated: list[Change] = field(default_factory=list)

    @property
    def share(self) -> float:
        """Noticed, of those tried that can be noticed; 0 if there is none."""
        tried = self.mutants - self.waiting - self.equivalent
        return self.noticed / tried if tried > 0 else 0.0

    def flaws(self) -> list[str]:
        """Return why the part is not proven; empty if it is."""
        reasons = []
        if not self.mutants - self.waiting:
            reasons.append(f"{self.part}: nothing was changed, hence nothing is shown")
        if self.waiting:
            reasons.append(
                f"{self.part}: {self.waiting} of {self.mutants} changes were not tried; run it again to go on"
            )
        if self.unlisted:
            reasons.append(f"{self.part}: {len(self.unlisted)} changes pass all tests and have no reason")
        if self.mutants > self.waiting and self.share < SHARE:
            reasons.append(f"{self.part}: the tests notice {self.share:.1%} of the changes, not {SHARE:.0%}")
        return reasons


def part(name: str) -> Part:
    """Read a part.

    Raises:
        FileNotFoundError: there is no such part.
    """
    told = tomllib.loads((PARTS / f"{name}.toml").read_text(encoding="utf-8"))
    rows = [(Change(r["function"], r["was"], r["now"]), r["why"], r["equivalent"]) for r in told.get("passes", [])]
    return Part(
        name, tuple(told["mutate"]), tuple(told["tests"]), {change: why for change, why, _ in rows},
        frozenset(change for change, _, same in rows if same),
    )  # fmt: skip


def names() -> list[str]:
    """Return the names of all parts."""
    return sorted(file.stem for file in PARTS.glob("*.toml"))


def work_folder(asked: Part) -> Path:
    """Update the folder of a part; earlier results of mutmut stay if the sources did not change."""
    folder = WORK / asked.name
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("src", "tests", "benchmarks", "docs"):
        link = folder / name
        if not link.is_symlink():
            link.symlink_to(ROOT / name)
    shutil.copy2(ROOT / "pyproject.toml", folder)
    lists = {
        "source_paths": ["src/"], "only_mutate": asked.mutate, "also_copy": ["benchmarks", "docs"],
        "pytest_add_cli_args": ["-p", "no:randomly", "-p", "no:cacheprovider", "-x"],
        "pytest_add_cli_args_test_selection": asked.tests,
    }  # fmt: skip
    section = "".join(f"{key}=\n" + "".join(f"  {value}\n" for value in values) for key, values in lists.items())
    (folder / "setup.cfg").write_text(
        f"[mutmut]\n{section}use_git_change_detection=False\ntrack_dependencies=False\n"
        f"timeout_multiplier=4\ntimeout_constant={PATIENCE_S}\n",
        encoding="utf-8",
    )
    _refresh(folder, asked)
    return folder


def _refresh(folder: Path, asked: Part) -> None:
    """Copy changed sources beside the mutated ones, and discard survivors of tests that have changed."""
    for source in (ROOT / "src").rglob("*.*"):
        copied = folder / "mutants" / source.relative_to(ROOT)
        is_mutated = str(source.relative_to(ROOT)) in asked.mutate
        if copied.is_file() and not is_mutated and source.stat().st_mtime != copied.stat().st_mtime:
            shutil.copy2(source, copied)
    seen = hashlib.sha256(b"".join((ROOT / test).read_bytes() for test in files_of(asked))).hexdigest()
    note = folder / "tests.sha256"
    if not note.exists() or note.read_text(encoding="ascii") != seen:
        for meta, told in metas(folder, asked):
            codes = told["exit_code_by_key"]
            told["exit_code_by_key"] = {
                k: None if code in {UNNOTICED, UNREACHED} else code for k, code in codes.items()
            }
            meta.write_text(json.dumps(told), encoding="utf-8")
    note.write_text(seen, encoding="ascii")


def files_of(asked: Part) -> list[Path]:
    """Return the files of a part's tests, by name; a folder stands for all of its tests."""
    places = [ROOT / test for test in asked.tests]
    return sorted(file for place in places for file in (place.rglob("*.py") if place.is_dir() else [place]))


def metas(folder: Path, asked: Part) -> Iterator[tuple[Path, dict[str, dict[str, int | None]]]]:
    """Yield mutmut's results for each module."""
    for module in asked.mutate:
        meta = folder / "mutants" / f"{module}.meta"
        if meta.exists():
            yield meta, json.loads(meta.read_text(encoding="utf-8"))


def mutate(folder: Path, chosen: Sequence[str] = ()) -> None:
    """Run the remaining mutants, one change after another.

    Raises:
        RuntimeError: mutmut ended early, such as when the tests fail without any change.
    """
    env = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "TEST_TEMPLATES"}}
    words = ["mutmut", "run", "--max-children", "1", *chosen]
    log = folder / "mutmut.log"
    with log.open("w") as told:
        code = subprocess.run([sys.executable, "-m", *words], cwd=folder, env=env, stdout=told, check=False).returncode
    if code != 0:
        raise RuntimeError(f"mutmut ended with {code}: {log.read_text(encoding='utf-8')[-2_000:]}")


def changes(folder: Path, mutants: Sequence[str]) -> dict[str, Change]:
    """Identify changes by their lines, since their numbers move with the code."""
    done = subprocess.run(
        [sys.executable, "-c", SHOW], cwd=folder, input=json.dumps(mutants), capture_output=True, text=True, check=True
    )
    return {name: _change(name, diff) for name, diff in json.loads(done.stdout).items()}


def _change(mutant: str, diff: str) -> Change:
    lines = [line for line in diff.splitlines() if not line.startswith(("---", "+++", "@@"))]
    was, now = ([line[1:].strip() for line in lines if line.startswith(sign)] for sign in "-+")
    function = mutant.rpartition("__mutmut_")[0].replace(".x_", ".").replace(".xǁ", ".").replace("ǁ", ".")
    return Change(function, "\n".join(was), "\n".join(now))


def figures(asked: Part, folder: Path) -> Figures:
    """Count what became of the changes."""
    codes = {name: code for _, told in metas(folder, asked) for name, code in told["exit_code_by_key"].items()}
    counted = Figures(asked.name, len(codes))
    counted.noticed = sum(code in NOTICED for code in codes.values())
    passed = [name for name, code in codes.items() if code in {UNNOTICED, UNREACHED}]
    counted.waiting = len(codes) - counted.noticed - len(passed)
    seen = changes(folder, passed) if passed else {}
    counted.equivalent = sum(change in asked.equivalent for change in seen.values())
    counted.accepted = sum(change in asked.known for change in seen.values()) - counted.equivalent
    counted.unlisted = [change for change in seen.values() if change not in asked.known]
    counted.outdated = [] if counted.waiting else sorted(asked.known.keys() - set(seen.values()), key=str)
    return counted


def show(counted: Figures) -> None:
    """Print the figures of a part, and each change that passed without a reason as its file would hold it."""
    print(
        f"{counted.part:<14} {counted.mutants:>5} changes {counted.noticed:>5} noticed {counted.share:>7.1%}"
        f" {counted.equivalent:>4} change nothing {counted.accepted:>3} accepted {len(counted.unlisted):>3} unlisted"
    )
    for change in counted.unlisted:
        rows = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in asdict(change).items()]
        print("\n[[passes]]", *rows, sep="\n")
    for change in counted.outdated:
        print(f"  no longer passes, or no longer exists: {change.function}: {change.now!r}")


def main() -> int:
    """Run the requested parts; return 1 if one is not proven."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(names())}; all by default")
    options.add_argument("--again", action="store_true", help="forget what was found out before")
    options.add_argument("--only", nargs="*", default=(), help="names of mutants, with wildcards")
    options.add_argument("--json", action="store_true", help="print JSON")
    chosen = options.parse_args()
    if unknown := set(chosen.parts) - set(names()):
        options.error(f"no part is called {sorted(unknown)[0]!r}; there are {', '.join(names())}")
    flaws, told = [], []
    for name in chosen.parts or names():
        if chosen.again:
            shutil.rmtree(WORK / name, ignore_errors=True)
        chosen_part = part(name)
        folder = work_folder(chosen_part)
        mutate(folder, chosen.only)
        counted = figures(chosen_part, folder)
        told.append(counted)
        flaws += counted.flaws()
        if not chosen.json:
            show(counted)
    if chosen.json:
        print(json.dumps([{**asdict(one), "share": one.share} for one in told]))
    print("\n".join(flaws) or "every change is noticed, or listed with its reason", file=sys.stderr)
    return int(bool(flaws))


if __name__ == "__main__":
    sys.exit(main())
