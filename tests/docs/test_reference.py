"""The documentation says what the program does: reference pages, examples, and the README's promises."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import saidonce
from saidonce.foundation.settings.policy import Settings

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def test_reference_pages_are_made_from_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    main = runpy.run_path(str(ROOT / "docs" / "build_reference.py"))["main"]
    assert main(["--check"]) == 0, capsys.readouterr().err


def test_readme_defines_by_line_3_and_runs_by_line_15() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert "knowledge base" in lines[2]
    assert any("make demo" in line for line in lines[:15])


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_named_settings_exist(page: Path) -> None:
    named = re.findall(r"SAIDONCE_([A-Z_]+[A-Z])", page.read_text(encoding="utf-8"))
    assert {n.lower() for n in named} <= set(Settings.model_fields)


def test_what_editors_read_of_the_library_is_made_from_the_program() -> None:
    command = [sys.executable, str(ROOT / "docs" / "build_library.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr


def test_public_names_are_at_most_seventeen_and_all_there() -> None:
    assert len(saidonce.__all__) <= 17
    assert set(saidonce.__all__) == set(saidonce._HOMES)
    for name in saidonce.__all__:
        assert getattr(saidonce, name) is not None


EXAMPLE = re.compile(r"```python\n(.*?)```", re.S)
WITH_EXAMPLES = [
    page for page in sorted((ROOT / "docs" / "how-to").glob("*.md")) if EXAMPLE.search(page.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda p: p.stem)
def test_python_examples_run(page: Path, data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path = data_dir.parent
    monkeypatch.chdir(tmp_path)
    (tmp_path / "handbook").mkdir()
    (tmp_path / "handbook" / "a.md").write_text("# Backups\n\nWe keep backups for thirty days.\n")
    for example in EXAMPLE.findall(page.read_text(encoding="utf-8")):
        exec(compile(example, str(page), "exec"), {})
