"""Sources over the API: added, listed, run and removed; no caller reaches the server's own files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from in_process import in_process
from saidonce.foundation.model.syncs import SyncSource, UpstreamKind
from world import NOON, world


def test_sources_over_the_api(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open" / "a.md").write_text("Backups are kept for thirty days.")
    served = in_process(world(), tmp_path, monkeypatch, sync_roots=str(tmp_path / "open"))
    client, headers = served.client, {"X-CSRF-Token": served.token()}
    body = {"address": "https://docs.example.com/sitemap.xml", "collection": "docs", "every_s": 3600, "prune": True}
    added = client.post("/api/v1/sources", json=body, headers=headers)
    assert added.status_code == 201
    source = added.json()
    assert (source["kind"], source["prune"], source["every_s"], source["last"]) == ("sitemap", True, 3600.0, None)
    assert client.post("/api/v1/sources", json=body, headers=headers).json()["id"] == source["id"]
    assert [s["id"] for s in client.get("/api/v1/sources").json()] == [source["id"]]
    assert client.post(f"/api/v1/sources/{source['id']}/run", headers=headers).status_code == 202
    assert client.post(f"/api/v1/sources/{'0' * 32}/run", headers=headers).status_code == 404
    for address in ("/etc", "file:///etc", str(tmp_path), "https://ann:pw@example.com/sitemap.xml"):
        refused = client.post("/api/v1/sources", json={"address": address}, headers=headers)
        assert refused.status_code == 422, address
    folder = client.post("/api/v1/sources", json={"address": str(tmp_path / "open")}, headers=headers)
    assert folder.status_code == 201
    assert client.delete(f"/api/v1/sources/{source['id']}", headers=headers).json() == {"removed": source["id"]}
    assert client.delete(f"/api/v1/sources/{source['id']}", headers=headers).status_code == 404
    assert client.post("/api/v1/sources", json=body).status_code == 403, "a session sends its token"


@pytest.mark.parametrize("is_open", [True, False])
def test_a_source_that_came_with_an_import_is_asked_for_by_those_who_may_name_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_open: bool
) -> None:
    (tmp_path / "open").mkdir()
    served = in_process(world(), tmp_path, monkeypatch, sync_roots=str(tmp_path / "open"))
    client, headers = served.client, {"X-CSRF-Token": served.token()}
    folder = tmp_path / "open" if is_open else tmp_path
    own = SyncSource("a" * 32, "docs", str(folder), UpstreamKind.FOLDER, NOON, every_s=60.0)
    for source in (own, replace(own, id="b" * 32, is_imported=True)):
        served.w.base.store.syncs.put_source(source)
    assert [s["is_imported"] for s in client.get("/api/v1/sources").json()] == [False, True]
    assert client.get("/sources").text.count("waits for its first run here") == 1
    assert client.post(f"/api/v1/sources/{'a' * 32}/run", headers=headers).status_code == 202, "added by a shell here"
    asked = client.post(f"/api/v1/sources/{'b' * 32}/run", headers=headers)
    form = client.post(f"/sources/{'b' * 32}/run", data={"csrf": served.token()}, follow_redirects=False)
    assert (asked.status_code, form.status_code) == ((202, 303) if is_open else (422, 422))
    assert [s.id[0] for s in served.w.base.store.syncs.sources() if s.next_at is not None] == ["a", "b"][: 1 + is_open]


def test_documents_go_by_ends_of_names_over_the_api(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    served = in_process(world(), tmp_path, monkeypatch)
    client, headers = served.client, {"X-CSRF-Token": served.token()}
    for name in ("one/a.md", "two/a.md"):
        files = {"file": ("a.md", f"Backups of {name} are kept for thirty days.")}
        client.post("/api/v1/documents", params={"name": name}, files=files, headers=headers)
    hits = client.get("/api/v1/search", params={"q": "backups kept", "document": "two/a.md"}).json()["hits"]
    assert {hit["document"] for hit in hits} == {"two/a.md"}
    unknown = client.get("/api/v1/search", params={"q": "backups kept", "document": "b.md"})
    assert (unknown.status_code, "did you mean" in unknown.text) == (404, True)
    many = client.delete("/api/v1/documents", params={"name": "a.md"}, headers=headers)
    assert (many.status_code, "one/a.md" in many.text, "two/a.md" in many.text) == (422, True, True)
    assert client.delete("/api/v1/documents", params={"name": "two/a.md"}, headers=headers).status_code == 200
