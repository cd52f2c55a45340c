"""What is installed by name: each is known in one place, and whatever is missing says how to add it."""

from __future__ import annotations

import builtins
import pickle
import re
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from saidonce.app.doctor import examine
from saidonce.documents.parse import parse
from saidonce.documents.parse.formats import NEEDS
from saidonce.errors import MissingExtraError, Refusal, SourceRefusedError, UsageError
from saidonce.foundation import extras
from saidonce.foundation.settings.policy import load_settings
from saidonce.interfaces.cli import app
from saidonce.interfaces.cli.table import COMMANDS
from saidonce.interfaces.http.server import described
from saidonce.interfaces.views.listed_settings import listed_settings

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OPTIONAL = PROJECT["optional-dependencies"]


@contextmanager
def without(monkeypatch: pytest.MonkeyPatch, *absent: str) -> Iterator[None]:
    """An installation that lacks modules."""

    def spec(name: str, package: str | None = None) -> Any:
        return None if name.split(".", maxsplit=1)[0] in absent else find_spec(name, package)

    def load(name: str, *words: Any, **options: Any) -> Any:
        if name.split(".", maxsplit=1)[0] in absent:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, *words, **options)

    real = builtins.__import__
    with monkeypatch.context() as patch:
        patch.setattr(extras, "find_spec", spec)
        patch.setattr(builtins, "__import__", load)
        yield


def test_the_project_and_the_program_know_the_same_extras() -> None:
    assert set(OPTIONAL) - {"all"} == set(extras.EXTRAS)


def test_the_page_on_installing_says_what_each_adds() -> None:
    page = (ROOT / "docs" / "how-to" / "install.md").read_text(encoding="utf-8")
    for name, extra in extras.EXTRAS.items():
        row = re.search(rf"^\| `{name}` \| (.+?) \| .*\d+.* \|$", page, re.M)
        assert row is not None, f"docs/how-to/install.md has no row with a size for {name}"
        assert row.group(1) == extra.adds


def test_nothing_of_an_extra_is_in_the_core() -> None:
    def names(requirements: list[str]) -> set[str]:
        return {re.match(r"[\w.-]+", each).group().lower() for each in requirements}  # type: ignore[union-attr]

    for extra, requirements in OPTIONAL.items():
        assert not (names(requirements) - {"saidonce"}) & names(PROJECT["dependencies"]), extra


def test_no_other_place_says_how_an_extra_is_added() -> None:
    said = [
        file.relative_to(ROOT).as_posix()
        for file in (ROOT / "src").rglob("*.py")
        if re.search(r"'saidonce\[\w", file.read_text(encoding="utf-8")) and file.name != "extras.py"
    ]
    assert said == []


def test_an_error_names_what_is_missing_and_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    with without(monkeypatch, "pptx"), pytest.raises(MissingExtraError) as raised:
        extras.need("office", "reading slides")
    error = pickle.loads(pickle.dumps(raised.value))
    assert issubclass(type(error), UsageError)
    assert (error.extra, error.missing) == ("office", "pptx")
    assert str(error) == "reading slides needs an extra: pip install 'saidonce[office]' (pptx is missing)"


def test_what_is_installed_is_needed_in_silence() -> None:
    extras.need("office", "reading slides")
    assert extras.missing("office") == ""


@pytest.mark.parametrize("family", sorted(NEEDS))
def test_a_file_of_a_missing_extra_is_refused_by_name(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    extra, _ = NEEDS[family]
    content = {
        "pdf": b"%PDF-1.7\n", "rtf": rb"{\rtf1 words}", "image": b"\x89PNG\r\n", "sound": b"OggS",
        "video": b"\x1a\x45\xdf\xa3", **dict.fromkeys(("xls", "msg"), b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)),
    }.get(family)  # fmt: skip
    if content is None:
        source = next((ROOT / "examples" / "handbook").glob(f"*.{family}"))
        content = source.read_bytes()
    with without(monkeypatch, *extras.EXTRAS[extra].modules), pytest.raises(SourceRefusedError) as refused:
        parse(f"a.{family}", content)
    assert refused.value.reason is Refusal.UNSUPPORTED
    assert extras.command(extra) in refused.value.detail


