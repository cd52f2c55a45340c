"""`saidonce sync` as its users run it: on a folder, killed by the system, over the API and in the worker."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from command_line import Shell
from conftest import prepared, reachable_folder
from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.app.syncing import SyncWish
from saidonce.errors import UpstreamError, UsageError
from saidonce.foundation.text import fingerprint


@pytest.fixture(scope="module")
def shell() -> Iterator[Shell]:
    folder = reachable_folder()
    with Shell(prepared(folder / "data")) as opened:
        yield opened


def write(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def held(base: KnowledgeBase, collection: str) -> dict[str, str]:
    return {name: d.fingerprint for d in base.documents(collection) for name in d.names}


def of_folder(folder: Path) -> dict[str, str]:
    return {str(f.resolve()): fingerprint(f.read_bytes()) for f in sorted(folder.rglob("*.txt"))}


def test_a_folder_is_kept_in_step_and_every_step_is_said(shell: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    write(folder, "a.txt", "Backups are kept for 30 days.")
    write(folder, "b.txt", "The boiler is serviced every October.")
    write(folder, "x.foo", "x")
    source = str(folder)
    assert "2 to read, 0 gone (dry run)" in shell.run("sync", source, "-c", "wiki", "--dry-run")
    first = shell.run("sync", source, "-c", "wiki")
    assert "2 files: 2 new" in first
    assert "1 file skipped" in first
    (folder / "a.txt").rename(folder / "c.txt")
    (folder / "b.txt").unlink()
    second = shell.run("sync", source, "-c", "wiki")
    assert "1 moved, 1 gone" in second
    assert "1 document whose file is gone is kept; --prune removes it" in second
    view = shell.json("sync", source, "-c", "wiki", "--prune", "--every", "5m")
    assert (view["removed"], view["source"]["every_s"], view["source"]["prune"]) == ([f"{folder}/b.txt"], 300.0, True)
    (listed,) = shell.json("sources", "list")
    assert listed["last"]["n_removed"] == 1
    assert listed["next_at"] is not None
    assert "every 5 min, prunes" in shell.run("sources", "list")
    write(folder, "empty.txt", "")
    assert "refused, empty" in shell.run("sync", source, "-c", "wiki", code=3)
    shell.run("sync", source, "-c", "wiki", "--every", "never", code=3)
    assert shell.json("sources", "list")[0]["next_at"] is None
    shell.json("sources", "remove", listed["id"][:8])
    assert shell.json("sources", "list") == []
    assert "no source" in shell.run("sources", "remove", listed["id"], code=2)


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("sync", "/nowhere/at/all"), 1, "is its disk mounted"),
        (("sync", "gopher://x/"), 2, "addresses that begin with gopher:// cannot be synced; others can: "),
        (("sync", "https://ann:pw@example.com/sitemap.xml"), 2, "no password"),
        (("sync", "http://127.0.0.1:9/sitemap.xml"), 1, "private address"),
        (("sync", ".", "--every", "soon"), 2, "30s, 5m, 2h or 1d"),
        (("sync", ".", "--every", "1s"), 2, "every 10 seconds at most"),
    ],
)
def test_wrong_use_says_what_to_do(shell: Shell, words: tuple[str, ...], code: int, says: str) -> None:
    done = shell.invoke(*words, code=code)
    assert says in " ".join((done.stdout + done.stderr).replace("│", " ").split())


def test_the_worker_runs_what_is_due_and_notes_what_fails(shell: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    write(folder, "a.txt", "Invoices are paid within 14 days.")
    with KnowledgeBase(data_dir=shell.data_dir, metrics_enabled=False) as base:
        shut = base.syncs.within(())
        with pytest.raises(UpstreamError, match="sync_roots"):
            shut.add(SyncWish(str(folder), "due"))
        source = base.syncs.add(SyncWish(str(folder), "due", prune=True, every_s=60))
        shell.run("worker", "--once")
        assert held(base, "due") == of_folder(folder)
        assert base.syncs.run_due(lambda: False) == 0, "it is due again in a minute"
        (folder / "a.txt").unlink()
        folder.rmdir()
        base.syncs.hurry(source)
        assert base.syncs.run_due(lambda: False) == 1
        failed = base.syncs.find(source.id)
        assert failed.last is not None
        assert "is its disk mounted" in failed.last.error
        assert len(held(base, "due")) == 1
        with pytest.raises(UsageError, match="at most"):
            base.syncs.add(SyncWish(str(folder), every_s=1))
        base.syncs.remove(source)


@pytest.mark.slow
def test_a_run_that_the_system_kills_is_completed_by_the_next(shell: Shell, tmp_path: Path) -> None:
    dice = random.Random(7)
    folder = tmp_path / "docs"
    for n in range(60):
        write(folder, f"{n % 5}/{n}.txt", f"Machine {n} is oiled every {n + 2} weeks.\n\nIts key hangs at hook {n}.")
    n_killed = 0
    for turn in range(8):
        process = shell.start("sync", str(folder), "-c", "killed", "--prune", "-q")
        time.sleep(dice.uniform(0.8, 4.0))
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
            n_killed += 1
        process.communicate(timeout=60)
        files = sorted(folder.rglob("*.txt"))
        dice.choice(files).unlink()
        moved = dice.choice(sorted(folder.rglob("*.txt")))
        moved.rename(moved.with_name(f"moved-{turn}-{moved.name}"))
        write(folder, f"new/{turn}.txt", f"Machine {turn + 100} stands still.")
        write(folder, "0/0.txt", f"Machine 0 was replaced {turn + 2} times.")
    shell.run("sync", str(folder), "-c", "killed", "--prune")
    with KnowledgeBase(data_dir=shell.data_dir, metrics_enabled=False) as base:
        assert held(base, "killed") == of_folder(folder)
        documents = base.documents("killed")
        assert len({d.fingerprint for d in documents}) == len(documents), "nothing is there twice"
    assert n_killed >= 3


def test_a_source_that_came_with_an_import_waits_for_a_run_by_hand(shell: Shell, tmp_path: Path) -> None:
    folder, file = tmp_path / "docs", tmp_path / "base.jsonl"
    write(folder, "a.txt", "Invoices are paid within 14 days.")
    shell.run("--org", "whence", "sync", str(folder), "--every", "1h")
    shell.run("--org", "whence", "db", "export", str(file))
    printed = shell.run("--org", "copy", "db", "import", str(file))
    assert "1 sources were imported; each is synced only after" in printed
    write(folder, "b.txt", "Windows are cleaned twice a year.")
    shell.run("--org", "copy", "worker", "--once")
    assert "imported, not synced here" in shell.run("--org", "copy", "sources", "list")
    assert json.loads(shell.run("--org", "copy", "sources", "list", "--json"))[0]["is_imported"]
    shell.run("--org", "copy", "sync", str(folder))
    assert "imported" not in shell.run("--org", "copy", "sources", "list")
    kept = json.loads(shell.run("--org", "copy", "sources", "list", "--json"))[0]
    assert (kept["is_imported"], kept["next_at"] is None, kept["every_s"]) == (False, False, 3600.0)
