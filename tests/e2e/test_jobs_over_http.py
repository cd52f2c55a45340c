"""Progress of issues over real HTTP: the landlord's page of an issue, and the contractor's by a signed link."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta

import pytest

from repairs_site import PNG, Office, office
from saidonce.foundation.model.conversation import Issue, LandlordEvent
from saidonce.foundation.model.progress import VisitState, WorkState
from saidonce.repairs import conversation

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"


@pytest.fixture(scope="module")
def shared() -> Iterator[Office]:
    with office(settings={"time_zone": "Europe/London"}) as running:
        yield running


@pytest.fixture
def issue(shared: Office) -> Issue:
    """An open issue of Ben's."""
    open_ones = [i for i in shared.deps.store.issues() if i.state == "open"]
    if not open_ones:
        photo = {"photo": ("a.png", PNG, "image/png")}
        shared.say("Ben Okafor", f"The kitchen tap drips {HOSTILE} ring 07700 900123", files=photo)
        shared.say("Ben Okafor", "from the spout")
        shared.settled()
    return next(i for i in shared.deps.store.issues() if i.state == "open")


def assigned(site: Office, issue: Issue, **form: str) -> str:
    """Give an issue to a contractor on the page; the path of their page."""
    page = site.form(
        f"/repairs/issues/{issue.id}/contractor", **{"name": "Bo & Fox", "email": "bo@example.com", **form}
    )
    assert page.status_code == 200, page.text
    link = re.search(r'value="http://[^"/]+(/jobs/[^"]+)"', page.text)
    assert link is not None
    return link[1]


def work_state(site: Office, issue: Issue) -> WorkState:
    work = site.deps.store.issue(issue.id).progress.assignment
    assert work is not None
    return work.state


def test_a_contractor_sees_what_they_need_and_no_more(shared: Office, issue: Issue) -> None:
    path = assigned(shared, issue, access="Key safe <4711>")
    with shared.client() as client:
        page = client.get(path)
        assert page.status_code == 200
        assert "The kitchen tap drips" in page.text
        assert "Key safe &lt;4711&gt;" in page.text
        assert "<script>alert(1)" not in page.text
        home = shared.deps.store.home(issue.tenancy_id)
        assert home is not None
        assert home.property.address in page.text
        assert home.resident.name not in page.text
        assert "900123" not in page.text
        assert not any(phone in page.text for phone in home.resident.phones)
        assert page.headers["cache-control"] == "no-store"
        picture = re.search(r'href="(/jobs/[^"]+/media/[0-9a-f]{64})"', page.text)
        assert picture is not None
        assert client.get(picture[1]).content == PNG
        assert client.get(f"{path}/media/{'0' * 64}").status_code == 404
    allowed = assigned(shared, issue, may_call="1")
    with shared.client() as client:
        assert home.resident.name in client.get(allowed).text
        assert client.get(path).status_code == 404, "the former link has ended"


def test_answers_come_back_to_the_landlords_page(shared: Office, issue: Issue) -> None:
    path = assigned(shared, issue)
    with shared.client() as client:
        assert "recorded" in client.post(path, data={"verb": "accept"}).text
        assert work_state(shared, issue) is WorkState.ACCEPTED
        slot = {"verb": "propose", "day": "2199-07-02", "start": "09:00", "end": "11:00"}
        assert "Tue 2 Jul, 09:00 to 11:00" in client.post(path, data=slot).text
        sent = client.post(
            path, data={"verb": "comment", "text": HOSTILE}, files={"photo": ("a.png", PNG, "image/png")}
        )
        assert "<script>alert(1)" not in sent.text
    page = shared.form(f"/repairs/issues/{issue.id}/visit/offer")
    assert "<script>alert(1)" not in page.text
    for words in ("Bo &amp; Fox", "accepted the job", "proposed a time", "&lt;script&gt;", "Tue 2 Jul, 09:00 to 11:00"):
        assert words in page.text
    visit = shared.deps.store.issue(issue.id).progress.visit
    assert visit is not None
    assert (visit.state, visit.slots[0].starts_at.hour) == (VisitState.PROPOSED, 8), "nine in London's summer"
    answered = [n.detail for n in shared.deps.store.notices() if n.event is LandlordEvent.CONTRACTOR_ANSWERED]
    assert answered[-3:] == ["work_accepted", "time_proposed", "commented"]


def test_what_is_refused_is_explained_and_keeps_the_words(shared: Office, issue: Issue) -> None:
    path = assigned(shared, issue)
    with shared.client() as client:
        past = client.post(path, data={"verb": "propose", "day": "2001-01-01", "start": "09:00", "end": "10:00"})
        assert (past.status_code, "Propose a time to come" in past.text) == (422, True)
        assert client.post(path, data={"verb": "propose", "day": "x", "start": "y", "end": "z"}).status_code == 422
        bad = client.post(
            path, data={"verb": "comment", "text": "my words"}, files={"photo": ("a.png", b"x", "image/png")}
        )
        assert (bad.status_code, "my words" in bad.text) == (422, True)
        assert client.post(path, data={"verb": "sing"}).status_code == 422


