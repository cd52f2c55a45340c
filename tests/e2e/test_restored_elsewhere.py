"""The drill of docs/how-to/backup.md: yesterday's backup on another machine, where nothing of the first one is left.

The other machine has process numbers, shared memory, a name and a home of its own; the folder of the base and that of
the backups are hidden from it, and it holds a copy of the backups under another path.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from command_line import Shell, environment
from conftest import prepared, reachable_folder
from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.app.repairs_service import Repairs
from saidonce.foundation.settings.reading import settings_from
from saidonce.interfaces.http import create_app

HOMES = "address,resident\n4 Zebrafinch Lane,Uma Elm\n"

ELSEWHERE = """
hostname elsewhere || exit 97
for hidden in "$FIRST" /dev/shm; do mount -t tmpfs none "$hidden" || exit 97; done
test -z "$(ls -A "$FIRST")" || exit 98
exec "$@"
"""

DRILL = """
import asyncio, json, socket, sys
import httpx
from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.foundation.settings.reading import settings_from
from saidonce.app.repairs_service import Repairs
from saidonce.interfaces.cli import app
from saidonce.interfaces.http import create_app

folder, shelf, tenancy, *links = sys.argv[1:]

async def pages(base):
    served = create_app(base, False, Repairs(base, base.for_org))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(served), base_url="http://127.0.0.1") as client:
        return [await client.get(link) for link in links]

def run(*words):
    app(["--data-dir", folder, *words, "--json"], standalone_mode=False)

run("backup", shelf, "--verify")
run("restore", shelf)
with KnowledgeBase(settings_from(None, data_dir=folder)) as base:
    for words in (["rebuild"], ["documents"], ["homes", "link", tenancy], ["security-log"]):
        run(*words)
    answers = [[page.status_code, "drips since Monday" in page.text] for page in asyncio.run(pages(base))]
print(json.dumps({"pages": answers, "machine": socket.gethostname()}))
"""


@dataclass
class FirstMachine:
    """What the first machine left behind: its folder, its backups, and the link of a resident who wrote there."""

    folder: Path
    link: str
    tenancy: str


def ingest(shell: Shell, file: Path, content: str) -> None:
    """Ingest a text."""
    file.write_text(content)
    shell.run("ingest", file.name)


@pytest.fixture
def first() -> Iterator[FirstMachine]:
    folder = reachable_folder()
    with Shell(prepared(folder / "base")) as shell:
        (folder / "homes.csv").write_text(HOMES)
        shell.run("homes", "import", "homes.csv")
        ((tenancy,),) = [[row["tenancy"]] for row in shell.json("homes", "list")]
        link = str(shell.json("homes", "link", tenancy)["link"])
        ingest(shell, folder / "letter.txt", "Backups are kept for thirty days in two regions.")
        shell.run("backup", str(folder / "shelf"), "--continuous")
        with KnowledgeBase(settings_from(None, data_dir=shell.data_dir)) as base:
            client = TestClient(create_app(base, False, Repairs(base, base.for_org)), base_url="http://127.0.0.1")
            sent = client.post(link, data={"text": "My tap drips since Monday"}, follow_redirects=False)
            assert sent.status_code == 303, "it was acknowledged after the copy, and before the log was collected"
        ingest(shell, folder / "later.txt", "Doors are locked at night by the guard on duty.")
        shell.run("backup", str(folder / "shelf"), "--log-only")
        yield FirstMachine(folder, link, tenancy)
    shutil.rmtree(folder, ignore_errors=True)


@dataclass
class OtherMachine:
    """A machine with a copy of the backups, and nothing else of the first one."""

    folder: Path
    hidden: Path

    def run(self, *words: str, code: int = 0) -> str:
        """Run a program of Python's there, which has to end with this code."""
        apart = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--ipc", "--uts"]
        env = environment(HOME=str(self.folder / "home"), FIRST=str(self.hidden), USER="somebody", LOGNAME="somebody")
        command = [*apart, "sh", "-c", ELSEWHERE, "sh", sys.executable, *words]
        done = subprocess.run(command, env=env, cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode == 97 or "unshare: " in done.stderr:
            pytest.skip(f"no machine can be made here: {done.stderr.strip()[-200:]}")
        assert done.returncode == code, f"{words[:6]}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout


@pytest.fixture
def other(first: FirstMachine) -> Iterator[OtherMachine]:
    if shutil.which("unshare") is None:
        pytest.skip("there is no program 'unshare' here")
    folder = reachable_folder()
    (folder / "home").mkdir()
    shutil.copytree(first.folder / "shelf", folder / "copied" / "backups")
    yield OtherMachine(folder, first.folder)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_backup_is_restored_on_another_machine_and_residents_links_are_good(
    first: FirstMachine, other: OtherMachine
) -> None:
    forged = first.link[:-1] + ("A" if first.link[-1] != "A" else "B")
    words = (str(other.folder / "restored"), "copied/backups", first.tenancy, first.link, forged)
    decoder, lines, answers = json.JSONDecoder(), other.run("-c", DRILL, *words).strip(), []
    while lines:
        answer, end = decoder.raw_decode(lines)
        answers.append(answer)
        lines = lines[end:].strip()
    verified, restored, rebuilt, documents, link, log, last = answers
    assert verified["verified"]
    assert restored["n_segments"] > 0
    assert rebuilt["is_sound"]
    names = sorted(Path(row["name"]).name for row in documents)
    assert names == ["later.txt", "letter.txt"], "the log came with the copy"
    assert link["link"] == first.link, "to the letter, for the secret that signs it came along"
    assert [(row["kind"], row["person"]) for row in log][-1] == ("restored", "somebody")
    assert last["machine"] == "elsewhere"
    assert last["pages"] == [[200, True], [404, False]], "the resident reads on what they wrote, nobody else does"
    assert not list((other.folder / "home").iterdir()), "all of it lies in its folder"
