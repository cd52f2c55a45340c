"""The commands of the repairs, each a real process over a real database: the demo, the console, homes, replay."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from benchmarks.free_ports import free_port

from command_line import invoke
from conftest import prepared, reachable_folder


@dataclass
class Shell:
    """Runs commands over one data folder."""

    env: dict[str, str]
    folder: Path
    said: str = ""

    def run(self, *given: str, said: str = "", code: int = 0) -> str:
        done = invoke(given, self.env, stdin=said)
        assert done.returncode == code, f"{given}: {done.stdout}\n{done.stderr}"
        return done.stdout

    def json(self, *given: str, **more: Any) -> Any:
        return json.loads(self.run(*given, "--json", **more))

    @contextmanager
    def running(self, *given: str, until: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
        """Start a command, and wait until it has said something."""
        command = [sys.executable, "-u", "-m", "saidonce", *given]
        started = subprocess.Popen(command, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        said = ""
        assert started.stdout is not None
        while until not in said:
            line = started.stdout.readline()
            assert line, said
            said += line
        try:
            yield started, said
        finally:
            started.terminate()
            started.communicate(timeout=40)


@pytest.fixture(scope="module")
def shell() -> Iterator[Shell]:
    """The demo runs all the time, so that commands find a database that is up; at the end it stops when told to."""
    folder = reachable_folder()
    kept = {k: v for k, v in os.environ.items() if not k.startswith("SAIDONCE_")}
    env = {**kept, "SAIDONCE_DATA_DIR": str(prepared(folder / "data")), "SAIDONCE_ORG": "demo", "NO_COLOR": "1",
           "SAIDONCE_USE_LLM_ORCHESTRATION": "on"}  # fmt: skip
    made = Shell(env, folder)
    with made.running("demo", "repairs", "--port", str(free_port()), until="Anybody") as (server, said):
        made.said = said
        yield made
        server.send_signal(signal.SIGINT)
        assert server.wait(timeout=60) in (0, 130)  # 130: interrupted, as every command says
    shutil.rmtree(folder, ignore_errors=True)


def moved_in(shell: Shell, name: str, phone: str) -> str:
    """The tenancy of somebody who is no part of the demo."""
    tenancy = f"t-{name.split(maxsplit=1)[0].lower()}"
    table = shell.folder / f"{tenancy}.csv"
    table.write_text(f"address,resident,phones,tenancy_id\n2 {name} Street,{name},{phone},{tenancy}\n")
    shell.run("homes", "import", str(table))
    return tenancy


def test_the_demo_answers_in_the_seeds_situations(shell: Shell) -> None:
    paths = dict(re.findall(r"as ([A-Z][A-Za-z ]+?)\s+http://127\.0\.0\.1:\d+(/chat/\S+)", shell.said))
    url = re.findall(r"http://127\.0\.0\.1:\d+", shell.said)[0]
    with httpx.Client(base_url=url, follow_redirects=True, timeout=60) as client:
        assert client.get("/demo").status_code == 200
        answers = [
            client.post(paths["Ana Bell"], data={"text": text, "key": key}).text
            for text, key in (("My boiler is not working", "first-one"), ("in the kitchen", "second-one"),
                              ("no photo", "the-same-twice"), ("no photo", "the-same-twice"))
        ]  # fmt: skip
        assert "Where in your home" in answers[0]
        assert "Done, I have reported it" in answers[2]
        assert answers[3].count("Done, I have reported it") == 1
        assert "0800 111 999" in client.post(paths["Anybody"], data={"text": "I smell gas"}).text
        cards = re.findall(r'<article class="card.*?</article>', client.get("/repairs").text, re.DOTALL)
        assert sum("Ana Bell" in card for card in cards) == 1
    issues = [i["description"] for i in shell.json("issues", "list") if i["tenancy"] == "t-ana"]
    assert issues == ["My boiler is not working"]
    talk = next(c for c in shell.json("conversations", "list") if c["tenancy"] == "t-ana")
    turn = shell.json("conversations", "show", talk["id"])["turns"][-1]
    assert "has the same result" in shell.run("conversations", "replay", turn["id"])


def test_homes_come_from_a_table_end_and_go_on(shell: Shell) -> None:
    table = shell.folder / "homes.csv"
    table.write_text(
        "address,resident,phones,tenancy_id\n1 A Street,Zoe Ash,07700,t-zoe\n3 C Street,Uma Elm,+447700900078,t-uma\n"
    )
    assert shell.json("homes", "import", str(table), "--dry-run", code=3)["added"] == 1
    found = shell.json("homes", "import", str(table), code=3)
    assert (found["added"], [f["line"] for f in found["flaws"]]) == (1, [2])
    assert shell.json("homes", "import", str(table), code=3)["same"] == 1
    assert shell.json("homes", "end", "t-uma")["ends_at"] is not None
    assert shell.json("homes", "undo", "t-uma")["ends_at"] is None
    first = shell.json("homes", "link", "t-uma")["link"]
    assert first == shell.json("homes", "link", "t-uma")["link"]
    assert first != shell.json("homes", "link", "t-uma", "--new")["link"]
    shell.run("homes", "end", "t-nobody", code=2)


def test_the_console_is_a_channel(shell: Shell) -> None:
    yan = moved_in(shell, "Yan Oak", "+447700900077")
    said = [{"text": "The kitchen tap drips from the spout", "id": "one"}, {"text": "no photo", "id": "two"}]
    lines = "\n".join(json.dumps(line) for line in (*said, said[1]))
    told = [json.loads(line) for line in shell.run("chat", "--as", yan, "--json", said=lines).splitlines()]
    assert [t["kind"] for t in told] == ["identity", "reply", "reply"]
    assert "reported" in told[-1]["text"]
    again = [json.loads(line) for line in shell.run("chat", "--as", yan, "--json", said=lines).splitlines()]
    assert again == []
    assert sum(i["tenancy"] == yan for i in shell.json("issues", "list")) == 1
    assert "0800 111 999" in shell.run("chat", said="I smell gas\n")
    shell.run("chat", "--as", "Nobody At All", code=2)


def test_a_line_that_cannot_be_sent_does_not_end_the_chat(shell: Shell) -> None:
    typed, piped = "+447700900061", "+447700900062"
    told = shell.run("chat", "--as", typed, said="/photo nope.jpg\n/7\n/foo\nI smell gas\n", code=3)
    assert "0800 111 999" in told
    lines = shell.run("chat", "--as", piped, "--json", said='{\n{"text": "I smell gas"}\n', code=3).splitlines()
    assert "0800 111 999" in json.loads(lines[0])["text"]
    talks = [c["id"] for c in shell.json("conversations", "list") if c["phone"] in (typed, piped)]
    kept = [i["text"] for id_ in talks for i in shell.json("conversations", "show", id_)["inbounds"]]
    assert kept == ["I smell gas", "I smell gas"]


def test_people_act_by_commands(shell: Shell) -> None:
    ula = moved_in(shell, "Ula Fern", "+447700900079")
    shell.run("chat", "--as", ula, said="The kitchen tap drips from the spout\nno photo\nmy window is broken\n")
    talk = next(c for c in shell.json("conversations", "list") if c["tenancy"] == ula)["id"]
    shell.run("conversations", "take-over", talk[:12], "--as", "ann")
    assert shell.run("chat", "--as", ula, said="hello?\n") == ""
    shell.run("conversations", "write", talk[:12], "I come at ten.", "--as", "ann")
    shell.run("conversations", "hand-back", talk[:12])
    shown = shell.run("conversations", "show", talk)
    assert "taken_over:ann" in shown
    assert "I come at ten." in shown
    shell.run("conversations", "undo", talk)
    assert shell.json("conversations", "show", talk)["identity"] == "identified"
    issue = next(i for i in shell.json("issues", "list") if i["tenancy"] == ula)
    assert issue["review"] == "identity_undone"
    assert "done" in shell.run("issues", "close", issue["id"][:12], "--as", "ann")
    closed = shell.json("issues", "show", issue["id"])
    assert (closed["state"], [m["after"] for m in closed["moves"]]) == ("done", ["done"])
    shell.run("issues", "move", issue["id"], "open")
    history = shell.run("issues", "show", issue["id"])
    assert history.index("open > done by ann") < history.index("done > open by ")
    assert "moves" not in history
    assert "open > done by ann" in shell.run("conversations", "show", talk)
    assert len(next(i for i in shell.json("issues", "list") if i["id"] == issue["id"])["moves"]) == 2
    shell.run("issues", "show", "ffffffff", code=2)


WRITES = """
from datetime import UTC, datetime

from saidonce import converse
from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.foundation.settings.reading import settings_from
from saidonce.foundation.model.residents import ChannelIdentity, Inbound, InboundKind, Via
from saidonce.app.repairs_service import Repairs

with KnowledgeBase(settings_from(None)) as base:
    now, who = datetime.now(UTC), ChannelIdentity(Via.WEB, "late", "+447700900077")
    text = "the hall light is broken"
    converse.receive(
        Repairs(base, base.for_org).deps(), Inbound(who, "web", "x1", InboundKind.TEXT, now, now, text)
    )
"""


def test_a_worker_answers_without_a_server(shell: Shell) -> None:
    alone = Shell({**shell.env, "SAIDONCE_DATA_DIR": str(prepared(shell.folder / "alone"))}, shell.folder)
    subprocess.run([sys.executable, "-c", WRITES], env=alone.env, check=True, timeout=240)
    time.sleep(1.6)
    worker = [sys.executable, "-m", "saidonce", "worker", "--once"]
    subprocess.run(worker, env=alone.env, check=True, timeout=240)
    talk = alone.json("conversations", "list")[0]
    outbox = alone.json("conversations", "show", talk["id"])["outbox"]
    assert outbox
    assert {m["state"] for m in outbox} == {"sent"}
