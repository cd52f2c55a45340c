"""Measure what each extra takes on disk, as docs/how-to/install.md says: `python -m supply_chain.sizes [EXTRA ...]`.

The core goes into an empty environment, then the core with each extra into one of its own, removed when it is
measured; an extra takes what its environment holds more. Modules that pip compiles do not count. `cuda` is gigabytes:
it is computed from the wheels instead, unless it is named. With `--check` the page's table is compared: exit code 1
where a row is off by more than a fifth and 3 MB.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from saidonce.foundation.extras import EXTRAS
from supply_chain.release import ROOT, installed_mb

PAGE = ROOT / "docs" / "how-to" / "install.md"
CORE = "(none)"
LARGE = ("cuda", "sentence-transformers")
"""Measured only when they are named: PyTorch with what it brings for a GPU is gigabytes."""

OFF_BY_SHARE, OFF_BY_MB = 0.2, 3.0

_ROW = re.compile(r"^\| (?:\*\(none\)\*|`([\w-]+)`) \|[^|]*\| (?:about )?([\d,]+) MB \|$", re.M)


def stated(page: str) -> dict[str, int]:
    """Return the sizes of the page's table, in megabytes by the extra's name."""
    return {name or CORE: int(size.replace(",", "")) for name, size in _ROW.findall(page)}


def measured(uv: str, requirement: str) -> float:
    """Install a requirement into an environment of its own, and return what its packages take, in megabytes.

    Raises:
        subprocess.CalledProcessError: it cannot be installed.
    """
    with tempfile.TemporaryDirectory(prefix="saidonce-sizes-") as folder:
        environment = Path(folder) / "env"
        subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, str(environment)], check=True)
        python = str(environment / "bin" / "python")
        local = ["--find-links", str(ROOT / "dist")]
        subprocess.run(
            [uv, "pip", "install", "--quiet", "--no-sources", "--python", python, *local, requirement], check=True
        )
        total, compiled = installed_mb(environment)
    return total - compiled


def differing(sizes: Mapping[str, float], page: str) -> list[str]:
    """Return what the page states wrongly, a line each."""
    rows = stated(page)
    return [
        f"{name}: the page says {rows[name]} MB" if name in rows else f"{name}: the page has no row"
        for name, size in sizes.items()
        if name not in rows or abs(rows[name] - size) > max(OFF_BY_MB, OFF_BY_SHARE * size)
    ]


def main(words: Sequence[str] | None = None) -> int:
    """Measure, print a line each, and return the exit code."""
    names = [*EXTRAS, "all"]
    parser = argparse.ArgumentParser(prog="python -m supply_chain.sizes", description=__doc__)
    parser.add_argument("extras", nargs="*", metavar="EXTRA", help=f"of {', '.join(names)}; all but the largest")
    parser.add_argument("--uv", default=shutil.which("uv") or str(ROOT / ".uv" / "bin" / "uv"), help="the program uv")
    parser.add_argument("--check", action="store_true", help="compare with the page's table")
    options = parser.parse_args(words)
    if unknown := [name for name in options.extras if name not in names]:
        parser.error(f"no extra {', '.join(unknown)}; there are {', '.join(names)}")
    core = measured(options.uv, str(ROOT))
    sizes = {CORE: core}
    print(f"{CORE:<24}{core:>6.0f} MB", flush=True)
    for name in options.extras or [name for name in names if name not in LARGE]:
        sizes[name] = measured(options.uv, f"saidonce[{name}] @ {ROOT.as_uri()}") - core
        print(f"{name:<24}{sizes[name]:>6.0f} MB", flush=True)
    off = differing(sizes, PAGE.read_text(encoding="utf-8")) if options.check else []
    for line in off:
        print(line, file=sys.stderr)
    return int(bool(off))


if __name__ == "__main__":
    sys.exit(main())
