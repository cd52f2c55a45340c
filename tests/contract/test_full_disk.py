"""A full disk is said as one, with its volume; nothing waits for it, and room that is made lets work go on."""

from __future__ import annotations

import io
import os
import random
import signal
import string
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from store_cases import collection, simple

from conftest import prepared, reachable_folder
from disks import MIB, full, long_text, small_disk
from saidonce import KnowledgeBase
from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.adapters.postgres import open_store
from saidonce.errors import DiskFullError
from saidonce.foundation.disk import disk_full, naming_full_disk, volume_of
from saidonce.foundation.ports import Store


@pytest.fixture(scope="module")
def volume() -> Iterator[Path]:
    with small_disk(reachable_folder() / "disk", 400) as mounted:
        yield mounted


@pytest.fixture(scope="module")
def base(volume: Path) -> Iterator[KnowledgeBase]:
    opened = KnowledgeBase(data_dir=prepared(volume / "base"))
    opened._lazy.opened["embedder"] = HashedEmbedder()
    with opened:
        opened.store.ensure_collection(collection())
        yield opened


def write_until_full(store: Store) -> int:
    """Write documents until no more go in; return how many did."""
    for number in range(400):
        try:
            store.put_document(simple(f"long-{number}", long_text(number)))
        except DiskFullError:
            return number
    raise AssertionError("the disk never became full")


def test_a_first_start_without_room_names_the_volume_and_goes_on_with_room() -> None:
    with small_disk(reachable_folder() / "disk", 20) as volume:
        with pytest.raises(DiskFullError) as refused:
            open_store("", volume / "base", "acme")
        assert refused.value.volume == str(volume)
        assert refused.value.needed is not None
        assert refused.value.free is not None
        assert refused.value.free < refused.value.needed
        assert not list((volume / "base").glob(".new-*"))
        subprocess.run(["mount", "-o", "remount,size=200m", str(volume)], check=True)
        with ExitStack() as stack:
            store = open_store("", volume / "base", "acme")
            stack.callback(store.close)
            assert store.collections() == ()


def test_an_ingest_on_a_full_disk_ends_and_goes_on_when_there_is_room(
    base: KnowledgeBase, volume: Path, tmp_path: Path
) -> None:
    for number in range(4):
        (tmp_path / f"{number}.txt").write_text(" ".join(random.Random(number).choices(string.ascii_letters, k=400)))
    with full(volume), pytest.raises(DiskFullError) as refused:
        base.ingest([tmp_path], collection="texts")
    assert refused.value.volume == str(volume)
    assert len(base.ingest([tmp_path], collection="texts").documents) == 4


@pytest.mark.parametrize("left_kib", [0, 9_000])
def test_a_database_without_room_for_its_log_comes_back_with_room(
    base: KnowledgeBase, volume: Path, left_kib: int
) -> None:
    with full(volume, left_kib):
        n_written = write_until_full(base.store)
        with pytest.raises(DiskFullError, match=r"the database.* cannot be written \(volume ") as refused:
            base.store.put_document(simple("one more", long_text(200)))
        assert refused.value.volume == str(volume)
    base.store.put_document(simple(f"after-{left_kib}", f"There is room again after {left_kib}."))
    for number in range(n_written):
        assert base.store.document("main", f"long-{number}") is not None
    for number in range(n_written):
        base.store.remove_document("main", f"long-{number}")


def test_a_killed_server_that_has_no_room_to_recover_is_not_waited_for(base: KnowledgeBase, volume: Path) -> None:
    base.store.put_document(simple("before", "It was acknowledged before the server was killed."))
    note = (volume / "base" / "postgres" / "postmaster.pid").read_text()
    os.kill(int(note.splitlines()[0]), signal.SIGKILL)
    with full(volume), pytest.raises(DiskFullError) as refused:
        base.store.put_document(simple("while full", long_text(8)))
    assert refused.value.volume == str(volume)
    assert base.store.document("main", "before") is not None


def test_an_import_on_a_full_disk_leaves_nothing_and_goes_through_with_room(base: KnowledgeBase, volume: Path) -> None:
    base.store.put_document(simple("long", long_text(7)))
    lines = [line.rstrip(b"\n") + b"\n" for line in base.store.dump()]
    with base.for_org("copy") as copy:
        with full(volume), pytest.raises(DiskFullError):
            copy.store.load(io.BytesIO(b"".join(lines)))
        assert copy.store.collections() == ()
        copy.store.load(io.BytesIO(b"".join(lines)))
        assert copy.store.document("main", "long") is not None


def test_a_file_on_a_full_disk_is_named_with_its_volume() -> None:
    with small_disk(reachable_folder() / "disk", 1) as volume:
        target = volume / "out.jsonl"
        with (
            pytest.raises(DiskFullError, match=r"out\.jsonl' cannot be written \(volume ") as refused,
            naming_full_disk(target),
        ):
            target.write_bytes(bytes(2 * MIB))
        assert refused.value.volume == str(volume)
        assert volume_of(volume / "not" / "there") == volume


def test_only_a_full_disk_is_called_one(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), naming_full_disk(tmp_path / "x"):
        (tmp_path / "gone" / "x").write_text("x")


def test_what_is_known_of_a_full_disk_is_said(tmp_path: Path) -> None:
    message = str(DiskFullError("a file", "/data", free=MIB, needed=16 * MIB))
    assert message == (
        "the disk is full: a file cannot be written (volume /data: 1.0 MiB free, about 16.0 MiB needed);"
        " free some space, then retry"
    )
    assert str(DiskFullError("a file")) == "the disk is full: a file cannot be written; free some space, then retry"
    assert disk_full("a file", tmp_path).free is not None
