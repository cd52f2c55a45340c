"""An archive of a source is opened again only when it changed; what it held stays, and a kill anywhere is made good."""

from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from saidonce.documents.parse import Limits
from saidonce.documents.parse.containers import unpack
from saidonce.documents.parse.source import NamedBytes
from saidonce.errors import Refusal
from saidonce.foundation import extras
from saidonce.foundation.model import Unpacked
from saidonce.foundation.model.syncs import SyncEntry
from saidonce.foundation.text import fingerprint
from saidonce.kb.ingest import State, remove
from synced import Fuse, KilledError, Stage, stage, text
from world import PlainParser

BINS, BIKES, KEYS = (
    "The bins are emptied on Tuesday.",
    "Bicycles are kept in the cellar.",
    "Keys are handed out at desk 4.",
)


class OpeningParser(PlainParser):
    """Parses and opens archives in this process; remembers both."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    def unpack(self, name: str, source: bytes) -> Unpacked:
        self.opened.append(name)
        return unpack(NamedBytes(name, source, Limits()))


def packed(members: dict[str, str | bytes]) -> bytes:
    """A ZIP whose bytes depend on its members alone."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        for name, content in members.items():
            package.writestr(zipfile.ZipInfo(name), content)
    return out.getvalue()


def shelved(style: str = "marked", **archives: dict[str, str | bytes]) -> tuple[Stage, OpeningParser]:
    """A base in step with archives, of which nothing is counted any more."""
    lived = stage(style, files={"a.txt": "Backups are kept for 30 days."})
    parser = OpeningParser()
    lived.world.base = replace(lived.world.base, parser=parser)
    lived.shelf.files |= {f"{name}.zip": packed(members) for name, members in archives.items()}
    lived.sync()
    forget(lived, parser)
    return lived, parser


def forget(lived: Stage, parser: OpeningParser) -> None:
    parser.opened.clear()
    parser.parsed.clear()
    lived.shelf.fetched.clear()
    lived.world.embedder.texts.clear()


def names(lived: Stage) -> set[str]:
    return {name for d in lived.world.base.store.documents("main") for name in d.names}


@pytest.mark.parametrize("style", ["marked", "asked", "plain"])
@pytest.mark.parametrize("prune", [False, True])
def test_an_unchanged_archive_is_not_opened_again_and_keeps_its_members(style: str, prune: bool) -> None:
    lived, parser = shelved(style, d={"bins.txt": BINS, "deep/bikes.txt": BIKES})
    for _ in range(2):
        report = lived.sync(prune)
        assert (parser.opened, parser.parsed, lived.world.embedder.texts) == ([], [], [])
        assert (report.documents[1:], report.gone, report.removed, report.n_refused) == ((), (), (), 0)
        assert names(lived) == {"wiki/a.txt", "wiki/d.zip/bins.txt", "wiki/d.zip/deep/bikes.txt"}
    if style == "marked":
        assert lived.shelf.fetched == [], "its mark tells that it need not even be read"
        assert report.unchanged == ("wiki/a.txt", "wiki/d.zip")


def test_members_of_no_known_format_are_passed_over_in_this_run_and_the_next() -> None:
    lived = stage("marked", files={"a.txt": "Backups are kept for 30 days."})
    lived.world.base = replace(lived.world.base, parser=OpeningParser())
    lived.shelf.files["d.zip"] = packed({"bins.txt": BINS, "deep/plan.xcf": b"gimp"})
    for _ in range(2):
        report = lived.sync()
        assert [name.rpartition("/d.zip/")[2] for name in report.passed_over] == ["deep/plan.xcf"]
        assert (report.n_refused, report.run().n_passed_over) == (0, 1)


def test_new_members_are_noted_in_one_write_before_the_first_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    lived = stage("marked", files={})
    lived.world.base = replace(lived.world.base, parser=OpeningParser())
    lived.shelf.files["d.zip"] = packed({f"{n}.txt": f"Bin {n} is emptied on day {n}." for n in range(40)})
    writes: list[int] = []
    syncs = type(lived.world.base.store.syncs)
    put = syncs.put_entries

    def counted(self: Any, entries: Sequence[SyncEntry]) -> None:
        writes.append(len(entries))
        put(self, entries)

    monkeypatch.setattr(syncs, "put_entries", counted)
    lived.sync()
    assert 40 in writes
    assert len(writes) <= 4


