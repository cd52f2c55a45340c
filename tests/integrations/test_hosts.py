"""The clients inside of LightRAG, Dify and Open WebUI against a server, each in the environment that it needs.

RAGFlow's stands in its repository alone, and sends what Jina's client sends.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from serving import DOCUMENTS, QUERY, At, check, serving

HERE = Path(__file__).parent
ENVIRONMENTS = HERE.parents[1] / ".integrations"


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> Iterator[At]:
    with serving(tmp_path_factory.mktemp("served")) as place:
        yield place


@pytest.mark.parametrize("host", sorted(file.stem.removeprefix("ask_") for file in (HERE / "hosts").glob("ask_*.py")))
def test_a_host_asks_by_its_own_client(host: str, at: At, tmp_path: Path) -> None:
    python = ENVIRONMENTS / host / "bin" / "python"
    if not python.exists():
        pytest.skip("make integrations installs it")
    asked = json.dumps({"url": at.url, "key": at.key, "query": QUERY, "documents": DOCUMENTS})
    done = subprocess.run(
        [python, HERE / "hosts" / f"ask_{host}.py"], input=asked, capture_output=True, text=True, check=False,
        timeout=240,
        cwd=tmp_path, env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "DATA_DIR": str(tmp_path),
             "WEBUI_SECRET_KEY": "of this test"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2_000:]
    answers = json.loads(done.stdout.strip().splitlines()[-1])
    assert answers
    for answer in answers:
        check([place for place, _ in answer], [score for _, score in answer])
