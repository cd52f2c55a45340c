"""Import paths that the README of version 0.1 showed still work, and say where things went."""

from __future__ import annotations

import subprocess
import sys
import warnings
from importlib import import_module

import pytest

from saidonce._moved import MOVED, new_name

SHOWN = {
    "saidonce.engine": "CANONICAL_GUARDS",
    "saidonce.ladder": "Case",
    "saidonce.model": "Match",
    "saidonce.policy": "CANONICAL",
}


@pytest.mark.parametrize(("module", "name"), SHOWN.items())
def test_an_old_import_warns_and_gives_the_same_object(module: str, name: str) -> None:
    program = (
        "import warnings\n"
        "with warnings.catch_warnings(record=True) as seen:\n"
        "    warnings.simplefilter('always')\n"
        f"    from {module} import {name} as old\n"
        f"from {new_name(module)} import {name} as new\n"
        "assert old is new\n"
        "print([str(w.message) for w in seen if w.category is DeprecationWarning][0], w_file := seen[0].filename)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{module} has moved to {new_name(module)}")
    assert done.stdout.rstrip().endswith("<string>")  # the warning points at the caller's line


def test_a_module_below_an_old_name_is_the_one_below_the_new_name() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        old = import_module("saidonce.embed.hashed")
    assert old is import_module("saidonce.adapters.embed.hashed")


def test_every_old_name_leads_somewhere() -> None:
    for old in MOVED:
        import_module(new_name(f"saidonce.{old}"))


def test_a_name_that_never_was_is_still_missing() -> None:
    with pytest.raises(ModuleNotFoundError):
        import_module("saidonce.nothing_of_the_kind")
