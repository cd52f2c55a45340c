"""Write docs/reference/settings.md, commands.md and metrics.md from the program itself; --check compares."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from saidonce.app import metrics
from saidonce.foundation.settings.policy import Settings
from saidonce.interfaces.cli import walk

FOLDER = Path(__file__).parent / "reference"


def settings_page() -> str:
    """Every setting: name, default, unit, what it does, where the default comes from."""
    lines = [
        "# Settings",
        "",
        "`SAIDONCE_<NAME>` in the environment, or `<name>` in `saidonce.toml` in the working directory (or `--config",
        "FILE`). An option given on the command line wins over the environment, the environment over the file.",
        "Malformed values and unknown keys are refused at start. `saidonce settings` shows the values now.",
        "",
        "| setting | default | unit | what it does | source |",
        "|---|---|---|---|---|",
    ]
    for name, info in Settings.model_fields.items():
        extra = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
        default = json.dumps(info.default, default=str)
        lines.append(
            f"| `{name}` | `{default}` | {extra.get('unit', '')} | {info.description} | {extra.get('source', '')} |"
        )
    return "\n".join(lines) + "\n"


def commands_page() -> str:
    """Every command with its help, arguments and options."""
    codes = (
        "Exit codes: 0 done, 1 failed, 2 wrong use, 3 some sources were refused, 4 blocked by a gate, 130 interrupted."
    )
    lines = ["# Commands", "", codes, ""]
    for path, command in walk():
        if command.hidden:
            continue
        lines += [f"## {path}", "", (command.help or "").strip(), ""]
        for parameter in command.params:
            kind = parameter.param_type_name
            shown = ", ".join(f"`{o}`" for o in [*parameter.opts, *parameter.secondary_opts])
            lines.append(f"- {kind} {shown}: {getattr(parameter, 'help', '') or ''}")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


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
