"""Adjudicators against servers that misbehave: nothing is cleared, nobody is kept waiting, and nothing is raised.

The long version is `python -m benchmarks.faults`.
"""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from benchmarks.faults import ASKING, CASE, WORKING, certificate, tried
from benchmarks.faulty import (
    Answer,
    Asked,
    Fault,
    Faulty,
    accepts,
    answers,
    bombs,
    done,
    drips_headers,
    echoes,
    faults,
    hangs,
    holds,
    in_turn,
    never_ends,
    resets,
    says,
    sent,
    serving,
    status,
)

from garbage import searched_for_new_alone
from injections import perfect, read
from saidonce.adapters.llm import open_chat
from saidonce.adjudication import AutoRater, CircuitBreaker, JudgeOptions, ModelJudge, RaterOptions
from saidonce.errors import SettingsError
from saidonce.foundation.model import Failure, Opinion, Outcome, Question, Ruling
from saidonce.matching.ladder import ask, decide
from thinned import every

DEADLINE_MS = 600
"""Without a deadline the slow faults take from 15 s to hours; `python -m benchmarks.faults` measures how long."""

FAULTS = {fault.name: fault for fault in faults(DEADLINE_MS / 1000)}
PATIENT_MS = 20_000


@pytest.fixture(autouse=True)
def _direct(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,no-such-host.invalid")


@pytest.fixture(autouse=True, scope="module")
def _new_alone() -> Iterator[None]:
    with searched_for_new_alone():
        yield


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    """A connection left open is a warning when it is collected, and warnings are errors: of this test, not the next."""
    yield
    gc.collect()


def question() -> Question:
    asked = ask(CASE)
    assert asked is not None
    return asked


CUT_OFF = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
"""On a machine that stalls, the deadline may cut off a handshake before connecting has given up by itself; httpcore
then leaves the socket to the collector, which closes it and warns."""

NAMED = [pytest.param(name, marks=CUT_OFF if name.startswith("TLS") else ()) for name in FAULTS]


@pytest.mark.parametrize("name", every(4, NAMED))  # all, and 40 times each, in `make proofs`
def test_a_fault_clears_nothing_and_keeps_nobody_waiting(name: str) -> None:
    ruling, cleared, _ = tried(FAULTS[name], DEADLINE_MS)  # How long it took, `make proofs` measures.
    assert not cleared
    assert ruling.opinion is not Opinion.DISTINCT


@pytest.mark.parametrize("fault", WORKING, ids=lambda f: f.name)
def test_a_service_that_works_clears(fault: Fault) -> None:
    ruling, cleared, _ = tried(fault, PATIENT_MS)
    assert (ruling.opinion, ruling.failure, cleared) == (Opinion.DISTINCT, None, True)


def rated(submit: Answer, poll: Answer, **options: object) -> tuple[Ruling, Faulty]:
    server = Faulty(submit, poll)
    try:
        rater = AutoRater(server.url, b"a secret", RaterOptions(PATIENT_MS, 20, **options))  # type: ignore[arg-type]
        (ruling,) = rater.rule([question()])
        return ruling, server
    finally:
        server.close()


def test_a_duplicate_counts_once_it_is_seen() -> None:
    ruling, server = rated(accepts, in_turn(accepts, holds(
        classification="duplicate", review_feedback="The same task. Repeats m2.")))  # fmt: skip
    assert (ruling.opinion, ruling.of, ruling.confidence) == (Opinion.DUPLICATE, "m2", 0.9)
    assert (server.n_submitted, server.n_polls) == (1, 2)
    assert ruling.duration_ms > 0


def test_a_structured_duplicate_names_its_match() -> None:
    def told(said: dict[str, Any]) -> bytes:
        repeats = {**said, "opinion": "duplicate", "of": "m1", "reason": "the same\ntask"}
        return done(said, result={"review_feedback": json.dumps(repeats)})

    ruling, _ = rated(accepts, says(told))
    assert (ruling.opinion, ruling.of, ruling.reason) == (Opinion.DUPLICATE, "m1", "the same task")


def test_a_duplicate_of_nobody_knows_what_is_no_merge() -> None:
    ruling, _ = rated(accepts, holds(classification="duplicate", review_feedback="The same task."))
    assert (ruling.opinion, ruling.of) == (Opinion.DUPLICATE, "")
    assert decide(replace(CASE, ruling=ruling)).reason == "no_ruling"


def test_a_clear_is_confirmed_by_a_second_look() -> None:
    ruling, server = rated(accepts, answers)
    assert (ruling.opinion, server.n_polls) == (Opinion.DISTINCT, 2)


def test_free_text_clears_only_where_the_operator_says_so(caplog: pytest.LogCaptureFixture) -> None:
    free = holds(classification="", review_feedback="The candidate is not a duplicate: the subdomains differ.")
    ruling, _ = rated(accepts, free)
    assert (ruling.opinion, ruling.failure) == (Opinion.UNSURE, None)
    assert not caplog.records
    ruling, _ = rated(accepts, free, lenient=True)
    assert ruling.opinion is Opinion.DISTINCT
    assert [r.levelname for r in caplog.records] == ["WARNING", "WARNING"]
    assert "softlines" not in caplog.text


def test_a_bare_word_clears_unless_the_operator_wants_an_echo() -> None:
    word = holds(classification="Not a duplicate.", review_feedback="Softlines and hardlines differ.")
    assert rated(accepts, word)[0].opinion is Opinion.DISTINCT
    assert rated(accepts, word, requires_echo=True)[0].failure is Failure.MALFORMED
    assert rated(accepts, answers, requires_echo=True)[0].opinion is Opinion.DISTINCT


def test_what_is_sent_is_the_protocol_and_the_key_stands_in_no_name() -> None:
    seen: list[Asked] = []

    def noting(connection: object, asked: Asked) -> None:
        seen.append(asked)
        accepts(connection, asked)  # type: ignore[arg-type]

    with serving(Fault("", submit=noting, poll=echoes(confidence=1))) as url:
        rater = AutoRater(url + "/", b"a secret", RaterOptions(PATIENT_MS, 20), key="sk-verysecret")
        rater.rule([question()])
    (asked,) = seen
    assert (asked.method, asked.path) == ("POST", "/api/v1/review")
    assert set(asked.body) == {"custom_evaluation_prompt", "payload"}
    assert asked.body["payload"]["candidate"]["fields"]["subdomain"] == "softlines"
    assert [m["id"] for m in asked.body["payload"]["matches"]] == ["m1", "m2"]
    assert "softlines" in asked.body["custom_evaluation_prompt"]
    assert "sk-verysecret" not in f"{rater.name} {vars(rater)['_name']} {asked.body}"


def test_a_breaker_spares_a_service_that_is_down_and_tries_it_again() -> None:
    now = [0.0]
    server = Faulty(in_turn(*[status("500 Internal Server Error")] * 3, accepts), answers)
    try:
        breaker = CircuitBreaker(2, 60.0, lambda: now[0])
        rater = AutoRater(server.url, b"a secret", RaterOptions(PATIENT_MS, 20), breaker=breaker)
        causes = [rater.rule([question()])[0].failure for _ in range(4)]
        assert causes == [Failure.UNREACHABLE] * 2 + [Failure.CIRCUIT_OPEN] * 2
        now[0] = 60.0
        assert [r.failure for r in rater.rule([question()] * 2)] == [Failure.UNREACHABLE, Failure.CIRCUIT_OPEN]
        now[0] = 120.0
        assert [r.failure for r in rater.rule([question()])] == [None]
        assert server.n_submitted == 4
    finally:
        server.close()


@pytest.mark.parametrize(
    "url", ["", "ftp://rater", "http://user:pass@rater", "http://rater/?q=1", "http://rater/#x", "rater", "http://[x"]
)
def test_a_url_that_makes_no_sense_is_refused_at_start(url: str) -> None:
    with pytest.raises(SettingsError, match="auto_rater_url") as refused:
        AutoRater(url, b"a secret")
    assert "user:pass" not in str(refused.value)


@pytest.mark.parametrize("key", ["two words", "ümlaut", "line\nbreak"])
def test_a_key_that_cannot_be_sent_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(SettingsError) as refused:
        AutoRater("http://rater", b"a secret", key=key)
    assert key not in str(refused.value)


def completes(connection: object, asked: Asked) -> None:
    """A language model that keeps to everything, and clears."""
    sent(connection, completion(asked))  # type: ignore[arg-type]


def completion(asked: Asked) -> bytes:
    content = perfect(read(asked.body["messages"][-1]["content"]))
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return json.dumps(
        {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}
    ).encode()


def cut(at: slice) -> Answer:
    return lambda connection, asked: sent(connection, completion(asked)[at])


def drips(connection: object, asked: Asked) -> None:
    body = completion(asked)
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body))  # type: ignore[attr-defined]
    for place in range(len(body)):
        connection.sendall(body[place : place + 1])  # type: ignore[attr-defined]
        time.sleep(0.05)


