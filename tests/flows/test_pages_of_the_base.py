"""The pages of the base in this process: start, documents, upload, ask, sources, settings, people; hostile text."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from chromium import HOSTILE
from in_process import InProcess, in_process
from open_pairs import AGAIN, OTHER, THIRTY, doubting
from saidonce.errors import ModelUnavailableError
from saidonce.foundation.model import ApiKey, Role
from saidonce.platform import access
from world import NOW, World, world

Serve = Callable[..., InProcess]


@pytest.fixture
def serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Serve:
    def begin(w: World, **given: Any) -> InProcess:
        return in_process(w, tmp_path, monkeypatch, **given)

    return begin


def words_of(page: str) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", page)))


def test_an_empty_base_says_how_to_begin_and_a_full_one_what_waits(serve: Serve) -> None:
    empty = words_of(serve(world()).client.get("/").text)
    assert "Get started" in empty
    assert "saidonce ingest FOLDER" in empty
    w = doubting()
    w.put("a.md", THIRTY)
    w.put("b.md", AGAIN)
    page = serve(w).client.get("/")
    assert "1 pair of possible repeats" in words_of(page.text)
    assert re.search(r"Documents\s+2 ", words_of(page.text))
    assert len(set(re.findall(r'"(/documents/[0-9a-f]{32})"', page.text))) == 2


def test_documents_are_listed_found_and_read_with_what_became_of_their_texts(serve: Serve) -> None:
    w = doubting()
    w.put("a.md", f"# Rules\n\n{THIRTY}\n\n| day | bins |\n|---|---|\n| Monday | glass & tin |\n")
    w.put("b.md", f"{THIRTY}\n\n{OTHER}")
    client = serve(w).client
    listed = client.get("/documents").text
    assert [name in listed for name in ("a.md", "b.md")] == [True, True]
    found = client.get("/documents", params={"q": "b.MD"}).text
    assert ("/documents/" in found, "a.md" in found) == (True, False)
    assert "No document matches" in client.get("/documents", params={"q": "nothing such"}).text
    (link,) = set(re.findall(r'"(/documents/[0-9a-f]{32})"', found))
    shown = client.get(link)
    assert "also in a.md" in words_of(shown.text)
    other = next(d for d in w.base.store.documents("main") if d.name == "a.md")
    table = client.get(f"/documents/{other.id}").text
    assert '<th scope="col">bins</th>' in table
    assert "<td>glass &amp; tin</td>" in table
    assert client.get("/documents/nonsense").status_code == 404
    assert client.get(f"/documents/{'0' * 32}").status_code == 404


def test_files_are_uploaded_with_a_report_of_each_and_removed_when_somebody_is_sure(serve: Serve) -> None:
    app = serve(world())
    files = [("files", ("rules.md", THIRTY.encode())), ("files", ("odd.bin", b"\0\1\2")),
             ("files", ("rules copy.md", THIRTY.encode()))]  # fmt: skip
    sent = app.client.post("/documents", data={"csrf": app.token(), "tags": "house, rules"}, files=files)
    assert sent.status_code == 200
    assert "2 of 3 files were ingested into 'main'; 1 was refused" in words_of(sent.text)
    assert re.search(r"odd\.bin : refused \(\w+\): |odd\.bin: refused \(\w+\): ", words_of(sent.text))
    assert "is identical to rules.md" in words_of(sent.text)
    report = words_of(sent.text).partition("odd.bin")[2].partition("rules copy.md")[0]
    assert len(report) < 400, "a refusal is a sentence, not a list of all endings"
    assert re.search(r"rules\.md ?: 1 text\b(?!, 0)", words_of(sent.text))
    (stored,) = app.base.documents()
    assert stored.tags == ("house", "rules")
    refused = app.client.post("/documents", data={"csrf": app.token()}, files=files[1:2])
    assert refused.status_code == 422
    assert app.client.post("/documents", data={"csrf": "forged"}, files=files[:1]).status_code == 403
    assert app.post("/documents").status_code == 422
    assert app.post(f"/documents/{stored.id}/remove").status_code == 422
    assert len(app.base.documents()) == 1
    assert app.post(f"/documents/{stored.id}/remove", sure="yes").status_code == 303
    assert app.base.documents() == []


def test_a_document_shows_its_versions_and_what_changed_from_one_to_the_next(serve: Serve) -> None:
    w = world()
    w.put("a.md", f"# Rules\n\n{THIRTY}")
    client = serve(w).client
    (link,) = set(re.findall(r'"(/documents/[0-9a-f]{32})"', client.get("/documents").text))
    assert "first ingested" not in client.get(link).text, "one version needs no list"
    w.put("a.md", f"# Rules\n\n{THIRTY}\n\n{OTHER}")
    shown = words_of(client.get(link).text)
    assert "2 versions" in shown
    assert re.search(r"2 \(now\).*the file changed.*\b1 .*first ingested", shown)


def test_what_a_parser_left_out_stands_on_the_documents_page(serve: Serve) -> None:
    app = serve(world())
    page = f"= Rules\n\n{THIRTY}\n\ninclude::other.adoc[]\n"
    app.client.post("/documents", data={"csrf": app.token()}, files=[("files", ("rules.adoc", page.encode()))])
    (stored,) = app.base.documents()
    assert "content included from other files was left out" in words_of(app.client.get(f"/documents/{stored.id}").text)


def test_a_file_name_is_no_path(serve: Serve) -> None:
    app = serve(world())
    sent = [("files", ("../../etc/rules.md", THIRTY.encode())), ("files", ("C:\\x\\more.md", OTHER.encode()))]
    app.client.post("/documents", data={"csrf": app.token()}, files=sent)
    assert [d.name for d in app.base.documents()] == ["more.md", "rules.md"]


def test_an_answer_cites_and_links_its_sources_on_the_page_and_over_the_api(serve: Serve) -> None:
    w = world()
    w.put("a.md", f"# Backups\n\n{THIRTY}\n\n{OTHER}")
    app = serve(w)
    page = app.client.get("/ask", params={"q": "how long are backups of customer files kept?"}).text
    assert THIRTY in unescape(page)
    assert "no model was used" in page
    (block,) = set(re.findall(r'<p><a href="/blocks/([0-9a-f]{32})"', page))
    assert app.client.get(f"/blocks/{block}").status_code == 200
    body = {"question": "how long are backups of customer files kept?"}
    answered = app.client.post("/api/v1/ask", json=body, headers={"X-CSRF-Token": app.token()})
    assert answered.status_code == 200
    assert answered.json()["sentences"][0]["text"] == THIRTY
    assert answered.json()["passages"][0]["origin"]["block_id"] == block
    nothing = app.client.get("/ask", params={"q": "zebra quotas"}).text
    assert "Nothing in the base answers this" in nothing
    for wrong in ({}, {"question": ""}, {"question": "x", "kk": 1}, {"question": "x", "collections": ["none such"]}):
        status = app.client.post("/api/v1/ask", json=wrong, headers={"X-CSRF-Token": app.token()}).status_code
        assert status in (404, 422), wrong


def test_a_model_that_fails_is_said_on_the_page_and_an_error_of_the_api(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = serve(world())

    def fail(*_: object, **__: object) -> None:
        raise ModelUnavailableError("openai:x", "it does not respond")

    monkeypatch.setattr("saidonce.app.knowledge_base.KnowledgeBase.ask", fail)
    page = app.client.get("/ask", params={"q": "who?"})
    assert (page.status_code, "it does not respond" in page.text) == (200, True)
    asked = app.client.post("/api/v1/ask", json={"question": "who?"}, headers={"X-CSRF-Token": app.token()})
    assert asked.status_code == 503


def test_hits_link_to_their_documents_and_excerpts_end_at_words(serve: Serve) -> None:
    w, tail = doubting(), "Nothing else is said about this at all here. " * 8
    w.put("a.md", f"{THIRTY} {tail}")
    w.put("b.md", f"{AGAIN} {tail}")
    client = serve(w).client
    page = client.get("/search", params={"q": "backups of customer files"}).text
    assert re.search(r'<a href="/documents/[0-9a-f]{32}#b[0-9a-f]{32}">[ab]\.md</a>', page)
    cut = re.findall(r">([^<>]* \N{HORIZONTAL ELLIPSIS})<", client.get("/queue").text)
    assert len(cut) == 2
    assert all(f"{text} {tail}".startswith(each[:-2] + " ") for text, each in zip((AGAIN, THIRTY), cut, strict=True))


def test_what_documents_say_is_shown_and_never_done(serve: Serve) -> None:
    w = world()
    evil = "Look:\n\n```\n<script>alert(1)</script>\n```\n\n[x](javascript:alert(1)) ![y](https://evil.example/p.png)"
    for n, text in enumerate((*HOSTILE, evil, "| a | <img src=x onerror=alert(1)> |\n|---|---|\n| 1 | [z](data:x) |")):
        w.put(f"{n}<script>.txt", f"river boats {n}: {text}\n")
    app = serve(w)
    pages = [app.client.get("/search", params={"q": "river boats", "k": 50}).text, app.client.get("/documents").text,
             app.client.get("/ask", params={"q": "river boats"}).text, app.client.get("/").text]  # fmt: skip
    pages += [app.client.get(f"/documents/{d.id}").text for d in w.base.store.documents("main")]
    for page in pages:
        own = re.sub(r'<script src="/static/\w+\.js" defer></script>', "", page)
        assert not re.search(r"<script|<img|<iframe|\son\w+=\"|href=\"(?!/|#)|src=\"(?!/)", own.split("<main")[1])


def test_sources_are_shown_added_and_run_by_those_who_may(serve: Serve) -> None:
    app = serve(world())
    assert "No sources yet" in app.client.get("/sources").text
    added = app.post("/sources", address="https://docs.example.com/sitemap.xml", every_minutes="30", prune="yes")
    assert added.status_code == 303
    (source,) = app.base.syncs.sources()
    assert (source.every_s, source.prune) == (1_800, True)
    page = words_of(app.client.get("/sources").text)
    assert "every 30 minutes" in page
    assert "deletions are applied" in page
    assert app.post("/sources", address="/etc").status_code in (403, 422)
    assert app.post(f"/sources/{source.id}/run").status_code == 303
    assert app.post(f"/sources/{source.id}/bogus").status_code == 422
    assert app.post(f"/sources/{source.id}/remove").status_code == 303
    assert app.base.syncs.sources() == ()


def test_settings_show_no_secret(serve: Serve) -> None:
    app = serve(world(), answer_key="a-very-secret-key")
    page = app.client.get("/settings").text
    assert "a-very-secret-key" not in page
    assert "merge_from" in page
    few = app.client.get("/settings", params={"q": "salience_cap"}).text
    assert ("salience_cap" in few, "merge_from" in few) == (True, False)


def test_settings_say_where_each_value_comes_from_and_how_it_is_changed(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAIDONCE_SALIENCE_CAP", "0.9")
    app = serve(world(), salience_cap=0.9, repeat_from=0.93)
    page = words_of(app.client.get("/settings").text)
    assert "change the environment variable SAIDONCE_SALIENCE_CAP" in page
    assert "change repeat_from in the settings file" in page
    assert "not changed here" in page
    set_here = app.client.get("/settings", params={"only": "set"}).text
    assert ("salience_cap" in set_here, "boost_log_base" in set_here) == (True, False)


def test_people_and_keys_are_managed_by_owners_alone(serve: Serve) -> None:
    w = world()
    app = serve(w)
    assert "No people yet" in app.client.get("/people").text
    assert app.post("/people", name="ann", role="reviewer").status_code == 422, "somebody must be able to go on"
    first = app.post("/people", name="ann", email="ann@example.com", role="owner")
    owner = re.search(r'class="secret">(so1_[^<]+)<', first.text)
    assert owner is not None
    assert app.client.get("/people").headers["location"] == "/sign-in", "from the first person on everybody signs in"
    store = w.base.store
    access.add_person(store, "bob", "", Role.REVIEWER, NOW)
    app.client.post("/sign-in", data={"csrf": app.token(), "key": owner[1]})
    made = app.client.post("/people/bob/key", data={"csrf": form_token(app), "label": "laptop"}).text
    presented = re.search(r'class="secret">(so1_[^<]+)<', made)
    assert presented is not None
    assert presented[1] not in app.client.get("/people").text, "a key is shown once"
    bob = {"Authorization": f"Bearer {presented[1]}"}
    fresh = type(app.client)(app.client.app, "http://127.0.0.1", follow_redirects=False)
    assert fresh.get("/people", headers=bob).status_code == 403
    assert fresh.get("/settings", headers=bob).status_code == 403
    assert fresh.get("/documents", headers=bob).status_code == 200
    assert fresh.post("/documents", headers=bob, data={"csrf": "x"}, files={"files": ("a.md", b"x")}).status_code == 403
    assert app.client.post("/people/bob/role", data={"csrf": form_token(app), "role": "owner"}).status_code == 303
    assert app.client.post("/people/bob/role", data={"csrf": form_token(app), "role": "king"}).status_code == 422
    (key,) = [k for k in access_keys(app) if k.person == "bob"]
    assert app.client.post(f"/keys/{key.id}/revoke", data={"csrf": form_token(app)}).status_code == 303
    assert fresh.get("/documents", headers=bob).status_code in (303, 401)
    assert app.client.post("/people/bob/leave", data={"csrf": form_token(app)}).status_code == 303
    assert "left" in words_of(app.client.get("/people").text)


def form_token(app: InProcess) -> str:
    found = re.search(r'name="csrf" value="([^"]+)"', app.client.get("/people").text)
    assert found is not None
    return found[1]


def access_keys(app: InProcess) -> tuple[ApiKey, ...]:
    return tuple(app.base.store.people.keys())
