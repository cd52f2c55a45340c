"""Originals come with a document, are given by organisation, travel with an export, and go with the document."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from store_cases import Draft, Piece, collection, write_of

from saidonce.adapters.postgres.archive import line_of
from saidonce.errors import StoreCorruptError
from saidonce.foundation.model import DocumentWrite, Kind, LineStart, MediaPlace, Original
from saidonce.foundation.ports import Store

Open = Callable[[str], Store]

FILE = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20
SHA256 = hashlib.sha256(FILE).hexdigest()
PLACE = MediaPlace(1, (0.1, 0.2, 0.5, 0.25), None, None, 0.875, by="scripted 1")
PICTURE = Original(SHA256, 1, "image/jpeg", b"\xff\xd8\xff small", "picture:00ff")


@pytest.fixture
def store(opened: Open, org: str) -> Store:
    made = opened(org)
    made.ensure_collection(collection())
    return made


def seen(name: str = "notice.png", words: str = "The gate is locked.") -> DocumentWrite:
    write = write_of(Draft(name, (Piece(words, kind=Kind.IMAGE_TEXT),)))
    segments = tuple(replace(s, place=PLACE) for s in write.segments)
    originals = (Original(SHA256, 0, "image/png", FILE), PICTURE)
    return replace(write, fingerprint=SHA256, segments=segments, originals=originals)


def test_a_place_and_its_original_are_given_as_they_came(store: Store) -> None:
    write = seen()
    store.put_document(write)
    (history,) = store.history(write.segments[0].id)
    (block,) = store.blocks([write.segments[0].id]).values()
    assert history.segment.place == block.place == block.attributions[0].place == PLACE
    assert [s.place for batch in store.segments("main") for s, _, _ in batch] == [PLACE]
    assert store.originals.get(SHA256, 0) == Original(SHA256, 0, "image/png", FILE)
    assert store.originals.get(SHA256, 1) == PICTURE
    assert store.originals.get(SHA256, 2) is None
    assert store.originals.marks() == (replace(PICTURE, content=b""),) == store.originals.marks(SHA256)
    assert store.originals.marks("f" * 64) == ()
    assert [d.name for d in store.originals.documents([SHA256, SHA256])] == ["notice.png"]


def test_lines_with_their_seconds_are_given_as_they_came_and_exported(store: Store, opened: Open, org: str) -> None:
    place = MediaPlace(start_s=4.0, end_s=9.5, lines=(LineStart(0, 4.0), LineStart(18, 3601.25)))
    write = write_of(Draft("talk.srt", (Piece("The gate is shut.\nThe bell is broken.", kind=Kind.TRANSCRIPT),)))
    store.put_document(replace(write, segments=tuple(replace(s, place=place) for s in write.segments)))
    lines = list(store.dump())
    copy = opened(f"{org}-copy")
    copy.load(iter(lines))
    for each in (store, copy):
        (block,) = each.blocks([write.segments[0].id]).values()
        assert block.place == place


def without_lines(export: list[bytes]) -> list[bytes]:
    """Return an export as it was written before places named their lines."""
    rows = [json.loads(line) for line in export[:-1]]
    for row in rows:
        del row["crc"]
        if row.get("place") is not None:
            del row["place"]["lines"]
    written = [line_of(row) for row in rows]
    return [*written, line_of({"lines": len(written), "sha256": hashlib.sha256(b"".join(written)).hexdigest()})]


def test_a_place_exported_before_lines_were_kept_has_none(store: Store, opened: Open, org: str) -> None:
    store.put_document(write := seen())
    lines = list(store.dump())
    older = without_lines(lines)
    assert any(b'"lines":[]' in line for line in lines)
    assert not any(b'"lines":[]' in line for line in older)
    copy = opened(f"{org}-copy")
    copy.load(iter(older))
    (block,) = copy.blocks([write.segments[0].id]).values()
    assert block.place == PLACE
    assert list(copy.dump()) == lines


def test_a_text_without_a_place_has_none(store: Store) -> None:
    write = write_of(Draft("a", (Piece("Typed."),)))
    store.put_document(write)
    (history,) = store.history(write.segments[0].id)
    assert history.segment.place is None
    assert store.blocks([write.segments[0].id])[write.segments[0].id].place is None


def test_an_original_goes_with_the_last_document_of_its_bytes(store: Store) -> None:
    store.put_document(seen())
    store.ensure_collection(replace(collection(), name="other"))
    other = write_of(Draft("copy.png", (Piece("The gate is shut."),), collection="other"))
    store.put_document(replace(other, fingerprint=SHA256))
    store.remove_document("main", "notice.png")
    assert store.originals.get(SHA256, 0) is not None
    store.remove_document("other", "copy.png")
    assert store.originals.get(SHA256, 0) is None
    assert store.originals.marks() == ()


def test_another_organisation_sees_nothing_of_it(store: Store, opened: Open, org: str) -> None:
    store.put_document(seen())
    stranger = opened(f"{org}-stranger")
    assert stranger.originals.get(SHA256, 0) is None
    assert stranger.originals.marks() == ()
    assert stranger.originals.documents([SHA256]) == ()


def test_an_export_holds_originals_and_a_forged_one_is_refused(store: Store, opened: Open, org: str) -> None:
    store.put_document(seen())
    lines = list(store.dump())
    copy = opened(f"{org}-copy")
    copy.load(iter(lines))
    assert list(copy.dump()) == lines
    assert copy.originals.get(SHA256, 0) == store.originals.get(SHA256, 0)
    forged = [line.replace(b"iVBORw", b"iVBORx") for line in lines]
    assert forged != lines
    with pytest.raises(StoreCorruptError):
        opened(f"{org}-forged").load(iter(forged))
