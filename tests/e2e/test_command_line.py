"""The command line as a new user runs it: a real embedded server, the shipped handbook, processes where they matter."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from command_line import Shell
from conftest import prepared, reachable_folder

ROOT = Path(__file__).resolve().parents[2]
HANDBOOK = ROOT / "examples" / "handbook"
BROKEN = ROOT / "examples" / "broken"

pytestmark = pytest.mark.xdist_group("command_line")


@pytest.fixture(scope="module")
def shell() -> Iterator[Shell]:
    """A base that holds the handbook."""
    folder = reachable_folder()
    with Shell(prepared(folder / "data")) as opened:
        report = opened.json("ingest", str(HANDBOOK))
        assert report["totals"]["n_documents"] >= 12
        yield opened
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def bases() -> Iterator[Path]:
    """A folder for bases of one test."""
    folder = reachable_folder()
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def own_shell(bases: Path) -> Iterator[Shell]:
    """A base of one test."""
    with Shell(prepared(bases / "data")) as opened:
        yield opened


def test_a_command_is_a_process_with_an_exit_code_and_two_streams(shell: Shell) -> None:
    process = shell.start("search", "how long do we keep backups?", "--json")
    out, err = process.communicate(timeout=240)
    assert (process.returncode, err) == (0, "")
    again = shell.json("search", "how long do we keep backups?")["hits"]
    assert [hit["id"] for hit in json.loads(out)["hits"]] == [hit["id"] for hit in again]
    refused = shell.start("why", "zz")
    out, err = refused.communicate(timeout=240)
    assert (refused.returncode, out) == (2, "")
    assert "is not a block id" in err


def test_ingest_says_everything_once(shell: Shell) -> None:
    again = shell.json("ingest", str(HANDBOOK))
    assert {d["state"] for d in again["documents"]} <= {"unchanged", "same_source"}
    assert any(d["state"] == "same_source" for d in again["documents"]), "the handbook holds one file twice"


def test_search_lists_repeats_under_the_hit_they_repeat(shell: Shell) -> None:
    found = shell.json("search", "how long do we keep backups?")
    ids = [hit["id"] for hit in found["hits"]] + [t["id"] for hit in found["hits"] for t in hit["also_in"]]
    assert len(ids) == len(set(ids))
    assert any(hit["also_in"] for hit in found["hits"])
    for hit in found["hits"]:
        assert sum(s["part"] for s in hit["signals"].values()) == pytest.approx(hit["score"])


def test_search_keeps_changed_facts_apart(shell: Shell) -> None:
    found = shell.json("search", "retention of backups in days", "--k", "50")
    shown = " ".join(hit["text"] for hit in found["hits"])
    assert "30" in shown
    assert "90" in shown


def test_every_hit_can_be_accounted_for(shell: Shell) -> None:
    hit = shell.json("search", "who approves access?")["hits"][0]
    account = shell.json("why", hit["id"][:12])
    assert account["block"]["text"] == hit["text"]
    assert account["history"][-1]["relation"] == "kept"
    assert hit["id"][:8] in shell.run("why", hit["id"][:12])


def test_ask_quotes_verbatim_or_says_it_is_not_there(shell: Shell) -> None:
    told = shell.json("ask", "how long do we keep backups?")
    assert told["mode"] == "verbatim"
    assert told["sentences"][0]["text"] == told["passages"][0]["text"]
    in_words = shell.run("ask", "how long do we keep backups?")
    assert told["sentences"][0]["text"] in in_words
    assert Path(told["passages"][0]["origin"]["document"]).name in in_words
    assert shell.json("ask", "recipe for sourdough bread with rye")["mode"] == "not_in_base"


def test_status_names_the_metrics_of_the_specification(shell: Shell) -> None:
    found = shell.json("status")
    assert {"dedup_ratio_ingestion", "dedup_ratio_retrieval", "avg_salience_boost", "max_salience_boost"} <= set(
        found["metrics"]
    )


def test_refused_sources_are_named_and_the_exit_code_says_so(shell: Shell) -> None:
    report = shell.json("--org", "broken", "ingest", str(BROKEN), code=3)
    refused = {Path(d["name"]).name: d["reason"] for d in report["documents"] if d["state"] == "refused"}
    assert {"empty", "locked", "corrupt"} <= set(refused.values())
    shell.run("--org", "broken", "ingest", str(BROKEN), code=3)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("search", " "), "the query is empty"),
        (("search", "x", "--collection", "nowhere"), "no collection 'nowhere'"),
        (("why", "zz"), "is not a block id"),
        (("why", "00000000"), "no block or segment"),
        (("ingest", "/nowhere/at/all"), "no file or folder"),
        (("remove", "nothing.pdf"), "nothing.pdf"),
        (("--config", "/nowhere.toml", "status"), "readable TOML"),
        (("db", "import", "/nowhere.jsonl"), "no file"),
    ],
)
def test_wrong_use_says_what_to_do(shell: Shell, given: tuple[str, ...], said: str) -> None:
    assert said in shell.run(*given, code=2)


def test_malformed_settings_are_refused_with_key_and_value(shell: Shell) -> None:
    shell.env["SAIDONCE_REPEAT_FROM"] = "1.5"
    try:
        told = shell.run("status", code=2)
    finally:
        del shell.env["SAIDONCE_REPEAT_FROM"]
    assert "repeat_from" in told.lower()
    assert "1.5" in told


def test_export_and_import_give_the_same_bytes(shell: Shell, tmp_path: Path) -> None:
    first, second = tmp_path / "a.jsonl.gz", tmp_path / "b.jsonl.gz"
    shell.run("db", "export", str(first))
    shell.run("--org", "copy", "db", "import", str(first))
    shell.run("--org", "copy", "db", "export", str(second))
    assert first.read_bytes() == second.read_bytes()
    shell.run("--org", "copy", "db", "import", str(first), code=2)


def test_a_damaged_export_is_refused_and_nothing_of_it_is_imported(shell: Shell, tmp_path: Path) -> None:
    shell.run("db", "export", str(tmp_path / "whole.jsonl.gz"))
    cut = tmp_path / "cut.jsonl.gz"
    cut.write_bytes((tmp_path / "whole.jsonl.gz").read_bytes()[:3000])
    assert "is truncated or damaged; nothing was imported" in shell.run(
        "--org", "cut", "db", "import", str(cut), code=1
    )
    assert shell.run("--org", "cut", "db", "import", str(tmp_path / "whole.jsonl.gz"))


def test_nothing_is_written_home_and_nobody_is_told(tmp_path: Path) -> None:
    """The runtime of the model would keep a device id and report, were it let."""
    env = {**os.environ, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    env.pop("ORT_DISABLE_TELEMETRY", None)
    embedding = (
        "from saidonce.adapters.embed import open_embedder; open_embedder('minilm', threads=1).embed(['Again.'])"
    )
    subprocess.run([sys.executable, "-c", embedding], env=env, check=True, timeout=120)
    assert list(tmp_path.rglob("*")) == []


def test_a_changed_folder_is_followed(shell: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n\nThe gate opens at seven.\n\n## Parking\n\nVisitors park behind the mill.\n")
    (folder / "b.md").write_text("# B\n\nDogs are welcome on the lower floor.\n")
    at = ("--org", "folder")
    assert shell.json(*at, "ingest", str(folder))["totals"]["n_documents"] == 2
    (folder / "a.md").write_text("# A\n\nThe gate opens at eight.\n\n## Parking\n\nVisitors park behind the mill.\n")
    (folder / "b.md").unlink()
    report = shell.json(*at, "ingest", str(folder), "--prune")
    (changed,) = report["documents"]
    assert (changed["state"], changed["version"]) == ("changed", 2)
    assert (changed["n_added"], changed["n_unchanged"], changed["n_removed"]) == (1, 1, 1)
    assert report["removed"] == [str(folder / "b.md")]
    assert [d["name"] for d in shell.json(*at, "documents")] == [str(folder / "a.md")]


@pytest.mark.parametrize("kills", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_a_killed_ingest_is_finished_by_the_same_command(tmp_path: Path, bases: Path, kills: int) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for n in range(60):
        (folder / f"{n:02d}.md").write_text(f"# Note {n}\n\nLocker {n} is on floor {n % 7} behind door {n * 3}.\n")
    killed, whole = Shell(bases / "killed"), Shell(prepared(bases / "whole"))
    for attempt in range(kills):
        process = killed.start("ingest", str(folder))
        time.sleep(2.0 + attempt)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)
    killed.run("ingest", str(folder))
    whole.run("ingest", str(folder))
    assert _content(killed) == _content(whole)
    assert len(killed.json("documents")) == 60
    shutil.rmtree(folder)


def test_two_processes_that_ingest_the_same_folder_end_with_one_of_each(tmp_path: Path, bases: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    for n in range(10):
        (folder / f"{n:02d}.md").write_text(f"# Key {n}\n\nKey {n} opens room {n * 5} on floor {n % 4}.\n")
    shell = Shell(bases / "data")
    running = [shell.start("ingest", str(folder), "--json") for _ in range(2)]
    states: dict[str, list[str]] = {}
    for process in running:
        out, err = process.communicate(timeout=240)
        assert process.returncode == 0, err
        for document in json.loads(out)["documents"]:
            states.setdefault(document["name"], []).append(document["state"])
    assert all(sorted(s) == ["new", "unchanged"] for s in states.values()), states
    assert [d["version"] for d in shell.json("documents")] == [1] * 10


def test_a_killed_server_is_revived_and_nothing_acknowledged_is_lost(tmp_path: Path, bases: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for n in range(40):
        (folder / f"{n:02d}.md").write_text(f"# Tap {n}\n\nTap {n} is shut by valve {n * 7} in cellar {n % 5}.\n")
    killed, whole = Shell(bases / "killed"), Shell(prepared(bases / "whole"))
    process = killed.start("ingest", str(folder))
    time.sleep(2.5)
    found = subprocess.run(["pgrep", "-f", str(killed.data_dir)], capture_output=True, text=True, check=False)
    for pid in map(int, found.stdout.split()):
        if pid != process.pid and _is_postgres(pid):
            os.kill(pid, signal.SIGKILL)
    process.communicate(timeout=240)
    killed.run("ingest", str(folder))
    whole.run("ingest", str(folder))
    assert _content(killed) == _content(whole)


def _is_postgres(pid: int) -> bool:
    try:
        return b"postgres" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0]
    except OSError:
        return False


def _content(shell: Shell) -> list[dict[str, Any]]:
    """Documents without times, and what one search finds."""
    documents = [{k: v for k, v in d.items() if k != "ingested_at"} for d in shell.json("documents")]
    hits = shell.json("search", "locker on floor 3", "--k", "20")["hits"]
    return documents + [{k: hit[k] for k in ("id", "text", "document")} for hit in hits]


def test_a_question_that_shares_nothing_with_the_base_finds_nothing(shell: Shell) -> None:
    told = "Nothing in the base answers this"
    assert told in shell.run("search", "zebra quantum marmalade")
    assert told in shell.run("ask", "zebra quantum marmalade")
    found = shell.json("search", "zebra quantum marmalade")
    assert (found["hits"], found["warnings"]) == ([], ["nothing in the base answers this"])
    assert shell.json("search", "retention")["hits"] != []
    assert shell.json("search", "retenton")["hits"] != []


def test_a_question_to_an_empty_base_names_the_base(bases: Path) -> None:
    with Shell(prepared(bases / "empty")) as empty:
        for words in (("search", "locker"), ("ask", "locker"), ("context", "locker"), ("search", "locker", "--json")):
            hint = f"the base in {empty.data_dir} is empty; add documents with 'saidonce ingest FOLDER'"
            assert hint in empty.invoke(*words).stderr.replace("\n", " ")


def test_most_questions_about_other_things_find_nothing(shell: Shell) -> None:
    from saidonce import KnowledgeBase

    asked = (ROOT / "tests" / "cases" / "off_topic.txt").read_text(encoding="utf-8").splitlines()
    with KnowledgeBase(data_dir=shell.data_dir, metrics_enabled=False) as base:
        assert sum(not base.search(question).hits for question in asked) >= 0.85 * len(asked)
        hits = base.search("how long do we keep backups?", collection="main").hits
    assert hits != ()


def test_documents_go_by_the_names_that_are_shown(bases: Path, own_shell: Shell) -> None:
    notes = bases / "notes"
    notes.mkdir()
    (notes / "keys.txt").write_text("The spare keys hang in the blue cabinet near the door.")
    (notes / "heating.txt").write_text("The heating is serviced every October by the firm that installed it.")
    shell = own_shell
    assert "+ notes/keys.txt" in shell.run("ingest", "notes")
    assert "notes/keys.txt" in shell.run("search", "spare keys", "--document", "notes/keys.txt")
    assert "notes/keys.txt" in shell.run("search", "spare keys", "--document", "keys.txt")
    unknown = shell.run("search", "spare keys", "--document", "kyes.txt", code=2)
    assert "no document 'kyes.txt'; did you mean" in unknown
    assert "keys.txt" in unknown
    assert "no language 'xx'; there are:" in shell.run("search", "spare keys", "--language", "xx", code=2)
    assert "did you mean" in shell.run("remove", "kyes.txt", code=2)
    account = shell.json("why", "keys.txt")
    assert [b["text"] for b in account["blocks"]] == ["The spare keys hang in the blue cabinet near the door."]
    assert "supported by" not in shell.run("why", "notes/keys.txt")
    assert "did you mean" in shell.run("why", "kyes.txt", code=2)
    other = bases / "more" / "notes"
    other.mkdir(parents=True)
    (other / "keys.txt").write_text("The spare keys of the cellar hang in the office.")
    shell.run("ingest", "more")
    for words in (("remove", "keys.txt"), ("search", "keys", "--document", "keys.txt"), ("why", "keys.txt")):
        candidates = shell.run(*words, code=2)
        assert "is the end of 2 documents" in candidates
        assert "more/notes/keys.txt" in candidates
    assert "removed more/notes/keys.txt: 1 segment" in shell.run("remove", "more/notes/keys.txt")
    assert "removed notes/keys.txt: 1 segment" in shell.run("remove", "keys.txt"), "what is no longer ambiguous"
    assert [d["name"] for d in shell.json("documents")] == [str((notes / "heating.txt").resolve())]
