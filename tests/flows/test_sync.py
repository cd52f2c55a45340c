"""A collection stays in step with a source, whatever happens to either, and wherever a run is killed."""

from __future__ import annotations

import io
import os
import random
import zipfile
from dataclasses import replace

import pytest

from saidonce.documents.parse import Sandbox
from saidonce.errors import Refusal, UpstreamError
from saidonce.foundation.model.syncs import SyncSource, UpstreamKind
from saidonce.interfaces.cli.syncing import sync_text
from saidonce.kb.ingest import State, remove
from synced import Fuse, KilledError, Stage, check, history, stage

FILES = {
    "a.txt": "Backups are kept for 30 days.",
    "b.txt": "The boiler is serviced every October.",
    "c.txt": "Invoices are paid within 14 days.",
}


def synced(style: str = "marked", use: str = "evidence") -> Stage:
    """A base in step with three files, of which nothing is counted any more."""
    lived = stage(style, use, FILES)
    report = lived.sync()
    assert report.count(State.NEW) == 3
    lived.world.embedder.texts.clear()
    lived.shelf.fetched.clear()
    return lived


def ids(lived: Stage) -> dict[str, str]:
    return {name: d.id for d in lived.world.base.store.documents("main") for name in d.names}


@pytest.mark.parametrize("style", ["marked", "asked", "plain"])
def test_nothing_is_read_or_embedded_that_has_not_changed(style: str) -> None:
    lived = synced(style)
    report = lived.sync()
    assert lived.shelf.fetched == ([] if style != "plain" else ["a.txt", "b.txt", "c.txt"])
    assert lived.world.embedder.texts == []
    assert len(report.unchanged) + report.n_same + report.count(State.UNCHANGED) == 3
    check(lived)


def test_only_what_changed_is_read_and_what_is_gone_is_removed_if_asked() -> None:
    lived = synced()
    lived.shelf.files["a.txt"] = b"Backups are kept for 90 days."
    del lived.shelf.files["b.txt"]
    report = lived.sync(prune=False)
    assert lived.shelf.fetched == ["a.txt"]
    assert (report.count(State.CHANGED), report.gone, report.removed) == (1, ("wiki/b.txt",), ())
    assert "wiki/b.txt" in ids(lived), "deletions are counted, and applied when asked"
    again = lived.sync(prune=False)
    assert again.gone == ("wiki/b.txt",), "it is counted until it is removed"
    assert lived.sync().removed == ("wiki/b.txt",)
    check(lived)


@pytest.mark.parametrize("use", ["evidence", "canonical"])
@pytest.mark.parametrize("prune", [False, True])
def test_a_moved_file_keeps_its_document_and_is_not_embedded_again(use: str, prune: bool) -> None:
    lived = synced(use=use)
    before = ids(lived)
    lived.shelf.files["deep/z.txt"] = lived.shelf.files.pop("a.txt")
    report = lived.sync(prune)
    assert report.moved == (("wiki/a.txt", "wiki/deep/z.txt"),)
    assert (report.gone, report.removed) == ((), ())
    assert ids(lived)["wiki/deep/z.txt"] == before["wiki/a.txt"]
    assert lived.world.embedder.texts == []
    check(lived)