def test_a_changed_archive_is_opened_once_and_only_its_changed_members_are_parsed() -> None:
    lived, parser = shelved(d={"bins.txt": BINS, "bikes.txt": BIKES})
    lived.shelf.files["d.zip"] = packed({"bins.txt": BINS, "bikes.txt": KEYS})
    report = lived.sync()
    assert (parser.opened, parser.parsed) == (["wiki/d.zip"], ["wiki/d.zip/bikes.txt"])
    assert (report.count(State.CHANGED), report.count(State.UNCHANGED)) == (1, 1)
    forget(lived, parser)
    lived.sync()
    assert parser.opened == []


def test_an_archive_that_was_only_touched_is_read_and_not_opened() -> None:
    lived, parser = shelved(d={"bins.txt": BINS})
    mark = lived.shelf._mark
    lived.shelf._mark = lambda path: f"{mark(path)} touched"  # type: ignore[method-assign]
    report = lived.sync()
    assert (lived.shelf.fetched, parser.opened, report.n_same) == (["a.txt", "d.zip"], [], 1)
    lived.shelf.fetched.clear()
    lived.sync()
    assert lived.shelf.fetched == [], "its new mark was noted"


def test_what_an_archive_does_not_hold_any_more_is_counted_until_it_is_removed() -> None:
    lived, parser = shelved(d={"bins.txt": BINS, "bikes.txt": BIKES})
    lived.shelf.files["d.zip"] = packed({"bins.txt": BINS})
    assert lived.sync(prune=False).gone == ("wiki/d.zip/bikes.txt",)
    forget(lived, parser)
    again = lived.sync(prune=False)
    assert (again.gone, again.removed, parser.opened) == (("wiki/d.zip/bikes.txt",), (), [])
    assert lived.sync().removed == ("wiki/d.zip/bikes.txt",)
    assert names(lived) == {"wiki/a.txt", "wiki/d.zip/bins.txt"}
    assert lived.sync().gone == ()
    assert parser.opened == []


def test_a_member_that_moves_within_its_archive_keeps_its_document() -> None:
    lived, _ = shelved(d={"bins.txt": BINS, "bikes.txt": BIKES})
    before = {name: d.id for d in lived.world.base.store.documents("main") for name in d.names}
    lived.shelf.files["d.zip"] = packed({"bins.txt": BINS, "deep/bikes.txt": BIKES})
    report = lived.sync()
    assert report.moved == (("wiki/d.zip/bikes.txt", "wiki/d.zip/deep/bikes.txt"),)
    after = {name: d.id for d in lived.world.base.store.documents("main") for name in d.names}
    assert after["wiki/d.zip/deep/bikes.txt"] == before["wiki/d.zip/bikes.txt"]
    assert lived.world.embedder.texts == []


@pytest.mark.parametrize("harm", ["removed", "overwritten", "settings"])
def test_an_archive_is_opened_again_when_what_came_from_it_is_not_what_it_was(harm: str) -> None:
    lived, parser = shelved(d={"bins.txt": BINS, "bikes.txt": BIKES})
    if harm == "removed":
        remove(lived.world.base, "main", "wiki/d.zip/bins.txt")
    elif harm == "overwritten":
        lived.world.put("wiki/d.zip/bins.txt", "Something else altogether.")
    else:
        lived.world.set(repeat_from=0.97)
    forget(lived, parser)
    lived.sync()
    assert parser.opened == ["wiki/d.zip"]
    stored = {name: d.fingerprint for d in lived.world.base.store.documents("main") for name in d.names}
    assert stored["wiki/d.zip/bins.txt"] == fingerprint(BINS.encode())
    forget(lived, parser)
    lived.sync()
    assert parser.opened == []


def test_refused_members_do_not_have_an_archive_opened_again_and_are_read_once_the_limits_change() -> None:
    lived, parser = shelved(d={"bins.txt": BINS, "empty.txt": b"\x00", "x.exe": "unknown"})
    again = lived.sync()
    assert (parser.opened, names(lived)) == ([], {"wiki/a.txt", "wiki/d.zip/bins.txt"})
    assert [name for name, _ in again.refused_before] == ["wiki/d.zip/empty.txt"]
    lived.world.set(max_source_mb=7)
    assert [d.reason for d in lived.sync().refused] == [Refusal.EMPTY]
    assert parser.opened == ["wiki/d.zip"]


