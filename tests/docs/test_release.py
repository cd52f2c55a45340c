"""What a release consists of: its archives, version, changelog and pages, and the files that deploy it."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hatchling.builders.sdist import SdistBuilder
from prometheus_client import REGISTRY
from supply_chain import release

import saidonce
from saidonce.app import base_metrics, metrics
from saidonce.foundation.settings.policy import Settings
from saidonce.interfaces.cli import walk

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
SITE = ROOT / "zensical.toml"


def packed(root: Path) -> set[str]:
    """Paths that a source distribution made in a folder would hold."""
    return {file.distribution_path for file in SdistBuilder(str(root)).recurse_included_files()}


def test_a_used_checkout_packs_what_is_needed_and_nothing_else(tmp_path: Path) -> None:
    for name in ("pyproject.toml", "README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "saidonce").symlink_to(ROOT / "src" / "saidonce")
    for litter in (
        ".uv/bin/uv", ".venv/lib/x.py", ".demo/base/PG_VERSION", ".judge/model.onnx", "dist/old.whl",
        "shared/data.jsonl", "packages/saidonce-judge/model.onnx", "notes.txt", "tests/test_x.py",
    ):  # fmt: skip
        (tmp_path / litter).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / litter).write_text("x")
    names = packed(tmp_path)
    release.check_names([f"saidonce-0/{name}" for name in names], "sdist")
    top = {name.split("/", maxsplit=1)[0] for name in names}
    assert top == {"src", "pyproject.toml", "README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE"}
    assert not [name for name in names if name.endswith((".pyc", ".whl"))]


@pytest.mark.parametrize(
    ("name", "flaw"),
    [("saidonce-0/.uv/bin/uv", r"holds saidonce-0/\.uv/bin/uv"), ("saidonce-0/README.md", "lacks saidonce/py.typed")],
)
def test_an_archive_with_litter_or_without_data_is_no_release(name: str, flaw: str) -> None:
    with pytest.raises(release.NotReadyError, match=flaw):
        release.check_names([name], "sdist")


def test_the_version_is_stated_once() -> None:
    assert release.version() == saidonce.__version__
    stated = re.findall(r'^version = "', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.M)
    assert stated == []
    deployed = "".join((DEPLOY / name).read_text() for name in ("compose.yaml", "kubernetes/saidonce.yaml"))
    images = set(re.findall(r"saidonce:(?:\$\{SAIDONCE_VERSION:-)?(\d+\.\d+\.\d+)", deployed))
    assert images == {saidonce.__version__}


def test_the_changelog_begins_with_this_version() -> None:
    release.check_changelog((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), saidonce.__version__)


@pytest.mark.parametrize(
    ("changelog", "tag", "flaw"),
    [
        ("## Unreleased (1.0.0)\n", "v1.0.0", "released without a date"),
        ("## 1.0.0 - 2027-01-31\n", "v1.0.1", "the tag v1.0.1 is not v1.0.0"),
        ("## 0.9.0 - 2027-01-31\n", "", "not of 1.0.0"),
        ("## 1.0.0 - 2027-01-31\n### Improved\n", "v1.0.0", "parts named Improved"),
    ],
)
def test_a_changelog_of_another_release_is_refused(changelog: str, tag: str, flaw: str) -> None:
    with pytest.raises(release.NotReadyError, match=flaw):
        release.check_changelog(changelog, "1.0.0", tag)


def test_a_dated_changelog_is_released() -> None:
    release.check_changelog("# Changelog\n\n## 1.0.0 - 2027-01-31\n\n### Added\n", "1.0.0", "v1.0.0")


def test_the_quickstart_is_run_by_the_release_check() -> None:
    commands = release.steps((ROOT / "docs" / "quickstart.md").read_text(encoding="utf-8"))
    assert [command[0] for command in commands] == ["bash", "bash", "bash", "python"]
    known = {path.removeprefix("saidonce ") for path, _ in walk()}
    for named in re.findall(r"saidonce --data-dir ./base ([a-z]+)", " ".join(" ".join(c) for c in commands)):
        assert named in known


def test_the_notebook_runs(data_dir: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(data_dir.parent)
    monkeypatch.setattr("tempfile.mkdtemp", lambda prefix: str(data_dir.parent))
    notebook = json.loads((ROOT / "docs" / "notebooks" / "quickstart.ipynb").read_text(encoding="utf-8"))
    names: dict[str, Any] = {}
    values: list[Any] = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            tree = ast.parse("".join(cell["source"]))
            end = tree.body[-1]
            last = end.value if isinstance(end, ast.Expr) else None
            tree.body = tree.body[: len(tree.body) - (last is not None)]
            exec(compile(tree, "notebook", "exec"), names)
            if last is not None:
                values.append(eval(compile(ast.Expression(last), "notebook", "eval"), names))
    assert re.search(r"in: \('\S+backups\.md', '\S+questions\.md'\)", capsys.readouterr().out)
    (compared,) = [value for value in values if hasattr(value, "objections")]
    assert [(o.a.text, o.b.text) for o in compared.objections] == [("35 days", "90 days")]


def series() -> dict[str, set[str]]:
    """Names of the series that the program exports, with their labels."""
    exported: dict[str, set[str]] = {"up": {"job", "instance"}}
    assert {metrics.SECONDS, base_metrics.BLOCKS} <= REGISTRY._collector_to_names.keys()
    for collector in list(REGISTRY._collector_to_names):
        name, kind = str(getattr(collector, "_name", "")), str(getattr(collector, "_type", ""))
        if name.startswith("saidonce_"):
            ends = {"counter": ("_total",), "gauge": ("",), "histogram": ("_bucket", "_sum", "_count")}[kind]
            exported |= {name + end: {*getattr(collector, "_labelnames", ()), "le"} for end in ends}
    return exported


def queries() -> list[str]:
    """All queries of the alert rules and of the dashboard."""
    groups = yaml.safe_load((DEPLOY / "alerts.yaml").read_text(encoding="utf-8"))["groups"]
    panels = json.loads((DEPLOY / "grafana" / "saidonce.json").read_text(encoding="utf-8"))["panels"]
    return [r["expr"] for g in groups for r in g["rules"]] + [t["expr"] for p in panels for t in p["targets"]]


@pytest.mark.parametrize("query", queries())
def test_alerts_and_dashboard_ask_for_series_that_there_are(query: str) -> None:
    known = series()
    named = re.findall(r"\b(?:saidonce_\w+|up(?=\{))", query)
    assert named
    assert set(named) <= set(known)
    labels = set(re.findall(r"(\w+)=~?\"", query)) | {
        label.strip() for by in re.findall(r"by \(([^)]*)\)", query) for label in by.split(",")
    }
    assert labels <= set().union(*(known[name] for name in named))


def test_every_alert_says_what_to_do_by_commands_that_there_are() -> None:
    commands = {path for path, _ in walk()}
    for group in yaml.safe_load((DEPLOY / "alerts.yaml").read_text(encoding="utf-8"))["groups"]:
        for rule in group["rules"]:
            assert rule["labels"]["severity"] in ("critical", "warning", "info")
            assert set(rule["annotations"]) == {"summary", "action"}
            for named in re.findall(r"'(saidonce [a-z -]+)'", rule["annotations"]["action"]):
                assert named in commands, f"{rule['alert']} names {named}"


def test_what_deploys_it_sets_settings_that_there_are() -> None:
    for file in (p for p in DEPLOY.rglob("*") if p.is_file() and "__pycache__" not in p.parts):
        named = re.findall(r"\bSAIDONCE_([A-Z_]+[A-Z])\b", file.read_text(encoding="utf-8"))
        own = {"version", "database_password"}
        assert {name.lower() for name in named} <= {*Settings.model_fields, *own}, file.name


def test_probes_ask_what_answers_and_containers_have_no_rights() -> None:
    for document in yaml.safe_load_all((DEPLOY / "kubernetes" / "saidonce.yaml").read_text(encoding="utf-8")):
        if document["kind"] != "Deployment":
            continue
        pod = document["spec"]["template"]["spec"]
        (container,) = pod["containers"]
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        if container["name"] == "serve":
            assert container["readinessProbe"]["httpGet"]["path"] == "/healthz"
            assert "tcpSocket" in container["livenessProbe"]


def test_every_page_that_the_site_lists_is_there() -> None:
    made = {"index.md", "changelog.md", "notebooks/quickstart.md"}
    listed = set(re.findall(r'= "([\w/.-]+\.md)"', SITE.read_text(encoding="utf-8")))
    there = {p.relative_to(ROOT / "docs").as_posix() for p in (ROOT / "docs").rglob("*.md")}
    assert listed <= there | made
    assert {name for name in there if "decisions/" not in name} <= listed, (
        "zensical.toml lists every page but decisions"
    )
