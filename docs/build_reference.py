"""Write docs/reference/settings.md, commands.md and metrics.md from the program itself; --check compares."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer.main

from saidonce.app import metrics
from saidonce.foundation.settings.policy import Settings
from saidonce.interfaces.cli import app

FOLDER = Path(__file__).parent / "reference"


def settings_page() -> str:
    """Every setting: name, default, unit, what it does, where the default comes from."""
    lines = [
        "# Settings",
        "",
        "`SAIDONCE_<NAME>` in the environment, or `<name>` in `saidonce.toml` in the working directory (or `--config",
        "FILE`). An option given on the command line wins over the environment, the environment over the file.",
        "Malformed values and unknown keys are refused at start. `saidonce settings` shows the values now.",
        "*Specification* means that the default is a requirement of the product, not one that was measured.",
        "",
        "| setting | default | unit | what it does | source |",
        "|---|---|---|---|---|",
    ]
    for name, info in Settings.model_fields.items():
        extra = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
        default = json.dumps(info.default, default=str)
        lines.append(f"| `{name}` | `{default}` | {extra.get('unit', '')} | {info.description} | {_source(extra)} |")
    return "\n".join(lines) + "\n"


def _source(extra: dict[str, Any]) -> str:
    """Return where a default comes from, in words for readers: they do not have the requirement documents."""
    source = str(extra.get("source", ""))
    return "specification" if source.startswith("seed") else source


def commands_page() -> str:
    """Every command with its help, arguments and options."""
    group = typer.main.get_command(app)
    codes = (
        "Exit codes: 0 done, 1 failed, 2 wrong use, 3 some sources were refused, 4 blocked by a gate, 130 interrupted."
    )
    lines = ["# Commands", "", codes, ""]
    for path, command in _walk(group, "saidonce"):
        lines += [f"## {path}", "", (command.help or "").strip(), ""]
        for parameter in command.params:
            kind = parameter.param_type_name
            shown = ", ".join(f"`{o}`" for o in [*parameter.opts, *parameter.secondary_opts])
            lines.append(f"- {kind} {shown}: {getattr(parameter, 'help', '') or ''}")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _walk(command: Any, path: str) -> Iterator[tuple[str, Any]]:
    yield path, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from _walk(inner, f"{path} {name}")


def metrics_page() -> str:
    """Every Prometheus series of the library."""
    lines = [
        "# Metrics",
        "",
        "Prometheus series in the default registry of the process that uses the library (setting `metrics_enabled`).",
        "",
        "| series | kind | labels | what it counts |",
        "|---|---|---|---|",
    ]
    for one in metrics.SERIES:
        (told,) = one.describe()
        labels = ", ".join(one._labelnames)
        lines.append(f"| `{told.name}` | {told.type} | {labels} | {told.documentation} |")
    return "\n".join(lines) + "\n"


PAGES = {"settings.md": settings_page, "commands.md": commands_page, "metrics.md": metrics_page}


def main() -> int:
    """Write the pages, or with --check say which are out of date."""
    stale = []
    for name, page in PAGES.items():
        path = FOLDER / name
        if "--check" in sys.argv:
            if not path.is_file() or path.read_text(encoding="utf-8") != page():
                stale.append(name)
        else:
            path.write_text(page(), encoding="utf-8")
    if stale:
        sys.stderr.write(f"out of date: {', '.join(stale)}; run 'make reference'\n")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
