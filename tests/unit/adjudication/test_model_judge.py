from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest

from injections import Read, answer, clear, perfect, read, reply, rightly, some
from saidonce.adjudication import AutoRater, CircuitBreaker, JudgeOptions, ModelJudge, RaterOptions
from saidonce.errors import ModelUnavailableError, SettingsError
from saidonce.foundation.model import Candidate, Failure, Match, Opinion, Question, Shown
from saidonce.foundation.ports import Reply
from saidonce.foundation.settings.policy import Settings

Says = Callable[[Read], str]

everything = some(lambda _n, _c: True, clear)
"""Clears every case, with quotes that hold where there are any."""


class Chat:
    """Replies as a test scripts it, in this process."""

    name = "test:model"

    def __init__(self, says: Says) -> None:
        self.says = says
        self.prompts: list[str] = []
        self.schemas: list[Mapping[str, Any]] = []
        self._lock = threading.Lock()

    def complete(self, instructions: str, prompt: str, schema: Mapping[str, object]) -> Reply:
        with self._lock:
            self.prompts.append(prompt)
            self.schemas.append(schema)
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
    assert {p for pair in places for p in pair} == {0, 1, 2}


def test_orders_that_disagree_are_no_ruling() -> None:
    def says(prompt: Read) -> str:
        return perfect(prompt) if prompt.cases[0].is_candidate_first else same(prompt)

    (ruling,) = judge(says)[0].rule([question()])
    assert (ruling.opinion, ruling.failure) == (Opinion.UNSURE, Failure.CONTRADICTION)


def test_orders_that_name_different_matches_are_no_ruling() -> None:
    def says(prompt: Read) -> str:
        (case,) = (c for c in prompt.cases if c.is_own)
        nearest, second = case.kept
        answers = rightly(prompt)
        if not case.is_candidate_first:
            answers[nearest], answers[second] = answers[second], answers[nearest]
        return reply(prompt, answers)

    assert judge(says)[0].rule([question(n=2)])[0].failure is Failure.CONTRADICTION


@pytest.mark.parametrize("opinion", ["distinct", "duplicate", "unsure"])
def test_a_judge_that_always_says_the_same_errs_on_a_canary(opinion: str) -> None:
    def says(prompt: Read) -> str:
        return some(lambda _n, _c: True, lambda case: answer(case, opinion))(prompt)

    assert judge(says)[0].rule([question()])[0].failure is Failure.CANARY


def test_a_wrong_canary_voids_its_own_question_alone() -> None:
    def says(prompt: Read) -> str:
        is_bad = any("bad" in c.candidate for c in prompt.cases if c.is_own)
        return everything(prompt) if is_bad else perfect(prompt)

    made, chat = judge(says)
    rulings = made.rule([question("good"), question("bad"), question("other")])
    assert [r.failure for r in rulings] == [None, Failure.CANARY, None]
    assert [r.opinion for r in rulings] == [Opinion.DISTINCT, Opinion.UNSURE, Opinion.DISTINCT]
    assert [r.n_tokens for r in rulings] == [20, 40, 20]
    assert len(chat.prompts) == 8


def test_after_a_wrong_canary_the_question_is_put_once_more_beside_other_known_pairs() -> None:
    asked: list[str] = []

    def says(prompt: Read) -> str:
        asked.append(" ".join(sorted(c.candidate for c in prompt.cases if not c.is_own)))
        return everything(prompt) if len(asked) == 1 else perfect(prompt)

    made, chat = judge(says)
    (ruling,) = made.rule([question()])
    assert (ruling.opinion, ruling.failure, ruling.n_tokens) == (Opinion.DISTINCT, None, 40)
    assert len(chat.prompts) == len(set(chat.prompts)) == 4
    assert set(asked[:2]) != set(asked[2:])


def test_a_model_that_takes_too_long_is_left_alone() -> None:
    ended = threading.Event()

    def says(prompt: Read) -> str:
        ended.wait(20.0)
        return perfect(prompt)

    made, _ = judge(says, timeout_s=0.2)
    (ruling,) = made.rule([question()])
    ended.set()
    assert (ruling.opinion, ruling.failure) == (Opinion.UNSURE, Failure.TIMEOUT)


def test_a_model_that_fails_again_and_again_is_not_asked_for_a_while() -> None:
    class Down(Chat):
        def complete(self, instructions: str, prompt: str, schema: Mapping[str, object]) -> Reply:
            self.prompts.append(prompt)
            raise ModelUnavailableError(self.name, "down\x00\n")

    chat, now = Down(same), [0.0]
    made = ModelJudge(chat, b"a secret", JudgeOptions(30.0), CircuitBreaker(2, 60.0, lambda: now[0]))
    failures = [made.rule([question()])[0].failure for _ in range(4)]
    assert failures == [Failure.UNREACHABLE] * 2 + [Failure.CIRCUIT_OPEN] * 2
    assert len(chat.prompts) == 4


