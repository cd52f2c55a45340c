"""What stands beside an auto-rater's clear: contrary evidence holds, and an honest clear still clears.

Every reply here is whole, in time, and says "distinct" where it is asked to; whoever reads no further clears.
"""

from __future__ import annotations

import json
import socket
from dataclasses import replace
from typing import Any

import pytest
from benchmarks.faults import ASKING, CASE, task
from benchmarks.faulty import (
    REVIEW,
    Answer,
    Asked,
    Faulty,
    accepts,
    answers,
    done,
    echoes,
    holds,
    in_turn,
    says,
    sent,
    status,
)

from saidonce.adjudication import AutoRater, RaterOptions
from saidonce.foundation.model import Failure, Match, Opinion, Outcome, Question, Ruling
from saidonce.matching.ladder import Case, ask, decide

PATIENT_MS = 20_000


@pytest.fixture(autouse=True)
def _direct(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def beside(**others: Any) -> Answer:
    """A whole answer that clears, with other keys in its envelope."""
    return says(lambda said: done(said, **others))


def inside(**others: Any) -> Answer:
    """A whole answer that clears, with other keys in its result, echo or none."""
    return holds(**others)


def word(feedback: str = "", classification: str = "distinct", **others: Any) -> Answer:
    """A bare word, and what is written beside it."""
    return says(lambda said: done(said, result={
        "classification": classification, "review_feedback": feedback, "confidence": 0.9, **others}))  # fmt: skip


def bare(result: dict[str, Any], **envelope: Any) -> Answer:
    """Exactly this result, in this envelope."""
    body = json.dumps({"id": REVIEW, "status": "done", "result": result, **envelope}).encode()
    return lambda connection, _asked: sent(connection, body)


CONTRARY: dict[str, Answer] = {
    # Another verdict under another name
    "isDuplicate in the envelope": beside(isDuplicate=True),
    "isDuplicate in the result": inside(isDuplicate=True),
    "is_duplicate beside a bare word": word("Another subdomain.", is_duplicate=True),
    "is_duplicate as text": word("Another subdomain.", is_duplicate="true"),
    "is_duplicate as a number": inside(is_duplicate=1),
    "duplicate_of in the result": inside(duplicate_of="m1"),
    "duplicateOf in the envelope": beside(duplicateOf="m1"),
    "duplicates as a list": inside(duplicates=["m1"]),
    "duplicate_ids in the envelope": beside(duplicate_ids=["m2"]),
    "matched": inside(matched=True),
    "matches": inside(matches=[{"id": "m1", "score": 0.99}]),
    "match_id": beside(match_id="m1"),
    "verdict": beside(verdict="duplicate"),
    "decision": inside(decision="DUPLICATE"),
    "label": inside(label="dup"),
    "opinion beside the feedback": inside(opinion="duplicate"),
    "of beside the feedback": inside(of="m1"),
    "Classification with a capital": inside(Classification="duplicate"),
    "final_classification": inside(final_classification="duplicate"),
    "duplicate_probability": inside(duplicate_probability=0.97),
    "overridden": beside(overridden_by="reviewer", override="duplicate"),
    "a second result": beside(results=[{"classification": "duplicate"}]),
    "a nested verdict": inside(details={"is_duplicate": True}),
    "a nested verdict under a harmless name": beside(metadata={"isDuplicate": True}),
    "a nested list under a harmless name": beside(metadata=[{"duplicate_of": "m1"}]),
    "another kind of thing": beside(type="error"),
    # It failed, or is not done
    "error in the envelope": beside(error="context window exceeded"),
    "error in the result": inside(error={"code": 500}),
    "errors as a list": inside(errors=["model overloaded"]),
    "error code": beside(error_code=17),
    "exception": inside(exception="Timeout"),
    "warning": inside(warning="could not read m2"),
    "warnings": beside(warnings=["input truncated"]),
    "failed": inside(failed=True),
    "success false": beside(success=False),
    "ok false": inside(ok=False),
    "valid false": inside(valid=False),
    "done false": beside(done=False),
    "done as text": beside(done="false"),
    "done 0": beside(done=0),
    "finished false in the result": inside(finished=False),
    "final false": inside(final=False),
    "is_complete false": beside(is_complete=False),
    "complete null": beside(complete=None),
    "partial": beside(partial=True),
    "partial in the result": inside(partial=True),
    "truncated": inside(truncated=True),
    "incomplete": inside(incomplete=True),
    "finish_reason length": inside(finish_reason="length"),
    "progress of one half": beside(progress=0.5),
    "an inner status that is pending": inside(status="pending"),
    "an inner status that failed": inside(status="failed"),
    "state beside the status": beside(state="RUNNING"),
    "retracted": beside(retracted=True),
    "superseded": beside(superseded_by="review-9"),
    "needs a person": inside(needs_review=True),
    "requires_human in the envelope": beside(requires_human_review=True),
    "abstained": inside(abstained=True),
    "a fallback": inside(is_fallback=True),
    "only some were compared": inside(compared=1, skipped=["m2"]),
    "done without a status, with done false": says(lambda said: json.dumps(
        {"id": REVIEW, "done": False, "result": {"classification": "distinct"}}).encode()),
    # It doubts
    "not sure": word("I am not sure."),
    "possibly the same": word("Possibly the same task."),
    "probably": word("Probably different."),
    "likely": word("Most likely another subdomain."),
    "seems": word("The subdomain seems different."),
    "I think": word("I think these differ."),
    "a lean": word("Leaning towards different, low confidence."),
    "cannot tell": word("I can't tell whether they differ."),
    "hard to say": word("Hard to say; the subdomains differ on paper."),
    "either way": word("Could go either way. Different enough, I guess."),
    "borderline": word("Borderline: different subdomain."),
    "no information": word("Not enough information to see a difference."),
    "tentative": word("Tentative: another subdomain."),
    "assumed": word("Assuming that the shelves differ, they are different."),
    "a question": word("Different subdomain?"),
    "a person asked for": word("Different, but please have a human check."),
    "doubt in the echoed reason": echoes(reason="I am not sure, possibly the same"),
    "doubt spelt with invisible characters": echoes(reason="poss\u200bibly the same"),
    "doubt in full-width letters": echoes(reason="\uff4d\uff41\uff59\uff42\uff45 another"),
    "doubt in German": echoes(reason="vielleicht ein anderer Bereich"),
    "doubt in French": echoes(reason="peut-être un autre domaine"),
    "doubt beside an echo": inside(classification="I am not sure about this one."),
    "low confidence": inside(confidence=0.1),
    "low inner confidence": echoes(confidence=0.05),
    "no confidence": echoes(confidence=0),
    "doubt in a comment of its own": inside(comment="not certain"),
    # It says the same in other words
    "the same task": word("Both ask for the same thing."),
    "repeats": word("The candidate repeats m1."),
    "restates": echoes(reason="It restates m1 in other words."),
    "identical": echoes(reason="The candidate is identical to m1."),
    "no difference": word("There is no difference."),
    "nothing differs": echoes(reason="Nothing that matters differs."),
    "do not differ": word("The two do not differ."),
    "not distinct": word("The two are not distinct."),
    "isn't different": word("It isn't different from m1."),
    "differs only in wording": echoes(reason="They differ only in wording."),
    "equivalent": echoes(reason="Equivalent to m1."),
    "paraphrase": echoes(reason="A paraphrase of the kept text."),
    "different from one, same as the other": echoes(reason="It differs from m1 but is the same as m2."),
    "a flag in the feedback": word('Different. {"is_duplicate": true}'),
    "a flag in camel case": word("Different. isDuplicate=true"),
    "covered": echoes(reason="Already covered by m2."),
    "JSON of another form": word('{"isDuplicate": true}'),
    "says why it failed": word("Error: the model timed out; different by default."),
    "could not read": echoes(reason="I could not read the second text."),
    "nothing that can be read": word("\u4e5f\u8bb8\u662f\u91cd\u590d\u7684"),
    "nothing that can be read, echoed": echoes(reason="\u4e5f\u8bb8\u662f\u91cd\u590d\u7684"),
    "another subject": word("The weather is fine."),
    "only what both have": word("Both count stock."),
    # It is on something else
    "review_id of another review": beside(review_id="review-2"),
    "reviewId in the result": inside(reviewId="review-2"),
    "id in the result": inside(id="review-2"),
    "question of another": inside(question="0" * 32),
    "nonce of another": beside(nonce="0" * 16),
    "Idempotency-Key of another": beside(idempotency_key="0" * 16),
    "candidate of another": inside(candidate_id="task-9"),
}  # fmt: skip


def pends(**others: Any) -> Answer:
    body = json.dumps({"id": REVIEW, "status": "pending", **others}).encode()
    return lambda connection, _asked: sent(connection, body, "202 Accepted")


IN_TURN: dict[str, tuple[Answer, Answer]] = {
    "the submission names a duplicate": (pends(duplicate_of="m1"), answers),
    "the submission reports an error": (pends(error="m2 was too long"), answers),
    "a pending poll says duplicate": (accepts, in_turn(pends(isDuplicate=True), answers)),
    "a pending poll says duplicate as classification": (accepts, in_turn(pends(classification="duplicate"), answers)),
    "a pending poll reports an error": (accepts, in_turn(pends(errors=["worker died"]), answers)),
    "the second look holds what the first did not": (accepts, in_turn(answers, beside(isDuplicate=True))),
    "the second look doubts": (accepts, in_turn(answers, beside(partial=True))),
    "done at once, and contrary": (beside(duplicate_of="m1"), answers),
}

HONEST: dict[str, Answer] = {
    **{
        f"status {status}": beside(status=status)
        for status in ("done", "completed", "complete", "succeeded", "success", "finished")
    },
    "no status": says(lambda said: json.dumps({k: v for k, v in json.loads(done(said)).items()
                                               if k != "status"}).encode()),
    "JSON alone": holds(classification=""),
    "JSON as an object": says(lambda said: done(said, result={"review_feedback": said})),
    "JSON as classification": says(lambda said: done(said, result={"classification": json.dumps(said)})),
    "no outer confidence": holds(confidence=None),
    "sure": holds(confidence=1),
    **{
        f"the word {written}": word("", written)
        for written in ("distinct", "Distinct.", "not_duplicate", "Not a duplicate", "non-duplicate", "NOT-DUPLICATE")
    },
    "the word as feedback": word("distinct", ""),
    "the word in both": word("not a duplicate", "distinct"),
    "a word and why": word("Softlines and hardlines differ."),
    "a word and why: another": word("Another subdomain."),
    "a word and why: same, but": word("Same persona and task type, but the subdomain is different."),
    "a word and why: no duplicate": word("The candidate is not a duplicate of m1 or m2."),
    "a word and why: whereas": word("The candidate counts softlines, whereas m1 counts hardlines."),
    "a word and why: not the same": word("Not the same task: the subdomains are softlines and hardlines."),
    "an echo and why": echoes(reason="The candidate is about softlines, the kept text about hardlines."),
    "an echo and why: identical otherwise": echoes(reason="Persona and task type are the same; the subdomain differs."),
    "an echo and no reason": echoes(reason=""),
    "times and a model beside it": beside(created_at="2026-05-04T10:00Z", finished_at=1.77788886e9, model="judge-v2"),
    "usage and costs": inside(usage={"prompt_tokens": 900, "completion_tokens": 40}, cost=0.002, latency_ms=812),
    "a queue and a trace": beside(queue=3, request_id="8f2", trace_id="ab", links={"self": "/api/v1/review/review-1"}),
    "agrees under other names": inside(is_duplicate=False, duplicate_of=None, error=None, duplicates=[]),
    "done under other names": beside(done=True, success=True, partial=False, error=None, errors=[], progress=1.0),
    "names this review twice": beside(review_id=REVIEW),
    "an explanation beside it": inside(explanation="The subdomains differ."),
}  # fmt: skip


def question(case: Case = CASE) -> Question:
    asked = ask(case)
    assert asked is not None
    return asked


def tried(submit: Answer, poll: Answer, **options: Any) -> tuple[Ruling, bool]:
    server = Faulty(submit, poll)
    try:
        rater = AutoRater(server.url, b"a secret", RaterOptions(PATIENT_MS, 10, **options))
        (ruling,) = rater.rule([question()])
    finally:
        server.close()
    return ruling, decide(replace(CASE, ruling=ruling)).outcome is Outcome.DISTINCT


def test_the_tables_are_long_enough() -> None:
    assert len(CONTRARY) + len(IN_TURN) >= 60
    assert len(HONEST) >= 15


@pytest.mark.parametrize("name", CONTRARY)
def test_contrary_evidence_beside_a_clear_holds(name: str) -> None:
    ruling, cleared = tried(accepts, CONTRARY[name])
    assert (ruling.opinion is Opinion.DISTINCT, cleared) == (False, False)


@pytest.mark.parametrize("name", [n for n in CONTRARY if "a question" not in n][:12])
def test_it_holds_in_lenient_mode_too(name: str) -> None:
    assert tried(accepts, CONTRARY[name], lenient=True)[1] is False


@pytest.mark.parametrize("name", IN_TURN)
def test_contrary_evidence_on_the_way_holds(name: str) -> None:
    assert tried(*IN_TURN[name])[1] is False


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_clear_clears(name: str) -> None:
    ruling, cleared = tried(accepts, HONEST[name])
    assert (ruling.opinion, ruling.failure, cleared) == (Opinion.DISTINCT, None, True), ruling.reason


@pytest.mark.parametrize(
    "text",
    ["The two are not distinct.", "Nothing differs.", "Perhaps not a duplicate.", "Probably not a duplicate.",
     "Not a duplicate, I think.", "It is not unique."],
)  # fmt: skip
def test_free_text_that_doubts_or_denies_a_difference_clears_not_even_leniently(text: str) -> None:
    assert tried(accepts, word(text, ""), lenient=True)[1] is False


def test_what_held_is_named_without_its_value() -> None:
    ruling, _ = tried(accepts, inside(duplicate_of="secret words of a stranger"))
    assert "duplicate_of" in ruling.reason
    assert "stranger" not in ruling.reason


def test_a_review_costs_what_it_is_said_to_cost_once_it_is_accepted() -> None:
    assert tried(accepts, answers, price=0.05)[0].cost == 0.05
    assert tried(accepts, beside(error="x"), price=0.05)[0].cost == 0.05
    assert tried(status("400 Bad Request"), answers, price=0.05)[0].cost == 0.0


OTHER = Case(
    task("footwear", "Reconcile the monthly stock count with the ledger and explain every difference."),
    (Match("m1", 0.9, task("hardlines", "Reconcile the stock count with the ledger.")),),
    ASKING,
    (),
)


@pytest.mark.parametrize("poll", [answers, word("Another subdomain.")], ids=["echo", "a bare word"])
def test_a_review_id_that_another_question_got_holds(poll: Answer) -> None:
    server = Faulty(accepts, poll)
    try:
        rater = AutoRater(server.url, b"a secret", RaterOptions(PATIENT_MS, 10))
        first, again, other = rater.rule([question(), question(), question(OTHER)])
        (later,) = rater.rule([question(OTHER)])
    finally:
        server.close()
    assert first.opinion is Opinion.DISTINCT
    assert [r.failure for r in (again, other, later)] == [Failure.CONTRADICTION] * 3
    assert "another question" in other.reason
    assert "this question" in again.reason, "a question that is asked again is a new review"


def test_a_service_that_numbers_its_reviews_clears_each() -> None:
    def numbers(connection: socket.socket, asked: Asked) -> None:
        sent(connection, json.dumps({"id": f"r-{asked.n}", "status": "pending"}).encode(), "202 Accepted")

    def finds(connection: socket.socket, asked: Asked) -> None:
        named = asked.path.rpartition("/")[2]
        sent(connection, done(asked.clears, id=named))

    server = Faulty(numbers, finds)
    try:
        rater = AutoRater(server.url, b"a secret", RaterOptions(PATIENT_MS, 10))
        rulings = rater.rule([question(), question(OTHER)])
    finally:
        server.close()
    assert [r.opinion for r in rulings] == [Opinion.DISTINCT] * 2