def listed() -> set[str]:
    """Names of the commands that the help shows."""
    shown = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "200"}).output
    return set(re.findall(r"^  ([a-z][a-z-]+) ", shown, re.M))


OF_REPAIRS = {entry.name for entry in COMMANDS if entry.extra == extras.REPAIRS}


def test_commands_of_a_missing_extra_stand_in_no_list_and_say_what_adds_them(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(OF_REPAIRS) == 8
    assert listed() >= OF_REPAIRS | {"mcp", "search"}
    with without(monkeypatch, "babel", "mcp"):
        assert not listed() & (OF_REPAIRS | {"mcp"})
        done = CliRunner().invoke(app, ["homes", "list"])
    assert done.exit_code == 2
    assert "'saidonce homes' needs an extra: pip install 'saidonce[repairs]' (babel is missing)" in done.output


@pytest.mark.parametrize("where", ["environment", "file"])
def test_commands_that_are_switched_off_stand_in_no_list(
    where: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    if where == "environment":
        monkeypatch.setenv("SAIDONCE_REPAIRS_ENABLED", "False")
    else:
        (tmp_path / "saidonce.toml").write_text("repairs_enabled = false\n")
    assert not listed() & OF_REPAIRS
    assert "search" in listed()


MEASURES = {"scenarios", "tenants", "quality", "emergencies", "questions"}
"""What `evaluate` measures of the repair assistant."""


def test_no_other_command_measures_what_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = CliRunner().invoke(app, ["evaluate", "--help"], env={"COLUMNS": "200"}).output
    assert set(re.findall(r"^  ([a-z][a-z-]+) ", shown, re.M)) >= MEASURES | {"retrieval"}
    with without(monkeypatch, "babel"):
        monkeypatch.delitem(sys.modules, "saidonce.interfaces.cli.evaluate")
        shown = CliRunner().invoke(app, ["evaluate", "--help"], env={"COLUMNS": "200"}).output
        assert not set(re.findall(r"^  ([a-z][a-z-]+) ", shown, re.M)) & MEASURES
        done = CliRunner().invoke(app, ["evaluate", "tenants", "--conversations", "3"])
    monkeypatch.undo()
    assert done.exit_code == 2
    assert "evaluate tenants' needs an extra: pip install 'saidonce[repairs]' (babel is missing)" in done.output


def test_no_list_speaks_of_residents_where_nobody_answers_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    whole = listed_settings(load_settings(data_dir=tmp_path))
    assert not whole.left_out
    with without(monkeypatch, "babel"):
        help_text = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "200"}).output
        settings = load_settings(data_dir=tmp_path, whatsapp_api_version="v27.0")
        core = listed_settings(settings)
        areas = {check.area for check in examine(settings)}
    assert "resident" not in help_text
    assert {"k", "repairs_enabled", "time_zone", "whatsapp_api_version"} <= {row.name for row in core.rows}
    assert not {"twilio_template", "emergency_pack", "media_video_mb"} & {row.name for row in core.rows}
    n_gone = len(whole.rows) - len(core.rows)
    assert core.left_out == (
        f"{n_gone} settings of the repair assistant are left out: pip install 'saidonce[repairs]' adds it"
    )
    assert areas >= {"parsing", "files"}
    assert "repairs" not in areas
    off = listed_settings(load_settings(data_dir=tmp_path, repairs_enabled=False))
    assert off.left_out.endswith("repairs_enabled is false")


def test_the_api_without_repairs_has_none_of_its_routes() -> None:
    whole, without_repairs = described().openapi(), described(with_repairs=False).openapi()
    gone = set(whole["paths"]) - set(without_repairs["paths"])
    assert {tag for path in gone for o in whole["paths"][path].values() for tag in o["tags"]} == {
        "repairs",
        "residents",
    }
    assert not {tag["name"] for tag in without_repairs["tags"]} & {"repairs", "residents"}
    assert "/api/v1/search" in without_repairs["paths"]


def test_the_conversation_is_imported_without_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "saidonce.repairs.conversation.catalogue"
    monkeypatch.delitem(sys.modules, name)
    with without(monkeypatch, "babel"):
        catalogue = import_module(name)
        with pytest.raises(MissingExtraError, match="answering residents"):
            catalogue.catalogue("de")
