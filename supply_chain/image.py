"""Do what deploy/Dockerfile does where there is no Docker: `python -m supply_chain.image`.

The files that it copies go into an empty folder, its build steps run there by bash, and its entry point serves with its
settings, by an account without rights where this runs as root, until its health check succeeds. What stays unproven is
the base image: this takes the Python of this machine. Exit code 1: a step failed; its words are printed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from supply_chain.release import ACCOUNT, ROOT, NotReadyError, as_account, python_for

FILE = ROOT / "deploy" / "Dockerfile"
PREFIX = "/opt/saidonce"
START_S = 240.0


@dataclass(frozen=True, slots=True)
class Image:
    """What a Dockerfile of two stages says.

    Attributes:
        copied: sources and target of each `COPY` of the build stage.
        arguments: `ARG` names with their defaults.
        steps: `RUN` of the build stage.
        environment: `ENV` of the image.
        command: entry point with its default words.
        health: words of the health check.
    """

    copied: tuple[tuple[str, ...], ...]
    arguments: dict[str, str]
    steps: tuple[str, ...]
    environment: dict[str, str]
    command: tuple[str, ...]
    health: tuple[str, ...]


def read(text: str) -> Image:
    """Read a Dockerfile.

    Raises:
        NotReadyError: it lacks a stage, an entry point or a health check.
    """
    joined = re.sub(r"\\\n\s*", " ", re.sub(r"(?m)^\s*#.*\n", "", text))
    stages = re.split(r"(?m)^FROM .*$", joined)[1:]
    if len(stages) != 2:
        raise NotReadyError(f"{len(stages)} stages, not two")
    build, image = (re.findall(r"(?m)^([A-Z]+) +(.+)$", stage) for stage in stages)
    words = {name: value for name, value in image if name in ("ENTRYPOINT", "CMD", "HEALTHCHECK", "ENV")}
    if missing := {"ENTRYPOINT", "CMD", "HEALTHCHECK"} - set(words):
        raise NotReadyError(f"no {', '.join(sorted(missing))}")
    return Image(
        tuple(tuple(value.split()) for name, value in build if name == "COPY"),
        dict(value.split("=", 1) for name, value in build if name == "ARG"),
        tuple(value for name, value in build if name == "RUN"),
        dict(pair.split("=", 1) for pair in shlex.split(words.get("ENV", ""))),
        (*json.loads(words["ENTRYPOINT"]), *json.loads(words["CMD"])),
        tuple(json.loads(words["HEALTHCHECK"].split("CMD", 1)[1])),
    )


def copy(image: Image, folder: Path) -> None:
    """Copy what the build stage copies, and nothing else of this checkout."""
    for *sources, target in image.copied:
        for source in sources:
            place = folder / target / (source if target.endswith("/") else "")
            place.parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, place, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
            else:
                shutil.copy(ROOT / source, place)


def build(image: Image, folder: Path, python: Path) -> Path:
    """Run the build steps; return the environment that they make.

    Raises:
        NotReadyError: one failed.
    """
    made = folder / "opt"
    programs = folder / "bin"
    programs.mkdir()
    (programs / "python").symlink_to(python)
    kept = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_"))}
    environment = {"PATH": f"{programs}:{os.defpath}", "HOME": str(folder), **kept, **image.arguments}
    for step in image.steps:
        done = subprocess.run(
            ["/bin/bash", "-ec", step.replace(PREFIX, str(made))], cwd=folder / "build", env=environment,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            raise NotReadyError(f"RUN {step[:200]}: {done.stderr.strip()[-2_000:]}")
    return made


def serve(image: Image, folder: Path, made: Path) -> str:
    """Start what the image starts, wait for its health check, and return what was seen.

    Raises:
        NotReadyError: it ended, or was not healthy in time.
    """
    account = ACCOUNT if os.getuid() == 0 else ""
    data = folder / "data"
    data.mkdir()
    if account:
        shutil.chown(data, account, "nogroup")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    environment = {
        **image.environment, "PATH": f"{made / 'bin'}:{os.defpath}", "HOME": str(data), "SAIDONCE_DATA_DIR": str(data)
    }  # fmt: skip
    of_account = {**as_account(account), "cwd": data}
    add = [image.command[0], "people", "add", "you", "you@example.com", "--role", "owner"]
    done = subprocess.run(add, env=environment, capture_output=True, text=True, check=False, **of_account)
    if done.returncode:
        raise NotReadyError(f"{' '.join(add)}: {done.stderr.strip()[-2_000:]}")
    command = [word.replace("8765", port) for word in image.command]
    began = time.monotonic()
    server = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, **of_account)
    try:
        while server.poll() is None and time.monotonic() - began < START_S:
            check = [word.replace("8765", port) for word in image.health]
            if not subprocess.run(check, env=environment, capture_output=True, check=False, **of_account).returncode:
                return (
                    f"{' '.join(image.command)}: healthy after {time.monotonic() - began:.0f} s, as {account or 'you'}"
                )
            time.sleep(1)
    finally:
        server.terminate()
        server.wait(60)
    raise NotReadyError(f"{' '.join(command)}: ended or not healthy within {START_S:.0f} s")


def _python() -> Path:
    python = python_for(ACCOUNT if os.getuid() == 0 else "")
    if python is None:
        raise NotReadyError("no Python here can make environments: install its venv module")
    return python


def main(words: Sequence[str] | None = None) -> int:
    """Build, serve, and return the exit code."""
    argparse.ArgumentParser(prog="python -m supply_chain.image", description=__doc__).parse_args(words)
    try:
        image = read(FILE.read_text(encoding="utf-8"))
        python = _python()
        with tempfile.TemporaryDirectory(prefix="saidonce-image-") as name:
            folder = Path(name)
            folder.chmod(0o755)
            (folder / "build").mkdir()
            copy(image, folder / "build")
            began = time.monotonic()
            made = build(image, folder, python)
            print(f"{len(image.copied)} COPY, {len(image.steps)} RUN, in {time.monotonic() - began:.0f} s", flush=True)
            print(serve(image, folder, made))
    except NotReadyError as wrong:
        print(f"not ready: {wrong}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
