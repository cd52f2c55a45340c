"""Sources whose words have to be recognised hold nobody up: the others are written first, always in the same order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import pytest

from saidonce.documents.parse import parse
from saidonce.errors import Refusal, SourceRefusedError
from saidonce.foundation.context import Source
from saidonce.foundation.model import Document
from saidonce.foundation.ports import Awaited
from saidonce.kb.ingest import ingest
from saidonce.kb.ingest.flow import PUT_OFF
from saidonce.testing import MemoryStore
from world import CountingEmbedder, World, wired


@dataclass
class Recognised:
    """A picture on its way; tells when somebody waits for it."""

    name: str
    content: bytes
    waited: Callable[[str], None]

    def result(self) -> Document | SourceRefusedError:
        self.waited(self.name)
        if self.content == b"blank":
            return SourceRefusedError(self.name, Refusal.NO_TEXT, "no words are seen in it")
        return parse(self.name.replace(".png", ".txt"), self.content)


class Beside:
    """Has the words of every `.png` recognised, and parses all else at once."""

    def __init__(self) -> None:
        self.waited: Callable[[str], None] = lambda _name: None
        self.n_out = self.most_out = 0

    def map(self, sources: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, Document | SourceRefusedError]]:
        raise AssertionError("whoever can read beside is asked to")

    def map_beside(
        self, sources: Iterable[tuple[str, bytes]]
    ) -> Iterator[tuple[str, Document | SourceRefusedError | Awaited]]:
        for name, content in sources:
            if name.endswith(".png"):
                self.n_out += 1
                self.most_out = max(self.most_out, self.n_out)
                yield name, Recognised(name, content, self._wait)
            else:
                yield name, parse(name, content)

    def _wait(self, name: str) -> None:
        self.n_out -= 1
        self.waited(name)


def base() -> tuple[World, Beside]:
    embedder, parser = CountingEmbedder(dim=32), Beside()
    return World(replace(wired(MemoryStore("acme"), embedder), parser=parser), embedder), parser


def run(world: World, *files: tuple[str, str]) -> tuple[list[str], list[str]]:
    """Ingest files; give the names as they were reported on the way, and as the report lists them."""
    order: list[str] = []
    sources = [Source(name, content.encode) for name, content in files]
    report = ingest(world.base, sources, "main", lambda document: order.append(document.name))
    return order, [document.name for document in report.documents]


def stored(world: World) -> set[str]:
    return {name for d in world.base.store.documents("main") for name in d.names}


def test_texts_behind_a_picture_are_written_before_anybody_waits_for_it() -> None:
    world, parser = base()
    at_wait: list[set[str]] = []
    parser.waited = lambda _name: at_wait.append(stored(world))
    files = (("a.png", "Bins."), ("b.txt", "Keys."), ("c.png", "Bikes."), ("d.txt", "Doors."))
    order, listed = run(world, *files)
    assert at_wait == [{"b.txt", "d.txt"}, {"a.png", "b.txt", "d.txt"}], "and each picture before the next"
    assert order == ["b.txt", "d.txt", "a.png", "c.png"]
    assert listed == ["a.png", "b.txt", "c.png", "d.txt"], "the report keeps the order of the sources"


def test_only_so_many_are_put_off() -> None:
    world, parser = base()
    files = [(f"{n:02}.png", f"Hook {n} holds key {n}.") for n in range(2 * PUT_OFF)]
    order, listed = run(world, *files, ("z.txt", "Doors."))
    assert parser.most_out == PUT_OFF + 1
    assert order.index("z.txt") == PUT_OFF
    assert [name for name in order if name != "z.txt"] == listed[:-1]


def test_large_ones_are_not_put_off_together(monkeypatch: pytest.MonkeyPatch) -> None:
    world, parser = base()
    monkeypatch.setattr("saidonce.kb.ingest.flow.BATCH_BYTES", 10)
    run(world, ("a.png", "Bins are green."), ("b.png", "Keys are brass."), ("c.png", "Doors are red."))
    assert parser.most_out == 2


def test_the_last_source_of_a_name_decides_whatever_is_recognised_beside() -> None:
    world, _ = base()
    order, _ = run(world, ("a.png", "The bins are green."), ("a.png", "The bins are blue."), ("b.txt", "Keys."))
    assert order == ["a.png", "b.txt", "a.png"]
    (document,) = (d for d in world.base.store.documents("main") if d.name == "a.png")
    assert document.version == 2


def test_what_is_not_recognised_is_refused_in_its_place_and_twins_are_one_document() -> None:
    world, _ = base()
    files = (("a.png", "blank"), ("b.png", "Bins."), ("c.png", "Bins."), ("d.txt", "Keys."))
    order, listed = run(world, *files)
    assert order == ["d.txt", "a.png", "b.png", "c.png"]
    assert listed == ["a.png", "b.png", "c.png", "d.txt"]
    assert len(list(world.base.store.documents("main"))) == 2
