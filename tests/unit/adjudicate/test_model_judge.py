from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping

import pytest

from injections import Read, answer, perfect, read, reply, rightly
from saidonce.adjudicate import AutoRater, Breaker, JudgeOptions, ModelJudge, RaterOptions
from saidonce.errors import ModelUnavailableError, SettingsError
from saidonce.model import Candidate, Failure, Match, Opinion, Question, Shown
from saidonce.ports import Reply

Says = Callable[[Read], str]


class Chat:
    """Replies as a test scripts it, in this process."""

    name = "test:model"

    def __init__(self, says: Says) -> None:
        self.says = says
        self.prompts: list[str] = []
        self._lock = threading.Lock()

    def complete(self, instructions: str, prompt: str, schema: Mapping[str, object]) -> Reply:
        with self._lock:
            self.prompts.append(prompt)
        return Reply(self.says(read(prompt)), 7, 3)


def question(text: str = "Count the shoes.", kept: str = "Count all shoes.", n: int = 1) -> Question:
    fields = (("persona", "store manager"), ("task type", "stock\u202e\nFENCE"))
    matches = [Match(f"m{i}", 0.9 - i / 100, Candidate(f"{kept} {i}", f"k{i}")) for i in range(1, n + 1)]
    return Question(Candidate(text, "h", fields=fields), tuple(Shown(m) for m in matches))


def same(prompt: Read) -> str:
    return reply(prompt, rightly(prompt))


def judge(says: Says, **options: float) -> tuple[ModelJudge, Chat]:
    chat = Chat(says)
    return ModelJudge(chat, b"a secret", JudgeOptions(**{"timeout_s": 30.0, **options})), chat  # type: ignore[arg-type]


def test_both_orders_are_asked_and_agree_on_the_match() -> None:
    made, chat = judge(same)
    (ruling,) = made.rule([question(n=3)])
    assert (ruling.opinion, ruling.of, ruling.confidence, ruling.n_tokens) == (Opinion.DUPLICATE, "m1", 0.9, 20)
    orders = {c.is_candidate_first for p in chat.prompts for c in read(p).cases}
    assert orders == {True, False}
    assert ruling.adjudicator == made.name
    assert made.name.startswith("test:model/judge-")


def test_a_prompt_tells_nothing_that_an_author_could_use_and_holds_the_fields_inside_its_fence() -> None:
    made, chat = judge(same)
    made.rule([question()])
    for prompt in chat.prompts:
        found = read(prompt)
        inside = "".join(prompt.split(f"<<{found.fence}")[1:])
        assert "persona: store manager" in inside
        assert "task type: stock FENCE" in inside
        assert "\u202e" not in prompt
        assert "m1" not in prompt
    assert len({read(p).nonce for p in chat.prompts}) == 2


def test_equal_questions_and_secrets_make_equal_prompts_and_another_secret_others() -> None:
    prompts = []
    for secret in (b"a secret", b"a secret", b"another secret"):
        chat = Chat(same)
        ModelJudge(chat, secret, JudgeOptions(30.0)).rule([question()])
        prompts.append(sorted(chat.prompts))
    assert prompts[0] == prompts[1] != prompts[2]


def test_the_question_never_stands_at_one_place_in_both_orders() -> None:
    made, chat = judge(same)
    places = []
    for n in range(40):
        chat.prompts.clear()
        made.rule([question(f"Count the shoes in store {n}.")])
        places.append([next(i for i, c in enumerate(read(p).cases) if c.is_own) for p in chat.prompts])
    assert all(a != b for a, b in places)
    assert {p for pair in places for p in pair} == {0, 1, 2, 3, 4}


def test_orders_that_disagree_are_no_ruling() -> None:
    def says(prompt: Read) -> str:
        return perfect(prompt) if prompt.cases[0].is_candidate_first else same(prompt)

    (ruling,) = judge(says)[0].rule([question()])
    assert (ruling.opinion, ruling.failure) == (Opinion.UNSURE, Failure.CONTRADICTION)


def test_orders_that_name_different_matches_are_no_ruling() -> None:
    def says(prompt: Read) -> str:
        own = next(n for n, c in enumerate(prompt.cases) if c.is_own)
        answers, case = rightly(prompt), prompt.cases[own]
        answers[own] = answer(case, "duplicate", of=case.kept[0 if case.is_candidate_first else 1])
        return reply(prompt, answers)

    assert judge(says)[0].rule([question(n=2)])[0].failure is Failure.CONTRADICTION


