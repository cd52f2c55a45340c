"""Real packages of plug-ins, installed into a temporary folder: modules, and a dist-info with entry points."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent

from saidonce.documents.parse import formats
from saidonce.repairs.channels import registry

CACHES: tuple[Callable[[], object], ...] = (formats.added.cache_clear, registry.channels.cache_clear)

Install = Callable[..., None]


@contextmanager
def site_packages(folder: Path) -> Iterator[Install]:
    """Put a folder in front of `sys.path`; gives what installs a package there, and forgets all of it at the end."""
    modules: list[str] = []

    def install(name: str, source: str, **points: str) -> None:
        """Install a package of one module; points are `group="name = attribute"`, groups without `saidonce.`."""
        (folder / f"{name}.py").write_text(dedent(source), encoding="utf-8")
        info = folder / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
        written = []
        for group, point in points.items():
            plugin, _, attribute = (part.strip() for part in point.partition("="))
            written += [f"[saidonce.{group}]", f"{plugin} = {name}:{attribute}", ""]
        (info / "entry_points.txt").write_text("\n".join(written), encoding="utf-8")
        modules.append(name)
        for clear in CACHES:
            clear()

    sys.path.insert(0, str(folder))
    try:
        yield install
    finally:
        sys.path.remove(str(folder))
        for name in modules:
            sys.modules.pop(name, None)
        for clear in CACHES:
            clear()
