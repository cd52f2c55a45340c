from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saidonce.adjudicate.canaries import N_EACH, canaries, hidden
from saidonce.adjudicate.replies import free_opinion, read_cases, word_of
from saidonce.adjudicate.results import read_envelope, read_result
from saidonce.errors import ReplyError
from saidonce.model import Failure, Opinion

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


def cases(**changes: Any) -> str:
    entry = {"case": "c1", "opinion": "distinct", "of": "", "reason": "differs", "confidence": 1, **changes}
    return json.dumps({"question": ECHO[0], "nonce": ECHO[1], "cases": [entry]})


def test_a_reply_on_cases_is_read() -> None:
    said = read_cases(cases(opinion="duplicate", of="k1"), *ECHO, {"c1": ["k1"]})
    assert (said["c1"].opinion, said["c1"].of, said["c1"].confidence) == (Opinion.DUPLICATE, "k1", 1.0)


@pytest.mark.parametrize(
    "changes",
    [
        {"case": "c2"},
        {"case": 1},
        {"opinion": "Distinct"},
        {"opinion": ["distinct"]},
        {"opinion": None},
        {"of": "k1"},
        {"of": None},
        {"opinion": "duplicate"},
        {"opinion": "duplicate", "of": "k9"},
        {"reason": 1},
        {"confidence": "1"},
        {"confidence": True},
        {"confidence": 1.0001},
        {"confidence": None},
        {"extra": 1},
    ],
)
def test_a_reply_on_cases_that_breaks_the_contract_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ReplyError):
        read_cases(cases(**changes), *ECHO, {"c1": ["k1"]})


def test_every_case_is_answered_once() -> None:
    with pytest.raises(ReplyError):
        read_cases(cases(), *ECHO, {"c1": ["k1"], "c2": ["k2"]})
    twice = json.loads(cases())
    twice["cases"] *= 2
    with pytest.raises(ReplyError):
        read_cases(json.dumps(twice), *ECHO, {"c1": ["k1"], "c2": ["k2"]})


def test_canaries_of_both_kinds_are_hidden_under_ids_that_change_with_the_nonce() -> None:
    assert {c.opinion for c in canaries()} == {Opinion.DUPLICATE, Opinion.DISTINCT}
    one, other = hidden(b"s", "n1"), hidden(b"s", "n2")
    assert len(one) == 2 * N_EACH
    assert not set(one) & set(other)
    assert sum(c.opinion is Opinion.DISTINCT for _, c in one.values()) == N_EACH
    assert hidden(b"s", "n1") == one
