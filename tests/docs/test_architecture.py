"""The page of the architecture, its picture and the glossary say what the package is."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src" / "saidonce"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
WAYS = {
    section.partition("\n")[0]: re.findall(r"`([a-z_]+(?:\.[a-z_0-9]+)+)`", section)
    for section in re.split(r"^## The way of an? ", PAGE, flags=re.M)[1:]
}


def packages() -> set[str]:
    return {file.parent.name for file in SOURCES.glob("*/__init__.py")}


def test_pages_are_made_from_the_package() -> None:
    command = [sys.executable, str(ROOT / "docs" / "build_pages.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr


def test_the_districts_of_the_page_are_the_packages() -> None:
    table = PAGE.partition("<!-- districts -->")[2].partition("<!-- /districts -->")[0]
    assert set(re.findall(r"^\| `(\w+)`", table, re.M)) == packages()


def test_the_picture_shows_every_district_once() -> None:
    picture = (ROOT / "docs" / "architecture.svg").read_text(encoding="utf-8")
    assert sorted(re.findall(r'class="name"[^>]*>(\w+)<', picture)) == sorted(packages())


def test_the_ways_are_those_of_what_is_handled() -> None:
    assert list(WAYS) == ["document", "query", "candidate", "message", "corpus row"]


@pytest.mark.parametrize(("way", "module"), [(way, module) for way, modules in WAYS.items() for module in modules])
def test_a_way_names_modules_that_are_there(way: str, module: str) -> None:
    assert find_spec(f"saidonce.{module}") is not None, f"the way of a {way} leads through saidonce.{module}"
