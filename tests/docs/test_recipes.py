"""The recipes of CONTRIBUTING.md are executed, as they stand there, in a copy of the repository."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.M | re.S)
PROOF = "$ pytest "


@dataclass(frozen=True)
class Recipe:
    """A section of the page.

    Attributes:
        blocks: (language, path or nothing, text) of each block, in order.
    """

    title: str
    blocks: tuple[tuple[str, str, str], ...]

    @property
    def files(self) -> tuple[str, ...]:
        """Files that it writes or changes, in order, once each."""
        return tuple(dict.fromkeys(path for _, path, _ in self.blocks if path))

    @property
    def proofs(self) -> tuple[str, ...]:
        """Files of tests that prove it."""
        lines = [line for language, _, text in self.blocks if language == "console" for line in text.splitlines()]
        assert all(line.startswith(PROOF) for line in lines), f"{self.title}: a recipe is proved by tests"
        return tuple(word for line in lines for word in line.removeprefix(PROOF).split())


def recipes() -> tuple[Recipe, ...]:
    """The recipes of the page, in order."""
    _, _, below = PAGE.partition("\n## Recipes\n")
    sections = re.split(r"^### ", below, flags=re.M)[1:]
    return tuple(Recipe(s.partition("\n")[0], tuple(BLOCK.findall(s))) for s in sections)


RECIPES = recipes()


def changed(text: str, diff: str, path: str) -> str:
    """Apply one block of changes: its lines without `+` stand in the text once, in a row."""
    lines = diff.splitlines()
    before = "".join(f"{line[1:]}\n" for line in lines if not line.startswith("+"))
    after = "".join(f"{line[1:]}\n" for line in lines if not line.startswith("-"))
    assert text.count(before) == 1, f"the recipe no longer fits {path}; these lines are to stand there once:\n{before}"
    return text.replace(before, after)


def follow(recipe: Recipe, house: Path) -> None:
    """Do to a copy of the repository what a recipe says."""
    for language, path, text in recipe.blocks:
        if not path:
            continue
        target = house / path
        if language == "diff":
            target.write_text(changed(target.read_text(encoding="utf-8"), text, path), encoding="utf-8")
        else:
            assert not target.exists(), f"{path} is there already"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")


def ran(house: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a program of the environment in the copy, on the copy's package."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("SAIDONCE_", "PYTEST_"))}
    env |= {"PYTHONPATH": str(house / "src"), "MYPYPATH": str(house / "tests")}
    program = [sys.executable, "-m", *words] if words[0] != "lint-imports" else [tool("lint-imports"), *words[1:]]
    return subprocess.run(program, cwd=house, env=env, capture_output=True, text=True, timeout=280, check=False)


def tool(name: str) -> str:
    """A program beside this Python."""
    return str(Path(sys.executable).parent / name)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy of the repository in which all recipes were followed, one after the other."""
    folder = tmp_path_factory.mktemp("house") / "repository"
    for name in ("src", "tests", "benchmarks"):
        # With what is compiled already, which is a third of a run, but without what another process is writing.
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("*.pyc.*"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    for recipe in RECIPES:
        follow(recipe, folder)
    yield folder
    shutil.rmtree(folder)


def test_there_are_five_recipes_each_with_a_file_and_a_proof() -> None:
    assert [r.title for r in RECIPES] == [
        "Add a format",
        "Add a guard",
        "Add a channel",
        "Add an adjudicator",
        "Add a command with a route and a page",
    ]
    assert all(r.files and r.proofs for r in RECIPES)


@pytest.fixture(scope="module")
def report(house: Path) -> str:
    """What all tests of the recipes say, run together: a process takes longer to start than they do."""
    files = [file for recipe in RECIPES for file in recipe.proofs]
    return ran(house, "pytest", "-q", "-rA", "-p", "no:randomly", "-p", "no:cacheprovider", *files).stdout


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda r: r.title)
def test_a_recipe_does_what_it_says(recipe: Recipe, report: str) -> None:
    for file in recipe.proofs:
        assert re.search(rf"^PASSED {re.escape(file)}", report, re.M), report[-4_000:]
        assert not re.search(rf"^(FAILED|ERROR) {re.escape(file)}", report, re.M), report[-4_000:]


def test_recipes_keep_to_the_contracts(house: Path) -> None:
    done = ran(house, "lint-imports", "--no-cache")
    assert done.returncode == 0, done.stdout + done.stderr


def test_recipes_keep_to_the_style(house: Path) -> None:
    files = sorted({path for recipe in RECIPES for path in recipe.files if path.endswith(".py")})
    for words in (("check",), ("format", "--check")):
        done = ran(house, "ruff", *words, *files)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_recipes_are_strictly_typed(house: Path) -> None:
    files = sorted({path for recipe in RECIPES for path in recipe.files if path.endswith(".py")})
    done = ran(house, "mypy", "--cache-dir", str(house / ".mypy_cache"), *files)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda r: r.title)
def test_the_table_counts_the_files_that_a_recipe_takes(recipe: Recipe) -> None:
    anchor = recipe.title.lower().replace(" ", "-")
    (row,) = [line for line in PAGE.splitlines() if line.startswith("|") and f"(#{anchor})" in line]
    counted = re.search(r"\| (\d+): ", row)
    assert counted is not None, row
    assert int(counted[1]) == len([path for path in recipe.files if path.startswith("src/")])
