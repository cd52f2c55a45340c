"""The shapes of the gate's and dedupe's JSON in the reference are those that the commands print."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from saidonce.foundation.model import Override, Ruling
from saidonce.interfaces.cli import app

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "json.md"


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What each command prints."""
    folder = tmp_path_factory.mktemp("shapes")
    file = folder / "tasks.jsonl"
    texts = ("Count the shirts in the shop.", "Count the shirts in the shop.", "Count 3 shirts in the shop.")
    file.write_text("".join(json.dumps({"id": str(n), "text": t}) + "\n" for n, t in enumerate(texts)))

    def run(*given: str) -> str:
        done = CliRunner().invoke(app, ["--data-dir", str(folder / "base"), *given, "--json"], catch_exceptions=False)
        assert done.exit_code in {0, 4}, done.output
        return done.stdout

    checked = [json.loads(line) for line in run("gate", "check", str(file)).splitlines()]
    return {
        "verdict": checked[1],
        "gate verdict": json.loads(run("gate", "verdict", checked[1]["id"])),
        "gate stats": json.loads(run("gate", "stats")),
        "dedupe": json.loads(run("dedupe", str(file))),
    }


def names_of(shape: Any) -> set[str]:
    """All names in what was printed, but those that are data themselves."""
    if isinstance(shape, list):
        return set().union(*map(names_of, shape)) if shape else set()
    if not isinstance(shape, dict):
        return set()
    open_ended = {
        "reasons",
        "cleared_for",
        "bands",
        "failures",
        "overrides",
        "near_by_similarity",
        "held_apart_by_fact",
        "objections",
    }
    return set(shape).union(*(names_of(inner) for name, inner in shape.items() if name not in open_ended))


@pytest.mark.parametrize("shape", ["verdict", "gate verdict", "gate stats", "dedupe"])
def test_every_name_that_is_printed_stands_in_the_reference(shape: str, printed: dict[str, Any]) -> None:
    paragraphs = PAGE.read_text(encoding="utf-8").split("\n\n")
    told = next(p for p in paragraphs if p.startswith(f"**{shape}**"))
    if "verdict + " in told:
        told += next(p for p in paragraphs if p.startswith("**verdict**"))
    assert names_of(printed[shape]) - set(re.findall(r"\w+", told)) == set()


@pytest.mark.parametrize("noun", [Ruling, Override])
def test_what_no_verdict_here_has_stands_in_the_reference(noun: Any) -> None:
    told = next(p for p in PAGE.read_text(encoding="utf-8").split("\n\n") if p.startswith("**verdict**"))
    listed = re.search(noun.__name__.lower() + r" \{([^}]*)\}", " ".join(told.split()))
    assert listed is not None
    assert listed[1].split(", ") == [field.name for field in fields(noun)]


@pytest.mark.parametrize("shape", ["verdict", "gate verdict", "gate stats", "dedupe"])
def test_no_name_in_the_reference_is_made_up(shape: str, printed: dict[str, Any]) -> None:
    told = next(p for p in PAGE.read_text(encoding="utf-8").split("\n\n") if p.startswith(f"**{shape}**"))
    listed = re.sub(r"^\*\*.*?\*\*[^:]*: |\([^)]*\)|\{[^{}]*\}|\[[^\[\]]*\]", " ", told.partition(". A line of")[0])
    while listed != (shorter := re.sub(r"\{[^{}]*\}|\[[^\[\]]*\]", " ", listed)):
        listed = shorter
    assert set(re.findall(r"\w+", listed)) - {"or", "null", "verdict"} - set(printed[shape]) == set()