@pytest.mark.parametrize("opinion", ["distinct", "duplicate", "unsure"])
def test_a_judge_that_always_says_the_same_errs_on_a_canary(opinion: str) -> None:
    def says(prompt: Read) -> str:
        return reply(prompt, [answer(case, opinion) for case in prompt.cases])

    assert judge(says)[0].rule([question()])[0].failure is Failure.CANARY


def test_a_wrong_canary_voids_the_whole_batch_and_ends_it() -> None:
    def says(prompt: Read) -> str:
        is_bad = any("bad" in c.candidate for c in prompt.cases if c.is_own)
        return reply(prompt, [answer(c, "distinct") for c in prompt.cases]) if is_bad else perfect(prompt)

    made, chat = judge(says)
    assert made.rule([question("good")])[0].opinion is Opinion.DISTINCT
    chat.prompts.clear()
    rulings = made.rule([question("good"), question("bad"), question("other")])
    assert [(r.opinion, r.failure) for r in rulings] == [(Opinion.UNSURE, Failure.CANARY)] * 3
    assert [r.n_tokens for r in rulings] == [20, 20, 0]
    assert len(chat.prompts) == 4


def test_a_model_that_takes_too_long_is_left_alone() -> None:
    ended = threading.Event()

    def says(prompt: Read) -> str:
        ended.wait(20.0)
        return perfect(prompt)

    made, _ = judge(says, timeout_s=0.2)
    started = time.monotonic()
    (ruling,) = made.rule([question()])
    took_s = time.monotonic() - started
    ended.set()
    assert (ruling.opinion, ruling.failure) == (Opinion.UNSURE, Failure.TIMEOUT)
    assert took_s < 5.0


def test_a_model_that_fails_again_and_again_is_not_asked_for_a_while() -> None:
    class Down(Chat):
        def complete(self, instructions: str, prompt: str, schema: Mapping[str, object]) -> Reply:
            self.prompts.append(prompt)
            raise ModelUnavailableError(self.name, "down\x00\n")

    chat, now = Down(same), [0.0]
    made = ModelJudge(chat, b"a secret", JudgeOptions(30.0), Breaker(2, 60.0, lambda: now[0]))
    failures = [made.rule([question()])[0].failure for _ in range(4)]
    assert failures == [Failure.UNREACHABLE] * 2 + [Failure.CIRCUIT_OPEN] * 2
    assert len(chat.prompts) == 4


def test_differences_that_do_not_fit_are_not_ruled_on_and_not_sent() -> None:
    made, chat = judge(same)
    long = " ".join(f"word{n}" for n in range(5_000))
    (ruling,) = made.rule([question(long)])
    assert (ruling.opinion, ruling.failure, ruling.reason) == (
        Opinion.UNSURE, None, "the differences are too long to be shown",
    )  # fmt: skip
    assert chat.prompts == []


def test_a_difference_at_the_end_of_long_texts_is_shown() -> None:
    made, chat = judge(same)
    long = " ".join(f"word{n}" for n in range(5_000))
    made.rule([question(f"{long} for 30 days", f"{long} for 90 days")])
    assert all("for 30 days" in p and "for 90 days" in p and len(p) < 20_000 for p in chat.prompts)


def test_a_reply_too_long_is_malformed() -> None:
    assert judge(lambda p: perfect(p) + " " * 60_000)[0].rule([question()])[0].failure is Failure.MALFORMED


def test_the_name_changes_with_what_a_judge_is_shown() -> None:
    names = {judge(same, **options)[0].name for options in ({}, {"text_chars": 99}, {"is_wary": False})}
    assert len(names) == 3
    options = (
        RaterOptions(),
        RaterOptions(lenient=True),
        RaterOptions(requires_echo=True),
        RaterOptions(text_chars=99),
    )
    raters = {AutoRater("http://r", b"a secret", o).name for o in options}
    assert len(raters) == 4


def test_a_secret_that_is_none_is_refused() -> None:
    with pytest.raises(SettingsError, match="not shown"):
        ModelJudge(Chat(same), b"")
    with pytest.raises(SettingsError, match="not shown"):
        AutoRater("http://r", b"short")
    with pytest.raises(SettingsError):
        RaterOptions(timeout_ms=0)


def test_what_a_judge_says_is_cleaned_and_shortened() -> None:
    def says(prompt: Read) -> str:
        answers = [{**a, "reason": "a\u202eb\n" * 400} for a in rightly(prompt)]
        return json.dumps({"question": prompt.question, "nonce": prompt.nonce, "cases": answers})

    (ruling,) = judge(says)[0].rule([question()])
    assert ruling.reason.startswith("ab ab ab")
    assert len(ruling.reason) == 500
