"""The disk fills up under an upload, an export and `dedupe`: each says so, leaves nothing half, and goes on."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from fastapi.testclient import TestClient
from store_cases import collection, simple

from command_line import environment, invoke
from conftest import prepared, reachable_folder
from disks import full, long_text, small_disk
from saidonce import KnowledgeBase
from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.adapters.postgres import open_store
from saidonce.app.repairs_service import Repairs
from saidonce.foundation.model import SCOPES_OF, Role
from saidonce.interfaces.http import create_app
from saidonce.platform import access

NOW = datetime(2026, 1, 17, 12, tzinfo=UTC)
WORDS = "Deleted files of customer {n} are kept for {n} days and then removed from every backup of region {n}."


@pytest.fixture(scope="module")
def volume() -> Iterator[Path]:
    with small_disk(reachable_folder() / "disk", 400) as mounted:
        yield mounted


@pytest.fixture(scope="module")
def base(volume: Path) -> Iterator[KnowledgeBase]:
    opened = KnowledgeBase(data_dir=prepared(volume / "base"), judge="none")
    opened._lazy.opened["embedder"] = HashedEmbedder()
    with opened:
        yield opened


@pytest.fixture
def small() -> Iterator[Path]:
    with small_disk(reachable_folder() / "disk", 1) as mounted:
        yield mounted


def grown(volume: Path, size_mib: int) -> None:
    """Make room on a volume."""
    subprocess.run(["mount", "-o", f"remount,size={size_mib}m", str(volume)], check=True)


def test_an_upload_on_a_full_disk_is_refused_with_the_volume_and_taken_with_room(
    base: KnowledgeBase, volume: Path
) -> None:
    access.add_person(base.store, "olga", "", Role.OWNER, NOW)
    _, key = access.make_key(base.store, "olga", "", SCOPES_OF[Role.OWNER], NOW, lambda n: bytes(range(n)))
    client = TestClient(create_app(base, False, Repairs(base, base.for_org)), base_url="http://127.0.0.1")
    headers = {"Authorization": f"Bearer {key}"}
    assert (first := client.get("/api/v1/documents", headers=headers)).status_code == 200, first.text
    texts = [WORDS.format(n=n).encode() for n in range(3)]
    files = [{"file": (f"{n}.txt", text, "text/plain")} for n, text in enumerate(texts)]
    with full(volume):
        for n, text in enumerate(texts):
            refused = client.post(
                "/api/v1/documents", headers=headers, files={"file": (f"{n}.txt", text, "text/plain")}
            )
            assert (refused.status_code, refused.json()["error"]) == (503, "DiskFull"), refused.text
            assert str(volume) in refused.json()["message"]
        assert client.get("/healthz").status_code in (200, 503)
    for file in files:
        taken = client.post("/api/v1/documents", headers=headers, files=file)
        assert taken.status_code == 201, taken.text
    assert {document.name for document in base.documents()} == {"0.txt", "1.txt", "2.txt"}


def test_an_export_on_a_full_disk_leaves_no_half_and_is_made_with_room(small: Path, new_data_dir: Path) -> None:
    prepared(new_data_dir)
    store = open_store("", new_data_dir, "large")
    store.ensure_collection(collection())
    for n in range(8):
        store.put_document(simple(f"{n}.txt", long_text(100 + n)))
    store.close()
    former = small / "export.jsonl"
    former.write_text("an older export")
    env = environment(SAIDONCE_DATA_DIR=str(new_data_dir))
    words = ("--org", "large", "db", "export", str(former), "--force")
    refused = invoke(words, env)
    assert refused.returncode == 1, refused.stdout + refused.stderr
    assert "disk is full" in refused.stderr
    assert str(small) in refused.stderr.replace("\n", "")
    assert former.read_text() == "an older export", "what was there stays until the new one is whole"
    assert [path.name for path in small.iterdir()] == ["export.jsonl"]
    grown(small, 20)
    assert invoke(words, env).returncode == 0
    assert len(former.read_bytes()) > 8 * len(long_text(0))


def test_dedupe_on_a_full_disk_says_so_and_goes_on_where_it_was(small: Path, tmp_path: Path) -> None:
    rows = [json.dumps({"text": WORDS.format(n=n), "beside": long_text(n)[:60_000]}) for n in range(40)]
    (tmp_path / "rows.jsonl").write_text("\n".join(rows) + "\n")
    np.save(tmp_path / "vectors.npy", np.random.default_rng(7).normal(size=(len(rows), 16)).astype(np.float32))
    out = ("--out", str(small / "kept.jsonl"), "--dropped", str(small / "dropped.jsonl"))
    words = ("dedupe", str(tmp_path / "rows.jsonl"), "--embeddings", str(tmp_path / "vectors.npy"), *out)
    refused = invoke(words, environment(), tmp_path)
    assert refused.returncode == 1, refused.stdout + refused.stderr
    assert "disk is full" in refused.stderr
    assert not (small / "kept.jsonl").exists(), "nothing has its name before it is whole"
    grown(small, 60)
    done = invoke(words, environment(), tmp_path)
    assert done.returncode in (0, 3), done.stdout + done.stderr
    n_kept = len((small / "kept.jsonl").read_text().splitlines())
    n_beside = sum(len(p.read_text().splitlines()) for p in small.glob("dropped.jsonl"))
    assert n_kept + n_beside == len(rows)
