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


ACTS = {"told", "said", "given", "made", "found", "wanted"}
"""Words for an act; a local names the thing: rows, replies, settings."""


def test_locals_and_arguments_name_things() -> None:
    places = []
    for file in sorted(SOURCES.rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        functions = (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))
        names = {
            node.arg if isinstance(node, ast.arg) else node.id
            for function in functions
            if function.name != "__init__"
            for node in ast.walk(function)
            if isinstance(node, ast.arg) or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
        }
        places += [f"{file.relative_to(SOURCES)}: {name}" for name in sorted(names & ACTS)]
    assert places == []
