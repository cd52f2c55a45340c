"""The pages and the API in one process: what they carry out, carry along, and link."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from in_process import InProcess, in_process
from open_pairs import AGAIN, ALMOST, FORTY, OTHER, THIRTY, block, clustered_base, doubting, n_decisions, three_pairs
from saidonce.foundation.model import Flag, Verb
from saidonce.foundation.ports import QueueFilter
from saidonce.kb import review
from saidonce.kb.review import By
from world import World, world

Serve = Callable[..., InProcess]
HUGE = "9" * 5_000


@pytest.fixture
def serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Serve:
    def begin(w: World, **given: object) -> InProcess:
        return in_process(w, tmp_path, monkeypatch, **given)  # type: ignore[arg-type]

    return begin


def flags(w: World) -> tuple[Flag, ...]:
    return w.base.store.ledger.queue(QueueFilter())


def last(w: World) -> review.PairView:
    return review.pair(w.base, flags(w)[0].seq)


def test_leaving_one_out_on_the_page_is_checked_keyed_and_undone_whole(serve: Serve) -> None:
    w = clustered_base()
    app, view = serve(w), last(w)
    out = [m for m in view.kept.members if m != view.kept.id]
    form = {"ruling": "merge:newest", "seen": view.seen, "key": "k", "against": view.kept.id, "leave_out": out}
    path = f"/queue/{view.flag.seq}?wants=json"
    n = n_decisions(w)
    first, again = app.post(path, **form).json(), app.post(path, **form).json()
    assert first["seq"] == again["seq"] == n + 2
    undo = {"key": first["undo"], "wants": "json"}
    undone = [app.post(f"/decisions/{first['seq']}/revert?wants=json", **undo).json()["seq"] for _ in range(2)]
    assert undone == [n + 4, n + 4]
    assert sorted(len(b.members) for b in w.blocks()) == [1, 2]
    w.put("9.md", OTHER)
    review.merge(w.base, By("bob"), view.kept.id, block(w, OTHER).id)
    n = n_decisions(w)
    assert app.post(path, **{**form, "key": "k2"}).status_code == 409
    assert n_decisions(w) == n


def test_the_api_leaves_texts_out_too(serve: Serve) -> None:
    w = clustered_base()
    app, view = serve(w), last(w)
    out = [m for m in view.kept.members if m != view.kept.id]
    headers = {"X-CSRF-Token": app.token()}
    told = {"verb": "merge", "seen": view.seen, "leave_out": out}
    refused = app.client.post(f"/api/v1/queue/{view.flag.seq}", json={**told, "verb": "dismiss"}, headers=headers)
    assert refused.status_code == 422
    assert app.client.post(f"/api/v1/queue/{view.flag.seq}", json=told, headers=headers).json()["verb"] == "merge"
    assert (out[0],) in [b.members for b in w.blocks()]


def test_bulk_merges_what_was_shown_and_tells_what_it_left(serve: Serve) -> None:
    w = doubting(merge_investigate_from=0.8)
    three_pairs(w)
    app = serve(w)
    page = app.client.get("/queue/bulk?because=unsure").text
    pairs = re.findall(r'name="pairs" value="([^"]+)"', page)
    assert len(pairs) == 3
    assert page.count("<tr><td class=") == 3
    review.dismiss(w.base, By("bob"), int(pairs[1].partition(":")[0]))
    form = {"typed": "3", "pairs": pairs, "key": "k", "reason": "the same"}
    told = app.post("/queue/bulk?because=unsure", **form)
    assert told.status_code == 200
    assert "2 pairs decided, 1 left open" in told.text
    assert 'href="/queue?because=unsure&amp;done=' in told.text
    assert {d.reason for d in w.base.store.ledger.decisions([Verb.MERGE])} == {"the same"}
    assert "2 pairs decided, 1 left open" in app.post("/queue/bulk", **form).text
    for bad in ({"typed": "3"}, {"typed": "1", "pairs": ["x:y"]}, {"typed": "1", "pairs": [HUGE]}):
        assert app.post("/queue/bulk", **bad).status_code == 422
    assert "0 pairs decided, 1 left open" in app.post("/queue/bulk", typed="1", pairs=["999"]).text


def test_every_preview_stands_on_the_page(serve: Serve) -> None:
    w = clustered_base()
    client = serve(w).client
    page = client.get(f"/queue/{flags(w)[0].seq}").text
    read = " ".join(re.sub("<[^>]+>", " ", page + client.get("/queue").text + client.get("/feed").text).split())
    assert not re.search("gray zone|guard|certified|flag|worth", read)
    assert "another number" in read
    preview = page[page.index("Preview of the merge") : page.index("</details>")]
    assert re.findall(r'<th scope="row">([^<]+)</th>', preview) == ["newest text", "keep A", "keep B"]
    assert THIRTY in preview or AGAIN in preview
    assert FORTY in preview


def test_the_feed_reaches_behind_what_people_merged(serve: Serve) -> None:
    w = world(collection_use="canonical")
    w.put("a.md", THIRTY)
    w.put("b.md", f"# x\n\n{THIRTY}")
    w.put("c.md", OTHER)
    w.put("d.md", "Parking permits cost four euros and last for a week.")
    one, two = (b.id for b in w.blocks() if b.text != THIRTY)
    for _ in range(201):
        made = review.merge(w.base, By("ann"), one, two)
        review.revert(w.base, By("ann"), made.seq)
    page = serve(w).client.get("/feed").text
    assert THIRTY in page
    assert "Older" not in page


def test_my_blocks_are_paged_by_what_is_mine(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("saidonce.interfaces.http.feed.PAGE", 2)
    w = world(collection_use="canonical")
    for number, text in enumerate(
        (THIRTY, OTHER, "Parking costs four euros.", "Heating is serviced in autumn.", "Ask Ann.")
    ):
        w.set(owner="me" if number % 2 else "you")
        w.put(f"{number}.md", text)
        w.put(f"{number}b.md", f"# x\n\n{text}")
    monkeypatch.setattr("getpass.getuser", lambda: "me")
    client = serve(w).client
    everything = client.get("/feed").text
    assert everything.count("<li>") == 2
    assert client.get(re.findall(r'href="(/feed\?before=\d+)"', everything)[0]).text.count("<li>") == 2
    mine = client.get("/feed?mine=true").text
    assert mine.count("<li>") == 2
    assert "Older" not in mine
    assert "None of your texts" in client.get("/feed?mine=true&before=1").text


def test_a_conflict_is_linked_from_block_history_and_hit(serve: Serve) -> None:
    w = doubting()
    w.put("0.md", THIRTY)
    w.put("1.md", FORTY)
    w.put("2.md", OTHER)
    a, b, c = (block(w, text) for text in (THIRTY, FORTY, OTHER))
    review.conflict(w.base, By("ann"), a.id, [b.id])
    review.keep_apart(w.base, By("ann"), a.id, [c.id])
    client = serve(w, min_relevance=0.0).client
    page = client.get(f"/blocks/{a.id}").text
    assert "Marked as contradicting" in page
    note = page[page.index("Marked as contradicting") :]
    assert f"/blocks/{b.id}" in note[: note.index("</div>")]
    history = page[page.index("<h2>History") :]
    assert f'contradicts <a href="/blocks/{b.id}">' in history
    assert f'from <a href="/blocks/{c.id}">' in history
    assert OTHER in history
    hits = client.get("/search?q=backups+of+customer+files").text
    assert f'Marked as contradicting <a href="/blocks/{b.id}">' in hits
    assert f'Marked as contradicting <a href="/blocks/{a.id}">' in hits
    (said,) = w.base.store.ledger.decisions([Verb.CONFLICT])
    review.revert(w.base, By("ann"), said.seq)
    assert "Marked as contradicting" not in client.get(f"/blocks/{a.id}").text


def test_the_other_block_of_a_merge_stands_in_its_history(serve: Serve) -> None:
    w = doubting()
    w.put("0.md", THIRTY)
    w.put("1.md", OTHER)
    a, b = (block(w, text).id for text in (THIRTY, OTHER))
    review.merge(w.base, By("ann"), a, b)
    history = serve(w).client.get(f"/blocks/{a}").text.partition("<h2>History")[2]
    assert f'with <a href="/blocks/{b}">' in history


FORMS = ("/queue/{seq}", "/queue/bulk", "/blocks/{id}/split", "/blocks/{id}/approve", "/blocks/{id}/own",
         "/blocks/{id}/edit", "/decisions/{merge}/revert", "/decisions/{automatic}/revert")  # fmt: skip


def test_every_form_that_decides_asks_for_a_reason_and_has_a_key(serve: Serve) -> None:
    w = clustered_base()
    v = last(w)
    shown = {"seq": v.flag.seq, "id": v.kept.id, "merge": w.base.store.ledger.decisions([Verb.MERGE])[0].seq}
    w.put("6.md", "Parking permits of visitors cost four euros and last for a week.")
    w.put("7.md", "Parking permits of the visitors cost four euros and last for a week.")
    w.put("8.md", OTHER)
    w.put("9.md", f"# x\n\n{OTHER}")
    shown["automatic"] = w.base.store.ledger.decisions([Verb.MERGE])[0].seq
    client = serve(w).client
    pages = [client.get(path).text for path in (f"/queue/{v.flag.seq}", f"/blocks/{v.kept.id}", "/feed", "/queue/bulk")]
    forms = re.compile(r'<form[^>]*action="([^"?]+)[^"]*">(.*?)</form>', re.DOTALL)
    found = {form[1]: form[2] for page in pages for form in forms.finditer(page)}
    for each in FORMS:
        path = each.format(**shown)
        assert 'name="reason"' in found[path], path
        assert 'name="key"' in found[path], path


def test_a_reason_and_a_repetition_on_the_page(serve: Serve) -> None:
    w = doubting(merge_from=0.8, audit_share=1.0)
    w.put("0.md", f"---\ndate: 2024-01-01\n---\n\n{THIRTY}")
    w.put("1.md", f"---\ndate: 2025-01-01\n---\n\n{ALMOST}")
    app = serve(w)
    (merged,) = w.base.store.ledger.decisions([Verb.MERGE])
    form = {"wrong": "yes", "key": "k", "reason": "another place"}
    answers = [app.post(f"/decisions/{merged.seq}/audit", **form) for _ in range(2)]
    assert {a.status_code for a in answers} == {303}
    assert len({a.headers["location"] for a in answers}) == 1
    (ruling,) = w.base.store.ledger.decisions([Verb.AUDIT])
    assert ruling.reason == "another place"
    assert len(w.blocks()) == 2


def test_the_filter_goes_along_after_a_decision(serve: Serve) -> None:
    w = doubting(merge_investigate_from=0.8)
    three_pairs(w)
    app = serve(w)
    one, two, three = flags(w)
    for f in (one, three):
        review.assign(w.base, By("ann"), f.seq, "ann")
    page = app.client.get("/queue?assignee=ann").text
    assert f'href="/queue/{one.seq}?assignee=ann&amp;order=judge"' in page
    assert f"/queue/{two.seq}" not in page
    shown = app.client.get(f"/queue/{one.seq}?assignee=ann").text
    assert f'action="/queue/{one.seq}?assignee=ann"' in shown
    assert 'data-query="assignee=ann"' in shown
    assert '<span id="left">2</span>' in shown
    skipped = app.post(f"/queue/{one.seq}?assignee=ann", ruling="skip")
    assert skipped.headers["location"] == f"/queue/{three.seq}?assignee=ann"
    decided = app.post(f"/queue/{one.seq}?assignee=ann", ruling="dismiss")
    assert decided.headers["location"].startswith(f"/queue/{three.seq}?assignee=ann&done=")
    banner = app.client.get(decided.headers["location"]).text
    assert f'name="back" value="/queue/{three.seq}?assignee=ann"' in banner
    done = int(decided.headers["location"].rpartition("=")[2])
    undone = app.post(f"/decisions/{done}/revert", back=f"/queue/{three.seq}?assignee=ann", key="k")
    assert undone.headers["location"].startswith(f"/queue/{three.seq}?assignee=ann&done=")
    assert (
        app.post(f"/queue/{three.seq}?assignee=ann", ruling="dismiss")
        .headers["location"]
        .startswith("/queue?assignee=ann&done=")
    )
    ahead = app.client.get("/queue/next?after=9,0&assignee=ann").text
    assert re.findall(r'data-seq="(\d+)"', ahead) == [str(one.seq)]


def test_a_difference_in_several_places_of_a_pair_is_shown_once(serve: Serve) -> None:
    w = doubting(merge_investigate_from=0.8)
    for name, release in (("one.md", "2.4.1"), ("two.md", "2.8.3")):
        w.put(name, f"Since release {release} all pumps are inspected by the technician. Pumps of {release} stay shut.")
    app, (flag,) = serve(w), w.base.store.ledger.queue(QueueFilter())
    assert flag.comparison is not None
    assert len(flag.comparison.objections) == 2
    for path in ("/queue", f"/queue/{flag.seq}"):
        assert app.client.get(path).text.count("<q>2.8.3</q>") == 1, path


def test_one_change_in_several_places_is_a_group_on_the_page_and_in_the_api(serve: Serve) -> None:
    w = doubting(merge_investigate_from=0.8)
    for name, release in (("one.md", "2.4.1"), ("two.md", "2.8.3")):
        kinds = ("pumps", "valves", "boilers")
        w.put(name, "\n\n".join(f"Since release {release} all {k} are inspected by the technician." for k in kinds))
    w.put("three.md", THIRTY)
    w.put("four.md", FORTY)
    app = serve(w)
    page = app.client.get("/queue").text
    assert "By one change in several places: 1" in page
    assert "change=2.4.1%20-%3E%202.8.3" in page
    narrowed = app.client.get("/queue?change=2.4.1%20-%3E%202.8.3").text
    assert (page.count('name="pairs"'), narrowed.count('name="pairs"')) == (2, 3)
    assert "2 entries: pairs in which the same name was changed" in page
    assert "and 2 more places with 2.4.1 → 2.8.3" in page
    (all_of_it,) = re.findall(r'value="([\d ]+)" aria-label="Tick 3 pairs with one change"', page)
    assert page.count('<li><a href="/queue/') == 2, "each place is listed, and has a page of its own"
    alone = app.client.get(f"/queue/{all_of_it.split()[-1]}").text
    assert 'change=2.4.1%20-%3E%202.8.3">All pairs with this change</a>' in alone
    ticked = app.post("/queue/bulk/preview", verb="keep_apart", pairs=all_of_it).text
    assert sorted(re.findall(r'name="pairs" value="(\d+):', ticked)) == sorted(all_of_it.split())
    assert "Keep both: 3 pairs" in ticked
    assert '<p class="big">3 <span class="faint">of 4</span></p>' in narrowed
    assert "<b>3</b> 2.4.1 → 2.8.3" in narrowed
    assert re.findall(r"<b>(\d)</b> other ", narrowed) == ["3"], "kinds of the pairs with this change"
    other = app.client.get("/queue?differs=number").text
    assert ("2.4.1 → 2.8.3" in other, '<p class="big">1 <span' in other) == (False, True), "what is left of a change"
    none_left = app.client.get("/queue?differs=number&change=2.4.1%20-%3E%202.8.3").text
    assert 'href="/queue?differs=number">all changes' in none_left.replace("order=judge&amp;", ""), "a way out"
    (group,) = app.client.get("/api/v1/review/groups").json()["by_change"]
    assert (group["change"], group["n"]) == ("2.4.1 -> 2.8.3", 3)
    assert app.client.get("/api/v1/review/groups?change=2.4.1%20-%3E%202.8.3").json()["n"] == 3
    assert app.client.get("/api/v1/review/groups?change=2.4.1%20-%3E%209").json()["n"] == 0


def test_many_are_previewed_decided_and_taken_back_without_javascript(serve: Serve) -> None:
    w = doubting(merge_investigate_from=0.8)
    three_pairs(w)
    app = serve(w)
    seqs = [str(f.seq) for f in flags(w)]
    assert app.post("/queue/bulk/preview?assignee=", verb="keep_apart").status_code == 422
    assert app.post("/queue/bulk/preview", verb="edit", pairs=seqs).status_code == 422
    assert app.post("/queue/bulk/preview", verb="assign", pairs=seqs, due="soon").status_code == 422
    n = n_decisions(w)
    preview = app.post("/queue/bulk/preview?because=unsure", verb="keep_apart", everything="true").text
    assert ("Keep both: 3 pairs" in preview, n_decisions(w)) == (True, n)
    pairs = re.findall(r'name="pairs" value="([^"]+)" checked', preview)
    decided = app.post("/queue/bulk?because=unsure", verb="keep_apart", pairs=pairs, key="k").headers["location"]
    assert decided.startswith("/queue?because=unsure&done=")
    page = app.client.get(decided).text
    assert "Kept both, 3 pairs at once." in page
    assert flags(w) == ()
    done = decided.rpartition("=")[2]
    back = app.post(f"/decisions/{done}/revert", back="/queue?because=unsure", key="u").headers["location"]
    assert back.startswith("/queue?because=unsure&done=")
    assert "Undone: kept both, 3 pairs at once" in app.client.get(back).text
    assert [str(f.seq) for f in flags(w)] == seqs
    log = app.client.get("/decisions").text
    assert THIRTY in log
    assert "Undo all 3" in app.client.get("/decisions?verb=revert").text
    assert app.client.get("/decisions?verb=nonsense&actor=nobody").status_code == 200


def test_another_persons_decision_is_audited_from_the_log(serve: Serve) -> None:
    w = doubting(merge_investigate_from=0.8)
    three_pairs(w)
    decision = review.dismiss(w.base, By("ann"), flags(w)[0].seq)
    app = serve(w)
    assert "It is wrong" in app.client.get("/decisions").text
    noted = app.post(f"/decisions/{decision.seq}/audit", wrong="note", back="/decisions", key="k")
    assert noted.headers["location"].startswith("/decisions?done=")
    page = app.client.get("/decisions").text
    assert "audited as wrong" in page
    assert "0 of 1" in page
    assert w.base.store.ledger.decisions([Verb.REVERT]) == ()
