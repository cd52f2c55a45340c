from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saidonce.adjudication.canaries import canaries, hidden
from saidonce.adjudication.evidence import Sides, folded
from saidonce.adjudication.replies import CaseReply, free_opinion, read_answers, weighed, word_of
from saidonce.adjudication.results import read_envelope, read_result
from saidonce.errors import ReplyError
from saidonce.foundation.model import Failure, Opinion

ECHO = ("q" * 32, "n" * 16)


@pytest.mark.parametrize(
    ("text", "opinion"),
    [
        ("This is a duplicate of m1.", Opinion.DUPLICATE),
        ("Duplicate: both ask for the same count.", Opinion.DUPLICATE),
        ("This is not a duplicate.", Opinion.DISTINCT),
        ("It isn't a near-duplicate.", Opinion.DISTINCT),
        ("The two are distinct.", Opinion.DISTINCT),
        ("It may be a duplicate.", Opinion.UNSURE),
        ("Is it a duplicate?", Opinion.UNSURE),
        ("Not a duplicate of m1, but a duplicate of m2.", Opinion.UNSURE),
        ("There is no way that this is a duplicate.", Opinion.UNSURE),
        ("It would be a duplicate if the subdomain were equal.", Opinion.UNSURE),
        ("It is hardly distinct.", Opinion.UNSURE),
        ("Both count stock.", Opinion.UNSURE),
        ("", Opinion.UNSURE),
    ],
)
def test_free_text_says_what_it_says_plainly_or_nothing(text: str, opinion: Opinion) -> None:
    assert free_opinion(text) is opinion


@pytest.mark.parametrize("word", ["distinct", " Distinct. ", "NOT_DUPLICATE", "not a duplicate", "non-duplicate"])
def test_a_whole_field_of_one_word_of_the_list_counts(word: str) -> None:
    assert word_of(word) is Opinion.DISTINCT


@pytest.mark.parametrize("word", ["", "distinctly", "distinct?", "not distinct", "dup", "distinct duplicate", "0"])
def test_any_other_field_does_not(word: str) -> None:
    assert word_of(word) is None


def test_the_words_may_come_in_either_field_and_must_agree() -> None:
    def said(**result: Any) -> tuple[Opinion, Failure | None]:
        found = read_result(result, ECHO, ["m1"], False)
        return found.opinion, found.failure

    assert said(classification="distinct", review_feedback="Another subdomain.") == (Opinion.DISTINCT, None)
    assert said(classification="The verdict:", review_feedback="distinct") == (Opinion.DISTINCT, None)
    assert said(classification="distinct", review_feedback="duplicate")[1] is Failure.CONTRADICTION
    assert said(classification="duplicate", review_feedback="It is not a duplicate at all.") == (
        Opinion.DUPLICATE,
        None,
    )
    assert said(classification="", review_feedback="It is a duplicate.") == (Opinion.DUPLICATE, None)


FIELD = st.none() | st.booleans() | st.integers() | st.text() | st.dictionaries(st.text(), st.text())


@given(FIELD, FIELD, FIELD | st.floats())
def test_no_invented_result_clears_without_a_word_of_the_list(
    classification: Any, feedback: Any, confidence: Any
) -> None:
    """No invented text holds the echo, so that only a whole word could clear."""
    result = {"classification": classification, "review_feedback": feedback, "confidence": confidence}
    try:
        said = read_result(result, ECHO, ["m1"], False)
    except ReplyError:
        return
    if said.opinion is Opinion.DISTINCT:
        assert Opinion.DISTINCT in {word_of(f) for f in (classification, feedback) if isinstance(f, str)}


@pytest.mark.parametrize(
    "reply",
    [
        {"id": ["r"], "status": "pending"},
        {"id": "../r", "status": "pending"},
        {"id": ".", "status": "pending"},
        {"id": "a b"},
        {"id": "r" * 201},
        {"id": "r", "status": "Done"},
        {"id": "r", "status": True},
        {"id": "r", "status": "done"},
        {"id": "r", "status": "done", "result": "distinct"},
        {"id": "r", "status": "queued", "result": {}},
    ],
)
def test_a_malformed_envelope_is_refused(reply: dict[str, Any]) -> None:
    with pytest.raises(ReplyError):
        read_envelope(reply)


def test_an_envelope_may_hold_more_than_we_read() -> None:
    found = read_envelope({"id": "r", "status": "running", "queue": 3, "created_at": "today"})
    assert (found.id, found.is_done) == ("r", False)
    assert read_envelope({"result": {"classification": "x"}}).is_done
    assert not read_envelope({"id": "r"}).is_done


