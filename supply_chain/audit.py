"""Look for known flaws in the locked dependencies: `python -m supply_chain.audit`.

The advisories come from PyPI and OSV by pip-audit, or from a file that was fetched elsewhere. Exit codes: 0 nothing is
known, 1 a flaw is known, 2 no source of advisories could be reached, so that nothing at all was looked at.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from packaging.version import InvalidVersion, Version

from supply_chain.lock import LockedPackage, locked, normal

HERE = Path(__file__).parent
CLEAN, FLAWED, UNREACHED = 0, 1, 2
SERVICES = ("pypi", "osv")

RunAudit = Callable[[Path, str], subprocess.CompletedProcess[str]]


@dataclass(frozen=True)
class KnownFlaw:
    """An advisory about a package at the version that is locked."""

    package: LockedPackage
    id: str
    aliases: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Acceptance:
    """An advisory that does not reach the program, and until when that is believed."""

    id: str
    reason: str
    until: date


@dataclass(frozen=True)
class Looked:
    """What a source of advisories said: how many packages it knew of, and the flaws."""

    source: str
    n_packages: int
    flaws: tuple[KnownFlaw, ...]


def main(words: Sequence[str] | None = None, run: RunAudit | None = None, today: date | None = None) -> int:
    """Print what is known, and return the exit code."""
    options = _options(words)
    packages = locked(options.lock)
    looked = list(_asked(packages, options.advisories, run or _pip_audit(options.pip_audit), options.timeout))
    seen = [each for each in looked if each.n_packages]
    if not seen:
        print(
            f"NOT CHECKED: no source of advisories could be reached for the {len(packages)} locked packages"
            f" (asked: {', '.join(each.source for each in looked)}). Run this where PyPI or OSV can be reached, or give"
            " a file of OSV records with --advisories",
            file=sys.stderr,
        )
        return UNREACHED
    accepted = _accepted(options.accepted, today or datetime.now(UTC).date())
    known = _merged(flaw for each in seen for flaw in each.flaws)
    flaws = [f for f in known if not {f.id, *f.aliases} & accepted.keys()]
    for flaw in flaws:
        names, fixed = " ".join((flaw.id, *flaw.aliases)), " or ".join(flaw.fixed) or "no version"
        print(f"{flaw.package.name} {flaw.package.version}: {names}; fixed in {fixed}")
    n_most = max(each.n_packages for each in seen)
    sources = ", ".join(f"{each.source} ({each.n_packages})" for each in seen)
    print(f"{len(packages)} packages locked, {n_most} looked up ({sources}): {len(flaws)} known flaws, "
          f"{len(known) - len(flaws)} accepted")  # fmt: skip
    return FLAWED if flaws else CLEAN


def _asked(
    packages: Sequence[LockedPackage], advisories: Path | None, run: RunAudit, timeout_s: int
) -> Iterator[Looked]:
    if advisories is not None:
        yield from_records(packages, read_records(advisories), str(advisories))
        return
    with tempfile.TemporaryDirectory() as folder:
        for n, batch in enumerate(_one_version_each(packages)):
            file = Path(folder) / f"{n}.txt"
            file.write_text("".join(f"{p.name}=={p.version}\n" for p in batch), encoding="utf-8")
            for service in SERVICES:
                yield _by_service(file, service, run, timeout_s)


def _one_version_each(packages: Sequence[LockedPackage]) -> list[list[LockedPackage]]:
    """Split packages so that no name stands in a part twice; a lock has several versions for several systems."""
    parts: list[list[LockedPackage]] = []
    for package in packages:
        part = next((p for p in parts if package.name not in {each.name for each in p}), None)
        if part is None:
            parts.append(part := [])
        part.append(package)
    return parts


def _by_service(file: Path, service: str, run: RunAudit, timeout_s: int) -> Looked:
    """Ask one service. A package without an answer is not counted: pip-audit calls those clean too."""
    try:
        done = run(file, service)
        found = json.loads(done.stdout)["dependencies"] if done.returncode in (0, 1) else []
    except subprocess.TimeoutExpired:
        print(f"{service}: no answer within {timeout_s} s", file=sys.stderr)
        found = []
    except (json.JSONDecodeError, KeyError):
        found = []
    answered = [each for each in found if "skip_reason" not in each]
    flaws = tuple(
        KnownFlaw(
            LockedPackage(normal(each["name"]), each["version"]), vuln["id"], tuple(vuln.get("aliases", ())),
            tuple(vuln.get("fix_versions", ())),
        )
        for each in answered
        for vuln in each["vulns"]
    )  # fmt: skip
    return Looked(service, len(answered), flaws)


def read_records(file: Path) -> list[dict[str, Any]]:
    """Read OSV records: one, a list of them, or a ZIP with one in each file.

    Raises:
        ValueError: it is none of these.
    """
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as packed:
            return [json.loads(packed.read(name)) for name in packed.namelist() if name.endswith(".json")]
    read = json.loads(file.read_text(encoding="utf-8"))
    records = read if isinstance(read, list) else [read]
    if not records or not all(isinstance(each, dict) and "id" in each and "affected" in each for each in records):
        raise ValueError(f"{file} holds no OSV records")
    return records


def from_records(packages: Sequence[LockedPackage], records: Iterable[dict[str, Any]], source: str) -> Looked:
    """Compare packages with OSV records; withdrawn ones say nothing."""
    flaws = []
    by_name: dict[str, list[LockedPackage]] = {}
    for package in packages:
        by_name.setdefault(package.name, []).append(package)
    n_records = 0
    for record in records:
        n_records += 1
        for affected in () if record.get("withdrawn") else record["affected"]:
            of = affected.get("package", {})
            if of.get("ecosystem") == "PyPI":
                hit = [p for p in by_name.get(normal(of["name"]), ()) if _is_affected(p.version, affected)]
                flaws += [KnownFlaw(p, record["id"], tuple(record.get("aliases", ())), _fixes(affected)) for p in hit]
    return Looked(source, len(packages) if n_records else 0, tuple(flaws))


def _is_affected(version: str, affected: dict[str, Any]) -> bool:
    """Return whether a version is listed or lies in a range; what cannot be read is taken for affected."""
    if version in affected.get("versions", ()):
        return True
    try:
        return any(
            _is_within(Version(version), each["events"])
            for each in affected.get("ranges", ())
            if each["type"] == "ECOSYSTEM"
        )
    except InvalidVersion:
        return True


def _is_within(version: Version, events: Sequence[dict[str, str]]) -> bool:
    """Walk a range's events in order of their versions. Source: the OSV schema, evaluation."""
    is_in = False
    for event in sorted(events, key=lambda e: Version(next(iter(e.values())))):
        (kind, at), *_ = event.items()
        if kind == "introduced" and version >= Version(at):
            is_in = True
        elif (kind == "fixed" and version >= Version(at)) or (kind == "last_affected" and version > Version(at)):
            is_in = False
    return is_in


