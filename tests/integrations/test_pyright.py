"""Editors and type checkers read the library: pyright on the example, and on what must be wrong."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYRIGHT = shutil.which("pyright", path=str(Path(sys.executable).parent))

pytestmark = pytest.mark.skipif(PYRIGHT is None, reason="make integrations installs it")

WRONG = """from saidonce import AsyncKnowledgeBase, KnowledgeBase

KnowledgeBase(data_dri="./base")
KnowledgeBase(k="many")
KnowledgeBase(segment_style="sentence")
with KnowledgeBase() as kb:
    kb.search("q", colection="a")
    kb.search("q").hitz
async def main() -> None:
    async with AsyncKnowledgeBase() as kb:
        (await kb.search("q")).hitz
        kb.search("q").hits
"""


def errors(path: Path) -> list[tuple[int, str]]:
    """Lines, from 1, and messages of what pyright calls an error in a file or folder."""
    assert PYRIGHT is not None
    command = [PYRIGHT, "--outputjson", "--pythonpath", sys.executable, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=240, cwd=path.parent)
    assert done.stdout, done.stderr
    found = json.loads(done.stdout)["generalDiagnostics"]
    return [(e["range"]["start"]["line"] + 1, e["message"]) for e in found if e["severity"] == "error"]


def test_the_example_is_right() -> None:
    assert errors(ROOT / "examples" / "library.py") == []


PAGES = (
    "README.md",
    "docs/quickstart.md",
    "docs/how-to/library.md",
    "docs/how-to/gate.md",
    "docs/how-to/integrations.md",
)


def test_the_examples_of_the_pages_are_right(tmp_path: Path) -> None:
    for page in PAGES:
        for n, block in enumerate(
            re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.S | re.M)
        ):
            (tmp_path / f"{page.replace('/', '_').removesuffix('.md')}_{n}.py").write_text(block)
    assert len(list(tmp_path.iterdir())) >= len(PAGES)
    assert errors(tmp_path) == []


def test_what_is_wrong_is_marked_line_by_line(tmp_path: Path) -> None:
    file = tmp_path / "wrong.py"
    file.write_text(WRONG)
    assert sorted({line for line, _ in errors(file)}) == [3, 4, 5, 7, 8, 11, 12]
