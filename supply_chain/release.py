"""Build a release, install it like an ordinary user, and do what the quickstart says: `python -m supply_chain.release`.

The wheel goes into an empty environment, with an empty home, under an account without rights where this runs as root.
Then every block of docs/quickstart.md that is marked `release-check: run` runs, in its order and in one folder. Exit
code 1: something differs from what a release has to be; the line says what.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "dist"
QUICKSTART = ROOT / "docs" / "quickstart.md"
ACCOUNT = "nobody"
MAX_CORE_MB = 320
"""A core install must stay under it, without the modules that pip compiles; see docs/how-to/install.md."""

_MARKED = re.compile(r"<!-- release-check: run -->\n```(console|python)\n(.*?)```", re.S)
_VERSION = re.compile(r'^__version__ = "([^"]+)"$', re.M)
_HEADING = re.compile(r"^## (?:Unreleased \()?(\d+\.\d+\.\d+)\)?(?: - (\d{4}-\d\d-\d\d))?$", re.M)
_PARTS = frozenset({"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"})
_FOREIGN = frozenset(
    {".uv", ".venv", ".demo", ".judge", ".supply", ".git", "tests", "__pycache__", "packages", "shared"}
)
_NEEDED = ("saidonce/py.typed", "saidonce/interfaces/http/templates/base.html", "saidonce/foundation/extras.py",
           "saidonce/adapters/postgres/migrations/0001_")  # fmt: skip


class NotReadyError(Exception):
    """What was built is no release; the message says why."""


@dataclass(frozen=True, slots=True)
class Place:
    """An empty environment with an empty home, of an account without rights.

    Attributes:
        folder: holds all of it.
        account: whose it is; empty for whoever runs this.
    """

    folder: Path
    account: str

    @property
    def bin(self) -> Path:
        """Folder of the environment's programs."""
        return self.folder / "env" / "bin"

    def run(self, command: Sequence[str | Path]) -> str:
        """Run a command there and return what it prints.

        Raises:
            NotReadyError: it ended with another exit code than 0.
        """
        home, work = self.folder / "home", self.folder / "work"
        kept = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "LC_"))}
        environment = {"PATH": f"{self.bin}:{os.defpath}", "HOME": str(home), "TMPDIR": str(self.folder / "tmp"),
                       "LANG": "C.UTF-8", **kept}  # fmt: skip
        done = subprocess.run(
            [str(word) for word in command], env=environment, capture_output=True, text=True, check=False, timeout=900,
            **{**as_account(self.account), "cwd": work},
        )  # fmt: skip
        if done.returncode:
            said = (done.stderr or done.stdout).strip()[-2_000:]
            raise NotReadyError(f"{' '.join(str(word) for word in command)[:200]} ended with {done.returncode}: {said}")
        return str(done.stdout)


def version() -> str:
    """Return the version, from the one place that states it."""
    stated = _VERSION.search((ROOT / "src" / "saidonce" / "__init__.py").read_text(encoding="utf-8"))
    assert stated is not None
    return stated.group(1)


def check_changelog(changelog: str, number: str, tag: str = "") -> None:
    """Check that the changelog's first section is of this version, and dated if the version is tagged.

    Raises:
        NotReadyError: it is not, the tag names another version, or a part has a name that Keep a Changelog lacks.
    """
    first = _HEADING.search(changelog)
    if first is None or first.group(1) != number:
        raise NotReadyError(f"the first section of CHANGELOG.md is not of {number}")
    if tag and tag != f"v{number}":
        raise NotReadyError(f"the tag {tag} is not v{number}")
    if tag and not first.group(2):
        raise NotReadyError(f"CHANGELOG.md: {number} is released without a date: '## {number} - YYYY-MM-DD'")
    if odd := sorted(set(re.findall(r"^### (.+)$", changelog, re.M)) - _PARTS):
        raise NotReadyError(f"CHANGELOG.md has parts named {', '.join(odd)}; allowed: {', '.join(sorted(_PARTS))}")


def check_names(names: Sequence[str], kind: str) -> None:
    """Check which files an archive holds.

    Args:
        names: paths inside of it.
        kind: `wheel` or `sdist`.

    Raises:
        NotReadyError: something of a used checkout is packed, or something that is needed is not.
    """
    for name in names:
        parts = PurePosixPath(name).parts[1 if kind == "sdist" else 0 :]
        if foreign := _FOREIGN & set(parts):
            raise NotReadyError(f"the {kind} holds {name}: {', '.join(foreign)} does not belong there")
    for needed in _NEEDED:
        if not any(needed in name for name in names):
            raise NotReadyError(f"the {kind} lacks {needed}")


def build(uv: str) -> tuple[Path, Path]:
    """Build source distributions and wheels, of the program and of the judge, and return the program's."""
    shutil.rmtree(OUT, ignore_errors=True)
    for package in (ROOT, ROOT / "packages" / "saidonce-judge"):
        subprocess.run([uv, "build", "--quiet", "--out-dir", str(OUT), str(package)], check=True)
    (sdist,), (wheel,) = (sorted(OUT.glob(f"saidonce-{version()}{end}")) for end in (".tar.gz", "-*.whl"))
    with tarfile.open(sdist) as archive:
        check_names(archive.getnames(), "sdist")
    with zipfile.ZipFile(wheel) as packed:
        check_names(packed.namelist(), "wheel")
    return sdist, wheel


