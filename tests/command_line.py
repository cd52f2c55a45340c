"""`saidonce` as its users run it: in this process, which takes a twentieth of the time, or as a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import chdir
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from saidonce.adapters.postgres.embedded import EmbeddedServer
from saidonce.interfaces.cli import app


def environment(**settings: str) -> dict[str, str]:
    """The environment of a command: nothing of whoever runs the tests but what is set here."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("SAIDONCE_")}
    return {**kept, "NO_COLOR": "1", **settings}


def invoke(
    words: tuple[str, ...], env: dict[str, str], folder: Path | None = None, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run a command in this process, under this environment and in this folder."""
    changed: dict[str, str | None] = {name: None for name in os.environ if name.startswith("SAIDONCE_")}
    with chdir(folder or Path.cwd()):
        done = CliRunner().invoke(app, list(words), input=stdin, env={**changed, **env}, catch_exceptions=False)
    return subprocess.CompletedProcess(words, done.exit_code, done.stdout, done.stderr)


class Shell:
    """Runs `saidonce` on one data folder; as a context it keeps the folder's server up between commands."""

    def __init__(self, data_dir: Path) -> None:
        self.data_dir = data_dir
        self.env = environment(SAIDONCE_DATA_DIR=str(data_dir))
        self._server: EmbeddedServer | None = None

    def __enter__(self) -> Shell:
        self._server = EmbeddedServer(self.data_dir)
        return self

    def __exit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.close()

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Start a process of its own."""
        command = [sys.executable, "-m", "saidonce", *words]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, env=self.env, cwd=self.data_dir.parent, stdout=pipe, stderr=pipe, text=True)

    def invoke(self, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        """Run a command in this process, which has to end with this code."""
        done = invoke(words, self.env, self.data_dir.parent)
        assert done.returncode == code, f"{words}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def run(self, *words: str, code: int = 0) -> str:
        """Run a command; give what it wrote."""
        done = self.invoke(*words, code=code)
        return str(done.stdout + done.stderr)

    def json(self, *words: str, code: int = 0) -> Any:
        """Run a command; give its JSON."""
        return json.loads(self.invoke(*words, "--json", code=code).stdout)
