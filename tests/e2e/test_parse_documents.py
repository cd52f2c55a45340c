"""Hundreds of real files, some of them broken, go through the sandbox as one batch."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from saidonce.documents.parse import Limits, Sandbox
from saidonce.errors import Refusal, SourceRefusedError
from saidonce.foundation.model import Document, Kind
from shared_data import shared

Results = dict[str, Document | SourceRefusedError]


@pytest.fixture(scope="module")
def entries() -> dict[str, dict[str, object]]:
    lines = shared("documents/manifest.jsonl").read_text("utf-8").splitlines()
    return {entry["path"]: entry for entry in map(json.loads, lines)}


@pytest.fixture(scope="module")
def results(entries: dict[str, dict[str, object]]) -> Results:
    # Words of pictures are recognised in tests of their own: minutes for all of these.
    with Sandbox(Limits(may_recognise=False), n_workers=2) as sandbox:
        return dict(sandbox.map((path, shared(path).read_bytes) for path in entries))


def test_every_file_ends_in_a_document_or_a_reason(entries: dict[str, dict[str, object]], results: Results) -> None:
    assert list(results) == list(entries)
    refused = [result for result in results.values() if isinstance(result, SourceRefusedError)]
    assert all(one.detail for one in refused)
    reasons = Counter(one.reason for one in refused)
    assert set(reasons) <= {Refusal.NO_TEXT, Refusal.UNSUPPORTED, Refusal.LOCKED, Refusal.CORRUPT}
    assert reasons[Refusal.CORRUPT] <= 2
    assert len(refused) <= len(results) * 0.1


def test_documents_keep_their_promises(results: Results) -> None:
    for path, document in results.items():
        if isinstance(document, SourceRefusedError):
            continue
        assert document.title, path
        assert all(element.text.strip() for element in document.elements), path
        assert all(bool(element.level) == (element.kind is Kind.HEADING) for element in document.elements), path


def test_broken_files_give_a_reason_a_warning_or_their_text(
    entries: dict[str, dict[str, object]], results: Results
) -> None:
    broken = [path for path, entry in entries.items() if "broken" in str(entry["tags"])]
    assert broken
    for path in broken:
        result = results[path]
        assert isinstance(result, SourceRefusedError) or result.warnings or result.elements, path


def test_locked_files_are_said_to_be_locked(entries: dict[str, dict[str, object]], results: Results) -> None:
    locked = [path for path, entry in entries.items() if "locked" in str(entry["tags"]) and path.endswith(".pdf")]
    for path in locked:
        result = results[path]
        assert isinstance(result, SourceRefusedError), path
        assert result.reason is Refusal.LOCKED, path
