"""The queue in a real Chromium: many pairs by keys, one undo, a phone, and decisions that outlive their page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from chromium import IN_A_BROWSER, follow
from website import Website, doubtful, served

pytestmark = IN_A_BROWSER

PHONE = {"width": 390, "height": 844}
NAME = "one-name-without-a-break-as-some-people-give-it-to-a-file-2026-11-23-final-signed.md"
LONG = "https://a-very-long-name-without-a-break.example.com/and/a/path/that/does/not/break/anywhere/at/all/either"


@pytest.fixture(scope="module")
def site() -> Iterator[Website]:
    texts = doubtful(24)
    documents = {name: f"{text}\n\n## Long\n\nSee {LONG} for rule {name}." for name, text in
                 (("first.md", texts["first.md"]), (NAME, texts["second.md"]))}  # fmt: skip
    with served(documents) as running:
        yield running


def n_open(site: Website) -> int:
    n: int = site.get("/queue", limit=1)["n"]
    return n


def test_a_range_ticked_by_keys_is_kept_apart_and_one_undo_brings_all_of_it_back(site: Website, page: Any) -> None:
    before = n_open(site)
    page.goto(f"{site.url}/queue?differs=number&order=worth")
    for key in ("n", "x", "n", "n", "X"):
        page.keyboard.press(key)
    assert page.locator("#ticked").inner_text() == "3 ticked"
    with page.expect_navigation():
        page.keyboard.press("k")
    assert page.locator("h1").inner_text() == "Keep both: 3 pairs"
    follow(page.get_by_role("button", name="Keep both"))
    assert page.url.startswith(f"{site.url}/queue?order=worth&differs=number") or "differs=number" in page.url
    assert "Kept both, 3 pairs at once." in page.locator(".done").first.inner_text()
    assert n_open(site) == before - 3
    follow(page.get_by_role("button", name="Undo"))
    assert "Undone: kept both, 3 pairs at once" in page.locator(".done").first.inner_text()
    assert "differs=number" in page.url
    assert n_open(site) == before
    assert page.troubles == []


def test_a_decision_that_is_not_saved_yet_is_sent_from_the_next_page(site: Website, browser: Any) -> None:
    context = browser.new_context()
    page = context.new_page()
    first = site.get("/queue", limit=1)["pairs"][0]["seq"]
    page.goto(f"{site.url}/queue/{first}")
    page.route("**/queue/*wants=json*", lambda route: route.abort())
    page.keyboard.press("k")
    page.wait_for_function("() => JSON.parse(localStorage.getItem('outbox') || '[]').length === 1")
    assert site.get(f"/queue/{first}")["open"]
    page.unroute("**/queue/*wants=json*")
    page.goto(f"{site.url}/feed")
    page.wait_for_function("() => JSON.parse(localStorage.getItem('outbox') || '[]').length === 0")
    assert not site.get(f"/queue/{first}")["open"]
    made = [d for d in site.get("/decisions", limit=50) if d["flag"] == first and d["holds"]]
    assert [d["verb"] for d in made] == ["keep_apart"]
    context.close()


def test_the_third_equal_decision_offers_a_rule(site: Website, page: Any) -> None:
    shown = site.get("/queue", limit=10)["pairs"]
    of_numbers = [p["seq"] for p in shown if {o["kind"] for o in p["near"][0]["objections"]} == {"number"}]
    page.goto(f"{site.url}/queue/{of_numbers[0]}?differs=number")
    page.keyboard.type("kkk")
    link = page.locator("#live a")
    link.wait_for()
    link.click()
    page.wait_for_url("**/review/rules/new?*")
    n = int(page.locator("main").inner_text().split("It decides ")[1].split()[0])
    before = n_open(site)
    follow(page.get_by_role("button", name="Make this rule"))
    assert n > 0
    # A flag with another near text, to which no guard objects, shows that one next.
    assert before - n <= n_open(site) < before
    follow(page.get_by_role("button", name="Undo, with its"))
    assert n_open(site) == before
    assert "No rules" in page.inner_text("main")


def test_on_a_phone_nothing_is_wider_than_the_screen_and_both_texts_are_in_view(site: Website, browser: Any) -> None:
    context = browser.new_context(viewport=PHONE)
    page = context.new_page()
    pair = site.get("/queue", limit=1)["pairs"][0]
    seq, blocks = pair["seq"], [pair["of"], pair["near"][0]["id"]]
    paths = ("/queue", f"/queue/{seq}", "/queue/bulk", "/decisions", "/review/rules",
             "/review/rules/new?collection=main&differs=number", "/search?q=parking", "/", "/documents", "/feed",
             "/dashboard", "/people", "/security", "/settings?q=owner", *(f"/blocks/{b}" for b in blocks))  # fmt: skip
    for path in paths:
        page.goto(f"{site.url}{path}")
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], path
        here = page.locator("nav a[aria-current]")
        if here.count():
            assert 0 <= here.bounding_box()["x"] < PHONE["width"] - 60, f"the menu does not show that this is {path}"
    page.goto(f"{site.url}/queue")
    assert page.locator(".cards tr").nth(1).evaluate("row => getComputedStyle(row).display") == "block"
    page.goto(f"{site.url}/queue/{seq}")
    texts, verbs = page.locator(".side .text"), page.locator(".verbs").bounding_box()
    bottoms = [box["y"] + box["height"] for box in (texts.nth(n).bounding_box() for n in (0, 1))]
    assert max(bottoms) < verbs["y"]
    assert verbs["height"] < 80
    context.close()
