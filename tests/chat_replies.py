"""Replies of chat endpoints that misbehave, and honest odd ones, played by one real server over loopback.

The cases stand in `tests/cases/replies/chat.toml`; the endpoint else answers rightly and clears the candidate.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from socket import socket
from typing import Any

from benchmarks.faulty import Asked, Faulty
from benchmarks.replies import CASE, Play, sent_whole

from injections import Answers, Read, answer, inverted, perfect, read, reply
from saidonce.adapters.llm import open_chat
from saidonce.adjudication import JudgeOptions, ModelJudge
from saidonce.foundation.model import Outcome, Ruling
from saidonce.matching.ladder import ask, decide

DIFFERS = "softlines / hardlines"


def right(prompt: Read) -> str:
    """Every known pair as it is, the candidate cleared by the word that differs."""
    found = json.loads(perfect(prompt))
    for case in prompt.cases:
        if case.is_own:
            found["answers"] |= answer(case, "distinct", differs=DIFFERS)
    return json.dumps(found)


def _own_labels(prompt: Read) -> list[str]:
    return [label for case in prompt.cases if case.is_own for label in case.kept]


def _answers(prompt: Read, change: Callable[[Answers], Any]) -> str:
    """The right reply with other answers."""
    found = json.loads(right(prompt))
    return json.dumps({**found, "answers": change(found["answers"])})


def _without(prompt: Read, label: str, key: str) -> Answers:
    answers: Answers = json.loads(right(prompt))["answers"]
    del answers[label][key]
    return answers


def _rotated(answers: Answers) -> Answers:
    labels = list(answers)
    return dict(zip(labels, [answers[label] for label in (*labels[1:], labels[0])], strict=True))


def _replaced(old: str, new: str) -> Callable[[Read], str]:
    return lambda prompt: right(prompt).replace(old, new, 1)


def _other_order(prompt: Read) -> str:
    return right(prompt).replace(prompt.nonce, prompt.nonce[::-1])


def _own_only(prompt: Read, **changes: Any) -> str:
    own = {label: {"differs": DIFFERS, "opinion": "distinct", "confidence": 0.9, **changes}
           for label in _own_labels(prompt)}  # fmt: skip
    return _answers(prompt, lambda answers: {**answers, **own})


EDITS: Mapping[str, Callable[[Read], str]] = {
    "cut": lambda p: right(p)[:-3],
    "single quotes": lambda p: right(p).replace('"', "'"),
    "as text": lambda p: json.dumps(right(p)),
    "NaN": _replaced("0.9", "NaN"),
    "1e400": _replaced("0.9", "1e400"),
    "no confidence": lambda p: _answers(p, lambda _a: _without(p, _own_labels(p)[0], "confidence")),
    "opinion twice": _replaced('"opinion": "distinct"', '"opinion": "duplicate", "opinion": "distinct"'),
    "differs twice": _replaced('"differs": ', '"differs": "", "differs": '),
    "curly quotes": lambda p: right(p).replace('"', "\u201d"),
    "answers twice": _replaced('"answers": ', '"answers": {}, "answers": '),
    "nonce twice": _replaced('"nonce": ', '"nonce": "0", "nonce": '),
    "comment": _replaced('"answers": ', '/* roughly */ "answers": '),
    "Arabic digits": _replaced("0.9", "\u0660.\u0669"),
    "Infinity": _replaced("0.9", "Infinity"),
    "no zero": _replaced("0.9", ".9"),
    "comma": lambda p: right(p)[:-1] + ",}",
    "escaped twice": _replaced('"opinion": "distinct"', '"opinion": "duplicate", "opini\\u006fn": "distinct"'),
    "inverted": inverted,
    "all distinct": lambda p: _answers(
        p, lambda a: {label: {**one, "opinion": "distinct", "differs": DIFFERS} for label, one in a.items()}
    ),
    "no nonce": lambda p: json.dumps({k: v for k, v in json.loads(right(p)).items() if k != "nonce"}),
    "swap echo": lambda p: reply(p, json.loads(right(p))["answers"], question=p.nonce, nonce=p.question),
    "long nonce": lambda p: reply(p, json.loads(right(p))["answers"], nonce=p.nonce.upper() + "00"),
    "other order": _other_order,
    "a label missing": lambda p: _answers(p, lambda a: {k: v for k, v in a.items() if k != _own_labels(p)[-1]}),
    "a label too many": lambda p: _answers(p, lambda a: {**a, "Z0000": next(iter(a.values()))}),
    "small labels": lambda p: _answers(p, lambda a: {k.casefold() + "x": v for k, v in a.items()}),
    "rotated labels": lambda p: _answers(p, _rotated),
    "a list of answers": lambda p: _answers(p, lambda a: list(a.values())),
    "schema": lambda _p: json.dumps({"type": "object", "required": ["question", "nonce", "answers"]}),
    "form": lambda p: reply(p, {label: {"...": 0} for label in json.loads(right(p))["answers"]}),
    "pretty": lambda p: json.dumps(json.loads(right(p)), indent=4),
    "reversed": lambda p: json.dumps(dict(reversed(json.loads(right(p)).items()))),
    "escapes": _replaced("softlines", "\\u0073oftlines"),
    "shouted": lambda p: _own_only(p, differs=DIFFERS.upper()),
    "several": lambda p: _own_only(p, differs=f"{DIFFERS}; weekly / monthly"),
}
"""Changes of the right reply that need its labels, by their names in the cases."""


class ChatStage:
    """One server that plays any number of endpoints, each under a path of its own."""

    def __init__(self) -> None:
        self._plays: list[Play] = []
        self._server = Faulty(self._completes, lambda connection, _asked: connection.close())

    def close(self) -> None:
        self._server.close()

    def url(self, play: Play) -> str:
        """Put a case on, and return the base address of its endpoint."""
        self._plays.append(play)
        return f"{self._server.url}/case{len(self._plays) - 1}/v1"

    def _completes(self, connection: socket, asked: Asked) -> None:
        row = self._plays[int(asked.path.split("/")[1].removeprefix("case"))].row
        prompt = read(asked.body["messages"][-1]["content"])
        is_candidate_first = prompt.cases[0].is_candidate_first
        is_bent = row.get("order") in {None, "candidate" if is_candidate_first else "kept"}
        body = row["body"].encode() if is_bent and "body" in row else _completion(row if is_bent else {}, prompt)
        sent_whole(connection, row, body, is_bent)


def _completion(row: Mapping[str, Any], prompt: Read) -> bytes:
    edit = row.get("edit", "")
    text = EDITS[edit](prompt) if edit in EDITS else _laid_over(row, prompt)
    text = row.get("content", "$OK").replace("$OK", text)
    message = {"role": "assistant", "content": text, **json.loads(row.get("message", "{}"))}
    choice = {"index": 0, "finish_reason": "stop", "message": message, **json.loads(row.get("choice", "{}"))}
    choices = [choice]
    if edit == "second choice":
        choices.append({**choice, "index": 1, "message": {"role": "assistant", "content": inverted(prompt)}})
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    whole = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": choices, "usage": usage}
    return json.dumps({**whole, **json.loads(row.get("envelope", "{}"))}).encode()


def _laid_over(row: Mapping[str, Any], prompt: Read) -> str:
    found = json.loads(right(prompt))
    own = set(_own_labels(prompt))
    for label, given in found["answers"].items():
        found["answers"][label] = given | json.loads(row.get("own" if label in own else "known", "{}"))
    return json.dumps({**found, **json.loads(row.get("reply", "{}"))})


@contextmanager
def chat_stage() -> Iterator[ChatStage]:
    """Run the server of all cases."""
    stage = ChatStage()
    try:
        yield stage
    finally:
        stage.close()


def judged(stage: ChatStage, play: Play) -> tuple[Ruling, bool]:
    """Play one case: the ruling, and whether the gate would let the candidate pass."""
    question = ask(CASE)
    assert question is not None
    timeout_s = play.deadline_ms / 1000
    chat = open_chat("openai:scripted", timeout_s, stage.url(play), "none")
    (ruling,) = ModelJudge(chat, b"a secret", JudgeOptions(timeout_s=timeout_s)).rule([question])
    return ruling, decide(replace(CASE, ruling=ruling)).outcome is Outcome.DISTINCT
