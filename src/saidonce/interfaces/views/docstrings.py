"""Docstrings as descriptions in JSON schemas: what stands under Attributes, or below a field, goes to that field."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from types import ModuleType
from typing import Any

_FIELD = re.compile(r"^ {4}(\w+(?:, \w+)*): (.+\n?(?:^ {8}.+\n?)*)", re.MULTILINE)
_SOURCE = re.compile(r"\s*Source: .*", re.DOTALL)


def spread(definitions: dict[str, dict[str, Any]]) -> None:
    """Move what the docstrings of nouns say of their fields into the fields' descriptions; sources are left out."""
    for definition in definitions.values():
        says, _, attributes = definition.get("description", "").partition("\n\nAttributes:\n")
        if says:
            definition["description"] = _SOURCE.sub("", says)
        for names, meaning in _FIELD.findall(attributes):
            for name in names.split(", "):
                if (field := definition.get("properties", {}).get(name)) is not None:
                    field.setdefault("description", " ".join(meaning.split()))


@cache
def below_fields(module: ModuleType) -> Mapping[str, Mapping[str, str]]:
    """Return the text below each field of each class of a module; none where the source is not there to be read."""
    try:
        tree = ast.parse(inspect.getsource(module))
    except OSError:
        return {}
    return {each.name: dict(_below(each.body)) for each in tree.body if isinstance(each, ast.ClassDef)}


def _below(body: Sequence[ast.stmt]) -> Iterator[tuple[str, str]]:
    for statement, after in pairwise(body):
        match statement, after:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                yield name, inspect.cleandoc(text)