LABELS = ["A1", "B2"]
ECHOED = {"question": ECHO[0], "nonce": ECHO[1]}
DIFFERS = {"differs": "boots / shoes", "opinion": "distinct", "confidence": 1}


def answers(**changes: Any) -> str:
    return json.dumps({**ECHOED, "answers": {"A1": {**DIFFERS, **changes}, "B2": DIFFERS}})


def test_a_reply_is_read() -> None:
    said = read_answers(answers(opinion="duplicate", differs="", confidence=0.5), ECHO, LABELS)
    assert said == {
        "A1": CaseReply("", Opinion.DUPLICATE, 0.5),
        "B2": CaseReply("boots / shoes", Opinion.DISTINCT, 1.0),
    }


@pytest.mark.parametrize(
    "changes",
    [
        {"opinion": "Distinct"},
        {"opinion": ["distinct"]},
        {"opinion": None},
        {"differs": None},
        {"differs": ["boots", "shoes"]},
        {"confidence": "1"},
        {"confidence": True},
        {"confidence": 1.0001},
        {"confidence": None},
        {"of": "A1"},
    ],
)
def test_an_answer_that_breaks_the_contract_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ReplyError):
        read_answers(answers(**changes), ECHO, LABELS)


@pytest.mark.parametrize(
    "changes",
    [
        {"answers": {"A1": DIFFERS}},
        {"answers": {"A1": DIFFERS, "B2": DIFFERS, "C3": DIFFERS}},
        {"answers": {"A1": DIFFERS, "B3": DIFFERS}},
        {"answers": {"A1": DIFFERS, "B2": "distinct"}},
        {"answers": [DIFFERS, DIFFERS]},
        {"question": "q"},
        {"nonce": "n"},
        {"override": True},
    ],
)
def test_every_label_is_answered_once_with_the_echo(changes: dict[str, Any]) -> None:
    told = {**ECHOED, "answers": {"A1": DIFFERS, "B2": DIFFERS}}
    assert len(read_answers(json.dumps(told), ECHO, LABELS)) == 2
    with pytest.raises(ReplyError):
        read_answers(json.dumps({**told, **changes}), ECHO, LABELS)


BOOTS = Sides(folded("subdomain: boots", "Count the boots."), folded("subdomain: shoes", "Count the shoes."))
SEEN = CaseReply("boots / shoes", Opinion.DISTINCT, 0.8)
UNSEEN = CaseReply("hats / gloves", Opinion.DISTINCT, 0.9)
REPEATS = CaseReply("", Opinion.DUPLICATE, 0.7)
TORN = CaseReply("boots / shoes", Opinion.UNSURE, 0.6)


@pytest.mark.parametrize(
    ("said", "opinion", "of"),
    [
        ([SEEN], "distinct", ""),
        ([UNSEEN], "unsure", ""),
        ([TORN], "unsure", ""),
        ([REPEATS], "duplicate", "0"),
        ([SEEN, SEEN], "distinct", ""),
        ([SEEN, UNSEEN], "unsure", ""),
        ([SEEN, TORN], "unsure", ""),
        ([SEEN, REPEATS], "duplicate", "1"),
        ([UNSEEN, REPEATS, REPEATS], "duplicate", "1"),
    ],
)
def test_it_is_distinct_only_from_every_text_and_a_duplicate_of_the_nearest(
    said: list[CaseReply], opinion: str, of: str
) -> None:
    found = weighed([(str(n), a, BOOTS) for n, a in enumerate(said)])
    assert (found.opinion, found.of) == (opinion, of)
    if opinion == "distinct":
        assert (found.reason, found.confidence) == ("differs: boots / shoes", 0.8)


def test_canaries_of_both_kinds_are_hidden_and_others_with_another_nonce() -> None:
    assert {c.opinion for c in canaries()} == {Opinion.DUPLICATE, Opinion.DISTINCT}
    drawn = [tuple(hidden(b"s", f"n{n}", 1)) for n in range(60)]
    assert all({c.opinion for c in pair} == {Opinion.DUPLICATE, Opinion.DISTINCT} for pair in drawn)
    assert {pair[0].opinion for pair in drawn} == {Opinion.DUPLICATE, Opinion.DISTINCT}
    assert {c for pair in drawn for c in pair} == set(canaries())
    assert hidden(b"s", "n1", 1) == list(drawn[1])
    assert hidden(b"s", "n1", 0) == []