def _fixes(affected: dict[str, Any]) -> tuple[str, ...]:
    return tuple(e["fixed"] for r in affected.get("ranges", ()) if r["type"] == "ECOSYSTEM" for e in r["events"]
                 if "fixed" in e)  # fmt: skip


def _merged(flaws: Iterable[KnownFlaw]) -> list[KnownFlaw]:
    """Leave one of flaws that two sources know under names of each other."""
    kept: list[KnownFlaw] = []
    for flaw in sorted(flaws, key=lambda f: (f.package.name, f.package.version, f.id)):
        names = {flaw.id, *flaw.aliases}
        if not any(flaw.package == k.package and names & {k.id, *k.aliases} for k in kept):
            kept.append(flaw)
    return kept


def _accepted(file: Path, today: date) -> dict[str, Acceptance]:
    """Read what is accepted and is so still, by advisory."""
    rows = tomllib.loads(file.read_text(encoding="utf-8")).get("accepted", [])
    everything = [Acceptance(row["id"], row["reason"], row["until"]) for row in rows]
    for each in everything:
        if each.until < today:
            print(f"{each.id}: was accepted until {each.until} ({each.reason}); look at it again", file=sys.stderr)
    return {each.id: each for each in everything if each.until >= today}


def _pip_audit(program: str) -> RunAudit:
    def run(file: Path, service: str) -> subprocess.CompletedProcess[str]:
        words = [
            program,
            "-r",
            str(file),
            "--no-deps",
            "--disable-pip",
            "--format",
            "json",
            "--progress-spinner",
            "off",
        ]
        return subprocess.run(
            [*words, "--vulnerability-service", service, "--timeout", "15"],
            capture_output=True, text=True, check=False, timeout=600,
        )  # fmt: skip

    return run


def _options(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m supply_chain.audit", description=__doc__)
    parser.add_argument("--lock", type=Path, default=HERE.parent / "uv.lock", help="lock file of uv")
    parser.add_argument("--advisories", type=Path, help="OSV records as JSON or ZIP, instead of asking a service")
    parser.add_argument("--accepted", type=Path, default=HERE / "accepted.toml", help="advisories that are accepted")
    parser.add_argument("--pip-audit", default="pip-audit", help="the program pip-audit")
    parser.add_argument("--timeout", type=int, default=600, help="seconds for one service")
    return parser.parse_args(words)


if __name__ == "__main__":
    sys.exit(main())
