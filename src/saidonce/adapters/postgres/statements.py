"""The statements of `sql/*.sql` by their names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources


@lru_cache(maxsize=1)
def queries() -> Mapping[str, str]:
    """Return the named queries of `sql/*.sql`, each under a line `-- name: what it does`.

    What several list, such as the columns of a block, stands once in `parts.sql`; `{name}` puts it in its place.
    """
    folder = resources.files("saidonce.adapters.postgres").joinpath("sql")
    files = {file.name: _split_queries(file.read_text(encoding="utf-8")) for file in folder.iterdir()}
    parts = files.pop("parts.sql")
    return {
        name: re.sub(r"\{(\w+)\}", lambda part: parts[part[1]], statement)
        for file in sorted(files)
        for name, statement in files[file].items()
    }


def _split_queries(content: str) -> dict[str, str]:
    statements: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in content.splitlines():
        if line.startswith("-- ") and ":" in line and line[3 : line.index(":")].isidentifier():
            lines = statements.setdefault(line[3 : line.index(":")], [])
        else:
            lines.append(line)
    return {name: "\n".join(lines).strip() for name, lines in statements.items()}