def test_a_broken_archive_takes_nothing_away_and_one_that_is_whole_again_is_opened() -> None:
    lived, parser = shelved(d={"bins.txt": BINS})
    whole = lived.shelf.files["d.zip"]
    lived.shelf.files["d.zip"] = b"PK\x03\x04 cut off"
    broken = lived.sync()
    assert (broken.n_refused, broken.removed, len(parser.opened)) == (1, (), 1)
    assert lived.sync().removed == ()
    assert len(parser.opened) == 1, "a refused archive is not opened again"
    lived.shelf.files["d.zip"] = whole
    assert lived.sync().n_refused == 0
    assert names(lived) == {"wiki/a.txt", "wiki/d.zip/bins.txt"}
    del lived.shelf.files["d.zip"]
    assert lived.sync().removed == ("wiki/d.zip/bins.txt",)


def test_a_file_refused_for_want_of_an_extra_is_read_once_the_extra_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as without:
        without.setattr(extras, "missing", lambda name: "rapidocr" if name == extras.IMAGES else "")
        lived, parser = shelved(d={"bins.txt": BINS, "empty.txt": b"\x00"})
        lived.shelf.files["e.txt"] = b"\x00"
        lived.sync()
        forget(lived, parser)
        lived.sync()
        assert (parser.opened, lived.shelf.fetched) == ([], [])
    monkeypatch.setattr(extras, "missing", lambda _name: "")
    lived.sync()
    assert (parser.opened, lived.shelf.fetched) == (["wiki/d.zip"], ["e.txt", "d.zip"])


def test_killed_at_every_single_point_the_next_run_completes() -> None:
    for point in range(1, 400):
        lived, parser = shelved(d={"bins.txt": BINS, "bikes.txt": BIKES, "old.txt": "Old."}, gone={"x.txt": "Gone."})
        lived.shelf.files = {
            "b.txt": lived.shelf.files["a.txt"],
            "d.zip": packed({"bins.txt": BINS, "bikes.txt": KEYS, "new.txt": "New."}),
            "e.zip": packed({"moved.txt": "Gone."}),
        }
        lived.fuse = Fuse(point)
        try:
            lived.sync()
        except KilledError:
            lived.fuse = Fuse()
            lived.sync()
            hold(lived, parser)
            continue
        break
    else:
        pytest.fail("a run has fewer points than that")
    assert point > 40


def hold(lived: Stage, parser: OpeningParser) -> None:
    """Hold a base against its source; after that nothing is opened any more."""
    expected: dict[str, str] = {}
    for path, content in lived.shelf.files.items():
        if not path.endswith(".zip"):
            expected[f"wiki/{path}"] = fingerprint(content)
            continue
        for name, inner in unpack(NamedBytes(f"wiki/{path}", content, Limits())).members:
            expected[name] = fingerprint(inner)
    documents = list(lived.world.base.store.documents("main"))
    assert {name: d.fingerprint for d in documents for name in d.names} == expected
    assert len({d.fingerprint for d in documents}) == len(documents), "nothing is there twice"
    forget(lived, parser)
    report = lived.sync()
    assert (parser.opened, report.gone, report.moved) == ([], (), ())
    known = {entry.name for entry in lived.world.base.store.syncs.entries(lived.source.id)}
    assert known - set(expected) == {f"wiki/{path}" for path in lived.shelf.files if path.endswith(".zip")}


@pytest.mark.parametrize("seed", range(8))
def test_random_histories_of_archives_with_kills_end_in_step(seed: int) -> None:
    dice = random.Random(3_000 + seed)
    lived, parser = shelved("marked" if seed % 2 else "plain", d={"1.txt": BINS}, e={"1.txt": BIKES, "2.txt": KEYS})
    holds = {"d": {"1.txt": BINS.encode()}, "e": {"1.txt": BIKES.encode(), "2.txt": KEYS.encode()}}
    for _ in range(6):
        for _ in range(dice.randrange(1, 4)):
            archive = holds.setdefault(dice.choice("def"), {})
            archive[f"{dice.randrange(4)}.txt"] = text(dice)
            if len(archive) > 1 and dice.random() < 0.4:
                del archive[dice.choice(sorted(archive))]
            if len(holds) > 1 and dice.random() < 0.1:
                del holds[dice.choice(sorted(holds))]
        lived.shelf.files = {f"{name}.zip": packed(dict(members)) for name, members in holds.items()}
        for _ in range(dice.randrange(3)):
            lived.fuse = Fuse(dice.randrange(1, 80))
            try:
                lived.sync()
            except KilledError:
                continue
        lived.fuse = Fuse()
        lived.sync()
        hold(lived, parser)
