"""An issue in a real Chromium: times are offered and picked, a contractor answers, pages keep to their width."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from axe_flaws import flaws_by_scheme
from chromium import IN_A_BROWSER, follow
from repairs_site import PNG, Office, office
from saidonce.foundation.model.conversation import Issue, IssueState
from saidonce.foundation.model.progress import VisitState, WorkState
from waiting_for import eventually

pytestmark = IN_A_BROWSER


@pytest.fixture
def site() -> Iterator[Office]:
    with office(settings={"time_zone": "Europe/London"}) as running:
        yield running


def reported(site: Office) -> Issue:
    site.say("Ben Okafor", "The kitchen tap drips from the spout", files={"photo": ("a.png", PNG, "image/png")})
    site.settled()
    (issue,) = site.deps.store.issues()
    return issue


def offer(site: Office, page: Any, issue: Issue) -> None:
    """Offer two times on the page of an issue, by keys and labels alone."""
    page.goto(f"{site.url}/repairs/issues/{issue.id}")
    for n, (day, start, end) in enumerate((("2199-07-02", "09:00", "11:00"), ("2199-07-03", "14:00", "16:00"))):
        row = page.locator(".when").nth(n)
        row.get_by_label("Day").fill(day)
        row.get_by_label("From").fill(start)
        row.get_by_label("To").fill(end)
    page.get_by_role("button", name="Offer to the resident").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/repairs/issues/*")
    eventually(lambda: site.deps.store.issue(issue.id).progress.visit is not None)


def test_times_are_offered_and_one_is_picked_by_button(site: Office, page: Any, browser: Any) -> None:
    issue = reported(site)
    offer(site, page, issue)
    resident = browser.new_context().new_page()
    resident.goto(f"{site.url}{site.path('Ben Okafor')}")
    assert "1. Tue 2 Jul, 09:00 to 11:00\n2. Wed 3 Jul, 14:00 to 16:00" in resident.locator(".lines").inner_text()
    resident.get_by_role("button", name="Wed 3 Jul 14:00").click()
    resident.wait_for_function("() => document.body.innerText.includes('Agreed: somebody comes on Wed 3 Jul')")
    page.reload()
    assert "Wed 3 Jul, 14:00 to 16:00" in page.locator(".aside").inner_text()
    assert "picked a time" in page.locator(".timeline").inner_text()
    page.goto(f"{site.url}/repairs")
    assert "visit Wed 3 Jul, 14:00 to 16:00" in page.locator(".card").inner_text()
    assert page.locator(".card img").count() == 1
    assert page.troubles == []


def test_a_time_is_picked_in_words_and_finished_work_is_asked_about(site: Office, page: Any) -> None:
    issue = reported(site)
    offer(site, page, issue)
    site.say("Ben Okafor", "tuesday morning works for us")
    site.settled()
    visit = site.deps.store.issue(issue.id).progress.visit
    assert visit is not None
    assert (visit.state, visit.at) == (VisitState.AGREED, visit.slots[0])
    page.reload()
    follow(page.get_by_role("button", name="Done"))
    resident = page.context.new_page()
    resident.goto(f"{site.url}{site.path('Ben Okafor')}")
    resident.get_by_role("button", name="2: No").click()
    resident.wait_for_function("() => document.body.innerText.includes('opened your report again')")
    assert site.deps.store.issue(issue.id).state is IssueState.OPEN


def test_a_contractor_answers_without_an_account(site: Office, page: Any, browser: Any) -> None:
    issue = reported(site)
    page.goto(f"{site.url}/repairs/issues/{issue.id}")
    page.get_by_label("Name", exact=True).fill("Bo Fox")
    page.get_by_label("E-mail").fill("bo@example.com")
    page.get_by_label("How to get in").fill("Key safe by the door")
    follow(page.get_by_role("button", name="Assign and send the link"))
    link = page.get_by_label("Their link").input_value()
    job = browser.new_context(java_script_enabled=False).new_page()
    job.goto(link)
    assert "Key safe by the door" in job.locator("main").inner_text()
    follow(job.get_by_role("button", name="Accept the job"))
    job.get_by_label("Message").fill("a new washer")
    job.set_input_files("input[type=file]", {"name": "tap.png", "mimeType": "image/png", "buffer": PNG})
    follow(job.get_by_role("button", name="The work is done"))
    assert "a new washer" in job.locator("main").inner_text()
    work = site.deps.store.issue(issue.id).progress.assignment
    assert work is not None
    assert work.state is WorkState.DONE
    page.reload()
    assert "reported the work as done: a new washer" in page.locator(".timeline").inner_text()


def test_pages_keep_to_their_width_and_have_no_flaw_that_axe_can_find(site: Office, browser: Any) -> None:
    issue = reported(site)
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    offer(site, page, issue)
    page.get_by_label("Name", exact=True).fill("Bo Fox")
    page.get_by_label("Phone").fill("+447700900123")
    follow(page.get_by_role("button", name="Assign and send the link"))
    job = page.get_by_label("Their link").input_value().removeprefix(site.url)
    site.form(f"/repairs/issues/{issue.id}/owner", owner="ann")
    for width in (1440, 1024, 390):
        page.set_viewport_size({"width": width, "height": 900})
        for path in ("/repairs", f"/repairs/issues/{issue.id}", f"/repairs/conversations/{issue.conversation_id}", job):
            page.goto(f"{site.url}{path}")
            page.locator("summary").evaluate_all("all => all.forEach((s) => s.parentElement.open = true)")
            wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert wide <= 0, f"{path} at {width}"
            if width != 1024:
                assert flaws_by_scheme(page) == {}, f"{path} {width}"
    context.close()
