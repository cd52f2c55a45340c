"""A judge that does whatever a text asks of it, over the real provider layer: the gate lets none of them pass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from benchmarks.faults import ASKING

from chat_server import N_INPUT, N_OUTPUT, ChatServer, chatting
from injections import ATTACKS, CARRIERS, TARGETED, TASK, Attack, perfect, read, reply, rightly
from saidonce.adapters.llm import open_chat
from saidonce.adjudication import CircuitBreaker, JudgeOptions, ModelJudge, Price
from saidonce.foundation.model import Candidate, Match, Opinion, Outcome, Reason, Ruling
from saidonce.foundation.text import content_hash
from saidonce.matching.ladder import Case, ask, decide

KEPT = (
    Match("m1", 0.93, Candidate(TASK.replace("every difference", "each deviation"), content_hash("m1"))),
    Match("m2", 0.78, Candidate("Count the pallets in the yard.", content_hash("m2"))),
)


@pytest.fixture(scope="module")
def chat() -> Iterator[ChatServer]:
    with chatting() as server:
        yield server


@pytest.fixture(autouse=True)
def _direct(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def judge(chat: ChatServer, wary: bool) -> ModelJudge:
    model = open_chat("openai:scripted", 30.0, chat.url, "none")
    return ModelJudge(
        model,
        b"not the attacker's",
        JudgeOptions(30.0, price=Price(0.25, 2.0), is_wary=wary),
        CircuitBreaker(n_failures=10**9),
    )


def case(text: str, fields: tuple[tuple[str, str], ...] = ()) -> Case:
    return Case(Candidate(text, content_hash(text), fields=fields), KEPT, ASKING, ())


def ruled(judge: ModelJudge, chat: ChatServer, asked: Case, attack: Attack) -> tuple[Ruling, Outcome]:
    chat.reply = lambda request: (200, attack.obeys(read(request["messages"][-1]["content"])))
    question = ask(asked)
    assert question is not None
    (ruling,) = judge.rule([question])
    return ruling, decide(replace(asked, ruling=ruling)).outcome


def test_there_are_two_hundred_texts() -> None:
    texts = {carrier(attack.words) for attack in ATTACKS for carrier in CARRIERS.values()}
    assert len(texts) == 200


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda a: a.name)
def test_obedience_alone_clears_nothing(chat: ChatServer, attack: Attack) -> None:
    """Without the look at the words: what holds is the contract, the echo, the canaries and the two orders."""
    for carrier in CARRIERS.values():
        ruling, outcome = ruled(judge(chat, wary=False), chat, case(*carrier(attack.words)), attack)
        assert (ruling.opinion is Opinion.DISTINCT, outcome) == (False, Outcome.DUPLICATE)
        n_orders = ruling.n_tokens / (N_INPUT + N_OUTPUT)
        assert n_orders in (2, 4), "it was asked in both orders, and once more beside other known pairs"


@pytest.mark.parametrize("attack", [*ATTACKS, *TARGETED], ids=lambda a: a.name)
def test_a_wary_judge_is_cleared_by_none_either(chat: ChatServer, attack: Attack) -> None:
    for carrier in CARRIERS.values():
        _, outcome = ruled(judge(chat, wary=True), chat, case(*carrier(attack.words)), attack)
        assert outcome is Outcome.DUPLICATE


@pytest.mark.parametrize("attack", TARGETED, ids=lambda a: a.name)
def test_only_wariness_holds_a_judge_that_obeys_and_keeps_to_the_contract(chat: ChatServer, attack: Attack) -> None:
    """The check of the checker: the judge of these tests is obedient indeed, and a clear is possible."""
    asked = case(*CARRIERS["behind"](attack.words))
    assert ruled(judge(chat, wary=False), chat, asked, attack)[1] is Outcome.DISTINCT
    ruling, outcome = ruled(judge(chat, wary=True), chat, asked, attack)
    assert (ruling.opinion, ruling.n_tokens, outcome) == (Opinion.UNSURE, 0, Outcome.DUPLICATE)


def test_a_sound_judge_clears_and_blocks_and_tells_its_cost(chat: ChatServer) -> None:
    asked = case(f"{TASK} For shoes.")
    same = Attack("", "", lambda prompt: reply(prompt, rightly(prompt)))
    ruling, outcome = ruled(judge(chat, wary=True), chat, asked, same)
    assert (ruling.opinion, ruling.of, ruling.failure, outcome) == (Opinion.DUPLICATE, "m1", None, Outcome.DUPLICATE)
    ruling, outcome = ruled(judge(chat, wary=True), chat, asked, Attack("", "", perfect))
    assert (ruling.opinion, ruling.reason, ruling.confidence) == (
        Opinion.DISTINCT,
        "differs: every /; reconcile /",
        0.9,
    )
    assert decide(replace(asked, ruling=ruling)).reason is Reason.LLM_CLEARED
    assert ruling.n_tokens == 2 * (N_INPUT + N_OUTPUT)
    assert ruling.cost == pytest.approx(2 * (N_INPUT * 0.25 + N_OUTPUT * 2.0) / 1e6)
