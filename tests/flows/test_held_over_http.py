"""The held list over HTTP and as pages, on a store in memory: who may decide, and what the second one is told."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from test_gate_over_http import NEAR, TEXT, Served

from judges import Judge, distinct, duplicate, failing, unsure
from saidonce.errors import NotFoundError
from saidonce.foundation.model import Failure, HeldChoice, Role, Scope
from saidonce.gate import HeldItem, HeldOrder
from saidonce.platform import access

NOW = datetime(2026, 3, 1, tzinfo=UTC)
HELD = "/api/v1/gate/held"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    made = Served(tmp_path, Judge(unsure), gate_llm_enabled=True)
    yield made
    made.client.close()


def hold(served: Served, *texts: str) -> list[str]:
    """Keep one, hold others; return the ids of those held, in order."""
    gate = served.base.gate()
    if not served.base.store.gates.n_admitted("main"):
        served.post("/api/v1/gate/submissions", {"text": TEXT})
    posted = [served.post("/api/v1/gate/submissions", {"text": text}).json() for text in texts]
    served.base.rule_pending()
    assert gate.stats().n_held
    return [each["id"] for each in posted]


def form(page: Any) -> dict[str, str]:
    """The hidden fields of a page's form."""
    return dict(re.findall(r'name="(csrf|seen|of|looked_at)" value="([^"]*)"', page.text))


def test_it_is_listed_decided_and_undone(served: Served) -> None:
    one, two = hold(served, NEAR, TEXT + " Today.")
    listed = served.get(HELD, reason="unsure").json()
    assert (listed["n"], [each["id"] for each in listed["held"]]) == (2, [one, two])
    assert listed["held"][0]["standing"] == "held"
    assert served.get(HELD, reason="no_ruling").json()["n"] == 2, "the former name of what nobody ruled on"
    assert served.get(HELD, reason="away").json()["n"] == served.get(HELD, age="1d").json()["n"] == 0
    assert served.get(HELD, age="soon").status_code == 422
    seen = listed["held"][0]["seen"]
    body = {"choice": "repeat", "items": [{"id": one, "seen": seen}], "why": "the same round"}
    done = served.post(f"{HELD}/decisions", body).json()
    assert [v["standing"] for v in done["done"]] == ["blocked"]
    second = served.post(f"{HELD}/decisions", {**body, "choice": "let_through"})
    assert second.status_code == 409
    assert "decided about" in second.json()["message"]
    back = served.post(f"{HELD}/decisions/{done['decision']}/undo", {}).json()
    assert [v["id"] for v in back["undone"]] == [one]
    assert served.post(f"{HELD}/decisions/{done['decision']}/undo", {}).status_code == 404
    assert served.get(HELD).json()["n"] == 2


def test_many_are_decided_at_once_and_what_cannot_be_is_left(served: Served) -> None:
    one, two = hold(served, NEAR, NEAR)
    done = served.post(f"{HELD}/decisions", {"choice": "let_through", "items": [{"id": one}, {"id": two}]}).json()
    assert ([v["id"] for v in done["done"]], [left["id"] for left in done["left"]]) == ([one], [two])
    assert done["done"][0]["authorized"]
    served.post(f"{HELD}/decisions/{done['decision']}/undo", {"why": "too quick"})
    assert served.get(f"/api/v1/gate/verdicts/{one}").json()["authorized"] is False


def test_notes_assignments_and_later_tries_are_seen_beside_it(served: Served) -> None:
    (one,) = hold(served, NEAR)
    served.post(f"{HELD}/assignments", {"ids": [one], "to": "bo"})
    assert served.get(HELD, assignee="bo").json()["n"] == 1
    noted = served.post(f"{HELD}/{one}/notes", {"text": "ask the shop"}).json()
    assert noted["events"][-1]["detail"] == "ask the shop"
    later = served.post("/api/v1/gate/submissions", {"text": "Sail to the islands.", "retry_of": one}).json()
    assert later["retry_of"] == one
    pair = served.get(f"{HELD}/{one}").json()
    assert ([v["id"] for v in pair["retries"]], pair["assignee"]) == ([later["id"]], "bo")
    assert pair["near"][0]["text"] == TEXT
    wrong = served.post("/api/v1/gate/submissions", {"text": "Row.", "retry_of": later["id"]})
    assert (wrong.status_code, "nothing to retry" in wrong.json()["message"]) == (422, True)


