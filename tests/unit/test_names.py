"""One word for one thing: the name of a class means one thing in the whole package."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import saidonce

SOURCES = Path(saidonce.__file__).parent


def classes() -> dict[str, list[str]]:
    """Names of classes, and the files that define one of that name."""
    places: dict[str, list[str]] = defaultdict(list)
    for file in sorted(SOURCES.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(str(file.relative_to(SOURCES)))
    return places


def test_a_class_name_means_one_thing() -> None:
    assert {name: files for name, files in classes().items() if len(files) > 1} == {}
