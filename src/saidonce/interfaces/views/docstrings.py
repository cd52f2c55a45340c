"""Docstrings as descriptions in JSON schemas: what stands under Attributes goes to the fields that it is about."""

from __future__ import annotations

import re
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
