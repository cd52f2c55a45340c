"""What both texts state, and state otherwise; the pairs were written before the rule."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_judge import BY_SIMILARITY, model

from saidonce.adapters.embed.minilm import MiniLM
from saidonce.adjudication.local_judge import LocalJudge, write
from saidonce.adjudication.local_judge.stated_otherwise import stated_otherwise
from saidonce.foundation.model import UNKNOWN_LANGUAGE, Candidate, Match, Opinion, Question, Shown
from saidonce.foundation.text import content_hash

__all__ = ["model"]

OTHERWISE = (
    ("Restart the backup server in Leeds.", "Restart the backup server in York."),
    ("Ask Priya Nair to sign the lease.", "Ask Tomasz Nowak to sign the lease."),
    ("Raise the limit to 40 requests a minute.", "Raise the limit to 60 requests a minute."),
    ("Refund order 4471 to the customer.", "Refund order 4417 to the customer."),
    ("Write release notes for version 3.2.1.", "Write release notes for version 3.3.0."),
    ("Pay the invoice of 950 euros.", "Pay the invoice of 590 euros."),
    ("Book the hall for 3 May.", "Book the hall for 13 May."),
    ("Wash your hands before eating.", "Wash your hands after eating."),
    ("Explain how to increase the pressure in the boiler.", "Explain how to decrease the pressure in the boiler."),
    ("Was the dog chased by the fox?", "Did the dog chase the fox?"),
    ("Was Nadia invited by Colm?", "Did Nadia invite Colm?"),
)

WORDING_ALONE = (
    ("How do I reset my password?", "What must I do to get a new password?"),
    ("Write a reminder about the rent.", "Draft a note that reminds tenants to pay rent."),
    ("How can I become less unhappy?", "How can I become more happy?"),
    ("The roof was mended by Ida.", "Ida mended the roof."),
    ("Summarise the two reports.", "Summarise both reports."),
    ("Send the parcel within 24 hours.", "Send the parcel within one day."),
    ("Invite Dr Maeve Byrne to the talk.", "Invite Maeve Byrne to the talk."),
    ("Mark the fire exits on the plan.", "On the plan, mark the fire exits."),
    ("Plan a trip to Rome.", "Plan a trip."),
    ("Order twelve chairs.", "Order a dozen chairs."),
    ("Do not leave the door open.", "Leave the door closed."),
    ("Are ponies warmer than kids?", "What is warmer, kids or ponies?"),
    ("Analysts on Wall Street expect less.", "Wall Street analysts expect less."),
    (
        "The yard has Cole Street to the west and Mill Lane to the east.",
        "The yard has Mill Lane to the east and Cole Street to the west.",
    ),
    ("Open from 2019 for trade and until 2021 for visitors.", "Until 2021 open for visitors and from 2019 for trade."),
    ("Ask the bank about rates after the meeting on Monday.", "Once we have met, find out what Leeds Credit charges."),
)


def candidate(text: str, language: str = "en") -> Candidate:
    return Candidate(text, content_hash(text), language=language)


@pytest.mark.parametrize(("a", "b"), OTHERWISE)
def test_what_differs_is_shown_with_the_words_of_both(a: str, b: str) -> None:
    for one, two in ((a, b), (b, a)):
        difference = stated_otherwise(candidate(one), candidate(two))
        assert difference is not None
        assert difference.a.text in one
        assert difference.b.text in two
        assert difference.a.text != difference.b.text


@pytest.mark.parametrize(("a", "b"), WORDING_ALONE)
def test_another_wording_and_what_only_one_text_says_is_none(a: str, b: str) -> None:
    assert stated_otherwise(candidate(a), candidate(b)) is None
    assert stated_otherwise(candidate(b), candidate(a)) is None


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Was Nadia watched by the guard?", "Did Nadia watch the guard?"),
        ("Do you ask Colm before the meal?", "Do you ask Colm after the meal?"),
    ],
)
def test_names_do_not_hide_that_a_short_text_is_english(a: str, b: str) -> None:
    assert stated_otherwise(candidate(a, UNKNOWN_LANGUAGE), candidate(b, UNKNOWN_LANGUAGE)) is not None


def test_texts_in_a_language_that_is_not_read_state_nothing() -> None:
    for language in ("la", UNKNOWN_LANGUAGE):
        one, two = (candidate(f"Pone {n} sellas in Aula Magna.", language) for n in (3, 4))
        assert stated_otherwise(one, two) is None


@pytest.fixture
def judge(tmp_path: Path, model: MiniLM) -> LocalJudge:
    return LocalJudge(model, write(tmp_path / "judge", BY_SIMILARITY))


def question(similarity: float, text: str, *kept: str) -> Question:
    shown = tuple(Shown(Match(f"m{n}", similarity, candidate(k))) for n, k in enumerate(kept))
    return Question(candidate(text), shown)


class TestRuling:
    def test_distinct_with_the_difference_as_its_reason(self, judge: LocalJudge) -> None:
        (ruling,) = judge.rule([question(0.7, *OTHERWISE[0])])
        assert (ruling.opinion, ruling.of, ruling.failure) == (Opinion.DISTINCT, "", None)
        assert "Leeds" in ruling.reason
        assert "York" in ruling.reason
        assert 0.0 < ruling.confidence < 1.0

    def test_every_match_must_state_otherwise(self, judge: LocalJudge) -> None:
        text, other = OTHERWISE[0]
        both = (other, "Restart the backup server in Cork.")
        assert judge.rule([question(0.7, text, *both)])[0].opinion is Opinion.DISTINCT
        assert judge.rule([question(0.7, text, other, "Restart the backup server.")])[0].opinion is Opinion.UNSURE

    def test_it_does_not_outvote_the_trees(self, judge: LocalJudge) -> None:
        assert judge.rule([question(0.95, *OTHERWISE[0])])[0].opinion is not Opinion.DISTINCT

    def test_another_wording_stays_unsure(self, judge: LocalJudge) -> None:
        assert judge.rule([question(0.7, *WORDING_ALONE[0])])[0].opinion is Opinion.UNSURE
