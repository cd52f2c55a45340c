"""`saidonce doctor` says what is on and what is off on this machine, and changes nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import psycopg
from typer.testing import CliRunner

from saidonce.adapters.postgres import open_store
from saidonce.adapters.postgres.embedded import EmbeddedServer
from saidonce.adapters.postgres.migrate import LOGIN
from saidonce.adapters.postgres.rights import login_rights
from saidonce.app.doctor import Check, _files
from saidonce.foundation.confinement import NAMES
from saidonce.interfaces.cli import app


def run(folder: Path, *words: str) -> Any:
    return CliRunner().invoke(app, ["--data-dir", str(folder), "doctor", *words])


def test_a_machine_without_a_base_is_described_and_left_as_it_was(new_data_dir: Path) -> None:
    done = run(new_data_dir, "--json")
    assert done.exit_code == 0, done.output
    checks = {(one["area"], one["name"]): one for one in json.loads(done.stdout)}
    assert [name for area, name in checks if area == "parsing"] == list(NAMES)
    assert not checks["database", "login"]["is_on"]
    assert not new_data_dir.exists()
    strict = run(new_data_dir, "--strict")
    assert strict.exit_code == 1
    assert "OFF  login: there is no database yet" in strict.stdout


def test_the_login_of_an_embedded_base_is_looked_at(data_dir: Path) -> None:
    open_store("", data_dir, "default").close()
    is_on, why = login_rights("", data_dir)
    assert (is_on, LOGIN in why) == (True, True)
    server = EmbeddedServer(data_dir)
    try:
        with psycopg.connect(server.url, autocommit=True) as owner:
            owner.execute(f"alter role {LOGIN} superuser")
        assert login_rights("", data_dir) == (
            False, f"the login {LOGIN} has the rights superuser; use a login that only owns the database"
        )  # fmt: skip
        is_on, why = login_rights(server.url, data_dir)
        assert (is_on, "the login saidonce has the rights superuser" in why) == (False, True)
    finally:
        server.close()


def test_an_open_secret_is_off_with_what_to_run(tmp_path: Path) -> None:
    secret = tmp_path / "session.secret"
    secret.write_text("x")
    tmp_path.chmod(0o711)
    secret.chmod(0o644)
    folder, private, room = _files(tmp_path)
    assert folder.is_on
    assert private == Check(
        "files", "session secret", is_on=False, why=f"{secret} is readable by others; run: chmod go-rw {secret}"
    )
    assert "MiB free on " in room.why
    secret.chmod(0o600)
    assert _files(tmp_path)[1].is_on
