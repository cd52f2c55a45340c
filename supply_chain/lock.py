"""The lock file as the packages that it names, and which of them the program itself needs."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROGRAM = "saidonce"


@dataclass(frozen=True)
class LockedPackage:
    """One package at one version."""

    name: str
    version: str


def normal(name: str) -> str:
    """Return a package's name as indexes compare it. Source: PEP 503."""
    return re.sub(r"[-_.]+", "-", name).lower()


def locked(file: Path) -> tuple[LockedPackage, ...]:
    """Return the packages of a lock that come from an index, by name; several versions stay several."""
    packages = tomllib.loads(file.read_text(encoding="utf-8"))["package"]
    found = (LockedPackage(normal(p["name"]), p["version"]) for p in packages if "registry" in p["source"])
    return tuple(sorted(found, key=lambda p: (p.name, p.version)))


def needed(file: Path) -> frozenset[str]:
    """Return the names that the program needs, its extras with it; what only its developers need is left out."""
    packages: dict[str, list[dict[str, Any]]] = {}
    for package in tomllib.loads(file.read_text(encoding="utf-8"))["package"]:
        packages.setdefault(normal(package["name"]), []).append(package)
    waits, reached = [PROGRAM], set[str]()
    while waits:
        name = waits.pop()
        if name in reached:
            continue
        reached.add(name)
        for package in packages.get(name, ()):
            extras = package.get("optional-dependencies", {}).values()
            waits += [normal(d["name"]) for group in (package.get("dependencies", ()), *extras) for d in group]
    return frozenset(reached)