def steps(page: str) -> list[list[str]]:
    """Return the commands of a page's marked blocks, in order; consoles by bash, Python by Python."""
    commands = []
    for kind, body in _MARKED.findall(page):
        if kind == "python":
            commands.append(["python", "-c", body])
        else:
            lines = [line[2:] for line in body.splitlines() if line.startswith("$ ")]
            commands.append(["bash", "-ec", "\n".join(lines)])
    return commands


def installed_mb(environment: Path) -> tuple[float, float]:
    """Return the size of what an environment's packages hold, and of that the compiled modules; in megabytes.

    pip and setuptools, which came with the environment, do not count.
    """
    total = compiled = 0
    for site in environment.glob("lib/python*/site-packages"):
        for file in site.rglob("*"):
            top = file.relative_to(site).parts[0]
            if file.is_file() and not file.is_symlink() and not top.startswith(("pip", "setuptools", "_distutils")):
                total += file.stat().st_size
                compiled += file.stat().st_size if file.suffix == ".pyc" else 0
    return total / 1e6, compiled / 1e6


def python_for(account: str) -> Path | None:
    """Return a Python that an account may run and make environments with; None without any."""
    for python in (Path(sys.base_prefix) / "bin" / "python3", Path("/usr/bin/python3"), Path("/usr/local/bin/python3")):
        command = [str(python), "-c", "import ensurepip, sys; sys.exit(sys.version_info < (3, 11))"]
        try:
            done = subprocess.run(command, check=False, capture_output=True, **as_account(account))
        except OSError:
            continue
        if not done.returncode:
            return python
    return None


def as_account(account: str) -> dict[str, Any]:
    """Return what `subprocess` takes to run as an account; nothing for whoever runs this."""
    return {"user": account, "group": "nogroup", "extra_groups": (), "cwd": "/"} if account else {}


def prepared(folder: Path) -> Place:
    """Make an empty environment, home and folder to work in."""
    account = ACCOUNT if os.getuid() == 0 else ""
    python = python_for(account)
    if python is None and account:
        print(f"no Python here that {account} may run: tried as root", flush=True)
        account, python = "", python_for("")
    if python is None:
        raise NotReadyError("no Python here can make environments: install its venv module")
    for name in ("home", "work", "tmp"):
        (folder / name).mkdir()
    folder.chmod(0o755)
    if account:
        for each in (folder, *folder.iterdir()):
            shutil.chown(each, account, "nogroup")
    place = Place(folder, account)
    place.run([python, "-m", "venv", folder / "env"])
    return place


def tried(wheel: Path, page: str) -> list[str]:
    """Install a wheel, do what the page says, and return what was measured, a line each."""
    lines = []
    # Beside the system's temporary files: the account must be able to reach it.
    with tempfile.TemporaryDirectory(prefix="saidonce-release-") as folder:
        place = prepared(Path(folder))
        copied = Path(shutil.copy(wheel, place.folder / wheel.name))
        copied.chmod(0o644)
        began = time.monotonic()
        place.run([place.bin / "pip", "install", "--quiet", copied])
        total, compiled = installed_mb(place.folder / "env")
        lines.append(
            f"installed in {time.monotonic() - began:.0f} s: {total - compiled:.0f} MB of packages,"
            f" {compiled:.0f} MB of modules compiled by pip"
        )
        if total - compiled > MAX_CORE_MB:
            raise NotReadyError(f"the core takes {total - compiled:.0f} MB, more than {MAX_CORE_MB}")
        began = time.monotonic()
        commands = steps(page)
        if not commands:
            raise NotReadyError("the quickstart has no block marked 'release-check: run'")
        for command in commands:
            place.run(command)
        lines.append(f"quickstart, {len(commands)} blocks, in {time.monotonic() - began:.0f} s")
        lines += _without_extras(place)
    return lines


def _without_extras(place: Place) -> list[str]:
    """Check that what is not installed is named with what adds it, and stands in no list of commands."""
    shown = place.run([place.bin / "saidonce", "--help"])
    if re.search(r"^  (?:chat|homes|mcp) ", shown, re.M):
        raise NotReadyError("the help lists commands of extras that are not installed")
    try:
        place.run([place.bin / "saidonce", "homes", "list"])
    except NotReadyError as refused:
        if "pip install 'saidonce[repairs]'" not in str(refused):
            raise
        return ["commands of missing extras: in no list, and named with what adds them"]
    raise NotReadyError("'saidonce homes list' works without the extra repairs")


def main(words: Sequence[str] | None = None) -> int:
    """Build, install, try, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m supply_chain.release", description=__doc__)
    parser.add_argument("--uv", default=shutil.which("uv") or str(ROOT / ".uv" / "bin" / "uv"), help="the program uv")
    parser.add_argument("--tag", default="", help="tag of the release, such as v0.2.0; its changelog must be dated")
    parser.add_argument("--build-only", action="store_true", help="build and look at the archives")
    options = parser.parse_args(words)
    try:
        check_changelog((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), version(), options.tag)
        sdist, wheel = build(options.uv)
        print(f"built {sdist.name} ({sdist.stat().st_size / 1e6:.1f} MB) and {wheel.name}", flush=True)
        for line in [] if options.build_only else tried(wheel, QUICKSTART.read_text(encoding="utf-8")):
            print(line)
    except (NotReadyError, subprocess.SubprocessError) as wrong:
        print(f"not ready: {wrong}", file=sys.stderr)
        return 1
    print(f"saidonce {version()} is ready")
    return 0


if __name__ == "__main__":
    sys.exit(main())