def packed(**texts: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        for name, content in texts.items():
            package.writestr(f"{name}.txt", content)
    return out.getvalue()


def test_what_came_from_an_archive_is_gone_only_if_the_archive_does_not_hold_it_any_more() -> None:
    lived = synced()
    with Sandbox(n_workers=1) as parser:
        lived.world.base = replace(lived.world.base, parser=parser)
        lived.shelf.files["d.zip"] = packed(
            bins="The bins are emptied on Tuesday.", bikes="Bicycles are kept in the cellar."
        )
        assert lived.sync().count(State.NEW) == 2
        again = lived.sync()
        assert (again.gone, again.removed) == ((), ())
        assert {"wiki/d.zip/bins.txt", "wiki/d.zip/bikes.txt"} < set(ids(lived))
        lived.shelf.files["d.zip"] = packed(bins="The bins are emptied on Tuesday.")
        assert lived.sync(prune=False).gone == ("wiki/d.zip/bikes.txt",)
        assert lived.sync().removed == ("wiki/d.zip/bikes.txt",)
        lived.shelf.files["d.zip"] = b"PK\x03\x04 cut off"
        broken = lived.sync()
        assert (broken.n_refused, broken.removed) == (1, ())
        assert lived.sync().removed == (), "an archive that was refused before is not opened again"
        assert "wiki/d.zip/bins.txt" in ids(lived)
        del lived.shelf.files["d.zip"]
        assert lived.sync().removed == ("wiki/d.zip/bins.txt",)


def test_files_that_move_in_a_chain_keep_their_documents() -> None:
    lived = synced()
    before, files = ids(lived), lived.shelf.files
    files["d.txt"], files["b.txt"] = files["b.txt"], files.pop("a.txt")
    lived.sync()
    after = ids(lived)
    assert (after["wiki/d.txt"], after["wiki/b.txt"]) == (before["wiki/b.txt"], before["wiki/a.txt"])
    assert lived.world.embedder.texts == []
    check(lived)


def test_a_file_that_cannot_be_read_keeps_the_version_of_before_and_is_tried_again() -> None:
    lived = synced()
    lived.shelf.files["a.txt"] = b"Backups are kept for 90 days."
    lived.shelf.broken.add("a.txt")
    report = lived.sync()
    assert (report.n_refused, report.outdated, report.removed) == (1, ("wiki/a.txt",), ())
    assert "wiki/a.txt" in ids(lived)
    lived.shelf.broken.clear()
    assert lived.sync().count(State.CHANGED) == 1
    check(lived)


def test_a_refused_file_is_remembered_and_read_again_once_it_changes_or_the_limits_do() -> None:
    lived = synced()
    lived.shelf.files["x.txt"] = b"\x00\x00"
    assert [d.reason for d in lived.sync().refused] == [Refusal.EMPTY]
    lived.shelf.fetched.clear()
    again = lived.sync()
    assert lived.shelf.fetched == []
    assert [name for name, _ in again.refused_before] == ["wiki/x.txt"]
    assert (again.n_listed, again.n_unchanged, again.n_refused) == (4, 3, 1)
    assert sync_text(again).startswith("wiki into main: 4 files: 3 unchanged, 1 refused\n")
    lived.world.set(max_source_mb=7)
    assert len(lived.sync().refused) == 1
    lived.shelf.files["x.txt"] = b"Keys hang in the cabinet."
    assert lived.sync().count(State.NEW) == 1
    check(lived)


def test_an_empty_source_removes_nothing_unless_that_is_meant() -> None:
    lived = synced()
    lived.shelf.files.clear()
    with pytest.raises(UpstreamError, match=r"lists no files, but 3 documents .* --allow-empty"):
        lived.sync()
    assert len(ids(lived)) == 3
    kept = lived.world.base.store.syncs.source(lived.source.id)
    assert kept is not None
    assert kept.last is not None
    assert "lists no files" in kept.last.error
    assert len(lived.sync(allow_empty=True).removed) == 3
    check(lived)


def test_what_could_not_be_looked_at_is_not_taken_for_gone() -> None:
    lived = stage(files={**FILES, "locked/d.txt": "Bins are emptied on Mondays."})
    lived.sync()
    del lived.shelf.files["locked/d.txt"]
    lived.shelf.unseen = ("locked",)
    report = lived.sync()
    assert (report.gone, report.unseen) == ((), ("wiki/locked",))
    assert "wiki/locked/d.txt" in ids(lived)


def test_a_document_that_somebody_removed_comes_again_and_one_ingested_before_counts_as_ours() -> None:
    lived = synced()
    remove(lived.world.base, "main", "wiki/a.txt")
    lived.world.put("wiki/old.txt", "A page that was ingested by hand, and is gone.")
    report = lived.sync()
    assert (report.count(State.NEW), report.removed) == (1, ("wiki/old.txt",))
    check(lived)


def test_a_document_that_somebody_overwrote_is_put_right() -> None:
    lived = synced()
    lived.world.put("wiki/a.txt", "Something else altogether.")
    lived.sync()
    check(lived)


def test_other_settings_shape_all_documents_anew() -> None:
    lived = synced()
    lived.world.set(repeat_from=0.97)
    assert lived.sync().count(State.CHANGED) == 3
    assert lived.sync().documents == ()


def test_what_another_source_of_the_collection_still_has_stays() -> None:
    lived = synced()
    beside = Stage(lived.world, lived.shelf, replace(lived.source, id="e" * 32, address="elsewhere"))
    beside.sync()
    files = dict(lived.shelf.files)
    del lived.shelf.files["a.txt"]
    report = lived.sync()
    assert (report.removed, report.kept_elsewhere) == ((), ("wiki/a.txt",))
    assert "wiki/a.txt" in ids(lived)
    lived.shelf.files = files
    lived.sync()
    check(lived)


def test_a_dry_run_writes_nothing() -> None:
    lived = stage(files=FILES)
    report = lived.sync(is_dry=True)
    assert (report.to_read, report.documents) == (("wiki/a.txt", "wiki/b.txt", "wiki/c.txt"), ())
    assert lived.world.base.store.syncs.sources() == ()
    assert lived.world.base.store.collections() == ()
    assert lived.shelf.fetched == []


def test_two_runs_of_one_source_do_not_meet() -> None:
    lived = synced()
    with lived.world.base.store.syncs.locked(lived.source.id), pytest.raises(UpstreamError, match="is running"):
        lived.sync()


def test_a_run_that_is_stopped_takes_nothing_away_and_the_next_goes_on() -> None:
    lived = synced()
    lived.shelf.files = {"x.txt": b"One more.", "y.txt": b"And another."}
    left = iter((False, True))
    report = lived.sync(is_stopped=lambda: next(left, True))
    assert (report.is_cut, len(report.documents), report.removed) == (True, 1, ())
    assert len(ids(lived)) == 4
    lived.sync()
    check(lived)


def test_a_file_that_goes_while_it_is_read_is_gone() -> None:
    lived = synced("plain")
    listing = lived.shelf.listing

    def then_gone(known: dict[str, str]) -> object:
        rows = listing(known)
        lived.shelf.files.pop("b.txt", None)
        return rows

    lived.shelf.listing = then_gone  # type: ignore[method-assign,assignment]
    report = lived.sync()
    assert report.removed == ("wiki/b.txt",)
    check(lived)


def test_an_error_of_one_file_refuses_that_file_alone() -> None:
    lived = synced()
    lived.shelf.files["a.txt"] = b"changed"
    fetch = lived.shelf._fetch

    def failing(path: str) -> object:
        def call(known: str) -> object:
            if path == "a.txt":
                raise RuntimeError("a library failed")
            return fetch(path)(known)

        return call

    lived.shelf._fetch = failing  # type: ignore[method-assign,assignment]
    (refused,) = lived.sync().refused
    assert (refused.reason, "a library failed" in refused.detail) == (Refusal.UNREADABLE, True)


def test_a_source_knows_what_its_last_run_came_to() -> None:
    lived = synced()
    lived.shelf.files["d.txt"] = b"Bins are emptied on Mondays."
    lived.source = SyncSource(lived.source.id, "main", "wiki", UpstreamKind.FOLDER, lived.source.added_at, every_s=60.0)
    lived.sync()
    (kept,) = lived.world.base.store.syncs.sources()
    assert kept.last is not None
    assert (kept.last.n_listed, kept.last.n_skipped, kept.last.n_new) == (4, 3, 1)
    assert kept.next_at is not None
    assert (kept.next_at - kept.last.ended_at).total_seconds() == 60.0


@pytest.mark.parametrize("style", ["marked", *(pytest.param(s, marks=pytest.mark.slow) for s in ("asked", "plain"))])
def test_killed_at_every_single_point_the_next_run_completes(style: str) -> None:
    for point in range(1, 200):
        lived = stage(style, files={"a.txt": FILES["a.txt"], "b.txt": FILES["b.txt"]})
        lived.sync()
        lived.shelf.files = {
            "c.txt": lived.shelf.files["a.txt"],
            "b.txt": b"The boiler was replaced.",
            "n.txt": b"New.",
        }
        lived.fuse = Fuse(point)
        try:
            lived.sync()
        except KilledError:
            lived.fuse = Fuse()
            lived.sync()
            check(lived)
            continue
        break
    else:
        pytest.fail("a run has fewer points than that")
    assert point > 20


@pytest.mark.parametrize("seed", range(6))
def test_random_histories_with_kills_end_in_step(seed: int) -> None:
    assert history(1_000 + seed) > 0


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
def test_two_hundred_random_histories_with_five_kills_each(block: int) -> None:
    seeds = [random.Random(block).randrange(10**9) + n for n in range(10)]
    if os.environ.get("TEST_PROFILE") == "explore":
        seeds += [random.SystemRandom().randrange(10**9) for _ in range(10)]
    n_hit = sum(history(seed) for seed in seeds)
    assert n_hit > 4 * len(seeds)


def test_pictures_and_recordings_are_read_after_all_else() -> None:
    lived = synced()
    lived.shelf.files = {"a.png": b"1", "b.txt": b"Bins are emptied on Mondays.", "c.mp3": b"2", "z.txt": b"Keys."}
    report = lived.sync(is_dry=True)
    assert report.to_read == ("wiki/z.txt", "wiki/b.txt", "wiki/a.png", "wiki/c.mp3")
