"""A model that errs on a known pair, over the command line: that question alone is voided, and asked again."""

from __future__ import annotations

import json
import shutil
import threading
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from chat_server import ChatServer, chatting
from command_line import Shell
from conftest import prepared, reachable_folder
from injections import Read, clear, perfect, read, some

pytestmark = pytest.mark.xdist_group("gate_commands")

KEPT = "Count the shirts in the stock room of the shop and note on the sheet what is missing."
GOODS = ("belts", "boots", "coats", "gloves", "hats", "jeans", "lamps", "scarves", "skirts", "socks")
ERRS_ON = "gloves"

errs = some(lambda _n, _c: True, clear)
"""Clears every case, known duplicates too."""


class Model:
    """Rules rightly, but for its first so many replies about one submission."""

    def __init__(self, n_wrong: int) -> None:
        self.n_wrong = n_wrong
        self.asked: Counter[str] = Counter()
        self._lock = threading.Lock()

    def __call__(self, request: dict[str, Any]) -> tuple[int, str]:
        prompt: Read = read(request["messages"][-1]["content"])
        (own,) = (case.candidate for case in prompt.cases if case.is_own)
        (goods,) = (word for word in GOODS if word in own)
        with self._lock:
            self.asked[goods] += 1
            is_wrong = goods == ERRS_ON and self.asked[goods] <= self.n_wrong
        return 200, (errs if is_wrong else perfect)(prompt)


@pytest.fixture(scope="module")
def chat() -> Iterator[ChatServer]:
    with chatting() as server:
        yield server


@pytest.fixture(scope="module")
def shell(chat: ChatServer) -> Iterator[Shell]:
    folder = reachable_folder()
    with Shell(prepared(folder / "data")) as opened:
        opened.env |= {
            "SAIDONCE_GATE_LLM_ENABLED": "true",
            "SAIDONCE_GATE_ADJUDICATOR": "openai:scripted",
            "SAIDONCE_GATE_MODEL_URL": chat.url,
            "SAIDONCE_GATE_MODEL_KEY": "none",
            "NO_PROXY": "127.0.0.1",
        }
        yield opened
    shutil.rmtree(folder, ignore_errors=True)


def checked(shell: Shell, gate: str, code: int) -> dict[str, dict[str, Any]]:
    """Have a gate that keeps one task check ten that differ from it in one word; give the verdicts by that word."""
    path = shell.data_dir.parent / f"{gate}.jsonl"
    rows = [{"id": "kept", "text": KEPT}, *({"id": each, "text": KEPT.replace("shirts", each)} for each in GOODS)]
    path.write_text("\n".join(map(json.dumps, rows)) + "\n", "utf-8")
    done = shell.invoke("gate", "check", str(path), "--gate", gate, "--json", code=code)
    verdicts = {row["key"]: row for row in map(json.loads, done.stdout.splitlines())}
    assert verdicts.pop("kept")["authorized"]
    return verdicts


def test_one_wrong_reply_is_asked_again_and_holds_nothing(shell: Shell, chat: ChatServer) -> None:
    chat.reply = model = Model(1)
    verdicts = checked(shell, "once", 0)
    assert {v["reason"] for v in verdicts.values()} == {"llm_cleared"}
    assert model.asked == {each: 4 if each == ERRS_ON else 2 for each in GOODS}
    assert shell.json("gate", "held", "--gate", "once")["n"] == 0


def test_a_question_that_stays_wrong_is_held_alone_and_settled_when_it_is_asked_again(
    shell: Shell, chat: ChatServer
) -> None:
    chat.reply = model = Model(4)
    verdicts = checked(shell, "twice", 4)
    assert {each: v["reason"] for each, v in verdicts.items() if not v["authorized"]} == {ERRS_ON: "canary"}
    listed = shell.json("gate", "held", "--gate", "twice", "--reason", "canary")
    assert [row["key"] for row in listed["held"]] == [ERRS_ON]
    shell.run("gate", "retry", "--gate", "twice", "--failed", "canary")
    assert model.asked == {each: 6 if each == ERRS_ON else 2 for each in GOODS}
    again = shell.json("gate", "verdict", verdicts[ERRS_ON]["id"])
    assert (again["reason"], again["authorized"]) == ("llm_cleared", True)
    assert shell.json("gate", "held", "--gate", "twice")["n"] == 0