@pytest.mark.parametrize("change", [lambda t: t[:-1], lambda t: "x" + t, lambda t: "a.b", lambda t: "%00"])
def test_a_link_that_we_did_not_make_leads_nowhere(shared: Office, issue: Issue, change: object) -> None:
    token = assigned(shared, issue).rpartition("/")[2]
    assert callable(change)
    with shared.client() as client:
        assert client.get(f"/jobs/{change(token)}").status_code == 404
        assert client.post(f"/jobs/{change(token)}", data={"verb": "accept"}).status_code == 404


def test_a_link_to_a_chat_opens_no_job_and_a_job_no_chat(shared: Office, issue: Issue) -> None:
    job, chat = assigned(shared, issue).rpartition("/")[2], shared.path("Ben Okafor").rpartition("/")[2]
    with shared.client() as client:
        assert client.get(f"/jobs/{chat}").status_code == 404
        assert client.get(f"/chat/{job}").status_code == 404


def test_a_form_of_another_site_is_refused(shared: Office, issue: Issue) -> None:
    path = assigned(shared, issue)
    with shared.client() as client:
        foreign = client.post(path, data={"verb": "accept"}, headers={"Origin": "https://evil.example.com"})
        assert foreign.status_code == 403
        plain = client.post(f"/repairs/issues/{issue.id}/owner", data={"csrf": "x", "owner": "eve"})
        assert plain.status_code == 403
    assert work_state(shared, issue) is WorkState.ASKED
    assert shared.deps.store.issue(issue.id).progress.owner != "eve"


def test_a_revoked_or_expired_link_is_gone(shared: Office, issue: Issue) -> None:
    path = assigned(shared, issue)
    page = shared.form(f"/repairs/issues/{issue.id}/contractor/revoke")
    assert path not in page.text
    with shared.client() as client:
        assert client.get(path).status_code == 404
        assert client.post(path, data={"verb": "accept"}).status_code == 404
        assert "it has expired" in client.get(path).text


def test_more_than_a_person_answers_is_slowed_down(shared: Office, issue: Issue) -> None:
    path = assigned(shared, issue, name="Hasty")
    with shared.client() as client:
        codes = [client.post(path, data={"verb": "comment", "text": f"{n}"}).status_code for n in range(22)]
    assert codes[:20] == [200] * 20
    assert codes[20:] == [429] * 2


def test_times_of_pages_are_those_of_the_zone(shared: Office, issue: Issue) -> None:
    slots = {"day": "2199-07-02", "start": "09:00", "end": "11:00", "is_agreed": "1"}
    page = shared.form(f"/repairs/issues/{issue.id}/visit", **slots)
    assert "Tue 2 Jul, 09:00 to 11:00" in page.text
    assert "All times are Europe/London." in page.text
    with shared.client() as client:
        board = client.get("/repairs").text
    assert "visit Tue 2 Jul, 09:00 to 11:00" in board
    visit = shared.deps.store.issue(issue.id).progress.visit
    assert visit is not None
    assert visit.at is not None
    assert visit.at.starts_at.hour == 8


def test_bad_times_of_a_visit_are_refused_with_a_reason(shared: Office, issue: Issue) -> None:
    for form in (
        {"day": "2001-01-01", "start": "09:00", "end": "11:00"},
        {"day": "2199-01-01", "start": "11:00", "end": "09:00"},
        {"day": "2199-01-01", "start": "", "end": "09:00"}, {"day": "", "start": "", "end": ""},
    ):  # fmt: skip
        assert shared.form(f"/repairs/issues/{issue.id}/visit", **form).status_code == 422
    missing = shared.form("/repairs/issues/none/owner", owner="ann")
    assert missing.status_code == 404


def test_the_worker_reminds_and_reports_what_is_late(shared: Office, issue: Issue) -> None:
    class Later:
        def now(self) -> object:
            return issue.created_at + timedelta(days=400)

    from dataclasses import replace

    assigned(shared, issue)
    late = replace(shared.deps, clock=Later())  # type: ignore[arg-type]
    conversation.tend_issues(late)
    with shared.client() as client:
        body = client.get(f"/api/v1/issues/{issue.id}").json()
    assert [each["limit"] for each in body["limits"]] == ["response", "done"]
    assert body["progress"]["assignment"]["contractor"]["name"]
    assert any(n.event is LandlordEvent.SLA_MISSED for n in shared.deps.store.notices())
