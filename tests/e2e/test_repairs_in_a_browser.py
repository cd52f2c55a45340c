"""The repair pages in a real Chromium: seed 003's situations, emergencies, take-over, hostile text, screen readers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from axe_flaws import flaws_by_scheme
from chromium import HOSTILE, IN_A_BROWSER, follow
from repairs_site import PNG, Office, office
from saidonce.foundation.model.conversation import LandlordEvent, PhotoStatus, Tool
from waiting_for import eventually

pytestmark = IN_A_BROWSER

PAGES = ("/repairs", "/repairs/conversations", "/repairs/homes", "/repairs/notices", "/demo")


@pytest.fixture
def site() -> Iterator[Office]:
    with office() as running:
        yield running


def answers(page: Any) -> list[str]:
    found: list[str] = page.locator(".theirs:not(.writing) .words").all_inner_texts()
    return found


def say(page: Any, text: str) -> str:
    """Write a message on the page, and give what it is answered."""
    before = len(answers(page))
    page.fill("#text", text)
    page.keyboard.press("Enter")
    page.wait_for_function(
        "n => document.querySelectorAll('.theirs:not(.writing)').length > n && !document.querySelector('.writing')",
        arg=before,
    )
    return answers(page)[-1]


def test_a_boiler_is_no_place_and_one_issue_comes_of_it(site: Office, page: Any) -> None:
    page.goto(f"{site.url}{site.path('Ana Bell')}")
    assert "Where" in say(page, "My boiler is not working")
    assert "photo" in say(page, "it's in the kitchen, it shows no light")
    page.get_by_role("button", name="No photo").click()
    page.wait_for_function("() => document.body.innerText.includes('Done, I have reported it')")
    issue = site.deps.store.issues()[0]
    assert (len(site.deps.store.issues()), issue.photo, issue.tenancy_id) == (1, PhotoStatus.DECLINED, "t-ana")
    assert page.locator(".answers").count() == 0
    assert page.troubles == []


def test_a_promised_photo_is_waited_for_and_then_lies_in_the_issue(site: Office, page: Any) -> None:
    page.goto(f"{site.url}{site.path('Ben Okafor')}")
    assert "photo" in say(page, "The kitchen tap drips from the spout")
    assert "whenever you're ready" in say(page, "gimme a min I'll take pics")
    assert site.deps.store.issues() == ()
    page.set_input_files("#photo", {"name": "tap.png", "mimeType": "image/png", "buffer": PNG})
    page.get_by_role("button", name="Send", exact=True).click()
    page.wait_for_function("() => document.body.innerText.includes('with your photo')")
    issue = site.deps.store.issues()[0]
    assert issue.photo is PhotoStatus.PROVIDED
    assert site.repairs.media().get(issue.media[0]) == (PNG, "image/png")
    page.wait_for_function("() => [...document.images].every((i) => i.complete && i.naturalWidth > 0)")
    page.goto(f"{site.url}/repairs/conversations/{issue.conversation_id}")
    assert "v1" not in page.locator(".timeline").inner_text()
    assert "by the keyword flow" in page.locator(".timeline").inner_text()
    page.wait_for_function("() => [...document.images].every((i) => i.complete && i.naturalWidth > 0)")
    assert page.locator("img[alt='Photo from the resident']").count() == 1


def test_a_leak_alone_is_asked_about(site: Office, page: Any) -> None:
    page.goto(f"{site.url}{site.path('Chloe Martin')}")
    assert "What exactly" in say(page, "I have a leak in the bathroom")
    assert site.deps.store.issues() == ()
    assert "photo" in say(page, "the pipe under the sink is dripping")


def test_of_two_homes_one_is_picked_by_a_button(site: Office, page: Any) -> None:
    page.goto(f"{site.url}{site.path('Dan Fox')}")
    assert "Which home" in say(page, "The door lock is broken")
    page.get_by_role("button", name="Flat 9, 40 Station Street", exact=True).click()
    page.wait_for_function("() => document.body.innerText.includes('Hello Dan')")
    eventually(lambda: "t-dan-home" in {of.tenancy_id for of in site.deps.store.conversations()})


def test_danger_is_answered_at_once_and_the_landlord_sees_it(site: Office, page: Any) -> None:
    page.goto(f"{site.url}{site.path('A stranger')}")
    page.fill("#text", "I smell gas")
    page.keyboard.press("Enter")
    page.wait_for_selector(".safety")
    assert "0800 111 999" in page.locator(".safety").inner_text()
    assert [n.event for n in site.deps.store.notices()][:1] == [LandlordEvent.EMERGENCY_UNVERIFIED]
    page.goto(f"{site.url}/repairs")
    assert "Gas" in page.locator(".waiting .alarm").inner_text()


def test_a_person_takes_over_writes_and_hands_back(site: Office, page: Any, browser: Any) -> None:
    resident = browser.new_context().new_page()
    resident.goto(f"{site.url}{site.path('Chloe Martin')}")
    say(resident, "I have a leak in the bathroom")
    page.goto(f"{site.url}/repairs/conversations")
    follow(page.get_by_role("link", name="Chloe Martin"))
    follow(page.get_by_role("button", name="Take over"))
    page.get_by_label("Write to the resident").fill("The plumber comes at ten.")
    follow(page.get_by_role("button", name="Send", exact=True))
    resident.wait_for_selector(".human")
    assert resident.locator(".human .words").inner_text() == "The plumber comes at ten."
    n_before = len(answers(resident))
    resident.fill("#text", "thank you")
    resident.keyboard.press("Enter")
    resident.wait_for_function("() => document.querySelectorAll('.mine').length === 2")
    site.settled()
    resident.wait_for_timeout(1_500)
    assert len(answers(resident)) == n_before
    assert LandlordEvent.MESSAGE_WHILE_HANDED_OFF in [n.event for n in site.deps.store.notices()]
    follow(page.get_by_role("button", name="Hand back"))
    assert "What exactly" in say(resident, "the leak is in the bathroom") or site.deps.store.conversations()
    assert site.deps.store.conversations()[0].handed_off_at is None


def test_an_identity_is_approved_and_undone_on_the_page(site: Office, page: Any) -> None:
    site.say("A stranger", "The heater in my hall is broken")
    site.say("A stranger", "My name is Bell")
    page.goto(f"{site.url}/repairs")
    follow(page.get_by_role("link", name="Identify them"))
    assert "named by the sender" in page.locator("option").first.inner_text()
    follow(page.get_by_role("button", name="Approve"))
    site.settled()
    of = site.deps.store.conversations()[0]
    assert of.tenancy_id == "t-ana"
    asked = (Tool.ASK_FOR_DETAILS, Tool.ASK_FOR_PHOTO)
    eventually(lambda: any(t.tool in asked for t in site.deps.store.turns(of.id)))  # a turn at work is due no more
    page.reload()
    follow(page.get_by_role("button", name="undo"))
    after = site.deps.store.conversation(of.id)
    assert (after.tenancy_id, after.identity) == ("", "identified")
    home = site.deps.store.home("t-ana")
    assert home is not None
    assert of.sender.key not in home.resident.external_ids


def test_an_issue_is_moved_on_the_board(site: Office, page: Any) -> None:
    site.say("Ben Okafor", "The kitchen tap drips from the spout")
    site.say("Ben Okafor", "sorry, no photo")
    site.settled()
    page.goto(f"{site.url}/repairs")
    follow(page.get_by_role("button", name="Begin"))
    assert site.deps.store.issues()[0].state == "in_progress"
    follow(page.get_by_role("button", name="Done"))
    assert site.deps.store.issues()[0].state == "done"
    assert page.locator("section[aria-labelledby=s-done] .card").count() == 1
    follow(page.locator(".card a"))
    follow(page.get_by_role("button", name="Reopen"))
    moves = page.locator(".timeline .move").all_inner_texts()
    assert ["open → in progress" in moves[0], "in progress → done" in moves[1], "done → open" in moves[2]] == [True] * 3
    assert "The kitchen tap drips" in page.locator("h1").inner_text()
    assert "Issue, open" in page.locator(".aside").inner_text()
    follow(page.get_by_role("link", name="Conversation", exact=True))
    assert all("The kitchen tap drips" in each for each in page.locator(".timeline .move").all_inner_texts())


def test_everything_works_without_javascript(site: Office, browser: Any) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site.url}{site.path('Ben Okafor')}")
    page.fill("#text", "The kitchen tap drips from the spout")
    follow(page.get_by_role("button", name="Send", exact=True))
    assert "Could you send a photo" in page.locator(".lines").inner_text()
    page.set_input_files("#photo", {"name": "tap.png", "mimeType": "image/png", "buffer": PNG})
    follow(page.get_by_role("button", name="Send", exact=True))
    assert "with your photo" in page.locator(".lines").inner_text()
    page.goto(f"{site.url}/repairs")
    follow(page.get_by_role("button", name="Begin"))
    assert site.deps.store.issues()[0].state == "in_progress"
    context.close()


def test_a_refusal_stays_told_and_nothing_written_is_lost(site: Office, page: Any) -> None:
    page.goto(f"{site.url}{site.path('Chloe Martin')}")
    page.set_input_files("#photo", {"name": "tap.png", "mimeType": "image/png", "buffer": b"<svg>"})
    page.fill("#text", "The tap drips")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.getElementById('trouble').textContent.startsWith('This is not a photo')")
    page.wait_for_timeout(2_000)
    assert page.locator("#trouble").is_visible()
    assert page.input_value("#text") == "The tap drips"
    assert page.evaluate("() => document.getElementById('photo').files[0].name") == "tap.png"
    page.get_by_role("button", name="Leave the photo out").click()
    page.get_by_role("button", name="Send", exact=True).click()
    page.wait_for_selector(".mine")
    assert not page.locator("#trouble").is_visible()
    assert not page.locator("#unclip").is_visible()
    assert page.input_value("#text") == ""
    assert page.evaluate("() => document.getElementById('photo').files.length") == 0


def test_messages_that_could_not_be_sent_go_back_into_the_box_in_their_order(site: Office, page: Any) -> None:
    page.goto(f"{site.url}{site.path('Chloe Martin')}")
    slow = {"status": 429, "content_type": "application/json", "body": '{"message": "wait a little"}'}
    held: list[Any] = []
    page.route("**/*wants=lines", lambda route: held.append(route))  # noqa: PLW0108  playwright marks what it calls
    for words in ("one", "two"):
        page.fill("#text", words)
        page.keyboard.press("Enter")
    for n in range(2):
        while len(held) == n:
            page.wait_for_timeout(50)
        held[n].fulfill(**slow)
    page.wait_for_function("() => document.getElementById('text').value === 'one\\ntwo'")
    page.wait_for_timeout(1_500)
    assert page.locator("#trouble").inner_text() == "Wait a little."
    page.unroute("**/*wants=lines")
    page.keyboard.press("Enter")
    page.wait_for_selector(".mine")
    assert page.locator(".mine .words").all_inner_texts() == ["one\ntwo"]
    assert not page.locator("#trouble").is_visible()


def test_homes_can_be_worked_with_on_a_phone(site: Office, browser: Any) -> None:
    site.say("Chloe Martin", "I smell gas", key="gas")
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    for path in PAGES:
        page.goto(f"{site.url}{path}")
        assert page.evaluate("() => document.documentElement.scrollWidth") == 390, path
        boxes = "() => [...document.querySelectorAll('.box')].every(box => box.scrollWidth <= box.clientWidth)"
        assert page.evaluate(boxes), f"a table of {path} is cut off"
        assert path not in PAGES[1:4] or page.locator(".box tbody tr").count(), path
    page.goto(f"{site.url}/repairs/homes")
    for name in ("Chat link", "End"):
        place = page.get_by_role("button", name=name).first.bounding_box()
        assert place is not None
        assert place["x"] + place["width"] <= 390
        assert place["height"] < 40, "its words stand on one line"
    context.close()


CUT_OFF = """() => [...document.querySelectorAll("input[placeholder]")].filter((field) => {
    const style = getComputedStyle(field), pen = document.createElement("canvas").getContext("2d");
    pen.font = style.font;
    const room = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    return field.offsetParent && pen.measureText(field.placeholder).width > room;
}).map((field) => field.placeholder)"""


def test_no_placeholder_is_cut_off(site: Office, browser: Any) -> None:
    for width in (1280, 390):
        context = browser.new_context(viewport={"width": width, "height": 844})
        page = context.new_page()
        for path in (*PAGES, "/", "/documents", "/sources", "/people", "/gate/held", site.path("Ana Bell")):
            page.goto(f"{site.url}{path}")
            page.locator("summary").evaluate_all("all => all.forEach((s) => s.parentElement.open = true)")
            assert page.evaluate(CUT_OFF) == [], (width, path)
        context.close()


def test_the_chat_page_stays_in_its_window(site: Office, browser: Any) -> None:
    for n in range(14):
        site.say("Chloe Martin", f"I have a leak in the bathroom, {n}", key=f"message-{n}")
    context = browser.new_context(viewport={"width": 420, "height": 800})
    page = context.new_page()
    page.goto(f"{site.url}{site.path('Chloe Martin')}")
    assert page.evaluate("() => document.querySelector('.lines').scrollHeight") > 800
    whole = "() => [document.documentElement.scrollHeight, document.documentElement.scrollWidth]"
    assert page.evaluate(whole) == [800, 420]
    context.close()


def test_hostile_text_is_inert_on_every_page(site: Office, page: Any) -> None:
    with site.client() as client:
        for number, payload in enumerate(HOSTILE):
            who = ("Ana Bell", "Ben Okafor", "Chloe Martin", "Dan Fox", "A stranger")[number % 5]
            if number % 25 == 0:
                site.settled()
            said = {"text": f"my sink leaks {payload}", "key": f"k{number:08}"}
            client.post(f"{site.path(who)}?wants=lines", data=said)
    site.settled(60)
    talks = site.deps.store.conversations()
    paths = [*PAGES, *(f"/repairs/conversations/{c.id}" for c in talks), site.path("Ana Bell"), site.path("Dan Fox")]
    paths += [f"/repairs/issues/{i.id}" for i in site.deps.store.issues()]
    for path in paths:
        page.goto(f"{site.url}{path}")
        page.locator("summary").evaluate_all("all => all.forEach((s) => s.parentElement.open = true)")
        assert page.evaluate("window.hit") is None, path
        assert [t for t in page.troubles if "favicon" not in t] == [], path


def test_pages_have_no_flaw_that_axe_can_find(site: Office, page: Any) -> None:
    site.say("Ana Bell", "My boiler is not working")
    site.say("Ana Bell", "it's in the kitchen, no photo")
    site.say("A stranger", "I smell gas")
    site.say("A stranger", "My name is Bell")
    site.settled()
    talks = [f"/repairs/conversations/{c.id}" for c in site.deps.store.conversations()]
    talks += [f"/repairs/issues/{i.id}" for i in site.deps.store.issues()]
    for path in (*PAGES, *talks, site.path("Ana Bell"), site.path("A stranger"), site.path("Chloe Martin")):
        page.goto(f"{site.url}{path}")
        page.locator("summary").evaluate_all("all => all.forEach((s) => s.parentElement.open = true)")
        assert flaws_by_scheme(page) == {}, path