def test_only_reviewers_decide_and_only_in_their_organisation(served: Served) -> None:
    (one,) = hold(served, NEAR)
    store = served.base.store
    access.add_person(store, "ann", "", Role.OWNER, NOW)
    _, reads = access.make_key(store, "ann", "r", [Scope.READ, Scope.WRITE], NOW, lambda n: bytes(range(n)))
    body = {"choice": "repeat", "items": [{"id": one}]}
    bearer = {"Authorization": f"Bearer {reads}"}
    assert served.client.get(HELD, headers=bearer).json()["n"] == 1
    for path, data in (
        (f"{HELD}/decisions", body), (f"{HELD}/assignments", {"ids": [one]}), (f"{HELD}/{one}/notes", {"text": "x"}),
        (f"{HELD}/{one}/audit", {"right": True}), (f"{HELD}/decisions/hd-1/undo", {}),
    ):  # fmt: skip
        assert served.client.post(path, json=data, headers=bearer).status_code == 403, path
    assert served.get(HELD).status_code == 401
    with pytest.raises(NotFoundError):
        served.base.for_org("other").held.pair(one)


def test_the_pages_work_without_scripts_and_refuse_foreign_forms(served: Served) -> None:
    one, two = hold(served, NEAR, TEXT + " Today.")
    listed = served.get("/gate/held")
    assert "the adjudicator was unsure" in listed.text
    page = served.get(f"/gate/held/{one}")
    assert "Is this a repeat?" in page.text
    fields = form(page)
    assert served.client.post(f"/gate/held/{one}", data={**fields, "csrf": "x", "choice": "repeat"}).status_code == 403
    after = served.client.post(f"/gate/held/{one}", data={**fields, "choice": "repeat"})
    assert (after.url.path, "1 marked as a repeat" in after.text) == (f"/gate/held/{two}", True)
    second = served.client.post(f"/gate/held/{one}", data={**fields, "choice": "let_through"})
    assert (second.status_code, "decided about" in second.text) == (409, True)
    decision = re.search(r"/gate/held/undo/(hd-\w+)", after.text)
    assert decision is not None
    undone = served.client.post(f"/gate/held/undo/{decision[1]}", data={"csrf": fields["csrf"]})
    assert (undone.url.path, "undone" in undone.text) == (f"/gate/held/{one}", True)
    skipped = served.client.post(f"/gate/held/{one}", data={**fields, "choice": "skip"})
    assert skipped.url.path == f"/gate/held/{two}"


def test_many_are_decided_on_the_page_and_the_rest_is_named(served: Served) -> None:
    one, two = hold(served, NEAR, NEAR)
    listed = served.get("/gate/held")
    items = re.findall(r'name="items" value="([^"]*)"', listed.text)
    assert {item.partition(":")[0] for item in items} == {one, two}
    data = {"csrf": form(listed)["csrf"], "items": items, "choice": "let_through"}
    answer = served.client.post("/gate/held", data=data)
    assert "1 let through, 1 skipped" in answer.text
    nothing = served.client.post("/gate/held", data={**data, "items": []})
    assert (nothing.status_code, "Nothing was selected" in nothing.text) == (422, True)


def test_an_empty_list_says_when_something_appears(served: Served) -> None:
    assert "Nothing is held" in served.get("/gate/held").text
    hold(served, NEAR)
    assert "No matches" in served.get("/gate/held", reason="canary").text


def test_texts_are_escaped_and_figures_tell_what_waits(served: Served) -> None:
    (one,) = hold(served, f"{NEAR} <img src=x onerror=alert(1)>")
    for path in ("/gate/held", f"/gate/held/{one}", "/gate"):
        page = served.get(path).text
        assert "<img src=x" not in page, path
    series = served.get("/metrics").text
    assert 'saidonce_gate_held{org="default",reason="unsure"} 1.0' in series
    assert 'saidonce_gate_held_oldest_seconds{org="default"}' in series


def test_what_the_hatch_lets_through_is_not_called_cleared(tmp_path: Path) -> None:
    made = Served(tmp_path, Judge(failing(Failure.TIMEOUT)), gate_llm_enabled=True, gate_escape_hatch=True)
    made.post("/api/v1/gate/submissions", {"text": TEXT})
    one = made.post("/api/v1/gate/submissions", {"text": NEAR}).json()
    made.base.rule_pending()
    polled = made.get(f"/api/v1/gate/verdicts/{one['id']}").json()
    assert (polled["standing"], polled["reason"], polled["authorized"]) == ("let_through", "escape_hatch", True)
    figures = made.get("/api/v1/gate/stats").json()
    assert (figures["n_cleared"], figures["n_let_through"], figures["clear_rate"]) == (1, 1, 0.5)
    assert made.get("/api/v1/gate/verdicts", reason="override").json()[0]["id"] == one["id"]
    assert "Let through: the escape hatch was open" in made.get(f"/gate/{one['id']}").text
    made.client.close()


