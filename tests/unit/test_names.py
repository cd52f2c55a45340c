"""One word for one thing: the name of a class means one thing in the whole package."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
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


def functions() -> Iterator[tuple[Path, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Functions and methods with their files, without properties, which are nouns."""
    for file in sorted(SOURCES.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not is_property(node):
                yield file, node


def is_property(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a method is read like an attribute."""
    return any(ast.unparse(each).endswith("property") for each in function.decorator_list)


NEWS = re.compile(r"(^|_)(told|said|given)(_|$)")
KEPT = {"said_again"}
"""A command that users know by this name."""


def test_modules_and_functions_name_what_is_meant() -> None:
    modules = [str(file.relative_to(SOURCES)) for file in SOURCES.rglob("*.py") if NEWS.search(file.stem)]
    named = [f"{file.relative_to(SOURCES)}: {f.name}" for file, f in functions() if NEWS.search(f.name)]
    assert [*modules, *(name for name in named if name.rpartition(" ")[2] not in KEPT)] == []


NO_VERBS = set("a an behind for how it per the two what where whether who whose".split())


def test_docstrings_of_functions_begin_with_a_verb() -> None:
    """Ruff's D401 knows the endings of verbs; these words it takes for verbs."""
    begin = [(file, f, (ast.get_docstring(f) or "").split(" ")[0]) for file, f in functions()]
    assert [f"{file.name}: {f.name}" for file, f, word in begin if word.lower() in NO_VERBS] == []
