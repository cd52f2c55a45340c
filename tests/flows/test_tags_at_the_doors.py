"""Tags at the doors: given and asked for by command and API, shown in JSON and on a block's page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from in_process import in_process
from saidonce.interfaces.cli import app
from world import world

TEXT = "Backups of the finance servers are kept for thirty days."


def test_tags_by_api_and_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    served = in_process(world(), tmp_path, monkeypatch)
    headers = {"X-CSRF-Token": served.token()}
    sent = {"params": {"tag": ["it", "finance"]}, "files": {"file": ("a.md", TEXT)}, "headers": headers}
    assert served.client.post("/api/v1/documents", **sent).status_code == 201  # type: ignore[arg-type]

    def found(*tags: str) -> list[dict[str, Any]]:
        answer = served.client.get("/api/v1/search", params={"q": "backups kept", "tag": list(tags)})
        hits: list[dict[str, Any]] = answer.json()["hits"]
        return hits

    (hit,) = found()
    assert hit["tags"] == ["finance", "it"]
    assert (len(found("it", "law")), found("law")) == (1, [])
    assert served.client.get(f"/api/v1/blocks/{hit['id']}").json()["tags"] == ["finance", "it"]
    page = served.client.get(f"/blocks/{hit['id']}").text
    assert "<dt>Tags</dt><dd>finance, it</dd>" in page
    refused = served.client.post("/api/v1/documents", **{**sent, "params": {"tag": "x" * 51}})  # type: ignore[arg-type]
    assert refused.status_code == 422


def test_tags_by_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_process(world(), tmp_path, monkeypatch)
    file = tmp_path / "a.md"
    file.write_text(TEXT)

    def ran(*given: str, code: int = 0) -> Any:
        done = CliRunner().invoke(app, ["--data-dir", str(tmp_path), *given], catch_exceptions=False)
        assert done.exit_code == code, done.output
        return json.loads(done.stdout) if code == 0 else done.output

    ran("ingest", str(file), "--tag", "it", "--tag", "finance", "--json")
    (hit,) = ran("search", "backups kept", "--tag", "it", "--json")["hits"]
    assert hit["tags"] == ["finance", "it"]
    assert ran("search", "backups kept", "--tag", "law", "--json")["hits"] == []
    assert "up to 20 tags" in ran("ingest", str(file), "--tag", " ", code=2)
