"""An issue is given to a contractor: letters go once, answers come back to the issue, links end."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from saidonce.errors import DeliveryError, NotFoundError, UsageError
from saidonce.foundation.model.conversation import Issue, IssueState, LandlordEvent
from saidonce.foundation.model.progress import (
    Assignment,
    Contractor,
    IssueStep,
    Letter,
    LetterState,
    TimeSpan,
    WorkState,
)
from saidonce.repairs import conversation
from saidonce.repairs.conversation import JobAnswer, JobTerms, JobVerb
from saidonce.repairs.job_links import JobLink, job_path, read_job_link
from talking import TAP, World

BO = Contractor("Bo Fox Plumbing", "bo@example.com")
DAY = 86_400.0


class PostBox:
    """Takes letters, after some refusals."""

    def __init__(self, *refusals: DeliveryError) -> None:
        self.refusals = list(refusals)
        self.letters: list[Letter] = []

    def __call__(self, letter: Letter) -> None:
        if self.refusals:
            raise self.refusals.pop(0)
        self.letters.append(letter)


def link_of(issue: str, assignment: str) -> str:
    return f"https://desk.example.com{job_path('secret', JobLink('acme', issue, assignment))}"


def assigned(who: Contractor = BO, terms: JobTerms | None = None) -> tuple[World, Issue, Assignment]:
    world = World()
    world.say("hello")
    world.say("the kitchen tap drips", '{"tool": "ask_for_details", "message": "Tell me more"}')
    world.say("that is all, no photos", TAP)
    (issue,) = world.store.issues()
    issue = conversation.assign_issue(world.deps, issue.id, who, terms or JobTerms(), link_of, "ann")
    work = issue.progress.assignment
    assert work is not None
    return world, issue, work


def answers(world: World) -> list[str]:
    return [n.detail for n in world.store.notices() if n.event is LandlordEvent.CONTRACTOR_ANSWERED]


def test_the_link_goes_out_once_in_a_letter_without_the_residents_words() -> None:
    world, issue, work = assigned()
    post = PostBox()
    assert [conversation.send_letters(world.deps, post) for _ in range(3)] == [1, 0, 0]
    (letter,) = post.letters
    assert letter.to == "bo@example.com"
    assert link_of(issue.id, work.id) in letter.text
    assert "tap" not in letter.text
    assert "Elm" not in letter.text
    assert [m.step for m in world.store.issue_moves()] == [IssueStep.ASSIGNED, IssueStep.LETTER_SENT]


def test_a_letter_that_is_being_sent_is_sent_by_nobody_else() -> None:
    world, _, _ = assigned()
    inner = PostBox()

    def post(letter: Letter) -> None:
        assert conversation.send_letters(world.deps, inner) == 0
        inner.letters.append(letter)

    assert conversation.send_letters(world.deps, post) == 1
    assert len(inner.letters) == 1


def test_a_refused_letter_is_tried_again_and_then_the_landlord_is_told() -> None:
    world, issue, _ = assigned()
    post = PostBox(*[DeliveryError("e-mail", "the mail server took too long")] * 9)
    for _ in range(400):
        conversation.send_letters(world.deps, post)
        world.clock.forward(600)
    assert len(post.refusals) == 9 - 5
    letter = world.store.issue(issue.id).progress.letters[0]
    assert (letter.state, letter.n_tries, letter.reason) == (LetterState.FAILED, 5, "the mail server took too long")
    failed = [n for n in world.store.notices() if n.event is LandlordEvent.LETTER_FAILED]
    assert [n.detail for n in failed] == ["the mail server took too long"]


@pytest.mark.parametrize(
    ("who", "why"),
    [(Contractor("", "a@example.com"), "name"), (Contractor("Bo"), "address or a phone"),
     (Contractor("Bo", "a@b\nBcc: c@example.com"), "no e-mail"), (Contractor("Bo", "a b@example.com"), "no e-mail"),
     (Contractor("Bo", phone="12"), "no number")],
)  # fmt: skip
def test_who_cannot_be_reached_gets_nothing(who: Contractor, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        assigned(who)


def test_a_contractor_with_a_phone_alone_gets_no_letter() -> None:
    world, issue, _ = assigned(Contractor("Bo", phone="+44 7700 900123"))
    assert issue.progress.letters == ()
    assert conversation.send_letters(world.deps, PostBox()) == 0


def test_answers_come_back_to_the_issue_and_as_notices() -> None:
    world, issue, work = assigned()
    slot = TimeSpan(world.clock.now() + timedelta(days=2), world.clock.now() + timedelta(days=2, hours=1))
    for answer in (
        JobAnswer(JobVerb.ACCEPT), JobAnswer(JobVerb.PROPOSE, slot=slot), JobAnswer(JobVerb.COMMENT, "bring a ladder"),
        JobAnswer(JobVerb.DONE, "new washer", media=("a" * 64,)),
    ):  # fmt: skip
        world.clock.forward(60)
        after = conversation.answer_job(world.deps, issue.id, work.id, answer)
    assert after.progress.assignment is not None
    assert (after.progress.assignment.state, after.progress.assignment.proposed) == (WorkState.DONE, slot)
    assert after.state is IssueState.OPEN, "a person says that it is done"
    mine = [m for m in world.store.issue_moves() if m.actor == BO.name]
    assert [m.step for m in mine] == [
        IssueStep.WORK_ACCEPTED, IssueStep.TIME_PROPOSED, IssueStep.COMMENTED, IssueStep.WORK_DONE,
    ]  # fmt: skip
    assert (mine[-1].note, mine[-1].media) == ("new washer", ("a" * 64,))
    assert answers(world) == ["work_accepted", "time_proposed", "commented", "work_done"]
    with pytest.raises(UsageError, match="only comments"):
        conversation.answer_job(world.deps, issue.id, work.id, JobAnswer(JobVerb.DECLINE))


def test_what_makes_no_sense_is_refused() -> None:
    world, issue, work = assigned()
    past = TimeSpan(world.clock.now() - timedelta(days=1), world.clock.now())
    for answer in (
        JobAnswer(JobVerb.PROPOSE), JobAnswer(JobVerb.PROPOSE, slot=past), JobAnswer(JobVerb.COMMENT, "  "),
        JobAnswer(JobVerb.COMMENT, "x" * 2_001),
    ):  # fmt: skip
        with pytest.raises(UsageError):
            conversation.answer_job(world.deps, issue.id, work.id, answer)
    conversation.move_issue(world.deps, issue.id, IssueState.DONE, "ann")
    with pytest.raises(UsageError, match="only comments"):
        conversation.answer_job(world.deps, issue.id, work.id, JobAnswer(JobVerb.ACCEPT))
    with pytest.raises(UsageError, match="open it again"):
        conversation.assign_issue(world.deps, issue.id, BO, JobTerms(), link_of, "ann")
    assert answers(world) == []


def test_a_link_ends_when_it_expires_is_revoked_or_replaced() -> None:
    world, issue, work = assigned()
    assert conversation.job_of(world.deps, issue.id, work.id)[1] == work
    with pytest.raises(NotFoundError):
        conversation.job_of(world.deps, issue.id, "another")
    other = conversation.assign_issue(world.deps, issue.id, replace(BO, name="Cy"), JobTerms(), link_of, "ann")
    assert other.progress.assignment is not None
    with pytest.raises(NotFoundError):
        conversation.answer_job(world.deps, issue.id, work.id, JobAnswer(JobVerb.ACCEPT))
    conversation.revoke_assignment(world.deps, issue.id, "ann")
    with pytest.raises(NotFoundError):
        conversation.job_of(world.deps, issue.id, other.progress.assignment.id)
    with pytest.raises(UsageError, match="given to nobody"):
        conversation.revoke_assignment(world.deps, issue.id, "ann")
    assert conversation.send_letters(world.deps, PostBox()) == 0, "what was taken back is not sent"
    again = conversation.assign_issue(world.deps, issue.id, BO, JobTerms(days=2), link_of, "ann").progress.assignment
    assert again is not None
    world.clock.forward(2 * DAY)
    with pytest.raises(NotFoundError):
        conversation.job_of(world.deps, issue.id, again.id)


def test_a_contractor_learns_which_time_was_agreed_on() -> None:
    world, issue, _ = assigned()
    post = PostBox()
    conversation.send_letters(world.deps, post)
    slot = TimeSpan(world.clock.now() + timedelta(days=2), world.clock.now() + timedelta(days=2, hours=1))
    conversation.propose_visit(world.deps, issue.id, (slot,), "ann")
    world.say("yes please")
    conversation.send_letters(world.deps, post)
    assert "Agreed with the resident" in post.letters[-1].text
    conversation.cancel_visit(world.deps, issue.id, "ann")
    conversation.send_letters(world.deps, post)
    assert "The visit is cancelled" in post.letters[-1].text
    conversation.book_visit(world.deps, issue.id, slot, "ann")
    conversation.send_letters(world.deps, post)
    assert "The visit is booked" in post.letters[-1].text
    assert len({letter.id for letter in post.letters}) == 4


def test_no_more_is_answered_in_a_minute_than_a_person_does() -> None:
    world, issue, work = assigned()
    for n in range(20):
        assert not conversation.is_too_fast(world.deps, issue, work)
        conversation.answer_job(world.deps, issue.id, work.id, JobAnswer(JobVerb.COMMENT, f"{n}"))
    assert conversation.is_too_fast(world.deps, issue, work)
    world.clock.forward(61)
    assert not conversation.is_too_fast(world.deps, issue, work)


OTHERS = job_path("another secret", JobLink("acme", "i", "a")).rpartition("/")[2]


@pytest.mark.parametrize("token", ["", "a.b", "x" * 2_000, OTHERS])
def test_a_link_that_was_not_made_here_is_none(token: str) -> None:
    assert read_job_link("secret", token) is None


def test_a_link_to_a_chat_page_opens_no_job() -> None:
    from saidonce.repairs.chat_links import Visitor, link_path

    assert read_job_link("secret", link_path("secret", Visitor("acme", "name")).rpartition("/")[2]) is None
    link = JobLink("acme", "i", "a")
    assert read_job_link("secret", job_path("secret", link).rpartition("/")[2]) == link


@pytest.mark.parametrize(
    ("text", "shown"),
    [("ring me on 07700 900123 please", "ring me on [number] please"), ("+44 (0)7700-900123", "[number]"),
     ("code 4711 at 12 Elm Road, boiler F28 1.2 bar", "code 4711 at 12 Elm Road, boiler F28 1.2 bar")],
)  # fmt: skip
def test_numbers_of_residents_are_not_shown_to_every_contractor(text: str, shown: str) -> None:
    assert conversation.without_numbers(text) == shown