def test_differences_that_do_not_fit_are_not_ruled_on_and_not_sent() -> None:
    made, chat = judge(same)
    long = " ".join(f"word{n}" for n in range(5_000))
    (ruling,) = made.rule([question(long)])
    assert (ruling.opinion, ruling.failure, ruling.reason) == (
        Opinion.UNSURE, None, "the differences are too long for a prompt",
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


@pytest.mark.parametrize(("url", "key"), [("no url", ""), ("http://r", "a key of words")])
def test_a_malformed_setting_of_the_auto_rater_is_named_as_it_is_set(url: str, key: str) -> None:
    with pytest.raises(SettingsError) as refused:
        AutoRater(url, b"a secret", key=key)
    assert refused.value.key in Settings.model_fields


def test_what_a_judge_says_is_cleaned_and_shortened() -> None:
    def says(prompt: Read) -> str:
        (own,) = (c for c in prompt.cases if c.is_own)
        return reply(prompt, {**rightly(prompt), **answer(own, "distinct", differs="a\u202eb\n" * 400)})

    (ruling,) = judge(says)[0].rule([question()])
    assert ruling.reason.startswith("it says distinct, but the texts do not show the difference: ab ab ab")
    assert len(ruling.reason) == 500


def test_a_distinct_counts_with_a_difference_that_can_be_seen_from_every_kept_text() -> None:
    def says(differs: Sequence[str]) -> Says:
        def said(prompt: Read) -> str:
            (own,) = (c for c in prompt.cases if c.is_own)
            answers = rightly(prompt)
            for label, words in zip(own.kept, differs, strict=True):
                answers[label] = {"differs": words, "opinion": "distinct", "confidence": 0.7}
            return reply(prompt, answers)

        return said

    def ruled(*differs: str) -> tuple[str, str]:
        (ruling,) = judge(says(differs))[0].rule([question("Count the boots.", "Count the shoes.", len(differs))])
        return ruling.opinion, ruling.reason

    assert ruled("boots / shoes") == ("distinct", "differs: boots / shoes")
    assert ruled("boots / shoes", "boots / ")[0] == "distinct"
    assert ruled("boots / shoes", "the / the") == (
        "unsure", "it says distinct, but the texts do not show the difference: the / the",
    )  # fmt: skip
    assert ruled("")[1].endswith("it names none")


def test_a_distinct_pair_that_is_known_must_be_told_apart_by_what_can_be_seen_too() -> None:
    def says(prompt: Read) -> str:
        blind = {label: {**a, "differs": "left / right"} for label, a in rightly(prompt).items()}
        return reply(prompt, blind)

    assert judge(says)[0].rule([question()])[0].failure is Failure.CANARY


def test_what_all_texts_share_in_fields_and_opening_is_not_shown() -> None:
    made, chat = judge(same)
    fields = (("persona", "store manager"), ("subdomain", "shoes"))
    other = (("persona", "store manager"), ("subdomain", "boots"))
    head = "You manage a store. Task: "
    shown = tuple(
        Shown(Match(f"m{n}", 0.9, Candidate(f"{head}count {what}", what, fields=of)))
        for n, (what, of) in enumerate([("them", fields), ("all", other)])
    )
    made.rule([Question(Candidate(f"{head}count each", "h", fields=fields), shown)])
    for prompt in chat.prompts:
        (own,) = (c for c in read(prompt).cases if c.is_own)
        assert own.candidate == "subdomain: shoes\ntext: count each"
        assert list(own.kept.values()) == ["subdomain: shoes\ntext: count them", "subdomain: boots\ntext: count all"]


def test_known_pairs_may_be_none_at_all_and_no_more_than_there_are() -> None:
    made, chat = judge(everything, n_known=0)
    assert made.rule([question()])[0].opinion is Opinion.DISTINCT, "nothing catches a judge that always says the same"
    assert [len(read(p).cases) for p in chat.prompts] == [1, 1]
    made, chat = judge(same, n_known=5)
    assert made.rule([question()])[0].opinion is Opinion.DUPLICATE
    assert [len(read(p).cases) for p in chat.prompts] == [11, 11]
    for wrong in (-1, 6):
        with pytest.raises(SettingsError, match="n_known"):
            JudgeOptions(n_known=wrong)


def test_the_schema_lets_nothing_be_said_that_breaks_the_contract() -> None:
    """And keeps to what OpenAI's strict mode knows: every property required, no others, no keywords but these."""

    def nodes(node: Any) -> Iterator[dict[str, Any]]:
        yield node
        for inner in node.get("properties", {}).values():
            yield from nodes(inner)

    made, chat = judge(same)
    made.rule([question(n=3)])
    for prompt, schema in zip(chat.prompts, chat.schemas, strict=True):
        asked, top = read(prompt), schema["properties"]
        assert (top["question"]["enum"], top["nonce"]["enum"]) == ([asked.question], [asked.nonce])
        shown = re.findall(r"^kept (\w+)$", prompt, re.M)
        assert list(top["answers"]["properties"]) == shown
        assert len(shown) == len(set(shown)) == 5
        for node in nodes(schema):
            assert set(node) <= {"type", "enum", "properties", "required", "additionalProperties"}
            if node["type"] == "object":
                assert node["required"] == list(node["properties"])
                assert node["additionalProperties"] is False


def test_many_kept_texts_have_labels_that_are_told_apart() -> None:
    made, chat = judge(same)
    (ruling,) = made.rule([question(n=60)])
    assert (ruling.opinion, ruling.of) == (Opinion.DUPLICATE, "m1")
    for prompt in chat.prompts:
        labels = [label for case in read(prompt).cases for label in case.kept]
        assert len(labels) == len(set(labels)) == 62