CHAT_FAULTS: dict[str, Answer] = {
    "connection reset": resets,
    "400": status("400 Bad Request"),
    "401": status("401 Unauthorized"),
    "404": status("404 Not Found"),
    "409": status("409 Conflict"),
    "429": status("429 Too Many Requests", Retry_After="30"),
    "500": status("500 Internal Server Error"),
    "503": status("503 Service Unavailable"),
    "no headers at all": hangs,
    "slow headers": drips_headers,
    "slow drip of the body": drips,
    "endless body": never_ends,
    "gzip bomb": bombs,
    "empty body": lambda c, _a: sent(c, b""),
    "truncated JSON": cut(slice(0, -9)),
    "HTML page": lambda c, _a: sent(c, b"<html>distinct</html>", kind="text/html"),
    "HTML that claims to be JSON": lambda c, _a: sent(c, b"<html>distinct</html>"),
    "another JSON": lambda c, _a: sent(c, b'{"opinion": "distinct"}'),
    "JSON that is a list": lambda c, _a: sent(c, b"[]"),
    "no choices": lambda c, a: sent(c, json.dumps({**json.loads(completion(a)), "choices": []}).encode()),
    "choices of nothing": lambda c, a: sent(c, json.dumps({**json.loads(completion(a)), "choices": [None]}).encode()),
    "negative time": lambda c, a: sent(c, json.dumps({**json.loads(completion(a)), "created": -1e300}).encode()),
    "redirect to loopback": lambda c, a: sent(c, b"", "307 Temporary Redirect", Location="/elsewhere"),
}  # fmt: skip


