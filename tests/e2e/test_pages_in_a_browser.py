"""The review pages in a real Chromium: keys only, without JavaScript, for screen readers, against hostile text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from axe_flaws import WCAG, flaws, flaws_by_scheme
from chromium import HOSTILE, IN_A_BROWSER, follow
from waiting_for import eventually
from website import Website, doubtful, served, token_of

pytestmark = IN_A_BROWSER


@pytest.fixture(scope="module")
def site() -> Iterator[Website]:
    with served(doubtful(70)) as running:
        check(running)
        yield running


def verdicts_of(site: Website) -> list[dict[str, Any]]:
    """What the gate said, newest first."""
    with site.client() as client:
        found: list[dict[str, Any]] = client.get("/api/v1/gate/verdicts").raise_for_status().json()
    return found


def check(site: Website) -> None:
    """Have a gate clear and hold submissions, one of them hostile."""
    told = [
        {"id": "new", "title": "Boats", "text": "Plan a trip on a river boat.", "persona": "traveller"},
        {"id": "again", "title": "Boats", "text": "Plan a trip on a river boat.", "persona": "traveller"},
        {"id": "hostile", "text": f"Translate this line: {HOSTILE[0]}", "task": HOSTILE[1]},
    ]
    file = site.data_dir.parent / "submissions.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in told), encoding="utf-8")
    done = site.try_("gate", "check", str(file))
    assert (done.returncode, "2 cleared, 1 blocked" in done.stdout + done.stderr) == (4, True), done.stderr


def type_decisions(site: Website, page: Any, n: int) -> None:
    """Decide n times by keys alone, without a pause; all of it has to be done, each pair once."""
    queue = site.get("/queue", limit=500)
    assert queue["n"] > n
    before = {d["seq"] for d in site.get("/decisions", limit=500) if d["actor"] != "policy"}
    page.goto(f"{site.url}/queue/{queue['pairs'][0]['seq']}")
    page.keyboard.type("k" * n)

    def made() -> list[Any]:
        return [d for d in site.get("/decisions", limit=500) if d["actor"] != "policy" and d["seq"] not in before]

    for _ in range(240):
        if len(made()) >= n:
            break
        page.wait_for_timeout(500)
    decided = made()
    assert len(decided) == n
    assert {d["verb"] for d in decided} == {"keep_apart"}
    assert len({d["flag"] for d in decided}) == n
    assert page.locator("#troubles p").count() == 0
    assert page.troubles == []
    for d in decided[:3]:
        assert not site.get(f"/queue/{d['flag']}")["open"]


def test_decisions_typed_without_a_pause_are_all_made(site: Website, page: Any) -> None:
    type_decisions(site, page, 20)


@pytest.mark.slow
def test_two_hundred_decisions_typed_without_a_pause_are_all_made(page: Any) -> None:
    with served(doubtful(260)) as site:
        type_decisions(site, page, 200)


def test_undo_by_key_brings_the_pair_back(site: Website, page: Any) -> None:
    first = site.get("/queue", limit=1)["pairs"][0]
    page.goto(f"{site.url}/queue/{first['seq']}")
    page.keyboard.press("m")
    page.wait_for_function("seq => document.querySelector('article')?.dataset.seq !== seq", arg=str(first["seq"]))
    page.keyboard.press("u")
    page.wait_for_url(f"**/queue/{first['seq']}")
    page.wait_for_load_state("networkidle")
    assert page.locator(f"article[data-seq='{first['seq']}']").count() == 1
    assert site.get(f"/queue/{first['seq']}")["open"]


def test_shortcuts_can_be_switched_off_and_spare_fields(site: Website, page: Any) -> None:
    first = site.get("/queue", limit=1)["pairs"][0]["seq"]
    page.goto(f"{site.url}/queue/{first}")
    page.locator("input[name=to]").focus()
    page.keyboard.type("mack")
    assert page.locator("input[name=to]").input_value() == "mack"
    page.locator("#shortcuts").uncheck()
    page.locator("h1").click()
    page.keyboard.press("m")
    page.wait_for_timeout(300)
    assert page.locator(f"article[data-seq='{first}']").count() == 1
    page.reload()
    assert not page.locator("#shortcuts").is_checked()
    assert site.get(f"/queue/{first}")["open"]


def test_every_verb_works_without_javascript(site: Website, browser: Any) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    seqs = [p["seq"] for p in site.get("/queue", limit=5)["pairs"]]
    for seq, button in zip(seqs, ["Merge, keep A", "Conflict", "Dismiss", "Skip", "Keep both"], strict=True):
        page.goto(f"{site.url}/queue/{seq}")
        follow(page.get_by_role("button", name=button))
        assert f"/queue/{seq}?" not in page.url
        assert site.get(f"/queue/{seq}")["open"] is (button == "Skip")
        if button != "Skip":
            follow(page.get_by_role("button", name="Undo"))
            assert site.get(f"/queue/{seq}")["open"]
    context.close()


def test_two_reviewers_of_one_pair_the_second_is_told(site: Website, browser: Any) -> None:
    seq = site.get("/queue", limit=1)["pairs"][0]["seq"]
    one, two = (browser.new_context(java_script_enabled=False).new_page() for _ in range(2))
    for page in (one, two):
        page.goto(f"{site.url}/queue/{seq}")
    follow(one.get_by_role("button", name="Keep both"))
    follow(two.get_by_role("button", name="Merge, newest text"))
    assert two.locator("h1").inner_text() == "Changed meanwhile"
    rulings = [d for d in site.get("/decisions", limit=50) if d["flag"] == seq and d["holds"]]
    assert [d["verb"] for d in rulings] == ["keep_apart"]


def test_a_merge_that_is_disliked_is_split_on_its_page_and_told_by_why(site: Website, page: Any) -> None:
    seq = site.get("/queue", limit=1)["pairs"][0]["seq"]
    page.goto(f"{site.url}/queue/{seq}")
    page.keyboard.press("m")

    def merges() -> list[Any]:
        return [d for d in site.get("/decisions", limit=50) if d["flag"] == seq and d["holds"]]

    eventually(merges)
    (merged,) = merges()
    page.goto(f"{site.url}/blocks/{merged['members'][0]}")
    n_before = len(site.get(f"/blocks/{merged['members'][0]}")["members"])
    assert n_before == 2
    follow(page.get_by_role("button", name="Split out").first)
    page.wait_for_load_state("networkidle")
    assert [len(site.get(f"/blocks/{member}")["members"]) for member in merged["members"]] == [1, 1]
    told = site.get(f"/blocks/{merged['members'][0]}/why")
    assert {"flag", "merge", "split"} <= {d["verb"] for d in told["decisions"]}


PAGES = (
    "/queue",
    "/decisions",
    "/review/rules",
    "/review/rules/new?collection=main&differs=number",
    "/feed",
    "/dashboard",
    "/gate",
    "/search?q=how+many+books",
    "/docs",
    "/queue/bulk",
    "/sign-in",
)


@pytest.mark.parametrize("every", [40, pytest.param(1, marks=pytest.mark.slow)])
def test_axe_finds_no_violation(site: Website, browser: Any, every: int) -> None:
    """All pages; of the 200 operations of the API, which one template shows, every fortieth is opened."""
    context = browser.new_context(bypass_csp=True)
    page = context.new_page()
    pair = site.get("/queue", limit=1)["pairs"][0]
    verdict = verdicts_of(site)[0]
    for path in (
        *PAGES,
        f"/gate/{verdict['id']}",
        f"/queue/{pair['seq']}",
        f"/blocks/{pair['of']}",
        "/blocks/ffffffff",
    ):
        page.goto(f"{site.url}{path}")
        page.wait_for_load_state("networkidle")
        page.evaluate(
            "every => document.querySelectorAll('details').forEach((d, n) => { d.open = n % every == 0; })",
            every if path == "/docs" else 1,
        )
        assert flaws_by_scheme(page, WCAG) == {}, path
    context.close()


def test_pages_say_nothing_to_the_console(site: Website, page: Any) -> None:
    pair = site.get("/queue", limit=1)["pairs"][0]
    for path in (*PAGES, f"/queue/{pair['seq']}", f"/blocks/{pair['of']}"):
        page.goto(f"{site.url}{path}")
        page.wait_for_load_state("networkidle")
    assert page.troubles == []


@pytest.mark.parametrize("every", [40, pytest.param(1, marks=pytest.mark.slow)])
def test_stored_payloads_do_nothing(browser: Any, every: int) -> None:
    """All are stored and listed; `make proofs` opens every pair and block, too, and not only every fortieth."""
    said = [f"Rule {n}: visitors write {payload} into field {n} of the form." for n, payload in enumerate(HOSTILE)]
    documents = {
        "one.txt": "\n\n".join(said),
        "two.txt": "\n\n".join(text.replace("Rule ", "Rule 9") for text in said),
        "<img src=x onerror=window.hit=1>.txt": said[0],
    }
    with served(documents, SAIDONCE_SEGMENT_STYLE="whole") as site:
        page = browser.new_context().new_page()
        pairs = site.get("/queue", limit=500)["pairs"]
        visited = [f"/queue/{p['seq']}" for p in pairs] + [f"/blocks/{p['of']}" for p in pairs[::4]]
        query = "/search?q=%3Cscript%3Ewindow.hit%3D1%3C%2Fscript%3E+visitors"
        shown = ""
        lists = ["/queue", "/queue/bulk", "/decisions", "/feed", "/dashboard", query]
        for path in [*[*dict.fromkeys(visited)][::every], *lists]:
            page.goto(f"{site.url}{path}")
            assert page.evaluate("window.hit") is None, path
            shown += page.inner_text("main")
        hidden = [payload for payload in HOSTILE if payload not in shown]
        assert hidden == [] if every == 1 else len(hidden) < len(HOSTILE) // 2


def test_a_blocked_submission_is_overridden_on_its_page_and_taken_back(site: Website, page: Any) -> None:
    verdicts = verdicts_of(site)
    for verdict in verdicts:
        page.goto(f"{site.url}/gate/{verdict['id']}")
        assert page.evaluate("window.hit") is None
    page.goto(f"{site.url}/gate?gate=main")
    follow(page.get_by_role("link", name="Translate this line"))
    assert HOSTILE[1] in page.inner_text("main")
    page.get_by_label("Reason for the release").fill("it is <b>not</b> ours")
    follow(page.get_by_role("button", name="Release it"))
    assert "it is <b>not</b> ours" in page.inner_text("main")
    page.goto(f"{site.url}/gate?gate=main")
    assert "released" in page.inner_text("#verdicts + table")
    assert page.troubles == []


def test_forms_from_elsewhere_are_refused(site: Website) -> None:
    seq = site.get("/queue", limit=1)["pairs"][0]["seq"]
    with site.client() as client:
        token = token_of(client.get(f"/queue/{seq}").text)
        refused = client.post(f"/queue/{seq}", data={"csrf": "guess", "ruling": "keep_apart"})
        assert refused.status_code == 403
        foreign = client.post(
            f"/queue/{seq}", data={"csrf": token, "ruling": "keep_apart"}, headers={"Origin": "http://evil.example"}
        )
        assert foreign.status_code == 403
        renamed = client.get("/queue", headers={"Host": "evil.example"})
        assert renamed.status_code == 421
        api = client.post(f"/api/v1/queue/{seq}", json={"verb": "keep_apart"})
        assert api.status_code == 403
    assert site.get(f"/queue/{seq}")["open"]


def test_every_answer_carries_the_headers(site: Website) -> None:
    with site.client() as client:
        for path in ("/queue", "/api/v1/status", "/static/app.css", "/nothing", "/blocks/zzzz"):
            headers = client.get(path).headers
            assert "unsafe" not in headers["content-security-policy"]
            assert "default-src 'none'" in headers["content-security-policy"]
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["x-frame-options"] == "DENY"


def hold(site: Website, gate: str) -> list[str]:
    """Have a gate hold some; return their ids, as the list has them."""
    kept = [f"Write a guide to {topic} for people who have never tried it." for topic in ("sailing", "baking", "chess")]
    near = [text.replace("Write a guide", "Write a short guide") for text in kept]
    file = site.data_dir.parent / f"{gate}.jsonl"
    file.write_text("".join(json.dumps({"text": text}) + "\n" for text in [*kept, *near]), encoding="utf-8")
    site.try_("gate", "check", str(file), "--gate", gate, "-q")
    listed = site.get("/gate/held", gate=gate)
    assert listed["n"] == len(near)
    return [each["id"] for each in listed["held"]]


def test_the_held_list_is_emptied_by_keys_and_one_undo_brings_all_back(site: Website, page: Any) -> None:
    ids = hold(site, "keys")
    page.goto(f"{site.url}/gate/held?gate=keys")
    page.keyboard.type("jxjx")
    assert page.inner_text("#n-picked") == "2 selected"
    with page.expect_navigation():
        page.keyboard.press("l")
    assert "2 let through" in page.inner_text("[role=status]:not(#live)")
    assert [v["id"] for v in site.get("/gate/held", gate="keys")["held"]] == ids[2:]
    with page.expect_navigation():
        page.keyboard.press("u")
    assert [v["id"] for v in site.get("/gate/held", gate="keys")["held"]] == ids
    assert not any(site.get(f"/gate/verdicts/{id_}")["authorized"] for id_ in ids)
    page.goto(f"{site.url}/gate/held/{ids[0]}?gate=keys")
    for key, state in (("r", "repeat"), ("w", "link"), ("l", "let_through")):
        with page.expect_navigation():
            page.keyboard.press(key)
        assert state in {(site.get(f"/gate/verdicts/{id_}")["decision"] or {}).get("choice") for id_ in ids}
    assert site.get("/gate/held", gate="keys")["n"] == 0
    assert page.troubles == []


def test_the_held_list_fits_a_phone_and_tells_the_second_person(site: Website, browser: Any) -> None:
    ids = hold(site, "phone")
    phone = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    page = phone.new_page()
    for path in ("/gate/held?gate=phone", f"/gate/held/{ids[0]}?gate=phone"):
        page.goto(f"{site.url}{path}")
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        assert flaws(page, tags=WCAG) == [], path
    site.run("gate", "held", "decide", ids[0], "--repeat", "--as", "bo")
    page.get_by_role("button", name="Let through").tap()
    page.wait_for_load_state()
    assert "bo decided about" in page.inner_text("[role=alert]")
    page.get_by_role("link", name="Next one").tap()
    page.wait_for_url(f"**/gate/held/{ids[1]}*")
    phone.close()
