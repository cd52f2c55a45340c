"""What the program is made of: known flaws are found, silence is no answer, and what runs elsewhere is pinned."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
import zipfile
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from supply_chain import audit
from supply_chain.bill import licenses, without_developers
from supply_chain.lock import LockedPackage, locked, needed

ROOT = Path(__file__).resolve().parents[2]
LOCK = """
[[package]]
name = "saidonce"
version = "0.1.0"
source = { editable = "." }
dependencies = [{ name = "jinja2" }]
[package.optional-dependencies]
oidc = [{ name = "authlib" }]
[package.dev-dependencies]
dev = [{ name = "pytest" }]
[[package]]
name = "jinja2"
version = "3.1.2"
source = { registry = "https://pypi.org/simple" }
dependencies = [{ name = "MarkupSafe" }]
[[package]]
name = "markupsafe"
version = "2.1.5"
source = { registry = "https://pypi.org/simple" }
[[package]]
name = "numpy"
version = "2.0.0"
source = { registry = "https://pypi.org/simple" }
[[package]]
name = "numpy"
version = "2.4.0"
source = { registry = "https://pypi.org/simple" }
[[package]]
name = "authlib"
version = "1.6.0"
source = { registry = "https://pypi.org/simple" }
[[package]]
name = "pytest"
version = "8.4.0"
source = { registry = "https://pypi.org/simple" }
"""


def record(name: str, events: list[dict[str, str]], id: str = "PYSEC-1", **more: Any) -> dict[str, Any]:
    affected = {"package": {"ecosystem": "PyPI", "name": name}, "ranges": [{"type": "ECOSYSTEM", "events": events}]}
    return {"id": id, "affected": [affected], **more}


OLD_JINJA = record("Jinja2", [{"introduced": "0"}, {"fixed": "3.1.3"}], aliases=["CVE-2024-1"])


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    file = tmp_path / "uv.lock"
    file.write_text(LOCK)
    return file


def told(lock: Path, records: Any, *words: str, today: date = date(2026, 5, 1)) -> int:
    file = lock.with_name("osv.json")
    file.write_text(json.dumps(records))
    return audit.main(["--lock", str(lock), "--advisories", str(file), *words], today=today)


def test_a_known_flaw_of_a_locked_version_is_named_and_fails(lock: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert told(lock, [OLD_JINJA]) == audit.FLAWED
    printed = capsys.readouterr().out
    assert "jinja2 3.1.2: PYSEC-1 CVE-2024-1; fixed in 3.1.3" in printed
    assert "6 packages locked, 6 looked up" in printed
    packed = lock.with_name("all.zip")
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("PYSEC-1.json", json.dumps(OLD_JINJA))
    assert audit.main(["--lock", str(lock), "--advisories", str(packed)]) == audit.FLAWED


@pytest.mark.parametrize(
    ("events", "is_hit"),
    [
        ([{"introduced": "0"}], True),
        ([{"introduced": "0"}, {"fixed": "3.1.2"}], False),
        ([{"introduced": "3.1.2"}, {"last_affected": "3.1.2"}], True),
        ([{"introduced": "3.1.0"}, {"last_affected": "3.1.1"}], False),
        ([{"introduced": "3.2"}, {"fixed": "3.3"}], False),
        ([{"fixed": "3.1.3"}, {"introduced": "3.1.0"}, {"fixed": "3.0.5"}, {"introduced": "3.0"}], True),
        ([{"introduced": "not a version"}], True),
    ],
)
def test_ranges_are_walked_in_order_of_versions(lock: Path, events: list[dict[str, str]], is_hit: bool) -> None:
    assert told(lock, [record("jinja2", events)]) == (audit.FLAWED if is_hit else audit.CLEAN)


def test_other_packages_systems_and_withdrawn_advisories_say_nothing(lock: Path) -> None:
    other = record("jinja3", [{"introduced": "0"}])
    npm = json.loads(json.dumps(OLD_JINJA).replace("PyPI", "npm"))
    assert told(lock, [other, npm, {**OLD_JINJA, "withdrawn": "2026-01-01T00:00:00Z"}]) == audit.CLEAN


def test_what_is_accepted_is_so_until_its_day(lock: Path, capsys: pytest.CaptureFixture[str]) -> None:
    accepted = lock.with_name("accepted.toml")
    accepted.write_text('[[accepted]]\nid = "CVE-2024-1"\nreason = "no untrusted templates"\nuntil = 2026-05-01\n')
    words = ("--accepted", str(accepted))
    assert told(lock, [OLD_JINJA], *words) == audit.CLEAN
    assert told(lock, [OLD_JINJA], *words, today=date(2026, 5, 2)) == audit.FLAWED
    assert "was accepted until 2026-05-01" in capsys.readouterr().err
    assert tomllib.loads((ROOT / "supply_chain" / "accepted.toml").read_text()).get("accepted", []) == []


Answer = Callable[[Path, str], subprocess.CompletedProcess[str]]


def answering(of: Callable[[str, str], dict[str, Any]], code: int = 0) -> Answer:
    """A pip-audit that answers each package of a file so."""

    def run(file: Path, service: str) -> subprocess.CompletedProcess[str]:
        names = [line.split("==") for line in file.read_text().splitlines()]
        assert len({name for name, _ in names}) == len(names), "no name twice: pip-audit would refuse the file"
        found = [{"name": name, "version": version, **of(service, name)} for name, version in names]
        return subprocess.CompletedProcess([], code, json.dumps({"dependencies": found}), "")

    return run


def test_silence_of_every_source_is_no_clean_answer(lock: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """pip-audit itself calls it clean when it looked nothing up."""
    skipped = answering(lambda _service, _name: {"skip_reason": "not found on PyPI"})
    broken: Answer = lambda _file, _service: subprocess.CompletedProcess([], 1, "", "ConnectionError")  # noqa: E731

    def late(_file: Path, _service: str) -> subprocess.CompletedProcess[str]:
        raise subprocess.TimeoutExpired("pip-audit", 1)

    for run in (skipped, broken, late):
        assert audit.main(["--lock", str(lock)], run) == audit.UNREACHED
        assert "NOT CHECKED: no source of advisories could be reached for the 6" in capsys.readouterr().err
    assert told(lock, {**OLD_JINJA, "affected": []}) == audit.CLEAN
    with pytest.raises(ValueError, match="no OSV records"):
        told(lock, [])


def test_one_source_that_answers_is_enough_and_both_name_a_flaw_once(
    lock: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def of(service: str, name: str) -> dict[str, Any]:
        ids = {"pypi": ("PYSEC-1", "CVE-2024-1"), "osv": ("CVE-2024-1", "PYSEC-1")}[service]
        flaw = {"id": ids[0], "aliases": [ids[1]], "fix_versions": ["3.1.3"]}
        return {"vulns": [flaw] if name == "jinja2" else []}

    assert audit.main(["--lock", str(lock)], answering(of, 1)) == audit.FLAWED
    assert capsys.readouterr().out.count("jinja2 3.1.2") == 1
    only_osv = answering(lambda service, name: of(service, name) if service == "osv" else {"skip_reason": "away"}, 1)
    assert audit.main(["--lock", str(lock)], only_osv) == audit.FLAWED


def test_the_bill_names_what_the_program_needs_and_nothing_of_its_developers(lock: Path) -> None:
    assert locked(lock)[0] == LockedPackage("authlib", "1.6.0")
    names = needed(lock)
    assert names == {"saidonce", "jinja2", "markupsafe", "authlib"}
    component = {"version": "1", "licenses": [{"license": {"name": "MIT License\n\nCopyright"}}]}
    bill = {
        "metadata": {"component": {"bom-ref": "root"}},
        "components": [{**component, "bom-ref": n, "name": n} for n in ("MarkupSafe", "pytest")]
        + [{"bom-ref": "a", "name": "Authlib", "version": "2", "licenses": [{"expression": "BSD-3-Clause"}]}],
        "dependencies": [{"ref": "root", "dependsOn": ["MarkupSafe", "pytest"]}, {"ref": "pytest"}],
    }
    kept = without_developers(bill, names)
    assert kept["dependencies"] == [{"ref": "root", "dependsOn": ["MarkupSafe"]}]
    assert licenses(kept, {}) == [("Authlib", "2", "BSD-3-Clause"), ("MarkupSafe", "1", "MIT License")]
    assert licenses({"components": [{"name": "tiktoken", "version": "1"}]}, {"tiktoken": "MIT"})[0][2] == "MIT"


def test_the_real_lock_is_read(lock: Path) -> None:
    del lock
    real = ROOT / "uv.lock"
    assert len(locked(real)) > 150
    assert {"fastapi", "psycopg", "numpy"} <= needed(real)
    assert not {"pytest", "ruff", "mypy"} & needed(real)


def test_actions_are_pinned_by_commit_and_may_read_only() -> None:
    workflows = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    assert len(workflows) >= 2
    for file in workflows:
        text = file.read_text()
        uses = re.findall(r"uses: (.+)", text)
        assert uses, file.name
        for each in uses:
            assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", each), f"{file.name}: pin {each}"
        assert "permissions:\n  contents: read\n" in text, f"{file.name}: a token that may read, and no more"
        assert "pull_request_target" not in text
        assert text.count("persist-credentials: false") == text.count("actions/checkout@")
    ecosystems = re.findall(r"package-ecosystem: (\S+)", (ROOT / ".github" / "dependabot.yml").read_text())
    assert set(ecosystems) == {"uv", "pip", "github-actions"}
