"""Write the bill of materials and the list of licences: `python -m supply_chain.bill --out FOLDER`.

The bill (CycloneDX 1.6, JSON) names what the program needs, its extras with it, as it is installed here from the lock;
what only developers need is left out. Exit code 1: something that the program needs and is installed tells no licence,
and supply_chain/licenses.toml does not either.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from supply_chain.lock import locked, needed, normal

HERE = Path(__file__).parent
ROOT = HERE.parent


def main(words: Sequence[str] | None = None) -> int:
    """Write both files, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m supply_chain.bill", description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / ".supply", help="folder for sbom.cdx.json and licenses.csv")
    parser.add_argument("--python", type=Path, default=ROOT / ".venv" / "bin" / "python", help="the environment")
    parser.add_argument("--cyclonedx", default="cyclonedx-py", help="the program cyclonedx-py")
    parser.add_argument("--lock", type=Path, default=ROOT / "uv.lock", help="lock file of uv")
    options = parser.parse_args(words)
    done = subprocess.run(
        [options.cyclonedx, "environment", "--pyproject", ROOT / "pyproject.toml", "--mc-type", "application",
         "--spec-version", "1.6", "--output-reproducible", "--of", "JSON", options.python],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        print(done.stderr.strip(), file=sys.stderr)
        return 1
    bill = without_developers(json.loads(done.stdout), needed(options.lock))
    known = tomllib.loads((HERE / "licenses.toml").read_text(encoding="utf-8"))
    rows = licenses(bill, known)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "sbom.cdx.json").write_text(json.dumps(bill, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    with (options.out / "licenses.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("name", "version", "license"), *rows])
    present = {normal(name) for name, _, _ in rows}
    absent = sorted({p.name for p in locked(options.lock)} & needed(options.lock) - present)
    print(f"{len(rows)} components in {options.out / 'sbom.cdx.json'}, their licences in licenses.csv")
    if absent:
        print(f"not installed here, so not in the bill (extras, other systems): {', '.join(absent)}")
    silent = [name for name, _, license_ in rows if not license_]
    if silent:
        print(f"no licence is told: {', '.join(silent)}; look it up and add it to supply_chain/licenses.toml")
    return 1 if silent else 0


def without_developers(bill: dict[str, Any], names: frozenset[str]) -> dict[str, Any]:
    """Return a bill with the named components alone, and the dependencies between them."""
    kept = [c for c in bill["components"] if normal(c["name"]) in names]
    refs = {c["bom-ref"] for c in kept} | {bill["metadata"]["component"]["bom-ref"]}
    among = [
        {**d, "dependsOn": [r for r in d.get("dependsOn", ()) if r in refs]}
        for d in bill["dependencies"]
        if d["ref"] in refs
    ]
    return {**bill, "components": kept, "dependencies": among}


def licenses(bill: dict[str, Any], known: dict[str, str]) -> list[tuple[str, str, str]]:
    """Return name, version and licence of each component, by name; empty if neither it nor the list tells."""
    return sorted(
        ((c["name"], c["version"], _license(c) or known.get(normal(c["name"]), "")) for c in bill["components"]),
        key=lambda row: row[0].lower(),
    )


def _license(component: dict[str, Any]) -> str:
    told = [
        each.get("expression") or each["license"].get("id") or each["license"].get("name", "")
        for each in component.get("licenses", ())
    ]
    # A text in place of a name begins with the name.
    return " AND ".join(dict.fromkeys(name.strip().splitlines()[0] for name in told if name.strip()))


if __name__ == "__main__":
    sys.exit(main())
