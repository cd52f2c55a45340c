"""Migrations of a release are never edited: databases out there have applied these very bytes."""

from __future__ import annotations

import hashlib
from importlib import resources
from pathlib import Path

from saidonce.adapters.postgres.migrate import Phase, migrations

LIST = Path(__file__).with_name("released_migrations.sha256")
FOLDER = Path(str(resources.files("saidonce.adapters.postgres"))) / "migrations"
WHAT_TO_DO = (
    "A database that applied the former text refuses this program (`migration N was altered`). Put the file back, and"
    " write what is to change as a new migration with the next number"
)


def released() -> dict[str, str]:
    """Hash of each released migration by the name of its file; `sha256sum -c` reads the list too."""
    pairs = (line.split("  ") for line in LIST.read_text(encoding="ascii").splitlines())
    return {name: digest for digest, name in pairs}


def test_released_migrations_are_as_they_were() -> None:
    known = released()
    assert len(known) >= 16
    present = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in FOLDER.glob("*.sql")}
    gone = sorted(known.keys() - present.keys())
    assert not gone, f"{', '.join(gone)}: released, and not there any more. {WHAT_TO_DO}"
    edited = sorted(name for name, digest in known.items() if present[name] != digest)
    assert not edited, f"{', '.join(edited)}: edited after release. {WHAT_TO_DO}"


def test_all_of_a_release_are_listed() -> None:
    """New ones are added when they are released: `make release-migrations`; until then they may still change."""
    known = sorted(released())
    steps = [f"{step.number:04d}_{step.name}.sql" for step in migrations()]
    assert known == steps[: len(known)], (
        f"{LIST.name} lists the migrations up to a release without a gap; those after it are not released yet."
        " `make release-migrations` lists all that are there now"
    )


def test_released_migrations_say_no_phase_that_they_did_not_have() -> None:
    assert {step.phase for step in migrations() if step.number <= 16} == {Phase.TOGETHER}
