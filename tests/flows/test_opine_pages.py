"""Second opinions on the pages and in the API."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from in_process import InProcess, in_process
from judges import Judge, distinct, duplicate, failing, unsure
from open_pairs import ALMOST, THIRTY, block, doubting, three_pairs
from saidonce.foundation.model import Failure, Question, Ruling, Verb
from saidonce.foundation.ports import QueueFilter
from saidonce.kb import review
from saidonce.kb.review import By
from saidonce.kb.second_opinions import ask_second_opinions
from world import World

Serve = Callable[..., InProcess]


@pytest.fixture
def serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Serve:
    def begin(w: World, **given: object) -> InProcess:
        return in_process(w, tmp_path, monkeypatch, **given)  # type: ignore[arg-type]

    return begin


def sure(question: Question) -> Ruling:
    return replace(duplicate(question), confidence=0.99, reason="<b>the same</b>")


def surely_distinct(question: Question) -> Ruling:
    return replace(distinct(question), confidence=0.99)


def in_doubt(mode: str) -> World:
    w = doubting(gray_zone=mode)
    w.put("a.md", THIRTY)
    w.put("b.md", ALMOST)
    return w


def seq_of(w: World) -> int:
    return w.base.store.ledger.queue(QueueFilter())[0].seq


def test_without_an_opinion_the_page_says_so(serve: Serve) -> None:
    w = in_doubt("people")
    app = serve(w)
    page = app.client.get(f"/queue/{seq_of(w)}").text
    assert "no second opinion on these texts" in page
    assert 'data-key="p"' not in page
    api = app.client.get(f"/api/v1/queue/{seq_of(w)}").json()
    assert (api["opinion"], api["proposes"]) == (None, None)


def test_a_sorting_opinion_is_told_and_proposes_nothing(serve: Serve) -> None:
    w = in_doubt("sort")
    ask_second_opinions(w.base, Judge(sure))
    page = serve(w).client.get(f"/queue/{seq_of(w)}").text
    assert "second opinion: duplicate, confidence 0.99, by scripted, 12 ms" in page
    assert "&lt;b&gt;the same&lt;/b&gt;" in page
    assert 'data-key="p"' not in page


@pytest.mark.parametrize(
    ("says", "ruling", "verb", "n_blocks"),
    [(sure, "merge:newest", Verb.MERGE, 1), (surely_distinct, "keep_apart", Verb.KEEP_APART, 2)],
)
def test_a_proposal_is_accepted_with_one_key(
    serve: Serve, says: Callable[[Question], Ruling], ruling: str, verb: Verb, n_blocks: int
) -> None:
    w = in_doubt("propose")
    ask_second_opinions(w.base, Judge(says))
    app, seq = serve(w), seq_of(w)
    page = app.client.get(f"/queue/{seq}").text
    (found,) = re.findall(r'<button name="ruling" value="([^"]+)" data-key="p">', page)
    assert found == ruling
    assert app.client.get(f"/api/v1/queue/{seq}").json()["proposes"] == verb
    seen = review.pair(w.base, seq).seen
    told = app.post(f"/queue/{seq}?wants=json", ruling=found, seen=seen, key="k").json()
    made = w.base.store.ledger.decision(told["seq"])
    assert made is not None
    assert (made.verb, made.flag, made.detail.ruling) == (verb, seq, None)
    assert made.actor != "policy"
    assert len(w.blocks()) == n_blocks


def test_an_opinion_on_another_text_is_not_shown(serve: Serve) -> None:
    w = in_doubt("propose")
    ask_second_opinions(w.base, Judge(sure))
    review.edit(w.base, By("ann"), block(w, THIRTY).id, THIRTY.replace("thirty", "30"))
    page = serve(w).client.get(f"/queue/{seq_of(w)}").text
    assert "no second opinion on these texts" in page


def test_an_opinion_on_another_of_the_shortlist_leads_there(serve: Serve) -> None:
    w = in_doubt("propose")
    w.put("c.md", THIRTY.replace("customer files", "customers' files"))
    flags = [f for f in w.base.store.ledger.queue(QueueFilter()) if len(f.near) == 2]
    assert flags, "a flag with two that are near"

    def last(question: Question) -> Ruling:
        return replace(duplicate(question), of=question.shown[-1].match.id)

    ask_second_opinions(w.base, Judge(last))
    page = serve(w).client.get(f"/queue/{flags[0].seq}").text
    (against,) = re.findall(r'is about <a href="(/queue/\d+\?against=[0-9a-f]+)"', page)
    assert "second opinion: duplicate" in serve(w).client.get(against).text


def test_the_queue_is_ordered_and_leads_on_in_its_order(serve: Serve) -> None:
    w = doubting(gray_zone="sort")
    three_pairs(w)
    told = iter((0.2, 0.9, 0.5))
    ask_second_opinions(w.base, Judge(lambda q: replace(unsure(q), probability=next(told))))
    app = serve(w)
    listed = app.client.get("/api/v1/queue?order=likely&limit=1").json()["pairs"]
    likely = [listed[0]["seq"]]
    while listed:
        at = f"after_worth={listed[0]['place']}&after_seq={listed[0]['seq']}"
        listed = app.client.get(f"/api/v1/queue?order=likely&limit=1&{at}").json()["pairs"]
        likely += [p["seq"] for p in listed]
    assert [w.base.store.opinions.latest([s])[s].likelihood for s in likely] == [0.9, 0.5, 0.2]
    page = app.client.get("/queue?order=likely").text
    assert [int(s) for s in re.findall(r'<td class="said"><a href="/queue/(\d+)\?order=likely"', page)] == likely
    first = app.client.get(f"/queue/{likely[0]}?order=likely").text
    assert 'data-worth="0.9"' in first
    ahead = app.client.get(f"/queue/next?order=likely&after=0.9,{likely[0]}").text
    assert [int(s) for s in re.findall(r'data-seq="(\d+)"', ahead)] == likely[1:]
    gone_on = app.post(f"/queue/{likely[0]}?order=likely", ruling="dismiss")
    assert gone_on.headers["location"].startswith(f"/queue/{likely[1]}?order=likely")
    assert app.client.get("/api/v1/queue?order=best").status_code == 422


def test_proposals_above_a_confidence_are_merged_in_bulk(serve: Serve) -> None:
    w = doubting(gray_zone="propose")
    three_pairs(w)
    told = iter((0.6, 0.9, 0.99))
    ask_second_opinions(w.base, Judge(lambda q: replace(duplicate(q), confidence=next(told))))
    app = serve(w)
    assert "/queue/bulk?proposed=0.95" in app.client.get("/queue").text
    assert app.client.get("/queue/bulk?proposed=2").status_code == 422
    page = app.client.get("/queue/bulk?proposed=0.9").text
    pairs = re.findall(r'name="pairs" value="([^"]+)"', page)
    assert len(pairs) == 2
    decided = app.post("/queue/bulk", typed="2", pairs=pairs, key="k").headers["location"]
    assert "Merged, 2 pairs at once." in app.client.get(decided).text
    assert len(re.findall('name="pairs"', app.client.get("/queue/bulk").text)) == 1


def test_what_was_settled_stands_in_the_feed_and_can_be_put_back(serve: Serve) -> None:
    w = doubting(gray_zone="settle")
    three_pairs(w)
    told = iter((sure, surely_distinct, failing(Failure.TIMEOUT)))

    def says(question: Question) -> Ruling:
        return next(told)(question)

    ask_second_opinions(w.base, Judge(says))
    app = serve(w)
    feed = app.client.get("/feed").text
    assert "second opinion: duplicate, confidence 0.99" in feed
    (dismissal,) = re.findall(r'action="/decisions/(\d+)/revert"[^>]*>(?:<input[^>]*>)*<button>Return to', feed)
    listed = app.client.get("/api/v1/settled").json()
    assert [(d["verb"], d["ruling"]["opinion"]) for d in listed] == [
        ("dismiss", "distinct"), ("merge", "duplicate")
    ]  # fmt: skip
    n = w.base.store.ledger.n_flags(QueueFilter())
    app.post(f"/decisions/{dismissal}/revert", back="/feed", key="k")
    assert w.base.store.ledger.n_flags(QueueFilter()) == n + 1
    dashboard = app.client.get("/dashboard").text
    assert "Second opinions" in dashboard
    assert '<th scope="row">timeout</th>' in dashboard
    account = app.client.get(f"/api/v1/blocks/{listed[1]['members'][0]}/why").json()
    assert [o["outcome"] for o in account["opinions"]] == ["duplicate"]
