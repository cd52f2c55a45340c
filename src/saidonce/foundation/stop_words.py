"""Words that say little, as data: one table, with a list for each question that is asked of them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType


@cache
def stop_words() -> Mapping[str, frozenset[str]]:
    """Return the stop-word lists by name, as described in `stop_words.toml`."""
    table = tomllib.loads((files("saidonce.foundation") / "data" / "stop_words.toml").read_text("utf-8"))
    return MappingProxyType({name: frozenset(part["words"].split()) for name, part in table.items()})
