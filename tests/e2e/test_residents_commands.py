"""The commands, the page and the worker of data protection, over a real database and real HTTP."""

from __future__ import annotations

import json
import re
import stat
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from repairs_site import office
from saidonce.adapters.postgres import open_store
from saidonce.foundation.model.conversation import IssueState
from saidonce.foundation.model.residents import (
    ChannelIdentity,
    Inbound,
    InboundKind,
    Property,
    Resident,
    Tenancy,
    Via,
)
from saidonce.interfaces.cli.residents import app as residents_app
from saidonce.interfaces.worker.protecting import protect

NOW = datetime.now(UTC)


@pytest.fixture
def folder(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SAIDONCE_DATA_DIR", str(data_dir))
    store = open_store("", data_dir, "default")
    try:
        talk = store.conversations
        start = NOW - timedelta(days=300)
        ana = Resident("r-ana", "Ana Bell", ("+447700900001",))
        talk.put_home(Property("p1", "12 Elm Road"), ana, Tenancy("t1", "p1", "r-ana", start))
        sender = ChannelIdentity(Via.WHATSAPP, "ana", "+447700900001")
        at = NOW - timedelta(days=200)
        kept, _ = talk.receive(Inbound(sender, "n", "m1", InboundKind.TEXT, at, at, "marmalade"), lambda *_: at)
        talk.record_scan(kept, 0, (), (), ())
    finally:
        store.close()
    return data_dir


def run(*words: str, code: int = 0) -> str:
    line = typer.Typer()
    line.add_typer(residents_app, name="residents")
    done = CliRunner().invoke(line, ["residents", *words])
    assert done.exit_code == code, done.output
    return done.stdout if code == 0 else done.output


def asked(*words: str) -> Any:
    return json.loads(run(*words, "--json"))


def test_a_resident_is_handed_out_and_erased(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "ana.zip"
    assert "1 inbound" in run("export", "r-ana", "--out", str(file), "--as", "jo")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with zipfile.ZipFile(file) as archive:
        assert "marmalade" in archive.read("data.json").decode()
    assert "already exists" in run("export", "r-ana", "--out", str(file), code=2)
    assert "would be erased" in run("erase", "r-ana")
    assert asked("erase", "+447700900001")["act"] is None
    done = asked("erase", "+447700900001", "--yes", "--as", "jo")
    assert (done["act"]["kind"], done["act"]["by"], done["counts"]["messages"]) == ("erased", "jo", 1)
    assert "no resident" in run("erase", "r-ana", "--yes", code=2)
    assert [act["kind"] for act in asked("log")] == ["exported", "erased"]
    assert "marmalade" not in run("log")
    assert "erased by jo" in run("log")


def test_retention_is_applied_and_shown_before(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "nothing" in run("retention")
    monkeypatch.setenv("SAIDONCE_KEEP_DAYS", '{"messages": 100}')
    assert "1 messages" in run("retention", "--dry-run")
    assert asked("log") == []
    assert "1 messages" in run("retention")
    assert [act["kind"] for act in asked("log")] == ["expired"]
    monkeypatch.setenv("SAIDONCE_KEEP_DAYS", '{"jokes": 100}')
    assert "keep_days" in run("retention", code=2)


def test_the_page_erases_after_a_confirmation_and_the_worker_applies_retention() -> None:
    with office(settings={"org_keep_days": {"demo": {"issues": 1}}}) as site:
        site.say("Ben Okafor", "The tap in my kitchen keeps dripping, no photo")
        site.settled()
        site.say("Ben Okafor", "no photo")
        site.settled()
        home = next(h for h in site.deps.store.homes() if h.resident.name == "Ben Okafor")
        (issue,) = site.deps.store.issues(home.property.id)
        path = f"/repairs/residents/{home.resident.id}"
        with site.client() as client:
            page = client.get(f"{path}/data").text
            assert "cannot be undone" in page
            csrf = re.search(r'name="csrf" value="([^"]+)"', page)
            assert csrf is not None
            assert client.post(f"{path}/erase", data={"csrf": csrf[1]}).status_code == 422, "without the confirmation"
            packed = client.post(f"{path}/export", data={"csrf": csrf[1]})
            assert packed.headers["content-type"] == "application/zip"
            assert client.post(f"{path}/erase", data={"csrf": csrf[1], "sure": "1"}).status_code == 200
            board = client.get("/repairs").text
            assert "Ben Okafor" not in board
            assert "dripping" in board
            assert client.get(f"/repairs/conversations/{site.deps.store.issues(home.property.id)[0].conversation_id}")
        site.deps.store.move_issue(issue.id, IssueState.DONE, "jo", datetime.now(UTC) - timedelta(days=2))
        protect(site.repairs, "demo")
        (issue,) = site.deps.store.issues(home.property.id)
        assert "dripping" not in issue.description
        assert [act.kind for act in site.deps.store.acts()] == ["exported", "erased", "expired"]