@pytest.mark.parametrize("name", every(3, CHAT_FAULTS))
def test_a_model_that_misbehaves_clears_nothing_and_keeps_nobody_waiting(name: str) -> None:
    server = Faulty(CHAT_FAULTS[name], answers)
    try:
        chat = open_chat("openai:scripted", 0.7, server.url + "/v1", "none")
        judge = ModelJudge(chat, b"a secret", JudgeOptions(timeout_s=DEADLINE_MS / 1000))
        (ruling,) = judge.rule([question()])
    finally:
        server.close()
    assert ruling.failure in {Failure.UNREACHABLE, Failure.TIMEOUT, Failure.MALFORMED}
    assert decide(replace(CASE, policy=ASKING, ruling=ruling)).outcome is Outcome.DUPLICATE


def test_a_model_that_behaves_clears() -> None:
    server = Faulty(completes, answers)
    try:
        chat = open_chat("openai:scripted", 20.0, server.url + "/v1", "none")
        (ruling,) = ModelJudge(chat, b"a secret", JudgeOptions(timeout_s=20.0)).rule([question()])
    finally:
        server.close()
    assert (ruling.opinion, ruling.failure) == (Opinion.DISTINCT, None)


def test_the_untrusted_certificate_is_one() -> None:
    """The check of the checker: with that certificate trusted the same service clears."""
    import ssl

    server = Faulty(accepts, answers, certificate())
    try:
        trusting = ssl.create_default_context()
        trusting.check_hostname = False
        trusting.verify_mode = ssl.CERT_NONE
        options = RaterOptions(PATIENT_MS, 20, tls=trusting)
        assert AutoRater(server.url, b"a secret", options).rule([question()])[0].opinion is Opinion.DISTINCT
    finally:
        server.close()