def test_a_clear_is_audited_on_its_page(tmp_path: Path) -> None:
    made = Served(tmp_path, Judge(distinct), gate_llm_enabled=True, gate_audit_share=1.0)
    made.post("/api/v1/gate/submissions", {"text": TEXT})
    one = made.post("/api/v1/gate/submissions", {"text": NEAR}).json()["id"]
    made.base.rule_pending()
    assert one in made.get("/gate/held", tab="audit").text
    page = made.get(f"/gate/held/{one}", tab="audit")
    assert "Was it right to clear this?" in page.text
    made.client.post(f"/gate/held/{one}?tab=audit", data={**form(page), "choice": "wrong", "why": "the same shelf"})
    assert made.get("/api/v1/gate/stats").json()["audits"] == [
        {"judge": "scripted", "n_right": 0, "n_wrong": 1, "n_open": 0}
    ]
    assert made.post(f"{HELD}/{one}/audit", {"right": True}).status_code == 409
    made.client.close()


def test_another_persons_decision_is_audited_on_its_page(tmp_path: Path) -> None:
    made = Served(tmp_path, Judge(unsure), gate_llm_enabled=True, gate_audit_share=1.0)
    one, two = hold(made, NEAR, TEXT + " Today.")
    order = HeldOrder(HeldChoice.REPEAT, "ann", "the same round")
    decided = made.base.held.decide([HeldItem(one), HeldItem(two)], order)
    listed = made.get("/gate/held", tab="decided").text
    assert listed.count("drawn for an audit") == 2
    page = made.get(f"/gate/held/{one}", tab="decided")
    assert "Was this decision right?" in page.text
    assert "waiting for" not in page.text
    made.client.post(f"/gate/held/{one}?tab=decided", data={**form(page), "choice": "wrong", "why": "another shelf"})
    found = made.get(f"/gate/held/{one}").text
    assert "found this decision wrong: another shelf. It stands until somebody undoes it." in found
    assert made.post(f"{HELD}/{two}/audit", {"right": True}).json()["decision"]["audit"]["right"] is True
    (ann,) = (row for row in made.get(f"{HELD}/throughput").json() if row["person"] == "ann")
    assert (ann["n_audited"], ann["n_agreed"], ann["agreement"]) == (2, 1, 0.5)
    undone = made.post(f"{HELD}/decisions/{decided.decision}/undo", {}).json()
    assert [v["decision"] for v in undone["undone"]] == [None, None]
    made.client.close()


def test_nobody_is_offered_to_audit_their_own_decision(served: Served) -> None:
    (one,) = hold(served, NEAR)
    page = served.get(f"/gate/held/{one}")
    served.client.post(f"/gate/held/{one}", data={**form(page), "choice": "repeat"})
    page = served.get(f"/gate/held/{one}", tab="decided")
    assert "The decision is right" not in page.text
    assert "drawn for an audit" not in served.get("/gate/held", tab="decided").text
    refused = served.client.post(f"/gate/held/{one}", data={**form(page), "choice": "right"})
    assert (refused.status_code, "your own" in refused.text) == (422, True)


def test_the_judge_is_asked_again_about_one_and_the_list_counts_what_is_with_it(served: Served) -> None:
    one, two = hold(served, NEAR, TEXT + " Today.")
    page = served.get(f"/gate/held/{one}")
    assert "Ask the adjudicator again about this one" in page.text
    after = served.client.post(f"/gate/held/{one}", data={**form(page), "choice": "again"})
    assert after.url.path == f"/gate/held/{two}"
    assert served.base.store.gates.n_pending("main") == 1
    assert "1 is waiting for the adjudicator" in served.get("/gate/held").text
    refused = served.client.post(f"/gate/held/{one}", data={**form(page), "choice": "again"})
    assert refused.status_code == 422, "it is with the judge already"


def test_a_ruling_that_a_guard_contradicts_says_so(tmp_path: Path) -> None:
    made = Served(tmp_path, Judge(duplicate), gate_llm_enabled=True)
    (one,) = hold(made, TEXT.replace("shirts", "12 shirts"))
    assert "the adjudicator ruled it a repeat, but a fact differs" in made.get("/gate/held").text
    assert "the adjudicator ruled it a repeat, but a fact differs" in made.get(f"/gate/held/{one}").text
    made.client.close()
