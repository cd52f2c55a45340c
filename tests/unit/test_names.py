"""One word for one thing: the name of a class means one thing in the whole package."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import saidonce

SOURCES = Path(saidonce.__file__).parent
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Function:
    """A function or method: its file, its name, its arguments and locals, and the first word of its docstring."""

    file: Path
    name: str
    names: frozenset[str]
    begins: str
    is_property: bool


@cache
def package() -> tuple[dict[str, list[str]], tuple[Function, ...]]:
    """Files by the classes that they define, and all functions: the package is parsed once, a file at a time."""
    places: dict[str, list[str]] = defaultdict(list)
    functions = []
    for file in sorted(SOURCES.rglob("*.py")):
        inside = file.relative_to(SOURCES)
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(str(inside))
            elif isinstance(node, FUNCTIONS):
                begins = (ast.get_docstring(node) or "").split(" ")[0]
                functions.append(Function(inside, node.name, locals_of(node), begins, is_property(node)))
    return dict(places), tuple(functions)


def locals_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
    """Arguments, and names that are set."""
    return frozenset(
        node.arg if isinstance(node, ast.arg) else node.id
        for node in ast.walk(function)
        if isinstance(node, ast.arg) or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    )


def is_property(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a method is read like an attribute."""
    return any(ast.unparse(each).endswith("property") for each in function.decorator_list)


def test_a_class_name_means_one_thing() -> None:
    assert {name: files for name, files in package()[0].items() if len(files) > 1} == {}


ACTS = {"told", "said", "given", "made", "found", "wanted"}
"""Words for an act; a local names the thing: rows, replies, settings."""


def test_locals_and_arguments_name_things() -> None:
    places = {f"{f.file}: {name}" for f in package()[1] if f.name != "__init__" for name in f.names & ACTS}
    assert sorted(places) == []


NEWS = re.compile(r"(^|_)(told|said|given)(_|$)")
KEPT = {"said_again"}
"""A command that users know by this name."""


def test_modules_and_functions_name_what_is_meant() -> None:
    modules = [str(file.relative_to(SOURCES)) for file in SOURCES.rglob("*.py") if NEWS.search(file.stem)]
    named = [f"{f.file}: {f.name}" for f in package()[1] if not f.is_property and NEWS.search(f.name)]
    assert [*modules, *(name for name in named if name.rpartition(" ")[2] not in KEPT)] == []


NO_VERBS = set("a an behind for how it per the two what where whether who whose".split())


def test_docstrings_of_functions_begin_with_a_verb() -> None:
    """Ruff's D401 knows the endings of verbs; these words it takes for verbs."""
    begin = [f for f in package()[1] if not f.is_property and f.begins.lower() in NO_VERBS]
    assert [f"{f.file}: {f.name}" for f in begin] == []
